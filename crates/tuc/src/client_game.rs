//! The client's state of the game, updated by the messages of the server.

use std::fmt;

use thiserror::Error;

use super::explain::{Explanation, Fit, after, most_likely};
use super::message::{MAX_POINTS, ServerMessage, Step, Turn};
use super::{Moved, winner_text};
use labrys_core::game::tucchess::TucChess;
use labrys_core::game::{Color, Game};

/// An event in the game of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The client has got its colour.
    Joined(Color),
    /// The game has begun.
    Begun,
    /// A move was made.
    Moved(Moved),
    /// The last move of the client, if the game has ended without its echo: it was probably played.
    Unconfirmed(Moved),
    /// The game has ended, with these points of White and of Black.
    Ended([u8; 2]),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Joined(color) => write!(f, "playing {color}"),
            Event::Begun => f.write_str("the game begins"),
            Event::Moved(moved) => write!(f, "{moved}"),
            Event::Unconfirmed(moved) => write!(f, "{moved} (not echoed)"),
            Event::Ended([white, black]) => {
                write!(f, "result: {} {white}-{black}", winner_text(leader([*white, *black])))
            }
        }
    }
}

/// The player with more points.
fn leader([white, black]: [u8; 2]) -> Option<Color> {
    match white.cmp(&black) {
        std::cmp::Ordering::Greater => Some(Color::White),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Less => Some(Color::Black),
    }
}

/// A message of the server that does not fit the state of the game and is ignored.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnexpectedMessage {
    /// The client has a colour already.
    #[error("`{message}`, but we play {color} already")]
    AlreadyJoined {
        /// The message.
        message: ServerMessage,
        /// The colour of the client.
        color: Color,
    },
    /// The game has begun already.
    #[error("`GB`, but the game has begun already")]
    Begun,
    /// A repeated message about a move.
    #[error("`{0}` again")]
    Repeated(ServerMessage),
    /// A move of the wrong player.
    #[error("`{message}`, but it is the turn of {turn}")]
    OutOfTurn {
        /// The message.
        message: ServerMessage,
        /// The side to move.
        turn: Color,
    },
}

/// The client's state of a game.
#[derive(Clone, Debug)]
pub struct ClientGame {
    position: TucChess,
    color: Option<Color>,
    begun: bool,
    /// The move that was sent, until its echo comes.
    sent: Option<Step>,
    /// The moves announced by the server.
    announced: Vec<Turn>,
    plies: u32,
}

impl ClientGame {
    /// A game from `position`, before the first message.
    pub fn new(position: TucChess) -> ClientGame {
        ClientGame { position, color: None, begun: false, sent: None, announced: Vec::new(), plies: 0 }
    }

    /// The position on the board.
    pub fn position(&self) -> &TucChess {
        &self.position
    }

    /// Whether the server has called the client to a game.
    pub fn is_called(&self) -> bool {
        self.begun || self.color.is_some()
    }

    /// Whether the client has to move: it is its turn and no move is pending.
    pub fn is_to_move(&self) -> bool {
        self.begun && self.sent.is_none() && self.color == Some(self.position.side_to_move())
    }

    /// Records a move that was sent to the server. It is played when its echo comes.
    pub fn sent(&mut self, step: Step) {
        self.sent = Some(step);
    }

    /// The expected message, in words.
    pub fn expected(&self) -> String {
        match (self.color, self.begun, self.sent) {
            (_, true, Some(step)) => format!("the echo of our move {}", step.name()),
            (_, true, None) => "a move of the opponent".to_owned(),
            (None, false, _) => "our colour, `PW` or `PB`".to_owned(),
            (Some(_), false, _) => "the beginning of the game, `GB`".to_owned(),
        }
    }

    /// Handles a message of the server and plays its moves.
    ///
    /// The server takes precedence: illegal moves are made, and its points replace those of the rules. A
    /// warning is logged in both cases.
    ///
    /// # Errors
    /// [`UnexpectedMessage`] if the message does not fit. Then nothing has changed.
    pub fn receive(&mut self, message: ServerMessage) -> Result<Vec<Event>, UnexpectedMessage> {
        match message {
            ServerMessage::Player(color) => match self.color {
                Some(color) => Err(UnexpectedMessage::AlreadyJoined { message, color }),
                None => {
                    self.color = Some(color);
                    Ok(vec![Event::Joined(color)])
                }
            },
            ServerMessage::Begin if self.begun => Err(UnexpectedMessage::Begun),
            ServerMessage::Begin => {
                self.begun = true;
                if self.color.is_none() {
                    log::warn!("the game begins, but the server has not sent our colour");
                }
                Ok(vec![Event::Begun])
            }
            ServerMessage::Turn(turn) => self.turn(turn),
            ServerMessage::End(points) => Ok(self.end(points)),
        }
    }

    fn turn(&mut self, turn: Turn) -> Result<Vec<Event>, UnexpectedMessage> {
        let message = ServerMessage::Turn(turn);
        if self.is_repeated(turn) {
            return Err(UnexpectedMessage::Repeated(message));
        }
        let mut events = Vec::new();
        let stm = self.position.side_to_move();
        if stm == turn.next {
            // The opponent has moved, so the server has received our move, and its echo is lost.
            let legal = self.sent.and_then(|step| Some((step, after(&self.position, &step.name())?)));
            let legal = legal.filter(|(_, position)| after(position, &turn.step.name()).is_some());
            let Some((step, position)) = legal else {
                return Err(UnexpectedMessage::OutOfTurn { message, turn: stm });
            };
            log::warn!("the echo of our move {} is lost; we may have missed a new prize", step.name());
            self.position = position;
            events.push(Event::Moved(self.moved(turn.next, step.name())));
        } else if self.sent.is_some_and(|step| step != turn.step) {
            log::warn!("`{message}` is not the move that we sent");
        }
        let text = self.follow(turn);
        if self.color.is_none() {
            // We have not moved, so it was the opponent.
            self.color = Some(turn.next);
            events.push(Event::Joined(turn.next));
        }
        events.push(Event::Moved(self.moved(!turn.next, text)));
        self.sent = None;
        self.begun = true;
        self.announced.push(turn);
        Ok(events)
    }

    /// Whether a message repeats an earlier one. The last two moves cannot be made again, as their pieces
    /// have not moved back.
    fn is_repeated(&self, turn: Turn) -> bool {
        let ago = self.announced.iter().rev().position(|&announced| announced == turn);
        let is_possible = || {
            self.position.side_to_move() == turn.next || after(&self.position, &turn.step.name()).is_some()
        };
        ago.is_some_and(|ago| ago < 2 || !is_possible())
    }

    /// Handles the end of the game, which replaces the echo of a move that ended it.
    fn end(&mut self, points: [u8; 2]) -> Vec<Event> {
        let mut events = Vec::new();
        if let Some(step) = self.sent.take() {
            let player = self.position.side_to_move();
            let turn = Turn { next: !player, step, prize: None, points };
            match most_likely(turn, &self.position) {
                Some(Explanation { fit: Fit::Both, text, position }) => {
                    self.position = position;
                    events.push(Event::Unconfirmed(self.moved(player, text)));
                }
                _ => log::info!("the final points are not those after our move {}", step.name()),
            }
        }
        events.push(Event::Ended(points));
        events
    }

    /// Counts and describes the move that was just made.
    fn moved(&mut self, player: Color, text: String) -> Moved {
        self.plies += 1;
        Moved { ply: self.plies, player, text, points: self.position.score() }
    }

    /// Plays a move of the server, with its points and its prize.
    fn follow(&mut self, turn: Turn) -> String {
        let text = match most_likely(turn, &self.position) {
            Some(Explanation { text, position, .. }) => {
                self.position = position;
                text
            }
            None => {
                let text = turn.step.name();
                if let Err(error) = self.position.parse_move(&text) {
                    log::warn!("the server has made an illegal move: {error}");
                }
                if !self.position.force(turn.step.from.number(), turn.step.to.number()) {
                    let from = turn.step.from.name();
                    log::warn!("no piece of the side to move on {from}: a message was lost");
                }
                turn.prize.map_or(text.clone(), |square| format!("{text}+{}", square.name()))
            }
        };
        self.correct(turn);
        text
    }

    /// Corrects the points and the prize of the position where the server has others.
    fn correct(&mut self, turn: Turn) {
        let ours = self.position.score();
        let mut score = ours;
        for (points, &announced) in score.iter_mut().zip(&turn.points) {
            let is_hidden = announced == MAX_POINTS && *points >= f64::from(MAX_POINTS);
            if !is_hidden {
                *points = f64::from(announced);
            }
        }
        if score != ours {
            let ([a, b], [c, d]) = (ours, score);
            log::warn!(
                "our points after {} are {a}-{b}, those of the server {c}-{d}; using the latter",
                turn.step.name()
            );
            self.position.set_score(score);
        }
        if let Some(square) = turn.prize
            && !self.position.place_prize(square.number())
        {
            log::warn!("a new prize cannot be on {}, where a piece stands", square.name());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> ServerMessage {
        ServerMessage::parse(text.as_bytes()).unwrap()
    }

    /// A client of that colour whose game has begun.
    fn begun(color: &str, fen: Option<&str>) -> ClientGame {
        let mut client_game =
            ClientGame::new(fen.map_or_else(TucChess::start, |fen| TucChess::from_fen(fen).unwrap()));
        client_game.receive(message(color)).unwrap();
        client_game.receive(message("GB")).unwrap();
        client_game
    }

    /// The moves of a message, in text.
    fn announced(client_game: &mut ClientGame, text: &str) -> Vec<String> {
        let events = client_game.receive(message(text)).unwrap();
        events.iter().map(Event::to_string).collect()
    }

    #[test]
    fn a_game_begins() {
        let mut client_game = ClientGame::new(TucChess::start());
        assert_eq!(client_game.expected(), "our colour, `PW` or `PB`");
        assert_eq!(announced(&mut client_game, "PW"), ["playing White"]);
        assert_eq!(client_game.expected(), "the beginning of the game, `GB`");
        assert!(!client_game.is_to_move());
        assert_eq!(announced(&mut client_game, "GB"), ["the game begins"]);
        assert!(client_game.is_to_move());
        client_game.sent(Step::from_name("a2a3").unwrap());
        assert!(!client_game.is_to_move(), "never twice");
        assert_eq!(client_game.expected(), "the echo of our move a2a3");
        assert!(client_game.position().fen().ends_with("w 0 0 1"), "not before the echo");
        assert_eq!(announced(&mut client_game, "T15040210000"), ["1 White a2a3+b5 0-0"]);
        assert_eq!(client_game.position().fen(), "prkrp/ppppp/1*3/*****/P4/1PPPP/PRKRP b 0 0 1");
        assert_eq!(client_game.expected(), "a move of the opponent");
    }

    #[test]
    fn the_points_show_the_value_of_a_prize() {
        let fen = Some("prkrp/1pppp/p4/*****/P4/1PPPP/PRKRP w 0 0 2");
        for (text, moved, after) in [
            ("T14030990100", "1 White a3a4=1 1-0", "prkrp/1pppp/p4/P****/5/1PPPP/PRKRP b 1 0 2"),
            ("T14030990000", "1 White a3a4=0 0-0", "prkrp/1pppp/p4/P****/5/1PPPP/PRKRP b 0 0 2"),
        ] {
            let mut client_game = begun("PB", fen);
            assert_eq!(announced(&mut client_game, text), [moved]);
            assert_eq!(client_game.position().fen(), after);
        }
        let mut client_game = begun("PB", fen);
        assert_eq!(announced(&mut client_game, "T14030400100"), ["1 White a3a4=1+a3 1-0"]);
        assert_eq!(client_game.position().fen(), "prkrp/1pppp/p4/P****/*4/1PPPP/PRKRP b 1 0 2");
    }

    #[test]
    fn the_server_is_right_about_points() {
        // The original credits a black pawn's capture on the last row to White.
        let mut client_game = begun("PW", Some("2k2/5/5/5/5/3p1/2K1R b 5 3 9"));
        let moved = announced(&mut client_game, "T05364990803");
        assert_eq!(moved, ["1 Black d2e1 8-3"]);
        assert_eq!(client_game.position().fen(), "2k2/5/5/5/5/5/2K2 w 8 3 10");
        // With a prize of unknown value.
        let mut client_game = begun("PW", Some("2k1p/5/5/5/5/2K2/4* w 5 3 9"));
        assert_eq!(announced(&mut client_game, "T15242990709"), ["1 White c2c3 7-9"]);
    }

    #[test]
    fn the_server_is_right_about_moves() {
        let mut client_game = begun("PW", Some("2k2/5/5/5/5/p4/2K1* b 1 2 7"));
        assert_eq!(announced(&mut client_game, "T05061010103"), ["1 Black a2b1+b7 1-3"]);
        assert_eq!(client_game.position().fen(), "1*k2/5/5/5/5/5/2K1* w 1 3 8");
        assert!(client_game.is_to_move());
        // Even after the end of the game by the rules, or without a piece.
        let mut client_game = begun("PB", Some("2k2/5/5/5/5/5/2K2 w 1 2 7"));
        assert_eq!(announced(&mut client_game, "T16261990102"), ["1 White c1b1 1-2"]);
        assert_eq!(announced(&mut client_game, "T03333990102").len(), 1);
        assert_eq!(client_game.position().fen(), "2k2/5/5/5/5/5/1K3 w 1 2 8");
    }

    #[test]
    fn a_prize_under_a_piece_is_no_prize() {
        let mut client_game = begun("PB", None);
        assert_eq!(announced(&mut client_game, "T15040000000"), ["1 White a2a3 0-0"]);
        assert_eq!(client_game.position().fen(), "prkrp/ppppp/5/*****/P4/1PPPP/PRKRP b 0 0 1");
    }

    #[test]
    fn points_beyond_two_digits_are_counted_on() {
        let mut client_game = begun("PB", Some("2k1p/5/5/5/2*2/2K2/5 w 99 98 9"));
        assert_eq!(announced(&mut client_game, "T15242999998"), ["1 White c2c3=1 100-98"]);
        assert!(client_game.position().fen().ends_with("b 100 98 9"));
    }

    #[test]
    fn unexpected_messages_change_nothing() {
        let mut client_game = begun("PW", None);
        let odd = |client_game: &mut ClientGame, text| {
            let position = *client_game.position();
            let error = client_game.receive(message(text)).unwrap_err().to_string();
            assert_eq!(*client_game.position(), position);
            error
        };
        assert_eq!(odd(&mut client_game, "PB"), "`PB`, but we play White already");
        assert_eq!(odd(&mut client_game, "GB"), "`GB`, but the game has begun already");
        assert!(odd(&mut client_game, "T01020990000").contains("it is the turn of White"));
        client_game.sent(Step::from_name("a2a3").unwrap());
        announced(&mut client_game, "T15040990000");
        assert_eq!(odd(&mut client_game, "T15040990000"), "`T15040990000` again");
        announced(&mut client_game, "T01121990000");
        assert!(client_game.is_to_move());
        assert_eq!(odd(&mut client_game, "T15040990000"), "`T15040990000` again");
        assert_eq!(odd(&mut client_game, "T01121990000"), "`T01121990000` again");
        assert!(client_game.is_to_move());
        // Later it would be a new move, which is not legal.
        client_game.sent(Step::from_name("b2b3").unwrap());
        announced(&mut client_game, "T15141990000");
        assert_eq!(odd(&mut client_game, "T01121990000"), "`T01121990000` again");
        announced(&mut client_game, "T01222990000");
        client_game.sent(Step::from_name("c2c3").unwrap());
        assert_eq!(odd(&mut client_game, "T15040990000"), "`T15040990000` again");
        assert!(odd(&mut client_game, "T01121990000").contains("it is the turn of White"));
    }

    #[test]
    fn moves_are_made_again_when_pieces_have_come_back() {
        let mut client_game = begun("PB", Some("2k2/p4/5/5/5/P4/2K2 w 0 0 1"));
        for n in 0..3 {
            for (text, mv) in [
                ("T16261990000", "White c1b1"),
                ("T00201990000", "Black c7b7"),
                ("T16162990000", "White b1c1"),
                ("T00102990000", "Black b7c7"),
            ] {
                let moves = announced(&mut client_game, text);
                assert!(moves.len() == 1 && moves[0].contains(mv), "{n}: {moves:?}");
            }
        }
    }

    #[test]
    fn a_lost_echo_is_recovered() {
        let mut client_game = begun("PW", None);
        client_game.sent(Step::from_name("a2a3").unwrap());
        let moved = announced(&mut client_game, "T01121990000");
        assert_eq!(moved, ["1 White a2a3 0-0", "2 Black b6b5 0-0"]);
        assert_eq!(client_game.position().fen(), "prkrp/p1ppp/1p3/*****/P4/1PPPP/PRKRP w 0 0 2");
        assert!(client_game.is_to_move());
        // The points show the value of a prize that was taken meanwhile.
        client_game.sent(Step::from_name("a3a4").unwrap());
        let moved = announced(&mut client_game, "T02131990101");
        assert_eq!(moved, ["3 White a3a4 0.9-0", "4 Black b5b4=1 1-1"]);
        assert!(client_game.position().fen().ends_with("w 1 1 3"));
    }

    #[test]
    fn the_colour_and_the_beginning_can_be_lost() {
        let mut client_game = ClientGame::new(TucChess::start());
        assert_eq!(announced(&mut client_game, "T15040990000"), ["playing Black", "1 White a2a3 0-0"]);
        assert!(client_game.is_to_move());
    }

    #[test]
    fn the_end_replaces_the_last_echo() {
        let fen = Some("2k2/2R2/5/5/5/5/2K1P w 1 2 7");
        let mut client_game = begun("PW", fen);
        client_game.sent(Step::from_name("c6c7").unwrap());
        assert_eq!(
            announced(&mut client_game, "GE0902"),
            ["1 White c6c7 9-2 (not echoed)", "result: White wins 9-2"]
        );
        assert!(client_game.position().outcome().is_some());
        // The time was over before our move arrived.
        let mut client_game = begun("PW", fen);
        client_game.sent(Step::from_name("c6c7").unwrap());
        assert_eq!(announced(&mut client_game, "GE0102"), ["result: Black wins 1-2"]);
        let mut client_game = begun("PW", fen);
        assert_eq!(announced(&mut client_game, "GE0202"), ["result: draw 2-2"]);
    }
}
