//! The logic of the server: players, validity of datagrams, messages, and the end of the game.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use thiserror::Error;

use super::announce::{end_message, turn_message};
use super::message::{self, MessageError, ServerMessage, Step};
use super::{Moved, winner_text};
use labrys_core::clock::Instant;
use labrys_core::game::tucchess::TucChess;
use labrys_core::game::{Color, Ending, FenError, Game, MoveError, Outcome, quote};

/// The time limits of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// From `GB` to the end of the game, which is then decided by points.
    pub game_time: Duration,
    /// For a move, from the message of the server to the arrival of the move.
    pub move_time: Duration,
    /// From the second player's name to `GB`.
    pub countdown: Duration,
}

/// An error in the position of a new game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HostError {
    /// The FEN is invalid.
    #[error(transparent)]
    Position(#[from] FenError),
    /// The game is over in the position.
    #[error("the game is over in this position: {0}")]
    Over(Outcome),
}

/// The reason to ignore a datagram.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DatagramError {
    /// Its text is invalid.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The sender has joined already.
    #[error("{0} has joined already")]
    AlreadyJoined(Color),
    /// Two other players have joined.
    #[error("it comes from neither player")]
    UnknownSender,
    /// The game has not begun.
    #[error("the game has not begun")]
    TooEarly,
    /// It is the turn of the opponent.
    #[error("it is not the turn of {0}")]
    OutOfTurn(Color),
    /// The move is not legal.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The game is over.
    #[error("the game is over")]
    Over,
}

/// An event of the game, for display.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerEvent {
    /// A player has joined.
    Joined {
        /// Its colour.
        color: Color,
        /// Its name.
        name: String,
        /// Its address.
        address: SocketAddr,
    },
    /// The game has begun.
    Begun,
    /// A move was made.
    Moved(Moved),
    /// The game is over.
    Ended(HostedResult),
}

impl fmt::Display for ServerEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerEvent::Joined { color, name, address } => {
                write!(f, "{color} is {} at {address}", quote(name))
            }
            ServerEvent::Begun => f.write_str("the game begins"),
            ServerEvent::Moved(moved) => write!(f, "{moved}"),
            ServerEvent::Ended(result) => write!(f, "result: {result}"),
        }
    }
}

/// The cause of the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndCause {
    /// The rules.
    Rules(Ending),
    /// The time limit of the game.
    GameTime,
    /// This player has exceeded the time for a move.
    MoveTime(Color),
}

impl fmt::Display for EndCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndCause::Rules(ending) => write!(f, "{ending}"),
            EndCause::GameTime => f.write_str("time is over"),
            EndCause::MoveTime(loser) => write!(f, "{loser} has not moved in time"),
        }
    }
}

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostedResult {
    /// The winner; none if the game is drawn.
    pub winner: Option<Color>,
    /// The cause of the end.
    pub cause: EndCause,
    /// The points of White and of Black.
    pub points: [f64; 2],
}

impl fmt::Display for HostedResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [white, black] = self.points;
        write!(f, "{} {white}-{black}: {}", winner_text(self.winner), self.cause)
    }
}

/// The reaction to a datagram or to the time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// Messages with their receivers.
    pub messages: Vec<(SocketAddr, ServerMessage)>,
    /// Events.
    pub events: Vec<ServerEvent>,
}

/// The state of the game.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Waiting for players.
    Joining,
    /// The game begins at this time.
    Countdown(Instant),
    /// The game ends at `end`, or at `turn_end` unless a move comes.
    Playing { end: Instant, turn_end: Instant },
    /// The game is over.
    Over(HostedResult),
}

/// A game between the first two players that join.
pub struct Host {
    position: TucChess,
    random: StdRng,
    time_limits: TimeLimits,
    /// The addresses of White and of Black, if they have joined.
    seats: Vec<SocketAddr>,
    phase: Phase,
    plies: u32,
}

impl Host {
    /// A game from `fen`, by default the start position. Chance outcomes depend on `seed`.
    ///
    /// # Errors
    /// [`HostError`] if the FEN is invalid or the game is over in the position.
    pub fn new(fen: Option<&str>, time_limits: TimeLimits, seed: u64) -> Result<Host, HostError> {
        let position = fen.map_or_else(|| Ok(TucChess::start()), TucChess::from_fen)?;
        if let Some(outcome) = position.outcome() {
            return Err(HostError::Over(outcome));
        }
        Ok(Host {
            position,
            random: StdRng::seed_from_u64(seed),
            time_limits,
            seats: Vec::new(),
            phase: Phase::Joining,
            plies: 0,
        })
    }

    /// The time at which [`Host::tick`] has to be called next.
    pub fn deadline(&self) -> Option<Instant> {
        match self.phase {
            Phase::Joining | Phase::Over(_) => None,
            Phase::Countdown(begin) => Some(begin),
            Phase::Playing { end, turn_end } => Some(end.min(turn_end)),
        }
    }

    /// The result, if the game has ended.
    pub fn result(&self) -> Option<HostedResult> {
        match self.phase {
            Phase::Over(result) => Some(result),
            _ => None,
        }
    }

    /// Handles the passing of time.
    pub fn tick(&mut self, now: Instant) -> Response {
        match self.phase {
            Phase::Countdown(begin) if now >= begin => {
                let end = later(now, self.time_limits.game_time);
                self.phase = Phase::Playing { end, turn_end: later(now, self.time_limits.move_time) };
                let messages = self.to_both(ServerMessage::Begin);
                Response { messages, events: vec![ServerEvent::Begun] }
            }
            Phase::Playing { end, turn_end } if now >= end && end <= turn_end => {
                self.over(self.position.leader(), EndCause::GameTime)
            }
            Phase::Playing { turn_end, .. } if now >= turn_end => {
                let loser = self.position.side_to_move();
                self.over(Some(!loser), EndCause::MoveTime(loser))
            }
            _ => Response::default(),
        }
    }

    /// Handles a datagram.
    ///
    /// # Errors
    /// [`DatagramError`] if the datagram is ignored. Then nothing has changed.
    pub fn receive(
        &mut self,
        from: SocketAddr,
        datagram: &[u8],
        now: Instant,
    ) -> Result<Response, DatagramError> {
        let seat = self.seats.iter().position(|&seat| seat == from);
        let color = seat.and_then(|seat| Color::BOTH.get(seat).copied());
        match (self.phase, color) {
            (Phase::Over(_), _) => Err(DatagramError::Over),
            (Phase::Joining, Some(color)) => Err(DatagramError::AlreadyJoined(color)),
            (Phase::Joining, None) => self.join(from, datagram, now),
            (_, None) => Err(DatagramError::UnknownSender),
            (Phase::Countdown(_), Some(_)) => Err(DatagramError::TooEarly),
            (Phase::Playing { .. }, Some(color)) if color != self.position.side_to_move() => {
                Err(DatagramError::OutOfTurn(color))
            }
            (Phase::Playing { end, .. }, Some(color)) => self.play(color, Step::parse(datagram)?, end, now),
        }
    }

    fn join(&mut self, from: SocketAddr, datagram: &[u8], now: Instant) -> Result<Response, DatagramError> {
        let name = message::parse_name(datagram)?.to_owned();
        let color = if self.seats.is_empty() { Color::White } else { Color::Black };
        self.seats.push(from);
        if self.seats.len() == Color::BOTH.len() {
            self.phase = Phase::Countdown(later(now, self.time_limits.countdown));
        }
        Ok(Response {
            messages: vec![(from, ServerMessage::Player(color))],
            events: vec![ServerEvent::Joined { color, name, address: from }],
        })
    }

    fn play(
        &mut self,
        player: Color,
        step: Step,
        end: Instant,
        now: Instant,
    ) -> Result<Response, DatagramError> {
        let random = &mut self.random;
        let mv = self.position.parse_move(&step.name())?;
        let mv = self.position.sample(mv, &mut || random.random());
        let text = self.position.move_text(mv);
        self.position.play(mv);
        let points = self.position.score();
        let message = turn_message(&text, &self.position);
        self.plies += 1;
        let event = ServerEvent::Moved(Moved { ply: self.plies, player, text, points });
        // The last move is not announced, as on the original server: old clients would answer it.
        let mut response = match self.position.outcome() {
            Some(outcome) => self.over(outcome.winner, EndCause::Rules(outcome.ending)),
            None => {
                self.phase = Phase::Playing { end, turn_end: later(now, self.time_limits.move_time) };
                let messages = message.map(|message| self.to_both(message)).unwrap_or_default();
                Response { messages, events: Vec::new() }
            }
        };
        response.events.insert(0, event);
        Ok(response)
    }

    fn over(&mut self, winner: Option<Color>, cause: EndCause) -> Response {
        let result = HostedResult { winner, cause, points: self.position.score() };
        self.phase = Phase::Over(result);
        Response {
            messages: self.to_both(end_message(&self.position)),
            events: vec![ServerEvent::Ended(result)],
        }
    }

    fn to_both(&self, message: ServerMessage) -> Vec<(SocketAddr, ServerMessage)> {
        self.seats.iter().map(|&seat| (seat, message)).collect()
    }
}

/// The time `wait` from `now`, at most a year, so that the clock does not overflow.
fn later(now: Instant, wait: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    now + wait.min(YEAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME_LIMITS: TimeLimits = TimeLimits {
        game_time: Duration::from_secs(840),
        move_time: Duration::from_secs(6),
        countdown: Duration::from_secs(3),
    };

    fn address(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    fn messages(response: Response) -> Vec<(u16, String)> {
        response.messages.into_iter().map(|(to, message)| (to.port(), message.to_string())).collect()
    }

    fn both(text: &str) -> Vec<(u16, String)> {
        vec![(1, text.to_owned()), (2, text.to_owned())]
    }

    /// A game that has begun at the time given back.
    fn begun(fen: Option<&str>) -> (Host, Instant) {
        let start = Instant::now();
        let mut host = Host::new(fen, TIME_LIMITS, 1).unwrap();
        host.receive(address(1), b"w", start).unwrap();
        host.receive(address(2), b"b", start).unwrap();
        let now = start + TIME_LIMITS.countdown;
        assert_eq!(messages(host.tick(now)), both("GB"));
        (host, now)
    }

    #[test]
    fn two_players_join() {
        let now = Instant::now();
        let mut host = Host::new(None, TIME_LIMITS, 1).unwrap();
        assert_eq!(host.deadline(), None);
        for bad in [&b""[..], b"name\n", b"\xff", &[b'x'; 201]] {
            assert!(matches!(host.receive(address(3), bad, now), Err(DatagramError::Message(_))));
        }
        let white = host.receive(address(1), "Δαίδαλος".as_bytes(), now).unwrap();
        assert_eq!(white.events[0].to_string(), "White is `Δαίδαλος` at 127.0.0.1:1");
        assert_eq!(messages(white), [(1, "PW".to_owned())]);
        assert_eq!(host.receive(address(1), b"again", now), Err(DatagramError::AlreadyJoined(Color::White)));
        assert_eq!(messages(host.receive(address(2), b"1234", now).unwrap()), [(2, "PB".to_owned())]);
        assert_eq!(host.deadline(), Some(now + TIME_LIMITS.countdown));
        assert_eq!(host.receive(address(1), b"5040", now), Err(DatagramError::TooEarly));
        assert_eq!(host.receive(address(3), b"third", now), Err(DatagramError::UnknownSender));
        assert_eq!(host.tick(now), Response::default());
    }

    #[test]
    fn only_legal_moves_of_the_side_to_move_count() {
        let (mut host, now) = begun(None);
        let refusal =
            |host: &mut Host, port, text: &[u8]| host.receive(address(port), text, now).unwrap_err();
        assert_eq!(refusal(&mut host, 2, b"1020"), DatagramError::OutOfTurn(Color::Black));
        assert_eq!(refusal(&mut host, 3, b"5040"), DatagramError::UnknownSender);
        for bad in [&b"50400"[..], b"5040\n", b"504", b"", b"504x", b"7040", b"\xff\xff\xff\xff"] {
            assert!(matches!(refusal(&mut host, 1, bad), DatagramError::Message(_)));
        }
        for illegal in [b"5030", b"5050", b"1020", b"3040"] {
            assert!(matches!(refusal(&mut host, 1, illegal), DatagramError::Move(_)));
        }
        let response = host.receive(address(1), b"5040", now).unwrap();
        assert_eq!(response.events.len(), 1);
        let messages = messages(response);
        assert!(messages.len() == 2 && messages[0].1 == messages[1].1, "{messages:?}");
        assert!(messages[0].1.starts_with("T15040") && messages[0].1.ends_with("0000"), "{messages:?}");
        assert_eq!(refusal(&mut host, 1, b"5040"), DatagramError::OutOfTurn(Color::White));
        assert_eq!(host.deadline(), Some(now + TIME_LIMITS.move_time));
    }

    #[test]
    fn the_last_move_is_not_announced() {
        let (mut host, now) = begun(Some("2k2/2R2/5/5/5/5/2K1P w 1 2 7"));
        let response = host.receive(address(1), b"1202", now).unwrap();
        assert_eq!(response.messages.len(), 2);
        let events: Vec<_> = response.events.iter().map(ServerEvent::to_string).collect();
        assert!(events[0].starts_with("1 White c6c7"), "{events:?}");
        assert_eq!(events[1], "result: White wins 9-2: king captured");
        assert_eq!(messages(response), both("GE0902"));
        assert_eq!(host.receive(address(2), b"0000", now), Err(DatagramError::Over));
        assert_eq!(host.deadline(), None);
        assert_eq!(host.tick(now + TIME_LIMITS.game_time), Response::default());
    }

    #[test]
    fn exceeding_the_move_time_loses() {
        let (mut host, now) = begun(Some("2k2/5/5/5/5/2P2/2K2 w 5 2 7"));
        let late = now + TIME_LIMITS.move_time;
        assert_eq!(host.tick(late - Duration::from_millis(1)), Response::default());
        let response = host.tick(late);
        assert_eq!(response.events[0].to_string(), "result: Black wins 5-2: White has not moved in time");
        assert_eq!(messages(response), both("GE0502"), "points stay what they are");
    }

    #[test]
    fn the_game_time_ends_the_game_by_points() {
        for (fen, end, result) in [
            ("2k2/5/5/5/5/2P2/2K2 w 5 2 7", "GE0502", "result: White wins 5-2: time is over"),
            ("2k2/5/5/5/5/2P2/2K2 w 2 2 7", "GE0202", "result: draw 2-2: time is over"),
            ("2k2/5/5/5/5/2P2/2K2 w 100 101 7", "GE9899", "result: Black wins 100-101: time is over"),
            ("2k2/5/5/5/5/2P2/2K2 w 1 0.9 7", "GE0100", "result: White wins 1-0.9: time is over"),
        ] {
            let (mut host, now) = begun(Some(fen));
            let Phase::Playing { end: over, turn_end } = host.phase else { panic!() };
            assert_eq!((over, turn_end), (now + TIME_LIMITS.game_time, now + TIME_LIMITS.move_time));
            host.phase = Phase::Playing { end: turn_end, turn_end: over };
            let response = host.tick(turn_end);
            assert_eq!(response.events[0].to_string(), result);
            assert_eq!(messages(response), both(end));
        }
    }

    #[test]
    fn a_game_needs_a_position_to_begin_from() {
        let over = Host::new(Some("2k2/5/5/5/5/5/2K2 w 1 2 7"), TIME_LIMITS, 1).err().unwrap();
        assert_eq!(over.to_string(), "the game is over in this position: Black wins: bare kings");
        assert!(matches!(Host::new(Some("2k2"), TIME_LIMITS, 1), Err(HostError::Position(_))));
    }

    #[test]
    fn invalid_datagrams_change_nothing() {
        let (mut host, now) = begun(None);
        let fen = host.position.fen();
        let mut random = StdRng::seed_from_u64(7);
        for _ in 0..100_000 {
            let length = random.random_range(0..210);
            let datagram: Vec<u8> = (0..length).map(|_| random.random()).collect();
            let refused = host.receive(address(random.random_range(1..9)), &datagram, now);
            assert!(refused.is_err(), "{datagram:?}");
        }
        assert_eq!(host.position.fen(), fen);
    }
}
