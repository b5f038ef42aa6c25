//! Game records in PGN: tags, moves with comments, and the result.
//!
//! Moves are in the notation of records, SAN in chess: [`PgnGame::replay`] turns them into that of the
//! protocol. [`PgnReader`] reads what other programs write, too. The comment after a move, `{+1.23/12
//! 0.450s}`, has the player's score in units of the evaluation (or `+M5` for a win in five moves), the depth
//! and the time, as in cutechess; [`CommentKeys`] adds more. Moves of the opening have the comment `{book}`.

mod comment;
pub mod file;
mod glued;
mod lines;
pub mod merge;
mod opening;
mod reader;
mod record;
mod tag;
mod words;
mod writer;

use std::hash::{DefaultHasher, Hash, Hasher};

use thiserror::Error;

use super::{FinalResult, Termination, Variation};
use labrys_core::engine::{Board, PositionError, UnknownVariant, registry};
use labrys_core::game::{Color, Outcome, quote};

use words::Winner;
use writer::{PLY_COUNT, result_text};

pub use comment::CommentKeys;
pub use reader::{PgnError, PgnReader, Problem};

/// A game record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnGame {
    /// Number of the game in its match, from 1 (tag `GameNumber`); `None` in files of other programs.
    pub number: Option<u64>,
    /// The round, `?` if it is not known; in files of Labrys the number of the opening, from 1.
    pub round: String,
    /// The date, `YYYY.MM.DD`, with question marks for unknown parts.
    pub date: String,
    /// The tag `Variant`, see [`registry::board_of_record`]; `None` where the file has none, as for standard
    /// chess.
    pub variant: Option<String>,
    /// White and Black.
    pub players: [PlayerTags; 2],
    /// The opening. Its FEN is empty where the file has none: the game begins at the start position.
    pub opening: Variation,
    /// The comment before the first move.
    pub comment: String,
    /// The moves after the opening.
    pub moves: Vec<PgnMove>,
    /// The comment after the result.
    pub closing: String,
    /// The result; `None` for a game that was not finished (`*`).
    pub end: Option<FinalResult>,
    /// A tag `Result`, or a second result after the moves, that says something else than the one that counts as
    /// `end`.
    pub contradiction: Option<&'static str>,
    /// All other tags with their values, such as `Event` and `WhiteElo`.
    pub other_tags: Vec<(String, String)>,
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

/// A move with its annotations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnMove {
    /// The move.
    pub text: String,
    /// The comment before it, where it is the first one of a variation.
    pub before: String,
    /// The comment, without braces.
    pub comment: String,
    /// The annotation glyphs, such as 4 for a blunder (written `$4`, and read from `??`, too).
    pub glyphs: Vec<u16>,
    /// Other moves in its place, each with what follows it.
    pub variations: Vec<Vec<PgnMove>>,
}

/// An error of replaying a game.
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
    /// The rules give it another result.
    #[error("the result is wrong: {0}")]
    Result(Outcome),
    /// It is said to be over by the rules.
    #[error("the result is wrong: the game is not over")]
    NotOver,
    /// It is said to have ended on time, but the rules ended it.
    #[error("the result is wrong: the rules ended the game, not the clock: {0}")]
    NotOnTime(Outcome),
    /// The tag `Result`, or a second result, says something else.
    #[error("the result is wrong: both `{0}` and `{1}`")]
    Tag(&'static str, &'static str),
    /// A tag is there twice with different values.
    #[error("the tag `{name}` is wrong: both {} and {}", quote(.first), quote(.second))]
    Repeated {
        /// The tag.
        name: String,
        /// What the game has.
        first: String,
        /// What the tag says.
        second: String,
    },
    /// The tag `PlyCount` is not that of the moves.
    #[error("the tag `PlyCount` is wrong: {}, but the game has {plies}", quote(.tag))]
    PlyCount {
        /// The tag.
        tag: String,
        /// The plies of the game.
        plies: usize,
    },
    /// The tag `TerminationDetails` says something else.
    #[error("the result is wrong: `{result}`, but the tag `TerminationDetails` says {}", quote(.details))]
    Details {
        /// The result.
        result: &'static str,
        /// The tag.
        details: String,
    },
}

/// Variations within variations that are read and written. Deeper ones are left out.
pub const DEEPEST: usize = 50;

/// The comment of opening moves.
pub const BOOK: &str = "book";

impl PgnMove {
    /// Whether nothing is said of it.
    fn is_plain(&self) -> bool {
        self.comment.is_empty() && self.glyphs.is_empty() && self.variations.is_empty()
    }

    /// Adds an annotation glyph, unless it is there.
    pub fn add_glyph(&mut self, glyph: u16) {
        if !self.glyphs.contains(&glyph) {
            self.glyphs.push(glyph);
        }
    }
}

/// The winner by the details of the end of a game of Labrys, which begin with `draw`, with the winner, or with
/// the loser and what it did; `None` where they name nobody.
fn winner_of(details: &str) -> Option<Winner> {
    let (first, rest) = details.split_once([' ', ':']).unwrap_or((details, ""));
    if first == "draw" {
        return Some(None);
    }
    let player = Color::BOTH.into_iter().find(|color| color.to_string() == first)?;
    Some(Some(if rest.starts_with("wins") { player } else { !player }))
}

/// Adds a comment to those before it.
fn join(comment: &mut String, text: &str) {
    if !(comment.is_empty() || text.is_empty()) {
        comment.push(' ');
    }
    comment.push_str(text);
}

/// Whether a text can stand as a move in a record: whether it is read back as it is written. Numbers,
/// results, null moves, words like `resigns` and some signs are not, in any game.
pub fn is_move_word(text: &str) -> bool {
    words::is_move(text) && !words::is_null_move(text)
}

/// A number for a start position and moves in the notation of the protocol: games of which one repeats
/// another have the same one, within a process.
pub fn line_hash(start: &str, moves: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (start, moves).hash(&mut hasher);
    hasher.finish()
}

impl PgnGame {
    /// The [`line_hash`] of the game.
    ///
    /// # Errors
    /// [`ReplayError`] if it is of another game or has a move that is not legal.
    pub fn line_hash(&self, variant: &str) -> Result<u64, ReplayError> {
        let mut board = self.board(Some(variant))?;
        let start = self.start_fen(board.as_mut())?;
        Ok(line_hash(&start, &self.replay(board.as_mut())?))
    }

    /// Sets up the start position on a board. Returns its FEN.
    pub(crate) fn start_fen(&self, board: &mut dyn Board) -> Result<String, PositionError> {
        board.set_up(self.opening.set_up_fen(), &[])?;
        Ok(board.fen())
    }

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
                let board = registry::board_of_record(variant.as_deref().unwrap_or_default())?;
                let (found, expected) = (board.variant(), expected.map(|expected| expected.variant()));
                match expected.filter(|&expected| expected != found) {
                    Some(expected) => Err(ReplayError::OtherVariant { found, expected }),
                    None => Ok(board),
                }
            }
        }
    }

    /// The error that the record is of another game than expected or named, if its moves are legal there and
    /// not in that one.
    pub fn other_game_error(&self, expected: Option<&str>) -> Option<ReplayError> {
        let expected = match self.board(expected) {
            Ok(board) => board.variant(),
            Err(error @ ReplayError::OtherVariant { .. }) => return Some(error),
            Err(_) => return None,
        };
        let is_played = |name: &&'static str| {
            registry::board(name).is_ok_and(|mut board| self.replay(board.as_mut()).is_ok())
        };
        if is_played(&expected) || (self.opening.moves.is_empty() && self.moves.is_empty()) {
            return None;
        }
        let found = registry::names().into_iter().find(is_played)?;
        Some(ReplayError::OtherVariant { found, expected })
    }

    /// The position in which it ended, as FEN. Its game is `variant`.
    ///
    /// # Errors
    /// [`ReplayError`] if it is of another game or has a move that is not legal.
    pub fn final_fen(&self, variant: &str) -> Result<String, ReplayError> {
        let mut board = self.board(Some(variant))?;
        self.replay(board.as_mut())?;
        Ok(board.fen())
    }

    /// The value of one of the other tags.
    pub(crate) fn other_tag(&self, name: &str) -> Option<&str> {
        self.other_tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Plays the game as [`PgnGame::replay`] does, and checks that its result is that of the rules and of its
    /// tags. Whatever counts results reads games by this.
    ///
    /// # Errors
    /// [`ReplayError`] names the move that is not legal, or the result by the rules.
    pub fn replay_to_result(&self, board: &mut dyn Board) -> Result<Vec<String>, ReplayError> {
        self.replay_to_result_with(board, &mut |_, _| ())
    }

    /// The same; `before_move` gets the board before each move, and the index of the move among those after
    /// the opening.
    ///
    /// # Errors
    /// Those of [`PgnGame::replay_to_result`].
    pub fn replay_to_result_with(
        &self,
        board: &mut dyn Board,
        before_move: &mut dyn FnMut(&dyn Board, usize),
    ) -> Result<Vec<String>, ReplayError> {
        let moves = self.replay_with(board, before_move)?;
        // Only games of Labrys have numbers; in others players may resign, and draws have to be claimed.
        let is_own = self.number.is_some();
        if let Some(error) = self.tag_error().filter(|_| is_own) {
            return Err(error);
        }
        let Some(end) = &self.end else { return Ok(moves) };
        if let Some(tag) = self.contradiction {
            return Err(ReplayError::Tag(result_text(end.winner), tag));
        }
        match board.outcome() {
            Some(outcome) if outcome.winner != end.winner && (is_own || board.legal_moves().is_empty()) => {
                Err(ReplayError::Result(outcome))
            }
            Some(outcome) if is_own && end.termination == Termination::Time => {
                Err(ReplayError::NotOnTime(outcome))
            }
            None if is_own && end.termination == Termination::Rules => Err(ReplayError::NotOver),
            _ if is_own && winner_of(&end.details).is_some_and(|winner| winner != end.winner) => {
                let (result, details) = (result_text(end.winner), end.details.clone());
                Err(ReplayError::Details { result, details })
            }
            _ => Ok(moves),
        }
    }

    /// The error of a tag that says something else than another one of its name, or than the moves.
    fn tag_error(&self) -> Option<ReplayError> {
        let tags = self.tags();
        self.other_tags.iter().find_map(|(name, second)| {
            let (_, first) = tags.iter().find(|(other, _)| other.eq_ignore_ascii_case(name))?;
            if first == second {
                return None;
            }
            let (first, second) = (first.clone(), second.clone());
            Some(match name.eq_ignore_ascii_case(PLY_COUNT) {
                true => {
                    ReplayError::PlyCount { tag: second, plies: self.opening.moves.len() + self.moves.len() }
                }
                false => ReplayError::Repeated { name: name.clone(), first, second },
            })
        })
    }

    /// Plays the whole game on a board and returns its moves, those of the opening first, in the notation of
    /// the protocol. The game may continue after a draw that neither player claimed.
    ///
    /// # Errors
    /// [`PositionError`] names the move and its number; the board then has the position before it.
    pub fn replay(&self, board: &mut dyn Board) -> Result<Vec<String>, PositionError> {
        self.replay_with(board, &mut |_, _| ())
    }

    /// See [`PgnGame::replay_to_result_with`].
    fn replay_with(
        &self,
        board: &mut dyn Board,
        before_move: &mut dyn FnMut(&dyn Board, usize),
    ) -> Result<Vec<String>, PositionError> {
        board.set_up(self.opening.set_up_fen(), &[])?;
        let opening = self.opening.moves.len();
        let texts = self.opening.moves.iter().chain(self.moves.iter().map(|mv| &mv.text));
        let moves = texts.zip(0..).map(|(text, at)| {
            if at >= opening {
                before_move(board, at - opening);
            }
            board.play_san(text).map_err(|error| PositionError::Move { number: at + 1, error })
        });
        moves.collect()
    }
}

impl Variation {
    /// The FEN of a record; `None` where it begins at the start position of the game.
    pub fn set_up_fen(&self) -> Option<&str> {
        Some(self.fen.as_str()).filter(|fen| !fen.is_empty())
    }

    /// The same line in record notation: its moves in the notation of records, and no FEN where it begins at
    /// the start position of the game. `board` is changed.
    ///
    /// # Errors
    /// [`PositionError`] if it is not legal.
    pub fn to_record(&self, board: &mut dyn Board) -> Result<Variation, PositionError> {
        board.set_up(Some(&self.fen), &[])?;
        let start =
            registry::board_of_record(board.pgn_variant().unwrap_or_default()).map(|start| start.fen());
        let fen = if start.as_ref() == Ok(&self.fen) { String::new() } else { self.fen.clone() };
        let moves =
            self.moves.iter().zip(1..).map(|(mv, number)| {
                board.play_to_san(mv).map_err(|error| PositionError::Move { number, error })
            });
        Ok(Variation { fen, moves: moves.collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::game::Color;

    /// A record with all parts.
    pub(super) fn record() -> PgnGame {
        let mv = |text: &str, comment: &str| PgnMove {
            text: text.into(),
            comment: comment.into(),
            ..PgnMove::default()
        };
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
            comment: "before the game".into(),
            moves: vec![mv("a1a2", "+1.23/12 0.450s"), mv("a7a8", ""), mv("d1d7,d7g7", "-M5/3 1.000s")],
            closing: "behind it".into(),
            end: Some(FinalResult {
                winner: Some(Color::White),
                termination: Termination::Time,
                details: "Black loses on time".into(),
            }),
            contradiction: None,
            other_tags: vec![("WhiteElo".into(), "2000".into())],
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
            "\n\n{before the game} 1... a8a7 {book} 2. a1a2 {+1.23/12 0.450s} a7a8 3. d1d7,d7g7\n{-M5/3 1.000s} 1-0 \
             {behind it}\n\n"
        ));
    }

    #[test]
    fn words_for_moves_read_back() {
        // Beside others, at the beginning of a line and at the end of the game.
        let is_read_back = |text: &str| {
            let mut game = record();
            let mv = PgnMove { text: text.into(), ..PgnMove::default() };
            game.opening.moves = vec![text.into()];
            game.moves = vec![mv; 100];
            parse(&game.to_string()) == Ok(vec![game])
        };
        let words = "a1 e2e4 a1-b2 drop4 drop-4 d x 4,5 1-2 O O-O Nf3+ e8=Q a-1 up4 left pass ♘f3 ä a1- \
                     a1x a/b a3a4=1+c5";
        for text in words.split(' ') {
            assert!(is_move_word(text), "{text}");
            assert!(is_read_back(text), "{text}");
        }
        let others = "4 44 4. 4a 1a N D up On over draw resigns a1! a1? ! -- 0000 1-0 0-1 1/2 * a1* a1, {a} (a) \
                      [a ;a $1 %a a1= a1+- + # check e.p. a1.b2";
        for text in others.split(' ').chain(["", "a 1"]) {
            assert!(!is_move_word(text), "{text}");
            assert!(!is_read_back(text), "{text}");
        }
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
