//! The protocol over TCP: each connection is a session of its own.
//!
//! A connection has a place among the sessions from its first command on. Until then it waits, and where too
//! many wait, the one that has waited longest goes: silence takes nobody's place.

use std::collections::VecDeque;
use std::io::{self, BufReader, Cursor, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::output::error_line;
use super::run;

/// Sessions at a time.
const SESSIONS: usize = 16;

/// Connections at a time that have not sent a command.
const WAITING: usize = 64;

/// The longest beginning of a first command, in bytes, from which on it counts as one.
const LONGEST_BEGINNING: usize = 4096;

/// The pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// How long a client may leave its answers unread until its session ends.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// The byte order mark that some programs begin their output with.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// Why a connection is not served.
const TOO_MANY: &str = "too many connections";

/// Serves the protocol to everybody who connects, until the process ends.
pub fn listen(listener: &TcpListener) -> ! {
    let door = Arc::new(Door::default());
    loop {
        let accepted = listener.accept().and_then(|(stream, peer)| {
            let (stream, door) = (Arc::new(stream), Arc::clone(&door));
            thread::Builder::new().spawn(move || door.receive(&stream, peer)).map(drop)
        });
        if let Err(error) = accepted {
            log::warn!("cannot accept a connection: {error}");
            thread::sleep(PAUSE);
        }
    }
}

/// The connections.
#[derive(Default)]
struct Door {
    /// Each session holds a reference.
    sessions: Arc<()>,
    /// The connections that have not sent a command, the one that has waited longest first.
    waiting: Mutex<VecDeque<Arc<TcpStream>>>,
}

impl Door {
    /// Serves a connection, and closes it.
    fn receive(&self, stream: &Arc<TcpStream>, peer: SocketAddr) {
        log::info!("{peer} has connected");
        if let Err(error) = self.serve(stream) {
            log::warn!("{peer}: {error}");
        }
        // Ends the thread that reads from the stream, too.
        let _ = stream.shutdown(Shutdown::Both);
    }

    /// Waits for the first command, and runs a session if there is a place.
    fn serve(&self, stream: &Arc<TcpStream>) -> io::Result<()> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        if self.place().is_none() {
            return refuse(stream, TOO_MANY);
        }
        if let Some(oldest) = self.let_wait(stream) {
            let _ = refuse(&oldest, TOO_MANY);
            let _ = oldest.shutdown(Shutdown::Both);
        }
        let beginning = read_beginning(stream);
        self.waiting().retain(|other| !Arc::ptr_eq(other, stream));
        let beginning = match beginning? {
            Beginning::Silence => return Ok(()),
            Beginning::Other => return refuse(stream, "this is no command of UCI"),
            Beginning::Command(bytes) => bytes,
        };
        let Some(_place) = self.place() else { return refuse(stream, TOO_MANY) };
        let input = Cursor::new(beginning).chain(stream.try_clone()?);
        run(BufReader::new(input), stream.try_clone()?)
    }

    /// A place among the sessions, as long as it is held; `None` if there is none.
    fn place(&self) -> Option<Arc<()>> {
        let place = Arc::clone(&self.sessions);
        // Besides this one, the door holds one.
        (Arc::strong_count(&place) <= SESSIONS + 1).then_some(place)
    }

    /// Adds a connection to those that wait. The one that has to go for it, if any.
    fn let_wait(&self, stream: &Arc<TcpStream>) -> Option<Arc<TcpStream>> {
        let mut waiting = self.waiting();
        waiting.push_back(Arc::clone(stream));
        if waiting.len() > WAITING { waiting.pop_front() } else { None }
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Arc<TcpStream>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a connection begins.
enum Beginning {
    /// It has ended without a word.
    Silence,
    /// With bytes up to the end of a first line that is not blank.
    Command(Vec<u8>),
    /// Not as a command does: a page in a browser can send HTTP to any port of its machine, with lines of its
    /// own in it.
    Other,
}

/// Reads the beginning of a connection.
fn read_beginning(mut stream: &TcpStream) -> io::Result<Beginning> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 512]);
    loop {
        let count = match stream.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        bytes.extend_from_slice(&chunk[..count]);
        let mut command = bytes.trim_ascii_start();
        while let Some(text) = command.strip_prefix(MARK) {
            command = text.trim_ascii_start();
        }
        let is_part_of_mark = MARK.starts_with(command) && !command.is_empty() && count > 0;
        match command.first() {
            _ if is_part_of_mark => {}
            Some(first) if !first.is_ascii_lowercase() => return Ok(Beginning::Other),
            Some(_) if count == 0 || command.contains(&b'\n') || bytes.len() > LONGEST_BEGINNING => {
                return Ok(Beginning::Command(bytes));
            }
            None if count == 0 => return Ok(Beginning::Silence),
            // Nothing that has to be kept.
            None => bytes.clear(),
            Some(_) => {}
        }
    }
}

/// Says why a connection is closed. The other end may be gone already.
fn refuse(mut stream: &TcpStream, reason: &str) -> io::Result<()> {
    stream.write_all(format!("{}\n", error_line(reason)).as_bytes())
}
