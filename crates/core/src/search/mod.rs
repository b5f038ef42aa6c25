//! The searches.
//!
//! A search takes a [`SearchInput`] (a position with its history, an evaluation, options, limits) and a
//! [`Control`] that can stop it, and reports to a [`Listener`]; it neither reads input nor prints.
//!
//! Input and output:
//! - `input`: the position and its moves; `options`; `limits`: when to stop, with the
//!   [`TimeManager`], the deadline of all threads and the budget of each;
//! - `report`: reports to the listener, and the result.
//!
//! Searches by depth, each module using those above it alone:
//! - `window`: the window of α-β; `table`: the [`TranspositionTable`]; `constants`: the [`Constants`] that
//!   matches tune, and margins by them;
//! - `ordering`: the move picker, with killers, histories and corrections of the evaluation; `msd`: minimax
//!   selective deepening;
//! - `observer`: an [`Observer`] of what a search leaves out;
//! - `root`: the moves of the root; `threads`: helper threads, and their shared state; `searcher`: the state
//!   of one thread, and its steps from one position to the next;
//! - `plain`: minimax, α-β and expectiminimax as in the textbook, for comparison with `pvs`, the chance nodes
//!   of both, and random moves ([`random`]); `tablebase`: endgame tables in a search, and at its root
//!   ([`TableRoot`]);
//! - `pvs`: principal variation search and quiescence search;
//! - `deepening`: iterative deepening with aspiration windows or MTD(f), and several principal
//!   variations; [`observe`], the same with an observer;
//! - `reference`: a full-width search of any node of another one ([`Reference`]).
//!
//! Monte Carlo tree search is `mcts` ([`monte_carlo`]); `candidates` combines the two: [`search`] is that by
//! depth, among the root moves that simulations choose where this is requested.

mod candidates;
mod constants;
mod deepening;
mod input;
mod limits;
mod mcts;
mod msd;
mod observer;
mod options;
mod ordering;
mod plain;
mod pvs;
mod reference;
mod report;
mod root;
mod searcher;
mod table;
mod tablebase;
mod threads;
mod window;

pub use candidates::search;
pub use constants::{Constant, Constants, EngineConstants};
pub use deepening::observe;
pub use input::SearchInput;
pub use limits::{Clock, Control, Delays, Limits, TimeManager};
pub use mcts::{Leaf, LeafEvaluator, NetLeaves, StaticLeaves, Tree, monte_carlo};
pub use msd::MsdOptions;
pub use observer::{Claim, Decision, Observer, Step, Unobserved};
pub use options::{
    Expansion, FinalMove, MctsOptions, Method, NoiseAt, Options, RootSelection, SearchMode, Selection,
};
pub use ordering::Heuristics;
pub use plain::random;
pub use reference::{Node as ReferenceNode, Reference};
pub use report::{Listener, Progress, Report, RootMoveStatistics, RootStatistics, SearchResult, Visits};
pub use table::{TranspositionTable, TtEntry};
pub use tablebase::TableRoot;
pub use window::Bound;
