//! Where strength is measured: matches and tournaments between players, and what their results say.
//!
//! - [`Rules`] say what is played, [`Setup`] who plays: this engine in the same process, any UCI engine as a
//!   child process, or a client over `udp`; [`Player`] is what the referee sees of each;
//! - `referee` sees to one game in the loop that self-play has, too ([`crate::engine::game_loop`]), under the
//!   rules of the game, `clock`s and `adjudication`;
//! - `openings` and `schedule` say which games there are, `tournament` plays them, several at a time;
//! - `results` counts them in pairs, `elo`, `sprt` and `ratings` say what the counts are worth, `summary`
//!   shows it;
//! - `pgn` writes records of games and reads them, `archive` keeps them in a file, `plot` draws them;
//! - `keys` and `participant` read arguments of the form `key=value`, as match runners have them.

mod adjudication;
pub mod archive;
mod clock;
mod elo;
mod keys;
mod openings;
mod participant;
pub mod pgn;
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
mod udp;

pub use adjudication::{Adjudication, DrawRule, ResignRule};
pub use clock::{Allowance, TimeControl, seconds};
pub use elo::{Elo, Pairs};
pub use keys::{KeyError, Keys};
pub use openings::{LineError, OpeningError, Openings};
pub use participant::Participant;
pub use player::{Failure, MoveRequest, Place, Player, Setup, SetupError, Thought};
pub use ratings::{Rating, ratings};
pub use referee::{Cause, End, NoResult, Played, Seat, Thinking, play};
pub use results::{GameResult, Results};
pub use rules::{Rules, RulesError, parse_option};
pub use schedule::{Fixture, Format, Schedule};
pub use sprt::{Hypothesis, Model, Sprt, SprtError};
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
