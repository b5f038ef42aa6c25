//! Waiting for datagrams.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// The greatest datagram that there is, so that none is cut short.
const MAX_DATAGRAM: usize = 65_536;

/// The shortest wait: none at all is not for a socket.
const MIN_WAIT: Duration = Duration::from_millis(1);

/// Where datagrams come in and go out.
pub(super) struct Mailbox {
    socket: UdpSocket,
    buffer: Vec<u8>,
}

impl Mailbox {
    pub(super) fn new(socket: UdpSocket) -> Mailbox {
        Mailbox { socket, buffer: vec![0; MAX_DATAGRAM] }
    }

    /// Where datagrams are to be sent to come in here.
    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Sends a datagram, once.
    pub(super) fn send(&self, to: SocketAddr, text: &str) -> io::Result<()> {
        log::debug!("to {to}: {text}");
        self.socket.send_to(text.as_bytes(), to).map(drop)
    }

    /// The next datagram and its sender; none by `deadline`, or when the wait was disturbed before.
    pub(super) fn receive(&mut self, deadline: Option<Instant>) -> io::Result<Option<(&[u8], SocketAddr)>> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()).max(MIN_WAIT));
        self.socket.set_read_timeout(left)?;
        match self.socket.recv_from(&mut self.buffer) {
            Ok((length, sender)) => Ok(self.buffer.get(..length).map(|datagram| {
                log::debug!("from {sender}: {}", dump(datagram));
                (datagram, sender)
            })),
            Err(error) => match error.kind() {
                // The last two: somebody we have written to is not there any more.
                ErrorKind::WouldBlock
                | ErrorKind::TimedOut
                | ErrorKind::Interrupted
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionRefused => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// The same from one sender only; datagrams of others are logged and ignored.
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
        log::warn!("ignored: {text} from {sender}, the other end is {expected}");
        Ok(None)
    }

    /// Drops what has come in unasked, and says so in the log.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        // A flood may be endless.
        const MOST: usize = 10_000;
        self.socket.set_nonblocking(true)?;
        let mut cleared = Ok(());
        for _ in 0..MOST {
            match self.receive(Some(Instant::now())) {
                Ok(Some((datagram, sender))) => {
                    log::warn!("ignored: {} from {sender}, out of turn", dump(datagram));
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

/// A datagram for a log.
pub(super) fn dump(datagram: &[u8]) -> String {
    crate::game::quote(&String::from_utf8_lossy(datagram))
}
