//! Reports of a running search to its listener, and the result of a search.

use std::time::Duration;

use super::window::Bound;
use crate::eval::Score;
use crate::game::WdlModel;

/// A principal variation that a search has found.
#[derive(Clone, Debug)]
pub struct Report<M> {
    /// Depth of the iteration, in plies.
    pub depth: u32,
    /// The deepest ply visited in the iteration.
    pub seldepth: u32,
    /// Index of the principal variation, from 1.
    pub multipv: u32,
    /// Its score for the side to move.
    pub score: Score,
    /// The bound type of the score; not exact if an aspiration window has failed.
    pub bound: Bound,
    /// Nodes visited so far.
    pub nodes: u64,
    /// Time used so far.
    pub time: Duration,
    /// How full the table is, in permille.
    pub hashfull: u32,
    /// Positions found in endgame tables so far, where there are such tables.
    pub tbhits: Option<u64>,
    /// The visits of its first move, in a Monte Carlo search.
    pub visits: Option<Visits>,
    /// Its moves, from the root.
    pub pv: Vec<M>,
}

impl<M> Report<M> {
    /// The probabilities of a win, a draw and a loss for the side to move, in permille, by a model of results.
    /// In a Monte Carlo search the expected result is the mean of the move, unless the result is proven.
    pub fn wdl(&self, model: WdlModel) -> [u32; 3] {
        let score = match self.visits {
            Some(Visits { mean, .. }) if !self.score.is_decisive() => Score::from_win_rate(mean, model),
            _ => self.score,
        };
        score.wdl(model)
    }
}

/// The visits of a root move in a Monte Carlo search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visits {
    /// Simulations that went through the move, N.
    pub count: u32,
    /// All simulations.
    pub simulations: u32,
    /// The mean result of the move for the side to move, Q: 1 a win, ½ a draw.
    pub mean: f64,
}

/// The statistics of the root of a Monte Carlo search, the training targets of policy and value.
#[derive(Clone, Debug, PartialEq)]
pub struct RootStatistics<M> {
    /// The moves of the root in the order of the tree; without visits, only the one that is played.
    pub moves: Vec<RootMoveStatistics<M>>,
    /// The expected result for the side to move: 1 a win, ½ a draw. It is the mean of all simulations through
    /// the root, or the result if that is proven.
    pub value: f64,
}

/// The statistics of a root move of a Monte Carlo search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMoveStatistics<M> {
    /// The move.
    pub mv: M,
    /// Its visits, N, with those of a kept tree.
    pub visits: u32,
    /// Its probability in the policy that the search recommends: the share of the visits, or the improved
    /// policy of a root selected by Gumbel noise. Those of all moves add up to 1.
    pub policy: f64,
}

/// The progress of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Nodes visited so far.
    pub nodes: u64,
    /// Time used so far.
    pub time: Duration,
    /// How full the table is, in permille.
    pub hashfull: u32,
    /// Positions found in endgame tables so far, where there are such tables.
    pub tbhits: Option<u64>,
}

/// Receives the reports of a search. A closure that takes a [`Report`] receives these only.
pub trait Listener<M> {
    /// A principal variation has been found, or its score has changed.
    fn report(&mut self, report: Report<M>);

    /// The search of the root move `number`, from 1, begins in the iteration of `depth` plies. Not called in
    /// the first second.
    fn root_move(&mut self, _depth: u32, _mv: M, _number: usize, _progress: &Progress) {}

    /// Called at intervals if there is nothing else to report.
    fn progress(&mut self, _progress: &Progress) {}

    /// The statistics of the root at the end of a Monte Carlo search. Called once, before the search returns,
    /// unless the game is over.
    fn root(&mut self, _root: &RootStatistics<M>) {}
}

impl<M, F: FnMut(Report<M>)> Listener<M> for F {
    fn report(&mut self, report: Report<M>) {
        self(report);
    }
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchResult<M> {
    /// The move to play; none when the game is over.
    pub mv: Option<M>,
    /// The expected reply.
    pub ponder: Option<M>,
    /// Nodes visited.
    pub nodes: u64,
}

impl<M> SearchResult<M> {
    /// A result without a move.
    pub fn none() -> SearchResult<M> {
        SearchResult { mv: None, ponder: None, nodes: 0 }
    }
}
