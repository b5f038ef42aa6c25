//! Minimax, α-β and expectiminimax as in the textbook: no table, no pruning on a guess.
//!
//! They are the yardstick of principal variation search, and can be selected for comparison (`SearchMode`).

use super::input::SearchInput;
use super::options::SearchMode;
use super::report::Best;
use super::searcher::Searcher;
use super::window::Window;
use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::{Searchable, mixed};

impl<G: Searchable, E: Evaluator<G>> Searcher<'_, G, E> {
    /// Searches all moves to the same depth: the value of the position at `ply` for its side to move if it
    /// lies in the window, otherwise a bound of it (fail soft). Minimax looks at every move, the other modes
    /// cut off at β.
    pub(super) fn full_width(&mut self, depth: i32, window: Window, ply: usize) -> Score {
        self.stack[ply].pv.clear();
        if self.visit(ply) {
            return Score::DRAW;
        }
        if ply > 0
            && let Some(score) = self.draw_score(ply)
        {
            return score;
        }
        let depth = self.msd_depth(depth, ply);
        if depth <= 0 || ply >= MAX_PLY {
            return self.leaf_score(ply);
        }
        let mut moves = std::mem::take(&mut self.stack[ply].kept);
        self.list_moves(ply, &mut moves);
        let score = match moves[..] {
            [] => self.terminal_score(ply),
            _ => self.full_width_moves(&moves, depth, window, ply),
        };
        self.stack[ply].kept = moves;
        score
    }

    /// Searches the moves of the position at `ply`.
    fn full_width_moves(&mut self, moves: &[G::Move], depth: i32, mut window: Window, ply: usize) -> Score {
        let (mut best, whole) = (-Score::INFINITE, window);
        for &mv in moves {
            let nodes = self.budget.own_nodes();
            let searched = if self.mode == SearchMode::Minimax { Window::FULL } else { window };
            let score = self.search_move(ply, mv, depth - 1, searched, Searcher::full_width);
            if self.is_stopped() {
                return best;
            }
            let is_better = score > best;
            if is_better {
                best = score;
                self.raise_pv(ply, mv);
            }
            if ply == 0 {
                self.note_root_move(mv, is_better.then(|| (score, whole.bound_of(score))), nodes);
            }
            window.alpha = window.alpha.max(score);
            if self.mode != SearchMode::Minimax && window.alpha >= window.beta {
                break;
            }
        }
        best
    }

    /// Lists the moves of a node that are searched. Where cutoffs save moves, tactical moves come first.
    fn list_moves(&mut self, ply: usize, moves: &mut Vec<G::Move>) {
        moves.clear();
        if ply == 0 {
            moves.extend(self.root.open_moves());
            return;
        }
        let position = self.position(ply);
        if self.mode == SearchMode::Minimax {
            position.legal_moves(moves);
        } else {
            position.tactical_moves(moves);
            position.quiet_moves(moves);
        }
        if self.msd_filters() {
            self.msd_keep(ply, moves);
        }
    }
}

/// Any of the root moves, by the seed, the position and the number of positions before it.
pub fn random<G: Searchable, E: Evaluator<G>>(input: &SearchInput<G, E>) -> Best<G::Move> {
    let moves = input.moves();
    let plies = input.history.past().len() as u64;
    let number = mixed(input.options.seed ^ mixed(plies)) ^ input.position.key();
    let mv = moves.get(mixed(number).checked_rem(moves.len() as u64).unwrap_or(0) as usize).copied();
    Best { mv, ponder: None, nodes: moves.len() as u64 }
}
