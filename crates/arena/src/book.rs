//! Opening books, as other programs come with them: EPD, FEN with moves, lines of moves, and games in PGN.

use std::io::{BufRead, BufReader};
use std::path::Path;

use thiserror::Error;

use super::Variation;
use super::openings::OpeningError;
use super::pgn::{PgnGame, PgnReader, Problem, ReplayError};
use labrys_core::engine::{Board, PositionError};
use labrys_core::game::epd::{Epd, EpdError};
use labrys_core::game::{counted, quote};
use labrys_core::input;
use labrys_support::text::{self, BYTE_ORDER_MARK};

/// Openings that are left out, each with a warning, at most.
const MAX_WARNINGS: usize = 5;

/// How to read an opening book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BookOptions {
    /// Moves of each line to play, in plies; `None` for all.
    pub plies: Option<usize>,
    /// The seed of a random order of the openings; `None` for the order of the file.
    pub shuffle: Option<u64>,
    /// Whether an invalid opening is an error. Otherwise it is left out, with a warning.
    pub strict: bool,
}

/// The error of an opening of a book.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningLineError {
    /// The position or an operation of the line is not valid.
    #[error(transparent)]
    Epd(#[from] EpdError<PositionError>),
    /// A move is not valid.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The record of the game is not valid PGN.
    #[error(transparent)]
    Pgn(#[from] Problem),
    /// The record is of another game.
    #[error(transparent)]
    Game(#[from] ReplayError),
    /// It is no position, and has no moves.
    #[error("no position and no moves: {}", quote(.0))]
    Empty(String),
    /// The game is over at the end of the opening.
    #[error("the game is over: {outcome}")]
    Over {
        /// How it ended.
        outcome: String,
    },
}

/// Reads the openings of a file for the game of `board`, which is changed. A file of games in PGN is known by
/// its name or its first letter, `[`. In other files each line is a position, in FEN or EPD, a FEN followed
/// by `moves …`, or moves from the start position. Empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// [`OpeningError`] names the file, the line, and the FEN field or the move that is wrong.
pub(super) fn read(
    path: &Path,
    board: &mut dyn Board,
    options: BookOptions,
) -> Result<Vec<Variation>, OpeningError> {
    let failed = |error| OpeningError::Read { path: path.to_owned(), error };
    let (mut openings, mut refused) = (Vec::new(), Vec::new());
    let mut add = |place: String, opening: Result<Variation, OpeningLineError>| {
        match opening {
            Ok(opening) => openings.push(opening),
            Err(problem) => {
                let error = OpeningError::Line { path: path.to_owned(), place, problem: Box::new(problem) };
                if options.strict {
                    return Err(error);
                }
                refused.push(error);
            }
        }
        Ok(())
    };
    if is_pgn(path).map_err(failed)? {
        let mut games = PgnReader::new(text::open(path).map_err(failed)?);
        let mut number = 0;
        while let Some(game) = games.next() {
            number += 1;
            let (place, opening) = match game {
                Ok(game) => (games.game_line(), from_game(&game, board, options.plies)),
                Err(error) => (error.line, Err(error.problem.into())),
            };
            add(format!("game {number} in line {place}"), opening)?;
        }
    } else {
        let text = text::read(path).map_err(failed)?;
        for (line, number) in text.lines().zip(1..) {
            let line = line.trim_start_matches(BYTE_ORDER_MARK).trim();
            if !line.is_empty() && !line.starts_with('#') {
                add(format!("line {number}"), from_line(line, board, options.plies))?;
            }
        }
    }
    if openings.is_empty() {
        // An error of the first line is often one of all of them.
        return Err(match refused.into_iter().next() {
            Some(error) => OpeningError::NoneUsable(Box::new(error)),
            None => OpeningError::Empty { path: path.to_owned() },
        });
    }
    refused.iter().take(MAX_WARNINGS).for_each(|error| log::warn!("left out: {error}"));
    if let Some(more @ 1..) = refused.len().checked_sub(MAX_WARNINGS) {
        log::warn!("left out: {} more", counted(more, "opening"));
    }
    Ok(openings)
}

/// Whether a file holds games in PGN.
fn is_pgn(path: &Path) -> std::io::Result<bool> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn")) {
        return Ok(true);
    }
    let mut file = BufReader::new(input::open_stream(path)?);
    let start = text::decode(file.fill_buf()?);
    Ok(start.trim_start_matches(BYTE_ORDER_MARK).trim_start().starts_with('['))
}

/// The opening of a game in PGN.
fn from_game(
    game: &PgnGame,
    board: &mut dyn Board,
    plies: Option<usize>,
) -> Result<Variation, OpeningLineError> {
    game.board(Some(board.variant()))?;
    let moves = game.opening.moves.iter().chain(game.moves.iter().map(|mv| &mv.text));
    let line = follow(game.opening.set_up_fen(), moves.map(String::as_str), board, plies);
    // A move of another game is not the error to report.
    line.map_err(|problem| {
        game.other_game_error(Some(board.variant())).map_or(problem, OpeningLineError::from)
    })
}

/// The opening of a line.
fn from_line(line: &str, board: &mut dyn Board, plies: Option<usize>) -> Result<Variation, OpeningLineError> {
    if line.split_whitespace().next().is_some_and(|word| word.contains('/')) {
        // The word may stand in the text of an operation, too.
        let is_fen = |(position, _): &(&str, &str)| !position.contains([';', '"']);
        let (position, moves) = line.split_once(" moves ").filter(is_fen).unwrap_or((line, ""));
        let epd = Epd::parse(position, |fen| board.set_up(Some(fen), &[]))?;
        let moves = words(Some(&epd.fen), moves, board)?;
        follow(Some(&epd.fen), moves.iter().map(String::as_str), board, plies)
    } else {
        let moves = words(None, line, board)?;
        if moves.is_empty() {
            return Err(OpeningLineError::Empty(line.to_owned()));
        }
        follow(None, moves.iter().map(String::as_str), board, plies)
    }
}

/// The moves of a line, which is written as a game of a record is.
fn words(fen: Option<&str>, line: &str, board: &dyn Board) -> Result<Vec<String>, Problem> {
    let tag =
        |name, value: Option<&str>| value.map_or(String::new(), |value| format!("[{name} \"{value}\"]\n"));
    let text = [tag("Variant", board.pgn_variant()), tag("FEN", fen), line.to_owned()].concat();
    let Some(game) = PgnReader::new(text.as_bytes()).next() else { return Ok(Vec::new()) };
    let game = game.map_err(|error| error.problem)?;
    Ok(game.opening.moves.into_iter().chain(game.moves.into_iter().map(|mv| mv.text)).collect())
}

/// Plays moves of a record from a position, or from the start position.
fn follow<'a>(
    fen: Option<&str>,
    moves: impl Iterator<Item = &'a str>,
    board: &mut dyn Board,
    plies: Option<usize>,
) -> Result<Variation, OpeningLineError> {
    board.set_up(fen, &[])?;
    let fen = board.fen();
    let moves = moves
        .take(plies.unwrap_or(usize::MAX))
        .zip(1..)
        .map(|(text, number)| board.play_san(text).map_err(|error| PositionError::Move { number, error }));
    let moves = moves.collect::<Result<Vec<_>, _>>()?;
    match board.outcome() {
        None => Ok(Variation { fen, moves }),
        Some(outcome) => Err(OpeningLineError::Over { outcome: outcome.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::engine::registry;

    /// Reads a chess book with this content and name.
    fn read_book(name: &str, text: &str, options: BookOptions) -> Result<Vec<Variation>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mut board = registry::board("chess").unwrap();
        read(&path, board.as_mut(), options).map_err(|error| error.to_string())
    }

    const ALL: BookOptions = BookOptions { plies: None, shuffle: None, strict: true };

    #[test]
    fn a_missing_book_is_named_once() {
        let mut board = registry::board("chess").unwrap();
        for name in ["missing.pgn", "missing.epd"] {
            let error = read(Path::new(name), board.as_mut(), ALL).unwrap_err().to_string();
            assert_eq!(error.matches(name).count(), 1, "{error}");
        }
    }

    #[test]
    fn every_form_of_a_line_is_read() {
        let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
        let text = format!(
            "# forms\n\n{after} hmvc 3; fmvn 9; id \"x\";\n{after} 0 1 moves e7e5 Nf3\n{after} 0 1\n\
             e2e4 c7c5 ; Sicilian\n1. e4 c5 2.Nf3! d6 $6 {{x}} 3... xx\n"
        );
        let read = read_book("book.epd", &format!("\u{feff}{}", text.replace(" 3... xx", "*")), ALL).unwrap();
        let start = registry::board("chess").unwrap().fen();
        let found: Vec<_> = read.iter().map(|line| (line.fen.as_str(), line.moves.join(" "))).collect();
        let (first, plain) = (format!("{after} 3 9"), format!("{after} 0 1"));
        assert_eq!(
            found,
            [
                (first.as_str(), String::new()),
                (plain.as_str(), "e7e5 g1f3".to_owned()),
                (plain.as_str(), String::new()),
                (start.as_str(), "e2e4 c7c5".to_owned()),
                (start.as_str(), "e2e4 c7c5 g1f3 d7d6".to_owned()),
            ]
        );
        let error = read_book("book.epd", &text, ALL).unwrap_err();
        assert!(error.contains("book.epd`, line 7: move 5: `xx` is no move"), "{error}");
        let nothing = "no position and no moves: `";
        for (junk, reason) in [
            ("milk and a shopping list", nothing),
            ("# Title\n{x}", nothing),
            ("\0\0\0", "byte 0x00 is no text"),
        ] {
            let error = read_book("book.txt", junk, ALL).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        let lenient = read_book("book.epd", &text, BookOptions { strict: false, ..ALL }).unwrap();
        assert_eq!(lenient.len(), 4);
    }

    #[test]
    fn texts_of_operations_are_no_moves() {
        let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
        for operations in ["c0 \"Black moves c5\";", "hmvc 0; fmvn 1; c0 Black moves c5;"] {
            let read = read_book("book.epd", &format!("{after} {operations}\n"), ALL).unwrap();
            assert_eq!(read, [Variation { fen: format!("{after} 0 1"), moves: Vec::new() }], "{operations}");
        }
    }

    #[test]
    fn games_are_openings_too() {
        let text = "[White \"x\"]\n\n1. e4 e5 2. Nf3 {good} Nc6 1-0\n\n[Variant \"Chess960\"]\n\
                    [FEN \"4k3/8/8/8/8/8/8/RK4R1 w KQ - 0 1\"]\n\n1. O-O *\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
        let read = read_book("book.pgn", text, BookOptions { plies: Some(3), ..ALL }).unwrap();
        let moves: Vec<_> = read.iter().map(|line| line.moves.join(" ")).collect();
        assert_eq!(moves, ["e2e4 e7e5 g1f3", "b1g1", "f2f3 e7e5 g2g4"]);
        // By its first letter, and to the ends of the games.
        let error = read_book("book", text, ALL).unwrap_err();
        assert!(error.contains("game 3 in line 10: the game is over: Black wins: checkmate"), "{error}");
        let other = text.replace("Chess960", "neighbours");
        let error = read_book("book.pgn", &other, ALL).unwrap_err();
        assert!(error.contains("game 2 in line 5: a game of neighbours, expected chess"), "{error}");
        let cut = read_book("book.pgn", "1. e4 e5 2. Nf", ALL).unwrap_err();
        assert!(cut.contains("game 1 in line 1: move 3: `Nf` is no move"), "{cut}");
        let marked = read_book("book", "\u{feff}\n[White \"x\"]\n\n1. e4 e5 2. Nf3", ALL).unwrap();
        assert_eq!(marked[0].moves.len(), 3);
        assert!(read_book("book.pgn", "\n", ALL).unwrap_err().contains("no opening in it"));
    }
}
