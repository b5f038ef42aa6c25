//! Bitboards of 11 files and 11 ranks, and the moves of queens on them.
//!
//! Bit `11 * rank + file` is a square; a1 is bit 0. A smaller board lies in the lower left corner. The
//! squares beyond its edges are never empty, so no move goes there.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::super::zobrist::mixed;
use super::symmetry;

/// Files and ranks of the largest board, and the bits from one rank to the next on every board.
pub const MAX_SIZE: usize = 11;

/// Bits of a board. The bits above the last square of the largest board are never empty.
pub const BITS: usize = u128::BITS as usize;

/// The a file, and the bit above the last square: a step east from k11 leads to it, and a step down from
/// there would wrap to a11.
pub const FILE_A: u128 = {
    let (mut file, mut rank) = (0, 0);
    while rank <= MAX_SIZE {
        file |= 1 << (MAX_SIZE * rank);
        rank += 1;
    }
    file
};

/// The k file.
pub const FILE_K: u128 = FILE_A << (MAX_SIZE - 1);

/// The squares of a board of the given size, at most 11 files and 11 ranks.
pub const fn board(files: usize, ranks: usize) -> u128 {
    let first_rank = (1 << files) - 1;
    let mut board = 0;
    let mut rank = 0;
    while rank < ranks {
        board |= first_rank << (MAX_SIZE * rank);
        rank += 1;
    }
    board
}

/// The squares from each square to the edge of the largest board, in each of the eight directions. The
/// first four go to higher bits (east, north west, north, north east), the others are their opposites, in the
/// same order.
static RAYS: [[u128; 8]; BITS] = {
    let mut rays = [[0; 8]; BITS];
    let steps: [(i32, i32); 8] = [(1, 0), (-1, 1), (0, 1), (1, 1), (-1, 0), (1, -1), (0, -1), (-1, -1)];
    let mut square = 0;
    while square < MAX_SIZE * MAX_SIZE {
        let mut direction = 0;
        while direction < 8 {
            let (east, north) = steps[direction];
            let mut file = (square % MAX_SIZE) as i32 + east;
            let mut rank = (square / MAX_SIZE) as i32 + north;
            while file >= 0 && file < MAX_SIZE as i32 && rank >= 0 && rank < MAX_SIZE as i32 {
                rays[square][direction] |= 1 << (rank * MAX_SIZE as i32 + file);
                file += east;
                rank += north;
            }
            direction += 1;
        }
        square += 1;
    }
    rays
};

/// The squares of the largest board one, two, and three or more king steps from each square.
pub static RINGS: [[u128; 3]; BITS] = {
    let mut rings = [[0; 3]; BITS];
    let mut square = 0;
    while square < MAX_SIZE * MAX_SIZE {
        let mut disc = 1 << square;
        let mut steps = 0;
        while steps < 2 {
            let wider = around(disc) & board(MAX_SIZE, MAX_SIZE);
            rings[square][steps] = wider & !disc;
            disc = wider;
            steps += 1;
        }
        rings[square][2] = board(MAX_SIZE, MAX_SIZE) & !disc;
        square += 1;
    }
    rings
};

/// By the number of leading zeros of a board: its highest bit and all bits above.
static FROM_HIGHEST: [u128; BITS] = {
    let mut table = [0; BITS];
    let mut zeros = 0;
    while zeros < BITS {
        table[zeros] = u128::MAX << (BITS - 1 - zeros);
        zeros += 1;
    }
    table
};

/// The squares that a queen on `square` reaches in one move over empty squares.
#[inline]
pub fn reach(square: u8, empty: u128) -> u128 {
    let blocked = !empty;
    let rays = &RAYS[usize::from(square) % BITS];
    let mut reached = 0;
    for (up, down) in rays[..4].iter().zip(&rays[4..]) {
        // From the highest obstacle below to the lowest one above. Bit 0 means no obstacle.
        let above = blocked & up;
        let zeros = (blocked & down | 1).leading_zeros();
        reached |= up & (above ^ above.wrapping_sub(1)) | down & FROM_HIGHEST[zeros as usize % BITS];
    }
    reached & empty
}

/// The squares of a set and their neighbours.
#[inline]
pub const fn around(set: u128) -> u128 {
    let row = set | (set << 1 & !FILE_A) | (set & !FILE_A) >> 1;
    row | row << MAX_SIZE | row >> MAX_SIZE
}

/// A set of squares of a board, as bits, with the moves of queens on that board.
pub trait SquareSet:
    Copy + Eq + Ord + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// No squares.
    const NONE: Self;

    /// One square.
    fn square(square: u8) -> Self;

    /// The lowest square of a set that is not empty.
    fn first(self) -> u8;

    /// The set without its lowest square.
    fn without_first(self) -> Self;

    /// The number of squares.
    fn count(self) -> u32;

    /// The squares of the set and their neighbours; beyond the edges there may be more.
    fn around(self) -> Self;

    /// The squares that a queen on `square` reaches in one move over empty squares.
    fn reach(square: u8, empty: Self) -> Self;

    /// A hash of several sets, one and the same for all places and symmetries of what the sets hold.
    fn symmetric_hash(sets: [Self; 3]) -> u64;

    /// Several sets, moved to the corner of the small board; `None` where they have no room there.
    fn on_the_small_board(sets: [Self; 3]) -> Option<[u64; 3]>;

    /// A hash of several sets, another one on each board: all squares count.
    fn hash(sets: [Self; 3]) -> u64;

    /// Whether there are no squares.
    #[inline]
    fn is_none(self) -> bool {
        self == Self::NONE
    }
}

impl SquareSet for u128 {
    const NONE: u128 = 0;

    #[inline]
    fn square(square: u8) -> u128 {
        1 << square
    }

    #[inline]
    fn first(self) -> u8 {
        self.trailing_zeros() as u8
    }

    #[inline]
    fn without_first(self) -> u128 {
        self & self.wrapping_sub(1)
    }

    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline]
    fn around(self) -> u128 {
        around(self)
    }

    #[inline]
    fn reach(square: u8, empty: u128) -> u128 {
        reach(square, empty)
    }

    fn symmetric_hash(sets: [u128; 3]) -> u64 {
        symmetry::hash(sets)
    }

    fn on_the_small_board(sets: [u128; 3]) -> Option<[u64; 3]> {
        symmetry::on_the_small_board(sets)
    }

    #[inline]
    fn hash(sets: [u128; 3]) -> u64 {
        sets.into_iter().fold(1, |hash, set| mixed(mixed(hash ^ set as u64) ^ (set >> 64) as u64))
    }
}

/// The squares of a set and all squares of `ground` that are connected to it.
#[inline]
pub fn connected<S: SquareSet>(mut set: S, ground: S) -> S {
    // Several steps at a time: the end of a loop is hard to predict.
    loop {
        set = set.around() & ground;
        let narrower = set.around() & ground;
        set = narrower.around() & ground;
        if narrower == set {
            return set;
        }
    }
}

/// The empty squares that amazons can reach in any number of moves while all other pieces stay.
#[inline]
pub fn flood<S: SquareSet>(amazons: S, empty: S) -> S {
    connected(amazons.around() & empty, empty)
}

/// The same for the amazons of both players: two floods side by side take little longer than one. (One loop
/// for this and [`connected`], over an array of any length, makes the solver 10 to 20 % slower.)
#[inline]
pub fn floods<S: SquareSet>(amazons: [S; 2], empty: S) -> [S; 2] {
    let step = |sets: [S; 2]| sets.map(|set| set.around() & empty);
    let mut sets = step(amazons);
    loop {
        let narrower = step(step(sets));
        sets = step(narrower);
        if narrower == sets {
            return sets;
        }
    }
}

/// The squares of a set, lowest first.
#[inline]
pub fn squares<S: SquareSet>(mut set: S) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (!set.is_none()).then(|| {
            let square = set.first();
            set = set.without_first();
            square
        })
    })
}

/// The connected components of a set of squares.
#[inline]
pub fn components<S: SquareSet>(mut ground: S) -> impl Iterator<Item = S> {
    std::iter::from_fn(move || {
        (!ground.is_none()).then(|| {
            let component = connected(S::square(ground.first()), ground);
            ground = ground & !component;
            component
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_the_two_boards_have_different_hashes() {
        // The same bits, in the upper half of the large board.
        let [first, second] = [1u64 << 25, 1 << 24];
        let large = [0, u128::from(first) << 64, u128::from(second) << 64];
        assert_ne!(u64::hash([first, 0, second]), u128::hash(large));
    }

    #[test]
    fn each_square_of_each_set_counts_in_a_hash() {
        let sets = (0..3).flat_map(|place| {
            (0..BITS).map(move |bit| {
                let mut sets = [0; 3];
                sets[place] = 1u128 << bit;
                sets
            })
        });
        let hashes: std::collections::HashSet<_> = sets.map(u128::hash).collect();
        assert_eq!(hashes.len(), 3 * BITS);
    }

    #[test]
    fn a_set_is_its_squares() {
        let set = u128::square(3) | u128::square(100);
        assert_eq!((set.first(), set.count(), set.is_none()), (3, 2, false));
        assert_eq!(set.without_first(), 1 << 100);
        assert!(set.without_first().without_first().is_none() && u128::NONE.is_none());
        assert_eq!(squares(set).collect::<Vec<_>>(), [3, 100]);
        let empty = board(MAX_SIZE, MAX_SIZE) & !set;
        assert_eq!(u128::reach(3, empty), reach(3, empty));
        assert_eq!(SquareSet::around(set), around(set));
    }

    #[test]
    fn sets_anywhere_on_the_board_have_the_hash_of_the_corner() {
        // Three squares in a bend, and the same two files further and three ranks higher.
        let bend = [1u128 | 1 << 1, 1 << MAX_SIZE, 0];
        let moved = bend.map(|set| set << (3 * MAX_SIZE + 2));
        let small = u128::on_the_small_board(bend);
        assert_eq!(small.map(|sets| sets.map(u64::count)), Some([2, 1, 0]));
        assert_eq!(u128::on_the_small_board(moved), small);
        assert_eq!(u128::symmetric_hash(moved), u128::symmetric_hash(bend));
        assert_ne!(u128::symmetric_hash([bend[1], bend[0], 0]), u128::symmetric_hash(bend));
        // From edge to edge there is no room on the small board.
        assert_eq!(u128::on_the_small_board([FILE_A & board(MAX_SIZE, MAX_SIZE), 0, 0]), None);
    }

    /// The squares of a letter in a drawing whose last line is the first rank.
    fn drawn(ranks: &[&str], letter: char) -> u128 {
        let squares = ranks.iter().rev().enumerate().flat_map(|(rank, text)| {
            text.char_indices().map(move |(file, found)| (MAX_SIZE * rank + file, found))
        });
        squares.filter(|(_, found)| *found == letter).fold(0, |set, (square, _)| set | 1 << square)
    }

    #[test]
    fn regions_are_connected_over_corners() {
        let ranks = ["aa##b", "a##bb", "###b#"];
        let (left, right) = (drawn(&ranks, 'a'), drawn(&ranks, 'b'));
        let ground = left | right;
        assert_eq!(components(ground).collect::<Vec<_>>(), [right, left]);
        assert_eq!(connected(u128::square(MAX_SIZE as u8), ground), left);
        // The amazons stand on a1 and e1, and one on c2 reaches both regions.
        assert_eq!(floods([1, 1 << 4], ground), [left, right]);
        assert_eq!(flood(1, ground), left);
        assert_eq!(flood(1 << (MAX_SIZE + 2), ground), ground);
        assert_eq!(flood(1 << 10, ground), 0);
    }
}
