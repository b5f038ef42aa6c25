//! The protocol over TCP: each connection is a session of its own.
//!
//! A connection becomes a session with its first command. If too many connections wait for that, the oldest
//! one is closed, so that idle or invalid ones take no place.

use std::fmt::Display;
use std::io::{self, BufReader, Cursor, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::command::{self, CommandError};
use super::guest::GuestLimits;
use super::output::error_line;
use super::socket;
use super::uci::run_for_guest;
use super::waiting_room::WaitingRoom;
use labrys_core::clock::Instant;

/// Sessions at a time.
const SESSIONS: usize = 16;

/// Connections at a time that have not sent a command.
const WAITING: usize = 64;

/// The longest first command, in bytes.
const MAX_FIRST_COMMAND: usize = 1 << 16;

/// The pause after a connection that could not be accepted.
pub(super) const PAUSE: Duration = Duration::from_millis(100);

/// The time that a peer has for closing a connection that it is turned away from.
const LINGER: Duration = Duration::from_millis(500);

/// The time after which a session ends if its client does not read.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// The byte order mark that some programs begin their output with.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// The refusal of a connection.
pub(super) const TOO_MANY: &str = "too many connections";

/// Serves the protocol on all connections, within limits, until the process ends.
pub fn listen(listener: &TcpListener, limits: &GuestLimits) -> ! {
    let waiting = WaitingRoom::new(WAITING);
    let sessions = Arc::new(Sessions { limits: limits.clone(), sessions: Arc::default(), waiting });
    loop {
        let accepted = listener.accept().and_then(|(stream, peer)| {
            let (stream, sessions) = (Arc::new(stream), Arc::clone(&sessions));
            // Here, in the order of arrival, whichever thread runs first.
            sessions.enter(&stream);
            thread::Builder::new().spawn(move || sessions.receive(&stream, peer)).map(drop)
        });
        if let Err(error) = accepted {
            log::warn!("cannot accept a connection: {error}");
            thread::sleep(PAUSE);
        }
    }
}

/// The connections.
struct Sessions {
    /// What clients may do.
    limits: GuestLimits,
    /// The sessions, each of which holds a reference.
    sessions: Arc<()>,
    /// The connections that have not sent a command.
    waiting: WaitingRoom,
}

impl Sessions {
    /// Lets a connection wait for its first command, and sends another one out if there are too many. While all
    /// sessions are taken nobody waits.
    fn enter(&self, stream: &Arc<TcpStream>) {
        if self.claim_session().is_some()
            && let Some(oldest) = self.waiting.enter(stream)
        {
            let _ = refuse(&oldest, TOO_MANY);
            let _ = oldest.shutdown(Shutdown::Both);
        }
    }

    /// Serves a connection, and closes it.
    fn receive(&self, stream: &Arc<TcpStream>, peer: SocketAddr) {
        log::info!("{peer} has connected");
        if let Err(error) = self.serve(stream) {
            log::info!("{peer}: {error}");
        }
        // Ends the thread that reads from the stream, too.
        let _ = stream.shutdown(Shutdown::Both);
    }

    /// Waits for the first command, and runs a session if there is a place.
    fn serve(&self, stream: &Arc<TcpStream>) -> io::Result<()> {
        socket::prepare(stream)?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        if self.claim_session().is_none() {
            self.waiting.leave(stream);
            return refuse(stream, TOO_MANY);
        }
        let beginning = read_first_command(stream);
        self.waiting.leave(stream);
        let beginning = match beginning? {
            FirstCommand::None => return Ok(()),
            FirstCommand::Other => return refuse(stream, "this is no command of UCI"),
            FirstCommand::TooLong => return refuse(stream, "the first command has no end"),
            FirstCommand::Command(bytes) => bytes,
        };
        let Some(_place) = self.claim_session() else { return refuse(stream, TOO_MANY) };
        let input = Cursor::new(beginning).chain(stream.try_clone()?);
        run_for_guest(BufReader::new(input), stream.try_clone()?, self.limits.clone())
    }

    /// Claims a session, until it is dropped; `None` if there are too many.
    fn claim_session(&self) -> Option<Arc<()>> {
        let place = Arc::clone(&self.sessions);
        // This one and `self` hold a reference each.
        (Arc::strong_count(&place) <= SESSIONS + 1).then_some(place)
    }
}

/// The beginning of a connection.
enum FirstCommand {
    /// It has ended without a line.
    None,
    /// Bytes up to the first command, and those after it.
    Command(Vec<u8>),
    /// A line that is too long.
    TooLong,
    /// No command: a page in a browser can send HTTP to any local port, with arbitrary lines in it.
    Other,
}

/// Reads the first command of a connection.
fn read_first_command(mut stream: &TcpStream) -> io::Result<FirstCommand> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 512]);
    loop {
        let count = match stream.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        bytes.extend_from_slice(&chunk[..count]);
        while let Some(line) = next_line(&mut bytes, count == 0) {
            if line.first().is_some_and(|first| !first.is_ascii_lowercase()) {
                return Ok(FirstCommand::Other);
            }
            match command::parse(&String::from_utf8_lossy(&line)) {
                Ok(None) => {}
                Err(error @ CommandError::Unknown { .. }) => refuse(stream, error)?,
                _ => return Ok(FirstCommand::Command([&line[..], b"\n", &bytes].concat())),
            }
        }
        let is_part_of_mark = MARK.starts_with(&bytes) && count > 0;
        match bytes.first() {
            Some(first) if !first.is_ascii_lowercase() && !is_part_of_mark => return Ok(FirstCommand::Other),
            Some(_) if bytes.len() > MAX_FIRST_COMMAND => return Ok(FirstCommand::TooLong),
            _ if count == 0 => return Ok(FirstCommand::None),
            _ => {}
        }
    }
}

/// Takes the next line from some bytes, without white space and byte order marks before it and without its end;
/// `None` if it is not complete. At the end of the input the last line is.
fn next_line(bytes: &mut Vec<u8>, is_end: bool) -> Option<Vec<u8>> {
    let mut text = bytes.trim_ascii_start();
    while let Some(rest) = text.strip_prefix(MARK) {
        text = rest.trim_ascii_start();
    }
    bytes.drain(..bytes.len() - text.len());
    let end = bytes.iter().position(|&byte| byte == b'\n');
    let end = end.or_else(|| Some(bytes.len()).filter(|&length| is_end && length > 0))?;
    let line = bytes.drain(..end).collect();
    Some(line)
}

/// Tells a peer why it is turned away, and closes the connection. Until the peer has closed it, or
/// [`LINGER`] is over, its input is read and discarded: unread input would reset the connection, and the
/// reason be lost with it.
pub(super) fn turn_away(mut stream: &TcpStream, reason: impl Display) {
    // The peer may be gone already.
    let _ = refuse(stream, reason);
    let _ = stream.shutdown(Shutdown::Write);
    let (end, mut chunk) = (Instant::now() + LINGER, [0; 4096]);
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            break;
        }
        match stream.read(&mut chunk) {
            Ok(count) if count > 0 => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => break,
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

/// Sends the reason of a refusal. The peer may be gone already.
pub(super) fn refuse(mut stream: &TcpStream, reason: impl Display) -> io::Result<()> {
    stream.write_all(format!("{}\n", error_line(reason)).as_bytes())
}
