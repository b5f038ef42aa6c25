//! Seats: the roles and permissions of connections in a game played over links.
//!
//! A session belongs to its owner. Opening its seats creates a link for White, one for Black and one for
//! spectators, each with a token. During the game only the players move, each for their own side, and no
//! engine helps anyone. When the game is over, the owner can analyse it as before.

use std::array;

use serde::{Deserialize, Serialize};

use crate::message::Message;
use crate::request::{Request, SlowRequest};
use crate::session::random_id;
use labrys_core::game::Color;

/// The role of a connection in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "&str")]
pub enum Role {
    /// Has the address of the session.
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
    /// The message that tells a connection its new role.
    pub fn to_json(self) -> String {
        Message::Role { role: self }.to_json()
    }
}

/// A seat: the token of its link, and the number of its connections.
#[derive(Clone, Debug)]
struct Seat {
    token: String,
    connections: usize,
}

/// The seats of a session.
#[derive(Clone, Debug)]
pub(crate) struct Seats {
    /// White, Black, spectators.
    seats: [Seat; 3],
}

/// The tokens of the seats: White, Black, spectators.
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
    /// The message with the tokens.
    pub(crate) fn to_json(&self) -> String {
        let [white, black, spectators] = &self.0;
        Message::Seats { white, black, spectators }.to_json()
    }
}

/// The roles of the seats, in their order.
const ROLES: [Role; 3] = [Role::Player(Color::White), Role::Player(Color::Black), Role::Spectator];

impl Seats {
    /// New seats, with random tokens.
    pub(crate) fn open() -> Seats {
        Seats::restore(Tokens(array::from_fn(|_| random_id())))
    }

    /// Seats with these tokens, without connections.
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

    /// Counts a new connection with a token, or the end of one.
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

    /// Swaps the sides of the players.
    pub(crate) fn swap(&mut self) {
        self.seats.swap(0, 1);
    }
}

/// Whether a role may make a request while seats are open. `is_over`: the game is over.
pub(crate) fn allows(role: Role, request: &Request, is_over: bool) -> bool {
    use Request::{
        Analyse, Annotate, Ask, Check, Choose, Delete, Draw, Explored, Load, New, Pause, Play, PlayLine,
        Players, Promote, Record, Rematch, Resign, Review, Save, Seats, Show, Step, TakeBack, Try,
    };
    match (role, request) {
        (_, Check { .. } | Save { .. }) => true,
        (Role::Player(_), Play { .. } | Resign {} | Draw {} | Rematch {}) => true,
        (Role::Player(_) | Role::Spectator, _) => false,
        // Choosing games and players, and managing the session.
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
        // Moves are for the players, and no one gets help.
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

/// The same for requests that may block.
pub(crate) fn allows_slow(role: Role, request: &SlowRequest, is_over: bool) -> bool {
    // A static evaluation is help, too.
    role == Role::Owner && (is_over || !matches!(request, SlowRequest::StaticEval {}))
}
