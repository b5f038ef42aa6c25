//! The state of one thread of a search by depth, and its steps from one position to the next.

use std::time::Duration;

use super::heuristics::Heuristics;
use super::input::SearchInput;
use super::limits::{Budget, Ticker};
use super::margins::Margins;
use super::msd::MsdFilter;
use super::options::SearchMode;
use super::report::{Listener, Progress};
use super::root::Root;
use super::shared::SharedState;
use super::stack::Ply;
use super::table::{TranspositionTable, TtEntry};
use super::window::{Bound, Window};
use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::{EndgameTables, GameHistory, Searchable, mixed};

/// Root moves are announced once a search has taken this long.
const ANNOUNCE_AFTER: Duration = Duration::from_secs(1);

/// One thread of a search of one position.
pub(super) struct Searcher<'a, G: Searchable, E: Evaluator<G>> {
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
    /// At plies below this one, moves are worth the mean over all outcomes of chance.
    pub(super) chance_plies: usize,
    /// Minimax selective deepening, where it is asked for.
    pub(super) msd: Option<MsdFilter<'a, E>>,
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
    /// Hears of the search; none in helping threads.
    pub(super) listener: Option<&'a mut dyn Listener<G::Move>>,
    /// When it is to hear of the progress.
    pub(super) ticker: Ticker,
}

/// A search of the position at a ply, to a depth and within a window: its value for its side to move.
pub(super) type Search<'a, G, E> = fn(&mut Searcher<'a, G, E>, i32, Window, usize) -> Score;

impl<'a, G: Searchable, E: Evaluator<G>> Searcher<'a, G, E> {
    /// A search that has not yet begun.
    pub(super) fn new(
        input: &SearchInput<'a, G, E>,
        mode: SearchMode,
        root: Root<G::Move>,
        table: &'a TranspositionTable,
        heuristics: &'a mut Heuristics<G>,
        shared: &'a SharedState<'a, G::Move>,
        listener: Option<&'a mut dyn Listener<G::Move>>,
    ) -> Searcher<'a, G, E> {
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
            selective: options.selective,
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
            ticker: Ticker::new(),
        }
    }

    /// Searches the root to a depth within a window, with the search that was asked for, and sorts its moves.
    /// With several threads, the result is that of the first one to finish.
    pub(super) fn search_root(&mut self, depth: i32, window: Window) -> Score {
        let score = match self.mode {
            SearchMode::Pvs | SearchMode::Mtdf => self.pvs(depth, window, 0),
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

    /// Counts a node at `ply`; true when the search has to end, whatever the node is worth.
    #[inline]
    pub(super) fn visit(&mut self, ply: usize) -> bool {
        self.seldepth = self.seldepth.max(ply);
        if self.budget.is_poll_due(&self.shared.deadline) {
            self.poll(ply);
        }
        self.budget.visit()
    }

    /// Looks for a reason to end the search, or the part of it that another thread has already done.
    #[cold]
    fn poll(&mut self, ply: usize) {
        let is_root_finished = self.shared.has_finished(self.root_searches);
        self.budget.poll(&self.shared.deadline, is_root_finished);
        self.tell_progress();
        if self.shared.is_shared() && !self.is_stopped() {
            self.look_for_answers(ply);
        }
    }

    /// Whether the search has been told to end or has used up its budget.
    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.budget.is_stopped()
    }

    /// Nodes visited by all threads, as far as they have been added up.
    pub(super) fn nodes(&self) -> u64 {
        self.budget.all_nodes(&self.shared.deadline)
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
        if self.history.is_repetition(position, self.game_plies) || position.is_dead() {
            return Some(Score::DRAW);
        }
        let too_long = G::DRAW_RULES.no_progress.is_some_and(|limit| position.halfmove_clock() >= limit);
        too_long.then(|| if position.is_terminal() { self.terminal_score(ply) } else { Score::DRAW })
    }

    /// The score of a position without legal moves.
    pub(super) fn terminal_score(&self, ply: usize) -> Score {
        let position = self.position(ply);
        match position.terminal_outcome().winner {
            None => Score::DRAW,
            Some(winner) if winner == position.side_to_move() => Score::won_in(ply),
            Some(_) => Score::lost_in(ply),
        }
    }

    /// Computes the evaluator's state of the position at `ply`, from that of the nearest ply above that has
    /// one. Many positions are left again before anything asks for it.
    #[inline]
    pub(super) fn bring_up_to_date(&mut self, ply: usize) {
        if self.stack[ply].is_up_to_date {
            return;
        }
        // The root always is.
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
        self.bring_up_to_date(ply);
        let Ply { position, state, .. } = &self.stack[ply];
        self.evaluator.evaluate(position, state)
    }

    /// The static evaluation of the position at `ply`, from its table entry where that has it, and the same
    /// corrected by what searches of similar positions have found.
    #[inline]
    pub(super) fn corrected_eval(&mut self, ply: usize, tt_entry: Option<&TtEntry<G::Move>>) -> [Score; 2] {
        let static_eval = tt_entry.and_then(|entry| entry.static_eval);
        let static_eval = static_eval.unwrap_or_else(|| self.static_eval(ply));
        if G::STRUCTURES == 0 {
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

    /// The key in the table of a position at `ply`. Where chance counts in some plies from the root on, a
    /// position is worth something else at each of them.
    #[inline]
    pub(super) fn table_key(&self, position: &G, ply: usize) -> u64 {
        let key = position.table_key();
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
        Some(TtEntry { score: entry.score.relative_to_root(ply), ..entry })
    }

    /// Stores an entry for the position at `ply`, its score as seen from the root.
    #[inline]
    pub(super) fn store(&self, ply: usize, entry: TtEntry<G::Move>) {
        let entry = TtEntry { score: entry.score.relative_to(ply), ..entry };
        self.table.store(self.table_key(self.position(ply), ply), entry);
    }

    /// Makes the position after a move at `ply` that of the next ply: the one place where children come
    /// about.
    #[inline(always)]
    pub(super) fn make_child(&mut self, ply: usize, mv: G::Move) {
        let [parent, child] = plies(&mut self.stack, ply);
        child.position.clone_from(&parent.position);
        child.position.play(mv);
        child.is_up_to_date = false;
        if G::MOVE_KINDS > 1 {
            child.context.led_by = [Some(parent.position.move_kind(mv)), parent.context.led_by[0]];
        }
        self.table.prefetch(self.table_key(self.position(ply + 1), ply + 1));
    }

    /// Plays a move at `ply`; [`Searcher::undo`] takes it back.
    #[inline(always)]
    pub(super) fn play(&mut self, ply: usize, mv: G::Move) {
        if self.msd.as_ref().is_some_and(MsdFilter::asks_for_volatility) {
            let [parent, child] = plies(&mut self.stack, ply);
            child.after_tactical = parent.position.is_tactical(mv);
        }
        self.make_child(ply, mv);
        self.stack[ply].is_null_move = false;
        self.remember(ply);
    }

    /// Plays the null move at `ply`, which leads to the position `passed`; [`Searcher::undo`] takes it back.
    pub(super) fn play_null_move(&mut self, ply: usize, passed: G) {
        let [parent, child] = plies(&mut self.stack, ply);
        child.position = passed;
        child.is_up_to_date = false;
        child.context.led_by = [None, parent.context.led_by[0]];
        child.after_tactical = false;
        parent.is_null_move = true;
        self.table.prefetch(self.table_key(self.position(ply + 1), ply + 1));
        self.remember(ply);
    }

    /// Whether the null move is allowed at `ply`: not in answer to a null move.
    pub(super) fn may_null_move(&self, ply: usize) -> bool {
        ply > 0 && ply >= self.null_move_ply && !self.stack[ply - 1].is_null_move
    }

    /// Keeps the position at `ply`, which is about to be left, where repetition matters.
    #[inline]
    fn remember(&mut self, ply: usize) {
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
        search: Search<'a, G, E>,
    ) -> Score {
        let is_same_player = self.position(ply + 1).side_to_move() == self.position(ply).side_to_move();
        window.descend(is_same_player, |window| search(self, depth, window, ply + 1))
    }

    /// A move has become the best one at `ply`: its line is the principal variation from there.
    pub(super) fn raise_pv(&mut self, ply: usize, mv: G::Move) {
        let [parent, child] = plies(&mut self.stack, ply);
        parent.pv.clear();
        parent.pv.push(mv);
        parent.pv.extend_from_slice(&child.pv);
    }

    /// The principal variation from `ply` on is the one that the table has: the best moves as long as their
    /// scores are exact.
    pub(super) fn take_pv_from_table(&mut self, ply: usize) {
        let mut position = self.position(ply).clone();
        let mut pv = std::mem::take(&mut self.stack[ply].pv);
        pv.clear();
        while pv.len() < self.iteration
            && let Some(entry) = self.table.probe::<G::Move>(self.table_key(&position, ply + pv.len()))
            && entry.bound == Bound::Exact
            && let Some(best) = entry.best.filter(|&mv| position.is_legal(mv))
        {
            position.play(best);
            pv.push(best);
        }
        self.stack[ply].pv = pv;
    }

    /// A line of so many plies at most from the root on: a move, and the table moves behind it while the game
    /// goes on.
    pub(super) fn table_line(&mut self, mv: G::Move, plies: usize) -> Vec<G::Move> {
        let (mut line, mut next) = (Vec::new(), Some(mv));
        while let Some(mv) = next {
            self.play(line.len(), mv);
            line.push(mv);
            let ply = line.len();
            next = self.tt_entry(ply).and_then(|entry| entry.best).filter(|&mv| {
                ply < plies && self.draw_score(ply).is_none() && self.position(ply).is_legal(mv)
            });
        }
        line.iter().for_each(|_| self.undo());
        line
    }

    /// Announces that the search of a root move begins, once the search has taken a while.
    pub(super) fn announce_root_move(&mut self, mv: G::Move, number: usize) {
        if self.listener.is_none() || self.shared.deadline.elapsed() < ANNOUNCE_AFTER {
            return;
        }
        let progress = self.progress();
        if let Some(listener) = &mut self.listener {
            listener.root_move(self.iteration as u32, mv, self.root.pv_index + number, &progress);
            self.ticker.restart();
        }
    }

    /// Tells the listener how far the search has come, if it has heard nothing for a while.
    fn tell_progress(&mut self) {
        if self.listener.is_none() || !self.ticker.is_due() {
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

    /// Tells the root that one of its moves has been searched, with its score, and what that says, if it is
    /// the best so far. `before` are the nodes of this thread before that search.
    pub(super) fn note_root_move(&mut self, mv: G::Move, best: Option<(Score, Bound)>, before: u64) {
        let nodes = self.budget.own_nodes() - before;
        self.root.note(mv, best, &self.stack[0].pv, nodes);
    }
}

/// A ply and the next one.
#[inline]
fn plies<G: Searchable, S>(stack: &mut [Ply<G, S>], ply: usize) -> [&mut Ply<G, S>; 2] {
    let [parent, child] = &mut stack[ply..ply + 2] else { unreachable!("a slice of two") };
    [parent, child]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::eval::Linear;
    use crate::game::chess::Chess;
    use crate::game::{Features, Game};
    use crate::search::limits::{Control, Deadline, Limits, TimeManager};
    use crate::search::options::Options;

    /// Does something with a searcher of a position, which is its root.
    pub(in crate::search) fn with_searcher<G: Searchable + Features, T>(
        position: &G,
        job: impl FnOnce(&mut Searcher<G, Linear<G>>) -> T,
    ) -> T {
        with_one_of_threads(1, position, job)
    }

    /// The same with a searcher that is one of several threads. The others do nothing.
    pub(in crate::search) fn with_one_of_threads<G: Searchable + Features, T>(
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
        job(&mut Searcher::new(&input, SearchMode::Pvs, root, &table, &mut heuristics, &shared, None))
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
            assert_eq!(searcher.table_line(first, 2), [first]);
            searcher.make_child(0, first);
            searcher.store(1, entry(reply));
            assert_eq!(searcher.table_line(first, 2), [first, reply]);
            assert_eq!(searcher.table_line(first, 1), [first], "no longer than asked for");
            searcher.make_child(0, first);
            searcher.store(1, entry(first));
            assert_eq!(searcher.table_line(first, 2), [first], "no move of a collision");
        });
    }
}
