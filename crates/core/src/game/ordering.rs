//! The interface between move ordering and a game.

use super::Game;

/// Hints for move ordering and for pruning by static exchange evaluation. By default all moves are quiet and
/// are ordered by history alone.
pub trait MoveOrdering: Game {
    /// The number of kinds of moves, see [`MoveOrdering::move_kind`].
    const MOVE_KINDS: usize = 1;

    /// The number of kinds of captures, see [`MoveOrdering::capture_kind`].
    const CAPTURE_KINDS: usize = 1;

    /// The number of structures of a position, see [`MoveOrdering::structure`].
    const STRUCTURES: usize = 0;

    /// Whether quiet moves also have a history by the first structure.
    const STRUCTURE_HISTORY: bool = false;

    /// The number of dangers of a move, see [`MoveOrdering::danger`].
    const DANGERS: usize = 1;

    /// The squares that the opponent attacks, for [`MoveOrdering::danger`].
    fn threats(&self) -> u64 {
        0
    }

    /// What a move has to do with the squares that the opponent attacks, below [`MoveOrdering::DANGERS`]: in
    /// chess, whether it leaves or enters one. `threats` is [`MoveOrdering::threats`] of the position.
    fn danger(_mv: Self::Move, _threats: u64) -> usize {
        0
    }

    /// Whether a move is tactical (a capture or promotion): it is searched early, reduced less than others,
    /// and part of quiescence search.
    fn is_tactical(&self, _mv: Self::Move) -> bool {
        false
    }

    /// Appends the tactical moves, in an order that depends on the position alone.
    fn tactical_moves(&self, moves: &mut Vec<Self::Move>) {
        append_legal(self, moves, |mv| self.is_tactical(mv));
    }

    /// Appends the legal moves that are not tactical, in an order that depends on the position alone.
    fn quiet_moves(&self, moves: &mut Vec<Self::Move>) {
        append_legal(self, moves, |mv| !self.is_tactical(mv));
    }

    /// The value of what a tactical move captures or promotes to, less a little for a valuable piece that
    /// captures (MVV-LVA), in thousandths of the evaluation's unit.
    fn capture_value(&self, _mv: Self::Move) -> i32 {
        0
    }

    /// Static exchange evaluation: whether a move leaves its player at least `threshold`, in thousandths of
    /// the evaluation's unit, when both sides go on capturing on its target square as long as it pays.
    fn see_ge(&self, _mv: Self::Move, _threshold: i32) -> bool {
        true
    }

    /// The kind of a legal move, below [`MoveOrdering::MOVE_KINDS`]: in chess, which piece goes where.
    /// Continuation history counts kinds of replies to kinds of moves.
    fn move_kind(&self, _mv: Self::Move) -> usize {
        0
    }

    /// The kind of a tactical move by what it captures, below [`MoveOrdering::CAPTURE_KINDS`].
    fn capture_kind(&self, _mv: Self::Move) -> usize {
        0
    }

    /// A hash of a part of the position that many positions of a search have in common, such as the pawns in
    /// chess. Static evaluations are corrected by what searches of such positions have found. `index` is
    /// below [`MoveOrdering::STRUCTURES`].
    fn structure(&self, _index: usize) -> u64 {
        0
    }
}

/// Appends the legal moves for which `wanted` holds.
fn append_legal<G: Game>(position: &G, moves: &mut Vec<G::Move>, wanted: impl Fn(G::Move) -> bool) {
    let before = moves.len();
    position.legal_moves(moves);
    let mut index = 0;
    moves.retain(|&mv| {
        index += 1;
        index <= before || wanted(mv)
    });
}
