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

use std::fmt::Write;

use thiserror::Error;

pub use board::{Board, Play};
pub use options::{OptionError, OptionKind, OptionSpec, Settings};
pub use session::{Session, Thinker};

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

    /// Sets an option.
    ///
    /// # Errors
    /// [`OptionError`] names the option or the value.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError>;

    /// Forgets what was learned in earlier searches and gets ready for one.
    fn new_game(&mut self);

    /// The evaluation of the position, feature by feature.
    fn eval_breakdown(&self) -> EvalBreakdown;

    /// The weights in use.
    fn weights(&self) -> &Weights;

    /// Replaces the weights.
    ///
    /// # Errors
    /// [`WeightsError`] names the weight.
    fn set_weights(&mut self, source: &WeightsSource) -> Result<(), WeightsError>;

    /// Looks for the best move. `root_moves` are the moves to choose from, all legal ones where it is
    /// empty; those that are not legal are left out. No move is found when the game is over.
    fn search(
        &mut self,
        root_moves: &[String],
        limits: &Limits,
        control: &Control,
        listener: &mut dyn SearchListener,
    ) -> BestMove;

    /// Proves what the position is worth to its side to move, with a table of so many MiB beside that of the searches. The position
    /// counts as the first one of its game. The line has been played through.
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

/// Who is told how a search gets on, in text. A closure that takes a [`SearchReport`] is told of no more than that.
pub trait SearchListener {
    /// A line of play has been found, or its score has changed.
    fn line(&mut self, report: &SearchReport);

    /// A search that has taken a while begins with a move of the root: the one of this number, from 1, in the
    /// iteration of `depth` plies.
    fn root_move(&mut self, _depth: u32, _mv: &str, _number: usize) {}
}

impl<F: FnMut(&SearchReport)> SearchListener for F {
    fn line(&mut self, report: &SearchReport) {
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

impl SearchReport {
    /// The report as an `info` line of the protocol.
    pub fn to_uci(&self) -> String {
        let mut line = format!(
            "info depth {} seldepth {} multipv {} score {}",
            self.depth, self.seldepth, self.multipv, self.score
        );
        line.push_str(match self.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        });
        if let Some([win, draw, loss]) = self.wdl {
            // Writing to a string cannot fail.
            let _ = write!(line, " wdl {win} {draw} {loss}");
        }
        let nps = nodes_per_second(self.nodes, self.time);
        let (nodes, hashfull, time) = (self.nodes, self.hashfull, self.time.as_millis());
        let _ = write!(line, " nodes {nodes} nps {nps} hashfull {hashfull} time {time} pv");
        for mv in &self.pv {
            line.push(' ');
            line.push_str(mv);
        }
        line
    }

    /// How often the first move of the line has been visited, as an `info` line of its own, in a search that counts visits.
    pub fn visits_text(&self) -> Option<String> {
        let Visits { count, walks, rate } = self.visits?;
        Some(format!("info string multipv {} visits {count} walks {walks} winrate {rate:.3}", self.multipv))
    }
}

/// Speed in nodes per second.
pub fn nodes_per_second(nodes: u64, time: std::time::Duration) -> u64 {
    (nodes as f64 / time.as_secs_f64().max(1e-6)) as u64
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

impl BestMove {
    /// The result as the `bestmove` line of the protocol.
    pub fn to_uci(&self) -> String {
        match (&self.best, &self.ponder) {
            (None, _) => "bestmove (none)".to_owned(),
            (Some(best), None) => format!("bestmove {best}"),
            (Some(best), Some(ponder)) => format!("bestmove {best} ponder {ponder}"),
        }
    }
}

/// A variant that there is not.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown variant {}, expected one of: {}", quote(.name), registry::names().join(", "))]
pub struct UnknownVariant {
    /// The name asked for.
    pub name: String,
}
