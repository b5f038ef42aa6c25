//! Bitboards of 11 files and 11 ranks, and how queens go on them.
//!
//! Bit `11 * rank + file` is a square, a1 the lowest bit. A smaller board lies in the lower left corner:
//! the squares beyond its edges are never empty, and so no move goes there. The same code serves boards of
//! every size.

/// Files and ranks of the largest board; from one rank to the next it is so many bits on every board.
pub(super) const MOST: usize = 11;

/// Bits of a board. Those behind the last square of the largest board are no squares, and never empty.
pub(super) const BITS: usize = u128::BITS as usize;

/// The a file, and the bit that follows the last square: a step east from there would come down on a file
/// again.
pub(super) const FILE_A: u128 = {
    let (mut file, mut rank) = (0, 0);
    while rank <= MOST {
        file |= 1 << (MOST * rank);
        rank += 1;
    }
    file
};

/// The k file.
pub(super) const FILE_K: u128 = FILE_A << (MOST - 1);

/// The squares of a board of so many files and ranks, 11 of each at most.
pub(super) const fn board(files: usize, ranks: usize) -> u128 {
    let first_rank = (1 << files) - 1;
    let mut board = 0;
    let mut rank = 0;
    while rank < ranks {
        board |= first_rank << (MOST * rank);
        rank += 1;
    }
    board
}

/// The squares from each square to the edge of the largest board, in each of the eight directions. The
/// first four go to higher bits (east, north west, north, north east), the others the opposite ways, in the
/// same order.
static RAYS: [[u128; 8]; BITS] = {
    let mut rays = [[0; 8]; BITS];
    let steps: [(i32, i32); 8] = [(1, 0), (-1, 1), (0, 1), (1, 1), (-1, 0), (1, -1), (0, -1), (-1, -1)];
    let mut square = 0;
    while square < MOST * MOST {
        let mut direction = 0;
        while direction < 8 {
            let (east, north) = steps[direction];
            let mut file = (square % MOST) as i32 + east;
            let mut rank = (square / MOST) as i32 + north;
            while file >= 0 && file < MOST as i32 && rank >= 0 && rank < MOST as i32 {
                rays[square][direction] |= 1 << (rank * MOST as i32 + file);
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
pub(super) static RINGS: [[u128; 3]; BITS] = {
    let mut rings = [[0; 3]; BITS];
    let mut square = 0;
    while square < MOST * MOST {
        let mut disc = 1 << square;
        let mut steps = 0;
        while steps < 2 {
            let wider = around(disc) & board(MOST, MOST);
            rings[square][steps] = wider & !disc;
            disc = wider;
            steps += 1;
        }
        rings[square][2] = board(MOST, MOST) & !disc;
        square += 1;
    }
    rings
};

/// All bits but the lowest so many ones, by 127 less their number: those from the highest bit of a board
/// on, by the number of zeros above it.
static FROM_HIGHEST: [u128; BITS] = {
    let mut table = [0; BITS];
    let mut zeros = 0;
    while zeros < BITS {
        table[zeros] = u128::MAX << (BITS - 1 - zeros);
        zeros += 1;
    }
    table
};

/// The squares that a queen reaches from a square over empty ones.
#[inline]
pub(super) fn reach(square: u8, empty: u128) -> u128 {
    let blocked = !empty;
    let rays = &RAYS[usize::from(square) % BITS];
    let mut reached = 0;
    for (up, down) in rays[..4].iter().zip(&rays[4..]) {
        // Up to the lowest obstacle above, and from the highest one below on; bit 0 stands for none.
        let above = blocked & up;
        let zeros = (blocked & down | 1).leading_zeros();
        reached |= up & (above ^ above.wrapping_sub(1)) | down & FROM_HIGHEST[zeros as usize % BITS];
    }
    reached & empty
}

/// The squares around those of a set, which are part of it.
#[inline]
pub(super) const fn around(set: u128) -> u128 {
    let row = set | (set << 1 & !FILE_A) | (set & !FILE_A) >> 1;
    row | row << MOST | row >> MOST
}

/// The squares of `ground` that are connected with those of a set, which are part of it.
pub(super) fn connected(mut set: u128, ground: u128) -> u128 {
    loop {
        let wider = around(set) & ground;
        if wider == set {
            return set;
        }
        set = wider;
    }
}

/// The empty squares that amazons reach by and by, as long as the others stand.
pub(super) fn flood(amazons: u128, empty: u128) -> u128 {
    connected(around(amazons) & empty, empty)
}

/// The squares of a set, lowest first.
pub(super) fn squares(mut set: u128) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (square < u128::BITS).then_some(square as u8)
    })
}
