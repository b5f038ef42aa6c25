//! Minimax and α-β as in the textbook: no table, no ordering, nothing saved by guessing.
//!
//! They are the yardstick of the real search, and selectable for comparison (`SearchMode`).

use super::searcher::Searcher;
use super::window::Window;
use crate::eval::Score;
use crate::game::{Features, Knowledge};

impl<G: Features + Knowledge> Searcher<'_, G> {
    /// The minimax value of a position, `depth` plies deep, for its mover.
    pub(super) fn minimax(&mut self, position: &G, depth: i32, ply: usize) -> Score {
        self.full_width(position, depth, Window::FULL, ply, false)
    }

    /// The minimax value of a position if it lies in the window, otherwise a bound of it (fail soft).
    pub(super) fn alpha_beta(&mut self, position: &G, depth: i32, window: Window, ply: usize) -> Score {
        self.full_width(position, depth, window, ply, true)
    }

    /// Searches all moves to the same depth; with `prune`, until one of them reaches β.
    fn full_width(&mut self, position: &G, depth: i32, mut window: Window, ply: usize, prune: bool) -> Score {
        self.pv[ply].clear();
        if self.enter(ply) {
            return Score::DRAW;
        }
        if ply > 0
            && let Some(score) = self.drawn(position, ply)
        {
            return score;
        }
        if depth == 0 {
            return self.leaf(position, ply);
        }
        let mut moves = Vec::new();
        if ply == 0 {
            moves.extend(self.root_moves());
        } else {
            position.legal_moves(&mut moves);
        }
        if moves.is_empty() {
            return self.verdict(position, ply);
        }
        let mut best = -Score::INFINITE;
        for mv in moves {
            let child = self.play(position, mv);
            let score = window.descend(position, &child, |window| {
                self.full_width(&child, depth - 1, window, ply + 1, prune)
            });
            self.undo();
            if self.is_stopped() {
                return best;
            }
            if score > best {
                best = score;
                self.raise_pv(ply, mv);
            }
            if ply == 0 {
                self.note_root_move(mv, (score == best && self.pv[0].first() == Some(&mv)).then_some(score));
            }
            window.alpha = window.alpha.max(score);
            if prune && window.alpha >= window.beta {
                break;
            }
        }
        best
    }
}
