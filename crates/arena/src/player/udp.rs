//! A player behind the UDP protocol of TUC-CHESS.

use std::time::Duration;

use super::{MoveReply, MoveRequest, Player, PlayerError};
use labrys_core::engine::Board;
use labrys_core::game::{Color, Game};
use labrys_core::search::Control;
use labrys_protocol::engine_log::EngineLog;
use labrys_tuc::announce;
use labrys_tuc::door::Caller;
use labrys_tuc::guest::{Guest, GuestError, Invitation};
use labrys_tuc::message::ServerMessage;

/// A client over UDP. A client plays one game, so each game has a new one.
pub(super) struct UdpPlayer {
    source: Source,
    timeout: Duration,
    log: EngineLog,
    /// The client, during a game.
    guest: Option<Guest>,
    /// Whether `GB` has been sent.
    begun: bool,
}

/// Where the client comes from.
pub(super) enum Source {
    /// It joins at a port of its own.
    Invitation(Invitation),
    /// It waits at a door; none once it has played.
    Caller(Option<Caller>),
}

impl UdpPlayer {
    pub(super) fn new(source: Source, timeout: Duration, log: EngineLog) -> UdpPlayer {
        UdpPlayer { source, timeout, log, guest: None, begun: false }
    }

    /// The client in a game that has begun. `GB` is sent only when the first clock starts.
    fn playing(&mut self) -> Option<&mut Guest> {
        let guest = self.guest.as_mut()?;
        if !self.begun {
            self.begun = true;
            guest.send(ServerMessage::Begin);
        }
        Some(guest)
    }
}

impl<G: Game> Player<G> for UdpPlayer {
    fn new_game(&mut self, color: Color, control: &Control) -> Result<(), PlayerError> {
        // Free the port before it is used again.
        self.guest = None;
        self.begun = false;
        let guest = match &mut self.source {
            Source::Invitation(invitation) => {
                Guest::join(invitation, color, self.timeout, &self.log, control)?
            }
            Source::Caller(caller) => {
                let missing = || PlayerError::Crashed("the client has played its game".to_owned());
                Guest::seat(&caller.take().ok_or_else(missing)?, color, &self.log)?
            }
        };
        self.guest = Some(guest);
        Ok(())
    }

    fn think(
        &mut self,
        request: &MoveRequest<G>,
        control: &Control,
    ) -> Result<MoveReply<G::Move>, PlayerError> {
        let timeout = request.timeout.unwrap_or(self.timeout);
        let guest = self.playing().ok_or_else(|| PlayerError::Crashed("no client".to_owned()))?;
        let (step, elapsed) = guest.receive_move(timeout, control)?;
        let mv = request.game.position().parse_move(&step.name());
        Ok(MoveReply { elapsed, ..MoveReply::new(mv) })
    }

    fn moved(&mut self, mv: &str, board: &dyn Board) {
        if let Some((guest, message)) = self.playing().zip(announce::turn(mv, board)) {
            guest.send(message);
        }
    }

    fn game_over(&mut self, board: &dyn Board) {
        if let Some(guest) = self.guest.take() {
            guest.close(announce::end(board));
        }
    }
}

impl From<GuestError> for PlayerError {
    fn from(error: GuestError) -> PlayerError {
        match error {
            GuestError::Silent { .. } => PlayerError::Stalled(error.to_string()),
            GuestError::Message(_) => PlayerError::InvalidOutput(error.to_string()),
            GuestError::Interrupted => PlayerError::Interrupted,
            _ => PlayerError::Crashed(error.to_string()),
        }
    }
}
