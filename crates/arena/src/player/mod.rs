//! Players: Labrys in the same process, an engine in a child process or over TCP that speaks UCI or xboard,
//! a client over UDP, or a person.
//!
//! [`Player`] is the referee's interface to them; each kind has a module of its own. [`TextPlayer`] is a
//! player whose game is known at run time only. `setup` says how an engine is run and makes its player;
//! `remote` starts and restarts an engine.

mod in_process;
mod person;
mod remote;
mod setup;
mod text;
mod uci;
mod udp;
mod xboard;

use std::time::Duration;

use thiserror::Error;

pub(crate) use person::Act;
pub use person::{Person, PersonConnection};
pub(crate) use setup::PERSON;
pub use setup::{EngineKind, EngineSetup, EngineSetupError};
pub(crate) use text::typed;
pub use text::{TextPlayer, TextReply};

use super::Variation;
use labrys_core::engine::{Board, GameState};
use labrys_core::eval::UciScore;
use labrys_core::game::{Color, Game, MoveError};
use labrys_core::search::{Control, Limits};

/// A player in a match.
pub trait Player<G: Game>: Send {
    /// Prepares for a game in which it plays `color`. A player that has failed before starts afresh.
    ///
    /// # Errors
    /// [`PlayerError`] when it cannot.
    fn new_game(&mut self, color: Color, control: &Control) -> Result<(), PlayerError>;

    /// Searches for a move.
    ///
    /// # Errors
    /// [`PlayerError`] when there is no reply at all. A late reply is no error: the referee checks the clock.
    fn think(
        &mut self,
        request: &MoveRequest<G>,
        control: &Control,
    ) -> Result<MoveReply<G::Move>, PlayerError>;

    /// May search in the time of the opponent, from here to the next request. The request is that of the
    /// opponent, with the limits that the player itself will have.
    fn ponder(&mut self, _request: &MoveRequest<G>, _control: &Control) {}

    /// Called after a move of either player, in text with its chance outcome. `board` is the position after
    /// the move. Not called for the move that ends the game.
    fn moved(&mut self, _mv: &str, _board: &dyn Board) {}

    /// Called at the end of a game, in the position of `board`, whatever has ended it, failures included.
    fn game_over(&mut self, _board: &dyn Board) {}
}

/// A request for a move.
pub struct MoveRequest<'a, G> {
    /// The game, which is not over.
    pub game: &'a GameState<G>,
    /// The opening and the moves in text, for players outside of this process.
    pub line: &'a Variation,
    /// Limits of the search.
    pub limits: &'a Limits,
    /// How long to wait for the reply; `None` means the player's own timeout.
    pub timeout: Option<Duration>,
}

/// The reply of a player to a [`MoveRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveReply<M> {
    /// The move, or why its text is no legal move.
    pub mv: Result<M, MoveError>,
    /// The score that the player reports, from its own point of view.
    pub score: Option<UciScore>,
    /// Search depth in plies.
    pub depth: Option<u32>,
    /// The deepest ply visited.
    pub seldepth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The line that the player expects, from its move on. All moves are legal.
    pub pv: Vec<M>,
    /// Time used.
    pub elapsed: Duration,
}

impl<M> MoveReply<M> {
    /// A reply that is nothing but a move, made in no time.
    pub fn new(mv: Result<M, MoveError>) -> MoveReply<M> {
        MoveReply {
            mv,
            score: None,
            depth: None,
            seldepth: None,
            nodes: None,
            pv: Vec::new(),
            elapsed: Duration::ZERO,
        }
    }

    /// The speed of the search; `None` if the number of nodes is unknown or no time was used.
    pub fn nodes_per_second(&self) -> Option<u64> {
        let seconds = Some(self.elapsed.as_secs_f64()).filter(|&seconds| seconds > 0.0)?;
        Some((self.nodes? as f64 / seconds) as u64)
    }
}

/// An error of a player without a reply.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayerError {
    /// Its process or search has ended, or cannot be started again.
    #[error("{0}")]
    Crashed(String),
    /// No reply within the timeout.
    #[error("{0}")]
    Stalled(String),
    /// Output that does not follow the protocol.
    #[error("{0}")]
    InvalidOutput(String),
    /// It resigns.
    #[error("resigns")]
    Resigned,
    /// It accepts the draw that its opponent has offered.
    #[error("agrees on a draw")]
    Agreed,
    /// The match is being stopped.
    #[error("interrupted")]
    Interrupted,
}
