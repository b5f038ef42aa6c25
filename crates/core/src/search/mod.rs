//! How a move is found.
//!
//! A search takes a [`SearchInput`] (a position with its history, an evaluation, options, limits) and a
//! [`Control`] that can stop it, and reports to a [`Listener`]; it neither reads input nor prints.
//!
//! What goes in and what comes out: `input`: the position and its moves; `options`; `report`: what a listener
//! hears; `limits`: when it ends, with the [`TimeManager`] and the budget of each thread.
//!
//! Searches by depth:
//! - `deepening`: [`search`], iterative deepening with aspiration windows and several principal variations;
//! - `pvs`: principal variation search, with `pruning`: bounds of whole nodes, and `reductions`: how deeply a
//!   move is searched; `quiescence`: its last plies; `mtdf`: MTD(f) over the same nodes;
//! - `reference`: minimax, α-β and expectiminimax as in the textbook, the yardstick of `pvs`; `expectation`:
//!   nodes whose outcome is chance's;
//! - `searcher`: the state of one thread, with `stack`: what it keeps for each ply, `root`: the moves of the
//!   root, `shared`: what the threads of a search share;
//! - `helpers`: how threads come to help;
//! - `ordering`: the move picker; `heuristics`: killers, histories and corrections of the evaluation;
//!   `msd`: minimax selective deepening;
//! - `tablebase`: endgame tables in a search, and at its root ([`TableRoot`]);
//! - `table`: the [`TranspositionTable`]; `window`;
//! - `constants`: the table of the [`Constants`] that matches tune.
//!
//! Other searches:
//! - `mcts`: Monte Carlo tree search ([`monte_carlo`]);
//! - [`random`]: any legal move, for comparison.

mod constants;
mod deepening;
mod expectation;
mod helpers;
mod heuristics;
mod input;
mod limits;
mod margins;
mod mcts;
mod msd;
mod mtdf;
mod node;
mod options;
mod ordering;
mod pruning;
mod pvs;
mod quiescence;
mod reductions;
mod reference;
mod report;
mod root;
mod searcher;
mod shared;
mod stack;
mod table;
mod tablebase;
mod window;

pub use constants::{Constant, Constants, EngineConstants};
pub use deepening::search;
pub use heuristics::Heuristics;
pub use input::SearchInput;
pub use limits::{Clock, Control, Delays, Limits, TimeManager};
pub use mcts::{Leaf, LeafEvaluator, NetLeaves, StaticLeaves, Tree, monte_carlo};
pub use msd::MsdOptions;
pub use options::{
    Expansion, FinalMove, Method, NoiseAt, Options, RootSelection, Sampling, SearchMode, Selection,
};
pub use reference::random;
pub use report::{Best, Listener, Progress, Report, RootMoveStatistics, RootStatistics, Visits};
pub use table::{TranspositionTable, TtEntry};
pub use tablebase::TableRoot;
pub use window::Bound;
