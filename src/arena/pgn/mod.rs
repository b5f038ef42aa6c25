//! Game records in PGN: tags, moves with comments, and the result.
//!
//! Moves are in the notation of records, SAN in chess: [`PgnGame::replay`] turns them into that of the
//! protocol. [`PgnReader`] reads what other programs write, too. The comment after a move, `{+1.23/12
//! 0.450s}`, has the player's score in units of the evaluation (or `+M5` for a win in five moves), the depth
//! and the time, as in cutechess. Moves of the opening have the comment `{book}`.

pub mod file;
mod reader;
mod writer;

use thiserror::Error;

use super::{FinalResult, MoveReply, Variation};
use crate::engine::{Board, PositionError, UnknownVariant, registry};
use crate::eval::UciScore;

pub use reader::{PgnError, PgnReader, Problem};

/// A game record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnGame {
    /// Number of the game in its match, from 1 (tag `GameNumber`); `None` in files of other programs.
    pub number: Option<u64>,
    /// The round; in files of Labrys the number of the opening, from 1.
    pub round: String,
    /// The date, `YYYY.MM.DD`.
    pub date: String,
    /// The tag `Variant`, see [`registry::recorded`]; `None` where the file has none, as for standard chess.
    pub variant: Option<String>,
    /// White and Black.
    pub players: [PlayerTags; 2],
    /// The opening. Its FEN is empty where the file has none: the game begins at the start position.
    pub opening: Variation,
    /// The moves after the opening.
    pub moves: Vec<PgnMove>,
    /// The result; `None` for a game that was not finished (`*`).
    pub end: Option<FinalResult>,
}

/// The tags of one player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerTags {
    /// Its name.
    pub name: String,
    /// Its time control and search limits.
    pub time_control: String,
    /// Its program and options.
    pub setup: String,
}

/// A move with its comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    /// The move.
    pub text: String,
    /// The comment, without braces.
    pub comment: String,
}

/// Why a game cannot be played again.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// Its game does not exist.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// It is of another game than expected.
    #[error("a game of {found}, expected {expected}")]
    OtherVariant {
        /// Its game.
        found: &'static str,
        /// The game expected.
        expected: &'static str,
    },
    /// Its start position or a move is not valid.
    #[error(transparent)]
    Position(#[from] PositionError),
}

/// The comment of opening moves.
const BOOK: &str = "book";

impl PgnGame {
    /// A board of its game, at the start position. Where the record does not name the game, it is `expected`,
    /// or standard chess.
    ///
    /// # Errors
    /// [`ReplayError`] if the game is unknown, or another one than `expected`.
    pub fn board(&self, expected: Option<&str>) -> Result<Box<dyn Board>, ReplayError> {
        let expected = expected.map(registry::board).transpose()?;
        match (&self.variant, expected) {
            (None, Some(expected)) => Ok(expected),
            (variant, expected) => {
                let board = registry::recorded(variant.as_deref().unwrap_or_default())?;
                let (found, expected) = (board.variant(), expected.map(|expected| expected.variant()));
                match expected.filter(|&expected| expected != found) {
                    Some(expected) => Err(ReplayError::OtherVariant { found, expected }),
                    None => Ok(board),
                }
            }
        }
    }

    /// Plays the whole game on a board and returns its moves, those of the opening first, in the notation of
    /// the protocol. Moves may go on after a draw that nobody claimed.
    ///
    /// # Errors
    /// [`PositionError`] names the move and its number; the board then has the position before it.
    pub fn replay(&self, board: &mut dyn Board) -> Result<Vec<String>, PositionError> {
        let fen = Some(self.opening.fen.as_str()).filter(|fen| !fen.is_empty());
        board.set_up(fen, &[])?;
        let texts = self.opening.moves.iter().chain(self.moves.iter().map(|mv| &mv.text));
        let moves = texts.zip(1..).map(|(text, number)| {
            board.play_san(text).map_err(|error| PositionError::Move { number, error })
        });
        moves.collect()
    }
}

impl Variation {
    /// The same line as a record has it: its moves in the notation of records, and no FEN where it begins at
    /// the start position of the game. `board` is changed.
    ///
    /// # Errors
    /// [`PositionError`] if it is not legal.
    pub fn to_record(&self, board: &mut dyn Board) -> Result<Variation, PositionError> {
        board.set_up(Some(&self.fen), &[])?;
        let start = registry::recorded(board.pgn_variant().unwrap_or_default()).map(|start| start.fen());
        let fen = if start.as_ref() == Ok(&self.fen) { String::new() } else { self.fen.clone() };
        let moves = self.moves.iter().zip(1..).map(|(mv, number)| {
            let written = board.san(mv).and_then(|text| board.play(mv).map(|()| text));
            written.map_err(|error| PositionError::Move { number, error })
        });
        Ok(Variation { fen, moves: moves.collect::<Result<_, _>>()? })
    }
}

impl PgnMove {
    /// A move, with a comment made of the player's reply.
    pub fn new<M>(mv: &str, reply: &MoveReply<M>) -> PgnMove {
        let seconds = reply.elapsed.as_secs_f64();
        let score = reply.score.map(|score| match score {
            UciScore::Centi(value) => format!("{:+.2}", f64::from(value) / 100.0),
            UciScore::Mate(moves) if moves > 0 => format!("+M{moves}"),
            UciScore::Mate(moves) => format!("-M{}", moves.unsigned_abs()),
        });
        let comment = match score {
            Some(score) => format!("{score}/{} {seconds:.3}s", reply.depth.unwrap_or(0)),
            None => format!("{seconds:.3}s"),
        };
        PgnMove { text: mv.to_owned(), comment }
    }

    /// The score in the comment, in units of the evaluation and from the point of view of the player who
    /// moved. Infinite for a mate score; `None` where the comment has no score.
    pub fn score(&self) -> Option<f64> {
        let (score, _) = self.comment.split_once('/')?;
        match score.split_at_checked(2)? {
            ("+M", _) => Some(f64::INFINITY),
            ("-M", _) => Some(f64::NEG_INFINITY),
            _ => score.parse().ok().filter(|score: &f64| score.is_finite()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Termination;
    use crate::game::Color;

    /// A record with everything in it.
    pub(super) fn record() -> PgnGame {
        let mv = |text: &str, comment: &str| PgnMove { text: text.into(), comment: comment.into() };
        let side = |name: &str| PlayerTags {
            name: name.into(),
            time_control: "10+0.1".into(),
            setup: format!("{name}, x=1"),
        };
        PgnGame {
            number: Some(7),
            round: "4".into(),
            date: "2026.11.21".into(),
            variant: Some("neighbours".into()),
            players: [side("a \"quoted\" \\ name"), side("b")],
            opening: Variation { fen: "pp6/8/8/8/8/8/8/PP6 b 0 1".into(), moves: vec!["a8a7".into()] },
            moves: vec![mv("a1a2", "+1.23/12 0.450s"), mv("a7a8", ""), mv("d1d7,d7g7", "-M5/3 1.000s")],
            end: Some(FinalResult {
                winner: Some(Color::White),
                termination: Termination::Time,
                details: "Black loses on time".into(),
            }),
        }
    }

    /// The games of a text.
    pub(super) fn parse(text: &str) -> Result<Vec<PgnGame>, PgnError> {
        PgnReader::new(text.as_bytes()).collect()
    }

    #[test]
    fn games_read_back() {
        let mut other = record();
        other.players[1].time_control = "nodes 5".into();
        other.end =
            Some(FinalResult { winner: None, termination: Termination::Rules, details: String::new() });
        let text = format!("{}{other}", record());
        assert_eq!(parse(&text), Ok(vec![record(), other]));
        assert!(text.contains(
            "\n\n1... a8a7 {book} 2. a1a2 {+1.23/12 0.450s} a7a8 3. d1d7,d7g7 {-M5/3 1.000s} 1-0\n\n"
        ));
    }

    #[test]
    fn scores_are_read_back() {
        let score = |comment: &str| PgnMove { text: "e2e4".into(), comment: comment.into() }.score();
        assert_eq!((score("+1.23/12 0.450s"), score("-0.50/3 0.001s")), (Some(1.23), Some(-0.5)));
        assert_eq!(
            (score("+M5/9 1.000s"), score("-M2/9 1.000s")),
            (Some(f64::INFINITY), Some(f64::NEG_INFINITY))
        );
        for comment in ["", "book", "0.450s", "x/12", "é/1", "+inf/3", "a/b/c"] {
            assert_eq!(score(comment), None, "{comment}");
        }
    }

    #[test]
    fn replies_become_comments() {
        let reply = |score, depth| {
            let elapsed = std::time::Duration::from_millis(450);
            let reply = MoveReply { mv: Ok(()), score, depth, nodes: None, elapsed };
            PgnMove::new("a1a2=1", &reply).comment
        };
        assert_eq!(reply(Some(UciScore::Centi(123)), Some(12)), "+1.23/12 0.450s");
        assert_eq!(reply(Some(UciScore::Centi(-5)), Some(1)), "-0.05/1 0.450s");
        assert_eq!(reply(Some(UciScore::Mate(5)), Some(9)), "+M5/9 0.450s");
        assert_eq!(reply(Some(UciScore::Mate(-4)), None), "-M4/0 0.450s");
        assert_eq!(reply(None, None), "0.450s");
    }

    #[test]
    fn a_game_is_replayed_on_a_board_of_its_variant() {
        let game = |text: &str| parse(text).unwrap().remove(0);
        let castling = "[FEN \"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1\"]\n\n1. O-O Ke7 2. Rfe1+ 1-0";
        for (variant, moves) in [("", ["e1g1", "e8e7", "f1e1"]), ("Chess960", ["e1h1", "e8e7", "f1e1"])] {
            let game = game(&format!("[Variant \"{variant}\"]\n{castling}"));
            let mut board = game.board(Some("chess")).unwrap();
            assert_eq!(game.replay(board.as_mut()).unwrap(), moves);
        }
        let neighbours = game("[Variant \"neighbours\"]\n1. e1e3 *");
        assert!(neighbours.board(None).and_then(|mut board| Ok(neighbours.replay(board.as_mut())?)).is_ok());
        let error = neighbours.board(Some("chess")).err().unwrap();
        assert_eq!(error.to_string(), "a game of neighbours, expected chess");
        let unknown = game("[Variant \"ludo\"]\n*").board(None).err().unwrap();
        assert!(unknown.to_string().starts_with("unknown variant `ludo`"), "{unknown}");
        let illegal = game("1. e4 e5 2. Nxf9 *");
        let error = illegal.replay(illegal.board(None).unwrap().as_mut()).unwrap_err().to_string();
        assert!(error.starts_with("move 3: `Nxf9` is no move"), "{error}");
    }

    #[test]
    fn an_opening_is_recorded_as_readers_expect_it() {
        let mut board = registry::board("chess").unwrap();
        let start = board.fen();
        let line = |fen: &str, moves: &[&str]| Variation {
            fen: fen.to_owned(),
            moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
        };
        let opening = line(&start, &["e2e4", "b8c6"]).to_record(board.as_mut());
        assert_eq!(opening, Ok(line("", &["e4", "Nc6"])));
        let other = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        assert_eq!(line(other, &["e1g1"]).to_record(board.as_mut()), Ok(line(other, &["O-O"])));
        assert!(line(other, &["e1e3"]).to_record(board.as_mut()).is_err());
    }
}
