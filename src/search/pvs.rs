//! Principal variation search (negamax, fail soft) with a transposition table.
//!
//! Steps marked *selective* save nodes on a guess and may change the value; the option `Selective` switches
//! them off. What each is worth stands in `experiments/search.md`.

use std::array;
use std::sync::LazyLock;

use super::Constants;
use super::ordering::{MovePicker, Scope};
use super::searcher::Searcher;
use super::stack::Ply;
use super::table::{Bound, TtEntry};
use super::window::Window;
use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::Searchable;

/// With several threads, nodes from this depth on defer moves that another thread is searching.
const DEFERRAL_DEPTH: i32 = 3;

/// What is known of a node before its moves are searched.
struct Node<M> {
    /// Plies that are left.
    depth: i32,
    /// Plies from the root.
    ply: usize,
    window: Window,
    /// The table's entry, its score as seen from the root.
    tt_entry: Option<TtEntry<M>>,
    /// The static evaluation, refined by the table; `None` in check or where the search is not selective.
    static_eval: Option<Score>,
    in_check: bool,
}

impl<'a, G: Searchable, E: Evaluator<G>> Searcher<'a, G, E> {
    /// The value of the position at `ply` for its side to move, searched `depth` plies deep: exact within the
    /// window, a bound outside. `PV`: the node may lie on the principal variation; elsewhere the window is
    /// null.
    pub(super) fn pvs<const PV: bool>(&mut self, mut depth: i32, window: Window, ply: usize) -> Score {
        let Window { mut alpha, mut beta } = window;
        let root = ply == 0;
        self.stack[ply].pv.clear();
        if self.visit(ply) {
            return Score::DRAW;
        }

        if !root {
            // 1. Draws by repetition, by the halfmove clock or for lack of material.
            if let Some(score) = self.draw_score(ply) {
                return score;
            }
            // 2. Mate distance pruning: no score is worse than losing now or better than winning by the next
            //    ply.
            alpha = alpha.max(Score::lost_in(ply));
            beta = beta.min(Score::won_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }
        let window = Window { alpha, beta };

        // 3. Check extension (selective).
        let in_check = self.selective && self.position(ply).in_check();
        if in_check && ply < 2 * self.iteration {
            depth = depth.max(0) + 1;
        }

        // 4. The horizon.
        depth = self.msd_depth(depth, ply);
        if ply >= MAX_PLY || (depth <= 0 && !self.selective) {
            return self.leaf_score(ply);
        }
        if depth <= 0 {
            return self.quiescence(window, ply);
        }

        // 5. The static evaluation. A table hit would make it needless, but it takes place while the table's
        //    entry is on its way from memory: behind the table, the same nodes take 4 to 8 % longer.
        let static_eval = (self.selective && !in_check).then(|| self.static_eval(ply));

        // 6. The table: an entry that is deep enough ends the search of this node. The principal variation is
        //    searched to its end, so that all of its moves are known.
        let is_singular_search = self.stack[ply].excluded.is_some();
        let tt_entry = self.tt_entry(ply);
        let may_end = !PV && !root && !is_singular_search;
        if let Some(entry) = tt_entry
            && may_end
            && self.is_deep_enough(entry.depth, depth)
            && entry.decides(window)
        {
            return entry.score;
        }
        // 6a. Endgame tables know the result.
        if !root
            && !is_singular_search
            && let Some(score) = self.probe_tables(ply)
        {
            return score;
        }

        let static_eval = static_eval.map(|eval| tt_entry.map_or(eval, |entry| entry.refine(eval)));
        let mut node = Node { depth, ply, window, tt_entry, static_eval, in_check };
        if may_end
            && let Some(static_eval) = static_eval
            && let Some(score) = self.prune(&node, static_eval)
        {
            return score;
        }

        // 9. Internal iterative reduction (selective): without a table move the node is searched less deeply.
        let table_move = tt_entry.and_then(|entry| entry.best);
        if self.selective && !root && depth >= self.constants.internal_reduction_depth && table_move.is_none()
        {
            node.depth -= 1;
        }

        // 10. The moves.
        let mut picker = std::mem::take(&mut self.stack[ply].picker);
        if root {
            picker.begin_in_order(self.root.open_moves());
        } else {
            let scope =
                if G::ORDERS_BY_STATIC_EVAL && self.selective { Scope::ByStaticEval } else { Scope::All };
            if scope == Scope::ByStaticEval {
                self.bring_up_to_date(ply);
            }
            picker.begin(self.position(ply), scope, depth, table_move);
        }
        let score = self.search_moves::<PV>(&node, &mut picker);
        self.stack[ply].picker = picker;
        score
    }

    /// A bound of the value of a node that needs no search of its moves.
    fn prune(&mut self, node: &Node<G::Move>, static_eval: Score) -> Option<Score> {
        let &Node { depth, ply, window, .. } = node;
        let beta = window.beta;
        if beta.plies_to_end().is_some() {
            return None;
        }
        // 7. Reverse futility pruning (selective): far above β near the horizon.
        let margin = self.margin(self.constants.reverse_futility_margin * depth);
        if depth <= self.constants.reverse_futility_depth
            && static_eval - margin >= beta
            && !self.position(ply).is_terminal()
        {
            return Some(static_eval);
        }
        // 8. Null move pruning (selective): above β even if the side to move passes.
        if depth < self.constants.null_move_depth || static_eval < beta || !self.may_null_move(ply) {
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
        let score =
            self.search_child(ply, depth - 1 - reduction, Window::below(beta), Searcher::pvs::<false>);
        self.undo();
        if score < beta || self.is_stopped() {
            return None;
        }
        // A win behind a move that is not legal is no win.
        let score = if score.plies_to_end().is_some() { beta } else { score };
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

    /// Searches the moves of a node and stores what comes out.
    fn search_moves<const PV: bool>(
        &mut self,
        node: &Node<G::Move>,
        picker: &mut MovePicker<G::Move>,
    ) -> Score {
        let &Node { depth, ply, window, static_eval, in_check, .. } = node;
        let Window { mut alpha, beta } = window;
        let root = ply == 0;
        let excluded = self.stack[ply].excluded;
        let prunes = self.selective && !PV && !root && !in_check;
        let is_futile = prunes
            && depth <= self.constants.futility_depth
            && alpha.plies_to_end().is_none()
            && static_eval.is_some_and(|eval| {
                eval + self.margin(self.constants.futility_margin * (depth + 1)) <= alpha
            });
        let late_moves = match prunes && depth <= self.constants.late_pruning_depth {
            true => (self.constants.late_pruning_moves + depth * depth) as usize,
            false => usize::MAX,
        };
        let width = if self.selective && !root { self.width } else { usize::MAX };
        let is_filtered = !root && self.msd_filters();
        if is_filtered {
            self.msd_list_kept(ply);
        }

        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut move_count = 0;
        loop {
            let Ply { position, state, led_by, .. } = &self.stack[ply];
            let next = picker.next(position, (self.evaluator, state), self.heuristics, *led_by, ply);
            self.budget.add(picker.take_evaluated());
            let Some(mv) = next else { break };
            if Some(mv) == excluded || (is_filtered && !self.stack[ply].kept.contains(&mv)) {
                continue;
            }
            move_count += 1;
            if move_count > width {
                break;
            }
            if root {
                self.announce_root_move(mv, move_count);
            }
            let is_tactical = self.position(ply).is_tactical(mv);
            let may_prune = move_count > 1 && best.plies_to_end().is_none();

            // 11. Futility and late move pruning (selective) of quiet moves, once a move does not lose.
            if may_prune && !is_tactical && (is_futile || move_count > late_moves) {
                if G::ORDERS_BY_STATIC_EVAL {
                    // The moves that follow have lower static evaluations.
                    break;
                }
                continue;
            }
            // 12. Pruning by static exchange evaluation (selective).
            if may_prune && prunes && depth <= self.constants.see_pruning_depth {
                let margin = match is_tactical {
                    true => self.constants.see_tactical_margin * depth * depth,
                    false => self.constants.see_quiet_margin * depth,
                };
                let threshold = -self.margin(margin).to_thousandths();
                if !self.position(ply).see_ge(mv, threshold) {
                    continue;
                }
            }

            // 13. Deferral: a move that another thread is searching comes last; by then the table knows of
            //     it.
            let busy = match move_count > 1 && depth >= DEFERRAL_DEPTH {
                true => self.shared.busy_entry(self.position(ply), mv),
                false => None,
            };
            if let Some(busy) = busy {
                if busy.is_busy() && picker.defer(mv) {
                    move_count -= 1;
                    continue;
                }
                busy.mark();
            }

            // 14. Singular extension (selective): is the table move the only good one?
            let mut full = depth - 1;
            if move_count == 1
                && let Some(limit) = self.singular_limit(node, mv)
            {
                let others = self.search_without(mv, (depth - 1) / 2, Window::below(limit), ply);
                if others < limit {
                    full += 1;
                } else if limit >= beta {
                    // Multi-cut: several moves refute the position.
                    return limit;
                }
            }

            let history_score = self.history_score(ply, mv);
            let open = Window { alpha, beta };
            let mut score;
            if move_count == 1 {
                score = self.search_move(ply, mv, full, open, Searcher::pvs::<PV>);
            } else {
                // 15. Late move reductions (selective), searched again at full depth if they surprise.
                let mut reduced = full;
                if self.selective
                    && depth >= self.constants.late_reduction_depth
                    && move_count >= self.constants.late_reduction_moves as usize
                    && !is_tactical
                {
                    reduced -= reduction::<PV>(&self.constants, depth, move_count, history_score);
                    reduced = reduced.clamp(1, full);
                }
                let null = Window::null(alpha);
                score = self.search_move(ply, mv, reduced, null, Searcher::pvs::<false>);
                if score > alpha && reduced < full {
                    score = self.search_move(ply, mv, full, null, Searcher::pvs::<false>);
                }
                // 16. The null window has failed high: a new principal variation.
                if PV && score > alpha && score < beta {
                    score = self.search_move(ply, mv, full, open, Searcher::pvs::<true>);
                }
            }
            if let Some(busy) = busy {
                busy.unmark();
            }
            if self.is_stopped() {
                return best;
            }
            let searched = &mut self.stack[ply].searched;
            if move_count == 1 {
                // Not before: a singular search uses the list, too.
                searched.clear();
            }
            searched.push(mv);

            if (PV && score > alpha) || (root && (score > alpha || move_count == 1)) {
                self.raise_pv(ply, mv);
            }
            if root {
                let is_best = score > alpha || move_count == 1;
                self.root.note(mv, is_best.then_some(score), &self.stack[0].pv);
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    if score >= beta {
                        self.note_cutoff(mv, depth, ply);
                        break;
                    }
                }
            }
        }

        if move_count == 0 {
            // Without the excluded move, the only one, everything fails low.
            return if excluded.is_some() { alpha } else { self.terminal_score(ply) };
        }
        // The root is never probed, and its moves may be the user's choice.
        if !root && excluded.is_none() {
            self.store(ply, best_move, best, window, depth);
        }
        best
    }

    /// History and continuation history score of a move at `ply`.
    #[inline]
    fn history_score(&self, ply: usize, mv: G::Move) -> i32 {
        let Ply { position, led_by, .. } = &self.stack[ply];
        let history = self.heuristics.history(position.side_to_move(), mv);
        history + self.heuristics.continuation(position, mv, *led_by)
    }

    /// Tells killers and history of the last move searched at `ply`, which has caused a cutoff.
    fn note_cutoff(&mut self, mv: G::Move, depth: i32, ply: usize) {
        let Ply { position, led_by, searched, .. } = &self.stack[ply];
        let failed = &searched[..searched.len() - 1];
        self.heuristics.cutoff(position, mv, failed, *led_by, depth, ply);
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
            && entry.score.plies_to_end().is_none();
        is_candidate.then(|| entry.score - self.margin(self.constants.singular_margin * depth))
    }

    /// The value of the position at `ply` without one of its moves.
    fn search_without(&mut self, mv: G::Move, depth: i32, window: Window, ply: usize) -> Score {
        self.stack[ply].excluded = Some(mv);
        let score = self.pvs::<false>(depth, window, ply);
        self.stack[ply].excluded = None;
        score
    }

    /// Whether an entry of depth `stored` answers a question of depth `asked`. A greater depth is better, but
    /// has another value than plain minimax.
    fn is_deep_enough(&self, stored: u8, asked: i32) -> bool {
        let stored = i32::from(stored);
        if self.selective { stored >= asked } else { stored == asked }
    }

    /// A margin in thousandths, on the scale of the evaluation.
    #[inline]
    fn margin(&self, thousandths: i32) -> Score {
        Score::from_thousandths(thousandths * self.margin / 1000)
    }
}

/// Plies by which a late quiet move is reduced: the more, the deeper the search and the later the move, and
/// the lower its history score.
fn reduction<const PV: bool>(
    constants: &Constants,
    depth: i32,
    move_count: usize,
    history_score: i32,
) -> i32 {
    let base = f64::from(constants.late_reduction_base) / 100.0;
    let divisor = f64::from(constants.late_reduction_divisor) / 100.0;
    let reduction = base + LOGARITHMS[depth.min(255) as usize] * LOGARITHMS[move_count.min(255)] / divisor;
    reduction as i32 - i32::from(PV) - history_score / constants.late_reduction_history
}

/// Natural logarithms of whole numbers, that of 0 being 0.
static LOGARITHMS: LazyLock<[f64; 256]> = LazyLock::new(|| array::from_fn(|n| (n.max(1) as f64).ln()));

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::game::chess::Chess;
    use crate::game::{Game, MoveOrdering};
    use crate::search::searcher::tests::with_searcher;

    /// How many moves of a position have a negative history score.
    fn punished<G: Searchable, E: Evaluator<G>>(searcher: &Searcher<G, E>, position: &G) -> usize {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let stm = position.side_to_move();
        moves.iter().filter(|&&mv| searcher.heuristics.history(stm, mv) < 0).count()
    }

    /// Searches a position to depths 1 and 2, where no later move of the same player is punished, with null
    /// windows about its static evaluation; how often a cutoff came behind moves that were pruned.
    fn check(position: &Chess) -> usize {
        let mut cutoffs = 0;
        for (depth, offset) in (1..=2).flat_map(|depth| (-5..=5).map(move |offset| (depth, 200 * offset))) {
            with_searcher(position, |searcher| {
                // The line that leads to the node does not matter: the position is put at ply 1.
                searcher.iteration = 1;
                searcher.stack[1] = searcher.stack[0].clone();
                let alpha = searcher.static_eval(1) + Score::from_thousandths(offset);
                let score = searcher.pvs::<false>(depth, Window::null(alpha), 1);
                let Ply { searched, picker, .. } = &searcher.stack[1];
                let failed = searched.len().saturating_sub(1);
                let fen = position.fen();
                assert!(punished(searcher, position) <= failed, "{fen}, depth {depth}, offset {offset}");
                cutoffs += usize::from(score > alpha && picker.given() > searched.len());
            });
        }
        cutoffs
    }

    #[test]
    fn only_moves_that_were_searched_are_punished() {
        let (mut random, mut cutoffs, mut moves) = (StdRng::seed_from_u64(1), 0, Vec::new());
        for fen in Chess::BENCH.fens {
            let mut position = Chess::from_fen(fen).unwrap();
            for _ in 0..8 {
                cutoffs += check(&position);
                moves.clear();
                position.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                position.play(moves[random.random_range(0..moves.len())]);
            }
        }
        assert!(cutoffs > 0, "no cutoff behind pruned moves");
    }

    #[test]
    fn quiescence_knows_the_move_that_led_to_a_node() {
        // The knight on e5 hangs.
        let position = Chess::from_fen("4k3/8/3p4/4N3/8/8/8/4K3 b - - 0 1").unwrap();
        with_searcher(&position, |searcher| {
            searcher.quiescence(Window::FULL, 0);
            let capture = position.parse_move("d6e5").unwrap();
            assert_eq!(searcher.stack[1].led_by, [Some(position.move_kind(capture)), None]);
        });
    }
}
