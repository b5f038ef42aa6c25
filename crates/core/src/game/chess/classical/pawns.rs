//! Pawn structure. The board is turned so that the own pawns move up.

use cozy_chess::{Board, Color as Side, Piece};

use super::terms;

/// The a-file.
pub(super) const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
const RANK_1: u64 = 0xFF;

/// The squares of a board and all squares above them.
pub(super) const fn fill_up(board: u64) -> u64 {
    let filled = board | board << 8;
    let filled = filled | filled << 16;
    filled | filled << 32
}

/// The squares of a board and all squares below them.
pub(super) const fn fill_down(board: u64) -> u64 {
    let filled = board | board >> 8;
    let filled = filled | filled >> 16;
    filled | filled >> 32
}

/// All squares of the files on which a board has a square.
pub(super) const fn files(board: u64) -> u64 {
    fill_up(fill_down(board))
}

/// Turns a board so that the pawns of `side` move up, or turns it back.
pub(super) fn turned(board: u64, side: Side) -> u64 {
    match side {
        Side::White => board,
        Side::Black => board.swap_bytes(),
    }
}

/// The squares to the right of those of a board, and those to the left.
const fn sides(board: u64) -> [u64; 2] {
    [(board & !FILE_H) << 1, (board & !FILE_A) >> 1]
}

/// The squares to the left and right of those of a board.
pub(super) const fn beside(board: u64) -> u64 {
    let [right, left] = sides(board);
    right | left
}

/// The pawns of both players; own pawns move up.
pub(super) struct Pawns {
    pub(super) own: u64,
    pub(super) enemies: u64,
}

impl Pawns {
    /// The pawns of a position, turned for `side`.
    pub(super) fn new(board: &Board, side: Side) -> Pawns {
        let pawns = |of| turned(board.colored_pieces(of, Piece::Pawn).0, side);
        Pawns { own: pawns(side), enemies: pawns(!side) }
    }

    /// The squares that own pawns attack.
    pub(super) const fn attacks(&self) -> u64 {
        beside(self.own << 8)
    }

    /// The squares that two own pawns attack.
    pub(super) const fn double_attacks(&self) -> u64 {
        let [right, left] = sides(self.own << 8);
        right & left
    }

    /// The squares that own pawns can move to, one or two ranks ahead.
    pub(super) const fn pushed(&self, empty: u64) -> u64 {
        let single = self.own << 8 & empty;
        single | (single & RANK_1 << 16) << 8 & empty
    }

    /// Own pawns with an enemy pawn on the next square.
    pub(super) const fn rammed(&self) -> u64 {
        self.own & self.enemies >> 8
    }

    /// The squares that enemy pawns attack.
    pub(super) const fn enemy_attacks(&self) -> u64 {
        beside(self.enemies >> 8)
    }

    /// The squares that enemy pawns attack now or after they advance.
    pub(super) const fn enemy_attack_span(&self) -> u64 {
        fill_down(self.enemy_attacks())
    }

    /// Pawns with an own pawn in front of them on the same file.
    const fn doubled(&self) -> u64 {
        self.own & fill_down(self.own >> 8)
    }

    /// Pawns without own pawns on the neighbouring files.
    const fn isolated(&self) -> u64 {
        self.own & !beside(files(self.own))
    }

    /// Pawns whose next square is attacked by an enemy pawn and that no own pawn can come to protect there.
    /// Isolated pawns do not count.
    const fn backward(&self) -> u64 {
        let unsafe_squares = self.enemy_attacks() & !fill_up(self.attacks());
        self.own & unsafe_squares >> 8 & !self.isolated()
    }

    /// Passed pawns: no enemy pawn can block or capture them. Only the foremost of a file counts.
    pub(super) const fn passed(&self) -> u64 {
        self.foremost() & !self.enemy_attack_span()
    }

    /// Pawns that have no enemy pawns in front of them, but on one of the neighbouring files.
    pub(super) const fn candidates(&self) -> u64 {
        let [right, left] = sides(self.opposed());
        self.foremost() & (right ^ left)
    }

    /// The squares in front of which there is an enemy pawn.
    const fn opposed(&self) -> u64 {
        fill_down(self.enemies >> 8)
    }

    /// Own pawns with no pawn of any player in front of them on the file.
    const fn foremost(&self) -> u64 {
        self.own & !self.opposed() & !self.doubled()
    }

    /// Calls `count(term, pawns)` for each term of the pawn structure.
    #[inline(always)]
    pub(super) fn structure(&self, mut count: impl FnMut(usize, u64)) {
        let unopposed = !self.opposed();
        count(terms::DOUBLED, self.doubled());
        count(terms::ISOLATED, self.isolated());
        count(terms::ISOLATED + 1, self.isolated() & unopposed);
        count(terms::BACKWARD, self.backward());
        count(terms::BACKWARD + 1, self.backward() & unopposed);
        let (phalanx, protected) = (self.own & beside(self.own), self.own & self.attacks());
        for rank in 1..7 {
            count(terms::PHALANX + rank - 1, phalanx & RANK_1 << (8 * rank));
        }
        for rank in 2..7 {
            count(terms::PROTECTED + rank - 2, protected & RANK_1 << (8 * rank));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A board from a picture, the eighth rank first.
    fn board(picture: &str) -> u64 {
        let squares = picture.split_whitespace().flat_map(str::chars);
        squares.enumerate().filter(|(_, mark)| *mark == 'x').map(|(n, _)| 1 << (n ^ 56)).sum()
    }

    /// White: a2, c3, c5, d4, f4, g4, h6. Black: a6, b5, e6, e5.
    fn pawns() -> Pawns {
        let own = board("........ ........ .......x ..x..... ...x.xx. ..x..... x....... ........");
        let enemies = board("........ ........ x...x... .x..x... ........ ........ ........ ........");
        Pawns { own, enemies }
    }

    #[test]
    fn structure_terms_are_those_seen_on_the_board() {
        let pawns = pawns();
        let squares = |board: u64| (0..64).filter(|n| board >> n & 1 == 1).map(name).collect::<Vec<_>>();
        assert_eq!(squares(pawns.doubled()), ["c3"]);
        assert_eq!(squares(pawns.isolated()), ["a2"]);
        // b5 attacks c4, and no own pawn can protect it. g4 protects f5.
        assert_eq!(squares(pawns.backward()), ["c3"]);
        assert_eq!(squares(pawns.passed()), ["g4", "c5", "h6"]);
        assert_eq!(squares(pawns.candidates()), ["d4", "f4"]);
        assert_eq!(squares(Pawns { enemies: pawns.enemies | 1 << 35, ..pawns }.rammed()), ["d4"]);
        assert_eq!(squares(pawns.double_attacks()), ["e5"]);
        assert_eq!(squares(pawns.own & pawns.attacks()), ["d4", "c5"]);
        assert_eq!(squares(pawns.own & beside(pawns.own)), ["f4", "g4"]);
    }

    fn name(square: u64) -> String {
        crate::game::fen::square_name(square as usize % 8, square as usize / 8)
    }
}
