//! Labrys as an agent.

use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::Greeting;
use crate::GuestLimits;
use crate::socket;
use crate::transport::TcpAddress;
use crate::uci::run_for_guest;
use labrys_core::game::quote;

/// The time between attempts to come back.
const PAUSE: Duration = Duration::from_secs(1);

/// The beginning of a refusal.
const REFUSAL: &str = "info string error: ";

/// The time for connecting.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The longest line of a server that is looked at, its first or its last one. A refusal may list all options of
/// an engine.
const LONGEST: usize = 16 << 10;

/// An error of an agent.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// The server cannot be reached.
    #[error("cannot connect to {address}: {error}")]
    Connect {
        /// The address.
        address: String,
        /// The error of the system.
        error: io::Error,
    },
    /// The server refuses the agent.
    #[error("the server refuses: {}", quote(.0))]
    Refused(String),
    /// The engine has failed.
    #[error("protocol")]
    Engine(#[source] io::Error),
}

/// How a connection has ended.
enum End {
    /// The server has said `quit`.
    Quit,
    /// It was lost.
    Lost,
}

/// Connects to a server, greets it, and speaks UCI with it, as to a guest, until it says `quit`. A connection
/// that is lost is made again, for as long as that takes; `lost` is called then.
///
/// # Errors
/// [`ConnectError`] if the server cannot be reached at first, or refuses, also later, as when another one has
/// connected in the same name.
pub fn connect(
    address: &TcpAddress,
    greeting: &Greeting,
    limits: &GuestLimits,
    mut lost: impl FnMut(),
) -> Result<(), ConnectError> {
    let failed = |error| ConnectError::Connect { address: address.to_string(), error };
    let mut stream = address.connect(TIMEOUT).map_err(failed)?;
    loop {
        match session(stream, greeting, limits)? {
            End::Quit => return Ok(()),
            End::Lost => lost(),
        }
        stream = loop {
            thread::sleep(PAUSE);
            match address.connect(TIMEOUT) {
                Ok(stream) => break stream,
                Err(error) => log::info!("{}", failed(error)),
            }
        };
    }
}

/// Speaks UCI over one connection.
fn session(stream: TcpStream, greeting: &Greeting, limits: &GuestLimits) -> Result<End, ConnectError> {
    let open = || {
        socket::prepare(&stream)?;
        (&stream).write_all(format!("{}\n", greeting.line()).as_bytes())?;
        let (mut input, mut first) = (BufReader::new(stream.try_clone()?), Vec::new());
        (&mut input).take(LONGEST as u64).read_until(b'\n', &mut first)?;
        io::Result::Ok((input, first))
    };
    let (input, first) = match open() {
        Ok((input, first)) if !first.is_empty() => (input, first),
        _ => return Ok(End::Lost),
    };
    if let Some(reason) = String::from_utf8_lossy(&first).trim_end().strip_prefix(REFUSAL) {
        return Err(ConnectError::Refused(reason.to_owned()));
    }
    let last = Arc::new(Mutex::new(None));
    let input = Watched { input: Cursor::new(first).chain(input), kept: Vec::new(), last: Arc::clone(&last) };
    run_for_guest(BufReader::new(input), stream, limits.clone()).map_err(ConnectError::Engine)?;
    let last = last.lock().unwrap_or_else(PoisonError::into_inner).take();
    match last.as_deref() {
        // Of an input that has not ended, `quit` has been read.
        None | Some("quit") => Ok(End::Quit),
        Some(line) => match line.strip_prefix(REFUSAL) {
            Some(reason) => Err(ConnectError::Refused(reason.to_owned())),
            None => Ok(End::Lost),
        },
    }
}

/// An input that keeps its last line when it ends.
struct Watched<R> {
    input: R,
    /// The last bytes, [`LONGEST`] at most.
    kept: Vec<u8>,
    /// The last line, at the end.
    last: Arc<Mutex<Option<String>>>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer);
        match &read {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(count) if *count > 0 => {
                self.kept.extend_from_slice(&buffer[..*count]);
                self.kept.drain(..self.kept.len().saturating_sub(LONGEST));
            }
            _ => {
                let text = String::from_utf8_lossy(&self.kept);
                let line = text.trim_end().rsplit('\n').next().unwrap_or_default().to_owned();
                *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
            }
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_an_input_is_kept() {
        let long = "x".repeat(2 * LONGEST);
        for (text, last) in [
            ("", ""),
            ("uci\nquit\n", "quit"),
            ("stop\nquit\r\n", "quit"),
            ("uci\nquit\nisready\n", "isready"),
            ("uci\ngo", "go"),
            (&long, &long[LONGEST..]),
        ] {
            let found = Arc::new(Mutex::new(None));
            // In pieces of three bytes.
            let input = Pieces(text.as_bytes().chunks(3));
            let mut watched = Watched { input, kept: Vec::new(), last: Arc::clone(&found) };
            io::copy(&mut watched, &mut io::sink()).unwrap();
            assert_eq!(found.lock().unwrap().as_deref(), Some(last), "{text:?}");
        }
    }

    struct Pieces<'a>(std::slice::Chunks<'a, u8>);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(piece) = self.0.next() else { return Ok(0) };
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }
}
