//! The interface between extensions, reductions and pruning and a game.

use super::Game;

/// Properties of positions that allow a search to extend, reduce or prune. The defaults are safe for any
/// game: no checks, no null moves, every move is a candidate.
pub trait Selectivity: Game {
    /// Whether the side to move is in check: it has to answer a threat that would end the game. The search
    /// does not use the static evaluation of such a position.
    fn in_check(&self) -> bool {
        false
    }

    /// The position after a null move, where the search may prune by it. `None` where passing is not
    /// allowed or may be better than any move.
    fn null_move(&self) -> Option<Self> {
        None
    }

    /// Whether the side to move may be in zugzwang, so that null-move cutoffs have to be verified.
    fn may_be_zugzwang(&self) -> bool {
        false
    }

    /// Whether reductions regard more of what is known of a node: whether it has been on a principal
    /// variation, how its first moves fared, how much a reduced search has found, whether the table move is
    /// tactical.
    const REFINES: bool = false;

    /// Whether a selective search orders the moves of this game by the static evaluation of the positions
    /// behind them, see [`Selectivity::moves_by_static_eval`]: for games with hundreds of quiet moves.
    const ORDERS_BY_STATIC_EVAL: bool = false;

    /// Appends candidate moves, each with the static evaluation of the position behind it for the player
    /// who made it, as `static_eval` gives it, in thousandths of its unit. Where moves are made of parts,
    /// those with a poor first part may be left out, the more the smaller `depth`, the plies left to
    /// search. At least one move is appended if one is legal.
    fn moves_by_static_eval(
        &self,
        _depth: i32,
        static_eval: &mut impl FnMut(&Self) -> i32,
        moves: &mut Vec<(Self::Move, i32)>,
    ) {
        let mut legal = Vec::with_capacity(Self::MAX_MOVES.min(256));
        self.legal_moves(&mut legal);
        moves.extend(legal.into_iter().map(|mv| {
            let child = self.after(mv);
            (mv, static_eval(&child))
        }));
    }

    /// Sorts and filters the legal moves by the rules of thumb of a simple agent of the game's literature;
    /// at least one move stays.
    fn rules_of_thumb(&self, _moves: &mut Vec<Self::Move>) {}
}
