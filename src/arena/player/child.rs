//! The child process of an engine, started when it is needed and started again after a failure.

use super::{EngineSetupError, PlayerError};
use crate::protocol::client::ClientError;
use crate::search::Control;

/// Starts an engine and sets its options.
type Connect<C> = dyn FnMut(&Control) -> Result<C, EngineSetupError> + Send;

/// An engine in a child process, behind the client `C` of its protocol.
pub(super) struct Child<C> {
    connect: Box<Connect<C>>,
    /// `None` before the first game and after a failure.
    client: Option<C>,
}

impl<C> Child<C> {
    /// An engine that `connect` starts.
    pub(super) fn new(
        connect: impl FnMut(&Control) -> Result<C, EngineSetupError> + Send + 'static,
    ) -> Child<C> {
        Child { connect: Box::new(connect), client: None }
    }

    /// Ends the process if `is_spent` says that it cannot play another game.
    pub(super) fn retire(&mut self, is_spent: impl FnOnce(&C) -> bool) {
        self.client = self.client.take().filter(|client| !is_spent(client));
    }

    /// Runs `job` on the engine, started if need be. An engine that fails is stopped.
    pub(super) fn guard<T>(
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
