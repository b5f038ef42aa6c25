//! The window of α-β, and what a score says that a search within it has found.

use std::ops::Neg;

use crate::eval::Score;

/// What a score says about the value of a position.
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
    /// What the side to move is sure of.
    pub(super) alpha: Score,
    /// What the other player is sure to allow at most.
    pub(super) beta: Score,
}

impl Window {
    /// The window that no score leaves.
    pub(super) const FULL: Window =
        Window { alpha: Score::from_thousandths(-Score::INFINITE.to_thousandths()), beta: Score::INFINITE };

    /// The null window just above `alpha`: it asks whether a score exceeds `alpha`.
    pub(super) fn null(alpha: Score) -> Window {
        Window { alpha, beta: alpha + Score::STEP }
    }

    /// The null window just below `beta`: it asks whether a score reaches `beta`.
    pub(super) fn below(beta: Score) -> Window {
        Window { alpha: beta - Score::STEP, beta }
    }

    /// Whether no score lies inside.
    pub(super) fn is_null(self) -> bool {
        self.beta <= self.alpha + Score::STEP
    }

    /// What a score says that a search within this window has found.
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
