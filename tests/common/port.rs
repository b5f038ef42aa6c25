//! Ports for servers of tests.

use std::net::{TcpListener, UdpSocket};
use std::process;
use std::sync::atomic::{AtomicU16, Ordering};

/// Ports that no system gives to sockets which ask for any: those of Linux begin at 32,768. So nobody takes
/// one before its server has started.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// A port of this machine that is free over TCP and UDP, and that this process gets once.
pub fn free() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    loop {
        let number =
            process::id().wrapping_mul(101).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed).into());
        let port = FIRST + (number % u32::from(COUNT)) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() && UdpSocket::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
