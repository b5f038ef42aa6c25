//! Matches and tournaments between engines, and the statistics of their results.
//!
//! - [`Rules`]: the game and its own option; [`EngineSetup`]: the engine to run, which is Labrys in the same
//!   process, a UCI or xboard engine in a child process, or a client over UDP; [`Player`]: the referee's
//!   interface to each of them;
//! - `referee`: plays one game on the loop that self-play uses too ([`labrys_core::engine::game_loop`]) and
//!   enforces the rules of the game, the time control (`clock`) and the `adjudication` rules;
//! - `openings`: random openings and opening books (`book`); `schedule`: the list of games; `tournament`:
//!   plays them, several at a time, each on a core of its own by `affinity`; [`lobby`]: a tournament of
//!   agents that connect from outside; `games`: the games by name;
//! - `results`: results by pairs of games; `sprt` and `ratings`: statistics, with [`Elo`]; `summary`: their
//!   report, with a `cross_table`;
//! - `pgn`: reading and writing of game records, the file that a match appends them to, and merging the files
//!   of shards; `plot`: the score over the games as a chart; [`analysis`]: the loss by each move of a game;
//!   [`report`]: what the games say of the game that is played: length, branching, draws, the first move;
//! - [`compliance`]: the check of an engine against its protocol;
//! - `key_values` and `engine_config`: command line arguments of the form `key=value`, as cutechess and
//!   fastchess take them.
//!
//! # Example
//!
//! The result of a match, by its pairs of games with swapped colours: those with 0, ½, 1, 1½ and 2 points.
//!
//! ```
//! use labrys_arena::{Hypothesis, Pairs, Sprt};
//!
//! let pairs = Pairs::of([20, 160, 440, 270, 110]);
//! let elo = pairs.elo();
//! assert!(elo.low > 30.0 && elo.estimate < 60.0 && elo.los > 0.99, "{elo}");
//!
//! let test = Sprt::new(0.0, 5.0, 0.05, 0.05)?;
//! assert_eq!(test.accepted(&pairs), Some(Hypothesis::H1));
//! # Ok::<(), labrys_arena::SprtError>(())
//! ```

mod adjudication;
mod affinity;
pub mod analysis;
mod book;
mod clock;
pub mod compliance;
mod cross_table;
mod engine_config;
mod games;
mod key_values;
pub mod lobby;
mod openings;
pub mod pgn;
mod player;
pub mod plot;
mod ratings;
mod referee;
pub mod report;
mod results;
mod rules;
mod schedule;
mod sprt;
mod summary;
mod tournament;

pub use adjudication::{Adjudication, DrawRule, ResignRule};
pub use affinity::{Affinity, AffinityError, CoreList};
pub use book::{BookOptions, OpeningLineError};
pub use clock::{EngineLimits, TimeControl, seconds};
pub use engine_config::EngineConfig;
pub use games::add_game;
pub use key_values::{KeyError, KeyValues};
pub use openings::{OpeningError, Openings};
pub use pgn::CommentKeys;
pub use player::{
    EngineKind, EngineSetup, EngineSetupError, MoveReply, MoveRequest, Person, PersonConnection, Player,
    PlayerError, TextPlayer, TextReply,
};
pub use ratings::{Rating, ratings};
pub use referee::{FinalResult, Judge, PlayedGame, RefereeError, Seat, Termination, ThinkingTime, play};
pub use results::{GameResult, Results};
pub use rules::{Rules, RulesError, parse_option};
pub use schedule::{Format, Schedule, ScheduledGame};
pub use sprt::{EloModel, Hypothesis, Sprt, SprtError};
pub use summary::Summary;
pub use tournament::{Tournament, TournamentError};

pub use labrys_support::elo::{Elo, Pairs};

/// A position and the moves played from it: an opening, or the moves of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// The position, as FEN.
    pub fen: String,
    /// The moves, in the notation of the game.
    pub moves: Vec<String>,
}
