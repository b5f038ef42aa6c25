//! Where strength is measured: matches and tournaments between players, and what their results say.
//!
//! - [`Rules`] say what is played, [`EngineSetup`] who plays: this engine in the same process, any UCI engine as a
//!   child process, or a client over `udp`; [`Player`] is what the referee sees of each;
//! - `referee` sees to one game in the loop that self-play has, too ([`crate::engine::game_loop`]), under the
//!   rules of the game, `clock`s and `adjudication`;
//! - `openings` and `schedule` say which games there are, `tournament` plays them, several at a time;
//! - `results` counts them in pairs, `elo`, `sprt` and `ratings` say what the counts are worth, `summary`
//!   shows it;
//! - `pgn` writes records of games and reads them, `pgn_file` keeps them in a file, `plot` draws them;
//! - `key_values` and `engine` read arguments of the form `key=value`, as match runners have them.

mod adjudication;
mod clock;
mod elo;
mod engine_config;
mod key_values;
mod openings;
pub mod pgn;
pub mod pgn_file;
mod player;
pub mod plot;
mod ratings;
mod referee;
mod results;
mod rules;
mod schedule;
mod sprt;
mod summary;
mod tournament;
mod udp_player;

pub use adjudication::{Adjudication, DrawRule, ResignRule};
pub use clock::{EngineLimits, TimeControl, seconds};
pub use elo::{Elo, Pairs};
pub use engine_config::EngineConfig;
pub use key_values::{KeyError, KeyValues};
pub use openings::{OpeningError, OpeningLineError, Openings};
pub use player::{EngineKind, EngineSetup, EngineSetupError, MoveReply, MoveRequest, Player, PlayerError};
pub use ratings::{Rating, ratings};
pub use referee::{FinalResult, PlayedGame, RefereeError, Seat, Termination, ThinkingTime, play};
pub use results::{GameResult, Results};
pub use rules::{Rules, RulesError, parse_option};
pub use schedule::{Format, Schedule, ScheduledGame};
pub use sprt::{EloModel, Hypothesis, Sprt, SprtError};
pub use summary::Summary;
pub use tournament::{Tournament, TournamentError};

/// A position and the moves played from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// The position, as a FEN.
    pub fen: String,
    /// The moves, in the notation of the game.
    pub moves: Vec<String>,
}
