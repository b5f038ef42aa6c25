//! What a search keeps while it runs.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::filter::Sieve;
use super::heuristics::{Heuristics, Path};
use super::ordering::MovePicker;
use super::table::{Bound, Entry, TranspositionTable};
use super::window::Window;
use super::{Control, Listener, SearchMode, Task, TimeManager};
use crate::eval::{Linear, MAX_PLY, Score};
use crate::game::{Features, Game, GameHistory, GameMove, Knowledge, mixed};

/// Between two looks at the clock and the stop flag, so many nodes are visited at most.
const POLL_INTERVAL: u64 = 1024;

/// A search that has taken so long tells which root move it is at: before, they fly by.
const ANNOUNCEMENTS: Duration = Duration::from_secs(1);

/// Moves whose search the threads of a team know of.
const WORK_PLACES: usize = 1 << 15;

/// What the threads of one search share besides the table.
pub(super) struct Team<'a, M> {
    /// The reins, held from outside.
    pub(super) control: &'a Control,
    /// Nodes that the threads have told of; each is ahead by less than [`POLL_INTERVAL`].
    nodes: AtomicU64,
    /// The thread that decides has decided.
    done: AtomicBool,
    /// The moves that are being searched, each with its position, at the place that its key says; nothing where there is
    /// one thread alone. What is overwritten is forgotten.
    at_work: Vec<AtomicU64>,
    /// The depth of the deepest iteration that a thread has finished, and what it has found, where there are several.
    finished: AtomicUsize,
    found: Mutex<Vec<RootMove<M>>>,
}

impl<'a, M: GameMove> Team<'a, M> {
    /// A team of so many threads; no node visited yet.
    pub(super) fn new(control: &'a Control, threads: usize) -> Team<'a, M> {
        let places = if threads > 1 { WORK_PLACES } else { 0 };
        let at_work = std::iter::repeat_with(|| AtomicU64::new(0)).take(places).collect();
        Team {
            control,
            nodes: AtomicU64::new(0),
            done: AtomicBool::new(false),
            at_work,
            finished: AtomicUsize::new(0),
            found: Mutex::new(Vec::new()),
        }
    }

    /// Where it is noted that a move is being searched, if that is of interest to anybody.
    pub(super) fn work_place<G: Knowledge<Move = M>>(&self, position: &G, mv: M) -> Option<WorkPlace<'_>> {
        if !self.is_shared() {
            return None;
        }
        let key = mixed(position.table_key() ^ u64::from(mv.to_bits()));
        let place = self.at_work.get(key as usize % WORK_PLACES)?;
        Some(WorkPlace { place, key })
    }

    /// Whether there are several threads.
    fn is_shared(&self) -> bool {
        !self.at_work.is_empty()
    }

    /// What has been found in the deepest iteration that a thread has finished.
    fn found(&self) -> MutexGuard<'_, Vec<RootMove<M>>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the other threads to end.
    pub(super) fn finish(&self) {
        self.done.store(true, Ordering::Relaxed);
    }
}

/// Where it is noted that a move is being searched.
#[derive(Clone, Copy)]
pub(super) struct WorkPlace<'a> {
    place: &'a AtomicU64,
    key: u64,
}

impl WorkPlace<'_> {
    /// Whether the move is being searched.
    pub(super) fn is_taken(self) -> bool {
        self.place.load(Ordering::Relaxed) == self.key
    }

    /// The search of the move begins.
    pub(super) fn take(self) {
        self.place.store(self.key, Ordering::Relaxed);
    }

    /// The search of the move has ended.
    pub(super) fn leave(self) {
        if self.is_taken() {
            self.place.store(0, Ordering::Relaxed);
        }
    }
}

/// A move of the root with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove<M> {
    pub(super) mv: M,
    /// Its score in this iteration; `-INFINITE` where it is not known, or only known not to be the best.
    pub(super) score: Score,
    /// Its last known score of earlier iterations; `-INFINITE` where it has none.
    pub(super) previous: Score,
    /// The line that begins with it.
    pub(super) pv: Vec<M>,
}

/// The state of one search of one position.
pub(super) struct Searcher<'a, G: Game> {
    pub(super) evaluator: &'a Linear<G>,
    pub(super) table: &'a TranspositionTable,
    pub(super) heuristics: &'a mut Heuristics<G>,
    pub(super) selective: bool,
    /// Moves of a node below the root that are searched at most.
    pub(super) width: usize,
    /// At plies below this one, moves are worth the mean over all outcomes of chance.
    pub(super) chance_plies: usize,
    /// Which moves are searched; whether that is not all of them, whether hot positions make a difference, and for how many
    /// plies behind the horizon.
    pub(super) filters: bool,
    notes_heat: bool,
    pub(super) hot_plies: usize,
    pub(super) sieve: Sieve<'a, G>,
    /// The positions before the one that is being searched.
    pub(super) history: GameHistory<G>,
    /// The moves to choose from; those before `line` have a principal variation of their own already.
    pub(super) root: Vec<RootMove<G::Move>>,
    pub(super) line: usize,
    /// A move picker for each ply.
    pub(super) moves: Vec<MovePicker<G::Move>>,
    /// The kind of the move that has been made at each ply, two places further on.
    played: Vec<Option<usize>>,
    /// Whether the move that has led to each ply has changed the balance; noted where it matters.
    pub(super) changed: Vec<bool>,
    /// The moves of each ply that are searched, where some are not.
    pub(super) kept: Vec<Vec<G::Move>>,
    /// The moves that have been searched at each ply.
    pub(super) searched: Vec<Vec<G::Move>>,
    /// Whether the side to move of each ply has passed.
    passes: Vec<bool>,
    /// Nobody may pass before this ply: a result of passing is being verified.
    pub(super) no_pass_before: usize,
    /// The move that is left out at each ply.
    pub(super) excluded: Vec<Option<G::Move>>,
    /// Depth of the iteration, in plies.
    pub(super) iteration: usize,
    /// The principal variation from each ply on.
    pub(super) pv: Vec<Vec<G::Move>>,
    /// Nodes visited by this thread …
    nodes: u64,
    /// … and those of them that the team knows of.
    told: u64,
    /// The deepest ply visited.
    pub(super) deepest: usize,
    pub(super) mode: SearchMode,
    time: TimeManager,
    start: std::time::Instant,
    node_limit: u64,
    next_poll: u64,
    pub(super) team: &'a Team<'a, G::Move>,
    /// Who is told how the search gets on; nobody in the threads that only help.
    pub(super) listener: Option<&'a mut dyn Listener<G::Move>>,
    stopped: bool,
    /// Another thread has finished the iteration: the reason to stop.
    overtaken: bool,
}

impl<'a, G: Features + Knowledge> Searcher<'a, G> {
    /// A search that has not yet begun.
    pub(super) fn new(
        task: &Task<'a, G>,
        mode: SearchMode,
        root: Vec<RootMove<G::Move>>,
        table: &'a TranspositionTable,
        heuristics: &'a mut Heuristics<G>,
        team: &'a Team<'a, G::Move>,
        listener: Option<&'a mut dyn Listener<G::Move>>,
    ) -> Searcher<'a, G> {
        Searcher {
            evaluator: task.evaluator,
            table,
            heuristics,
            selective: task.options.selective,
            width: if task.options.width == 0 { usize::MAX } else { task.options.width },
            chance_plies: match mode {
                SearchMode::Expectiminimax => usize::MAX,
                SearchMode::Pvs | SearchMode::Mtdf => task.options.chance_plies,
                SearchMode::AlphaBeta | SearchMode::Minimax => 0,
            },
            filters: task.options.filter.is_on(),
            notes_heat: task.options.filter.asks_for_heat(),
            hot_plies: task.options.filter.hot_plies,
            sieve: Sieve::new(&task.options.filter, task.evaluator, task.options.seed),
            history: task.history.clone(),
            root,
            line: 0,
            moves: vec![MovePicker::default(); MAX_PLY + 1],
            played: vec![None; MAX_PLY + 3],
            changed: vec![false; MAX_PLY + 2],
            kept: vec![Vec::new(); MAX_PLY + 1],
            searched: vec![Vec::new(); MAX_PLY + 1],
            passes: vec![false; MAX_PLY + 2],
            no_pass_before: 0,
            excluded: vec![None; MAX_PLY + 2],
            iteration: 0,
            pv: vec![Vec::new(); MAX_PLY + 2],
            nodes: 0,
            told: 0,
            deepest: 0,
            mode,
            time: TimeManager::new(task.limits, task.position.side_to_move()),
            start: task.limits.start,
            node_limit: task.limits.nodes.unwrap_or(u64::MAX),
            next_poll: 0,
            team,
            listener,
            stopped: false,
            overtaken: false,
        }
    }

    /// Searches the root to a depth within a window, with the search that was asked for.
    pub(super) fn search_root(&mut self, position: &G, depth: i32, window: Window) -> Score {
        self.iteration = depth as usize;
        match self.mode {
            SearchMode::Pvs => self.pvs::<true>(position, depth, window, 0),
            SearchMode::Mtdf => self.pvs::<false>(position, depth, window, 0),
            _ => self.full_width(position, depth, window, 0),
        }
    }

    /// Counts a node; true when the search has to end, whatever the node is worth.
    #[inline]
    pub(super) fn enter(&mut self, ply: usize) -> bool {
        if self.stopped {
            return true;
        }
        if self.nodes >= self.next_poll {
            self.poll();
            if self.stopped {
                return true;
            }
        }
        self.nodes += 1;
        self.deepest = self.deepest.max(ply);
        false
    }

    /// Counts positions that have been evaluated for the order of moves as nodes.
    #[inline]
    pub(super) fn count(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// Looks at everything that can end the search.
    #[cold]
    fn poll(&mut self) {
        let fresh = self.nodes - self.told;
        let all = self.team.nodes.fetch_add(fresh, Ordering::Relaxed) + fresh;
        self.told = self.nodes;
        self.next_poll = self.nodes + self.node_limit.saturating_sub(all).min(POLL_INTERVAL);
        let out_of_time = self.time.hard.is_some_and(|hard| self.start.elapsed() >= hard);
        self.stopped = self.team.control.is_stopped()
            || self.team.done.load(Ordering::Relaxed)
            || all >= self.node_limit
            || (out_of_time && !self.team.control.is_pondering());
        self.overtaken = !self.stopped && self.team.finished.load(Ordering::Relaxed) >= self.iteration;
        self.stopped |= self.overtaken;
    }

    /// Ends an iteration: the first thread to do so has found what all threads go on from. The depth that has been finished, if
    /// the search goes on.
    pub(super) fn end_iteration(&mut self) -> Option<usize> {
        if self.stopped && !self.overtaken {
            return None;
        }
        if self.team.is_shared() {
            let mut found = self.team.found();
            let finished = self.team.finished.load(Ordering::Relaxed);
            if finished >= self.iteration {
                self.root.clone_from(&found);
                self.iteration = finished;
            } else {
                found.clone_from(&self.root);
                self.team.finished.store(self.iteration, Ordering::Relaxed);
            }
            (self.stopped, self.overtaken) = (false, false);
        }
        Some(self.iteration)
    }

    /// Nodes visited by all threads, as far as they have told.
    pub(super) fn nodes(&self) -> u64 {
        self.team.nodes.load(Ordering::Relaxed) + self.nodes - self.told
    }

    /// Whether the search has been told to end or has used up what it had.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether another iteration would exceed the time for this move.
    pub(super) fn is_soft_limit_over(&self) -> bool {
        let over = self.time.soft.is_some_and(|soft| self.start.elapsed() >= soft);
        over && !self.team.control.is_pondering()
    }

    /// Whether the clock of the side to move is running.
    pub(super) fn is_on_clock(&self) -> bool {
        self.time.is_on_clock() && !self.team.control.is_pondering()
    }

    /// The value of a position below the root whose history draws it, or that ends the game by a
    /// count. The first repetition counts as a draw (Neighbours thesis §5.2).
    #[inline]
    pub(super) fn drawn(&self, position: &G, ply: usize) -> Option<Score> {
        if self.history.is_repetition(position) || position.is_dead() {
            return Some(Score::DRAW);
        }
        let too_long = G::DRAW_RULES.no_progress.is_some_and(|limit| position.halfmove_clock() >= limit);
        too_long
            .then(|| if position.is_terminal() { self.terminal_score(position, ply) } else { Score::DRAW })
    }

    /// The value of a position that the rules end by themselves.
    pub(super) fn terminal_score(&self, position: &G, ply: usize) -> Score {
        match position.terminal_outcome().winner {
            None => Score::DRAW,
            Some(winner) if winner == position.side_to_move() => Score::won_in(ply),
            Some(_) => Score::lost_in(ply),
        }
    }

    /// The value of a position at the horizon.
    #[inline]
    pub(super) fn leaf(&self, position: &G, ply: usize) -> Score {
        if position.is_terminal() {
            self.terminal_score(position, ply)
        } else {
            self.evaluator.evaluate(position)
        }
    }

    /// What the table knows of a position at `ply`, its score seen from the root.
    #[inline]
    pub(super) fn known(&self, position: &G, ply: usize) -> Option<Entry<G::Move>> {
        let entry = self.table.probe::<G::Move>(position.table_key())?;
        Some(Entry { score: entry.score.relative_to_root(ply), ..entry })
    }

    /// Stores what a search has made of a position at `ply` within a window.
    #[inline]
    pub(super) fn store(
        &self,
        position: &G,
        (best, score): (Option<G::Move>, Score),
        window: Window,
        depth: i32,
        ply: usize,
    ) {
        let bound = match score {
            score if score >= window.beta => Bound::Lower,
            score if score > window.alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let entry = Entry { best, score: score.relative_to(ply), bound, depth: depth as u8 };
        self.table.store(position.table_key(), entry);
    }

    /// The kinds of the moves that have led to the position at `ply`.
    #[inline]
    pub(super) fn path(&self, ply: usize) -> Path {
        [self.played[ply + 1], self.played[ply]]
    }

    /// The position after a move made at `ply`; [`Searcher::undo`] leaves it again.
    #[inline]
    pub(super) fn play(&mut self, position: &G, mv: G::Move, ply: usize) -> G {
        self.note_move(position, mv, ply);
        if self.notes_heat {
            self.changed[ply + 1] = position.is_tactical(mv);
        }
        let mut child = position.clone();
        child.play(mv);
        self.table.prefetch(child.table_key());
        self.passes[ply] = false;
        self.remember(position);
        child
    }

    /// Notes the kind of a move made at `ply`, for the history of replies to it.
    #[inline]
    pub(super) fn note_move(&mut self, position: &G, mv: G::Move, ply: usize) {
        if G::MOVE_KINDS > 1 {
            self.played[ply + 2] = Some(position.move_kind(mv));
        }
    }

    /// Passes at `ply`, which leads to the position `passed`; [`Searcher::undo`] takes it back.
    pub(super) fn make_null_move(&mut self, position: &G, ply: usize) {
        self.played[ply + 2] = None;
        self.changed[ply + 1] = false;
        self.passes[ply] = true;
        self.remember(position);
    }

    /// Whether the side to move at `ply` may pass: not in answer to a pass.
    pub(super) fn may_pass(&self, ply: usize) -> bool {
        ply > 0 && ply >= self.no_pass_before && !self.passes[ply - 1]
    }

    /// Keeps a position that is about to be left, where it makes a difference that it comes again.
    #[inline]
    fn remember(&mut self, position: &G) {
        if G::DRAW_RULES.repetitions.is_some() {
            self.history.push(position);
        }
    }

    /// Leaves the position that the last [`Searcher::play`] has led to.
    #[inline]
    pub(super) fn undo(&mut self) {
        if G::DRAW_RULES.repetitions.is_some() {
            self.history.pop();
        }
    }

    /// A move has become the best one at `ply`: its line is the principal variation from there.
    pub(super) fn raise_pv(&mut self, ply: usize, mv: G::Move) {
        let (above, below) = self.pv.split_at_mut(ply + 1);
        let line = &mut above[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0]);
    }

    /// Tells that the search of a root move begins, where it is worth telling.
    pub(super) fn announce_root_move(&mut self, mv: G::Move, number: usize) {
        if let Some(listener) = &mut self.listener
            && self.start.elapsed() >= ANNOUNCEMENTS
        {
            listener.root_move(self.iteration as u32, mv, self.line + number);
        }
    }

    /// Notes the result of the root move that has just been searched: a new best move gets its
    /// score and line, any other is only known to be worse.
    pub(super) fn note_root_move(&mut self, mv: G::Move, score: Option<Score>) {
        let pv = &self.pv[0];
        if let Some(entry) = self.root.iter_mut().find(|entry| entry.mv == mv) {
            entry.score = score.unwrap_or(-Score::INFINITE);
            if score.is_some() {
                entry.pv.clone_from(pv);
            }
        }
    }

    /// Puts the best move first, the others in the order of their last scores: a stable sort.
    pub(super) fn sort_root(&mut self) {
        self.root[self.line..].sort_by_key(|entry| std::cmp::Reverse(entry.score));
    }

    /// The moves of the root that are to be searched, in their order.
    pub(super) fn root_moves(&self) -> impl Iterator<Item = G::Move> {
        self.root[self.line..].iter().map(|entry| entry.mv)
    }
}
