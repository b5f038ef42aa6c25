//! Errors in the text of positions and moves.

use thiserror::Error;

/// A FEN that is no position of the game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FenError {
    /// A field that cannot be left out is not there.
    #[error("FEN: {field} is missing, expected {expected}")]
    Missing {
        /// Name of the field.
        field: &'static str,
        /// What should stand there.
        expected: String,
    },
    /// A field does not read as what it should be.
    #[error("FEN: {field} {}: expected {expected}", quote(.found))]
    Field {
        /// Name of the field.
        field: &'static str,
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: String,
    },
    /// Text after the last field.
    #[error("FEN: {} after the last field", quote(.found))]
    Trailing {
        /// The first token too many.
        found: String,
    },
    /// The board has too few or too many ranks.
    #[error("FEN: the board has {found} ranks, expected {expected}")]
    Ranks {
        /// Ranks in the text.
        found: usize,
        /// Ranks of the board.
        expected: usize,
    },
    /// A rank has too few or too many squares.
    #[error("FEN: rank {rank} {} has {found} squares, expected {expected}", quote(.row))]
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
    /// A letter that stands for no piece.
    #[error("FEN: {letter:?} on rank {rank} is no piece, expected {expected}")]
    Piece {
        /// The letter.
        letter: char,
        /// The rank it stands on.
        rank: usize,
        /// The letters that there are.
        expected: &'static str,
    },
    /// More pieces than a player can have.
    #[error("FEN: {found} {what}, expected at most {at_most}")]
    TooMany {
        /// The kind of piece.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        at_most: usize,
    },
}

/// A text that is no legal move of a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    /// The text does not read as a move of this game.
    #[error("{} is no move: expected {expected}", quote(.text))]
    Syntax {
        /// The text.
        text: String,
        /// What a move looks like.
        expected: &'static str,
    },
    /// The move is well written, but the rules do not allow it.
    #[error("{} is not legal: {reason}", quote(.text))]
    Illegal {
        /// The text.
        text: String,
        /// The rule it breaks.
        reason: String,
    },
}

/// A token for an error message: in backquotes, control characters escaped, long ones cut short.
pub fn quote(token: &str) -> String {
    const LONGEST: usize = 40;
    let mut text = String::new();
    for letter in token.chars().take(LONGEST) {
        match letter.is_control() {
            true => text.extend(letter.escape_debug()),
            false => text.push(letter),
        }
    }
    if token.chars().nth(LONGEST).is_some() {
        text.push('…');
    }
    format!("`{text}`")
}
