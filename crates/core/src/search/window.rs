//! The window of α-β, and the bound type of a score found within it.

use std::ops::Neg;

use crate::eval::Score;

/// The bound type of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The value is at least the score.
    Lower,
    /// The value is at most the score.
    Upper,
    /// The value is the score.
    Exact,
}

/// The scores between `alpha` and `beta`. Negation gives the window of the other player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// The lower bound, for the side to move.
    pub(super) alpha: Score,
    /// The upper bound.
    pub(super) beta: Score,
}

impl Window {
    /// The full window.
    pub(super) const FULL: Window =
        Window { alpha: Score::from_thousandths(-Score::INFINITE.to_thousandths()), beta: Score::INFINITE };

    /// The null window just above `alpha`: it asks whether a score exceeds `alpha`.
    pub(super) fn null_above(alpha: Score) -> Window {
        Window { alpha, beta: alpha + Score::STEP }
    }

    /// The null window just below `beta`: it asks whether a score reaches `beta`.
    pub(super) fn null_below(beta: Score) -> Window {
        Window { alpha: beta - Score::STEP, beta }
    }

    /// Whether no score lies inside.
    pub(super) fn is_null(self) -> bool {
        self.beta <= self.alpha + Score::STEP
    }

    /// The bound type of a score found within this window.
    #[inline]
    pub(super) fn bound_of(self, score: Score) -> Bound {
        match score {
            score if score >= self.beta => Bound::Lower,
            score if score > self.alpha => Bound::Exact,
            _ => Bound::Upper,
        }
    }

    /// The value of a child for the side to move at its parent, whose window this is. `search` is given the
    /// window of the child's side to move, which may be the same player, and answers for that player.
    #[inline]
    pub(super) fn descend(self, is_same_player: bool, search: impl FnOnce(Window) -> Score) -> Score {
        if is_same_player { search(self) } else { -search(-self) }
    }
}

impl Neg for Window {
    type Output = Window;

    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}
