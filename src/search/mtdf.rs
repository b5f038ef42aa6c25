//! MTD(f): the value of the root by searches with empty windows alone, each of which says on which side of its window the value
//! lies (A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin, "Best-first fixed-depth minimax algorithms", 1996).
//!
//! What one search has found, the next one finds in the table. The nodes are those that lie off the principal variation
//! of [`Searcher::pvs`], so that all that saves nodes there saves them here. It needs fewer of them to a depth and sees less with
//! them, as nothing is looked at in full: at 4,000 nodes a move in chess it loses 50 [21, 79] Elo to `pvs`, at 5,000 in
//! Neighbours it is +16 [−15, +46] (400 games each, 2026-11-21).

use super::deepening::Deepening;
use super::searcher::Searcher;
use super::window::Window;
use crate::eval::Score;
use crate::game::{Features, Knowledge};

impl<G: Features + Knowledge> Deepening<'_, '_, G> {
    /// Searches one line of the root, from its last score on.
    pub(super) fn converge(&mut self, depth: i32) {
        let (position, searcher) = (self.task.position, &mut self.searcher);
        let line = searcher.line;
        let previous = searcher.root[line].previous;
        let mut value = if previous > -Score::INFINITE { previous } else { Score::DRAW };
        let Window { alpha: mut lower, beta: mut upper } = Window::FULL;
        while lower < upper {
            let window = Window::below(value.max(lower + Score::STEP));
            value = searcher.search_root(position, depth, window);
            searcher.sort_root();
            if searcher.is_stopped() {
                // Only bounds are known.
                searcher.root[line..].iter_mut().for_each(|entry| entry.score = -Score::INFINITE);
                return;
            }
            if value >= window.beta {
                lower = value;
            } else {
                upper = value;
            }
        }
        let mv = searcher.root[line].mv;
        let pv = searcher.table_line(position, mv);
        let entry = &mut searcher.root[line];
        (entry.score, entry.pv) = (value, pv);
    }
}

impl<G: Features + Knowledge> Searcher<'_, G> {
    /// A line from the root on: a move, and what the table takes for the best ones behind it, as deep as the iteration and
    /// while the game goes on.
    fn table_line(&mut self, root: &G, mv: G::Move) -> Vec<G::Move> {
        let (mut line, mut position, mut next) = (Vec::new(), root.clone(), Some(mv));
        while let Some(mv) = next {
            position = self.play(&position, mv, line.len());
            line.push(mv);
            let ply = line.len();
            next = self.known(&position, ply).and_then(|entry| entry.best).filter(|&mv| {
                ply < self.iteration && self.drawn(&position, ply).is_none() && position.is_legal(mv)
            });
        }
        line.iter().for_each(|_| self.undo());
        line
    }
}
