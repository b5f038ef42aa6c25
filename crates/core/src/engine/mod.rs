//! One game with its search, behind an object-safe facade.
//!
//! [`Board`] is a game in play, [`Engine`] a board with options and a search. Protocol and arena use them;
//! positions, moves and options are text. [`GameState`] and [`GameEngine`] implement them for all games, and
//! [`TypedEngine`] is an engine in the types of its game, for self-play and matches, which [`game_loop`] plays.
//! [`registry`] is the only list of the games: code that is generic over the game is found by the name of the
//! game in a [table](registry::GameTable).
//!
//! [`mod@bench`] computes the signature of the search, and [`suite`] runs test suites.

pub mod bench;
pub mod game_loop;
pub mod registry;
pub mod suite;

mod board;
mod book;
mod game_engine;
mod game_options;
mod openings;
mod options;
mod strength;
mod typed;

use thiserror::Error;

pub use board::{Board, GameState};
pub use book::{BookError, BookProblem};
pub use game_engine::{GameEngine, line_text};
pub use game_options::GameOptions;
pub use openings::{NamedOpening, NamedOpenings};
pub use options::{EvaluationKind, OptionError, OptionGroup, OptionKind, OptionSpec, Settings, SideEffect};
pub use typed::{Playable, TypedEngine, TypedEvaluation};

use crate::eval::nnue::NetBreakdown;
use crate::eval::{EvalBreakdown, UciScore, Weights, WeightsError};
use crate::game::{FenError, MoveError, TableResult, Wdl, quote};
use crate::nets::NetError;
use crate::search::{Bound, Control, Limits, Progress, Visits};

/// An engine for one game. A method that fails leaves it unchanged.
pub trait Engine: Send {
    /// The game in play, from whose position searches start.
    fn board(&self) -> &dyn Board;

    /// The game in play, mutable.
    fn board_mut(&mut self) -> &mut dyn Board;

    /// The current values of the options, for use by another engine.
    fn settings(&self) -> &Settings;

    /// The options that this engine has.
    fn options(&self) -> Vec<OptionSpec>;

    /// The value of an option as its text; `None` for a button and for an option that this engine does not
    /// have. Texts, such as the names of files, are not kept.
    fn option_value(&self, name: &str) -> Option<String>;

    /// Sets an option. Returns what else has changed.
    ///
    /// # Errors
    /// [`OptionError`] names the option or the value.
    fn set_option(&mut self, name: &str, value: &str) -> Result<Vec<SideEffect>, OptionError>;

    /// Checks that the nets that searches use, if any, are for the board of the position. If they are not,
    /// searches do without them.
    ///
    /// # Errors
    /// [`NetError`] names both boards.
    fn check_net(&self) -> Result<(), NetError>;

    /// Clears the data of earlier searches and prepares for a search.
    fn new_game(&mut self);

    /// The evaluation that a search of the position uses.
    fn evaluation_in_use(&self) -> EvaluationInUse;

    /// The evaluation of the position, feature by feature.
    fn eval_breakdown(&self) -> EvalBreakdown;

    /// The value of the position by the evaluation net, input by input; `None` without a net for its board.
    fn net_breakdown(&self) -> Option<NetBreakdown>;

    /// The result by the endgame tables; `None` where they do not have the position.
    fn table_breakdown(&self) -> Option<TableBreakdown>;

    /// Value and priors by the policy/value net in use; `None` without a net for the board.
    fn policy_breakdown(&self) -> Option<PolicyBreakdown>;

    /// The weights in use.
    fn weights(&self) -> &Weights;

    /// Replaces the weights, and plays by them. Returns what else has changed: a weights file selects its
    /// feature set.
    ///
    /// # Errors
    /// [`WeightsError`] names the weight.
    fn set_weights(&mut self, source: &WeightsSource) -> Result<Vec<SideEffect>, WeightsError>;

    /// Searches for the best move among `root_moves`, or among all legal moves if the list is empty. There is
    /// none where no move is legal; a draw that depends on the game's history does not end the search.
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
}

/// Receives the progress of a search, in text. A closure receives the reports only.
pub trait SearchListener {
    /// Called with a new principal variation or score.
    fn report(&mut self, report: &SearchReport);

    /// Called when a search that has taken a while begins with a root move. `number` counts from 1 in the
    /// iteration of `depth` plies.
    fn root_move(&mut self, _depth: u32, _mv: &str, _number: usize, _progress: &Progress) {}

    /// Called at intervals if there is nothing else to report.
    fn progress(&mut self, _progress: &Progress) {}
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
    /// The FEN is invalid.
    #[error("{error}{}", looks_like.map_or(String::new(), |game| format!("; looks like variant `{game}`")))]
    Fen {
        /// The problem.
        error: FenError,
        /// Another game that has the position.
        looks_like: Option<&'static str>,
    },
    /// A move is invalid.
    #[error("move {number}: {error}")]
    Move {
        /// Number of the move in the list, from 1.
        number: usize,
        /// The problem.
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
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// The probabilities of a win, a draw and a loss, in permille, with `UCI_ShowWDL`.
    pub wdl: Option<[u32; 3]>,
    /// Nodes visited so far.
    pub nodes: u64,
    /// Time used so far.
    pub time: std::time::Duration,
    /// How full the table is, in permille.
    pub hashfull: u32,
    /// Positions found in endgame tables so far, where there are such tables.
    pub tbhits: Option<u64>,
    /// The visits of the first move of the line, in a Monte Carlo search.
    pub visits: Option<Visits>,
    /// The line.
    pub pv: Vec<String>,
}

impl SearchReport {
    /// The expected points of the side to move, from 0 to 1: a win counts 1, a draw ½. `None` without
    /// `UCI_ShowWDL`.
    pub fn expected_points(&self) -> Option<f64> {
        self.wdl.map(|[win, draw, _]| f64::from(2 * win + draw) / 2000.0)
    }
}

/// The evaluation that a search uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationInUse {
    /// None: moves are random.
    Nothing,
    /// A weighted sum of features.
    Linear,
    /// An efficiently updatable net.
    Net,
    /// A policy/value net.
    PolicyNet,
}

/// The result of a position by endgame tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableBreakdown {
    /// The result for the side to move, with regard to the halfmove clock.
    pub result: Wdl,
    /// The result without regard to it, where the tables have that.
    pub without_clock: Option<TableResult>,
    /// The plies without an irreversible move that draw, if the game has such a rule.
    pub limit: Option<usize>,
}

impl TableBreakdown {
    /// The breakdown as a line of text.
    pub fn to_text(self) -> String {
        let result = self.result;
        let Some(distance) = self.without_clock.and_then(TableResult::distance) else {
            return format!("tables: {result}");
        };
        let Some(limit) = self.limit.filter(|_| self.result == Wdl::Draw) else {
            return format!("tables: {result}, distance {distance}");
        };
        let decided = if matches!(self.without_clock, Some(TableResult::Win(_))) { "win" } else { "loss" };
        format!("tables: {result} ({decided}, too late for the {limit}-ply rule, distance {distance})")
    }
}

/// The value and the priors of a position by a policy/value net, in text.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyBreakdown {
    /// The expected result for the side to move, 1 a win, ½ a draw.
    pub value: f64,
    /// All legal moves, the one with the greatest prior first.
    pub moves: Vec<MovePrior>,
}

/// A legal move with its prior.
#[derive(Clone, Debug, PartialEq)]
pub struct MovePrior {
    /// The move in the notation of the protocol.
    pub mv: String,
    /// The move in the notation of game records.
    pub san: String,
    /// Its prior, P. The priors of all legal moves add up to 1.
    pub prior: f32,
}

/// The result of a search, in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestMove {
    /// The move to play; none when the game is over.
    pub best: Option<String>,
    /// The expected reply.
    pub ponder: Option<String>,
    /// Nodes visited.
    pub nodes: u64,
}

/// An unknown game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown variant {}, expected one of: {}", quote(.name), registry::names().join(", "))]
pub struct UnknownVariant {
    /// The requested name.
    pub name: String,
}
