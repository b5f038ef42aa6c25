//! Waiting for datagrams.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// The greatest datagram that there is, so that none is cut short.
const GREATEST: usize = 65_536;

/// The shortest wait: none at all is not for a socket.
const SHORTEST: Duration = Duration::from_millis(1);

/// Where datagrams come in.
pub(super) struct Inbox<'a> {
    socket: &'a UdpSocket,
    buffer: Vec<u8>,
}

impl<'a> Inbox<'a> {
    pub(super) fn new(socket: &'a UdpSocket) -> Inbox<'a> {
        Inbox { socket, buffer: vec![0; GREATEST] }
    }

    /// The next datagram and its sender; none by `deadline`, or when the wait was disturbed before.
    pub(super) fn receive(&mut self, deadline: Option<Instant>) -> io::Result<Option<(&[u8], SocketAddr)>> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()).max(SHORTEST));
        self.socket.set_read_timeout(left)?;
        match self.socket.recv_from(&mut self.buffer) {
            Ok((length, sender)) => Ok(self.buffer.get(..length).map(|datagram| (datagram, sender))),
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
}

/// A datagram for a log.
pub(super) fn dump(datagram: &[u8]) -> String {
    crate::game::quote(&String::from_utf8_lossy(datagram))
}
