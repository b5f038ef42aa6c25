//! How a move is found.
//!
//! A search takes a position with its history, limits and a stop flag, and emits reports; it neither
//! reads input nor prints. [`search`] is the entry: iterative deepening ([`SearchMode`] chooses the
//! search that it deepens) over one [`TranspositionTable`], on a [`TimeManager`].
//!
//! - `deepening`: iterations, aspiration windows, several principal variations, when to stop;
//! - `mcts`: Monte Carlo tree search, which shares limits and reports with the others ([`monte_carlo`]);
//! - `pvs`: principal variation search with all that saves nodes; `quiescence`: its last plies; `mtdf`: the same with empty
//!   windows alone;
//! - [`random`]: no search at all, for comparison;
//! - `reference`: minimax, α-β and expectiminimax as in the textbook, the yardstick of `pvs`; `expectation`: moves
//!   whose outcome is chance's;
//! - `solver`: what a position is worth, proved ([`solve`]); it knows no evaluation;
//! - `filter`: which moves are searched at all (minimax selective deepening, [`Filter`]);
//! - `searcher`: what a search keeps while it runs;
//! - `heuristics`: what has been learned about good moves; `ordering`: which move is tried first; `table`: what is remembered; `time`: how long to think.

mod deepening;
mod expectation;
mod filter;
mod heuristics;
mod limits;
mod mcts;
mod mtdf;
mod ordering;
mod pvs;
mod quiescence;
mod reference;
mod searcher;
mod solver;
mod table;
mod time;
mod window;

pub use deepening::{Best, Listener, Report, Visits, search};
pub use filter::Filter;
pub use heuristics::Heuristics;
pub use limits::{Clock, Control, Limits};
pub use mcts::{Expansion, FinalMove, Policy, Sampling, Selection, Tree, monte_carlo};
pub use solver::{Solution, SolveError, Value, solve};
pub use table::{Bound, Entry, TranspositionTable};
pub use time::TimeManager;

use self::filter::Sieve;
use crate::eval::Linear;
use crate::game::{Features, GameHistory, Knowledge, mixed};

/// How a move is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`search`], by iterative deepening.
    Deepening(SearchMode),
    /// [`monte_carlo`].
    MonteCarlo,
    /// [`random`].
    Random,
}

/// Any of the moves, by the seed, the position and the number of those before it.
pub fn random<G: Features + Knowledge>(task: &Task<G>) -> Best<G::Move> {
    let moves = task.moves();
    let number = mixed(task.options.seed ^ mixed(task.history.past().len() as u64)) ^ task.position.key();
    let mv = moves.get(mixed(number).checked_rem(moves.len() as u64).unwrap_or(0) as usize).copied();
    Best { mv, ponder: None, nodes: moves.len() as u64 }
}

/// Which search is deepened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchMode {
    /// Principal variation search with a transposition table: the real one.
    #[default]
    Pvs,
    /// MTD(f) over the same table.
    Mtdf,
    /// Plain α-β without table, tactical moves first.
    AlphaBeta,
    /// Plain minimax.
    Minimax,
    /// Expectiminimax: all outcomes of chance, where it has a word.
    Expectiminimax,
}

/// How a search goes about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether moves may be searched less deeply than the depth of the iteration says, on a guess.
    /// Without it the value of an iteration is the minimax value of its depth.
    pub selective: bool,
    /// How many of the best moves get a principal variation of their own; at least 1.
    pub multi_pv: usize,
    /// At nodes of fewer plies than this from the root, a move is worth the mean over all outcomes of chance. At
    /// the others chance is counted by its mean.
    pub chance_plies: usize,
    /// With `selective`, moves of a node below the root that are searched at most; 0: all of them.
    pub width: usize,
    /// How a Monte Carlo search goes about it.
    pub sampling: Sampling,
    /// Which moves are left out at each node.
    pub filter: Filter,
    /// Whether a search with a depth begins with shallower ones.
    pub iterative: bool,
    /// What all that is left to chance depends on.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            selective: true,
            multi_pv: 1,
            chance_plies: 0,
            width: 0,
            sampling: Sampling::default(),
            filter: Filter::default(),
            iterative: true,
            seed: 0,
        }
    }
}

/// What is to be searched, and how.
#[derive(Clone, Debug)]
pub struct Task<'a, G: Knowledge + Features> {
    /// The position to find a move in.
    pub position: &'a G,
    /// The positions before it.
    pub history: &'a GameHistory<G>,
    /// The evaluation of leaves.
    pub evaluator: &'a Linear<G>,
    /// The moves to choose from, the most promising first; all legal ones where it is empty.
    pub root_moves: &'a [G::Move],
    /// How to go about it.
    pub options: &'a Options,
    /// When to stop.
    pub limits: &'a Limits,
}

impl<G: Knowledge + Features> Task<'_, G> {
    /// The moves to choose from, those of the caller or those that the filter leaves; none when the game is over.
    fn moves(&self) -> Vec<G::Move> {
        let mut moves = Vec::new();
        if self.history.outcome(self.position).is_none() {
            self.position.legal_moves(&mut moves);
        }
        match self.root_moves {
            [] => {
                let Options { filter, seed, .. } = self.options;
                if filter.is_on() {
                    let mut sieve = Sieve::new(filter, self.evaluator, *seed);
                    let at = (0, self.position.in_check());
                    sieve.keep(&mut self.history.clone(), self.position, at, &mut moves);
                }
                moves
            }
            chosen => chosen.iter().filter(|mv| moves.contains(mv)).copied().collect(),
        }
    }
}
