//! What the guesses of a selective search are measured by.

use super::constants::EngineConstants;
use super::window::Window;
use crate::eval::{Scale, Score};

/// The probability of a win from which a game is as good as decided.
const DECIDED: f64 = 0.999;

/// The constants of a search, and the scale of its evaluation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margins {
    pub(super) constants: EngineConstants,
    /// What margins count as one unit, see [`Scale::margin`].
    pub(super) unit: i32,
    /// The evaluation from which a game is as good as decided.
    decided: Score,
}

impl Margins {
    /// The margins of a search by these constants, with an evaluation of this scale.
    pub(super) fn new(scale: Scale, constants: EngineConstants) -> Margins {
        Margins { constants, unit: scale.margin, decided: Score::from_value(scale.wdl.value_of(DECIDED)) }
    }

    /// A margin in thousandths, on the scale of the evaluation. It is no larger than an evaluation may be,
    /// whatever the scale.
    #[inline]
    pub(super) fn of(&self, thousandths: i32) -> Score {
        let most = i64::from(Score::MAX_EVALUATION.to_thousandths());
        let margin = i64::from(thousandths) * i64::from(self.unit) / 1000;
        Score::from_thousandths(margin.clamp(-most, most) as i32)
    }

    /// Whether a bound is not that of a game as good as decided. There static evaluations do not tell the
    /// moves apart, and what they prune may be the mate.
    pub(super) fn is_close(&self, bound: Score) -> bool {
        -self.decided < bound && bound < self.decided
    }

    /// A window that is open where a bound is that of a game as good as decided: behind it may be a mate, far
    /// from any evaluation.
    pub(super) fn without_far_bounds(&self, alpha: Score, beta: Score) -> Window {
        Window {
            alpha: if alpha > -self.decided { alpha } else { Window::FULL.alpha },
            beta: if beta < self.decided { beta } else { Window::FULL.beta },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_of_any_scale_is_an_evaluation() {
        let margin = |unit, thousandths| {
            let scale = Scale { margin: unit, ..Scale::UNMEASURED };
            Margins::new(scale, EngineConstants::DEFAULT).of(thousandths)
        };
        assert_eq!(margin(3_000, -500), Score::from_thousandths(-1_500));
        assert_eq!(margin(1_000_000, 500_000), Score::MAX_EVALUATION);
        assert_eq!(margin(1_000_000, -500_000), -Score::MAX_EVALUATION);
    }
}
