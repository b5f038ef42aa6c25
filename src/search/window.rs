//! The window of α-β.

use std::ops::Neg;

use crate::eval::Score;

/// Scores of interest: those between `alpha` and `beta`. Negation turns it to the other player's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// What the mover has already.
    pub(super) alpha: Score,
    /// What the other player will not allow to be exceeded.
    pub(super) beta: Score,
}

impl Window {
    /// The window that no score leaves.
    pub(super) const FULL: Window =
        Window { alpha: Score::from_bits(-Score::INFINITE.to_bits()), beta: Score::INFINITE };

    /// The empty window just above `alpha`: it asks whether a score exceeds `alpha`.
    pub(super) fn null(alpha: Score) -> Window {
        Window { alpha, beta: alpha + Score::STEP }
    }
}

impl Neg for Window {
    type Output = Window;

    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}
