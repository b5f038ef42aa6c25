//! Where agents connect.

use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::{Agent, Greeting};
use crate::listen::{PAUSE, TOO_MANY, turn_away};
use crate::socket;
use crate::waiting_room::WaitingRoom;
use labrys_core::clock::Instant;

/// Connections at a time that have not sent their greeting.
const WAITING: usize = 64;

/// The longest greeting in bytes.
const LONGEST: usize = 1024;

/// The time for a greeting.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The time before a refusal, so that tokens cannot be tried fast.
pub const REFUSAL_DELAY: Duration = Duration::from_millis(500);

/// The time after which an agent that does not read is given up.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads the greeting of each connection, within limits, until the process ends. `admit` says which agent a
/// connection from an address belongs to, or why it is refused; `on_connected` is called once the agent has the
/// connection.
pub fn receive<A, C>(listener: &TcpListener, admit: A, on_connected: C) -> !
where
    A: Fn(Greeting, SocketAddr) -> Result<Agent, String> + Send + Sync + 'static,
    C: Fn() + Send + Sync + 'static,
{
    let reception = Arc::new(Reception { waiting: WaitingRoom::new(WAITING), admit, on_connected });
    loop {
        let accepted = listener.accept().and_then(|(stream, peer)| {
            let (stream, reception) = (Arc::new(stream), Arc::clone(&reception));
            // Here, not on the thread: no more threads than places.
            if let Some(oldest) = reception.waiting.enter(&stream) {
                // Its own thread notices the end of the input, and tells it why.
                let _ = oldest.shutdown(Shutdown::Read);
            }
            thread::Builder::new().spawn(move || reception.serve(&stream, peer)).map(drop)
        });
        if let Err(error) = accepted {
            log::warn!("cannot accept a connection: {error}");
            thread::sleep(PAUSE);
        }
    }
}

/// The connections that have not been let in.
struct Reception<A, C> {
    waiting: WaitingRoom,
    admit: A,
    on_connected: C,
}

impl<A: Fn(Greeting, SocketAddr) -> Result<Agent, String>, C: Fn()> Reception<A, C> {
    /// Hands a connection to its agent, or closes it.
    fn serve(&self, stream: &Arc<TcpStream>, peer: SocketAddr) {
        let admitted = self.admitted(stream, peer);
        let is_late = !self.waiting.leave(stream);
        let refusal = match admitted {
            _ if is_late => TOO_MANY.to_owned(),
            Ok(Ok(agent)) => match stream.try_clone() {
                Ok(stream) => {
                    agent.attach(stream);
                    return (self.on_connected)();
                }
                Err(error) => error.to_string(),
            },
            Ok(Err(refusal)) => refusal,
            Err(error) => error.to_string(),
        };
        log::info!("{peer} is refused: {refusal}");
        turn_away(stream, refusal);
    }

    /// The agent of a connection, or the reason of its refusal.
    fn admitted(&self, stream: &TcpStream, peer: SocketAddr) -> io::Result<Result<Agent, String>> {
        socket::prepare(stream)?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        let line = read_greeting(stream)?;
        stream.set_read_timeout(None)?;
        let admitted = line.parse().map_err(|error: super::GreetingError| error.to_string());
        let admitted = admitted.and_then(|greeting| (self.admit)(greeting, peer));
        if admitted.is_err() {
            thread::sleep(REFUSAL_DELAY);
        }
        Ok(admitted)
    }
}

/// Reads the first line, byte by byte, as the rest belongs to the engine behind it.
fn read_greeting(mut stream: &TcpStream) -> io::Result<String> {
    let (end, mut line) = (Instant::now() + TIMEOUT, Vec::new());
    while line.len() < LONGEST {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "no greeting in time"));
        }
        stream.set_read_timeout(Some(left))?;
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(0) => return Err(io::Error::other("no greeting")),
            Ok(_) if byte == *b"\n" => {
                return String::from_utf8(line).map_err(|_| io::Error::other("the greeting is not UTF-8"));
            }
            Ok(_) => line.extend(byte),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("the greeting has no end"))
}
