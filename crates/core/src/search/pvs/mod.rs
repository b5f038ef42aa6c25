//! Principal variation search (negamax, fail soft) with a transposition table.
//!
//! A node is of one of two kinds: with an open window it may lie on the principal variation, elsewhere its
//! window is null. An exact score comes from an open window alone.
//!
//! Steps marked *selective* save nodes on a guess and may change the value; the option `Selective` switches
//! them off. `selectivity` decides when they apply; `experiments/search.md` has the gain of each.
//! `quiescence` searches the last plies.

mod quiescence;
mod selectivity;

use selectivity::{Candidate, QuietPruning, Singularity};
pub(super) use selectivity::{Inherited, Node};

use super::observer::{Claim, Local, Observer, Step};
use super::ordering::{MovePicker, Scope};
use super::searcher::{Ply, PvSearch, Searcher};
use super::window::{Bound, Window};
use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::Knowledge;

/// With several threads, nodes from this depth on defer moves that another thread is searching.
const DEFERRAL_DEPTH: i32 = 3;

impl<'a, G: Knowledge, E: Evaluator<G>, O: Observer<G::Move>> Searcher<'a, G, E, O> {
    /// The value of the position at `ply` for its side to move, searched `depth` plies deep: exact within the
    /// window, a bound outside. The window tells the kind of the node.
    pub(super) fn pvs(&mut self, depth: i32, window: Window, ply: usize, inherited: Inherited) -> Score {
        if window.is_null() {
            return self.search_node::<false>(depth, window, ply, inherited, None);
        }
        let score = self.search_node::<true>(depth, window, ply, inherited, None);
        // 22. Another thread may have finished the node.
        self.stack[ply].pv_search = None;
        self.budget.take_ended_node(ply).unwrap_or(score)
    }

    /// The same, without the move `excluded`; if another thread finishes the node, the score is invalid.
    /// `PV`: the node may lie on the principal variation; elsewhere the window is null.
    fn search_node<const PV: bool>(
        &mut self,
        mut depth: i32,
        window: Window,
        ply: usize,
        inherited: Inherited,
        excluded: Option<G::Move>,
    ) -> Score {
        debug_assert!(PV != window.is_null(), "a node is of the kind of its window: {window:?}");
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
            alpha = alpha.max(Score::mated_in(ply));
            beta = beta.min(Score::mate_in(ply + 1));
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
        if self.selective && !in_check {
            // This overlaps with the prefetch of the table entry: after the probe, the same nodes take 6 to
            // 14 % longer.
            self.update_eval_state(ply);
        }
        let tt_entry = self.tt_entry(ply);
        let may_end = !PV && !root && excluded.is_none();
        if let Some(entry) = tt_entry
            && may_end
            && self.satisfies(&entry, PvSearch { depth, window })
        {
            return entry.score;
        }
        // 6. Endgame tables know the result.
        if !root
            && excluded.is_none()
            && let Some(score) = self.probe_tables(ply, depth)
        {
            return score;
        }

        // 7. The static evaluation.
        let evals = (self.selective && !in_check).then(|| self.corrected_eval(ply, tt_entry.as_ref()));
        let corrected_eval = evals.map(|[_, corrected]| corrected);
        self.stack[ply].static_eval = corrected_eval;
        // The history of the last move learns from it, and its reduction is adjusted.
        let asked = depth;
        if G::HINDSIGHT
            && excluded.is_none()
            && let Some(corrected_eval) = corrected_eval
        {
            let extension = self.apply_hindsight(depth, ply, corrected_eval);
            depth += if self.uses(Step::Hindsight) { extension } else { 0 };
        }
        let table_move = tt_entry.and_then(|entry| entry.best);
        let mut node = Node {
            depth,
            ply,
            window,
            is_pv: PV,
            tt_pv: PV || tt_entry.is_some_and(|entry| entry.is_pv),
            inherited,
            excluded,
            tt_entry,
            is_table_move_tactical: table_move.is_some_and(|mv| self.position(ply).is_tactical(mv)),
            in_check,
            raw_eval: evals.map(|[raw, _]| raw),
            corrected_eval,
            correction_size: match evals {
                Some([raw, corrected]) if G::HINDSIGHT => {
                    self.margins.thousandths(corrected - raw).saturating_abs()
                }
                _ => 0,
            },
            static_eval: corrected_eval.map(|eval| tt_entry.map_or(eval, |entry| entry.refine(eval))),
            is_improving: corrected_eval.is_none_or(|eval| self.is_improving(ply, eval)),
        };
        if may_end
            && let Some(static_eval) = node.static_eval
            && let Some(score) = self.prune(&node, static_eval)
        {
            return score;
        }

        // 12. Internal iterative reduction (selective): without a table move the node is searched less
        //     deeply.
        let reduces = depth >= self.margins.constants.internal_reduction_depth && table_move.is_none();
        if !root && reduces && self.uses(Step::InternalReduction) {
            node.depth -= 1;
        }

        // 13. The moves.
        let Ply { position, context, .. } = &mut self.stack[ply];
        context.set_position(position);
        let mut picker = std::mem::take(&mut self.stack[ply].picker);
        if root {
            picker.begin_in_order(self.root.open_moves());
        } else {
            let by_eval = G::ORDERS_BY_STATIC_EVAL && self.uses(Step::Candidates);
            let scope = if by_eval { Scope::ByStaticEval } else { Scope::All };
            if scope == Scope::ByStaticEval {
                self.update_eval_state(ply);
            }
            picker.begin(self.position(ply), scope, depth, table_move);
        }
        let score = self.search_moves::<PV>(&node, &mut picker);
        self.stack[ply].picker = picker;
        if O::IS_ON && node.depth < asked {
            self.show_reduced(asked, depth, &node, score);
        }
        score
    }

    /// Shows the observer that a node has been searched less deeply than `asked`: to `depth` by hindsight,
    /// and to that of the node after the internal reduction.
    fn show_reduced(&mut self, asked: i32, depth: i32, node: &Node<G::Move>, score: Score) {
        let claim = match node.window.bound_of(score) {
            Bound::Lower => Claim::AtLeast(node.window.beta),
            Bound::Upper => Claim::AtMost(node.window.alpha),
            Bound::Exact => return,
        };
        let step = if depth < asked { Step::Hindsight } else { Step::InternalReduction };
        let (moves, tested, terms) = (&[][..], Some(node.depth), &[][..]);
        self.show(node.ply, Local { step, moves, depth: asked, claim, tested, terms });
    }

    /// Whether the static evaluation of a node is better than that of the same player two plies ago, if
    /// known.
    fn is_improving(&self, ply: usize, static_eval: Score) -> bool {
        let stm = self.position(ply).side_to_move();
        let mut earlier = [2, 4].into_iter().filter_map(|plies| self.stack.get(ply.checked_sub(plies)?));
        let last = earlier.find(|entry| entry.static_eval.is_some() && entry.position.side_to_move() == stm);
        last.is_none_or(|entry| Some(static_eval) > entry.static_eval)
    }

    /// Hindsight: updates the history of the last move by the static evaluation at `ply`. Returns the
    /// extension of the node in plies (selective).
    fn apply_hindsight(&mut self, depth: i32, ply: usize, static_eval: Score) -> i32 {
        let Some(ply) = ply.checked_sub(1) else { return 0 };
        let Ply { position, context, mv, reduction, .. } = &self.stack[ply];
        let Some(before) = self.stack[ply].static_eval else { return 0 };
        if position.side_to_move() == self.position(ply + 1).side_to_move() {
            return 0;
        }
        let gain = self.margins.thousandths(static_eval + before);
        if let Some(mv) = mv.filter(|&mv| !position.is_tactical(mv)) {
            self.heuristics.update_by_eval(position, mv, *context, -gain);
        }
        selectivity::hindsight(depth, *reduction, gain, &self.margins)
    }

    /// Prunes the node (selective): a bound of its value without a search of its moves.
    fn prune(&mut self, node: &Node<G::Move>, static_eval: Score) -> Option<Score> {
        let &Node { ply, window, .. } = node;
        if !self.margins.is_close(window.beta) {
            return None;
        }
        // 8. Razoring: so far below α that only tactical moves might help.
        if self.uses(Step::Razoring)
            && selectivity::is_razorable(node, static_eval, &self.margins)
            && !self.position(ply).is_terminal()
        {
            let score = self.quiescence(window, ply);
            if score <= window.alpha || self.is_stopped() {
                self.show_node(Step::Razoring, node, Claim::AtMost(window.alpha), 0);
                return Some(score);
            }
        }
        // What follows claims that the side to move does well enough.
        if self.position(ply).cannot_win() {
            return None;
        }
        // 9. Reverse futility pruning: far above β near the horizon.
        if self.uses(Step::ReverseFutility)
            && selectivity::is_reverse_futile(node, static_eval, &self.margins)
            && !self.position(ply).is_terminal()
        {
            self.show_node(Step::ReverseFutility, node, Claim::AtLeast(window.beta), None);
            return Some(static_eval);
        }
        // 10. Null move pruning: above β even after a null move.
        if self.uses(Step::NullMove)
            && let Some(reduction) = selectivity::null_move_reduction(node, static_eval, &self.margins)
            && let Some(score) = self.try_null_move(node, reduction)
        {
            let tested = node.depth - 1 - reduction;
            self.show_node(Step::NullMove, node, Claim::AtLeast(window.beta), tested);
            return Some(score);
        }
        // 11. ProbCut: a tactical move that a shallower search finds far above β.
        let (beta, depth) = selectivity::probcut(node, &self.margins).filter(|_| self.uses(Step::ProbCut))?;
        let score = self.probcut(node, static_eval, beta, depth)?;
        self.show_node(Step::ProbCut, node, Claim::AtLeast(window.beta), None);
        Some(score)
    }

    /// Null move pruning: the value of a node that is above β even after a null move.
    fn try_null_move(&mut self, node: &Node<G::Move>, reduction: i32) -> Option<Score> {
        let &Node { depth, ply, window, .. } = node;
        if !self.allows_null_move(ply) {
            return None;
        }
        let passed = self.position(ply).null_move()?;
        let below = Window::null_below(window.beta);
        self.play_null_move(ply, passed);
        let child = node.for_child(!node.inherited.is_cut_node);
        let score = self.search_child(ply, depth - 1 - reduction, below, |searcher, depth, window, ply| {
            searcher.pvs(depth, window, ply, child)
        });
        self.undo();
        if score < window.beta || self.is_stopped() {
            return None;
        }
        // A mate after a null move is no proof.
        let score = if score.is_decisive() { window.beta } else { score };
        let verifies = depth >= self.margins.constants.null_move_verification_depth;
        if !verifies && !self.position(ply).may_be_zugzwang() {
            return Some(score);
        }
        // Verification: no null moves in the next plies, three quarters of those that are left.
        let plies = 3 * (depth - reduction).max(0) as usize / 4;
        let before = std::mem::replace(&mut self.null_move_ply, ply + 1 + plies);
        let verified = self.pvs(depth - reduction, below, ply, node.inherited) >= window.beta;
        self.null_move_ply = before;
        verified.then_some(score)
    }

    /// ProbCut (M. Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", 1995), by
    /// tactical moves only: the score of one that stays above `beta`, first in quiescence search, then in a
    /// search of `depth` plies.
    fn probcut(
        &mut self,
        node: &Node<G::Move>,
        static_eval: Score,
        beta: Score,
        depth: i32,
    ) -> Option<Score> {
        let ply = node.ply;
        let above = Window::null_below(beta);
        let threshold = (beta - static_eval).to_thousandths();
        let mut picker = std::mem::take(&mut self.stack[ply].picker);
        picker.begin(self.position(ply), Scope::Tactical, node.depth, node.table_move());
        let mut found = None;
        loop {
            let Ply { position, state, context, .. } = &self.stack[ply];
            let (evaluation, deadline) = ((self.evaluator, state), &self.shared.deadline);
            let next = picker.next(position, evaluation, self.heuristics, *context, ply, deadline);
            let Some(mv) = next.filter(|_| !picker.is_losing()) else { break };
            if !position.see_ge(mv, threshold) {
                continue;
            }
            let child = node.for_child(!node.inherited.is_cut_node);
            let mut score = self.search_reply(ply, mv, 0, above, child);
            if score >= beta && depth > 0 {
                score = self.search_reply(ply, mv, depth, above, child);
            }
            if self.is_stopped() {
                break;
            }
            if score >= beta {
                self.store(ply, node.entry(depth + 1, above, Some(mv), score));
                found = Some(score);
                break;
            }
        }
        self.stack[ply].picker = picker;
        found
    }

    /// Searches the moves of a node and stores the result.
    fn search_moves<const PV: bool>(
        &mut self,
        node: &Node<G::Move>,
        picker: &mut MovePicker<G::Move>,
    ) -> Score {
        let &Node { depth, ply, window, tt_entry, excluded, .. } = node;
        let is_cut_node = node.inherited.is_cut_node;
        let Window { mut alpha, beta } = window;
        let root = ply == 0;
        let margins = self.margins;
        if PV && !root {
            // Searched even if the table has an answer, so that all moves of the line are known.
            let pv_search = PvSearch { depth, window };
            let is_answered = tt_entry.is_some_and(|entry| self.satisfies(&entry, pv_search));
            self.stack[ply].pv_search = (!is_answered).then_some(pv_search);
        }
        let prunes = self.selective && !PV && !root && !node.in_check;
        let late_moves = if prunes { selectivity::late_moves(node, &margins) } else { i32::MAX };
        let width = if !root && self.uses(Step::Width) { self.width } else { usize::MAX };
        let is_filtered = !root && self.msd_list_kept(ply);
        if O::IS_ON && is_filtered {
            let kept = std::mem::take(&mut self.stack[ply].kept);
            self.show_filter(ply, &kept, depth);
            self.stack[ply].kept = kept;
        }
        self.stack[ply + 1].cutoffs = 0;

        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut move_count = 0;
        loop {
            let Ply { position, state, context, .. } = &self.stack[ply];
            let (evaluation, deadline) = ((self.evaluator, state), &self.shared.deadline);
            let next = picker.next(position, evaluation, self.heuristics, *context, ply, deadline);
            self.budget.add(picker.take_evaluated());
            let Some(mv) = next else { break };
            if Some(mv) == excluded || (is_filtered && !self.stack[ply].kept.contains(&mv)) {
                continue;
            }
            move_count += 1;
            // A deferred move has not been pruned in its own place, which was an earlier one.
            let is_deferred = picker.is_deferred();
            if move_count > width && !is_deferred {
                self.show_rest(Step::Width, node, picker, 1, alpha, |_, _| true);
                picker.skip_rest();
                move_count -= 1;
                continue;
            }
            let is_tactical = self.position(ply).is_tactical(mv);
            let history_score = self.history_score(ply, mv, is_tactical);
            let candidate = Candidate { count: move_count, is_tactical, history_score };
            let cutoffs = self.stack[ply + 1].cutoffs;
            let reduction_terms =
                || selectivity::reduction_terms(node, &candidate, G::FINE_REDUCTIONS, cutoffs, &margins);
            let reduction = match move_count > 1 && self.uses(Step::LateReduction) {
                true => reduction_terms().iter().map(|(_, hundredths)| hundredths).sum(),
                false => 0,
            };

            if prunes && move_count > 1 && !is_deferred && !best.is_decisive() {
                // 14. Late move, futility and history pruning (selective) of quiet moves, once a move does
                //     not lose. Moves that give check are searched, but for those behind the first one that is
                //     late and gives none: late move pruning ends the quiet moves there.
                if !is_tactical {
                    let by_eval = G::ORDERS_BY_STATIC_EVAL;
                    let verdict = selectivity::quiet_pruning(
                        node, &candidate, alpha, late_moves, reduction, by_eval, &margins,
                    );
                    let gives_check = || G::HINDSIGHT && self.position(ply).after(mv).in_check();
                    match verdict {
                        QuietPruning::Search => {}
                        QuietPruning::Skip(step) | QuietPruning::SkipRest(step)
                            if !self.uses(step) || gives_check() => {}
                        QuietPruning::Skip(step) => {
                            self.show_pruned(step, node, mv, alpha);
                            continue;
                        }
                        QuietPruning::SkipRest(step) => {
                            self.show_rest(step, node, picker, 1, alpha, |position, mv| match by_eval {
                                true => picker.generated().contains(&mv),
                                false => !position.is_tactical(mv),
                            });
                            match by_eval {
                                true => picker.skip_rest(),
                                false => picker.skip_quiet(),
                            }
                            continue;
                        }
                    }
                }
                // 15. Pruning by static exchange evaluation (selective).
                if let Some(least) = selectivity::least_exchange(node, is_tactical, &margins)
                    && self.uses(Step::Exchange)
                    && !self.position(ply).see_ge(mv, least)
                {
                    self.show_pruned(Step::Exchange, node, mv, alpha);
                    continue;
                }
            }

            // 16. Deferral: a move that another thread is searching comes last; by then its result is in the
            //     table.
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
            if root {
                self.announce_root_move(mv, move_count);
            }

            // 17. Singular extension (selective): is the table move the only good one?
            let mut full = depth - 1;
            let mut child = node.for_child(!PV && !is_cut_node);
            if move_count == 1 {
                match self.extension(node, mv) {
                    Singularity::Refuted(bound) => {
                        self.show_node(Step::MultiCut, node, Claim::AtLeast(beta), None);
                        return bound;
                    }
                    Singularity::Extended(plies) => {
                        full += plies;
                        child.double_extensions += i32::from(plies > 1);
                    }
                }
            }

            let open = Window { alpha, beta };
            let nodes = self.budget.own_nodes();
            let mut score;
            if move_count == 1 {
                // 18. The first move has the full window.
                score = self.search_reply(ply, mv, full, open, child);
            } else {
                // 19. Late move reductions (selective), re-searched at full depth if they fail high.
                let constants = &margins.constants;
                let mut reduced = full;
                if self.uses(Step::LateReduction)
                    && depth >= constants.late_reduction_depth
                    && move_count >= constants.late_reduction_moves as usize + usize::from(PV)
                {
                    reduced = (full - reduction / 100).clamp(1, full);
                }
                let null = Window::null_above(alpha);
                self.stack[ply].reduction = full - reduced;
                score = self.search_reply(ply, mv, reduced, null, node.for_child(true));
                self.stack[ply].reduction = 0;
                if O::IS_ON && score <= alpha && reduced < full {
                    let (step, moves, claim) = (Step::LateReduction, &[mv][..], Claim::AtMost(alpha));
                    let (tested, terms) = (Some(reduced), &reduction_terms()[..]);
                    self.show(ply, Local { step, moves, depth: full, claim, tested, terms });
                }
                if score > alpha && reduced < full {
                    let surprise = margins.of(constants.late_reduction_deeper);
                    if G::FINE_REDUCTIONS && score > best + surprise && ply < 2 * self.iteration {
                        full += 1;
                    }
                    score = self.search_reply(ply, mv, full, null, node.for_child(!is_cut_node));
                }
                // 20. The null window has failed high: a new principal variation.
                if PV && score > alpha && score < beta {
                    score = self.search_reply(ply, mv, full, open, node.for_child(false));
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
                // Not before, as a singular search uses the list, too.
                searched.clear();
            }
            searched.push(mv);

            // 21. The score of the move.
            let is_first_at_root = root && move_count == 1;
            if score > alpha && (PV || root) {
                self.update_pv(ply, mv);
            } else if is_first_at_root {
                // Its line is a refutation.
                self.stack[ply].pv.clear();
                self.stack[ply].pv.push(mv);
            }
            if root {
                let is_best = score > alpha || is_first_at_root;
                self.note_root_move(mv, is_best.then(|| (score, open.bound_of(score))), nodes);
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

        if O::IS_ON && G::ORDERS_BY_STATIC_EVAL && best < beta && !root && self.uses(Step::Candidates) {
            let is_out = |_: &G, mv| !picker.generated().contains(&mv);
            self.show_rest(Step::Candidates, node, picker, 0, alpha, is_out);
        }
        if move_count == 0 {
            // The excluded move was the only one.
            return if excluded.is_some() { alpha } else { self.terminal_score(ply) };
        }
        if excluded.is_none() {
            if G::HINDSIGHT && self.selective && best_move.is_none() {
                self.note_refuted(depth, ply);
            }
            self.correct(node, best_move, best);
            // The root is never probed, and its moves may be restricted.
            if !root {
                self.store(ply, node.entry(depth, window, best_move, best));
            }
        }
        best
    }

    /// The singular extension of the first move of a node.
    fn extension(&mut self, node: &Node<G::Move>, mv: G::Move) -> Singularity {
        let ply = node.ply;
        let may_extend = ply > 0 && ply < 2 * self.iteration && self.uses(Step::MultiCut);
        let limit = match may_extend && node.table_move() == Some(mv) {
            true => selectivity::singular_limit(node, &self.margins),
            false => None,
        };
        let Some((limit, depth)) = limit else { return Singularity::Extended(0) };
        let others =
            self.search_node::<false>(depth, Window::null_below(limit), ply, node.inherited, Some(mv));
        selectivity::singularity(node, limit, others, &self.margins)
    }

    /// The value of a move at `ply` for its player, with `depth` plies left after it.
    #[inline(always)]
    fn search_reply(
        &mut self,
        ply: usize,
        mv: G::Move,
        depth: i32,
        window: Window,
        child: Inherited,
    ) -> Score {
        self.search_move(ply, mv, depth, window, |searcher, depth, window, ply| {
            searcher.pvs(depth, window, ply, child)
        })
    }

    /// Updates the correction history from the score of a node, unless a tactical move explains it.
    fn correct(&mut self, node: &Node<G::Move>, best_move: Option<G::Move>, score: Score) {
        let &Node { depth, ply, window, .. } = node;
        if G::CORRECTION_KEYS == 0 || score.is_decisive() || !self.uses(Step::Memory) {
            return;
        }
        let Some(static_eval) = node.corrected_eval else { return };
        let position = &self.stack[ply].position;
        let is_explained = best_move.is_some_and(|mv| position.is_tactical(mv))
            || (score >= window.beta && score <= static_eval)
            || (score <= window.alpha && score >= static_eval);
        if !is_explained {
            let constants = self.margins.constants;
            let [most, error] =
                [constants.correction_most, constants.correction_error].map(|most| self.margins.of(most));
            let error = (score - static_eval).clamp(-error, error);
            self.heuristics.update_correction(position, error, depth, most);
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

    /// Rewards the quiet move that has led to a node whose moves have all failed low.
    fn note_refuted(&mut self, depth: i32, ply: usize) {
        let Some(Ply { position, context, mv, .. }) = ply.checked_sub(1).map(|ply| &self.stack[ply]) else {
            return;
        };
        if let Some(mv) = mv.filter(|&mv| !position.is_tactical(mv)) {
            self.heuristics.reward_quiet(position, mv, *context, depth);
        }
    }

    /// Updates killers and histories for the last move searched at `ply`, which has caused a cutoff.
    fn note_cutoff(&mut self, mv: G::Move, depth: i32, ply: usize) {
        let Ply { position, context, searched, .. } = &self.stack[ply];
        let failed = &searched[..searched.len() - 1];
        self.heuristics.update_on_cutoff(position, mv, failed, *context, depth, ply);
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::game::Game;
    use crate::game::chess::Chess;
    use crate::search::searcher::tests::{with_one_of_threads, with_searcher};
    use crate::search::table::TtEntry;

    /// The number of moves of a position with a negative history score.
    fn punished<G: Knowledge, E: Evaluator<G>>(searcher: &Searcher<G, E>, position: &G) -> usize {
        position
            .moves()
            .iter()
            .filter(|&&mv| searcher.history_score(1, mv, position.is_tactical(mv)) < 0)
            .count()
    }

    /// Searches a position to depths 1 and 2, where no later move of the same player is penalised, with null
    /// windows about its static evaluation. Returns the number of cutoffs after pruned moves.
    fn check(position: &Chess) -> usize {
        let mut cutoffs = 0;
        for (depth, offset) in (1..=2).flat_map(|depth| (-5..=5).map(move |offset| (depth, 200 * offset))) {
            with_searcher(position, |searcher| {
                // The line that leads to the node does not matter: the position is put at ply 1.
                searcher.iteration = 1;
                searcher.stack[1] = searcher.stack[0].clone();
                let alpha = searcher.static_eval(1) + Score::from_thousandths(offset);
                let score = searcher.pvs(depth, Window::null_above(alpha), 1, Inherited::default());
                let Ply { searched, picker, .. } = &searcher.stack[1];
                let fen = position.fen();
                assert!(
                    punished(searcher, position) <= searched.len(),
                    "{fen}, depth {depth}, offset {offset}"
                );
                cutoffs += usize::from(score > alpha && picker.given() > searched.len());
            });
        }
        cutoffs
    }

    #[test]
    fn only_moves_that_were_searched_are_punished() {
        let (mut random, mut cutoffs) = (StdRng::seed_from_u64(1), 0);
        for fen in Chess::info().bench.fens {
            let mut position = Chess::from_fen(fen).unwrap();
            for _ in 0..8 {
                cutoffs += check(&position);
                let moves = position.moves();
                if moves.is_empty() {
                    break;
                }
                position.play(moves[random.random_range(0..moves.len())]);
            }
        }
        assert!(cutoffs > 0, "no cutoff behind pruned moves");
    }

    #[test]
    fn a_quiet_move_that_gives_check_is_not_pruned() {
        // The mating move would be pruned by static evaluation.
        let position = Chess::from_fen("6k1/5ppp/r7/8/8/8/5PPP/4R1K1 w - - 0 1").unwrap();
        with_searcher(&position, |searcher| {
            searcher.iteration = 1;
            searcher.stack[1] = searcher.stack[0].clone();
            let alpha = searcher.static_eval(1) + searcher.margins.of(1_500);
            assert!(searcher.margins.is_close(alpha));
            let score = searcher.pvs(3, Window::null_above(alpha), 1, Inherited::default());
            assert_eq!(score, Score::mate_in(2));
        });
    }

    #[test]
    fn results_out_of_reach_are_not_taken_from_the_table() {
        let of = |clock: usize| Chess::from_fen(&format!("8/8/8/8/4k3/8/8/KR6 w - - {clock} 99")).unwrap();
        let stored = |clock: usize, score: Score, ply: usize| {
            with_searcher(&of(clock), |searcher| {
                searcher.stack[ply] = searcher.stack[0].clone();
                let (best, bound) = (searcher.position(0).parse_move("a1b2").ok(), Bound::Exact);
                let entry = TtEntry { best, score, bound, depth: 20, static_eval: None, is_pv: true };
                searcher.table.store(searcher.position(0).table_key(), entry);
                let found = searcher.tt_entry(ply).unwrap();
                assert_eq!(found.best, best);
                (found.depth > 0).then_some(found.score)
            })
        };
        // A mate in 41 plies: the fifty-move rule allows as many, and so does the depth of a search.
        for (clock, ply) in [(0, 0), (59, 0), (0, MAX_PLY - 41)] {
            for (here, at_ply) in [
                (Score::mate_in(41), Score::mate_in(ply + 41)),
                (Score::mated_in(41), Score::mated_in(ply + 41)),
            ] {
                assert_eq!(stored(clock, here, ply), Some(at_ply), "{clock} {ply}");
            }
        }
        for (clock, ply) in [(60, 0), (0, MAX_PLY - 40)] {
            assert_eq!(stored(clock, Score::mate_in(41), ply), None, "{clock} {ply}");
            assert_eq!(stored(clock, Score::mated_in(41), ply), None, "{clock} {ply}");
        }
        // Tablebase results of an earlier search would hide mates from one without tables.
        assert_eq!(stored(0, Score::tb_win_in(41), 3), None);
        assert_eq!(stored(0, Score::tb_loss_in(41), 3), None);
    }

    #[test]
    fn hindsight_updates_the_history_of_the_last_move() {
        let position = Chess::from_fen("6k1/1pp2ppp/r7/8/8/8/PPP2PPP/4R1K1 w - - 0 1").unwrap();
        with_searcher(&position, |searcher| {
            let mv = position.parse_move("e1e2").unwrap();
            let history = |searcher: &Searcher<Chess, _>| searcher.history_score(0, mv, false);
            searcher.stack[0].static_eval = Some(Score::from_thousandths(300));
            searcher.make_child(0, mv);
            (searcher.stack[0].mv, searcher.stack[0].reduction) = (Some(mv), 3);
            // First the evaluation does not change; then the move has lost and won something.
            let unit = searcher.margins.of(1_000).to_thousandths();
            let look = |searcher: &mut Searcher<Chess, _>, won: i32| {
                searcher.apply_hindsight(4, 1, Score::from_thousandths(-300 - won * unit / 1_000))
            };
            assert_eq!((look(searcher, 0), history(searcher)), (1, 0));
            assert_eq!(look(searcher, -400), -1);
            let punished = history(searcher);
            assert!(punished < 0);
            assert_eq!(look(searcher, 400), 1);
            assert!(history(searcher) > punished);
            let before = history(searcher);
            searcher.note_refuted(5, 1);
            assert!(history(searcher) > before);
            // The root has no such move.
            searcher.note_refuted(5, 0);
            assert_eq!(searcher.apply_hindsight(4, 0, Score::DRAW), 0);
        });
    }

    #[test]
    fn a_node_that_another_thread_has_searched_ends() {
        let position = Chess::from_fen("4k3/8/3p4/4N3/8/8/8/4K3 w - - 0 1").unwrap();
        let [best, played] = ["e5f3", "e1e2"].map(|text| position.parse_move(text).unwrap());
        let (score, window) = (Score::from_thousandths(300), Window::null_above(Score::DRAW));
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
                searcher.stack[1].pv_search = Some(PvSearch { depth, window });
                searcher.budget.add(1000);
                searcher.pvs(1, window, 2, Inherited::default());
                let is_answered = depth == 6;
                assert_eq!(searcher.is_stopped(), is_answered);
                assert_eq!(searcher.budget.take_ended_node(1), is_answered.then_some(score));
                assert!(!searcher.is_stopped());
            }
            assert_eq!(searcher.stack[1].pv, [best]);
        });
    }
}
