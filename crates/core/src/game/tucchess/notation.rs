//! Positions and moves in text: `prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 1` and `a3a4=1+c5`.

use super::super::fen::{self, Fields, MAX_COUNT};
use super::super::{Color, FenError, Game, MoveError};
use super::board::{FILES, Kind, RANKS, last_rank};
use super::rules::{MAX_POINTS, POINT, PrizeValue, TucChess, TucMove};

/// The pieces with White's letters and the most of each that a player can have.
const PIECES: [(Kind, char, u32); 3] = [(Kind::Pawn, 'P', 7), (Kind::Rook, 'R', 2), (Kind::King, 'K', 1)];

/// The letter of a prize.
const PRIZE: char = '*';

/// Reads a FEN. The points of White and of Black and the move number may be missing.
pub(super) fn parse_fen(text: &str) -> Result<TucChess, FenError> {
    let mut fields = Fields::new(text);
    let (mut pieces, mut prizes) = ([[0u64; 3]; 2], 0u64);
    let board = fields.required("board", "seven ranks of `PRKprk`, `*` for prizes and numbers")?;
    fen::read_board(board, FILES, RANKS, |file, rank, letter| {
        let square = 1u64 << (FILES * rank + file);
        if letter == PRIZE {
            prizes |= square;
            return Ok(());
        }
        let expected = "`P`, `R`, `K`, `p`, `r`, `k`, `*` or a number";
        let player = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let kind = PIECES.iter().find(|(_, upper, _)| *upper == letter.to_ascii_uppercase());
        let Some((kind, ..)) = kind else {
            return Err(FenError::Piece { letter, rank: rank + 1, expected });
        };
        if *kind == Kind::Pawn && square & last_rank(player) != 0 {
            let expected = "no pawn there, it would have left the board";
            return Err(FenError::Piece { letter, rank: rank + 1, expected });
        }
        pieces[player.index()][*kind as usize] |= square;
        Ok(())
    })?;
    let names = [["white pawn", "white rook", "white king"], ["black pawn", "black rook", "black king"]];
    for (pieces, names) in pieces.iter().zip(names) {
        for ((board, what), (_, _, at_most)) in pieces.iter().zip(names).zip(PIECES) {
            fen::at_most(what, board.count_ones() as usize, at_most as usize)?;
        }
    }
    let stm = fields.side()?;
    let most = f64::from(MAX_POINTS) / f64::from(POINT);
    let mut points = |field| {
        let points = fields.counter(field, 0.0..=most, 0.0)?;
        Ok((points * f64::from(POINT)).round() as u16)
    };
    let points = [points("points of White")?, points("points of Black")?];
    let move_number = fields.move_number(MAX_COUNT)?;
    fields.end()?;
    Ok(TucChess::new(pieces, prizes, points, stm, move_number))
}

/// The five fields. Points have a decimal after a prize was counted by its mean.
pub(super) fn fen(position: &TucChess) -> String {
    let board = fen::write_board(FILES, RANKS, |file, rank| letter(position, file, rank));
    let side = position.side_to_move().letter();
    let [white, black] = Color::BOTH.map(|player| f64::from(position.points(player)) / f64::from(POINT));
    format!("{board} {side} {white} {black} {}", position.move_number())
}

/// The board in text.
pub(super) fn diagram(position: &TucChess) -> String {
    fen::draw_board(FILES, RANKS, |file, rank| letter(position, file, rank))
}

/// The letter of a square's content; none for an empty square.
fn letter(position: &TucChess, file: usize, rank: usize) -> Option<char> {
    let square = 1 << (FILES * rank + file);
    let piece = Color::BOTH.into_iter().find_map(|player| Some((player, position.kind_on(player, square)?)));
    match piece {
        Some((player, kind)) => {
            let letter = PIECES[kind as usize].1;
            Some(if player == Color::White { letter } else { letter.to_ascii_lowercase() })
        }
        None => (position.prizes() & square != 0).then_some(PRIZE),
    }
}

/// A move in text: start, target, and the chance outcome if it has one.
pub(super) fn move_text(mv: TucMove) -> String {
    let mut text = square_text(mv.from) + &square_text(mv.to);
    match mv.prize_value {
        PrizeValue::Mean => {}
        PrizeValue::Nothing => text += "=0",
        PrizeValue::Point => text += "=1",
    }
    if let Some(square) = mv.appears {
        text += "+";
        text += &square_text(square);
    }
    text
}

/// Reads a legal move. The error for an illegal one names the rule that it breaks.
pub(super) fn parse_move(position: &TucChess, text: &str) -> Result<TucMove, MoveError> {
    const EXPECTED: &str =
        "two squares, as in `a3a4`, then `=0` or `=1` for a prize taken and `+c5` for a new one";
    let mv =
        read_move(text).ok_or_else(|| MoveError::Syntax { text: text.to_owned(), expected: EXPECTED })?;
    let illegal = |reason: String| Err(MoveError::Illegal { text: text.to_owned(), reason });
    let stm = position.side_to_move();
    let (from, to) = (square_text(mv.from), square_text(mv.to));
    if let Some(ending) = position.finished() {
        return illegal(format!("the game is over: {ending}"));
    }
    let Some(kind) = position.kind_on(stm, 1 << mv.from) else {
        return illegal(format!("{stm}, to move, has no piece on {from}"));
    };
    if position.of(stm) & 1 << mv.to != 0 {
        return illegal(format!("{stm} has a piece of its own on {to}"));
    }
    if position.targets(stm, kind, 1 << mv.from) & 1 << mv.to == 0 {
        return illegal(match kind {
            Kind::Pawn => format!(
                "the pawn on {from} steps forward to a square without a piece, \
                 and captures diagonally forward"
            ),
            Kind::Rook => format!(
                "the rook on {from} goes up to three squares in a straight line, \
                 no further than the first piece or prize"
            ),
            Kind::King => format!("the king on {from} goes one square, not diagonally"),
        });
    }
    if mv.prize_value != PrizeValue::Mean && position.prizes() & 1 << mv.to == 0 {
        return illegal(format!("there is no prize on {to}"));
    }
    if let Some(square) = mv.appears {
        let mut child = *position;
        child.play(TucMove { appears: None, ..mv });
        if child.free() & 1 << square == 0 {
            return illegal(format!("a new prize cannot appear on {}", square_text(square)));
        }
    }
    Ok(mv)
}

/// Splits the text of a move into start, target and chance outcome.
fn read_move(text: &str) -> Option<TucMove> {
    let (text, appears) = match text.split_once('+') {
        None => (text, None),
        Some((text, square)) => (text, Some(read_square(square)?)),
    };
    let (squares, prize_value) = match text.split_once('=') {
        None => (text, PrizeValue::Mean),
        Some((squares, "0")) => (squares, PrizeValue::Nothing),
        Some((squares, "1")) => (squares, PrizeValue::Point),
        Some(_) => return None,
    };
    let (from, to) = squares.split_at_checked(2)?;
    Some(TucMove { from: read_square(from)?, to: read_square(to)?, prize_value, appears })
}

fn read_square(text: &str) -> Option<u8> {
    let [file, rank] = text.as_bytes() else { return None };
    let inside = (b'a'..=b'e').contains(file) && (b'1'..=b'7').contains(rank);
    inside.then(|| (rank - b'1') * FILES as u8 + (file - b'a'))
}

fn square_text(square: u8) -> String {
    fen::square_name(usize::from(square) % FILES, usize::from(square) / FILES)
}
