//! An agent and its connection.

use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::greeting::AgentName;
use super::meter::Meter;
use crate::listen::{refuse, turn_away};
use labrys_core::clock::Instant;

/// An agent that has been let in: a name, whose connection may be lost and come back. Clones are the same
/// agent.
#[derive(Clone)]
pub struct Agent(Arc<Shared>);

struct Shared {
    name: AgentName,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of connections so far.
    count: u64,
    /// The last connection, while it is open as far as is known.
    stream: Option<TcpStream>,
    /// Whether a client drives that connection.
    is_driven: bool,
    /// Which connection was closed here last, and why.
    fault: Option<(u64, AgentFault)>,
    /// Whether the agent is to end, not to come back.
    is_dismissed: bool,
}

/// Why the connection of an agent was closed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AgentFault {
    /// It has written more than any engine does.
    #[error("it has flooded the connection")]
    Flood,
    /// The same agent has connected again.
    #[error("it has connected again")]
    Replaced,
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Agent({})", self.0.name)
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Agent) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Agent {}

impl Agent {
    /// An agent without a connection.
    pub fn new(name: AgentName) -> Agent {
        Agent(Arc::new(Shared { name, state: Mutex::default() }))
    }

    /// Its name.
    pub fn name(&self) -> &AgentName {
        &self.0.name
    }

    /// Gives it a connection, in place of the last one, which is closed.
    pub fn attach(&self, stream: TcpStream) {
        let mut state = self.state();
        state.count += 1;
        if let Some(last) = state.stream.replace(stream) {
            state.fault = Some((state.count - 1, AgentFault::Replaced));
            let _ = refuse(&last, AgentFault::Replaced);
            let _ = last.shutdown(Shutdown::Both);
        }
        state.is_driven = false;
    }

    /// Whether it has a connection, as far as is known: nothing tells of a peer that vanishes.
    pub fn is_connected(&self) -> bool {
        let mut state = self.state();
        // The reader of a driven connection notices its end.
        if !state.is_driven && state.stream.as_ref().is_some_and(has_ended) {
            state.stream = None;
        }
        state.stream.is_some()
    }

    /// The number of connections that it has had.
    pub fn connections(&self) -> u64 {
        self.state().count
    }

    /// Lets it end when its client is dropped; otherwise it may come back then.
    pub fn dismiss(&self) {
        self.state().is_dismissed = true;
    }

    /// Takes its connection for a client. There is none if it is lost, or if another client drives it.
    pub(crate) fn drive(&self) -> io::Result<Link> {
        let mut state = self.state();
        let State { stream: Some(stream), is_driven: false, count, .. } = &*state else {
            return Err(ErrorKind::NotConnected.into());
        };
        let link = Link { agent: self.clone(), stream: stream.try_clone()?, number: *count };
        state.is_driven = true;
        Ok(link)
    }

    /// Notes that a connection has ended, and why it was closed here, if it was.
    fn lost(&self, number: u64, fault: Option<AgentFault>) {
        let mut state = self.state();
        if state.count == number {
            state.stream = None;
            state.fault = fault.map(|fault| (number, fault)).or(state.fault);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the peer has closed a connection that nobody reads.
fn has_ended(stream: &TcpStream) -> bool {
    let peek = || {
        stream.set_nonblocking(true)?;
        let peeked = stream.peek(&mut [0]);
        stream.set_nonblocking(false)?;
        peeked
    };
    match peek() {
        Ok(count) => count == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

/// A connection of an agent, for one client.
pub(crate) struct Link {
    agent: Agent,
    stream: TcpStream,
    /// Which connection of the agent it is.
    number: u64,
}

impl Link {
    /// The connection, for writing.
    pub(crate) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// What the agent writes, within limits.
    pub(crate) fn input(&self) -> io::Result<impl Read + Send + use<>> {
        let stream = self.stream.try_clone()?;
        let (agent, number) = (self.agent.clone(), self.number);
        Ok(Input { agent, stream, number, meter: Meter::new(Instant::now()) })
    }

    /// The name of the agent.
    pub(crate) fn name(&self) -> String {
        self.agent.name().to_string()
    }

    /// Why the connection was closed here, if it was.
    pub(crate) fn fault(&self) -> Option<AgentFault> {
        // It may have come back since.
        self.agent.state().fault.filter(|(number, _)| *number == self.number).map(|(_, fault)| fault)
    }

    /// Whether the agent is to end.
    pub(crate) fn is_dismissed(&self) -> bool {
        self.agent.state().is_dismissed
    }

    /// Closes the connection, and tells the agent why.
    pub(crate) fn refuse(&self, reason: impl fmt::Display) {
        self.agent.lost(self.number, None);
        turn_away(&self.stream, reason);
    }

    /// Closes the connection.
    pub(crate) fn close(&self) {
        self.agent.lost(self.number, None);
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// What an agent writes. Whoever writes too much is cut off.
struct Input {
    agent: Agent,
    stream: TcpStream,
    number: u64,
    meter: Meter,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer);
        match &read {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(count) if *count > 0 => {
                if !self.meter.take(*count, Instant::now()) {
                    self.agent.lost(self.number, Some(AgentFault::Flood));
                    turn_away(&self.stream, AgentFault::Flood);
                    return Err(io::Error::other(AgentFault::Flood));
                }
            }
            _ => self.agent.lost(self.number, None),
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use super::*;

    /// The two ends of a connection.
    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (near, listener.accept().unwrap().0)
    }

    fn agent() -> Agent {
        Agent::new("minos".parse().unwrap())
    }

    #[test]
    fn the_end_of_a_connection_is_noticed_whether_it_is_driven_or_not() {
        let agent = agent();
        assert!(!agent.is_connected() && agent.drive().is_err());
        let (near, far) = pair();
        agent.attach(far);
        assert!(agent.is_connected());
        near.shutdown(Shutdown::Both).unwrap();
        while agent.is_connected() {}
        let (mut near, far) = pair();
        agent.attach(far);
        let link = agent.drive().unwrap();
        assert!(agent.drive().is_err(), "by one client at a time");
        near.write_all(b"uciok\n").unwrap();
        drop(near);
        let mut text = String::new();
        link.input().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), agent.is_connected(), link.fault()), ("uciok\n", false, None));
        assert_eq!(agent.connections(), 2);
    }

    #[test]
    fn who_connects_again_takes_the_place_of_the_half_open_connection() {
        let agent = agent();
        let (mut first, far) = pair();
        agent.attach(far);
        let old = agent.drive().unwrap();
        let (mut near, far) = pair();
        agent.attach(far);
        assert_eq!(old.input().unwrap().read(&mut [0]).unwrap(), 0);
        assert_eq!(old.fault(), Some(AgentFault::Replaced));
        old.close();
        let mut told = String::new();
        first.read_to_string(&mut told).unwrap();
        assert_eq!(told, "info string error: it has connected again\n");
        assert!(agent.is_connected());
        let new = agent.drive().unwrap();
        near.write_all(b"x").unwrap();
        assert_eq!(new.input().unwrap().read(&mut [0]).unwrap(), 1);
    }

    #[test]
    fn a_flood_ends_the_connection() {
        let agent = agent();
        let (mut near, far) = pair();
        agent.attach(far);
        let link = agent.drive().unwrap();
        let writer = std::thread::spawn(move || while near.write_all(&[b'x'; 4096]).is_ok() {});
        let error = io::copy(&mut link.input().unwrap(), &mut io::sink()).unwrap_err();
        assert_eq!(error.to_string(), AgentFault::Flood.to_string());
        assert!(!agent.is_connected() && link.fault() == Some(AgentFault::Flood));
        // It comes back at once.
        let (_near, far) = pair();
        agent.attach(far);
        let again = agent.drive().unwrap();
        assert_eq!((link.fault(), again.fault()), (Some(AgentFault::Flood), None));
        drop(link);
        writer.join().unwrap();
    }
}
