//! MTD(f): the value of the root by null-window searches alone, each of which says on which side of its
//! window the value lies (A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin, "Best-first fixed-depth minimax
//! algorithms", 1996). The nodes are those of [`Searcher::pvs`] off the principal variation, and the table
//! carries what one search has found to the next.

use super::deepening::Deepening;
use super::searcher::Searcher;
use super::table::Bound;
use super::window::Window;
use crate::eval::{Evaluator, Score};
use crate::game::Searchable;

impl<G: Searchable, E: Evaluator<G>> Deepening<'_, '_, G, E> {
    /// Searches one principal variation of the root, from its last score on.
    pub(super) fn mtdf(&mut self, depth: i32) {
        let searcher = &mut self.searcher;
        let pv_index = searcher.root.pv_index;
        let (first, previous) = (searcher.root.current().mv, searcher.root.current().previous);
        let mut value = if previous > -Score::INFINITE { previous } else { Score::DRAW };
        let Window { alpha: mut lower, beta: mut upper } = Window::FULL;
        while lower < upper {
            let window = Window::below(value.max(lower + Score::STEP));
            value = searcher.search_root(depth, window);
            if searcher.is_stopped() {
                let best = searcher.root.current();
                // Only bounds are known. A new best move was found by exceeding one.
                if best.mv != first {
                    let bound = if lower > Window::FULL.alpha { lower } else { best.score };
                    self.report(depth, pv_index, bound, Bound::Lower);
                }
                self.searcher.root.forget_scores();
                return;
            }
            if value >= window.beta {
                lower = value;
            } else {
                upper = value;
            }
        }
        let pv = searcher.table_pv(searcher.root.current().mv);
        let entry = searcher.root.current_mut();
        (entry.score, entry.pv) = (value, pv);
    }
}

impl<G: Searchable, E: Evaluator<G>> Searcher<'_, G, E> {
    /// A line from the root on: a move, and the table moves behind it, at most as deep as the iteration and
    /// while the game goes on.
    fn table_pv(&mut self, mv: G::Move) -> Vec<G::Move> {
        let (mut pv, mut next) = (Vec::new(), Some(mv));
        while let Some(mv) = next {
            self.play(pv.len(), mv);
            pv.push(mv);
            let ply = pv.len();
            next = self.tt_entry(ply).and_then(|entry| entry.best).filter(|&mv| {
                ply < self.iteration && self.draw_score(ply).is_none() && self.position(ply).is_legal(mv)
            });
        }
        pv.iter().for_each(|_| self.undo());
        pv
    }
}
