//! Iterative deepening: one more ply each time, until a limit stops it; within an iteration by aspiration
//! windows or by MTD(f).

use super::input::SearchInput;
use super::limits::{Control, Deadline, GRACE, Stability, TimeManager};
use super::observer::{Claim, Decision, Observer, Step, Unobserved};
use super::options::SearchMode;
use super::ordering::Heuristics;
use super::pvs::Inherited;
use super::report::{Listener, Report, SearchResult};
use super::root::{Line, Root};
use super::searcher::Searcher;
use super::table::TranspositionTable;
use super::threads::{SharedState, with_helpers};
use super::window::{Bound, Window};
use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::Knowledge;
use crate::sync::Ordering;

/// On the clock, the search ends when an iteration exceeds the mate distance by this factor: a shorter mate
/// would have been found.
const FORCED_END_FACTOR: usize = 2;

/// Nodes that a stopped search may still visit to finish depth 1, within some milliseconds where a clock
/// runs. Quiescence may take far more where the evaluation is bad.
const LAST_NODES: u64 = 50_000;

/// Searches for the best move among all root moves, see [`search`](super::search).
pub(super) fn search<G: Knowledge, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    mode: SearchMode,
    table: &TranspositionTable,
    heuristics: &mut [Heuristics<G>],
    control: &Control,
    listener: &mut dyn Listener<G::Move>,
) -> SearchResult<G::Move> {
    let mut moves = input.moves();
    let [first, others @ ..] = heuristics else { return SearchResult::none() };
    if moves.is_empty() {
        return SearchResult::none();
    }
    let time = TimeManager::new(input.limits, input.position.side_to_move());
    let deadline = Deadline::new(control, input.limits.start, time);
    let shared = &SharedState::new(deadline, 1 + others.len());
    if input.sorts_root_by_static_eval() {
        sort_by_static_eval(input, &shared.deadline, &mut moves);
    }
    let root = &Root::new(moves);
    table.new_search();
    let helpers = others.iter_mut().map(|heuristics| {
        move |is_ready: &dyn Fn()| {
            let searcher =
                Searcher::new(input, mode, root.clone(), table, heuristics, shared, (None, Unobserved));
            is_ready();
            Deepening::new(input, mode, searcher).run();
        }
    });
    let best = with_helpers(helpers, &shared.deadline, || {
        let searcher =
            Searcher::new(input, mode, root.clone(), table, first, shared, (Some(listener), Unobserved));
        let best = Deepening::new(input, mode, searcher).run();
        shared.deadline.end();
        best
    });
    // The time until all threads have ended.
    shared.deadline.poll();
    best
}

/// Searches like [`search`](super::search) on one thread, and shows `observer` what it leaves out. The nodes are the same.
pub fn observe<G: Knowledge, E: Evaluator<G>, O: Observer<G::Move>>(
    input: &SearchInput<G, E>,
    mode: SearchMode,
    table: &TranspositionTable,
    heuristics: &mut Heuristics<G>,
    control: &Control,
    listener: &mut dyn Listener<G::Move>,
    mut observer: O,
) -> SearchResult<G::Move> {
    let mut moves = input.moves();
    if moves.is_empty() {
        return SearchResult::none();
    }
    if input.root_moves.is_none() && moves.len() < input.position.count_moves() {
        let iteration = input.limits.depth.unwrap_or(1) as usize;
        observer.decided(&Decision {
            step: Step::Filter,
            path: &[],
            iteration,
            moves: &moves,
            depth: iteration as i32 - 1,
            claim: Claim::HasBest,
            tested: None,
            terms: &[],
        });
    }
    let time = TimeManager::new(input.limits, input.position.side_to_move());
    let shared = SharedState::new(Deadline::new(control, input.limits.start, time), 1);
    if input.sorts_root_by_static_eval() {
        sort_by_static_eval(input, &shared.deadline, &mut moves);
    }
    table.new_search();
    let root = Root::new(moves);
    let searcher = Searcher::new(input, mode, root, table, heuristics, &shared, (Some(listener), observer));
    Deepening::new(input, mode, searcher).run()
}

/// Sorts the root moves by the static evaluation after them, best first. Where time is up, those that have
/// not been evaluated come last.
fn sort_by_static_eval<G: Knowledge, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    deadline: &Deadline,
    moves: &mut [G::Move],
) {
    let mut is_late = deadline.grace(GRACE);
    let (evaluator, position, stm) = (input.evaluator, input.position, input.position.side_to_move());
    let [mut state, mut scratch] = [E::State::default(), E::State::default()];
    evaluator.reset(position, &mut state);
    moves.sort_by_cached_key(|&mv| {
        if is_late() {
            return std::cmp::Reverse(-Score::INFINITE);
        }
        let child = position.after(mv);
        std::cmp::Reverse(evaluator.evaluate_child(position, &state, &child, &mut scratch, stm))
    });
}

impl<G: Knowledge, E: Evaluator<G>, O: Observer<G::Move>> Searcher<'_, G, E, O> {
    /// Searches the root to a depth within a window, with the search that was requested, and sorts its moves.
    /// With several threads, the result is that of the first one to finish.
    fn search_root(&mut self, depth: i32, window: Window) -> Score {
        let score = match self.mode {
            SearchMode::Pvs | SearchMode::Mtdf => self.pvs(depth, window, 0, Inherited::default()),
            _ => self.full_width(depth, window, 0),
        };
        self.root.sort();
        if self.budget.is_search_over() {
            return score;
        }
        let score = self.shared.finish_root(self.root_searches, score, &mut self.root.moves);
        self.root.note_score(score, window.bound_of(score));
        self.root_searches += 1;
        self.budget.resume();
        score
    }
}

/// A search that deepens.
struct Deepening<'a, 's, G: Knowledge, E: Evaluator<G>, O> {
    input: &'a SearchInput<'a, G, E>,
    mode: SearchMode,
    stability: Stability<G::Move>,
    searcher: Searcher<'s, G, E, O>,
    /// The best lines so far, of one state of the search: distinct, the best first.
    lines: Vec<Line<G::Move>>,
    /// Whether an unfinished iteration has been reported since.
    has_reported: bool,
}

impl<'a, 's, G: Knowledge, E: Evaluator<G>, O: Observer<G::Move>> Deepening<'a, 's, G, E, O> {
    fn new(
        input: &'a SearchInput<'a, G, E>,
        mode: SearchMode,
        searcher: Searcher<'s, G, E, O>,
    ) -> Deepening<'a, 's, G, E, O> {
        let (stability, lines) = (Stability::new(), Vec::new());
        Deepening { input, mode, stability, searcher, lines, has_reported: false }
    }

    /// Deepens until there is a reason to stop.
    fn run(mut self) -> SearchResult<G::Move> {
        self.searcher.heuristics.new_search(self.input.options.constants);
        let limit = self.input.limits.depth;
        let last = limit.unwrap_or(MAX_PLY as u32).min(MAX_PLY as u32) as i32;
        let mut depth = if self.input.options.iterative || limit.is_none() { 1 } else { last };
        let mut is_any_finished = false;
        while depth <= last && self.iterate(depth) {
            is_any_finished = true;
            if self.is_done(depth) {
                break;
            }
            depth += 1;
        }
        // Not for helper threads, nor after a proven win: depth 1 would add nothing.
        let is_won = |line: &Line<G::Move>| line.score.is_decisive() && line.score > Score::DRAW;
        let is_known = is_any_finished
            || (depth > 1 && !self.lines.is_empty())
            || self.lines.first().is_some_and(is_won);
        if !is_known && self.searcher.listener.is_some() {
            self.finish_depth_one();
        }
        let best = self.lines.first().map(|line| &line.pv[..]);
        let mv = best.and_then(|pv| pv.first().copied());
        let ponder = best
            .and_then(|pv| pv.get(1).copied())
            .or_else(|| self.searcher.table_line(0, vec![mv?], 2, |_| true).get(1).copied());
        SearchResult { mv, ponder, nodes: self.searcher.nodes() }
    }

    /// Finishes depth 1 if no iteration has been finished: however short the limits are, the result is at
    /// least the best move at depth 1, or by static evaluation if the root is sorted by it, as depth 1 then
    /// takes thousands of nodes. If depth 1 does not end, because captures lead to ever more captures, it is
    /// the best move so far.
    fn finish_depth_one(&mut self) {
        if !self.input.sorts_root_by_static_eval() {
            self.searcher.budget.grant(LAST_NODES, &self.searcher.shared.deadline);
            self.iterate(1);
        }
        if !self.lines.is_empty() {
            return;
        }
        let first = self.searcher.root.moves[0].mv;
        if let Some((mv, score)) = self.input.best_by_static_eval(&[first], &mut || false) {
            self.lines = vec![Line { depth: 1, score, bound: Bound::Exact, pv: vec![mv] }];
            self.report_lines();
        }
    }

    /// One iteration: the best principal variations of the root, each among the root moves that do not begin
    /// a better one. Returns whether it was finished.
    fn iterate(&mut self, depth: i32) -> bool {
        let count = self.input.options.multi_pv.clamp(1, self.searcher.root.moves.len());
        (self.searcher.iteration, self.searcher.seldepth) = (depth as usize, 0);
        if self.searcher.listener.is_some() {
            self.searcher.shared.seldepth.store(0, Ordering::Relaxed);
        }
        self.searcher.root.new_iteration();
        for pv_index in 0..count {
            self.searcher.root.pv_index = pv_index;
            match self.mode {
                SearchMode::Mtdf => self.mtdf(depth),
                _ => self.aspire(depth),
            }
            if self.searcher.is_stopped() {
                self.end_iteration(depth);
                return false;
            }
            self.searcher.root.sort_finished();
        }
        self.lines = self.searcher.root.lines(depth, count);
        self.report_lines();
        true
    }

    /// Ends an iteration that was stopped: the lines stay those of the last one that was finished, unless the
    /// best line is a better one by now. With several lines, only a win is put before them.
    fn end_iteration(&mut self, depth: i32) {
        self.searcher.root.clear_scores();
        let last = self.lines.first().map(|line| line.score);
        let proven = self.searcher.root.take_partial(depth, last).filter(|line| match &self.lines[..] {
            [] | [_] => true,
            [best, ..] => line.score.is_decisive() && line.score > best.score,
        });
        if let Some(line) = proven {
            let count = self.lines.len().max(1);
            self.lines.retain(|other| other.pv[0] != line.pv[0]);
            self.lines.insert(0, line);
            self.lines.truncate(count);
        } else if !self.has_reported || self.lines.is_empty() {
            return;
        }
        // The last report is final.
        self.report_lines();
    }

    /// Searches one principal variation of the root, with an aspiration window about its last score.
    fn aspire(&mut self, depth: i32) {
        let pv_index = self.searcher.root.pv_index;
        let previous = self.searcher.root.current().previous;
        let mut window = Window::FULL;
        let constants = self.input.options.constants;
        let mut half = constants.aspiration_window;
        let bounded = previous > -Score::INFINITE && !previous.is_decisive();
        if depth >= constants.aspiration_depth && bounded && self.mode != SearchMode::Minimax {
            let half = Score::from_thousandths(half);
            window = self.searcher.margins.without_far_bounds(previous - half, previous + half);
        }
        // After a fail high, the next search is shallower (selective).
        let mut reduction = 0;
        loop {
            let score = self.searcher.search_root((depth - reduction).max(1), window);
            if self.searcher.is_stopped() {
                return;
            }
            let wider = Score::from_thousandths(half);
            // Not a product of integers, which might overflow.
            half = (f64::from(half) * f64::from(constants.aspiration_growth) / 100.0) as i32;
            if score <= window.alpha {
                self.report_bound(depth, score, Bound::Upper);
                self.searcher.root.has_fallen |= pv_index == 0;
                reduction = 0;
                window = self.searcher.margins.without_far_bounds(score - wider, window.beta);
            } else if score >= window.beta {
                self.report_bound(depth, score, Bound::Lower);
                if self.searcher.selective && !score.is_decisive() {
                    reduction = (reduction + 1).min(constants.aspiration_reduction);
                }
                window = self.searcher.margins.without_far_bounds(window.alpha, score + wider);
            } else {
                return;
            }
        }
    }

    /// MTD(f): searches one principal variation of the root, from its last score on, by null windows alone,
    /// each of which bounds the value from one side (A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin,
    /// "Best-first fixed-depth minimax algorithms", 1996). The nodes are those of `pvs` off the principal
    /// variation, and the table carries results from one search to the next.
    fn mtdf(&mut self, depth: i32) {
        let searcher = &mut self.searcher;
        let previous = searcher.root.current().previous;
        let mut value = if previous > -Score::INFINITE { previous } else { Score::DRAW };
        let Window { alpha: mut lower, beta: mut upper } = Window::FULL;
        while lower < upper {
            let window = Window::null_below(value.max(lower + Score::STEP));
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
        let first = vec![searcher.root.current().mv];
        let pv = searcher.table_line(0, first, value.mate_distance().unwrap_or(searcher.iteration), |_| true);
        let entry = searcher.root.current_mut();
        (entry.score, entry.pv) = (value, pv);
    }

    /// Whether the result is good enough to stop.
    fn is_done(&mut self, depth: i32) -> bool {
        let moves = &self.searcher.root.moves;
        let (first, best) = (moves[0].mv, moves[0].score);
        let nodes: u64 = moves.iter().map(|entry| entry.nodes).sum();
        let share = moves[0].nodes as f64 / nodes.max(1) as f64;
        let factor = self.stability.factor(first, best, share, self.searcher.margins.unit);
        let plies = best.mate_distance();
        let mate = self.input.limits.mate.map(|moves| 2 * moves as usize - 1);
        let mate_found = best > Score::DRAW && plies.zip(mate).is_some_and(|(plies, limit)| plies <= limit);
        if mate_found || self.input.limits.ends_when_lost && best.is_loss() {
            return true;
        }
        let forced = plies.is_some_and(|plies| depth as usize >= FORCED_END_FACTOR * plies);
        // Candidates are not all moves: while others wait, a single one may turn out to lose.
        let only_move = moves.len() == 1 && !self.input.limits.ends_when_lost;
        let has_enough_nodes =
            self.input.limits.soft_nodes.is_some_and(|limit| self.searcher.nodes() >= limit);
        let deadline = &self.searcher.shared.deadline;
        deadline.is_last_iteration(factor, forced || only_move) || has_enough_nodes
    }

    /// Reports a bound of the score after a failed window. Only for a single line: several would no longer be
    /// consistent.
    fn report_bound(&mut self, depth: i32, score: Score, bound: Bound) {
        if self.input.options.multi_pv == 1 {
            let pv = self.searcher.root.moves[0].pv.clone();
            self.report(0, Line { depth, score, bound, pv });
            self.has_reported = true;
        }
    }

    /// Reports the best lines.
    fn report_lines(&mut self) {
        for index in 0..self.lines.len() {
            self.report(index, self.lines[index].clone());
        }
        self.has_reported = false;
    }

    /// Reports a line.
    fn report(&mut self, index: usize, Line { depth, score, bound, pv }: Line<G::Move>) {
        let report = Report {
            depth: depth as u32,
            // A line may come from the table.
            seldepth: self.searcher.share_seldepth().max(pv.len()) as u32,
            multipv: index as u32 + 1,
            score,
            bound,
            nodes: self.searcher.nodes(),
            time: self.searcher.shared.deadline.elapsed(),
            hashfull: self.searcher.table.hashfull(),
            tbhits: self.searcher.tbhits(),
            visits: None,
            pv,
        };
        if let Some(listener) = &mut self.searcher.listener {
            listener.report(report);
            self.searcher.progress_timer.restart();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::chess::Chess;
    use crate::search::searcher::tests::with_one_of_threads;

    #[test]
    fn one_of_several_threads_alone_searches_the_tree_of_a_single_one() {
        // Deep enough for singular extensions on the principal variation.
        for fen in &Chess::info().bench.fens[..4] {
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
