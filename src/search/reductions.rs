//! Extensions and reductions of moves (selective).

use std::array;
use std::sync::LazyLock;

use super::pvs::Node;
use super::searcher::Searcher;
use super::table::Bound;
use super::window::Window;
use crate::eval::{Evaluator, Score};
use crate::game::Searchable;

/// What a search of the other moves says about the table move.
pub(super) enum Singularity {
    /// The table move is searched so many plies deeper.
    Extended(i32),
    /// Several moves refute the position: multi-cut, with this bound of its value.
    Refuted(Score),
}

impl<G: Searchable, E: Evaluator<G>> Searcher<'_, G, E> {
    /// Singular extension: whether the first move of a node is so much better than the others that it is
    /// searched more deeply.
    pub(super) fn extension<const PV: bool>(&mut self, node: &Node<G::Move>, mv: G::Move) -> Singularity {
        let &Node { depth, ply, window, tt_entry, .. } = node;
        let Some(limit) = self.singular_limit(node, mv) else { return Singularity::Extended(0) };
        let others = self.search_without(mv, (depth - 1) / 2, Window::below(limit), ply);
        let beta = window.beta;
        if others < limit {
            let far = self.margin(self.constants.singular_double_margin);
            let is_double = !PV
                && others < limit - far
                && self.stack[ply].double_extensions < self.constants.singular_double_extensions;
            return Singularity::Extended(1 + i32::from(is_double));
        }
        if limit >= beta {
            return Singularity::Refuted(limit);
        }
        // Not singular, and probably not needed: the node fails high.
        let fails_high = tt_entry.is_some_and(|entry| entry.score >= beta);
        Singularity::Extended(if fails_high { -self.constants.singular_reduction } else { 0 })
    }

    /// The score that all other moves have to stay below for the table move `mv` to be singular; `None` where
    /// no singular search is made.
    fn singular_limit(&self, node: &Node<G::Move>, mv: G::Move) -> Option<Score> {
        let &Node { depth, ply, tt_entry, .. } = node;
        let entry = tt_entry.filter(|entry| entry.best == Some(mv))?;
        let is_candidate = self.selective
            && ply > 0
            && ply < 2 * self.iteration
            && depth >= self.constants.singular_depth
            && self.stack[ply].excluded.is_none()
            && entry.bound != Bound::Upper
            && i32::from(entry.depth) >= depth - self.constants.singular_entry
            && !entry.score.is_decisive();
        is_candidate.then(|| entry.score - self.margin(self.constants.singular_margin * depth))
    }

    /// The value of the position at `ply` without one of its moves.
    fn search_without(&mut self, mv: G::Move, depth: i32, window: Window, ply: usize) -> Score {
        self.stack[ply].excluded = Some(mv);
        let score = self.pvs::<false>(depth, window, ply);
        self.stack[ply].excluded = None;
        score
    }

    /// Hundredths of a ply by which a move is reduced: the more, the deeper the search and the later the
    /// move, and the lower its history score.
    pub(super) fn reduction<const PV: bool>(
        &self,
        node: &Node<G::Move>,
        move_count: usize,
        is_tactical: bool,
        history_score: i32,
    ) -> i32 {
        let constants = &self.constants;
        let logarithms = LOGARITHMS[node.depth.clamp(0, 255) as usize] * LOGARITHMS[move_count.min(255)];
        let mut reduction =
            constants.late_reduction_base + (logarithms * 1e4) as i32 / constants.late_reduction_divisor;
        if !node.is_improving {
            reduction += constants.late_reduction_not_improving;
        }
        if self.stack[node.ply].is_cut_node {
            reduction += constants.late_reduction_cut_node;
        }
        if PV || (G::REFINES && self.stack[node.ply].is_pv) {
            reduction -= 100;
        }
        if G::REFINES && self.stack[node.ply + 1].cutoffs > constants.late_reduction_cutoffs {
            reduction += 100;
        }
        if is_tactical {
            reduction -= constants.late_reduction_tactical;
        } else if G::REFINES && node.is_table_move_tactical {
            reduction += constants.late_reduction_tactical_table_move;
        }
        let by_history = 100 * history_score / constants.late_reduction_history;
        let most = constants.late_reduction_history_most;
        reduction - by_history.clamp(-most, most)
    }
}

/// Natural logarithms of whole numbers, that of 0 being 0.
static LOGARITHMS: LazyLock<[f64; 256]> = LazyLock::new(|| array::from_fn(|n| (n.max(1) as f64).ln()));
