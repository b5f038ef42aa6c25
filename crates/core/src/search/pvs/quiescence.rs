//! Quiescence search: beyond the horizon, tactical moves are searched before the position is evaluated.

use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::Knowledge;
use crate::search::observer::{Observer, Step};
use crate::search::ordering::Scope;
use crate::search::searcher::{Ply, Searcher};
use crate::search::table::TtEntry;
use crate::search::window::Window;

impl<G: Knowledge, E: Evaluator<G>, O: Observer<G::Move>> Searcher<'_, G, E, O> {
    /// The value of the position at `ply` for its side to move, where both players make tactical moves or
    /// stand pat on the static evaluation. +108 ± 33 Elo in Neighbours.
    pub(super) fn quiescence(&mut self, window: Window, ply: usize) -> Score {
        let on_pv = !window.is_null();
        if on_pv {
            self.stack[ply].pv.clear();
        }
        // 1. Draws, which quiet evasions can bring about, the end of the game, and that of the stack.
        if ply > 0
            && let Some(score) = self.draw_score(ply)
        {
            return score;
        }
        if self.position(ply).is_terminal() {
            return self.terminal_score(ply);
        }
        if ply >= MAX_PLY {
            return self.static_eval(ply);
        }
        // 2. The table.
        let Window { mut alpha, beta } = window;
        let in_check = self.position(ply).in_check();
        if !in_check {
            // This overlaps with the prefetch of the table entry.
            self.update_eval_state(ply);
        }
        let tt_entry = self.tt_entry(ply).filter(|entry| entry.depth == 0 || self.uses(Step::Memory));
        if let Some(entry) = tt_entry
            && !on_pv
            && entry.causes_cutoff(window)
        {
            return entry.score;
        }
        // 3. Stand pat, but not in check, where any move may be the answer.
        let (mut best, mut static_eval) = (-Score::INFINITE, None);
        if !in_check {
            let [raw, corrected] = self.corrected_eval(ply, tt_entry.as_ref());
            static_eval = Some(raw);
            best = tt_entry.map_or(corrected, |entry| entry.refine(corrected));
        }
        if best >= beta {
            return best;
        }
        alpha = alpha.max(best);
        let futile_from = (!in_check && !best.is_decisive())
            .then(|| best + self.margins.of(self.margins.constants.quiescence_margin));
        // 4. The moves.
        let mut picker = std::mem::take(&mut self.stack[ply].picker);
        let scope = if in_check { Scope::All } else { Scope::Tactical };
        if in_check {
            let Ply { position, context, .. } = &mut self.stack[ply];
            context.set_position(position);
        }
        picker.begin(self.position(ply), scope, 0, tt_entry.and_then(|entry| entry.best));
        let mut best_move = None;
        let mut has_quiet_evasion = false;
        loop {
            let Ply { position, state, context, .. } = &self.stack[ply];
            let (evaluation, deadline) = ((self.evaluator, state), &self.shared.deadline);
            let next = picker.next(position, evaluation, self.heuristics, *context, ply, deadline);
            // Captures that lose by exchange are skipped, unless no evasion has been found.
            let is_lost = in_check && best.is_decisive();
            let Some(mv) = next.filter(|_| !picker.is_losing() || is_lost) else { break };
            // 5. Futility pruning of captures that do not bring the score up to α, where their value is
            //    known.
            if let Some(from) = futile_from {
                let value = Score::from_thousandths(self.position(ply).capture_value(mv));
                if value > Score::DRAW && from + value <= alpha {
                    best = best.max(from + value);
                    continue;
                }
            }
            // 6. After the first move, one quiet evasion is enough, if it does not lose.
            if in_check && best > -Score::INFINITE && !self.position(ply).is_tactical(mv) {
                if has_quiet_evasion && !best.is_decisive() {
                    continue;
                }
                has_quiet_evasion = true;
            }
            self.make_child(ply, mv);
            if self.visit(ply + 1) {
                break;
            }
            let score = self.search_child(ply, 0, Window { alpha, beta }, |searcher, _, window, ply| {
                searcher.quiescence(window, ply)
            });
            if score > best {
                best = score;
                if score > alpha {
                    (alpha, best_move) = (score, Some(mv));
                    if on_pv {
                        self.update_pv(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        let has_searched = picker.given() > 0;
        self.stack[ply].picker = picker;
        // Nothing is stored after a stop, or if no move was searched.
        if has_searched && !self.is_stopped() {
            let is_pv = on_pv || tt_entry.is_some_and(|entry| entry.is_pv);
            let bound = window.bound_of(best);
            self.store(ply, TtEntry { best: best_move, score: best, bound, depth: 0, static_eval, is_pv });
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::chess::Chess;
    use crate::game::{Game, Knowledge};
    use crate::search::searcher::tests::with_searcher;

    #[test]
    fn quiescence_sets_the_last_move() {
        // The knight on e5 hangs.
        let position = Chess::from_fen("4k3/8/3p4/4N3/8/8/8/4K3 b - - 0 1").unwrap();
        with_searcher(&position, |searcher| {
            searcher.quiescence(Window::FULL, 0);
            let capture = position.parse_move("d6e5").unwrap();
            assert_eq!(searcher.stack[1].context.continuation, [Some(position.move_kind(capture)), None]);
        });
    }
}
