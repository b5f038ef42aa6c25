//! Datagrams of TUC-CHESS, to the server and to its clients.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use labrys_core::game::Game;
use labrys_core::game::tucchess::TucChess;
use labrys_tuc::message::{ServerMessage, Step, parse_name};
use labrys_tuc::{ClientGame, Host, Response, TimeLimits};

use super::Target;

/// Datagrams, each after a byte that says where it goes and where it comes from, and another one with its
/// length.
pub(super) const TARGET: Target = Target {
    name: "tuc",
    run,
    seeds: all_seeds,
    words: &["PW", "PB", "GB", "GE0902", "T15444990001", "T0", "T1", "99", "5040", "1020", "\u{0}", "\r\n"],
};

/// The limits of the server.
const TIME_LIMITS: TimeLimits = TimeLimits {
    game_time: Duration::from_secs(840),
    move_time: Duration::from_secs(6),
    countdown: Duration::from_secs(3),
};

/// A server with two clients who believe it, and one whom the input tells what it likes.
struct Table {
    host: Host,
    now: Instant,
    clients: [ClientGame; 2],
    deceived: ClientGame,
}

fn run(data: &[u8]) {
    let client = || ClientGame::new(TucChess::start());
    let host = Host::new(None, TIME_LIMITS, 1).expect("a start position");
    let mut table = Table { host, now: Instant::now(), clients: [client(), client()], deceived: client() };
    let mut rest = data;
    while let [way, length, others @ ..] = rest {
        let (datagram, others) = others.split_at(usize::from(*length).min(others.len()));
        rest = others;
        table.datagram(*way, datagram);
    }
}

impl Table {
    fn datagram(&mut self, way: u8, datagram: &[u8]) {
        read(datagram);
        match way % 8 {
            // A client that the input speaks to in place of the server.
            0 => {
                if let Ok(step) = Step::parse(datagram) {
                    self.deceived.sent(step);
                } else if let Ok(message) = ServerMessage::parse(datagram) {
                    let (fen, expected) = (self.deceived.position().fen(), self.deceived.expected());
                    if self.deceived.receive(message).is_err() {
                        assert_eq!(self.deceived.position().fen(), fen);
                        assert_eq!(self.deceived.expected(), expected);
                    }
                }
                let fen = self.deceived.position().fen();
                assert!(TucChess::from_fen(&fen).is_ok_and(|position| position.fen() == fen), "{fen}");
            }
            1 => {
                self.now += Duration::from_millis(100 * datagram.len() as u64);
                let response = self.host.tick(self.now);
                self.deliver(response);
            }
            way => {
                let (before, result) = (self.host.deadline(), self.host.result());
                let from = SocketAddr::from(([127, 0, 0, 1], u16::from(way)));
                match self.host.receive(from, datagram, self.now) {
                    Ok(response) => self.deliver(response),
                    Err(error) => {
                        assert!(!error.to_string().is_empty());
                        assert_eq!((self.host.deadline(), self.host.result()), (before, result));
                    }
                }
            }
        }
    }

    /// Delivers messages of the server: both clients have the same position after them.
    fn deliver(&mut self, response: Response) {
        for (number, (_, message)) in response.messages.iter().enumerate() {
            let text = message.to_string();
            assert_eq!(ServerMessage::parse(text.as_bytes()), Ok(*message), "{text}");
            match message {
                ServerMessage::Player(color) => {
                    let client = &mut self.clients[color.index()];
                    client.receive(*message).unwrap_or_else(|error| panic!("{text}: {error}"));
                }
                _ => {
                    let client = &mut self.clients[number];
                    client.receive(*message).unwrap_or_else(|error| panic!("{text}: {error}"));
                }
            }
        }
        response.events.iter().for_each(|event| assert!(!event.to_string().is_empty()));
        let [white, black] = self.clients.each_ref().map(|client| client.position().fen());
        assert_eq!(white, black);
    }
}

/// A datagram as any of the messages: what is read is written as it was.
fn read(datagram: &[u8]) {
    if let Ok(step) = Step::parse(datagram) {
        assert_eq!(step.to_string().as_bytes(), datagram);
        assert_eq!(Step::from_name(&step.name()), Some(step));
    }
    if let Ok(message) = ServerMessage::parse(datagram) {
        assert!(datagram.starts_with(message.to_string().as_bytes()));
    }
    if let Ok(name) = parse_name(datagram) {
        assert_eq!(name.as_bytes(), datagram);
    }
}

fn all_seeds() -> Vec<Vec<u8>> {
    let game: &[(u8, &str)] = &[
        (2, "white"),
        (3, "black"),
        (1, "..............................."),
        (2, "5040"),
        (3, "1020"),
        (2, "5141"),
        (3, "1121"),
        (2, "4030"),
        (4, "other"),
        (3, "2030"),
        (1, "......"),
        (2, "5242"),
        (1, "......................................................................"),
    ];
    let client: &[(u8, &str)] = &[
        (0, "PW"),
        (0, "GB"),
        (0, "5040"),
        (0, "T15040990000"),
        (0, "T01020340000"),
        (0, "5141"),
        (0, "T15141990100"),
        (0, "GE0902"),
    ];
    [game, client]
        .map(|messages| {
            let bytes =
                messages.iter().map(|(way, text)| [&[*way, text.len() as u8], text.as_bytes()].concat());
            bytes.collect::<Vec<_>>().concat()
        })
        .to_vec()
}
