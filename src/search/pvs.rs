//! Principal variation search (negamax, fail soft) with a transposition table.
//!
//! Steps marked *selective* save nodes on a guess and may change the value; the option `Selective` switches
//! them off. What each is worth stands in `experiments/search.md`.

use super::ordering::{MovePicker, Scope};
use super::reductions::Singularity;
use super::searcher::Searcher;
use super::shared::Question;
use super::stack::Ply;
use super::table::TtEntry;
use super::window::Window;
use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::Searchable;

/// With several threads, nodes from this depth on defer moves that another thread is searching.
const DEFERRAL_DEPTH: i32 = 3;

/// What is known of a node before its moves are searched.
pub(super) struct Node<M> {
    /// Plies that are left.
    pub(super) depth: i32,
    /// Plies from the root.
    pub(super) ply: usize,
    pub(super) window: Window,
    /// The table's entry, its score as seen from the root.
    pub(super) tt_entry: Option<TtEntry<M>>,
    /// The static evaluation as the evaluator gives it; `None` in check or where the search is not selective.
    pub(super) raw_eval: Option<Score>,
    /// The static evaluation, corrected and refined by the table.
    pub(super) static_eval: Option<Score>,
    /// Whether the static evaluation is better than it was two plies ago.
    pub(super) is_improving: bool,
    pub(super) in_check: bool,
    /// Whether the table move is tactical.
    pub(super) is_table_move_tactical: bool,
}

impl<'a, G: Searchable, E: Evaluator<G>> Searcher<'a, G, E> {
    /// The value of the position at `ply` for its side to move, searched `depth` plies deep: exact within the
    /// window, a bound outside. `PV`: the node may lie on the principal variation; elsewhere the window is
    /// null.
    pub(super) fn pvs<const PV: bool>(&mut self, depth: i32, window: Window, ply: usize) -> Score {
        let score = self.search_node::<PV>(depth, window, ply);
        if !PV {
            return score;
        }
        // 21. Another thread may have been quicker.
        self.stack[ply].question = None;
        self.budget.take_ended_node(ply).unwrap_or(score)
    }

    /// The same; where another thread is quicker, the score means nothing.
    fn search_node<const PV: bool>(&mut self, mut depth: i32, window: Window, ply: usize) -> Score {
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

        // 5. The table: an entry that is deep enough ends the search of this node. The principal variation is
        //    searched to its end, so that all of its moves are known.
        let is_singular_search = self.stack[ply].excluded.is_some();
        if self.selective && !in_check {
            // This takes place while the table's entry is on its way from memory: behind the table, the same
            // nodes take 6 to 14 % longer.
            self.bring_up_to_date(ply);
        }
        let tt_entry = self.tt_entry(ply);
        self.stack[ply].is_pv = PV || tt_entry.is_some_and(|entry| entry.is_pv);
        let may_end = !PV && !root && !is_singular_search;
        if let Some(entry) = tt_entry
            && may_end
            && self.answers(&entry, Question { depth, window })
        {
            return entry.score;
        }
        // 6. Endgame tables know the result.
        if !root
            && !is_singular_search
            && let Some(score) = self.probe_tables(ply)
        {
            return score;
        }

        // 7. The static evaluation.
        let evals = (self.selective && !in_check).then(|| self.corrected_eval(ply, tt_entry.as_ref()));
        let raw_eval = evals.map(|[raw, _]| raw);
        let corrected = evals.map(|[_, corrected]| corrected);
        self.stack[ply].static_eval = corrected;
        let static_eval = corrected.map(|eval| tt_entry.map_or(eval, |entry| entry.refine(eval)));
        let is_improving = corrected.is_none_or(|eval| self.is_improving(ply, eval));
        let table_move = tt_entry.and_then(|entry| entry.best);
        let is_table_move_tactical = table_move.is_some_and(|mv| self.position(ply).is_tactical(mv));
        let mut node = Node {
            depth,
            ply,
            window,
            tt_entry,
            raw_eval,
            static_eval,
            is_improving,
            in_check,
            is_table_move_tactical,
        };
        if may_end
            && let Some(static_eval) = static_eval
            && let Some(score) = self.prune(&node, static_eval)
        {
            return score;
        }

        // 12. Internal iterative reduction (selective): without a table move the node is searched less
        //     deeply.
        if self.selective && !root && depth >= self.constants.internal_reduction_depth && table_move.is_none()
        {
            node.depth -= 1;
        }

        // 13. The moves.
        let Ply { position, context, .. } = &mut self.stack[ply];
        context.look_at(position);
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

    /// Whether the static evaluation of a node is better than that of the same player's last position, where
    /// that is known.
    fn is_improving(&self, ply: usize, static_eval: Score) -> bool {
        let stm = self.position(ply).side_to_move();
        let mut earlier = [2, 4].into_iter().filter_map(|plies| self.stack.get(ply.checked_sub(plies)?));
        let last = earlier.find(|entry| entry.static_eval.is_some() && entry.position.side_to_move() == stm);
        last.is_none_or(|entry| Some(static_eval) > entry.static_eval)
    }

    /// Searches the moves of a node and stores what comes out.
    fn search_moves<const PV: bool>(
        &mut self,
        node: &Node<G::Move>,
        picker: &mut MovePicker<G::Move>,
    ) -> Score {
        let &Node { depth, ply, window, tt_entry, static_eval, is_improving, in_check, .. } = node;
        let Window { mut alpha, beta } = window;
        let root = ply == 0;
        if PV && !root {
            // What the table has already is searched all the same, so that all moves of the line are known.
            let question = Question { depth, window };
            let is_answered = tt_entry.is_some_and(|entry| self.answers(&entry, question));
            self.stack[ply].question = (!is_answered).then_some(question);
        }
        let is_cut_node = self.stack[ply].is_cut_node;
        let excluded = self.stack[ply].excluded;
        let prunes = self.selective && !PV && !root && !in_check;
        let late_moves = match prunes && depth <= self.constants.late_pruning_depth {
            true => (self.constants.late_pruning_moves + depth * depth) / (2 - i32::from(is_improving)),
            false => i32::MAX,
        };
        let width = if self.selective && !root { self.width } else { usize::MAX };
        let is_filtered = !root && self.msd_filters();
        if is_filtered {
            self.msd_list_kept(ply);
        }
        self.stack[ply + 1].double_extensions = self.stack[ply].double_extensions;
        self.stack[ply + 1].cutoffs = 0;

        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut move_count = 0;
        loop {
            let Ply { position, state, context, .. } = &self.stack[ply];
            let next = picker.next(position, (self.evaluator, state), self.heuristics, *context, ply);
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
            let history_score = self.history_score(ply, mv, is_tactical);
            let reduction = match self.selective && move_count > 1 {
                true => self.reduction::<PV>(node, move_count, is_tactical, history_score),
                false => 0,
            };

            if prunes && move_count > 1 && !best.is_decisive() {
                // 14. Late move and futility pruning (selective) of quiet moves, once a move does not lose.
                if !is_tactical {
                    let reduced = (depth - 1 - reduction / 100).max(0);
                    let is_late = move_count as i32 > late_moves;
                    let is_futile = reduced <= self.constants.futility_depth
                        && self.is_close(alpha)
                        && static_eval.is_some_and(|eval| {
                            eval + self.margin(self.constants.futility_margin * (reduced + 1)) <= alpha
                        });
                    if is_late || is_futile {
                        if G::ORDERS_BY_STATIC_EVAL {
                            // The moves that follow have lower static evaluations.
                            break;
                        }
                        if is_late {
                            picker.skip_quiet();
                        }
                        continue;
                    }
                    // 15. History pruning (selective): moves that have failed elsewhere.
                    if reduced < self.constants.history_pruning_depth
                        && history_score < -self.constants.history_pruning_margin * depth
                    {
                        continue;
                    }
                }
                // 16. Pruning by static exchange evaluation (selective).
                if depth <= self.constants.see_pruning_depth {
                    let margin = match is_tactical {
                        true => self.constants.see_tactical_margin * depth * depth,
                        false => self.constants.see_quiet_margin * depth,
                    };
                    let threshold = -self.margin(margin).to_thousandths();
                    if !self.position(ply).see_ge(mv, threshold) {
                        continue;
                    }
                }
            }

            // 17. Deferral: a move that another thread is searching comes last; by then the table knows of
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

            // 18. Singular extension (selective): is the table move the only good one?
            let mut full = depth - 1;
            if move_count == 1 {
                match self.extension::<PV>(node, mv) {
                    Singularity::Refuted(bound) => return bound,
                    Singularity::Extended(plies) => {
                        full += plies;
                        self.stack[ply + 1].double_extensions += i32::from(plies > 1);
                    }
                }
            }

            let open = Window { alpha, beta };
            let nodes = self.budget.own_nodes();
            let mut score;
            if move_count == 1 {
                self.stack[ply + 1].is_cut_node = !PV && !is_cut_node;
                score = self.search_move(ply, mv, full, open, Searcher::pvs::<PV>);
                self.stack[ply + 1].double_extensions = self.stack[ply].double_extensions;
            } else {
                // 19. Late move reductions (selective), searched again at full depth if they surprise.
                let mut reduced = full;
                if self.selective
                    && depth >= self.constants.late_reduction_depth
                    && move_count >= self.constants.late_reduction_moves as usize + usize::from(PV)
                {
                    reduced = (full - reduction / 100).clamp(1, full);
                }
                let null = Window::null(alpha);
                self.stack[ply + 1].is_cut_node = true;
                score = self.search_move(ply, mv, reduced, null, Searcher::pvs::<false>);
                if score > alpha && reduced < full {
                    let surprise = self.margin(self.constants.late_reduction_deeper);
                    if G::REFINES && score > best + surprise && ply < 2 * self.iteration {
                        full += 1;
                    }
                    self.stack[ply + 1].is_cut_node = !is_cut_node;
                    score = self.search_move(ply, mv, full, null, Searcher::pvs::<false>);
                }
                // 20. The null window has failed high: a new principal variation.
                if PV && score > alpha && score < beta {
                    self.stack[ply + 1].is_cut_node = false;
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
                self.note_root_move(mv, is_best.then_some(score), nodes);
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    if score >= beta {
                        self.note_cutoff(mv, depth, ply);
                        self.stack[ply].cutoffs += 1;
                        break;
                    }
                }
            }
        }

        if move_count == 0 {
            // Without the excluded move, the only one, everything fails low.
            return if excluded.is_some() { alpha } else { self.terminal_score(ply) };
        }
        if excluded.is_none() {
            self.correct(node, best_move, best);
            // The root is never probed, and its moves may be the user's choice.
            if !root {
                self.store(ply, best_move, best, window, depth, node.raw_eval);
            }
        }
        best
    }

    /// Learns from the score of a node how wrong its static evaluation was, where no tactics explain it.
    fn correct(&mut self, node: &Node<G::Move>, best_move: Option<G::Move>, score: Score) {
        let &Node { depth, ply, window, .. } = node;
        if G::STRUCTURES == 0 || score.is_decisive() {
            return;
        }
        let Ply { position, static_eval, .. } = &self.stack[ply];
        let Some(static_eval) = *static_eval else { return };
        let is_explained = best_move.is_some_and(|mv| position.is_tactical(mv))
            || (score >= window.beta && score <= static_eval)
            || (score <= window.alpha && score >= static_eval);
        if !is_explained {
            let most = self.margin(self.constants.correction_most);
            self.heuristics.correct(position, score - static_eval, depth, most);
        }
    }

    /// History score of a move at `ply`.
    #[inline]
    fn history_score(&self, ply: usize, mv: G::Move, is_tactical: bool) -> i32 {
        let Ply { position, context, .. } = &self.stack[ply];
        match is_tactical {
            true => self.heuristics.capture_history(position, mv),
            false => self.heuristics.quiet_history(position, mv, *context),
        }
    }

    /// Tells killers and history of the last move searched at `ply`, which has caused a cutoff.
    fn note_cutoff(&mut self, mv: G::Move, depth: i32, ply: usize) {
        let Ply { position, context, searched, .. } = &self.stack[ply];
        let failed = &searched[..searched.len() - 1];
        self.heuristics.cutoff(position, mv, failed, *context, depth, ply);
    }

    /// Whether an entry answers a question. A greater depth is better, but has another value than plain
    /// minimax.
    fn answers(&self, entry: &TtEntry<G::Move>, Question { depth, window }: Question) -> bool {
        let stored = i32::from(entry.depth);
        (stored == depth || (self.selective && stored > depth)) && entry.decides(window)
    }

    /// Looks whether another thread has searched a node of the principal variation above `ply` since this one
    /// came there. Then that node ends, and all below.
    pub(super) fn look_for_answers(&mut self, ply: usize) {
        let answered = (1..ply).find_map(|above| {
            let question = self.stack[above].question?;
            let entry = self.tt_entry(above).filter(|entry| self.answers(entry, question))?;
            Some((above, entry))
        });
        if let Some((above, entry)) = answered {
            self.take_pv_from_table(above);
            self.budget.end_node(above, entry.score);
        }
    }

    /// Whether a bound is not that of a game as good as decided. There static evaluations do not tell the
    /// moves apart, and what they prune may be the mate.
    pub(super) fn is_close(&self, bound: Score) -> bool {
        -self.decided < bound && bound < self.decided
    }

    /// A window that is open where a bound is that of a game as good as decided: behind it may be a mate, far
    /// from any evaluation.
    pub(super) fn without_far_bounds(&self, alpha: Score, beta: Score) -> Window {
        Window {
            alpha: if alpha > -self.decided { alpha } else { Window::FULL.alpha },
            beta: if beta < self.decided { beta } else { Window::FULL.beta },
        }
    }

    /// A margin in thousandths, on the scale of the evaluation.
    #[inline]
    pub(super) fn margin(&self, thousandths: i32) -> Score {
        Score::from_thousandths(thousandths * self.margin / 1000)
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::game::chess::Chess;
    use crate::game::{Game, MoveOrdering};
    use crate::search::searcher::tests::{with_one_of_threads, with_searcher};
    use crate::search::table::Bound;

    /// How many moves of a position have a negative history score.
    fn punished<G: Searchable, E: Evaluator<G>>(searcher: &Searcher<G, E>, position: &G) -> usize {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        moves.iter().filter(|&&mv| searcher.history_score(1, mv, position.is_tactical(mv)) < 0).count()
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
            assert_eq!(searcher.stack[1].context.led_by, [Some(position.move_kind(capture)), None]);
        });
    }

    #[test]
    fn a_node_that_another_thread_has_searched_ends() {
        let position = Chess::from_fen("4k3/8/3p4/4N3/8/8/8/4K3 w - - 0 1").unwrap();
        let [best, played] = ["e5f3", "e1e2"].map(|text| position.parse_move(text).unwrap());
        let (score, window) = (Score::from_thousandths(300), Window::null(Score::DRAW));
        with_one_of_threads(2, &position, |searcher| {
            searcher.iteration = 8;
            searcher.stack[1] = searcher.stack[0].clone();
            searcher.make_child(1, played);
            let entry = TtEntry {
                best: Some(best),
                score,
                bound: Bound::Exact,
                depth: 6,
                static_eval: None,
                is_pv: true,
            };
            searcher.table.store(position.table_key(), entry);
            for depth in [7, 6] {
                searcher.stack[1].question = Some(Question { depth, window });
                searcher.budget.add(1000);
                searcher.pvs::<false>(1, window, 2);
                let is_answered = depth == 6;
                assert_eq!(searcher.is_stopped(), is_answered);
                assert_eq!(searcher.budget.take_ended_node(1), is_answered.then_some(score));
                assert!(!searcher.is_stopped());
            }
            assert_eq!(searcher.stack[1].pv, [best]);
        });
    }

    #[test]
    fn one_of_several_threads_alone_searches_the_tree_of_a_single_one() {
        // Deep enough for singular extensions on the principal variation.
        for fen in &Chess::BENCH.fens[..4] {
            let position = Chess::from_fen(fen).unwrap();
            let [single, alone] = [1, 2].map(|threads| {
                with_one_of_threads(threads, &position, |searcher| {
                    for depth in 1..=11 {
                        searcher.iteration = depth;
                        searcher.search_root(depth as i32, Window::FULL);
                    }
                    searcher.budget.own_nodes()
                })
            });
            assert_eq!(alone, single, "{fen}");
        }
    }
}
