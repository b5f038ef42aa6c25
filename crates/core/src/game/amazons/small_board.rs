//! Bitboards of eight files and eight ranks, for the solver: half the bits of the large board, so that most
//! operations take half the time.
//!
//! Bit `8 * rank + file` is a square; a1 is bit 0.

use super::super::zobrist::mixed;
use super::board::{MAX_SIZE, SquareSet};
use super::symmetry;

/// Files and ranks.
pub const SIZE: usize = 8;

const FILE_A: u64 = 0x0101_0101_0101_0101;

const FILE_H: u64 = FILE_A << (SIZE - 1);

/// The squares before and behind each square, on its four lines.
static LINES: [[(u64, u64); 4]; SIZE * SIZE] = {
    let mut lines = [[(0, 0); 4]; SIZE * SIZE];
    let steps = [(1, 0), (-1, 1), (0, 1), (1, 1)];
    let mut square = 0;
    while square < SIZE * SIZE {
        let mut line = 0;
        while line < 4 {
            let (east, north) = steps[line];
            lines[square][line] = (ray(square, -east, -north), ray(square, east, north));
            line += 1;
        }
        square += 1;
    }
    lines
};

/// The squares from a square to the edge.
const fn ray(square: usize, east: i32, north: i32) -> u64 {
    let mut ray = 0;
    let mut file = (square % SIZE) as i32 + east;
    let mut rank = (square / SIZE) as i32 + north;
    while file >= 0 && file < SIZE as i32 && rank >= 0 && rank < SIZE as i32 {
        ray |= 1 << (rank * SIZE as i32 + file);
        file += east;
        rank += north;
    }
    ray
}

impl SquareSet for u64 {
    const NONE: u64 = 0;

    #[inline]
    fn square(square: u8) -> u64 {
        1 << square
    }

    #[inline]
    fn first(self) -> u8 {
        self.trailing_zeros() as u8
    }

    #[inline]
    fn without_first(self) -> u64 {
        self & self.wrapping_sub(1)
    }

    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline]
    fn around(self) -> u64 {
        let row = self | (self & !FILE_H) << 1 | (self & !FILE_A) >> 1;
        row | row << SIZE | row >> SIZE
    }

    #[inline]
    fn reach(square: u8, empty: u64) -> u64 {
        let mut reached = 0;
        for &(below, above) in &LINES[usize::from(square) % (SIZE * SIZE)] {
            // From the highest obstacle below to the lowest one above. Bit 0 stands for no obstacle.
            let (under, over) = (below & !empty, above & !empty);
            let from = u64::MAX << (u64::BITS - 1 - (under | 1).leading_zeros());
            let lowest = over & over.wrapping_neg();
            reached |= (below | above) & from.wrapping_add(lowest << 1);
        }
        reached & empty
    }

    fn symmetric_hash(sets: [u64; 3]) -> u64 {
        symmetry::small_hash(sets)
    }

    fn on_the_small_board(sets: [u64; 3]) -> Option<[u64; 3]> {
        Some(sets)
    }

    #[inline]
    fn hash(sets: [u64; 3]) -> u64 {
        // Each set goes through all mixing: of a product alone, high squares would reach few bits.
        sets.into_iter().fold(1, |hash, set| mixed(hash ^ set))
    }
}

/// A set of squares of the large board, on the small one; none if it has squares that are not there.
pub fn small(set: u128) -> Option<u64> {
    let small = (0..SIZE).fold(0, |small, rank| {
        let row = (set >> (MAX_SIZE * rank)) as u64 & ((1 << SIZE) - 1);
        small | row << (SIZE * rank)
    });
    (small.count_ones() == set.count_ones()).then_some(small)
}

/// The number of a square of the small board on the large one.
#[inline]
pub fn large_square(square: u8) -> u8 {
    square + (MAX_SIZE - SIZE) as u8 * (square / SIZE as u8)
}

#[cfg(test)]
mod tests {
    use super::super::board::{board, reach};
    use super::*;

    #[test]
    fn queens_move_as_on_the_large_board() {
        let mut random = 1;
        for _ in 0..10_000 {
            random = mixed(random);
            let empty = board(SIZE, SIZE) & (u128::from(random) << 64 | u128::from(mixed(random)));
            let square = (random >> 58) as u8;
            let large = reach(large_square(square), empty);
            assert_eq!(Some(u64::reach(square, small(empty).unwrap())), small(large));
        }
    }

    /// Regions that had the same hash when the sets were only multiplied and rotated: one with fifteen empty
    /// squares, and one with two.
    #[test]
    fn high_squares_reach_all_bits_of_the_hash() {
        let set = |squares: &str| {
            let square = |name: &str| {
                let [file, rank] = name.as_bytes() else { panic!("{name}") };
                1_u64 << (usize::from(rank - b'1') * SIZE + usize::from(file - b'a'))
            };
            squares.split(' ').map(square).sum::<u64>()
        };
        let large = [set("g7 h8"), set("g8 h7 c6 d6 e6 f6 h6 b7 c7 d7 f7 a8 c8 e8 f8"), 0];
        let small = [set("g7"), set("g8 h7"), 0];
        assert_ne!(u64::hash(large), u64::hash(small));
    }
}
