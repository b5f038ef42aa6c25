//! Minimax, α-β and expectiminimax as in the textbook: no table, nothing saved by guessing.
//!
//! They are the yardstick of the real search, and selectable for comparison (`SearchMode`).

use super::SearchMode;
use super::searcher::Searcher;
use super::window::Window;
use crate::eval::{MAX_PLY, Score};
use crate::game::{Features, Knowledge};

impl<G: Features + Knowledge> Searcher<'_, G> {
    /// Searches all moves to the same depth, the way that the mode of the search says: the value of a position for
    /// its side to move if it lies in the window, otherwise a bound of it (fail soft). Minimax looks at every move, the
    /// others end where one reaches β.
    pub(super) fn full_width(&mut self, position: &G, depth: i32, window: Window, ply: usize) -> Score {
        self.pv[ply].clear();
        if self.enter(ply) {
            return Score::DRAW;
        }
        if ply > 0
            && let Some(score) = self.drawn(position, ply)
        {
            return score;
        }
        let depth = self.depth_if_hot(position, depth, ply);
        if depth <= 0 || ply >= MAX_PLY {
            return self.leaf(position, ply);
        }
        let mut moves = std::mem::take(&mut self.kept[ply]);
        self.list_moves(position, ply, &mut moves);
        let score = match moves[..] {
            [] => self.terminal_score(position, ply),
            _ => self.full_width_moves(position, &moves, depth, window, ply),
        };
        self.kept[ply] = moves;
        score
    }

    /// Searches the moves of a position at `ply`.
    fn full_width_moves(
        &mut self,
        position: &G,
        moves: &[G::Move],
        depth: i32,
        mut window: Window,
        ply: usize,
    ) -> Score {
        let mut best = -Score::INFINITE;
        for &mv in moves {
            let score = match self.mode {
                SearchMode::Minimax => {
                    self.try_move(position, mv, depth - 1, Window::FULL, ply, Searcher::full_width)
                }
                _ => self.try_move(position, mv, depth - 1, window, ply, Searcher::full_width),
            };
            if self.is_stopped() {
                return best;
            }
            let better = score > best;
            if better {
                best = score;
                self.raise_pv(ply, mv);
            }
            if ply == 0 {
                self.note_root_move(mv, better.then_some(score));
            }
            window.alpha = window.alpha.max(score);
            if self.mode != SearchMode::Minimax && window.alpha >= window.beta {
                break;
            }
        }
        best
    }

    /// Lists the moves of a node that are searched. Where a good one saves others, those that change the balance come first.
    fn list_moves(&mut self, position: &G, ply: usize, moves: &mut Vec<G::Move>) {
        moves.clear();
        if ply == 0 {
            moves.extend(self.root_moves());
            return;
        }
        if self.mode == SearchMode::Minimax {
            position.legal_moves(moves);
        } else {
            position.tactical_moves(moves);
            position.quiet_moves(moves);
        }
        if self.filters {
            self.filter_moves(position, ply, moves);
        }
    }
}
