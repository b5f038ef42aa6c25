//! The state of one thread of a search by depth, and its steps from one position to the next.

use std::time::Duration;

use super::constants::Margins;
use super::input::SearchInput;
use super::limits::{Budget, ProgressTimer};
use super::msd::MsdFilter;
use super::observer::{Observer, Step, Unobserved};
use super::options::SearchMode;
use super::ordering::{Context, Heuristics, MovePicker};
use super::report::{Listener, Progress};
use super::root::Root;
use super::table::{TranspositionTable, TtEntry};
use super::threads::SharedState;
use super::window::{Bound, Window};
use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::{EndgameTables, Game, GameHistory, Knowledge, mixed};
use crate::sync::Ordering;

/// Root moves are announced once a search has taken this long.
const ANNOUNCE_AFTER: Duration = Duration::from_secs(1);

/// Depth and window of a search in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PvSearch {
    /// Plies that are left.
    pub(super) depth: i32,
    pub(super) window: Window,
}

/// A ply of the line that is being searched.
#[derive(Clone, Debug)]
pub(super) struct Ply<G: Game, S> {
    pub(super) position: G,
    /// The evaluator state of the position, once [`Searcher::update_eval_state`] has been called.
    pub(super) state: S,
    /// Whether `state` is that of the position.
    pub(super) is_up_to_date: bool,
    /// The corrected static evaluation, for the comparison with later positions of the line; `None` in check
    /// or if it was not computed.
    pub(super) static_eval: Option<Score>,
    /// Cutoffs at this ply below the same parent so far.
    pub(super) cutoffs: i32,
    /// The context of a node for the history of quiet moves.
    pub(super) context: Context,
    /// The move made here; `None` for the null move.
    pub(super) mv: Option<G::Move>,
    /// The reduction of that move, in plies.
    pub(super) reduction: i32,
    pub(super) picker: MovePicker<G::Move>,
    /// The moves searched here.
    pub(super) searched: Vec<G::Move>,
    /// The moves that the MSD filter keeps, where it is on.
    pub(super) kept: Vec<G::Move>,
    /// The search of a PV node, which another thread may finish first.
    pub(super) pv_search: Option<PvSearch>,
    /// The principal variation from here on.
    pub(super) pv: Vec<G::Move>,
}

impl<G: Game, S> Ply<G, S> {
    /// A ply that no search has reached yet.
    pub(super) fn new(position: G, state: S) -> Ply<G, S> {
        Ply {
            position,
            state,
            is_up_to_date: true,
            static_eval: None,
            cutoffs: 0,
            context: Context::default(),
            mv: None,
            reduction: 0,
            picker: MovePicker::default(),
            searched: Vec::new(),
            kept: Vec::new(),
            pv_search: None,
            pv: Vec::new(),
        }
    }
}

/// One thread of a search of one position.
pub(super) struct Searcher<'a, G: Knowledge, E: Evaluator<G>, O = Unobserved> {
    pub(super) evaluator: &'a E,
    pub(super) margins: Margins,
    pub(super) table: &'a TranspositionTable,
    /// Endgame tables to probe, if any.
    pub(super) tables: Option<&'a dyn EndgameTables<G>>,
    pub(super) heuristics: &'a mut Heuristics<G>,
    pub(super) mode: SearchMode,
    pub(super) selective: bool,
    /// Moves of a node below the root that are searched at most.
    pub(super) width: usize,
    /// At plies below this one, the value of a move is the mean over all outcomes of chance.
    pub(super) chance_plies: usize,
    /// Minimax selective deepening, where it is requested.
    msd: Option<MsdFilter<'a, E>>,
    /// The positions before that of the ply that is being searched.
    pub(super) history: GameHistory<G>,
    /// The number of positions before the root.
    game_plies: usize,
    pub(super) stack: Vec<Ply<G, E::State>>,
    pub(super) root: Root<G::Move>,
    /// Depth of the iteration, in plies.
    pub(super) iteration: usize,
    /// Searches of the root that are over, each of one depth and window.
    pub(super) root_searches: usize,
    /// The deepest ply visited in the iteration.
    pub(super) seldepth: usize,
    /// No null moves before this ply: a null-move cutoff is being verified.
    pub(super) null_move_ply: usize,
    pub(super) budget: Budget,
    pub(super) shared: &'a SharedState<'a, G::Move>,
    /// The listener; none in helper threads.
    pub(super) listener: Option<&'a mut dyn Listener<G::Move>>,
    pub(super) observer: O,
    /// When progress is due.
    pub(super) progress_timer: ProgressTimer,
}

/// A search of the position at a ply, to a depth and within a window: its value for its side to move.
pub(super) type Search<'f, 'a, G, E, O> = &'f dyn Fn(&mut Searcher<'a, G, E, O>, i32, Window, usize) -> Score;

impl<'a, G: Knowledge, E: Evaluator<G>, O: Observer<G::Move>> Searcher<'a, G, E, O> {
    /// A search that has not yet begun.
    pub(super) fn new(
        input: &SearchInput<'a, G, E>,
        mode: SearchMode,
        root: Root<G::Move>,
        table: &'a TranspositionTable,
        heuristics: &'a mut Heuristics<G>,
        shared: &'a SharedState<'a, G::Move>,
        (listener, observer): (Option<&'a mut dyn Listener<G::Move>>, O),
    ) -> Searcher<'a, G, E, O> {
        let options = input.options;
        let mut state = E::State::default();
        input.evaluator.reset(input.position, &mut state);
        Searcher {
            evaluator: input.evaluator,
            margins: Margins::new(input.evaluator.scale(), options.constants),
            table,
            tables: input.tables,
            heuristics,
            mode,
            // Plain searches are for comparison.
            selective: options.selective && matches!(mode, SearchMode::Pvs | SearchMode::Mtdf),
            width: if options.width == 0 { usize::MAX } else { options.width },
            chance_plies: match mode {
                _ if !G::HAS_CHANCE => 0,
                SearchMode::Expectiminimax => MAX_PLY,
                SearchMode::Minimax => 0,
                _ => options.chance_plies.min(MAX_PLY),
            },
            msd: MsdFilter::if_needed(&options.msd, input.evaluator, options.seed),
            history: input.history.clone(),
            game_plies: input.history.past().len(),
            stack: vec![Ply::new(input.position.clone(), state); MAX_PLY + 2],
            root,
            iteration: 0,
            root_searches: 0,
            seldepth: 0,
            null_move_ply: 0,
            budget: Budget::new(input.limits.nodes),
            shared,
            listener,
            observer,
            progress_timer: ProgressTimer::new(),
        }
    }

    /// Counts a node at `ply`. Returns whether the search has to end.
    #[inline]
    pub(super) fn visit(&mut self, ply: usize) -> bool {
        self.seldepth = self.seldepth.max(ply);
        if self.budget.is_poll_due(&self.shared.deadline) {
            self.poll(ply);
        }
        self.budget.visit()
    }

    /// Checks the reasons to end the search, or a part of it that another thread has finished.
    #[cold]
    fn poll(&mut self, ply: usize) {
        let is_root_finished = self.shared.has_finished(self.root_searches);
        self.budget.poll(&self.shared.deadline, is_root_finished);
        self.share_seldepth();
        self.report_progress();
        if self.shared.is_shared() && !self.is_stopped() {
            self.stop_searched_nodes(ply);
        }
    }

    /// Tells the other threads how deep this one has been, and returns the most of all.
    pub(super) fn share_seldepth(&self) -> usize {
        self.shared.seldepth.fetch_max(self.seldepth, Ordering::Relaxed).max(self.seldepth)
    }

    /// Whether a table entry can replace a search. A greater depth is better, but differs from plain minimax.
    pub(super) fn satisfies(&self, entry: &TtEntry<G::Move>, PvSearch { depth, window }: PvSearch) -> bool {
        let stored = i32::from(entry.depth);
        (stored == depth || (stored > depth && self.uses(Step::Memory))) && entry.causes_cutoff(window)
    }

    /// Stops a PV node above `ply`, and all below it, if another thread has finished its search meanwhile.
    fn stop_searched_nodes(&mut self, ply: usize) {
        let answered = (1..ply).find_map(|above| {
            let pv_search = self.stack[above].pv_search?;
            let entry = self.tt_entry(above).filter(|entry| self.satisfies(entry, pv_search))?;
            Some((above, entry))
        });
        if let Some((above, entry)) = answered {
            let is_exact = |entry: &TtEntry<G::Move>| entry.bound == Bound::Exact;
            let mate = entry.score.mate_distance();
            let plies = mate.map_or(self.iteration, |plies| plies - above);
            let line = self.table_line(above, Vec::new(), plies, is_exact);
            // The line of a mate is reported with it, to its end.
            if mate.is_none() || line.len() == plies {
                self.stack[above].pv = line;
                self.budget.end_node(above, entry.score);
            }
        }
    }

    /// Whether the search has been stopped or has used up its budget.
    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.budget.is_stopped()
    }

    /// Nodes visited by all threads, as of the last update.
    pub(super) fn nodes(&self) -> u64 {
        self.budget.all_nodes(&self.shared.deadline)
    }

    /// Positions that all threads have found in the endgame tables; `None` without tables.
    pub(super) fn tbhits(&self) -> Option<u64> {
        self.tables.map(|_| self.shared.tbhits.load(Ordering::Relaxed))
    }

    /// The position at `ply`.
    #[inline]
    pub(super) fn position(&self, ply: usize) -> &G {
        &self.stack[ply].position
    }

    /// The score of a position below the root that is drawn by its history, or that ends the game by the
    /// halfmove clock. The first repetition within the tree counts as a draw (Neighbours thesis, §5.2).
    #[inline(always)]
    pub(super) fn draw_score(&self, ply: usize) -> Option<Score> {
        let position = self.position(ply);
        if self.is_drawn(position, &self.history) {
            return Some(Score::DRAW);
        }
        let score = || if position.is_terminal() { self.terminal_score(ply) } else { Score::DRAW };
        has_no_progress(position).then(score)
    }

    /// Whether a position counts as drawn by these positions before it, or for lack of material.
    #[inline(always)]
    fn is_drawn(&self, position: &G, history: &GameHistory<G>) -> bool {
        history.is_repetition(position, self.game_plies) || position.is_dead()
    }

    /// The score of a position without legal moves.
    pub(super) fn terminal_score(&self, ply: usize) -> Score {
        let position = self.position(ply);
        match position.terminal_outcome().winner {
            None => Score::DRAW,
            Some(winner) if winner == position.side_to_move() => Score::mate_in(ply),
            Some(_) => Score::mated_in(ply),
        }
    }

    /// Computes the evaluator's state of the position at `ply`, from that of the nearest ply above that has
    /// one. It is computed lazily, as many positions never need it.
    #[inline]
    pub(super) fn update_eval_state(&mut self, ply: usize) {
        if self.stack[ply].is_up_to_date {
            return;
        }
        // The root always has one.
        let first = self.stack[..ply].iter().rposition(|entry| entry.is_up_to_date).unwrap_or(0);
        for ply in first..ply {
            let [parent, child] = plies(&mut self.stack, ply);
            self.evaluator.update(&parent.position, &parent.state, &child.position, &mut child.state);
            child.is_up_to_date = true;
        }
    }

    /// The static evaluation of the position at `ply`.
    #[inline]
    pub(super) fn static_eval(&mut self, ply: usize) -> Score {
        self.update_eval_state(ply);
        let Ply { position, state, .. } = &self.stack[ply];
        self.evaluator.evaluate(position, state)
    }

    /// The static evaluation of the position at `ply`, from its table entry if that has it, and the same with
    /// the correction history.
    #[inline]
    pub(super) fn corrected_eval(&mut self, ply: usize, tt_entry: Option<&TtEntry<G::Move>>) -> [Score; 2] {
        let static_eval = tt_entry.and_then(|entry| entry.static_eval);
        let static_eval = static_eval.unwrap_or_else(|| self.static_eval(ply));
        if G::CORRECTION_KEYS == 0 {
            return [static_eval; 2];
        }
        let corrected = static_eval + self.heuristics.correction(self.position(ply));
        [static_eval, corrected.clamp(-Score::MAX_EVALUATION, Score::MAX_EVALUATION)]
    }

    /// The score of a position at the horizon.
    #[inline]
    pub(super) fn leaf_score(&mut self, ply: usize) -> Score {
        if self.position(ply).is_terminal() { self.terminal_score(ply) } else { self.static_eval(ply) }
    }

    /// The key in the table of a position at `ply`. With chance nodes in some plies, or if MSD keeps fewer
    /// moves there, the value of a position depends on the ply.
    #[inline]
    pub(super) fn table_key(&self, position: &G, ply: usize) -> u64 {
        let key = position.table_key();
        let key = key ^ self.msd.as_ref().map_or(0, |msd| msd.key_part(position, ply, self.iteration));
        match self.chance_plies {
            _ if !G::HAS_CHANCE => key,
            0 => key,
            MAX_PLY => key ^ mixed(MAX_PLY as u64),
            plies => key ^ mixed(plies.saturating_sub(ply) as u64),
        }
    }

    /// The table's entry of the position at `ply`, its score as seen from the root.
    #[inline]
    pub(super) fn tt_entry(&self, ply: usize) -> Option<TtEntry<G::Move>> {
        let entry = self.table.probe::<G::Move>(self.table_key(self.position(ply), ply))?;
        if entry.score.is_decisive() && !self.is_in_reach(entry.score, ply) {
            return Some(entry.without_score());
        }
        Some(TtEntry { score: entry.score.from_tt(ply), ..entry })
    }

    /// Whether a mate or a tablebase result in the table still is one for the position at `ply`: another line
    /// to the position, or more moves before it, may have left too few plies, of the search or to the draw by
    /// lack of progress. Without tables there are no tablebase results, which would stand in the way of mates.
    #[cold]
    fn is_in_reach(&self, score: Score, ply: usize) -> bool {
        let Some(plies) = score.mate_distance() else {
            return self.tables.is_some() && score.from_tt(ply).is_decisive();
        };
        let clock = self.position(ply).halfmove_clock();
        let most = G::DRAW_RULES.no_progress.map_or(MAX_PLY, |limit| limit.saturating_sub(clock));
        plies <= most && ply + plies <= MAX_PLY
    }

    /// Stores an entry for the position at `ply`, its score as seen from the root.
    #[inline]
    pub(super) fn store(&self, ply: usize, entry: TtEntry<G::Move>) {
        let entry = TtEntry { score: entry.score.to_tt(ply), ..entry };
        self.table.store(self.table_key(self.position(ply), ply), entry);
    }

    /// Sets the next ply to the position after a move at `ply`. All children are made here.
    #[inline(always)]
    pub(super) fn make_child(&mut self, ply: usize, mv: G::Move) {
        let [parent, child] = plies(&mut self.stack, ply);
        child.position.clone_from(&parent.position);
        child.position.play(mv);
        child.is_up_to_date = false;
        if G::MOVE_KINDS > 1 {
            child.context.continuation =
                [Some(parent.position.move_kind(mv)), parent.context.continuation[0]];
        }
        self.table.prefetch(self.table_key(self.position(ply + 1), ply + 1));
    }

    /// Plays a move at `ply`; [`Searcher::undo`] takes it back.
    #[inline(always)]
    pub(super) fn play(&mut self, ply: usize, mv: G::Move) {
        if let Some(msd) = &mut self.msd {
            msd.note_move(ply + 1, || self.stack[ply].position.is_tactical(mv));
        }
        self.make_child(ply, mv);
        self.stack[ply].mv = Some(mv);
        self.push_history(ply);
    }

    /// Plays the null move at `ply`, which leads to the position `passed`; [`Searcher::undo`] takes it back.
    pub(super) fn play_null_move(&mut self, ply: usize, passed: G) {
        let [parent, child] = plies(&mut self.stack, ply);
        child.position = passed;
        child.is_up_to_date = false;
        child.context.continuation = [None, parent.context.continuation[0]];
        (parent.mv, parent.reduction) = (None, 0);
        if let Some(msd) = &mut self.msd {
            msd.note_move(ply + 1, || false);
        }
        self.table.prefetch(self.table_key(self.position(ply + 1), ply + 1));
        self.push_history(ply);
    }

    /// The depth of the position at `ply`, which minimax selective deepening may extend beyond the horizon.
    #[inline]
    pub(super) fn msd_depth(&self, depth: i32, ply: usize) -> i32 {
        let Some(msd) = &self.msd else { return depth };
        msd.depth(self.position(ply), depth, ply, self.iteration)
    }

    /// Keeps the moves of the position at `ply` that minimax selective deepening searches, in their order.
    pub(super) fn msd_keep(&mut self, ply: usize, moves: &mut Vec<G::Move>) {
        if !self.msd_filters() {
            return;
        }
        self.update_eval_state(ply);
        let Some(msd) = &mut self.msd else { return };
        let Ply { position, state, .. } = &self.stack[ply];
        let is_volatile = msd.is_volatile(position, ply);
        let mut poller = self.shared.deadline.poller();
        msd.keep(&mut self.history, position, state, ply, is_volatile, moves, &mut || poller.is_over());
    }

    /// Lists the moves of the position at `ply` that are searched in the `kept` of its stack entry; false
    /// where all of them are.
    #[inline]
    pub(super) fn msd_list_kept(&mut self, ply: usize) -> bool {
        let filters = self.msd_filters();
        if filters {
            let mut kept = std::mem::take(&mut self.stack[ply].kept);
            kept.clear();
            self.position(ply).legal_moves(&mut kept);
            self.msd_keep(ply, &mut kept);
            self.stack[ply].kept = kept;
        }
        filters
    }

    /// The moves of the position at `ply` that minimax selective deepening searches; `None` for all. Only
    /// while they are searched.
    pub(super) fn kept(&self, ply: usize) -> Option<&[G::Move]> {
        (ply > 0 && self.msd_filters()).then(|| &self.stack[ply].kept[..])
    }

    /// Whether moves below the root are left out.
    #[inline]
    pub(super) fn msd_filters(&self) -> bool {
        self.msd.as_ref().is_some_and(MsdFilter::is_on)
    }

    /// Whether the null move is allowed at `ply`: not in answer to a null move.
    pub(super) fn allows_null_move(&self, ply: usize) -> bool {
        ply > 0 && ply >= self.null_move_ply && self.stack[ply - 1].mv.is_some()
    }

    /// Adds the position at `ply` to the history, if the game has repetitions.
    #[inline]
    fn push_history(&mut self, ply: usize) {
        if G::DRAW_RULES.repetitions.is_some() {
            self.history.push(&self.stack[ply].position);
        }
    }

    /// Takes back the last [`Searcher::play`].
    #[inline]
    pub(super) fn undo(&mut self) {
        if G::DRAW_RULES.repetitions.is_some() {
            self.history.pop();
        }
    }

    /// The value of the child of `ply` for the side to move at `ply`, whose window this is.
    #[inline(always)]
    pub(super) fn search_child(
        &mut self,
        ply: usize,
        depth: i32,
        window: Window,
        search: impl Fn(&mut Self, i32, Window, usize) -> Score,
    ) -> Score {
        let is_same_player = self.position(ply + 1).side_to_move() == self.position(ply).side_to_move();
        window.descend(is_same_player, |window| search(self, depth, window, ply + 1))
    }

    /// Sets the principal variation at `ply` to a move and the line after it.
    pub(super) fn update_pv(&mut self, ply: usize, mv: G::Move) {
        let [parent, child] = plies(&mut self.stack, ply);
        parent.pv.clear();
        parent.pv.push(mv);
        parent.pv.extend_from_slice(&child.pv);
    }

    /// A line of at most this many plies from the position at `ply`: `line`, extended by table moves until
    /// the game ends or `trusts` is false of an entry.
    pub(super) fn table_line(
        &self,
        ply: usize,
        mut line: Vec<G::Move>,
        plies: usize,
        trusts: impl Fn(&TtEntry<G::Move>) -> bool,
    ) -> Vec<G::Move> {
        let (mut position, mut history) = (self.position(ply).clone(), self.history.clone());
        // Later positions belong to the line being searched.
        history.truncate(self.game_plies + ply);
        for &mv in &line {
            history.push(&position);
            position.play(mv);
        }
        while line.len() < plies
            && !self.is_drawn(&position, &history)
            && !has_no_progress(&position)
            && let Some(entry) = self.table.probe::<G::Move>(self.table_key(&position, ply + line.len()))
            && trusts(&entry)
            && let Some(mv) = entry.best.filter(|&mv| position.is_legal(mv))
        {
            history.push(&position);
            position.play(mv);
            line.push(mv);
        }
        line
    }

    /// Announces a root move, once the search has taken [`ANNOUNCE_AFTER`].
    pub(super) fn announce_root_move(&mut self, mv: G::Move, number: usize) {
        if self.listener.is_none() || self.shared.deadline.elapsed() < ANNOUNCE_AFTER {
            return;
        }
        let progress = self.progress();
        if let Some(listener) = &mut self.listener {
            listener.root_move(self.iteration as u32, mv, self.root.pv_index + number, &progress);
            self.progress_timer.restart();
        }
    }

    /// Reports the progress, if it is due.
    fn report_progress(&mut self) {
        if self.listener.is_none() || !self.progress_timer.is_due() {
            return;
        }
        let progress = self.progress();
        if let Some(listener) = &mut self.listener {
            listener.progress(&progress);
        }
    }

    /// How far the search has come.
    fn progress(&self) -> Progress {
        Progress {
            nodes: self.nodes(),
            time: self.shared.deadline.elapsed(),
            hashfull: self.table.hashfull(),
            tbhits: self.tbhits(),
        }
    }

    /// Records the search of a root move, with score and bound if it is the best so far. `before` are the
    /// nodes of this thread before that search.
    pub(super) fn note_root_move(&mut self, mv: G::Move, best: Option<(Score, Bound)>, before: u64) {
        let nodes = self.budget.own_nodes() - before;
        self.root.note(mv, best, &self.stack[0].pv, nodes);
    }
}

/// Whether the halfmove clock ends the game.
#[inline(always)]
fn has_no_progress<G: Game>(position: &G) -> bool {
    G::DRAW_RULES.no_progress.is_some_and(|limit| position.halfmove_clock() >= limit)
}

/// A ply and the next one.
#[inline]
fn plies<G: Knowledge, S>(stack: &mut [Ply<G, S>], ply: usize) -> [&mut Ply<G, S>; 2] {
    let [parent, child] = &mut stack[ply..ply + 2] else { unreachable!("a slice of two") };
    [parent, child]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::eval::Linear;
    use crate::game::chess::Chess;
    use crate::game::{Game, Knowledge};
    use crate::search::limits::{Control, Deadline, Limits, TimeManager};
    use crate::search::options::Options;

    /// Calls `job` with a searcher whose root is the position.
    pub(in crate::search) fn with_searcher<G: Knowledge, T>(
        position: &G,
        job: impl FnOnce(&mut Searcher<G, Linear<G>>) -> T,
    ) -> T {
        with_one_of_threads(1, position, job)
    }

    /// The same with a searcher that is one of several threads. The others do nothing.
    pub(in crate::search) fn with_one_of_threads<G: Knowledge, T>(
        threads: usize,
        position: &G,
        job: impl FnOnce(&mut Searcher<G, Linear<G>>) -> T,
    ) -> T {
        let (history, evaluator) = (GameHistory::new(), Linear::shipped(0).unwrap());
        let (options, limits) = (Options::default(), Limits::none());
        let input = SearchInput::new(position, &history, &evaluator, &options, &limits);
        let (table, mut heuristics) = (TranspositionTable::new(1).unwrap(), Heuristics::new());
        let control = Control::default();
        let deadline = Deadline::new(&control, limits.start, TimeManager::default());
        let shared = SharedState::new(deadline, threads);
        let root = Root::new(input.moves());
        job(&mut Searcher::new(
            &input,
            SearchMode::Pvs,
            root,
            &table,
            &mut heuristics,
            &shared,
            (None, Unobserved),
        ))
    }

    #[test]
    fn a_line_goes_on_with_the_moves_of_the_table() {
        let position = Chess::start();
        with_searcher(&position, |searcher| {
            let first = position.parse_move("e2e4").unwrap();
            let child = position.after(first);
            let reply = child.parse_move("e7e5").unwrap();
            let entry = |best| TtEntry {
                best: Some(best),
                score: Score::DRAW,
                bound: Bound::Lower,
                depth: 1,
                static_eval: None,
                is_pv: false,
            };
            let line =
                |searcher: &Searcher<_, _>, plies| searcher.table_line(0, vec![first], plies, |_| true);
            assert_eq!(line(searcher, 2), [first]);
            searcher.make_child(0, first);
            searcher.store(1, entry(reply));
            assert_eq!(line(searcher, 2), [first, reply]);
            assert_eq!(line(searcher, 1), [first], "no longer than asked for");
            searcher.make_child(0, first);
            searcher.store(1, entry(first));
            assert_eq!(line(searcher, 2), [first], "no move of a collision");
        });
    }
}
