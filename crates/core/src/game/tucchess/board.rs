//! Bitboards of five files and seven ranks, and the moves of the pieces on them.
//!
//! Bit `5 * rank + file` is a square, a1 is bit 0.

use super::super::Color;

/// Files of the board.
pub(super) const FILES: usize = 5;
/// Ranks of the board.
pub(super) const RANKS: usize = 7;
/// All squares.
pub(super) const ALL: u64 = (1 << (FILES * RANKS)) - 1;

/// The first rank.
const RANK_1: u64 = (1 << FILES) - 1;
/// The a file.
const FILE_A: u64 = 0b00001_00001_00001_00001_00001_00001_00001;
/// The e file.
const FILE_E: u64 = FILE_A << (FILES - 1);

/// The longest move of a rook.
pub(super) const ROOK_STEPS: usize = 3;

/// A piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Pawn,
    Rook,
    King,
}

impl Kind {
    pub(super) const ALL: [Kind; 3] = [Kind::Pawn, Kind::Rook, Kind::King];

    /// Points for its capture.
    pub(super) const fn points(self) -> u16 {
        match self {
            Kind::Pawn => 1,
            Kind::Rook => 3,
            Kind::King => 8,
        }
    }
}

const fn north(board: u64) -> u64 {
    board << FILES & ALL
}

const fn south(board: u64) -> u64 {
    board >> FILES
}

const fn east(board: u64) -> u64 {
    (board & !FILE_E) << 1
}

const fn west(board: u64) -> u64 {
    (board & !FILE_A) >> 1
}

/// The squares in front of those of `board`, for a player.
pub(super) const fn forward(board: u64, player: Color) -> u64 {
    match player {
        Color::White => north(board),
        Color::Black => south(board),
    }
}

/// The rank on which a player's pawns leave the board.
pub(super) const fn last_rank(player: Color) -> u64 {
    rank_for(player, RANKS - 1)
}

/// The squares that pawns of a player attack.
pub(super) const fn pawn_attacks(pawns: u64, player: Color) -> u64 {
    let ahead = forward(pawns, player);
    east(ahead) | west(ahead)
}

/// The squares that kings attack.
pub(super) const fn king_steps(kings: u64) -> u64 {
    north(kings) | south(kings) | east(kings) | west(kings)
}

/// The squares that rooks attack. The first square of `stops` in a direction is included and ends the line.
#[inline]
pub(super) fn rook_steps(rooks: u64, stops: u64) -> u64 {
    slide(rooks, stops, north)
        | slide(rooks, stops, south)
        | slide(rooks, stops, east)
        | slide(rooks, stops, west)
}

#[inline]
fn slide(rooks: u64, stops: u64, step: impl Fn(u64) -> u64) -> u64 {
    let (mut reached, mut going) = (0, rooks);
    for _ in 0..ROOK_STEPS {
        let next = step(going);
        reached |= next;
        going = next & !stops;
    }
    reached
}

/// The squares of a board and all squares behind them, for a player.
pub(super) const fn fill_backward(board: u64, player: Color) -> u64 {
    // Seven ranks: steps of 1, 2 and 4 reach all of them.
    let filled = match player {
        Color::White => {
            let filled = board | board >> FILES;
            let filled = filled | filled >> (2 * FILES);
            filled | filled >> (4 * FILES)
        }
        Color::Black => {
            let filled = board | board << FILES;
            let filled = filled | filled << (2 * FILES);
            filled | filled << (4 * FILES)
        }
    };
    filled & ALL
}

/// A rank by its number, counted from a player's own side, from 0.
pub(super) const fn rank_for(player: Color, rank: usize) -> u64 {
    let rank = match player {
        Color::White => rank,
        Color::Black => RANKS - 1 - rank,
    };
    RANK_1 << (FILES * rank)
}

/// The squares of a board, lowest first.
pub(super) fn squares(board: u64) -> Squares {
    Squares(board)
}

/// See [`squares`].
pub(super) struct Squares(u64);

impl Iterator for Squares {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        let square = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (square < u64::BITS).then_some(square as u8)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_listed_and_counted() {
        let found = squares(0b1011);
        assert_eq!(found.size_hint(), (3, Some(3)));
        assert_eq!(found.collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!(squares(1 << 63).collect::<Vec<_>>(), [63]);
    }
}
