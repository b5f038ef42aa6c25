//! A FEN taken apart, to change in it what the rules would not.

use super::message::{COLUMNS, ROWS, Square, Step};
use crate::game::fen::{Fields, read_board, write_board};
use crate::game::{Color, FenError};

/// The mark of a prize.
const PRIZE: char = '*';

/// The fields of a FEN. Nothing here knows the rules.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Position {
    /// What stands on each square, by row and column.
    squares: [[Option<char>; COLUMNS as usize]; ROWS as usize],
    next: Color,
    /// Points of White and of Black.
    pub(super) points: [f64; 2],
    move_number: u32,
}

impl Position {
    /// Reads a FEN of the game.
    pub(super) fn parse(fen: &str) -> Result<Position, FenError> {
        let mut fields = Fields::new(fen);
        let mut squares = [[None; COLUMNS as usize]; ROWS as usize];
        let board = fields.required("board", "seven ranks")?;
        read_board(board, usize::from(COLUMNS), usize::from(ROWS), |file, rank, letter| {
            squares[usize::from(ROWS) - 1 - rank][file] = Some(letter);
            Ok(())
        })?;
        let next = fields.side()?;
        let mut points = |field| fields.counter(field, 0.0..=f64::MAX, 0.0);
        let points = [points("points of White")?, points("points of Black")?];
        let move_number = fields.counter("move number", 1..=u32::MAX, 1)?;
        fields.end()?;
        Ok(Position { squares, next, points, move_number })
    }

    /// The fields together again.
    pub(super) fn fen(&self) -> String {
        let board = write_board(usize::from(COLUMNS), usize::from(ROWS), |file, rank| {
            self.squares[usize::from(ROWS) - 1 - rank][file]
        });
        let [white, black] = self.points;
        format!("{board} {} {white} {black} {}", self.next.letter(), self.move_number)
    }

    fn at(&mut self, square: Square) -> &mut Option<char> {
        &mut self.squares[square.row()][square.column()]
    }

    /// Makes a move whatever the rules say of it: what stands on its way's end is gone, a pawn on its last
    /// row, too, and the other player is next. Points stay. Without a piece of the side to move to move, no
    /// piece does, and the answer is false.
    pub(super) fn force(&mut self, step: Step) -> bool {
        let stm = self.next;
        let is_own = |letter: &char| {
            letter.is_ascii_alphabetic() && letter.is_ascii_uppercase() == (stm == Color::White)
        };
        let piece = self.at(step.from).filter(is_own);
        if let Some(letter) = piece {
            *self.at(step.from) = None;
            let last_row = if stm == Color::White { 0 } else { usize::from(ROWS) - 1 };
            let leaves = letter.eq_ignore_ascii_case(&'p') && step.to.row() == last_row;
            *self.at(step.to) = (!leaves).then_some(letter);
        }
        if stm == Color::Black {
            self.move_number = self.move_number.saturating_add(1);
        }
        self.next = !stm;
        piece.is_some()
    }

    /// Puts a prize on a square; false where a piece stands.
    pub(super) fn place_prize(&mut self, square: Square) -> bool {
        let place = self.at(square);
        match place {
            None | Some(PRIZE) => {
                *place = Some(PRIZE);
                true
            }
            Some(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::tucchess::TucChess;

    fn forced(fen: &str, mv: &str) -> (bool, String) {
        let mut position = Position::parse(fen).unwrap();
        let moved = position.force(Step::from_name(mv).unwrap());
        // Whatever was done, it is a position of the game.
        assert_eq!(TucChess::from_fen(&position.fen()).unwrap().fen(), position.fen());
        (moved, position.fen())
    }

    #[test]
    fn fens_come_back() {
        for fen in
            ["prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 1", "pr2p/1*k1p/p2**/K1p1*/P2pP/rR3/P3P b 1 6.9 20"]
        {
            assert_eq!(Position::parse(fen).unwrap().fen(), fen);
        }
        assert!(Position::parse("prkrp w 0 0 1").is_err());
    }

    #[test]
    fn any_move_can_be_made() {
        let fen = "2k2/5/5/5/5/p4/2K1* b 1 2 7";
        assert_eq!(
            forced(fen, "a2e1"),
            (true, "2k2/5/5/5/5/5/2K2 w 1 2 8".into()),
            "off the board, prize taken"
        );
        assert_eq!(forced(fen, "a2c1"), (true, "2k2/5/5/5/5/5/4* w 1 2 8".into()), "the king is captured");
        assert_eq!(forced(fen, "c7c4"), (true, "5/5/5/2k2/5/p4/2K1* w 1 2 8".into()), "too far");
        assert_eq!(forced(fen, "c1c2"), (false, "2k2/5/5/5/5/p4/2K1* w 1 2 8".into()), "not Black's");
        assert_eq!(forced(fen, "e1e2"), (false, "2k2/5/5/5/5/p4/2K1* w 1 2 8".into()), "no piece");
    }

    #[test]
    fn prizes_stand_where_no_piece_does() {
        let mut position = Position::parse("2k2/5/5/5/5/p4/2K1* b 1 2 7").unwrap();
        assert!(position.place_prize(Square::from_name("e1").unwrap()));
        assert!(position.place_prize(Square::from_name("a1").unwrap()));
        assert!(!position.place_prize(Square::from_name("c1").unwrap()));
        assert_eq!(position.fen(), "2k2/5/5/5/5/p4/*1K1* b 1 2 7");
    }
}
