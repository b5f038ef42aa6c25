//! The client: plays with an engine on a server of the course.
//!
//! The original server takes a repeated datagram for a move of the opponent, and stops without a message at
//! any invalid datagram. So the client sends its name once and each move once, as four digits, and nothing
//! else. Without an answer it gives up.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use thiserror::Error;

use super::client_game::{ClientGame, Event};
use super::message::{self, MessageError, ServerMessage, Step};
use super::socket::Mailbox;
use labrys_core::clock::Instant;
use labrys_core::engine::{Board, Engine, SearchReport};
use labrys_core::game::tucchess::TucChess;
use labrys_core::game::{FenError, Game};
use labrys_core::search::{Control, Limits};
use labrys_protocol::text;

/// The settings of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSettings {
    /// The name of the player: a line of text, 1 to 200 bytes.
    pub name: String,
    /// The time for a search. The engine subtracts its `Move Overhead`.
    pub movetime: Duration,
    /// The maximum number of nodes of a search, if limited.
    pub nodes: Option<u64>,
    /// The greatest time without a valid message of the server.
    pub timeout: Duration,
}

/// An error that ends a game early.
#[derive(Debug, Error)]
pub enum TucError {
    /// The name is invalid.
    #[error(transparent)]
    Name(#[from] MessageError),
    /// The engine does not play TUC-CHESS.
    #[error("the engine plays another game: {0}")]
    Game(#[from] FenError),
    /// A datagram cannot be sent.
    #[error("cannot send `{datagram}` to {server}: {error}")]
    Send {
        /// The datagram.
        datagram: String,
        /// The address of the server.
        server: SocketAddr,
        /// The error of the system.
        error: io::Error,
    },
    /// The socket has failed.
    #[error("cannot receive datagrams: {0}")]
    Receive(io::Error),
    /// The server sends the end of a game before it has called the client to one.
    #[error("{server} refuses {}: the name may be that of another", labrys_core::game::quote(.name))]
    Refused {
        /// The address of the server.
        server: SocketAddr,
        /// The name.
        name: String,
    },
    /// No message of the server came in time.
    #[error("nothing from {server} for {} s while waiting for {expected}", .waited.as_secs_f64())]
    Silent {
        /// The address of the server.
        server: SocketAddr,
        /// The time waited.
        waited: Duration,
        /// The expected message.
        expected: String,
    },
}

/// A game that was played to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedGame {
    /// The points of White and of Black.
    pub points: [u8; 2],
    /// The turns of the client.
    pub turns: u32,
    /// The legal moves that it had on all its turns.
    pub legal_moves: u32,
}

impl FinishedGame {
    /// The mean number of legal moves on the turns of the client; 0 without a turn.
    pub fn branching(&self) -> f64 {
        f64::from(self.legal_moves) / f64::from(self.turns.max(1))
    }
}

/// Plays a game from the board of `engine` on the server;
/// `report` gets each event. Invalid datagrams and those of other senders are logged at level `warn` and
/// ignored.
///
/// # Errors
/// [`TucError`] if the server is silent for too long or the socket fails.
pub fn play(
    socket: UdpSocket,
    server: SocketAddr,
    settings: &ClientSettings,
    engine: &mut dyn Engine,
    report: &mut dyn FnMut(&Event),
) -> Result<FinishedGame, TucError> {
    message::parse_name(settings.name.as_bytes())?;
    let mut connection = Connection { mailbox: Mailbox::new(socket), server, timeout: settings.timeout };
    let (mut turns, mut legal_moves) = (0, 0);
    let mut client_game = ClientGame::new(TucChess::from_fen(&engine.board().fen())?);
    engine.new_game();
    connection.send(&settings.name)?;
    let mut since = Instant::now();
    loop {
        let Some(message) = connection.receive(since)? else {
            return Err(TucError::Silent {
                server,
                waited: settings.timeout,
                expected: client_game.expected(),
            });
        };
        let events = match client_game.receive(message) {
            Ok(events) => events,
            Err(odd) => {
                log::info!("ignored: {odd}");
                continue;
            }
        };
        if matches!(message, ServerMessage::End(_)) && !client_game.is_called() {
            return Err(TucError::Refused { server, name: settings.name.clone() });
        }
        for event in &events {
            report(event);
            follow(engine.board_mut(), event);
            if let Event::Ended(points) = event {
                return Ok(FinishedGame { points: *points, turns, legal_moves });
            }
        }
        if client_game.is_to_move() {
            match think(engine, client_game.position(), settings) {
                Some(step) => {
                    connection.send(&step.to_string())?;
                    client_game.sent(step);
                    turns += 1;
                    legal_moves += client_game.position().count_moves() as u32;
                }
                None => log::warn!("we have no legal move; the server has to end the game"),
            }
        }
        since = Instant::now();
    }
}

/// Plays a move on the board of the engine, so that it has the history of the game.
fn follow(board: &mut dyn Board, event: &Event) {
    if let Event::Moved(moved) | Event::Unconfirmed(moved) = event
        && let Err(error) = board.play(&moved.text)
    {
        log::debug!("cannot play the move on the board of the engine: {error}");
    }
}

/// The move that the engine finds in a position.
fn think(engine: &mut dyn Engine, position: &TucChess, settings: &ClientSettings) -> Option<Step> {
    let fen = position.fen();
    // The position of the server takes precedence over that of the rules.
    if engine.board().fen() != fen {
        engine.board_mut().set_up(Some(&fen), &[]).ok()?;
    }
    let limits = Limits { movetime: Some(settings.movetime), nodes: settings.nodes, ..Limits::none() };
    let mut last = None;
    let mut listener = |report: &SearchReport| last = Some(text::info(report));
    // The search is only refused for illegal root moves, and there are none.
    let best = engine.search(&[], &limits, &Control::default(), &mut listener).ok()?;
    log::info!("{} {}", text::best_move(&best), last.unwrap_or_default());
    Step::from_name(&best.best?)
}

/// The connection to the server.
struct Connection {
    mailbox: Mailbox,
    server: SocketAddr,
    timeout: Duration,
}

impl Connection {
    /// Sends a datagram, once.
    fn send(&self, text: &str) -> Result<(), TucError> {
        self.mailbox.send(self.server, text).map_err(|error| TucError::Send {
            datagram: text.to_owned(),
            server: self.server,
            error,
        })
    }

    /// The next message of the server. None on timeout, counted from `since`.
    fn receive(&mut self, since: Instant) -> Result<Option<ServerMessage>, TucError> {
        loop {
            let left = self.timeout.checked_sub(since.elapsed()).filter(|left| !left.is_zero());
            let Some(left) = left else { return Ok(None) };
            let deadline = Instant::now().checked_add(left);
            let received = self.mailbox.receive_from(self.server, deadline).map_err(TucError::Receive)?;
            match received.map(ServerMessage::parse) {
                Some(Ok(message)) => return Ok(Some(message)),
                Some(Err(error)) => log::info!("ignored: {error}"),
                None => {}
            }
        }
    }
}
