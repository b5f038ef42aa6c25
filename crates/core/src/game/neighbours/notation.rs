//! Positions and moves in text: `pppppppp/8/8/8/8/8/8/PPPPPPPP w 0 1` and `e1e3`.

use super::super::fen::{self, Fields, MAX_COUNT};
use super::super::{Color, FenError, Game, MoveError};
use super::attacks;
use super::rules::{Neighbours, NeighboursMove, PIECES};

/// Files and ranks of the board.
const SIZE: usize = 8;

/// Reads a FEN. Halfmove clock and move number may be missing.
pub(super) fn parse_fen(text: &str) -> Result<Neighbours, FenError> {
    let mut fields = Fields::new(text);
    let mut pieces = [0u64; 2];
    let board = fields.required("board", "eight ranks of `P`, `p` and numbers of empty squares")?;
    fen::read_board(board, SIZE, SIZE, |file, rank, letter| {
        let player = match letter {
            'P' => Color::White,
            'p' => Color::Black,
            _ => return Err(FenError::Piece { letter, rank: rank + 1, expected: "`P`, `p` or a number" }),
        };
        pieces[player.index()] |= 1 << (SIZE * rank + file);
        Ok(())
    })?;
    for (player, what) in [(Color::White, "white piece"), (Color::Black, "black piece")] {
        fen::at_most(what, pieces[player.index()].count_ones() as usize, PIECES as usize)?;
    }
    let stm = fields.side()?;
    let halfmove_clock = fields.counter("halfmove clock", 0..=MAX_COUNT, 0)?;
    let move_number = fields.move_number(MAX_COUNT)?;
    fields.end()?;
    Ok(Neighbours::new(pieces, stm, halfmove_clock, move_number))
}

/// The four fields.
pub(super) fn fen(position: &Neighbours) -> String {
    let board = fen::write_board(SIZE, SIZE, |file, rank| letter(position, file, rank));
    let side = position.side_to_move().letter();
    format!("{board} {side} {} {}", Game::halfmove_clock(position), position.move_number())
}

/// The board in text.
pub(super) fn diagram(position: &Neighbours) -> String {
    fen::draw_board(SIZE, SIZE, |file, rank| letter(position, file, rank))
}

/// The letter of the piece on a square; none for an empty square.
fn letter(position: &Neighbours, file: usize, rank: usize) -> Option<char> {
    let square = 1 << (SIZE * rank + file);
    if position.of(Color::White) & square != 0 {
        Some('P')
    } else if position.of(Color::Black) & square != 0 {
        Some('p')
    } else {
        None
    }
}

/// A move in text: start and target.
pub(super) fn move_text(mv: NeighboursMove) -> String {
    square_text(mv.from) + &square_text(mv.to)
}

/// Reads a legal move. The error for an illegal one names the rule that it breaks.
pub(super) fn parse_move(position: &Neighbours, text: &str) -> Result<NeighboursMove, MoveError> {
    let mv = read_move(text)
        .ok_or_else(|| MoveError::Syntax { text: text.to_owned(), expected: "two squares, as in `e1e3`" })?;
    let illegal = |reason: String| Err(MoveError::Illegal { text: text.to_owned(), reason });
    let stm = position.side_to_move();
    let own = position.of(stm);
    let (from, to) = (square_text(mv.from), square_text(mv.to));
    if own & 1 << mv.from == 0 {
        return illegal(format!("{stm}, to move, has no piece on {from}"));
    }
    if own & 1 << mv.to != 0 {
        return illegal(format!("{stm} has a piece of its own on {to}"));
    }
    let occupied = position.occupied();
    if attacks::targets(u32::from(mv.from), occupied) & 1 << mv.to == 0 {
        let distance = attacks::distance(u32::from(mv.from), occupied);
        return illegal(match distance {
            0 => format!("the piece on {from} has no neighbour and cannot move"),
            _ => format!(
                "the piece on {from} must move exactly {distance} in a straight line over empty squares"
            ),
        });
    }
    Ok(mv)
}

/// Reads two squares, one after the other.
fn read_move(text: &str) -> Option<NeighboursMove> {
    let [from_file, from_rank, to_file, to_rank] = text.as_bytes() else { return None };
    let square = |file: &u8, rank: &u8| {
        let inside = (b'a'..=b'h').contains(file) && (b'1'..=b'8').contains(rank);
        inside.then(|| (rank - b'1') * SIZE as u8 + (file - b'a'))
    };
    Some(NeighboursMove { from: square(from_file, from_rank)?, to: square(to_file, to_rank)? })
}

fn square_text(square: u8) -> String {
    fen::square_name(usize::from(square) % SIZE, usize::from(square) / SIZE)
}
