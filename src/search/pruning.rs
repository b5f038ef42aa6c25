//! Pruning of whole nodes (selective): bounds of their values that cost less than a search of their moves.

use super::ordering::Scope;
use super::pvs::Node;
use super::searcher::Searcher;
use super::stack::Ply;
use super::table::Bound;
use super::window::Window;
use crate::eval::{Evaluator, Score};
use crate::game::Searchable;

/// Plies by which a ProbCut search is shallower than the node.
const PROBCUT_REDUCTION: i32 = 4;

impl<G: Searchable, E: Evaluator<G>> Searcher<'_, G, E> {
    /// A bound of the value of a node that needs no search of its moves.
    pub(super) fn prune(&mut self, node: &Node<G::Move>, static_eval: Score) -> Option<Score> {
        let &Node { depth, ply, window, tt_entry, is_improving, .. } = node;
        let Window { alpha, beta } = window;
        if !self.is_close(beta) {
            return None;
        }
        // 8. Razoring: so far below α that only tactical moves might help.
        if depth <= self.constants.razoring_depth
            && static_eval + self.razoring_margin(depth) <= alpha
            && !self.position(ply).is_terminal()
        {
            let score = self.quiescence(window, ply);
            if score <= alpha || self.is_stopped() {
                return Some(score);
            }
        }
        // 9. Reverse futility pruning: far above β near the horizon.
        let margin = self.margin(self.constants.reverse_futility_margin * (depth - i32::from(is_improving)));
        if depth <= self.constants.reverse_futility_depth
            && static_eval - margin >= beta
            && !self.position(ply).is_terminal()
        {
            return Some(static_eval);
        }
        // 10. Null move pruning: above β even if the side to move passes.
        let fails_low = tt_entry.is_some_and(|entry| entry.bound == Bound::Upper && entry.score < beta);
        if static_eval >= beta
            && !fails_low
            && let Some(score) = self.prune_by_null_move(node, static_eval)
        {
            return Some(score);
        }
        // 11. ProbCut: a tactical move that a shallower search finds far above β.
        self.probcut(node, static_eval)
    }

    /// How far below α razoring begins.
    fn razoring_margin(&self, depth: i32) -> Score {
        self.margin(self.constants.razoring_base + self.constants.razoring_margin * depth * depth)
    }

    /// The value of a node that is above β even if the side to move passes.
    fn prune_by_null_move(&mut self, node: &Node<G::Move>, static_eval: Score) -> Option<Score> {
        let &Node { depth, ply, window, .. } = node;
        let beta = window.beta;
        if depth < self.constants.null_move_depth || !self.may_null_move(ply) {
            return None;
        }
        let passed = self.position(ply).null_move()?;
        let constants = &self.constants;
        let step = self.margin(constants.null_move_margin).to_thousandths().max(1);
        let above = (static_eval - beta).to_thousandths() / step;
        let reduction = constants.null_move_reduction
            + depth / constants.null_move_depth_step
            + above.min(constants.null_move_margin_steps);
        self.play_null_move(ply, passed);
        self.stack[ply + 1].is_cut_node = !self.stack[ply].is_cut_node;
        let score =
            self.search_child(ply, depth - 1 - reduction, Window::below(beta), Searcher::pvs::<false>);
        self.undo();
        if score < beta || self.is_stopped() {
            return None;
        }
        // A win behind a move that is not legal is no win.
        let score = if score.is_decisive() { beta } else { score };
        if depth < self.constants.null_move_verification_depth && !self.position(ply).may_be_zugzwang() {
            return Some(score);
        }
        // Verification: no null moves in the next plies, three quarters of those that are left.
        let plies = 3 * (depth - reduction).max(0) as usize / 4;
        let before = std::mem::replace(&mut self.null_move_ply, ply + 1 + plies);
        let verified = self.pvs::<false>(depth - reduction, Window::below(beta), ply) >= beta;
        self.null_move_ply = before;
        verified.then_some(score)
    }

    /// ProbCut (M. Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", 1995), by
    /// tactical moves only: the score of one that stays far above β, first in quiescence search, then in a
    /// search some plies shallower.
    fn probcut(&mut self, node: &Node<G::Move>, static_eval: Score) -> Option<Score> {
        let &Node { depth, ply, window, tt_entry, raw_eval, .. } = node;
        let beta = window.beta + self.margin(self.constants.probcut_margin);
        let reduced = depth - PROBCUT_REDUCTION;
        let is_hopeless =
            tt_entry.is_some_and(|entry| i32::from(entry.depth) > reduced && entry.score < beta);
        if depth < self.constants.probcut_depth || is_hopeless {
            return None;
        }
        let above = Window::below(beta);
        let threshold = (beta - static_eval).to_thousandths();
        let mut picker = std::mem::take(&mut self.stack[ply].picker);
        let table_move = tt_entry.and_then(|entry| entry.best);
        picker.begin(self.position(ply), Scope::Tactical, depth, table_move);
        let mut found = None;
        loop {
            let Ply { position, state, context, .. } = &self.stack[ply];
            let next = picker.next(position, (self.evaluator, state), self.heuristics, *context, ply);
            let Some(mv) = next.filter(|_| !picker.is_losing()) else { break };
            if !position.see_ge(mv, threshold) {
                continue;
            }
            self.stack[ply + 1].is_cut_node = !self.stack[ply].is_cut_node;
            let mut score = self.search_move(ply, mv, 0, above, Searcher::pvs::<false>);
            if score >= beta && reduced > 0 {
                score = self.search_move(ply, mv, reduced, above, Searcher::pvs::<false>);
            }
            if self.is_stopped() {
                break;
            }
            if score >= beta {
                self.store(ply, Some(mv), score, above, reduced + 1, raw_eval);
                found = Some(score);
                break;
            }
        }
        self.stack[ply].picker = picker;
        found
    }
}
