//! The transport to an engine: a child process, or a connection over TCP, from here or from there.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::process::ExitStatus;
use std::str::FromStr;
use std::time::Duration;

use super::agents::{Agent, Link};
use super::pipe::ClientError;
use super::process::{Launch, Process};
use super::{backlog, input, socket};

/// The timeout of connecting and of writing a line.
const SOCKET_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest line of an agent in bytes.
const AGENT_LINE: usize = 1 << 16;

/// The most bytes of lines of an agent that wait to be read.
const AGENT_BACKLOG: usize = 1 << 20;

/// The transport to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A program, started as a child process.
    Process(Launch),
    /// A program that listens on a TCP port.
    Tcp(TcpAddress),
    /// A program that has connected to a TCP port here.
    Agent(Agent),
}

impl fmt::Display for Transport {
    /// The program with its arguments and directory, the address, or that it is an agent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Transport::Process(launch) => write!(f, "{launch}"),
            Transport::Tcp(address) => write!(f, "TCP {address}"),
            // Its name is that of the player.
            Transport::Agent(_) => f.write_str("agent"),
        }
    }
}

/// The address of a TCP port, `HOST:PORT`. The host is a name or an IP address, one of IPv6 in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpAddress(String);

impl FromStr for TcpAddress {
    type Err = ();

    fn from_str(text: &str) -> Result<TcpAddress, ()> {
        let (host, port) = text.rsplit_once(':').ok_or(())?;
        let is_v6 = host.starts_with('[') && host.ends_with(']');
        let is_host =
            !host.is_empty() && (is_v6 || !host.contains(':')) && !host.contains(char::is_whitespace);
        let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
        if is_host && is_port { Ok(TcpAddress(text.to_owned())) } else { Err(()) }
    }
}

impl fmt::Display for TcpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TcpAddress {
    /// Connects within `timeout`. A name may stand for several addresses; each is tried.
    pub(super) fn connect(&self, timeout: Duration) -> io::Result<TcpStream> {
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for address in self.0.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, timeout.min(SOCKET_TIMEOUT)) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// The peer. On drop, a process is killed and a connection is closed.
pub(super) enum Peer {
    /// A child process.
    Process(Process),
    /// A connection, with the address of the peer.
    Tcp(TcpStream, TcpAddress),
    /// The connection of an agent.
    Agent(Link),
}

/// The peer, with its input and its output.
type Opened = (Peer, Box<dyn Write + Send>, Box<dyn Read + Send>);

impl Peer {
    /// Starts the program or connects to it, within `timeout`.
    pub(super) fn open(transport: &Transport, timeout: Duration) -> Result<Opened, ClientError> {
        match transport {
            Transport::Process(launch) => {
                let (process, input, output) = Process::start(launch)?;
                Ok((Peer::Process(process), Box::new(input), Box::new(output)))
            }
            Transport::Tcp(address) => {
                let failed = |error| ClientError::Connect { address: address.to_string(), error };
                let stream = address.connect(timeout).map_err(failed)?;
                socket::prepare(&stream).map_err(failed)?;
                stream.set_write_timeout(Some(SOCKET_TIMEOUT)).map_err(failed)?;
                let [input, output] =
                    [stream.try_clone().map_err(failed)?, stream.try_clone().map_err(failed)?];
                Ok((Peer::Tcp(stream, address.clone()), Box::new(input), Box::new(output)))
            }
            Transport::Agent(agent) => {
                let failed = |error| ClientError::Connect { address: agent.name().to_string(), error };
                let link = agent.drive().map_err(failed)?;
                let (input, output) =
                    (link.stream().try_clone().map_err(failed)?, link.input().map_err(failed)?);
                Ok((Peer::Agent(link), Box::new(input), Box::new(output)))
            }
        }
    }

    /// A number unique among the open peers: the process id, or a port of the connection.
    pub(super) fn id(&self) -> u32 {
        match self {
            Peer::Process(process) => process.id(),
            Peer::Tcp(stream, _) => stream.local_addr().map_or(0, |address| address.port().into()),
            Peer::Agent(link) => link.stream().peer_addr().map_or(0, |address| address.port().into()),
        }
    }

    /// Whether the peer is told to end before it is dropped. An agent that has failed may come back.
    pub(super) fn has_to_quit(&self) -> bool {
        match self {
            Peer::Process(_) | Peer::Tcp(..) => true,
            Peer::Agent(link) => link.is_dismissed(),
        }
    }

    /// The longest line of the peer, and the most bytes of its lines that wait to be read. Agents are many
    /// and strangers.
    pub(super) fn input_limits(&self) -> (usize, usize) {
        match self {
            Peer::Process(_) | Peer::Tcp(..) => (input::MAX_LINE, backlog::MAX_BYTES),
            Peer::Agent(_) => (AGENT_LINE, AGENT_BACKLOG),
        }
    }

    /// The error of a peer that is gone. Waits for the exit status of a process.
    pub(super) fn closed_error(&mut self) -> ClientError {
        match self {
            Peer::Process(process) => ClientError::Gone { status: process.wait(|| ()) },
            Peer::Tcp(_, address) => ClientError::Closed { address: address.to_string() },
            Peer::Agent(link) => match link.fault() {
                Some(fault) => ClientError::Fault(fault),
                None => ClientError::Closed { address: link.name() },
            },
        }
    }

    /// Tells an agent why its connection is closed, and closes it.
    pub(super) fn refuse(&self, reason: impl fmt::Display) {
        if let Peer::Agent(link) = self {
            link.refuse(reason);
        }
    }

    /// Ends the input of a connection. That of a process ends with its last writer.
    pub(super) fn close_input(&self) {
        if let Peer::Tcp(stream, _) = self {
            // Fails if the connection has ended.
            let _ = stream.shutdown(Shutdown::Write);
        }
    }

    /// Waits for the exit of a process. `meanwhile` is called at intervals.
    pub(super) fn wait_for_exit(&mut self, meanwhile: impl FnMut()) -> Option<ExitStatus> {
        match self {
            Peer::Process(process) => process.wait(meanwhile),
            Peer::Tcp(stream, _) => {
                // Written lines still arrive; then the peer reads the end of its input.
                let _ = stream.shutdown(Shutdown::Write);
                None
            }
            Peer::Agent(link) => {
                link.close();
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_host_with_a_port() {
        for text in ["127.0.0.1:5000", "localhost:1", "[::1]:65535", "engine.example:80"] {
            assert_eq!(text.parse::<TcpAddress>().unwrap().to_string(), text);
        }
        for text in
            ["", "5000", ":5000", "localhost", "localhost:", "localhost:0", "::1:5000", "a b:1", "a:65536"]
        {
            assert_eq!(text.parse::<TcpAddress>(), Err(()), "{text}");
        }
    }
}
