//! Reading and writing the parts of a FEN that all games share.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::{FromStr, SplitWhitespace};

use super::{Color, FenError, epd};

/// The maximum value of a counter in the FEN of an own game; counters stop there.
pub(super) const MAX_COUNT: u16 = 9_999;

/// The fields of a FEN, taken one after the other. The operations of an EPD line are ignored.
pub struct Fields<'a> {
    words: SplitWhitespace<'a>,
    /// Whether a semicolon says that there are operations.
    has_operations: bool,
}

impl<'a> Fields<'a> {
    /// Splits a FEN at white space.
    pub fn new(fen: &'a str) -> Fields<'a> {
        let (fen, has_operations) = fen.split_once(';').map_or((fen, false), |(fen, _)| (fen, true));
        Fields { words: fen.split_whitespace(), has_operations }
    }

    /// The next word of the fields that may be missing and have no letters; `None` at the end of the text,
    /// and where the operations of an EPD file begin.
    fn next_optional(&mut self) -> Option<&'a str> {
        let is_opcode = |word: &str| match self.has_operations {
            true => word.starts_with(|letter: char| letter.is_ascii_alphabetic()),
            false => epd::is_common(word),
        };
        if self.words.clone().next().is_some_and(is_opcode) {
            self.words = "".split_whitespace();
        }
        self.words.next()
    }

    /// The next field.
    ///
    /// # Errors
    /// [`FenError::Missing`] at the end of the text.
    pub fn required(&mut self, field: &'static str, expected: &str) -> Result<&'a str, FenError> {
        self.words.next().ok_or_else(|| FenError::Missing { field, expected: expected.to_owned() })
    }

    /// The side to move, `w` or `b`.
    ///
    /// # Errors
    /// [`FenError::Missing`] or [`FenError::Field`].
    pub fn side(&mut self) -> Result<Color, FenError> {
        const FIELD: &str = "side to move";
        const EXPECTED: &str = "`w` or `b`";
        match self.required(FIELD, EXPECTED)? {
            "w" => Ok(Color::White),
            "b" => Ok(Color::Black),
            found => {
                Err(FenError::Field { field: FIELD, found: found.to_owned(), expected: EXPECTED.to_owned() })
            }
        }
    }

    /// Reads a field that is always `-`. It may be missing at the end of the text.
    ///
    /// # Errors
    /// [`FenError::Field`] when it is anything else.
    pub fn dash(&mut self, field: &'static str) -> Result<(), FenError> {
        match self.next_optional() {
            None | Some("-") => Ok(()),
            Some(found) => {
                Err(FenError::Field { field, found: found.to_owned(), expected: "`-`".to_owned() })
            }
        }
    }

    /// A counter within `range`, or `default` where the text ends before it.
    ///
    /// # Errors
    /// [`FenError::Field`] when it is no number or out of range.
    pub fn counter<T>(
        &mut self,
        field: &'static str,
        range: RangeInclusive<T>,
        default: T,
    ) -> Result<T, FenError>
    where
        T: FromStr + PartialOrd + Display,
    {
        let Some(found) = self.next_optional() else { return Ok(default) };
        found
            .parse()
            .ok()
            .filter(|value| range.contains(value))
            .ok_or_else(|| no_counter(field, found, &range))
    }

    /// A counter, read leniently: `default` if it is no number, such as `-`, clamped to `range`, and without
    /// its fraction.
    ///
    /// # Errors
    /// [`FenError::Field`] when it is a word, which may be a move that `moves` is missing before, or has a
    /// control character, which no writer meant.
    pub fn nearest_counter(
        &mut self,
        field: &'static str,
        range: RangeInclusive<u16>,
        default: u16,
    ) -> Result<u16, FenError> {
        let Some(found) = self.next_optional() else { return Ok(default) };
        if found.starts_with(char::is_alphabetic) || found.contains(char::is_control) {
            return Err(no_counter(field, found, &range));
        }
        let digits = found.trim_start_matches(['+', '-']);
        let digits = &digits[..digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len())];
        Ok(match (digits.is_empty(), found.starts_with('-')) {
            (true, _) => default,
            (false, true) => *range.start(),
            (false, false) => digits.parse().unwrap_or(u16::MAX).clamp(*range.start(), *range.end()),
        })
    }

    /// The next field, if the text has not ended; `-` where it has.
    pub fn or_dash(&mut self) -> &'a str {
        self.words.next().unwrap_or("-")
    }

    /// The number of the move, up to `most`. It may be missing at the end of the text. 0, which many files
    /// have, counts as 1.
    ///
    /// # Errors
    /// [`FenError::Field`] when it is no number or out of range.
    pub fn move_number(&mut self, most: u16) -> Result<u16, FenError> {
        Ok(self.counter("move number", 0..=most, 1)?.max(1))
    }

    /// Checks that no token is left.
    ///
    /// # Errors
    /// [`FenError::Trailing`] names the first token too many.
    pub fn end(mut self) -> Result<(), FenError> {
        match self.next_optional() {
            None => Ok(()),
            Some(found) => Err(FenError::Trailing { found: found.to_owned() }),
        }
    }
}

/// The error of a word that is no counter of this range.
fn no_counter<T: Display>(field: &'static str, found: &str, range: &RangeInclusive<T>) -> FenError {
    let expected = format!("a number from {} to {}", range.start(), range.end());
    FenError::Field { field, found: found.to_owned(), expected }
}

/// Checks that there are not too many pieces of a kind.
///
/// # Errors
/// [`FenError::TooMany`].
pub fn at_most(what: &'static str, found: usize, at_most: usize) -> Result<(), FenError> {
    if found > at_most { Err(FenError::TooMany { what, found, at_most }) } else { Ok(()) }
}

/// Reads the board of a FEN, rank by rank from the highest, and calls `place(file, rank, letter)` for each
/// square that is not empty, file and rank counted from 0. Numbers are runs of empty squares; on a board that
/// needs none of two digits, each digit is a number. The last rank may end with a slash, too.
///
/// # Errors
/// [`FenError::Ranks`] or [`FenError::Squares`] when the board is not `files` × `ranks`, and
/// whatever `place` refuses.
pub fn read_board(
    board: &str,
    files: usize,
    ranks: usize,
    mut place: impl FnMut(usize, usize, char) -> Result<(), FenError>,
) -> Result<(), FenError> {
    let found = board.split('/').count();
    let board = board.strip_suffix('/').filter(|_| found == ranks + 1).unwrap_or(board);
    if board.split('/').count() != ranks {
        return Err(FenError::Ranks { found, expected: ranks });
    }
    let tens = if files < 10 { 1 } else { 10 };
    for (row, rank) in board.split('/').zip((0..ranks).rev()) {
        let mut file: usize = 0;
        let mut run: usize = 0;
        for letter in row.chars() {
            if let Some(digit) = letter.to_digit(10) {
                run = run.saturating_mul(tens).saturating_add(digit as usize);
                continue;
            }
            file = file.saturating_add(std::mem::take(&mut run));
            if file < files {
                place(file, rank, letter)?;
            }
            file = file.saturating_add(1);
        }
        file = file.saturating_add(run);
        if file != files {
            let row = row.to_owned();
            return Err(FenError::Squares { rank: rank + 1, row, found: file, expected: files });
        }
    }
    Ok(())
}

/// Writes the board of a FEN: `square(file, rank)` is the letter of the square's content, if any.
pub fn write_board(files: usize, ranks: usize, square: impl Fn(usize, usize) -> Option<char>) -> String {
    let mut rows = Vec::with_capacity(ranks);
    for rank in (0..ranks).rev() {
        let mut row = String::new();
        let mut run = 0;
        for file in 0..files {
            match square(file, rank) {
                None => run += 1,
                Some(letter) => {
                    if run > 0 {
                        row.push_str(&run.to_string());
                        run = 0;
                    }
                    row.push(letter);
                }
            }
        }
        if run > 0 {
            row.push_str(&run.to_string());
        }
        rows.push(row);
    }
    rows.join("/")
}

/// A picture of a board, with `.` for an empty square and the names of ranks and files at its edge.
pub fn draw_board(files: usize, ranks: usize, square: impl Fn(usize, usize) -> Option<char>) -> String {
    let mut lines = Vec::with_capacity(ranks + 1);
    for rank in (0..ranks).rev() {
        let squares = (0..files).map(|file| square(file, rank).unwrap_or('.'));
        lines
            .push(squares.fold(format!("{:>2} ", rank + 1), |line, letter| line + " " + &letter.to_string()));
    }
    lines.push((0..files).fold("   ".to_owned(), |line, file| line + " " + &file_letter(file).to_string()));
    lines.join("\n")
}

/// The name of a square: file letter and rank number, both counted from 0 here, `a1` at White's lower left.
pub fn square_name(file: usize, rank: usize) -> String {
    format!("{}{}", file_letter(file), rank + 1)
}

/// The letter of a file, counted from 0.
fn file_letter(file: usize) -> char {
    char::from(b'a' + (file % 26) as u8)
}
