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
    /// its mover if it lies in the window, otherwise a bound of it (fail soft). Minimax looks at every move, the
    /// others end where one reaches β.
    pub(super) fn full_width(&mut self, position: &G, depth: i32, mut window: Window, ply: usize) -> Score {
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
        let moves = self.moves_to_try(position, ply);
        if moves.is_empty() {
            return self.verdict(position, ply);
        }
        let mut best = -Score::INFINITE;
        for mv in moves {
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

    /// The moves of a node. To weigh chance, those that change the balance come first: what is left out depends on
    /// the first one.
    fn moves_to_try(&mut self, position: &G, ply: usize) -> Vec<G::Move> {
        let mut moves = Vec::new();
        if ply == 0 {
            moves.extend(self.root_moves());
        } else {
            position.legal_moves(&mut moves);
            if self.mode == SearchMode::Expectiminimax {
                moves.sort_by_key(|&mv| !position.is_tactical(mv));
            }
            if self.filters {
                self.filter_moves(position, ply, &mut moves);
            }
        }
        moves
    }
}
