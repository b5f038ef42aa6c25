//! A client on its own socket, as a player in a match.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::process::ExitStatus;
use std::time::Duration;

use thiserror::Error;

use super::door::Caller;
use super::message::{self, MessageError, ServerMessage, Step};
use super::socket::{Mailbox, dump};
use labrys_core::clock::Instant;
use labrys_core::game::Color;
use labrys_core::search::Control;
use labrys_protocol::engine_log::{EngineLog, Speaker};
use labrys_protocol::pipe::{POLL_INTERVAL, STOP_TIMEOUT};
use labrys_protocol::process::{Launch, LaunchError, Process};

/// The placeholder for the port in the arguments of a client.
pub const PORT: &str = "{port}";

/// The address for a client, and the program to start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The address to listen at. Port 0 means any free port.
    pub listen: SocketAddr,
    /// The program, with [`PORT`] in its arguments for the port. None if the client is started elsewhere.
    pub launch: Option<Launch>,
}

/// An error of a client.
#[derive(Debug, Error)]
pub enum GuestError {
    /// The socket cannot be opened.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        error: io::Error,
    },
    /// The program could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The process has ended.
    #[error("the client has ended ({status})")]
    Gone {
        /// Its exit status.
        status: ExitStatus,
    },
    /// No datagram came in time.
    #[error("no {expected} over UDP at {address} within {} s", .waited.as_secs_f64())]
    Silent {
        /// The expected datagram.
        expected: &'static str,
        /// The address of the socket.
        address: SocketAddr,
        /// The time waited.
        waited: Duration,
    },
    /// A datagram is not a move.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The socket has failed.
    #[error("cannot receive datagrams: {0}")]
    Receive(io::Error),
    /// The wait was interrupted.
    #[error("interrupted")]
    Interrupted,
}

impl Invitation {
    /// Checks that the socket can be opened, and that the client joins if it is started here.
    ///
    /// # Errors
    /// [`GuestError`] if not.
    pub fn check(&self, timeout: Duration, log: &EngineLog, control: &Control) -> Result<(), GuestError> {
        if self.launch.is_none() {
            return Endpoint::open(self, log).map(drop);
        }
        let guest = Guest::join(self, Color::White, timeout, log, control)?;
        guest.close(ServerMessage::End([0, 0]));
        Ok(())
    }
}

/// The socket of a client, and its process.
struct Endpoint {
    mailbox: Mailbox,
    address: SocketAddr,
    process: Option<Process>,
    log: EngineLog,
}

impl Endpoint {
    /// Opens the socket and starts the program, if there is one.
    fn open(invitation: &Invitation, log: &EngineLog) -> Result<Endpoint, GuestError> {
        let failed = |error| GuestError::Listen { address: invitation.listen, error };
        let mailbox = Mailbox::new(UdpSocket::bind(invitation.listen).map_err(failed)?);
        let address = mailbox.address().map_err(failed)?;
        let process = match &invitation.launch {
            None => None,
            Some(launch) => {
                let port = address.port().to_string();
                let arguments = launch.arguments.iter().map(|argument| argument.replace(PORT, &port));
                let launch = Launch { arguments: arguments.collect(), ..launch.clone() };
                let (mut process, _, output) = Process::start(&launch)?;
                process.log_lines("output", output);
                Some(process)
            }
        };
        let id = process.as_ref().map(Process::id);
        let log = id.map_or_else(|| log.clone(), |id| log.of_process(id));
        Ok(Endpoint { mailbox, address, process, log })
    }

    /// Waits until `take` returns a value for a datagram and its sender, for `timeout` at most.
    fn wait<T>(
        &mut self,
        expected: &'static str,
        timeout: Duration,
        control: &Control,
        mut take: impl FnMut(&[u8], SocketAddr) -> Option<Result<T, GuestError>>,
    ) -> Result<T, GuestError> {
        let start = Instant::now();
        loop {
            if control.is_stopped() {
                return Err(GuestError::Interrupted);
            }
            // Check the process before the mailbox, so that datagrams sent before its end are not missed.
            let ended = self.process.as_mut().and_then(Process::status);
            let left = timeout.saturating_sub(start.elapsed());
            let received = self.mailbox.receive(Some(Instant::now() + left.min(POLL_INTERVAL)));
            match (received.map_err(GuestError::Receive)?, ended) {
                (Some((datagram, sender)), _) => {
                    let text = String::from_utf8_lossy(datagram);
                    self.log.write(Speaker::Engine, &text.escape_debug().to_string());
                    if let Some(taken) = take(datagram, sender) {
                        return taken;
                    }
                }
                (None, Some(status)) => return Err(GuestError::Gone { status }),
                (None, None) => {}
            }
            if left.is_zero() {
                return Err(GuestError::Silent { expected, address: self.address, waited: timeout });
            }
        }
    }
}

/// A client that has joined. Its program, if it was started here, is killed on drop.
pub struct Guest {
    endpoint: Endpoint,
    address: SocketAddr,
    name: String,
    last: Option<Step>,
}

impl Guest {
    /// Waits for a client, for `timeout` at most, and sends it its colour.
    ///
    /// # Errors
    /// [`GuestError`] if none joins.
    pub fn join(
        invitation: &Invitation,
        color: Color,
        timeout: Duration,
        log: &EngineLog,
        control: &Control,
    ) -> Result<Guest, GuestError> {
        let mut endpoint = Endpoint::open(invitation, log)?;
        log::info!("waiting at {} for a client to play {color}", endpoint.address);
        let (name, address) = endpoint.wait("client has joined", timeout, control, |datagram, sender| {
            // Skip a late move of the last game on this port.
            let name = message::parse_name(datagram).ok().filter(|_| Step::parse(datagram).is_err());
            if name.is_none() {
                log::info!("ignored: {} from {sender}, expected a name", dump(datagram));
            }
            name.map(|name| Ok((name.to_owned(), sender)))
        })?;
        log::info!("{color} is {name} at {address}");
        let mut guest = Guest { endpoint, address, name, last: None };
        guest.send(ServerMessage::Player(color));
        Ok(guest)
    }

    /// Seats a client that waits at a door, and sends it its colour.
    ///
    /// # Errors
    /// [`GuestError::Receive`]: the socket has failed.
    pub fn seat(caller: &Caller, color: Color, log: &EngineLog) -> Result<Guest, GuestError> {
        let (mailbox, address) = caller.mailbox().map_err(GuestError::Receive)?;
        let endpoint = Endpoint { mailbox, address, process: None, log: log.clone() };
        let mut guest = Guest { endpoint, address: caller.address, name: caller.name.clone(), last: None };
        guest.send(ServerMessage::Player(color));
        Ok(guest)
    }

    /// Sends the client a message. Earlier datagrams were out of turn, and are dropped.
    pub fn send(&mut self, message: ServerMessage) {
        self.endpoint.log.write(Speaker::Arena, &message.to_string());
        let mailbox = &mut self.endpoint.mailbox;
        let sent = mailbox.clear().and_then(|()| mailbox.send(self.address, &message.to_string()));
        // If the message is lost, the client does not answer, and its time runs out.
        if let Err(error) = sent {
            log::warn!("cannot send `{message}` to {}: {error}", self.address);
        }
    }

    /// Waits for a move. Returns it with the time it took. A move that comes shortly after `timeout` is
    /// still returned, so that a late move can be distinguished from none. Datagrams of other senders are
    /// ignored, and so are repetitions of the name or of the last move, as no move can be legal twice in a
    /// row.
    ///
    /// # Errors
    /// [`GuestError`] if none comes.
    pub fn receive_move(
        &mut self,
        timeout: Duration,
        control: &Control,
    ) -> Result<(Step, Duration), GuestError> {
        let start = Instant::now();
        let Guest { endpoint, address, name, last } = self;
        let heard = endpoint.wait("move", timeout + STOP_TIMEOUT, control, |datagram, sender| {
            let step = Step::parse(datagram);
            let is_repeated = match &step {
                Ok(step) => Some(*step) == *last,
                Err(_) => datagram == name.as_bytes(),
            };
            if sender != *address {
                log::info!("ignored: {} from {sender}, {name} is at {address}", dump(datagram));
                return None;
            }
            if is_repeated {
                log::info!("ignored: {} from {sender}, again", dump(datagram));
                return None;
            }
            Some(step.map_err(GuestError::from))
        });
        let step = heard.map_err(|error| match error {
            GuestError::Silent { expected, address, .. } => {
                GuestError::Silent { expected, address, waited: timeout }
            }
            error => error,
        })?;
        self.last = Some(step);
        Ok((step, start.elapsed()))
    }

    /// Sends the client the last message, and waits for the exit of its program.
    pub fn close(mut self, message: ServerMessage) {
        self.send(message);
        if let Some(process) = &mut self.endpoint.process {
            process.wait(|| ());
        }
    }
}
