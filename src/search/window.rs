//! The window of α-β.

use std::ops::Neg;

use crate::eval::Score;
use crate::game::Game;

/// Scores of interest: those between `alpha` and `beta`. Negation turns it to the other player's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// What the side to move has already.
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

    /// The empty window just below `beta`: it asks whether a score reaches `beta`.
    pub(super) fn below(beta: Score) -> Window {
        Window { alpha: beta - Score::STEP, beta }
    }

    /// Whether no score lies inside.
    pub(super) fn is_null(self) -> bool {
        self.beta <= self.alpha + Score::STEP
    }

    /// The value of `child` for the side to move of `parent`, whose window this is. `search` is given the window of
    /// the child's side to move and answers for that player, who may be the same.
    #[inline]
    pub(super) fn descend<G: Game>(
        self,
        parent: &G,
        child: &G,
        search: impl FnOnce(Window) -> Score,
    ) -> Score {
        if child.side_to_move() == parent.side_to_move() { search(self) } else { -search(-self) }
    }
}

impl Neg for Window {
    type Output = Window;

    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}
