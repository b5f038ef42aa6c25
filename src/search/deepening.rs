//! Iterative deepening: one more ply each time, until a limit says stop.

use std::time::Duration;

use super::heuristics::Heuristics;
use super::searcher::{RootMove, Searcher, Team};
use super::table::{Bound, TranspositionTable};
use super::window::Window;
use super::{Control, SearchMode, Task};
use crate::eval::{MAX_PLY, Score};
use crate::game::{Features, Knowledge};

/// Iterations from this one on begin with an aspiration window.
const ASPIRATION_DEPTH: i32 = 4;

/// Half the width of the first aspiration window, in units of the evaluation.
const ASPIRATION: f64 = 0.25;

/// On the clock, a forced end is played out without further search when an iteration exceeds its
/// distance by this factor: a nearer one would have been seen.
const FORCED_END_FACTOR: usize = 2;

/// What a search has found so far in one of its lines.
#[derive(Clone, Debug)]
pub struct Report<M> {
    /// Depth of the iteration, in plies.
    pub depth: u32,
    /// The deepest ply visited in the iteration.
    pub seldepth: u32,
    /// Number of the line, from 1; more than one with `multi_pv`.
    pub multipv: u32,
    /// The score of the line for the side to move.
    pub score: Score,
    /// What the score says; anything but exact is the failure of an aspiration window.
    pub bound: Bound,
    /// Nodes visited so far.
    pub nodes: u64,
    /// Time used so far.
    pub time: Duration,
    /// How full the table is, in permille.
    pub hashfull: u32,
    /// How often its first move has been visited, in a search that counts visits.
    pub visits: Option<Visits>,
    /// The line, from the root.
    pub pv: Vec<M>,
}

/// What a Monte Carlo search has seen of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visits {
    /// Walks that have come through it …
    pub count: u32,
    /// … of so many.
    pub walks: u32,
    /// Their mean result for the side to move: 1 a win, ½ a draw.
    pub rate: f64,
}

/// Who is told how a search gets on. A closure that takes a [`Report`] is told of no more than that.
pub trait Listener<M> {
    /// A line of play has been found, or its score has changed.
    fn line(&mut self, report: Report<M>);

    /// A search that has taken a while begins with a move of the root: the one of this number, from 1, in the
    /// iteration of `depth` plies.
    fn root_move(&mut self, _depth: u32, _mv: M, _number: usize) {}

    /// The search is over, and it counts visits: those of the moves of the root.
    fn root_visits(&mut self, _visits: &[(M, u32)]) {}
}

impl<M, F: FnMut(Report<M>)> Listener<M> for F {
    fn line(&mut self, report: Report<M>) {
        self(report);
    }
}

/// What a search has decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Best<M> {
    /// The move to play; none when the game is over.
    pub mv: Option<M>,
    /// The answer that is expected.
    pub ponder: Option<M>,
    /// Nodes visited.
    pub nodes: u64,
}

impl<M> Best<M> {
    /// There is no move: the game is over.
    pub(super) fn nothing() -> Best<M> {
        Best { mv: None, ponder: None, nodes: 0 }
    }
}

/// Looks for the best move with the search that `mode` names until a limit or `control` ends it, and tells `listener` of each step.
///
/// It runs on as many threads as there are `heuristics`, one at least, each with its own. They help each other through the table
/// (lazy SMP), put off what another one is searching, and all go on from what the first one to end an iteration has
/// found. With one thread, the same task, mode, table and heuristics, and without limits in time, the result is the same
/// to the node.
pub fn search<G: Features + Knowledge>(
    task: &Task<G>,
    mode: SearchMode,
    table: &TranspositionTable,
    heuristics: &mut [Heuristics<G>],
    control: &Control,
    listener: &mut dyn Listener<G::Move>,
) -> Best<G::Move> {
    let root = task.moves();
    let [first, others @ ..] = heuristics else { return Best::nothing() };
    if root.is_empty() {
        return Best::nothing();
    }
    let unknown = -Score::INFINITE;
    let root = root.into_iter().map(|mv| RootMove { mv, score: unknown, previous: unknown, pv: vec![mv] });
    let mut root: Vec<_> = root.collect();
    if G::ORDERS_BY_STATIC_EVAL && task.options.selective && task.root_moves.is_empty() {
        sort_by_promise(task, &mut root);
    }
    table.new_search();
    let team = Team::new(control, 1 + others.len());
    std::thread::scope(|scope| {
        for heuristics in others {
            let (root, team) = (root.clone(), &team);
            scope.spawn(move || {
                let searcher = Searcher::new(task, mode, root, table, heuristics, team, None);
                Deepening { task, mode, searcher }.run();
            });
        }
        let searcher = Searcher::new(task, mode, root.clone(), table, first, &team, Some(listener));
        let best = Deepening { task, mode, searcher }.run();
        team.finish();
        best
    })
}

/// Puts the moves of the root in the order of what they promise: where there are many, the order of the generator is
/// too bad to begin with.
fn sort_by_promise<G: Features + Knowledge>(task: &Task<G>, root: &mut [RootMove<G::Move>]) {
    let promise = |mv| task.evaluator.evaluate_move(task.position, mv);
    root.sort_by_cached_key(|entry| std::cmp::Reverse(promise(entry.mv)));
}

/// A search that deepens.
pub(super) struct Deepening<'a, 's, G: Features + Knowledge> {
    pub(super) task: &'a Task<'a, G>,
    mode: SearchMode,
    pub(super) searcher: Searcher<'s, G>,
}

impl<G: Features + Knowledge> Deepening<'_, '_, G> {
    /// Deepens until there is a reason to stop.
    fn run(mut self) -> Best<G::Move> {
        self.searcher.heuristics.new_search();
        let last = self.task.limits.depth.unwrap_or(MAX_PLY as u32).min(MAX_PLY as u32) as i32;
        let mut depth =
            if self.task.options.iterative || self.task.limits.depth.is_none() { 1 } else { last };
        while depth <= last {
            depth = match self.iterate(depth) {
                Some(finished) if !self.is_done(finished) => finished + 1,
                _ => break,
            };
        }
        let best = &self.searcher.root[0];
        Best { mv: Some(best.mv), ponder: best.pv.get(1).copied(), nodes: self.searcher.nodes() }
    }

    /// One iteration: the best lines of the root, each searched among the moves that no better line has. The depth that is
    /// finished then, by this thread or another one; none if the search has been stopped.
    fn iterate(&mut self, depth: i32) -> Option<i32> {
        let lines = self.task.options.multi_pv.clamp(1, self.searcher.root.len());
        self.searcher.deepest = 0;
        for entry in &mut self.searcher.root {
            if entry.score > -Score::INFINITE {
                entry.previous = std::mem::replace(&mut entry.score, -Score::INFINITE);
            }
        }
        for line in 0..lines {
            self.searcher.line = line;
            match self.mode {
                SearchMode::Mtdf => self.converge(depth),
                _ => self.aspire(depth),
            }
            if self.searcher.is_stopped() {
                break;
            }
        }
        // What an unfinished iteration has found is worth a line only if it got further than its first move.
        let finished = self.searcher.end_iteration().map(|depth| depth as i32);
        let depth = finished.unwrap_or(depth);
        for line in 0..lines {
            let entry = &self.searcher.root[line];
            if finished.is_some() || (line == 0 && entry.score > -Score::INFINITE) {
                self.emit(depth, line, entry.score, Bound::Exact);
            }
        }
        finished
    }

    /// Searches one line of the root, with a small window about its last score while that holds.
    fn aspire(&mut self, depth: i32) {
        let line = self.searcher.line;
        let previous = self.searcher.root[line].previous;
        let mut window = Window::FULL;
        let mut half = Score::from_value(ASPIRATION);
        let bounded = previous > -Score::INFINITE && previous.plies_to_end().is_none();
        if depth >= ASPIRATION_DEPTH && bounded && self.mode != SearchMode::Minimax {
            window = Window { alpha: previous - half, beta: previous + half };
        }
        loop {
            let score = self.searcher.search_root(self.task.position, depth, window);
            self.searcher.sort_root();
            if self.searcher.is_stopped() {
                return;
            }
            half = half + half;
            if score <= window.alpha {
                self.emit(depth, line, score, Bound::Upper);
                window.alpha = (score - half).max(Window::FULL.alpha);
            } else if score >= window.beta {
                self.emit(depth, line, score, Bound::Lower);
                window.beta = (score + half).min(Window::FULL.beta);
            } else {
                return;
            }
        }
    }

    /// Whether what has been found is enough.
    fn is_done(&self, depth: i32) -> bool {
        let best = self.searcher.root[0].score;
        let plies = best.plies_to_end();
        let mate = self.task.limits.mate.map(|moves| 2 * moves as usize - 1);
        let mate_found = best > Score::DRAW && plies.zip(mate).is_some_and(|(plies, limit)| plies <= limit);
        if mate_found {
            return true;
        }
        let forced = plies.is_some_and(|plies| depth as usize >= FORCED_END_FACTOR * plies);
        let only_move = self.searcher.root.len() == 1;
        self.searcher.is_soft_limit_over() || (self.searcher.is_on_clock() && (forced || only_move))
    }

    fn emit(&mut self, depth: i32, line: usize, score: Score, bound: Bound) {
        let report = Report {
            depth: depth as u32,
            seldepth: self.searcher.deepest as u32,
            multipv: line as u32 + 1,
            score,
            bound,
            nodes: self.searcher.nodes(),
            time: self.task.limits.start.elapsed(),
            hashfull: self.searcher.table.hashfull(),
            visits: None,
            pv: self.searcher.root[line].pv.clone(),
        };
        if let Some(listener) = &mut self.searcher.listener {
            listener.line(report);
        }
    }
}
