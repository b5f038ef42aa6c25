//! An engine outside of this process, started on demand and restarted after a failure.

use super::{EngineSetupError, MoveReply, PlayerError};
use labrys_core::game::{Game, MoveError};
use labrys_core::search::Control;
use labrys_protocol::client::{Answer, ClientError};
use labrys_protocol::info::Info;

/// Starts an engine or connects to it, and sets its options.
type Connect<C> = dyn FnMut(&Control) -> Result<C, EngineSetupError> + Send;

/// An engine in a child process or over TCP, behind the client `C` of its protocol.
pub(super) struct Remote<C> {
    connect: Box<Connect<C>>,
    /// Whether each game has a process or a connection of its own.
    restart: bool,
    /// `None` before the first game and after a failure.
    client: Option<C>,
}

impl<C> Remote<C> {
    /// An engine that `connect` starts, anew for each game with `restart`.
    pub(super) fn new(
        connect: impl FnMut(&Control) -> Result<C, EngineSetupError> + Send + 'static,
        restart: bool,
    ) -> Remote<C> {
        Remote { connect: Box::new(connect), restart, client: None }
    }

    /// Whether the engine has to be started for the next job.
    pub(super) fn is_idle(&self) -> bool {
        self.client.is_none()
    }

    /// Before a game: ends the last engine if each game has its own, or if `is_spent` returns true.
    pub(super) fn end_spent(&mut self, is_spent: impl FnOnce(&C) -> bool) {
        self.client = self.client.take().filter(|client| !self.restart && !is_spent(client));
    }

    /// Calls `job` with the engine, started if needed. An engine that fails is stopped.
    pub(super) fn run<T>(
        &mut self,
        control: &Control,
        job: impl FnOnce(&mut C) -> Result<T, ClientError>,
    ) -> Result<T, PlayerError> {
        let mut client = match self.client.take() {
            Some(client) => client,
            None => (self.connect)(control).map_err(|error| match error {
                EngineSetupError::Client(error) => PlayerError::from(error),
                error => PlayerError::Crashed(error.to_string()),
            })?,
        };
        let done = job(&mut client)?;
        self.client = Some(client);
        Ok(done)
    }
}

/// The reply of a player whose engine has given an answer, with the move that was read from it.
pub(super) fn reply<G: Game>(
    position: &G,
    mv: Result<G::Move, MoveError>,
    answer: Answer,
) -> MoveReply<G::Move> {
    let Answer { info: Info { depth, seldepth, score, nodes, pv }, elapsed, .. } = answer;
    MoveReply { mv, score, depth, seldepth, nodes, pv: read_line(position, &pv), elapsed }
}

/// The moves of a line in either notation, up to the first word that is none. Numbers of moves and words in
/// parentheses are ignored.
fn read_line<G: Game>(position: &G, words: &[String]) -> Vec<G::Move> {
    let mut position = position.clone();
    let moves =
        words.iter().filter(|word| !word.ends_with('.') && !word.starts_with('(')).map_while(|word| {
            let mv = position.parse_san(word).ok()?;
            position.play(mv);
            Some(mv)
        });
    moves.collect()
}

impl From<ClientError> for PlayerError {
    fn from(error: ClientError) -> PlayerError {
        match error {
            ClientError::Silent { .. } => PlayerError::Stalled(error.to_string()),
            ClientError::Garbage(_) | ClientError::Refused(_) => {
                PlayerError::InvalidOutput(error.to_string())
            }
            ClientError::Interrupted => PlayerError::Interrupted,
            _ => PlayerError::Crashed(error.to_string()),
        }
    }
}
