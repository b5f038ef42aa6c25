//! Sending and receiving datagrams.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use super::door::Inbox;
use labrys_core::clock::Instant;

/// The size of the largest datagram, so that none is truncated.
const MAX_DATAGRAM: usize = 65_536;

/// The shortest timeout. A socket does not accept a timeout of 0.
const MIN_WAIT: Duration = Duration::from_millis(1);

/// A socket for datagrams.
pub(super) struct Mailbox {
    socket: UdpSocket,
    buffer: Vec<u8>,
    /// Where the datagrams come from if others share the socket.
    inbox: Option<Inbox>,
}

impl Mailbox {
    pub(super) fn new(socket: UdpSocket) -> Mailbox {
        Mailbox { socket, buffer: vec![0; MAX_DATAGRAM], inbox: None }
    }

    /// The mail of one client at a port of several.
    pub(super) fn of_caller(socket: UdpSocket, inbox: Inbox) -> Mailbox {
        Mailbox { socket, buffer: Vec::new(), inbox: Some(inbox) }
    }

    /// The address of the socket.
    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Sends a datagram, once.
    pub(super) fn send(&self, to: SocketAddr, text: &str) -> io::Result<()> {
        log::debug!("to {to}: {text}");
        self.socket.send_to(text.as_bytes(), to).map(drop)
    }

    /// The next datagram and its sender. None at the `deadline`, or if the wait was interrupted.
    pub(super) fn receive(&mut self, deadline: Option<Instant>) -> io::Result<Option<(&[u8], SocketAddr)>> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()).max(MIN_WAIT));
        if let Some(inbox) = &self.inbox {
            let received = inbox.receive(left.unwrap_or(Duration::MAX));
            return Ok(received.map(|(datagram, sender)| {
                self.buffer = datagram;
                (&self.buffer[..], sender)
            }));
        }
        self.socket.set_read_timeout(left)?;
        match self.socket.recv_from(&mut self.buffer) {
            Ok((length, sender)) => Ok(self.buffer.get(..length).map(|datagram| {
                log::debug!("from {sender}: {}", dump(datagram));
                (datagram, sender)
            })),
            Err(error) => match error.kind() {
                // The last two: a receiver of an earlier datagram does not exist any more.
                ErrorKind::WouldBlock
                | ErrorKind::TimedOut
                | ErrorKind::Interrupted
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionRefused => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// The next datagram of one sender. Those of others are logged and ignored.
    pub(super) fn receive_from(
        &mut self,
        expected: SocketAddr,
        deadline: Option<Instant>,
    ) -> io::Result<Option<&[u8]>> {
        let Some((length, sender)) = self.receive(deadline)?.map(|(text, sender)| (text.len(), sender))
        else {
            return Ok(None);
        };
        let datagram = self.buffer.get(..length);
        if (sender.ip(), sender.port()) == (expected.ip(), expected.port()) {
            return Ok(datagram);
        }
        let text = dump(datagram.unwrap_or_default());
        log::info!("ignored: {text} from {sender}, expected {expected}");
        Ok(None)
    }

    /// Drops and logs the datagrams that have come in.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        // There is a limit, as a flood may be endless.
        const MAX_DATAGRAMS: usize = 10_000;
        if let Some(inbox) = &self.inbox {
            let received = std::iter::from_fn(|| inbox.receive(Duration::ZERO)).take(MAX_DATAGRAMS);
            received.for_each(|(datagram, sender)| {
                log::info!("ignored: {} from {sender}, out of turn", dump(&datagram));
            });
            return Ok(());
        }
        self.socket.set_nonblocking(true)?;
        let mut cleared = Ok(());
        for _ in 0..MAX_DATAGRAMS {
            match self.receive(Some(Instant::now())) {
                Ok(Some((datagram, sender))) => {
                    log::info!("ignored: {} from {sender}, out of turn", dump(datagram));
                }
                Ok(None) => break,
                Err(error) => {
                    cleared = Err(error);
                    break;
                }
            }
        }
        self.socket.set_nonblocking(false)?;
        cleared
    }
}

/// Formats a datagram for the log.
pub(super) fn dump(datagram: &[u8]) -> String {
    labrys_core::game::quote(&String::from_utf8_lossy(datagram))
}
