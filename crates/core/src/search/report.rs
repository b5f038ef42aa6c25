//! What a search tells: reports to its listener while it runs, and the move that it has decided on.

use std::time::Duration;

use super::window::Bound;
use crate::eval::Score;

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
    /// What the score says; not exact where an aspiration window has failed.
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

/// What a Monte Carlo search has found out about its root: what a policy and a value learn from.
#[derive(Clone, Debug, PartialEq)]
pub struct RootStatistics<M> {
    /// The moves of the root in the order of the tree; without visits, only the one that is played.
    pub moves: Vec<RootMoveStatistics<M>>,
    /// The expected result for the side to move: 1 a win, ½ a draw. It is the mean of all simulations through
    /// the root, or the result if that is proven.
    pub value: f64,
}

/// What a Monte Carlo search has found out about a move of its root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMoveStatistics<M> {
    /// The move.
    pub mv: M,
    /// Its visits, N, with those of the tree that was kept.
    pub visits: u32,
    /// Its probability in the policy that the search recommends: the share of the visits, or the improved
    /// policy of a root selected by Gumbel noise. Those of all moves add up to 1.
    pub policy: f64,
}

/// How far a search has come.
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

/// Hears of a running search. A closure that takes a [`Report`] hears of reports only.
pub trait Listener<M> {
    /// A principal variation has been found, or its score has changed.
    fn report(&mut self, report: Report<M>);

    /// The search of a root move begins, the one of this number, from 1, in the iteration of `depth` plies.
    /// Called once the search has taken a while.
    fn root_move(&mut self, _depth: u32, _mv: M, _number: usize, _progress: &Progress) {}

    /// The search goes on. Called where there has been nothing else to hear for a while.
    fn progress(&mut self, _progress: &Progress) {}

    /// A Monte Carlo search is over: what it has found out about the root. Called once, before the search
    /// returns, unless the game is over.
    fn root(&mut self, _root: &RootStatistics<M>) {}
}

impl<M, F: FnMut(Report<M>)> Listener<M> for F {
    fn report(&mut self, report: Report<M>) {
        self(report);
    }
}

/// What a search has decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Best<M> {
    /// The move to play; none when the game is over.
    pub mv: Option<M>,
    /// The reply that is expected.
    pub ponder: Option<M>,
    /// Nodes visited.
    pub nodes: u64,
}

impl<M> Best<M> {
    /// There is no move.
    pub fn nothing() -> Best<M> {
        Best { mv: None, ponder: None, nodes: 0 }
    }
}
