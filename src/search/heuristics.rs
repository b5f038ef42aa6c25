//! Killers and history: which moves have refuted positions earlier in the search.

use super::EngineConstants;
use crate::eval::MAX_PLY;
use crate::game::{Color, Game, GameMove, MoveOrdering};

/// Entries of the history table of a player, a power of two. Moves with the same lowest bits share an entry.
const HISTORY_SIZE: usize = 1 << 12;

/// History scores stay within ± this bound.
const HISTORY_MAX: i32 = 1 << 14;

/// Plies of continuation history: the opponent's last move, and the own move before it.
const CONTINUATION_PLIES: usize = 2;

/// The kinds of the moves that have led to a node, the last one first; `None` where there was none, or where
/// it was a null move.
pub(super) type MoveKinds = [Option<usize>; CONTINUATION_PLIES];

/// Killers, history and continuation history of one thread.
#[derive(Clone, Debug)]
pub struct Heuristics<G: Game> {
    /// The last two quiet moves that have refuted a position at each ply.
    killers: Vec<[Option<G::Move>; 2]>,
    /// History scores of moves, for White and for Black.
    history: [Vec<i16>; 2],
    /// History scores of kinds of moves as replies to kinds of earlier moves; empty where a game has only
    /// one kind of move.
    continuation: [Vec<i16>; CONTINUATION_PLIES],
    /// The constants of the search.
    pub(super) constants: EngineConstants,
}

impl<G: MoveOrdering> Heuristics<G> {
    /// No killers, all scores zero.
    pub fn new() -> Heuristics<G> {
        let entries = if G::MOVE_KINDS > 1 { G::MOVE_KINDS * G::MOVE_KINDS } else { 0 };
        Heuristics {
            killers: vec![[None; 2]; MAX_PLY + 1],
            history: [vec![0; HISTORY_SIZE], vec![0; HISTORY_SIZE]],
            continuation: [vec![0; entries], vec![0; entries]],
            constants: EngineConstants::DEFAULT,
        }
    }

    /// Before a new search by these constants: forgets the killers, whose plies have changed, and halves all
    /// scores.
    pub(super) fn new_search(&mut self, constants: EngineConstants) {
        self.constants = constants;
        self.killers.fill([None; 2]);
        // Table by table: a flattened loop would go count by count, which takes a millisecond
        // in chess.
        for table in self.history.iter_mut().chain(&mut self.continuation) {
            table.iter_mut().for_each(|score| *score /= 2);
        }
    }

    /// The last two quiet moves that have refuted a position at `ply`, the latest one first.
    #[inline]
    pub(super) fn killers(&self, ply: usize) -> [Option<G::Move>; 2] {
        self.killers[ply]
    }

    /// Rewards `best`, which has refuted the position at `ply` in a search of `depth` plies, and punishes the
    /// moves that had been searched before it.
    pub(super) fn cutoff(
        &mut self,
        position: &G,
        best: G::Move,
        failed: &[G::Move],
        led_by: MoveKinds,
        depth: i32,
        ply: usize,
    ) {
        let constants = &self.constants;
        let bonus = constants.history_bonus_square * depth * depth + constants.history_bonus_linear * depth;
        let bonus = bonus.min(constants.history_bonus_max);
        self.update(position, best, led_by, bonus);
        for &mv in failed {
            self.update(position, mv, led_by, -bonus);
        }
        let killers = &mut self.killers[ply];
        if !position.is_tactical(best) && killers[0] != Some(best) {
            *killers = [Some(best), killers[0]];
        }
    }

    /// The history score of a move, whatever came before it; within ± 2¹⁴.
    #[inline]
    pub(super) fn history(&self, stm: Color, mv: G::Move) -> i32 {
        i32::from(self.history[stm.index()][history_index(mv)])
    }

    /// The continuation history score of a move as a reply to those before it; within ± 2¹⁵.
    #[inline]
    pub(super) fn continuation(&self, position: &G, mv: G::Move, led_by: MoveKinds) -> i32 {
        if G::MOVE_KINDS == 1 {
            return 0;
        }
        let kind = position.move_kind(mv);
        let scores = self.continuation.iter().zip(led_by);
        let scores =
            scores.filter_map(|(table, earlier)| Some(i32::from(table[earlier? * G::MOVE_KINDS + kind])));
        scores.sum()
    }

    /// Moves the scores of a move by `bonus`.
    fn update(&mut self, position: &G, mv: G::Move, led_by: MoveKinds, bonus: i32) {
        add_bonus(&mut self.history[position.side_to_move().index()][history_index(mv)], bonus);
        if G::MOVE_KINDS > 1 {
            let kind = position.move_kind(mv);
            for (table, earlier) in self.continuation.iter_mut().zip(led_by) {
                if let Some(earlier) = earlier {
                    add_bonus(&mut table[earlier * G::MOVE_KINDS + kind], bonus);
                }
            }
        }
    }
}

impl<G: MoveOrdering> Default for Heuristics<G> {
    fn default() -> Self {
        Heuristics::new()
    }
}

/// Moves a score by `bonus`, the less the nearer it is to its bound (history gravity).
fn add_bonus(score: &mut i16, bonus: i32) {
    let old = i32::from(*score);
    *score = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
}

fn history_index<M: GameMove>(mv: M) -> usize {
    mv.to_bits() as usize & (HISTORY_SIZE - 1)
}
