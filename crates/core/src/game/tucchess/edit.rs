//! Changes to a position that are not moves. A client needs them to follow a server that deviates from the
//! rules.

use super::super::{Color, Game};
use super::board::ALL;
use super::rules::{MAX_POINTS, NO_SQUARE, POINT, TucChess, TucMove};

impl TucChess {
    /// The points of White and of Black.
    pub fn score(&self) -> [f64; 2] {
        Color::BOTH.map(|player| f64::from(self.points(player)) / f64::from(POINT))
    }

    /// Replaces the points of White and of Black, rounded to tenths, at most 999.9.
    pub fn set_score(&mut self, points: [f64; 2]) {
        let tenths =
            |points: f64| (points * f64::from(POINT)).round().clamp(0.0, f64::from(MAX_POINTS)) as u16;
        self.set_points(points.map(tenths));
    }

    /// Puts a prize on a square; a1 is 0, b1 is 1, a2 is 5. Returns `false` if a piece stands there or if
    /// there is no such square.
    pub fn place_prize(&mut self, square: u8) -> bool {
        let Some(bit) = bit(square).filter(|bit| self.occupied() & bit == 0) else { return false };
        if self.prizes() & bit == 0 {
            self.toggle_prize(square);
        }
        true
    }

    /// Moves a piece from one square to another even if the rules forbid it. A piece on the second square is
    /// removed, a pawn leaves the board on its last rank, and the turn passes to the opponent. The points
    /// stay. Returns `false` if no piece of the side to move stands on the first square; then only the turn
    /// changes.
    pub fn force(&mut self, from: u8, to: u8) -> bool {
        let (stm, score) = (self.side_to_move(), self.score());
        let own = |square| bit(square).and_then(|bit| self.kind_on(stm, bit));
        let is_move = bit(to).is_some() && own(from).is_some();
        if is_move && let Some(captured) = own(to).filter(|_| from != to) {
            self.toggle(stm, captured, to);
        }
        // A square beyond the board has no piece, so such a move only changes the turn.
        let mv = if is_move { TucMove::new(from, to) } else { TucMove::new(NO_SQUARE, NO_SQUARE) };
        self.play(mv);
        self.set_score(score);
        is_move
    }
}

/// A square of the board as a bit.
fn bit(square: u8) -> Option<u64> {
    1u64.checked_shl(square.into()).filter(|bit| bit & ALL != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of a square.
    fn square(name: &str) -> u8 {
        let [file, rank] = name.as_bytes() else { panic!("{name}") };
        5 * (rank - b'1') + (file - b'a')
    }

    fn forced(fen: &str, mv: &str) -> (bool, String) {
        let mut position = TucChess::from_fen(fen).unwrap();
        let moved = position.force(square(&mv[..2]), square(&mv[2..]));
        assert_eq!(TucChess::from_fen(&position.fen()), Ok(position), "a position of the game");
        assert_eq!(position.key(), position.key_from_scratch());
        (moved, position.fen())
    }

    #[test]
    fn any_move_can_be_made() {
        let fen = "2k2/5/5/5/5/p4/2K1* b 1 2 7";
        for (mv, moved, after, why) in [
            ("a2e1", true, "2k2/5/5/5/5/5/2K2 w 1 2 8", "off the board, prize taken"),
            ("a2c1", true, "2k2/5/5/5/5/5/4* w 1 2 8", "the king is captured"),
            ("c7c4", true, "5/5/5/2k2/5/p4/2K1* w 1 2 8", "too far"),
            ("c7a2", true, "5/5/5/5/5/k4/2K1* w 1 2 8", "onto a piece of its own"),
            ("c7c7", true, "2k2/5/5/5/5/p4/2K1* w 1 2 8", "nowhere else"),
            ("c1c2", false, "2k2/5/5/5/5/p4/2K1* w 1 2 8", "not Black's"),
            ("e1e2", false, "2k2/5/5/5/5/p4/2K1* w 1 2 8", "no piece"),
        ] {
            assert_eq!(forced(fen, mv), (moved, after.to_owned()), "{why}");
        }
    }

    #[test]
    fn invalid_squares_do_not_panic() {
        let position = TucChess::start();
        for square in [35, 63, 64, 255] {
            let mut edited = position;
            assert!(!edited.place_prize(square) && edited == position);
            assert!(!edited.force(square, 0) && !edited.force(30, square));
            assert_eq!(edited.fen(), position.fen().replace("0 0 1", "0 0 2"));
        }
    }

    #[test]
    fn prizes_stand_where_no_piece_does() {
        let mut position = TucChess::from_fen("2k2/5/5/5/5/p4/2K1* b 1 2 7").unwrap();
        assert!(position.place_prize(square("e1")) && position.place_prize(square("a1")));
        assert!(!position.place_prize(square("c1")));
        assert_eq!(position.fen(), "2k2/5/5/5/5/p4/*1K1* b 1 2 7");
        assert_eq!(position.key(), position.key_from_scratch());
    }

    #[test]
    fn points_are_counted_in_tenths() {
        let mut position = TucChess::start();
        for (points, score) in
            [([1.0, 0.9], [1.0, 0.9]), ([0.04, 5000.0], [0.0, 999.9]), ([-3.0, f64::NAN], [0.0, 0.0])]
        {
            position.set_score(points);
            assert_eq!(position.score(), score);
        }
    }
}
