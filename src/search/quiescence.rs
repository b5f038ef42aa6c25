//! Quiescence search: at the horizon, tactical moves are played out before the position is evaluated.

use super::ordering::Scope;
use super::searcher::Searcher;
use super::window::Window;
use crate::eval::{MAX_PLY, Score};
use crate::game::{Features, Knowledge};

impl<G: Features + Knowledge> Searcher<'_, G> {
    /// The value of a position for its mover when either player may go on with tactical moves or be
    /// content with the evaluation. Selective: +108 ± 33 Elo in Neighbours (400 games at 20,000 nodes; a limit of
    /// four plies changed nothing measurable, +19 ± 30 without it).
    pub(super) fn quiescence(&mut self, position: &G, window: Window, ply: usize) -> Score {
        if position.is_over() {
            return self.verdict(position, ply);
        }
        if ply >= MAX_PLY {
            return self.evaluator.evaluate(position);
        }
        let Window { mut alpha, beta } = window;
        // Who is in check cannot be content, and may answer with any move.
        let in_check = position.in_check();
        let mut best = if in_check { -Score::INFINITE } else { self.evaluator.evaluate(position) };
        if best >= beta {
            return best;
        }
        alpha = alpha.max(best);
        let mut moves = std::mem::take(&mut self.moves[ply]);
        moves.begin(position, if in_check { Scope::All } else { Scope::Tactical }, 0, None);
        let path = self.path(ply);
        while let Some(mv) = moves.next(position, self.evaluator, self.heuristics, path, ply) {
            // Captures that lose by exchange are no way out.
            if moves.is_losing() && best > -Score::INFINITE {
                break;
            }
            let mut child = position.clone();
            child.play(mv);
            if self.enter(ply + 1) {
                break;
            }
            let window = Window { alpha, beta };
            let score = window.descend(position, &child, |window| self.quiescence(&child, window, ply + 1));
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        self.moves[ply] = moves;
        best
    }
}
