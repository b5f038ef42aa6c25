//! One game with its search, behind a facade that does not know which game it is.
//!
//! [`Board`] is a game in play, [`Engine`] a board with a search: what a protocol or an arena talks to.
//! Positions, moves and options go in and out as text. [`Play`] and [`Session`] implement them once for
//! all games; [`registry`] is the only place that lists them.
//!
//! Self-play and matches use the types of the game instead: [`registry::dispatch`] chooses the game once,
//! [`game_loop`] plays it on a [`Play`], and a [`Thinker`] is a [`Session`] without its game and without text.

pub mod bench;
pub mod game_loop;
pub mod registry;

mod board;
mod options;
mod session;
mod thinker;

use thiserror::Error;

pub use board::{Board, Play};
pub use options::{EvaluationKind, OptionError, OptionKind, OptionSpec, Settings, SideEffect};
pub use session::Session;
pub use thinker::Thinker;

use crate::eval::{EvalBreakdown, UciScore, Weights, WeightsError};
use crate::game::{FenError, MoveError, quote};
use crate::search::{Bound, Control, Limits, Solution, SolveError, Visits};

/// An engine for one game. Whatever fails leaves it as it was.
pub trait Engine: Send {
    /// The game in play: the position that searches begin from.
    fn board(&self) -> &dyn Board;

    /// The game in play, to change it.
    fn board_mut(&mut self) -> &mut dyn Board;

    /// The options with their current values as defaults of another engine.
    fn settings(&self) -> &Settings;

    /// The options that this engine has.
    fn options(&self) -> Vec<OptionSpec>;

    /// Sets an option. What it has changed besides is returned, if anything.
    ///
    /// # Errors
    /// [`OptionError`] names the option or the value.
    fn set_option(&mut self, name: &str, value: &str) -> Result<Option<SideEffect>, OptionError>;

    /// Forgets what was learned in earlier searches and gets ready for one.
    fn new_game(&mut self);

    /// The evaluation of the position, feature by feature.
    fn eval_breakdown(&self) -> EvalBreakdown;

    /// The weights in use.
    fn weights(&self) -> &Weights;

    /// Replaces the weights. A weights file selects its feature set, which is returned as a side effect where
    /// it was another one.
    ///
    /// # Errors
    /// [`WeightsError`] names the weight.
    fn set_weights(&mut self, source: &WeightsSource) -> Result<Option<SideEffect>, WeightsError>;

    /// Looks for the best move. `root_moves` are the moves to choose from, all legal ones where it is empty.
    /// No move is found where there is no legal one; draws that depend on the game's history are played on.
    ///
    /// # Errors
    /// [`MoveError`] names the first of `root_moves` that is not legal.
    fn search(
        &mut self,
        root_moves: &[String],
        limits: &Limits,
        control: &Control,
        listener: &mut dyn SearchListener,
    ) -> Result<BestMove, MoveError>;

    /// Proves the position a win, a loss or a draw for its side to move, with a table of `megabytes` MiB
    /// beside that of the searches. The position counts as the first one of its game. The line of a win or a
    /// loss has been played through.
    ///
    /// # Errors
    /// [`SolveError`] when the game is one of chance, or there is no memory for the table.
    fn solve(
        &self,
        megabytes: usize,
        limits: &Limits,
        control: &Control,
    ) -> Result<Solution<String>, SolveError>;

    /// Searches the bench positions of the game to `depth` plies, or their own depth; `None` if it
    /// was stopped before the end. The engine's own position, table and options play no part.
    fn bench(&self, depth: Option<u32>, control: &Control, each: &mut dyn FnMut(&str, u64)) -> Option<u64>;
}

/// Receives the progress of a search, in text. A closure that takes a [`SearchReport`] gets nothing else.
pub trait SearchListener {
    /// A principal variation has been found, or its score has changed.
    fn report(&mut self, report: &SearchReport);

    /// A search that has taken a while begins with a move of the root: the one of this number, from 1, in the
    /// iteration of `depth` plies.
    fn root_move(&mut self, _depth: u32, _mv: &str, _number: usize) {}
}

impl<F: FnMut(&SearchReport)> SearchListener for F {
    fn report(&mut self, report: &SearchReport) {
        self(report);
    }
}

/// Where new weights come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WeightsSource {
    /// All values, in the order of the feature set.
    Values(Vec<String>),
    /// Some values by name.
    Named(Vec<(String, String)>),
    /// A weights file.
    File(String),
    /// The shipped weights of the feature set.
    Default,
}

/// A position that cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PositionError {
    /// The FEN does not read.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move cannot be played.
    #[error("move {number}: {error}")]
    Move {
        /// Number of the move in the list, from 1.
        number: usize,
        /// What is wrong with it.
        error: MoveError,
    },
}

/// A step of a search, in text.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// Depth of the iteration, in plies.
    pub depth: u32,
    /// The deepest ply visited.
    pub seldepth: u32,
    /// Number of the line, from 1.
    pub multipv: u32,
    /// The score for the side to move.
    pub score: UciScore,
    /// What the score says.
    pub bound: Bound,
    /// How likely a win, a draw and a loss are, in permille, where that is asked for.
    pub wdl: Option<[u32; 3]>,
    /// Nodes visited so far.
    pub nodes: u64,
    /// Time used so far.
    pub time: std::time::Duration,
    /// How full the table is, in permille.
    pub hashfull: u32,
    /// How often the first move of the line has been visited, in a search that counts visits.
    pub visits: Option<Visits>,
    /// The line.
    pub pv: Vec<String>,
}

/// The result of a search, in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestMove {
    /// The move to play; none when the game is over.
    pub best: Option<String>,
    /// The answer that is expected.
    pub ponder: Option<String>,
    /// Nodes visited.
    pub nodes: u64,
}

/// An unknown game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown variant {}, expected one of: {}", quote(.name), registry::names().join(", "))]
pub struct UnknownVariant {
    /// The name asked for.
    pub name: String,
}
