//! The protocol over TCP: each connection is a session of its own.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::output::error_line;
use super::run;

/// Connections at a time.
const CONNECTIONS: usize = 16;

/// The pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves the protocol to everybody who connects, until the process ends.
pub fn listen(listener: &TcpListener) -> ! {
    // Each session holds a reference.
    let sessions = Arc::new(());
    loop {
        let (stream, peer) = match listener.accept() {
            Ok(accepted) => accepted,
            Err(error) => {
                log::warn!("cannot accept a connection: {error}");
                thread::sleep(PAUSE);
                continue;
            }
        };
        if Arc::strong_count(&sessions) > CONNECTIONS {
            refuse(&stream, "too many connections");
            continue;
        }
        let session = sessions.clone();
        thread::spawn(move || {
            log::info!("{peer} has connected");
            if let Err(error) = serve(&stream) {
                log::warn!("{peer}: {error}");
            }
            // Ends the thread that reads from the stream, too.
            let _ = stream.shutdown(Shutdown::Both);
            drop(session);
        });
    }
}

/// Runs a session. A connection that does not begin as a command does is refused: a page in a browser can
/// send HTTP to any port of its machine, with lines of its own in it.
fn serve(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = BufReader::new(stream.try_clone()?);
    let first = input.fill_buf()?.first().copied();
    if first.is_some_and(|first| !first.is_ascii_lowercase() && !first.is_ascii_whitespace()) {
        refuse(stream, "this is no command of UCI");
        return Ok(());
    }
    run(input, stream.try_clone()?)
}

/// Says why a connection is closed. The other end may be gone already.
fn refuse(mut stream: &TcpStream, reason: &str) {
    let _ = stream.write_all(format!("{}\n", error_line(reason)).as_bytes());
}
