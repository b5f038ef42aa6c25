//! Errors in the text of positions and moves.

use std::fmt;
use std::path::Path;

use thiserror::Error;

/// An error in a FEN.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FenError {
    /// A required field is missing.
    #[error("FEN: missing {field}, expected {expected}")]
    Missing {
        /// Name of the field.
        field: &'static str,
        /// The expected text.
        expected: String,
    },
    /// A field is invalid.
    #[error("FEN: {field} {}: expected {expected}", quote(.found))]
    Field {
        /// Name of the field.
        field: &'static str,
        /// The text.
        found: String,
        /// The expected text.
        expected: String,
    },
    /// Text after the last field.
    #[error("FEN: {} after the last field", quote(.found))]
    Trailing {
        /// The first extra token.
        found: String,
    },
    /// The board has too few or too many ranks.
    #[error("FEN: the board has {}, expected {expected}", counted(.found, "rank"))]
    Ranks {
        /// Ranks in the text.
        found: usize,
        /// Ranks of the board.
        expected: usize,
    },
    /// A rank has too few or too many squares.
    #[error("FEN: rank {rank} {} has {}, expected {expected}", quote(.row), counted(.found, "square"))]
    Squares {
        /// The rank, counted as on the board: the first one in the text is the highest.
        rank: usize,
        /// Its text.
        row: String,
        /// Squares in the text.
        found: usize,
        /// Squares in a rank of the board.
        expected: usize,
    },
    /// A letter that is not a piece.
    #[error("FEN: {letter:?} on rank {rank} is no piece, expected {expected}")]
    Piece {
        /// The letter.
        letter: char,
        /// The rank it stands on.
        rank: usize,
        /// The valid letters.
        expected: &'static str,
    },
    /// More pieces than a player can have.
    #[error("FEN: {}, expected at most {at_most}", counted(.found, .what))]
    TooMany {
        /// The kind of piece, or what else is counted, in the singular.
        what: &'static str,
        /// The number of pieces.
        found: usize,
        /// The greatest number allowed.
        at_most: usize,
    },
}

/// An error in a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    /// The text is not a move of this game.
    #[error("{} is no move: expected {expected}", quote(.text))]
    Syntax {
        /// The text.
        text: String,
        /// The form of a move.
        expected: &'static str,
    },
    /// The move is not legal in the position.
    #[error("{} is not legal: {reason}", quote(.text))]
    Illegal {
        /// The text.
        text: String,
        /// The rule it breaks.
        reason: String,
    },
}

/// Formats a token for an error message: in backquotes, with control characters escaped, and long ones cut
/// short.
pub fn quote(token: &str) -> String {
    const MAX_LENGTH: usize = 40;
    let mut text = escaped(token.chars().take(MAX_LENGTH));
    if token.chars().nth(MAX_LENGTH).is_some() {
        text.push('…');
    }
    format!("`{text}`")
}

/// Formats the name of a file for an error message, as [`quote`] does, but whole: cut short, it names no
/// file.
pub fn quote_path(path: impl AsRef<Path>) -> String {
    format!("`{}`", escaped(path.as_ref().to_string_lossy().chars()))
}

/// Text whose control characters are escaped, so that a terminal does not act on them.
pub fn escaped(letters: impl Iterator<Item = char>) -> String {
    let mut text = String::new();
    for letter in letters {
        match letter.is_control() {
            true => text.extend(letter.escape_debug()),
            false => text.push(letter),
        }
    }
    text
}

/// A number with its noun: `1 ply`, `2 plies`.
pub fn counted(number: impl fmt::Display, thing: &str) -> String {
    let number = number.to_string();
    if number == "1" {
        return format!("1 {thing}");
    }
    let is_vowel = |letter: char| "aeiou".contains(letter);
    match thing.strip_suffix('y').filter(|stem| !stem.ends_with(is_vowel)) {
        Some(stem) => format!("{number} {stem}ies"),
        None if thing.ends_with(['s', 'x']) || thing.ends_with("ch") => format!("{number} {thing}es"),
        None => format!("{number} {thing}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_cut_short_and_names_of_files_are_not() {
        let long = "/folder/".repeat(10) + "a\nb";
        assert_eq!(quote(&long), format!("`{}…`", &long[..40]));
        assert_eq!(quote_path(&long), format!("`{}`", long.replace('\n', "\\n")));
    }

    #[test]
    fn one_is_counted_in_the_singular() {
        for (number, thing, expected) in [
            (1, "rank", "1 rank"),
            (0, "game", "0 games"),
            (2, "quiet position", "2 quiet positions"),
            (3, "ply", "3 plies"),
            (2, "key", "2 keys"),
            (2, "loss", "2 losses"),
        ] {
            assert_eq!(counted(number, thing), expected);
        }
    }
}
