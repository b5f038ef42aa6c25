//! The UDP protocol of TUC-CHESS, as used by the course at the Technical University of Crete: client and
//! server.
//!
//! - `message`: the datagrams as types, with parsing and formatting;
//! - `client_game`: the client's state of the game; `explain`: the chance outcome that matches a message;
//! - `client`: the client's socket and engine;
//! - `host`: the logic of the server; `server`: its socket;
//! - `guest`: a client as a player in a match; `door`: a port at which clients wait for their games;
//! - `announce`: the server's messages about a game; `socket`: sending and receiving datagrams.
//!
//! `client_game` and `host` use neither sockets nor clocks; datagrams and times are their arguments.
//!
//! # Example
//!
//! A datagram of the server: White has moved, and Black is next.
//!
//! ```
//! use labrys_core::game::Color;
//! use labrys_tuc::message::{ServerMessage, Turn};
//!
//! let message = ServerMessage::parse(b"T15444990001")?;
//! let ServerMessage::Turn(Turn { next, step, prize, points }) = message else { panic!("a move") };
//! assert_eq!((next, step.name().as_str()), (Color::Black, "e2e3"));
//! assert_eq!((prize, points), (None, [0, 1]));
//! assert_eq!(message.to_string(), "T15444990001");
//! # Ok::<(), labrys_tuc::message::MessageError>(())
//! ```

pub mod announce;
pub mod client;
mod client_game;
pub mod door;
mod explain;
pub mod guest;
mod host;
pub mod message;
pub mod server;
mod socket;

use std::fmt;

pub use client_game::{ClientGame, Event, UnexpectedMessage};
pub use host::{DatagramError, EndCause, Host, HostError, HostedResult, Response, ServerEvent, TimeLimits};

use labrys_core::game::tucchess::TucChess;
use labrys_core::game::{Color, Game};

/// The game of the protocol.
pub fn variant() -> &'static str {
    TucChess::info().name
}

/// A move that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The number of the ply, from 1.
    pub ply: u32,
    /// The player.
    pub player: Color,
    /// The move in the notation of the game, with its chance outcome as far as it is known.
    pub text: String,
    /// The points of White and of Black after the move.
    pub points: [f64; 2],
}

impl fmt::Display for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [white, black] = self.points;
        write!(f, "{} {} {} {white}-{black}", self.ply, self.player, self.text)
    }
}

/// The winner, in words.
fn winner_text(winner: Option<Color>) -> String {
    winner.map_or("draw".to_owned(), |winner| format!("{winner} wins"))
}
