//! Positions and moves in text, as in Fairy-Stockfish:
//! `3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1` and `d1d7,d7g7`.

use super::super::fen::{self, Fields, MAX_COUNT};
use super::super::{Color, FenError, Game, MoveError};
use super::board::{MAX_SIZE, reach};
use super::rules::{Amazons, AmazonsMove, MAX_AMAZONS};

/// The letter of an amazon of White; Black's is the lower-case one.
const AMAZON: char = 'Q';

/// The letter of an arrow.
const ARROW: char = '*';

/// The fewest files and ranks of a board with a start position: with two ranks, the players would touch.
const MIN_SIZE: usize = 3;

/// The boards with a start position, files × ranks: all from [`MIN_SIZE`] to [`MAX_SIZE`]. The default is
/// first, and those of matches and proofs come next, for lists that are cut.
pub(super) const BOARDS: [&str; (MAX_SIZE - MIN_SIZE + 1).pow(2)] = [
    "10x10", "8x8", "6x6", "5x5", "5x4", "4x5", "4x4", "6x4", "5x6", "4x6", "4x7", "6x5", "3x3", "3x4",
    "3x5", "3x6", "3x7", "3x8", "3x9", "3x10", "3x11", "4x3", "4x8", "4x9", "4x10", "4x11", "5x3", "5x7",
    "5x8", "5x9", "5x10", "5x11", "6x3", "6x7", "6x8", "6x9", "6x10", "6x11", "7x3", "7x4", "7x5", "7x6",
    "7x7", "7x8", "7x9", "7x10", "7x11", "8x3", "8x4", "8x5", "8x6", "8x7", "8x9", "8x10", "8x11", "9x3",
    "9x4", "9x5", "9x6", "9x7", "9x8", "9x9", "9x10", "9x11", "10x3", "10x4", "10x5", "10x6", "10x7", "10x8",
    "10x9", "10x11", "11x3", "11x4", "11x5", "11x6", "11x7", "11x8", "11x9", "11x10", "11x11",
];

/// What [`BOARDS`] are, in words.
pub(super) const BOARDS_DESCRIPTION: &str = "a board from 3x3 to 11x11, files x ranks";

/// The start positions that are older than [`start_by_rule`] and differ from it.
const OTHER_STARTS: [(&str, &str); 3] =
    [("6x6", "2q3/5q/6/6/Q5/3Q2 w"), ("4x5", "1q2/3q/4/Q3/2Q1 w"), ("4x7", "1qq1/q2q/4/4/4/Q2Q/1QQ1 w")];

/// The start position of `BOARDS[board]`; that of the first board if there is no such board.
pub(super) fn start(board: usize) -> Amazons {
    let name = BOARDS.get(board).unwrap_or(&BOARDS[0]);
    let other = OTHER_STARTS.iter().find(|(board, _)| board == name);
    let start = match other {
        Some((_, fen)) => parse_fen(fen).ok(),
        None => size(name).map(start_by_rule),
    };
    start.expect("the boards and start positions are valid")
}

/// Files and ranks of a board by its name.
fn size(name: &str) -> Option<(usize, usize)> {
    let (files, ranks) = name.split_once('x')?;
    files.parse().ok().zip(ranks.parse().ok())
}

/// The start position by the rule, as on 10×10, 8×8 and most boards: White has two amazons on the first rank,
/// ⌊(files − 1) / 3⌋ squares in from either edge, and two on the first and the last file, ⌊(ranks − 1) / 3⌋
/// squares above the first rank. A board with a side of three squares has only those on the first rank: there
/// the others stand on the same squares or leave no room. Black's amazons are the mirror image from the last
/// rank down.
fn start_by_rule((files, ranks): (usize, usize)) -> Amazons {
    let (inwards, upwards) = ((files - 1) / 3, (ranks - 1) / 3);
    let first_rank = [(inwards, 0), (files - 1 - inwards, 0)];
    let edge_files = [(0, upwards), (files - 1, upwards)];
    let is_small = files.min(ranks) == MIN_SIZE;
    let mut amazons = [0; 2];
    for (file, rank) in first_rank.into_iter().chain(edge_files.into_iter().filter(|_| !is_small)) {
        amazons[Color::White.index()] |= 1 << (MAX_SIZE * rank + file);
        amazons[Color::Black.index()] |= 1 << (MAX_SIZE * (ranks - 1 - rank) + file);
    }
    Amazons::new((files, ranks), amazons, 0, Color::White, 0, 1)
}

/// Reads the board, the side to move, two fields that are always `-`, plies and the move number. The fields
/// after the side to move may be missing.
pub(super) fn parse_fen(text: &str) -> Result<Amazons, FenError> {
    let mut fields = Fields::new(text);
    let board = fields.required("board", "ranks of `Q`, `q`, `*` and numbers of empty squares")?;
    // Fairy-Stockfish writes pieces in hand in brackets after the board.
    if let Some(at) = board.find('[') {
        let (field, found) = ("pieces in hand", board[at..].to_owned());
        return Err(FenError::Field {
            field,
            found,
            expected: "nothing, arrows are on the board".to_owned(),
        });
    }
    let board = board.strip_suffix('/').unwrap_or(board);
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
    for (amazons, what) in amazons.iter().zip(["white amazon", "black amazon"]) {
        fen::at_most(what, amazons.count_ones() as usize, MAX_AMAZONS as usize)?;
    }
    for (amazons, (field, letter)) in amazons.iter().zip([("white amazon", 'Q'), ("black amazon", 'q')]) {
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
    let squares = |rank: &str, tens: usize| {
        let (mut files, mut run) = (0usize, 0usize);
        for letter in rank.chars() {
            match letter.to_digit(10) {
                Some(digit) => run = run.saturating_mul(tens).saturating_add(digit as usize),
                None => files = files.saturating_add(std::mem::take(&mut run)).saturating_add(1),
            }
        }
        files.saturating_add(run)
    };
    let first = board.split('/').next().unwrap_or_default();
    let is_alike = |tens| board.split('/').all(|rank| squares(rank, tens) == squares(first, tens));
    // On boards of fewer than ten files digits add up. They do if they cannot be numbers of two digits.
    let adds_up = squares(first, 10) > MAX_SIZE && squares(first, 1) < 10 && is_alike(1) && !is_alike(10);
    let files = squares(first, if adds_up { 1 } else { 10 });
    for (what, found) in [("file", files), ("rank", ranks)] {
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
