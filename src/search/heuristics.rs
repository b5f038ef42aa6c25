//! What earlier parts of a search have learned about good moves.

use crate::eval::MAX_PLY;
use crate::game::{Color, Game, GameMove, Knowledge};

/// Size of the history table of a player; a power of two. Moves with the same lowest bits share a place.
const HISTORY_SIZE: usize = 1 << 12;

/// Counts stay within ± this bound.
const HISTORY_MAX: i32 = 1 << 14;

/// Earlier moves that a move is seen as a reply to: the opponent's last one, and the one of the same player before it.
const REPLIES: usize = 2;

/// The kinds of the moves that have led to a node, the last one first; none where there was none, or where the side to move
/// has passed.
pub(super) type Path = [Option<usize>; REPLIES];

/// What earlier parts of a search have learned about good moves: all of it by counting which moves have refuted a
/// position, and which ones had been tried there before.
#[derive(Clone, Debug)]
pub struct Heuristics<G: Game> {
    /// The last two quiet moves that have refuted a position at a ply: −18 ± 27 Elo in chess (400 games at 2,500 nodes), where
    /// the counts do their work.
    killers: Vec<[Option<G::Move>; 2]>,
    /// Counts of moves, for White and for Black.
    history: [Vec<i16>; 2],
    /// Counts of kinds of moves as replies to kinds of earlier moves; empty where a game has only one kind.
    continuation: [Vec<i16>; REPLIES],
}

impl<G: Knowledge> Heuristics<G> {
    /// Nothing learned yet.
    pub fn new() -> Heuristics<G> {
        let pairs = if G::MOVE_KINDS > 1 { G::MOVE_KINDS * G::MOVE_KINDS } else { 0 };
        Heuristics {
            killers: vec![[None; 2]; MAX_PLY + 1],
            history: [vec![0; HISTORY_SIZE], vec![0; HISTORY_SIZE]],
            continuation: [vec![0; pairs], vec![0; pairs]],
        }
    }

    /// Before a new search: the plies of the tree are others now, and the past counts half.
    pub(super) fn new_search(&mut self) {
        self.killers.fill([None; 2]);
        // TranspositionTable by table: flattened, the loop would go count by count, which takes a millisecond in chess.
        for table in self.history.iter_mut().chain(&mut self.continuation) {
            table.iter_mut().for_each(|count| *count /= 2);
        }
    }

    /// The last two quiet moves that have refuted a position at `ply`, the latest one first.
    #[inline]
    pub(super) fn killers(&self, ply: usize) -> [Option<G::Move>; 2] {
        self.killers[ply]
    }

    /// `best` has refuted the position at `ply`, to which `path` has led, in a search of `depth` plies, which
    /// `tried` had not.
    pub(super) fn cutoff(
        &mut self,
        position: &G,
        best: G::Move,
        tried: &[G::Move],
        path: Path,
        depth: i32,
        ply: usize,
    ) {
        let bonus = (16 * depth * depth + 32 * depth).min(1600);
        self.learn(position, best, path, bonus);
        for &mv in tried {
            self.learn(position, mv, path, -bonus);
        }
        let killers = &mut self.killers[ply];
        if !position.is_tactical(best) && killers[0] != Some(best) {
            *killers = [Some(best), killers[0]];
        }
    }

    /// The count of a move, whatever came before it; within ± 2¹⁴.
    #[inline]
    pub(super) fn history(&self, stm: Color, mv: G::Move) -> i32 {
        i32::from(self.history[stm.index()][history_index(mv)])
    }

    /// The count of a move as a reply to those before it; within ± 2¹⁵.
    #[inline]
    pub(super) fn continuation(&self, position: &G, mv: G::Move, path: Path) -> i32 {
        if G::MOVE_KINDS == 1 {
            return 0;
        }
        let kind = position.move_kind(mv);
        let counts = self.continuation.iter().zip(path);
        let counts =
            counts.filter_map(|(table, earlier)| Some(i32::from(table[earlier? * G::MOVE_KINDS + kind])));
        counts.sum()
    }

    /// Moves the counts of a move by `bonus`.
    fn learn(&mut self, position: &G, mv: G::Move, path: Path, bonus: i32) {
        count(&mut self.history[position.side_to_move().index()][history_index(mv)], bonus);
        if G::MOVE_KINDS > 1 {
            let kind = position.move_kind(mv);
            for (table, earlier) in self.continuation.iter_mut().zip(path) {
                if let Some(earlier) = earlier {
                    count(&mut table[earlier * G::MOVE_KINDS + kind], bonus);
                }
            }
        }
    }
}

impl<G: Knowledge> Default for Heuristics<G> {
    fn default() -> Self {
        Heuristics::new()
    }
}

/// Moves a count by `bonus`, the less the nearer it is to its bound.
fn count(count: &mut i16, bonus: i32) {
    let old = i32::from(*count);
    *count = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
}

fn history_index<M: GameMove>(mv: M) -> usize {
    mv.to_bits() as usize & (HISTORY_SIZE - 1)
}
