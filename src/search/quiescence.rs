//! Quiescence search: at the horizon, tactical moves are played out before the position is evaluated.

use super::ordering::Scope;
use super::searcher::Searcher;
use super::window::Window;
use crate::eval::{MAX_PLY, Score};
use crate::game::{Features, Knowledge};

impl<G: Features + Knowledge> Searcher<'_, G> {
    /// The value of a position for its side to move when either player may go on with tactical moves or be
    /// content with the evaluation. Selective: +108 ± 33 Elo in Neighbours (400 games at 20,000 nodes; a limit of
    /// four plies changed nothing measurable, +19 ± 30 without it). That it asks the table and stores in it: +40 ± 27 Elo
    /// in chess (400 games at 4,000 nodes); that it leaves out captures that lose by exchange: +101 ± 39 (209 games at 2,500).
    pub(super) fn quiescence(&mut self, position: &G, window: Window, ply: usize) -> Score {
        let on_pv = !window.is_null();
        if on_pv {
            self.pv[ply].clear();
        }
        if position.is_terminal() {
            return self.terminal_score(position, ply);
        }
        if ply >= MAX_PLY {
            return self.evaluator.evaluate(position);
        }
        let Window { mut alpha, beta } = window;
        let known = self.known(position, ply);
        if let Some(entry) = known
            && !on_pv
            && entry.decides(window)
        {
            return entry.score;
        }
        // Who is in check cannot be content, and may answer with any move.
        let in_check = position.in_check();
        let mut best = match in_check {
            true => -Score::INFINITE,
            false => {
                let value = self.evaluator.evaluate(position);
                known.map_or(value, |entry| entry.refine(value))
            }
        };
        if best >= beta {
            return best;
        }
        alpha = alpha.max(best);
        let mut moves = std::mem::take(&mut self.moves[ply]);
        let scope = if in_check { Scope::All } else { Scope::Tactical };
        moves.begin(position, scope, 0, known.and_then(|entry| entry.best));
        let path = self.path(ply);
        let mut best_move = None;
        while let Some(mv) = moves.next(position, self.evaluator, self.heuristics, path, ply) {
            // Captures that lose by exchange are no way out.
            if moves.is_losing() && best > -Score::INFINITE {
                break;
            }
            self.note_move(position, mv, ply);
            let mut child = position.clone();
            child.play(mv);
            self.table.prefetch(child.table_key());
            if self.enter(ply + 1) {
                break;
            }
            let inner = Window { alpha, beta };
            let score = inner.descend(position, &child, |window| self.quiescence(&child, window, ply + 1));
            if score > best {
                best = score;
                if score > alpha {
                    (alpha, best_move) = (score, Some(mv));
                    if on_pv {
                        self.raise_pv(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        let searched = moves.has_given();
        self.moves[ply] = moves;
        // (A search that was stopped below knows nothing, and without a move there is nothing that an evaluation
        // would not say again.)
        if searched && !self.is_stopped() {
            self.store(position, (best_move, best), window, 0, ply);
        }
        best
    }
}
