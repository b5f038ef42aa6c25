//! Which move is tried first: the table's move, tactical moves, killers, then by history.

use crate::eval::MAX_PLY;
use crate::game::{Color, Game, GameMove, Knowledge};

/// Size of the history table of a player; a power of two. Moves with the same lowest bits share a place.
const HISTORY_SIZE: usize = 1 << 12;

/// History counts stay within ± this bound.
const HISTORY_MAX: i32 = 1 << 14;

/// The table's move comes before everything.
const TABLE_MOVE: i32 = 1 << 30;

/// Tactical moves come next, by their history.
const TACTICAL: i32 = 1 << 20;

/// Then the killers, the latest one first.
const KILLER: i32 = 1 << 18;

/// What earlier parts of a search have learned about good moves.
#[derive(Clone, Debug)]
pub struct Heuristics<M> {
    killers: Vec<[Option<M>; 2]>,
    history: [Vec<i16>; 2],
}

impl<M: GameMove> Heuristics<M> {
    /// Nothing learned yet.
    pub fn new() -> Heuristics<M> {
        Heuristics {
            killers: vec![[None; 2]; MAX_PLY + 1],
            history: [vec![0; HISTORY_SIZE], vec![0; HISTORY_SIZE]],
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Heuristics::new();
    }

    /// Before a new search: the plies of the tree are others now, and the past counts half.
    pub(super) fn new_search(&mut self) {
        self.killers.fill([None; 2]);
        for count in self.history.iter_mut().flatten() {
            *count /= 2;
        }
    }

    /// `best` has refuted the position at `ply` in a search of `depth` plies, which `tried` had not.
    pub(super) fn cutoff(
        &mut self,
        mover: Color,
        best: M,
        tactical: bool,
        tried: &[M],
        depth: i32,
        ply: usize,
    ) {
        let bonus = (16 * depth * depth + 32 * depth).min(1600);
        self.count(mover, best, bonus);
        for &mv in tried {
            self.count(mover, mv, -bonus);
        }
        let killers = &mut self.killers[ply];
        if !tactical && killers[0] != Some(best) {
            *killers = [Some(best), killers[0]];
        }
    }

    /// The history count of a move, within ± 2¹⁴.
    pub(super) fn history(&self, mover: Color, mv: M) -> i32 {
        i32::from(self.history[mover.index()][history_index(mv)])
    }

    /// Moves a count by `bonus`, the less the nearer it is to its bound.
    fn count(&mut self, mover: Color, mv: M, bonus: i32) {
        let count = &mut self.history[mover.index()][history_index(mv)];
        let old = i32::from(*count);
        *count = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
    }
}

impl<M: GameMove> Default for Heuristics<M> {
    fn default() -> Self {
        Heuristics::new()
    }
}

fn history_index<M: GameMove>(mv: M) -> usize {
    mv.to_bits() as usize & (HISTORY_SIZE - 1)
}

/// The moves of a position with their order; filled anew at each node, so that it allocates but once.
#[derive(Clone, Debug)]
pub(super) struct MoveList<M> {
    moves: Vec<M>,
    ranks: Vec<i32>,
    /// Moves that have been picked already.
    picked: usize,
}

impl<M> Default for MoveList<M> {
    fn default() -> Self {
        MoveList { moves: Vec::new(), ranks: Vec::new(), picked: 0 }
    }
}

impl<M: GameMove> MoveList<M> {
    fn clear(&mut self) {
        self.moves.clear();
        self.ranks.clear();
        self.picked = 0;
    }

    /// Lists the legal moves of a position and ranks them.
    pub(super) fn fill<G: Knowledge + Game<Move = M>>(
        &mut self,
        position: &G,
        ply: usize,
        table_move: Option<M>,
        heuristics: &Heuristics<M>,
    ) {
        self.clear();
        position.legal_moves(&mut self.moves);
        let mover = position.mover();
        let killers = heuristics.killers[ply];
        self.ranks.extend(self.moves.iter().map(|&mv| {
            if Some(mv) == table_move {
                return TABLE_MOVE;
            }
            let history = heuristics.history(mover, mv);
            if position.is_tactical(mv) {
                TACTICAL + history
            } else if killers[0] == Some(mv) {
                KILLER + 1
            } else if killers[1] == Some(mv) {
                KILLER
            } else {
                history
            }
        }));
    }

    /// Lists the tactical moves of a position and ranks them.
    pub(super) fn fill_tactical<G: Knowledge + Game<Move = M>>(
        &mut self,
        position: &G,
        heuristics: &Heuristics<M>,
    ) {
        self.clear();
        position.tactical_moves(&mut self.moves);
        let mover = position.mover();
        self.ranks.extend(self.moves.iter().map(|&mv| heuristics.history(mover, mv)));
    }

    /// Lists moves that have their order already.
    pub(super) fn fill_in_order(&mut self, moves: impl Iterator<Item = M>) {
        self.clear();
        self.moves.extend(moves);
        self.ranks.resize(self.moves.len(), 0);
    }

    /// The best move not yet picked; among equals, the generator's first.
    pub(super) fn pick(&mut self) -> Option<M> {
        let rest = self.ranks.get(self.picked..)?;
        let best = rest.iter().enumerate().rev().max_by_key(|(_, rank)| **rank)?.0 + self.picked;
        self.moves.swap(self.picked, best);
        self.ranks.swap(self.picked, best);
        self.picked += 1;
        Some(self.moves[self.picked - 1])
    }

    /// The moves picked before the last one.
    pub(super) fn tried(&self) -> &[M] {
        &self.moves[..self.picked.saturating_sub(1)]
    }

    /// Whether the position has no legal move.
    pub(super) fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }
}
