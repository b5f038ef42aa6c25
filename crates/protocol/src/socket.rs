//! What all connections over TCP have set.

use std::io;
use std::net::TcpStream;
use std::time::Duration;

/// The time without a byte after which a peer is asked whether it is there, and between two such questions.
/// One that answers none of a few, as its computer is off or the way to it is cut, has ended the connection.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// Sends lines at once, and notices when the peer has gone without a word.
pub(crate) fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    keep_alive(stream)
}

#[cfg(not(target_family = "wasm"))]
fn keep_alive(stream: &TcpStream) -> io::Result<()> {
    let keepalive = socket2::TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE);
    socket2::SockRef::from(stream).set_tcp_keepalive(&keepalive)
}

/// WebAssembly opens no connections.
#[cfg(target_family = "wasm")]
fn keep_alive(_: &TcpStream) -> io::Result<()> {
    let _ = KEEPALIVE;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_peer_that_is_silent_is_asked() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        prepare(&stream).unwrap();
        let socket = socket2::SockRef::from(&stream);
        assert!(socket.keepalive().unwrap() && stream.nodelay().unwrap());
        #[cfg(unix)]
        assert_eq!(socket.tcp_keepalive_time().unwrap(), KEEPALIVE);
    }
}
