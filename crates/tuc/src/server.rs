//! The server.

use std::io;
use std::net::UdpSocket;

use super::host::{Host, HostedResult, Response, ServerEvent};
use super::socket::{Mailbox, dump};
use labrys_core::clock::Instant;

/// Referees one game on a bound socket. `report` gets each event. Invalid datagrams are logged at level
/// `warn` and ignored.
///
/// # Errors
/// If the socket fails. A player that cannot be reached is not an error; its time runs out.
pub fn serve(
    socket: UdpSocket,
    host: &mut Host,
    report: &mut dyn FnMut(&ServerEvent),
) -> io::Result<HostedResult> {
    let mut mailbox = Mailbox::new(socket);
    loop {
        let deadline = host.deadline();
        let response = if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            host.tick(Instant::now())
        } else if let Some((datagram, sender)) = mailbox.receive(deadline)? {
            host.receive(sender, datagram, Instant::now()).unwrap_or_else(|refusal| {
                log::info!("ignored: {} from {sender}: {refusal}", dump(datagram));
                Response::default()
            })
        } else {
            Response::default()
        };
        for &(address, message) in &response.messages {
            if let Err(error) = mailbox.send(address, &message.to_string()) {
                log::warn!("cannot send `{message}` to {address}: {error}");
            }
        }
        response.events.iter().for_each(&mut *report);
        if let Some(result) = host.result() {
            return Ok(result);
        }
    }
}
