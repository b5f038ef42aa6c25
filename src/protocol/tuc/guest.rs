//! A client at a socket of its own, for a referee who asks it for moves as it asks any other player.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::message::{self, MessageError, ServerMessage, Step};
use super::socket::{Mailbox, dump};
use crate::game::Color;
use crate::protocol::client::{POLL_INTERVAL, STOP_TIMEOUT};
use crate::protocol::process::{Launch, LaunchError, Process, log_lines};
use crate::search::Control;

/// What stands for the port in the arguments of a client.
pub const PORT: &str = "{port}";

/// Where a client is expected, and how it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The address to listen at; port 0 stands for any that is free.
    pub listen: SocketAddr,
    /// The program, with [`PORT`] in its arguments where the port belongs; without one somebody else
    /// starts it.
    pub launch: Option<Launch>,
}

/// Why a client cannot play, or not go on.
#[derive(Debug, Error)]
pub enum GuestError {
    /// The address cannot be listened at.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// The program does not run.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The process has ended.
    #[error("the client has gone ({status})")]
    Gone {
        /// How it ended.
        status: ExitStatus,
    },
    /// The client says nothing.
    #[error("no {expected} over UDP at {address} within {} s", .waited.as_secs_f64())]
    Silent {
        /// What was waited for.
        expected: &'static str,
        /// Where it was waited for.
        address: SocketAddr,
        /// How long it was waited for.
        waited: Duration,
    },
    /// What it says is no move.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The socket does not work any more.
    #[error("cannot receive datagrams: {0}")]
    Receive(io::Error),
    /// The wait was called off.
    #[error("interrupted")]
    Interrupted,
}

impl Invitation {
    /// Makes sure that the address can be listened at and that a client comes, if it is started here.
    ///
    /// # Errors
    /// [`GuestError`] says why nobody would play.
    pub fn check(&self, patience: Duration, control: &Control) -> Result<(), GuestError> {
        if self.launch.is_none() {
            return Endpoint::open(self).map(drop);
        }
        let guest = Guest::join(self, Color::White, patience, control)?;
        guest.dismiss(ServerMessage::End([0, 0]));
        Ok(())
    }
}

/// Where a client comes in, or has come in.
struct Endpoint {
    mailbox: Mailbox,
    address: SocketAddr,
    process: Option<Process>,
}

impl Endpoint {
    /// Opens the socket and starts the program, if there is one.
    fn open(invitation: &Invitation) -> Result<Endpoint, GuestError> {
        let failed = |error| GuestError::Listen { address: invitation.listen, error };
        let mailbox = Mailbox::new(UdpSocket::bind(invitation.listen).map_err(failed)?);
        let address = mailbox.address().map_err(failed)?;
        let process = match &invitation.launch {
            None => None,
            Some(launch) => {
                let port = address.port().to_string();
                let arguments = launch.arguments.iter().map(|argument| argument.replace(PORT, &port));
                let launch = Launch { arguments: arguments.collect(), ..launch.clone() };
                let (process, _, output) = Process::start(&launch)?;
                log_lines(output, format!("output of {}", launch.program.display()));
                Some(process)
            }
        };
        Ok(Endpoint { mailbox, address, process })
    }

    /// Waits until `take` makes something of a datagram and its sender, for `patience` at most.
    fn wait<T>(
        &mut self,
        expected: &'static str,
        patience: Duration,
        control: &Control,
        mut take: impl FnMut(&[u8], SocketAddr) -> Option<Result<T, GuestError>>,
    ) -> Result<T, GuestError> {
        let start = Instant::now();
        loop {
            if control.is_stopped() {
                return Err(GuestError::Interrupted);
            }
            // Looked at before the mailbox: what a process has said before its end has come in by then.
            let ended = self.process.as_mut().and_then(Process::status);
            let left = patience.saturating_sub(start.elapsed());
            let received = self.mailbox.receive(Some(Instant::now() + left.min(POLL_INTERVAL)));
            match (received.map_err(GuestError::Receive)?, ended) {
                (Some((datagram, sender)), _) => {
                    if let Some(taken) = take(datagram, sender) {
                        return taken;
                    }
                }
                (None, Some(status)) => return Err(GuestError::Gone { status }),
                (None, None) => {}
            }
            if left.is_zero() {
                return Err(GuestError::Silent { expected, address: self.address, waited: patience });
            }
        }
    }
}

/// A client that has joined. Its program, if it was started here, is killed when this goes out of scope.
pub struct Guest {
    endpoint: Endpoint,
    address: SocketAddr,
    name: String,
    last: Option<Step>,
}

impl Guest {
    /// Waits for a client, for `patience` at most, and tells it its colour.
    ///
    /// # Errors
    /// [`GuestError`] when none comes.
    pub fn join(
        invitation: &Invitation,
        color: Color,
        patience: Duration,
        control: &Control,
    ) -> Result<Guest, GuestError> {
        let mut endpoint = Endpoint::open(invitation)?;
        log::info!("waiting at {} for a client to play {color}", endpoint.address);
        let (name, address) = endpoint.wait("client has joined", patience, control, |datagram, sender| {
            // A move may be left over from the last game at this port.
            let name = message::parse_name(datagram).ok().filter(|_| Step::parse(datagram).is_err());
            if name.is_none() {
                log::warn!("ignored: {} from {sender}, expected a name", dump(datagram));
            }
            name.map(|name| Ok((name.to_owned(), sender)))
        })?;
        log::info!("{color} is {name} at {address}");
        let mut guest = Guest { endpoint, address, name, last: None };
        guest.tell(ServerMessage::Player(color));
        Ok(guest)
    }

    /// Tells the client something. What it has said before that was out of turn, and is dropped.
    pub fn tell(&mut self, message: ServerMessage) {
        let mailbox = &mut self.endpoint.mailbox;
        let told = mailbox.clear().and_then(|()| mailbox.send(self.address, &message.to_string()));
        // It will not answer, either; its time runs out.
        if let Err(error) = told {
            log::warn!("cannot send `{message}` to {}: {error}", self.address);
        }
    }

    /// Waits for a move, and says how long it took. After `patience` it still counts for a little while, so
    /// that a late move can be told from none. Datagrams of others are ignored, and so is the name, or
    /// the last move, over again: no move can be made twice running.
    ///
    /// # Errors
    /// [`GuestError`] when there is none.
    pub fn hear(&mut self, patience: Duration, control: &Control) -> Result<(Step, Duration), GuestError> {
        let start = Instant::now();
        let Guest { endpoint, address, name, last } = self;
        let heard = endpoint.wait("move", patience + STOP_TIMEOUT, control, |datagram, sender| {
            let step = Step::parse(datagram);
            let is_repeated = match &step {
                Ok(step) => Some(*step) == *last,
                Err(_) => datagram == name.as_bytes(),
            };
            if sender != *address {
                log::warn!("ignored: {} from {sender}, {name} is at {address}", dump(datagram));
                return None;
            }
            if is_repeated {
                log::warn!("ignored: {} from {sender}, again", dump(datagram));
                return None;
            }
            Some(step.map_err(GuestError::from))
        });
        let step = heard.map_err(|error| match error {
            GuestError::Silent { expected, address, .. } => {
                GuestError::Silent { expected, address, waited: patience }
            }
            error => error,
        })?;
        self.last = Some(step);
        Ok((step, start.elapsed()))
    }

    /// Tells the client the last that it has to know, and gives its program a moment to end by itself.
    pub fn dismiss(mut self, message: ServerMessage) {
        self.tell(message);
        if let Some(process) = &mut self.endpoint.process {
            process.wait(|| ());
        }
    }
}
