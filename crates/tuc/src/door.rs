//! A port at which clients wait for their games: each joins by its name, and plays when it is called.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use super::message::{self, ServerMessage, Step};
use super::socket::{Mailbox, dump};
use labrys_core::clock::Instant;

/// The most clients that wait.
const WAITING: usize = 64;

/// The most datagrams of a player that wait to be read; more are dropped.
const QUEUE: usize = 64;

/// The interval at which the reader checks whether the door is still there.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A port at which clients wait. Clones are the same door; the last one closes it.
#[derive(Clone, Debug)]
pub struct Door(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    socket: UdpSocket,
    address: SocketAddr,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    /// The clients that wait, with their names, the first one first.
    waiting: VecDeque<(SocketAddr, String)>,
    /// Those that play.
    playing: HashMap<SocketAddr, SyncSender<Vec<u8>>>,
}

/// A client that waits at a door.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Its name, as it gave it.
    pub name: String,
    /// Where it is.
    pub address: SocketAddr,
    door: Door,
}

impl PartialEq for Caller {
    fn eq(&self, other: &Caller) -> bool {
        (&self.name, self.address) == (&other.name, other.address) && Arc::ptr_eq(&self.door.0, &other.door.0)
    }
}

impl Eq for Caller {}

impl Door {
    /// Opens a port; 0 picks a free one.
    ///
    /// # Errors
    /// The error of the system.
    pub fn open(address: SocketAddr) -> io::Result<Door> {
        let socket = UdpSocket::bind(address)?;
        let mailbox = Mailbox::new(socket.try_clone()?);
        let address = socket.local_addr()?;
        let shared = Arc::new(Shared { socket, address, inside: Mutex::default() });
        let weak = Arc::downgrade(&shared);
        thread::Builder::new().spawn(move || read(mailbox, &weak))?;
        Ok(Door(shared))
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.0.address
    }

    /// The clients that wait, the first one first.
    pub fn callers(&self) -> Vec<Caller> {
        let caller = |(address, name): &(SocketAddr, String)| Caller {
            name: name.clone(),
            address: *address,
            door: self.clone(),
        };
        self.0.inside().waiting.iter().map(caller).collect()
    }
}

impl Caller {
    /// Takes the client out of those that wait.
    pub fn leave(&self) {
        self.door.0.inside().waiting.retain(|(address, _)| *address != self.address);
    }

    /// Sends the client away. The protocol has no word for that but the end of a game.
    pub fn refuse(&self) {
        self.leave();
        let end = ServerMessage::End([0, 0]).to_string();
        if let Err(error) = self.door.0.socket.send_to(end.as_bytes(), self.address) {
            log::warn!("cannot send `{end}` to {}: {error}", self.address);
        }
    }

    /// The mail of the client, which plays until that is dropped.
    pub(super) fn mailbox(&self) -> io::Result<(Mailbox, SocketAddr)> {
        let (sender, inbox) = mpsc::sync_channel(QUEUE);
        let socket = self.door.0.socket.try_clone()?;
        let mut inside = self.door.0.inside();
        // It may have repeated its name since it was called, and does not wait for a second game by that.
        inside.waiting.retain(|(address, _)| *address != self.address);
        inside.playing.insert(self.address, sender);
        drop(inside);
        let inbox = Inbox { inbox, caller: self.clone() };
        Ok((Mailbox::of_caller(socket, inbox), self.door.address()))
    }
}

/// The datagrams of a client that plays.
pub(super) struct Inbox {
    inbox: Receiver<Vec<u8>>,
    caller: Caller,
}

impl Inbox {
    /// The next datagram; none after `timeout`.
    pub(super) fn receive(&self, timeout: Duration) -> Option<(Vec<u8>, SocketAddr)> {
        Some((self.inbox.recv_timeout(timeout).ok()?, self.caller.address))
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.caller.door.0.inside().playing.remove(&self.caller.address);
    }
}

impl Shared {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a datagram to its game, or lets its sender wait for one.
    fn handle(&self, datagram: &[u8], sender: SocketAddr) {
        let Inside { waiting, playing } = &mut *self.inside();
        if let Some(inbox) = playing.get(&sender) {
            if inbox.try_send(datagram.to_vec()).is_err() {
                log::info!("dropped: {} from {sender}, too many", dump(datagram));
            }
            return;
        }
        // A move is left over from another game.
        let name = message::parse_name(datagram).ok().filter(|_| Step::parse(datagram).is_err());
        let is_new = waiting.iter().all(|(address, _)| *address != sender);
        match name {
            Some(name) if is_new && waiting.len() < WAITING => waiting.push_back((sender, name.to_owned())),
            Some(_) if !is_new => {}
            _ => log::info!("ignored: {} from {sender}", dump(datagram)),
        }
    }
}

/// Reads datagrams until the door is closed.
fn read(mut mailbox: Mailbox, door: &Weak<Shared>) {
    loop {
        let received = mailbox.receive(Some(Instant::now() + POLL_INTERVAL));
        let Some(door) = door.upgrade() else { return };
        match received {
            Ok(Some((datagram, sender))) => door.handle(datagram, sender),
            Ok(None) => {}
            Err(error) => {
                log::error!("cannot receive datagrams at {}: {error}", door.address);
                thread::sleep(POLL_INTERVAL);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(door: &Door) -> UdpSocket {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(door.address()).unwrap();
        socket
    }

    /// The callers, once there are this many.
    fn callers(door: &Door, count: usize) -> Vec<Caller> {
        loop {
            let callers = door.callers();
            if callers.len() == count {
                return callers;
            }
            thread::yield_now();
        }
    }

    #[test]
    fn clients_wait_by_name_and_play_by_address() {
        let door = Door::open("127.0.0.1:0".parse().unwrap()).unwrap();
        let [first, second, stranger] = [(); 3].map(|()| client(&door));
        for datagram in [&b"5040"[..], b"\xff", b"", b"a\nb", b"\x1b[2J"] {
            stranger.send(datagram).unwrap();
        }
        first.send(b"Minos").unwrap();
        first.send(b"Minos again").unwrap();
        second.send("Δαίδαλος".as_bytes()).unwrap();
        let waiting = callers(&door, 2);
        let names: Vec<_> = waiting.iter().map(|caller| caller.name.as_str()).collect();
        assert_eq!(names, ["Minos", "Δαίδαλος"]);
        waiting[0].leave();
        let (mut mailbox, _) = waiting[0].mailbox().unwrap();
        assert_eq!(callers(&door, 1), waiting[1..]);
        stranger.send(b"1020").unwrap();
        first.send(b"5040").unwrap();
        let end = Some(Instant::now() + Duration::from_secs(60));
        let heard = mailbox.receive(end).unwrap().map(|(text, sender)| (text.to_vec(), sender));
        assert_eq!(heard, Some((b"5040".to_vec(), first.local_addr().unwrap())));
        // A flood is dropped, and its sender may wait again after its game.
        for _ in 0..2 * QUEUE {
            first.send(b"5040").unwrap();
        }
        second.send(b"x").unwrap();
        drop(mailbox);
        stranger.send(b"Talos").unwrap();
        callers(&door, 2);
        first.send(b"Minos").unwrap();
        let waiting = callers(&door, 3);
        assert_eq!(waiting[2].name, "Minos");
        // Who is refused reads the end of a game.
        waiting[2].refuse();
        let mut buffer = [0; 8];
        let length = first.recv(&mut buffer).unwrap();
        assert_eq!((&buffer[..length], callers(&door, 2).len()), (&b"GE0000"[..], 2));
    }

    #[test]
    fn a_client_that_repeats_its_name_waits_for_one_game() {
        let door = Door::open("127.0.0.1:0".parse().unwrap()).unwrap();
        let client = client(&door);
        client.send(b"Minos").unwrap();
        let caller = callers(&door, 1).remove(0);
        caller.leave();
        // Between the call and its game.
        client.send(b"Minos").unwrap();
        callers(&door, 1);
        let (mailbox, _) = caller.mailbox().unwrap();
        assert_eq!(door.callers(), []);
        drop(mailbox);
        assert_eq!(door.callers(), []);
        // After its game it may come again.
        client.send(b"Minos").unwrap();
        callers(&door, 1);
    }

    #[test]
    fn the_room_before_the_door_is_limited() {
        let door = Door::open("127.0.0.1:0".parse().unwrap()).unwrap();
        let clients: Vec<_> = (0..=WAITING).map(|_| client(&door)).collect();
        for (client, number) in clients.iter().zip(0..) {
            client.send(format!("client-{number}").as_bytes()).unwrap();
            if number < WAITING {
                callers(&door, number + 1);
            }
        }
        let first = callers(&door, WAITING).remove(0);
        first.leave();
        // Its first greeting may be read only now.
        let names = ["late".to_owned(), format!("client-{WAITING}")];
        while !door.callers().last().is_some_and(|caller| names.contains(&caller.name)) {
            clients[WAITING].send(b"late").unwrap();
            thread::yield_now();
        }
    }
}
