//! Bitboards: the number of neighbours of each square, and the moves that follow from it.
//!
//! Bit `8 * rank + file` is a square; a1 is bit 0. All pieces of a player are handled at once.

/// The a file.
const FILE_A: u64 = 0x0101_0101_0101_0101;
/// The h file.
const FILE_H: u64 = FILE_A << 7;
/// The first rank.
const RANK_1: u64 = 0xFF;
/// The eighth rank.
const RANK_8: u64 = RANK_1 << 56;

/// A direction: the rotation of the board that takes every square to the next one, and the squares that a
/// step in this direction can lead to. The others wrap around the edge.
#[derive(Clone, Copy)]
struct Direction {
    rotation: u32,
    reached: u64,
}

/// The eight directions, clockwise from north.
const DIRECTIONS: [Direction; 8] = [
    Direction { rotation: 8, reached: !RANK_1 },
    Direction { rotation: 9, reached: !RANK_1 & !FILE_A },
    Direction { rotation: 1, reached: !FILE_A },
    Direction { rotation: 57, reached: !RANK_8 & !FILE_A },
    Direction { rotation: 56, reached: !RANK_8 },
    Direction { rotation: 55, reached: !RANK_8 & !FILE_H },
    Direction { rotation: 63, reached: !FILE_H },
    Direction { rotation: 7, reached: !RANK_1 & !FILE_H },
];

impl Direction {
    /// Moves all squares of `board` by one step.
    const fn step(self, board: u64) -> u64 {
        board.rotate_left(self.rotation) & self.reached
    }
}

/// The longest move. A piece with six neighbours is not at the edge, so at most six squares lie in one
/// direction: a piece with seven neighbours cannot move.
const MAX_DISTANCE: usize = 6;

/// The squares around each square.
const AROUND: [u64; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            table[square] |= DIRECTIONS[direction].step(1 << square);
            direction += 1;
        }
        square += 1;
    }
    table
};

/// The squares at a distance of `n` steps from each square, in straight lines: `STEPS[n][square]`.
const STEPS: [[u64; 64]; MAX_DISTANCE + 1] = {
    let mut table = [[0; 64]; MAX_DISTANCE + 1];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let mut ray = 1 << square;
            let mut n = 1;
            while n <= MAX_DISTANCE {
                ray = DIRECTIONS[direction].step(ray);
                table[n][square] |= ray;
                n += 1;
            }
            direction += 1;
        }
        square += 1;
    }
    table
};

/// The squares strictly between two squares in a straight line: `BETWEEN[a][b]`, 0 where there are none.
static BETWEEN: [[u64; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let mut passed = 0;
            let mut ray = DIRECTIONS[direction].step(1 << square);
            while ray != 0 {
                table[square][ray.trailing_zeros() as usize] = passed;
                passed |= ray;
                ray = DIRECTIONS[direction].step(ray);
            }
            direction += 1;
        }
        square += 1;
    }
    table
};

/// The squares next to any square of `board`.
pub(super) fn around(board: u64) -> u64 {
    DIRECTIONS.iter().fold(0, |squares, direction| squares | direction.step(board))
}

/// The squares that a piece on `from` can move to, own pieces included.
pub(super) fn targets(from: u32, occupied: u64) -> u64 {
    let from = from as usize;
    let distance = (AROUND[from] & occupied).count_ones() as usize;
    match distance {
        0 => 0,
        1 => AROUND[from],
        2..=MAX_DISTANCE => {
            let mut open = 0;
            for to in squares(STEPS[distance][from]) {
                if BETWEEN[from][to as usize] & occupied == 0 {
                    open |= 1 << to;
                }
            }
            open
        }
        _ => 0,
    }
}

/// The squares from which a move without a capture leads to `to`, where `others` are all other pieces.
#[cfg(has_tables)]
#[inline]
pub(super) fn origins(to: u32, others: u64) -> u64 {
    let (to, counts) = (to as usize, NeighbourCounts::new(others));
    (1..=MAX_DISTANCE).fold(0, |origins, distance| {
        let from = squares(STEPS[distance][to] & counts.exactly(distance) & !others);
        let open = from.filter(|&from| BETWEEN[from as usize][to] & others == 0);
        open.fold(origins, |origins, from| origins | 1 << from)
    })
}

/// The distance that a piece on `from` must move.
pub(super) fn distance(from: u32, occupied: u64) -> u32 {
    (AROUND[from as usize] & occupied).count_ones()
}

/// The squares of a board, lowest first.
pub(super) fn squares(board: u64) -> impl Iterator<Item = u32> {
    let mut rest = board;
    std::iter::from_fn(move || {
        let square = rest.trailing_zeros();
        (rest != 0).then(|| {
            rest &= rest - 1;
            square
        })
    })
}

/// The number of neighbours of each square, in binary: bit `s` of `bits[k]` has weight 2ᵏ.
#[derive(Clone, Copy)]
pub(super) struct NeighbourCounts {
    bits: [u64; 4],
}

impl NeighbourCounts {
    /// Counts the occupied squares around every square with a carry-save adder.
    #[inline]
    pub(super) fn new(occupied: u64) -> NeighbourCounts {
        let n = DIRECTIONS.map(|direction| direction.step(occupied));
        let (a, carry_a) = full_adder(n[0], n[1], n[2]);
        let (b, carry_b) = full_adder(n[3], n[4], n[5]);
        let (c, carry_c) = (n[6] ^ n[7], n[6] & n[7]);
        let (ones, carry_d) = full_adder(a, b, c);
        let (e, carry_e) = full_adder(carry_a, carry_b, carry_c);
        let (twos, carry_f) = (e ^ carry_d, e & carry_d);
        let (fours, eights) = (carry_e ^ carry_f, carry_e & carry_f);
        NeighbourCounts { bits: [ones, twos, fours, eights] }
    }

    /// The squares with exactly `n` neighbours.
    #[inline]
    pub(super) fn exactly(&self, n: usize) -> u64 {
        self.bits
            .iter()
            .enumerate()
            .fold(!0, |squares, (k, &bit)| squares & if n >> k & 1 == 1 { bit } else { !bit })
    }
}

/// Sum and carry of three bits, on every square.
#[inline]
fn full_adder(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}

/// The targets of all `pieces` of one player, own pieces left out, a board for each direction.
///
/// In one direction no two pieces have the same target: the one behind would have to pass the one in
/// front. So the bits of the eight boards together are the player's moves.
#[inline]
pub(super) fn reach(pieces: u64, occupied: u64, counts: &NeighbourCounts) -> [u64; 8] {
    let empty = !occupied;
    let walkers: [u64; MAX_DISTANCE + 1] = std::array::from_fn(|n| pieces & counts.exactly(n));
    let far = walkers[4] | walkers[5] | walkers[6];
    DIRECTIONS.map(|direction| {
        // Pieces with the longest distance start first; the others join when as many steps are left.
        let mut front = 0;
        if far != 0 {
            front = direction.step(walkers[6]) & empty;
            front = direction.step(front | walkers[5]) & empty;
            front = direction.step(front | walkers[4]) & empty;
        }
        front = direction.step(front | walkers[3]) & empty;
        front = direction.step(front | walkers[2]) & empty;
        direction.step(front | walkers[1]) & !pieces
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::mixed;
    use super::*;

    /// Random boards, from half full to nearly empty: all pieces, and those of one player.
    fn boards() -> impl Iterator<Item = (u64, u64)> {
        (0..200).map(|seed| {
            let random = |number| mixed(mixed(seed) ^ number);
            let occupied = (0..=seed % 4).fold(!0, |board, number| board & random(number));
            (occupied, occupied & random(4))
        })
    }

    #[test]
    fn neighbours_are_counted_on_all_squares_at_once() {
        for (occupied, _) in boards() {
            let counts = NeighbourCounts::new(occupied);
            for square in 0..64 {
                let count = distance(square, occupied) as usize;
                let found = (0..=8).filter(|&n| counts.exactly(n) >> square & 1 == 1);
                assert_eq!(found.collect::<Vec<_>>(), [count], "square {square} of {occupied:x}");
            }
            assert_eq!(around(occupied), !counts.exactly(0), "{occupied:x}");
        }
    }

    #[test]
    fn the_moves_of_all_pieces_are_those_of_each() {
        for (occupied, pieces) in boards() {
            let reached = reach(pieces, occupied, &NeighbourCounts::new(occupied));
            let count = reached.iter().map(|targets| targets.count_ones()).sum::<u32>();
            let each = || squares(pieces).map(|from| targets(from, occupied) & !pieces);
            assert_eq!(count, each().map(u64::count_ones).sum::<u32>(), "{pieces:x} of {occupied:x}");
            let union = reached.iter().fold(0, |all, targets| all | targets);
            assert_eq!(union, each().fold(0, |all, targets| all | targets), "{pieces:x} of {occupied:x}");
        }
    }
    #[cfg(has_tables)]
    #[test]
    fn a_square_is_reached_from_those_that_it_is_a_target_of() {
        for (others, _) in boards().take(20) {
            for to in (0..64).filter(|to| others >> to & 1 == 0) {
                let leads = |from: &u32| targets(*from, others) >> to & 1 == 1 && others >> from & 1 == 0;
                let expected = (0..64).filter(leads).fold(0, |squares, from| squares | 1 << from);
                assert_eq!(origins(to, others), expected, "to {to} among {others:x}");
            }
        }
    }
}
