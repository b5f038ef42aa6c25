//! Positions and moves in text, as in Fairy-Stockfish:
//! `3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1` and `d1d7,d7g7`.

use super::super::fen::{self, Fields};
use super::super::{Color, FenError, Game, MoveError};
use super::board::{MAX_SIZE, reach};
use super::rules::{Amazons, AmazonsMove, MAX_AMAZONS, MAX_COUNT};

/// The letter of an amazon of White; Black's is the lower-case one.
const AMAZON: char = 'Q';

/// The letter of an arrow.
const ARROW: char = '*';

/// The boards with a start position, files × ranks; the first one is the default.
pub(super) const BOARDS: [&str; 12] =
    ["10x10", "8x8", "6x6", "5x5", "5x4", "4x5", "4x4", "6x4", "5x6", "4x6", "4x7", "6x5"];

/// The start positions of [`BOARDS`].
const STARTS: [&str; BOARDS.len()] = [
    "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w",
    "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w",
    "2q3/5q/6/6/Q5/3Q2 w",
    "1q1q1/q3q/5/Q3Q/1Q1Q1 w",
    "1q1q1/q3q/Q3Q/1Q1Q1 w",
    "1q2/3q/4/Q3/2Q1 w",
    "1qq1/q2q/Q2Q/1QQ1 w",
    "1q2q1/q4q/Q4Q/1Q2Q1 w",
    "1q1q1/q3q/5/5/Q3Q/1Q1Q1 w",
    "1qq1/q2q/4/4/Q2Q/1QQ1 w",
    "1qq1/q2q/4/4/4/Q2Q/1QQ1 w",
    "1q2q1/q4q/6/Q4Q/1Q2Q1 w",
];

/// The start position of `BOARDS[board]`; that of the first board if there is no such board.
pub(super) fn start(board: usize) -> Amazons {
    parse_fen(STARTS.get(board).unwrap_or(&STARTS[0])).expect("the start positions are valid")
}

/// Reads the board, the side to move, two fields that are always `-`, plies and the move number. The fields
/// after the side to move may be missing.
pub(super) fn parse_fen(text: &str) -> Result<Amazons, FenError> {
    let mut fields = Fields::new(text);
    let board = fields.required("board", "ranks of `Q`, `q`, `*` and numbers of empty squares")?;
    // Fairy-Stockfish writes pieces in hand in brackets behind the board.
    if let Some(at) = board.find('[') {
        let (field, found) = ("pieces in hand", board[at..].to_owned());
        return Err(FenError::Field {
            field,
            found,
            expected: "nothing, arrows are on the board".to_owned(),
        });
    }
    let size = measure(board)?;
    let (mut amazons, mut arrows) = ([0u128; 2], 0u128);
    fen::read_board(board, size.0, size.1, |file, rank, letter| {
        let square = 1 << (MAX_SIZE * rank + file);
        match letter {
            AMAZON => amazons[Color::White.index()] |= square,
            ARROW => arrows |= square,
            _ if letter == AMAZON.to_ascii_lowercase() => amazons[Color::Black.index()] |= square,
            _ => {
                let expected = "`Q`, `q`, `*` or a number";
                return Err(FenError::Piece { letter, rank: rank + 1, expected });
            }
        }
        Ok(())
    })?;
    for (amazons, what) in amazons.iter().zip(["white amazons", "black amazons"]) {
        fen::at_most(what, amazons.count_ones() as usize, MAX_AMAZONS as usize)?;
    }
    for (amazons, (field, letter)) in amazons.iter().zip([("a white amazon", 'Q'), ("a black amazon", 'q')]) {
        if *amazons == 0 {
            return Err(FenError::Missing { field, expected: format!("at least one `{letter}`") });
        }
    }
    let stm = fields.side()?;
    fields.dash("third field")?;
    fields.dash("fourth field")?;
    let plies = fields.counter("plies", 0..=MAX_COUNT, 0)?;
    let move_number = fields.move_number(MAX_COUNT)?;
    fields.end()?;
    Ok(Amazons::new(size, amazons, arrows, stm, plies, move_number))
}

/// The size of a board: the squares of its first rank, and its ranks.
fn measure(board: &str) -> Result<(usize, usize), FenError> {
    let ranks = board.split('/').count();
    let (mut files, mut run) = (0usize, 0usize);
    for letter in board.split('/').next().unwrap_or_default().chars() {
        match letter.to_digit(10) {
            Some(digit) => run = run.saturating_mul(10).saturating_add(digit as usize),
            None => files = files.saturating_add(std::mem::take(&mut run)).saturating_add(1),
        }
    }
    files = files.saturating_add(run);
    for (what, found) in [("files", files), ("ranks", ranks)] {
        fen::at_most(what, found, MAX_SIZE)?;
    }
    Ok((files, ranks))
}

/// The six fields.
pub(super) fn fen(position: &Amazons) -> String {
    let (files, ranks) = position.size();
    let board = fen::write_board(files, ranks, |file, rank| letter(position, file, rank));
    let side = position.side_to_move().letter();
    format!("{board} {side} - - {} {}", position.plies(), position.move_number())
}

/// The board in text.
pub(super) fn diagram(position: &Amazons) -> String {
    let (files, ranks) = position.size();
    fen::draw_board(files, ranks, |file, rank| letter(position, file, rank))
}

/// The letter of a square's content; none for an empty square.
fn letter(position: &Amazons, file: usize, rank: usize) -> Option<char> {
    let square = 1u128 << (MAX_SIZE * rank + file);
    if position.empty() & square != 0 {
        None
    } else if position.of(Color::White) & square != 0 {
        Some(AMAZON)
    } else if position.of(Color::Black) & square != 0 {
        Some(AMAZON.to_ascii_lowercase())
    } else {
        Some(ARROW)
    }
}

/// A move in text: start and target of the amazon, a comma, start and target of the arrow.
pub(super) fn move_text(mv: AmazonsMove) -> String {
    let [from, to, arrow] = [mv.from, mv.to, mv.arrow].map(square_text);
    format!("{from}{to},{to}{arrow}")
}

/// Reads a legal move. The error for an illegal one names the rule that it breaks.
pub(super) fn parse_move(position: &Amazons, text: &str) -> Result<AmazonsMove, MoveError> {
    let syntax = |expected| MoveError::Syntax { text: text.to_owned(), expected };
    const EXPECTED: &str = "the moves of the amazon and of its arrow, as in `d1d7,d7g7`";
    let Some((amazon, arrow)) = text.split_once(',') else {
        let expected = match square_pair(text) {
            Some(_) => "a comma and the move of the arrow after it, as in `d1d7,d7g7`",
            None => EXPECTED,
        };
        return Err(syntax(expected));
    };
    let ((from, to), (stand, arrow)) =
        square_pair(amazon).zip(square_pair(arrow)).ok_or_else(|| syntax(EXPECTED))?;

    let illegal = |reason: String| Err(MoveError::Illegal { text: text.to_owned(), reason });
    let (files, ranks) = position.size();
    for square in [from, to, stand, arrow] {
        if usize::from(square) % MAX_SIZE >= files || usize::from(square) / MAX_SIZE >= ranks {
            let square = square_text(square);
            return illegal(format!("{square} is not on the board of {files} files and {ranks} ranks"));
        }
    }
    let stm = position.side_to_move();
    if position.of(stm) & 1 << from == 0 {
        return illegal(format!("{stm}, to move, has no amazon on {}", square_text(from)));
    }
    if stand != to {
        let [stand, to] = [stand, to].map(square_text);
        return illegal(format!("the arrow has to start from {to}, where the amazon goes, not from {stand}"));
    }
    if let Some(reason) = obstacle("the amazon", from, to, position.empty()) {
        return illegal(reason);
    }
    if let Some(reason) = obstacle("the arrow", to, arrow, position.empty() | 1 << from) {
        return illegal(reason);
    }
    Ok(AmazonsMove { from, to, arrow })
}

/// Why `what` cannot go from a square to another one, if it cannot.
fn obstacle(what: &str, from: u8, to: u8, empty: u128) -> Option<String> {
    if reach(from, empty) & 1 << to != 0 {
        return None;
    }
    let [start, end] = [from, to].map(square_text);
    if reach(from, u128::MAX) & 1 << to == 0 {
        return Some(format!("{what} has to go in a straight line, {start} to {end} is none"));
    }
    // Find the obstacle that blocks the line on an otherwise empty board.
    let in_the_way = |square: &u8| {
        empty & 1 << square == 0 && (*square == to || reach(from, !(1 << square)) & 1 << to == 0)
    };
    let square = (0..(MAX_SIZE * MAX_SIZE) as u8).find(in_the_way).unwrap_or(to);
    Some(format!("{what} cannot go from {start} to {end}, {} is not empty", square_text(square)))
}

/// Reads two squares, one after the other.
fn square_pair(text: &str) -> Option<(u8, u8)> {
    let (from, rest) = read_square(text)?;
    let (to, rest) = read_square(rest)?;
    rest.is_empty().then_some((from, to))
}

/// The square at the beginning of a text, and the rest.
fn read_square(text: &str) -> Option<(u8, &str)> {
    let file = text.bytes().next()?.checked_sub(b'a').filter(|file| usize::from(*file) < MAX_SIZE)?;
    let digits = text[1..].bytes().take_while(u8::is_ascii_digit).count();
    let (rank, rest) = text[1..].split_at(digits);
    let rank: u8 = rank.parse().ok().filter(|rank| (1..=MAX_SIZE as u8).contains(rank))?;
    // A rank has no leading zeros.
    (!text[1..].starts_with('0')).then_some((MAX_SIZE as u8 * (rank - 1) + file, rest))
}

fn square_text(square: u8) -> String {
    fen::square_name(usize::from(square) % MAX_SIZE, usize::from(square) / MAX_SIZE)
}
