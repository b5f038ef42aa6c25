//! TUC-CHESS over UDP, as the course at the Technical University of Crete plays it: both ends.
//!
//! - `message`: the datagrams as types, to and from text;
//! - `mirror`: what a client makes of the server's messages; `explain`: which chance outcome they tell of;
//! - `client`: the client's socket and engine;
//! - `host`: the server's decisions; `server`: its socket;
//! - `guest`: a client at a socket of its own, as a player in a match;
//! - `announce`: what a server tells of a game, in whichever way it is refereed; `socket`: datagrams in and
//!   out.
//!
//! `mirror` and `host` know neither sockets nor clocks: datagrams and times are handed to them.

pub mod announce;
pub mod client;
mod explain;
pub mod guest;
mod host;
pub mod message;
mod mirror;
pub mod server;
mod socket;

use std::fmt;

pub use host::{DatagramError, EndCause, GameResult, Host, HostError, Response, ServerEvent, TimeLimits};
pub use mirror::{Event, Mirror, UnexpectedMessage};

use crate::game::tucchess::TucChess;
use crate::game::{Color, Game};

/// The game that the protocol is for.
pub const VARIANT: &str = TucChess::NAME;

/// A move that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// Its number, from 1, both players' counted.
    pub ply: u32,
    /// Who made it.
    pub player: Color,
    /// The move in the notation of the game, with its chance outcome as far as that is known.
    pub text: String,
    /// The points of White and of Black after it.
    pub points: [f64; 2],
}

impl fmt::Display for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [white, black] = self.points;
        write!(f, "{} {} {} {white}-{black}", self.ply, self.player, self.text)
    }
}

/// Who has won, in words.
fn winner_text(winner: Option<Color>) -> String {
    winner.map_or("draw".to_owned(), |winner| format!("{winner} wins"))
}
