//! The transport to an engine: a child process, or a connection over TCP.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::process::ExitStatus;
use std::str::FromStr;
use std::time::Duration;

use super::pipe::ClientError;
use super::process::{Launch, Process};

/// The timeout of connecting and of writing a line.
const SOCKET_TIMEOUT: Duration = Duration::from_secs(10);

/// The transport to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A program, started as a child process.
    Process(Launch),
    /// A program that listens on a TCP port.
    Tcp(TcpAddress),
}

impl fmt::Display for Transport {
    /// The program with its arguments, or the address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Transport::Process(launch) => write!(f, "{launch}"),
            Transport::Tcp(address) => write!(f, "TCP {address}"),
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
    fn connect(&self, timeout: Duration) -> Result<TcpStream, ClientError> {
        let failed = |error| ClientError::Connect { address: self.to_string(), error };
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for address in self.0.to_socket_addrs().map_err(failed)? {
            match TcpStream::connect_timeout(&address, timeout.min(SOCKET_TIMEOUT)) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(failed(last))
    }
}

/// The peer. On drop, a process is killed and a connection is closed.
pub(super) enum Peer {
    /// A child process.
    Process(Process),
    /// A connection, with the address of the peer.
    Tcp(TcpStream, TcpAddress),
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
                let stream = address.connect(timeout)?;
                let failed = |error| ClientError::Connect { address: address.to_string(), error };
                stream.set_nodelay(true).map_err(failed)?;
                stream.set_write_timeout(Some(SOCKET_TIMEOUT)).map_err(failed)?;
                let [input, output] =
                    [stream.try_clone().map_err(failed)?, stream.try_clone().map_err(failed)?];
                Ok((Peer::Tcp(stream, address.clone()), Box::new(input), Box::new(output)))
            }
        }
    }

    /// A number unique among the open peers: the process id, or the local port.
    pub(super) fn id(&self) -> u32 {
        match self {
            Peer::Process(process) => process.id(),
            Peer::Tcp(stream, _) => stream.local_addr().map_or(0, |address| address.port().into()),
        }
    }

    /// The error of a peer that is gone. Waits for the exit status of a process.
    pub(super) fn closed_error(&mut self) -> ClientError {
        match self {
            Peer::Process(process) => ClientError::Gone { status: process.wait(|| ()) },
            Peer::Tcp(_, address) => ClientError::Closed { address: address.to_string() },
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
