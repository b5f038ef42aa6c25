//! MTD(f): the value of the root by null-window searches alone, each of which says on which side of its
//! window the value lies (A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin, "Best-first fixed-depth minimax
//! algorithms", 1996). The nodes are those of `pvs` off the principal variation, and the table
//! carries what one search has found to the next.

use super::deepening::Deepening;
use super::window::Window;
use crate::eval::{Evaluator, Score};
use crate::game::Searchable;

impl<G: Searchable, E: Evaluator<G>> Deepening<'_, '_, G, E> {
    /// Searches one principal variation of the root, from its last score on.
    pub(super) fn mtdf(&mut self, depth: i32) {
        let searcher = &mut self.searcher;
        let previous = searcher.root.current().previous;
        let mut value = if previous > -Score::INFINITE { previous } else { Score::DRAW };
        let Window { alpha: mut lower, beta: mut upper } = Window::FULL;
        while lower < upper {
            let window = Window::below(value.max(lower + Score::STEP));
            value = searcher.search_root(depth, window);
            if searcher.is_stopped() {
                return;
            }
            if value >= window.beta {
                lower = value;
            } else {
                upper = value;
            }
        }
        let pv = searcher.table_line(searcher.root.current().mv, searcher.iteration);
        let entry = searcher.root.current_mut();
        (entry.score, entry.pv) = (value, pv);
    }
}
