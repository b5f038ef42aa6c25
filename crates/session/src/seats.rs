//! Seats: who may do what in a session whose game is played over links.
//!
//! A session belongs to whoever opened it. Once its seats are open, there is a link for White, one for Black
//! and one for spectators, each with a token. During the game a player moves for their side only, nobody else
//! moves for it, and nobody asks an engine for help in the session. Once the game is over, its owner can
//! analyse it as before.

use std::array;

use serde::{Deserialize, Serialize};

use crate::message::Message;
use crate::request::{Request, SlowRequest};
use labrys_core::game::Color;

/// What a connection is in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "&str")]
pub enum Role {
    /// Opened the session, or has its address.
    Owner,
    /// Plays a side.
    Player(Color),
    /// Watches.
    Spectator,
}

impl From<Role> for &str {
    fn from(role: Role) -> &'static str {
        match role {
            Role::Owner => "owner",
            Role::Player(Color::White) => "white",
            Role::Player(Color::Black) => "black",
            Role::Spectator => "spectator",
        }
    }
}

impl Role {
    /// The message that a connection has this role from now on.
    pub fn to_json(self) -> String {
        Message::Role { role: self }.to_json()
    }
}

/// A seat: the token of its link, and the connections that have it.
#[derive(Clone, Debug)]
struct Seat {
    token: String,
    connections: usize,
}

/// The seats of a session.
#[derive(Clone, Debug)]
pub(crate) struct Seats {
    /// White's, Black's and that of all spectators.
    seats: [Seat; 3],
}

/// The tokens of the seats: White's, Black's and the spectators'.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tokens([String; 3]);

/// Who is connected.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Presence {
    pub(crate) white: bool,
    pub(crate) black: bool,
    /// The number of spectators.
    pub(crate) spectators: usize,
}

impl Tokens {
    /// The message with them.
    pub(crate) fn to_json(&self) -> String {
        let [white, black, spectators] = &self.0;
        Message::Seats { white, black, spectators }.to_json()
    }
}

/// The roles in the order of the seats.
const ROLES: [Role; 3] = [Role::Player(Color::White), Role::Player(Color::Black), Role::Spectator];

impl Seats {
    /// Seats whose tokens cannot be guessed.
    pub(crate) fn open() -> Seats {
        Seats::restore(Tokens(array::from_fn(|_| format!("{:032x}", rand::random::<u128>()))))
    }

    /// The seats of these tokens, without connections.
    pub(crate) fn restore(tokens: Tokens) -> Seats {
        Seats { seats: tokens.0.map(|token| Seat { token, connections: 0 }) }
    }

    /// The tokens of the seats.
    pub(crate) fn tokens(&self) -> Tokens {
        Tokens(self.seats.each_ref().map(|seat| seat.token.clone()))
    }

    /// The role of a token.
    pub(crate) fn role(&self, token: &str) -> Option<Role> {
        let index = self.seats.iter().position(|seat| seat.token == token)?;
        Some(ROLES[index])
    }

    /// Counts a connection with a token more, or less.
    pub(crate) fn count(&mut self, token: &str, is_new: bool) {
        if let Some(seat) = self.seats.iter_mut().find(|seat| seat.token == token) {
            seat.connections = if is_new { seat.connections + 1 } else { seat.connections.saturating_sub(1) };
        }
    }

    /// Who is connected.
    pub(crate) fn presence(&self) -> Presence {
        let [white, black, spectators] = self.seats.each_ref().map(|seat| seat.connections);
        Presence { white: white > 0, black: black > 0, spectators }
    }

    /// Exchanges the sides of the players.
    pub(crate) fn swap(&mut self) {
        self.seats.swap(0, 1);
    }
}

/// Whether a role allows a request, once seats are open. `is_over` is whether the game has ended.
pub(crate) fn allows(role: Role, request: &Request, is_over: bool) -> bool {
    use Request::{
        Analyse, Annotate, Ask, Check, Choose, Delete, Draw, Explored, Load, New, Pause, Play, PlayLine,
        Players, Promote, Record, Rematch, Resign, Review, Save, Seats, Show, Step, TakeBack, Try,
    };
    match (role, request) {
        (_, Check { .. } | Save { .. }) => true,
        (Role::Player(_), Play { .. } | Resign {} | Draw {} | Rematch {}) => true,
        (Role::Player(_) | Role::Spectator, _) => false,
        // Other games, and what is around this one.
        (
            Role::Owner,
            New { .. }
            | Load { .. }
            | Choose { .. }
            | Explored { .. }
            | Players { .. }
            | Pause { .. }
            | Step {}
            | Record { .. }
            | Seats { .. },
        ) => true,
        // Moves are the players', and help is nobody's.
        (
            Role::Owner,
            Play { .. }
            | PlayLine { .. }
            | TakeBack {}
            | Resign {}
            | Draw {}
            | Rematch {}
            | Show { .. }
            | Analyse { .. }
            | Review { .. }
            | Try { .. }
            | Ask { .. }
            | Annotate { .. }
            | Promote { .. }
            | Delete { .. },
        ) => is_over,
    }
}

/// The same for requests that take a thread for blocking work.
pub(crate) fn allows_slow(role: Role, request: &SlowRequest, is_over: bool) -> bool {
    // An evaluation is help, too.
    role == Role::Owner && (is_over || !matches!(request, SlowRequest::StaticEval {}))
}
