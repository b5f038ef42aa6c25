//! Sets of squares as numbers, up to the symmetries of the board.
//!
//! Sets with the same number of squares are numbered in the combinatorial number system, which is the order
//! of their bitboards. The rules have no direction, so the eight symmetries of the square keep the result of
//! a position. Sets that are symmetric to each other form a class with one representative.

use std::sync::OnceLock;

use super::super::attacks::squares;

/// The maximum number of squares of a set.
pub(super) const MAX_PIECES: usize = 6;

/// The symmetries of the board.
const SYMMETRIES: usize = 8;

/// Binomial coefficients: `CHOOSE[n][k]`.
static CHOOSE: [[u32; MAX_PIECES + 1]; 65] = {
    let mut table = [[0; MAX_PIECES + 1]; 65];
    let mut n = 0;
    while n <= 64 {
        table[n][0] = 1;
        let mut k = 1;
        while n > 0 && k <= MAX_PIECES {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// Where a symmetry takes each square: `IMAGES[symmetry][square]`. Bit 2 of a symmetry exchanges files and
/// ranks, then bit 0 reverses the files and bit 1 the ranks.
static IMAGES: [[u8; 64]; SYMMETRIES] = {
    let mut table = [[0; 64]; SYMMETRIES];
    let mut symmetry = 0;
    while symmetry < SYMMETRIES {
        let mut square = 0;
        while square < 64 {
            let exchanged = if symmetry & 4 != 0 { square % 8 * 8 + square / 8 } else { square };
            let files = if symmetry & 1 != 0 { 7 } else { 0 };
            let ranks = if symmetry & 2 != 0 { 56 } else { 0 };
            table[symmetry][square] = (exchanged ^ files ^ ranks) as u8;
            square += 1;
        }
        symmetry += 1;
    }
    table
};

/// The number of sets of `k` out of `n` squares.
pub(super) fn choose(n: usize, k: usize) -> u64 {
    CHOOSE[n][k].into()
}

/// The number of a set among those with the same number of squares.
#[inline]
pub(super) fn rank(set: u64) -> usize {
    squares(set).zip(1..).map(|(square, k)| CHOOSE[square as usize][k] as usize).sum()
}

/// Where a symmetry takes a square.
#[inline]
pub(super) fn image_of(square: u32, symmetry: usize) -> u64 {
    1 << IMAGES[symmetry][square as usize]
}

/// Where a symmetry takes a set.
#[inline]
pub(super) fn image(set: u64, symmetry: usize) -> u64 {
    squares(set).fold(0, |image, square| image | image_of(square, symmetry))
}

/// The symmetry that undoes another.
fn inverse(symmetry: usize) -> usize {
    match symmetry & 4 {
        0 => symmetry,
        _ => 4 | (symmetry & 1) << 1 | (symmetry & 2) >> 1,
    }
}

/// A set that avoids the squares of `holes`, with these squares taken out of the board.
#[inline]
pub(super) fn squeeze(set: u64, holes: u64) -> u64 {
    let (mut set, mut holes) = (set, holes);
    while holes != 0 {
        let hole = 63 - holes.leading_zeros();
        let below = (1 << hole) - 1;
        set = set & below | set >> 1 & !below;
        holes &= below;
    }
    set
}

/// The inverse of [`squeeze`].
#[inline]
pub(super) fn expand(set: u64, holes: u64) -> u64 {
    squares(holes).fold(set, |set, hole| {
        let below = (1 << hole) - 1;
        set & below | (set & !below) << 1
    })
}

/// Some symmetries, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Symmetries(u8);

impl Symmetries {
    /// Whether the identity is the only one.
    #[inline]
    pub(super) fn is_trivial(self) -> bool {
        self.0 == 1
    }

    /// Their number.
    pub(super) fn count(self) -> u32 {
        self.0.count_ones()
    }

    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        (0..SYMMETRIES).filter(move |symmetry| self.0 >> symmetry & 1 != 0)
    }

    /// Those that keep a set.
    pub(super) fn of(self, set: u64) -> Symmetries {
        let kept = self.iter().filter(|&symmetry| image(set, symmetry) == set);
        Symmetries(kept.fold(0, |bits, symmetry| bits | 1 << symmetry))
    }

    /// All of them.
    const ALL: Symmetries = Symmetries(0xFF);
}

/// A class of sets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    /// The first of the sets.
    pub(super) representative: u64,
    /// The symmetries that keep the representative.
    pub(super) symmetries: Symmetries,
}

/// All sets with a number of squares.
#[derive(Debug)]
pub(super) struct Sets {
    /// The sets by their numbers. Those on the first squares of the board come first.
    pub(super) by_number: Vec<u64>,
    /// The classes.
    pub(super) classes: Vec<Class>,
    /// For each set its class, and in the last three bits the symmetry that takes it to the representative.
    class_of: Vec<u32>,
}

impl Sets {
    /// The sets with `count` squares, at most [`MAX_PIECES`].
    #[inline]
    pub(super) fn of(count: usize) -> &'static Sets {
        static SETS: [OnceLock<Sets>; MAX_PIECES + 1] = [const { OnceLock::new() }; MAX_PIECES + 1];
        SETS[count].get_or_init(|| Sets::new(count))
    }

    fn new(count: usize) -> Sets {
        const UNKNOWN: u32 = u32::MAX;
        let number = choose(64, count) as usize;
        let (mut by_number, mut classes) = (Vec::with_capacity(number), Vec::new());
        let mut class_of = vec![UNKNOWN; number];
        let mut set: u64 = (1 << count) - 1;
        for _ in 0..number {
            by_number.push(set);
            if class_of[by_number.len() - 1] == UNKNOWN {
                for symmetry in 0..SYMMETRIES {
                    let class = (classes.len() * SYMMETRIES + inverse(symmetry)) as u32;
                    class_of[rank(image(set, symmetry))] = class;
                }
                classes.push(Class { representative: set, symmetries: Symmetries::ALL.of(set) });
            }
            // The next larger number with the same number of bits.
            let lowest = set & set.wrapping_neg();
            let carried = set.wrapping_add(lowest);
            set = carried | (set ^ carried) >> 2 >> lowest.trailing_zeros().min(63);
        }
        Sets { by_number, classes, class_of }
    }

    /// The index of the class of a set, and a symmetry that takes the set to the representative.
    #[inline]
    pub(super) fn class_of(&self, set: u64) -> (usize, usize) {
        let class = self.class_of[rank(set)] as usize;
        (class / SYMMETRIES, class % SYMMETRIES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_numbered_in_their_order() {
        for count in 1..=3 {
            let sets = Sets::of(count);
            assert!(sets.by_number.is_sorted());
            for (number, &set) in sets.by_number.iter().enumerate() {
                assert_eq!((rank(set), set.count_ones() as usize), (number, count));
            }
        }
        assert_eq!(Sets::of(3).by_number.len(), 41_664);
        assert_eq!(Sets::of(1).classes.len(), 10, "the triangle a1-d1-d4");
    }

    #[test]
    fn a_class_has_all_sets_that_are_symmetric_to_each_other() {
        for count in 1..=3 {
            let sets = Sets::of(count);
            let mut sizes = vec![0; sets.classes.len()];
            for &set in &sets.by_number {
                let (class, symmetry) = sets.class_of(set);
                assert_eq!(image(set, symmetry), sets.classes[class].representative);
                sizes[class] += 1;
            }
            for (class, size) in sets.classes.iter().zip(sizes) {
                assert_eq!(class.symmetries.count() * size, SYMMETRIES as u32);
            }
        }
    }

    #[test]
    fn squares_are_taken_out_and_put_back() {
        let holes = 1 | 1 << 10 | 1 << 63;
        let set = 1 << 1 | 1 << 9 | 1 << 11 | 1 << 62;
        assert_eq!(squeeze(set, holes), 1 | 1 << 8 | 1 << 9 | 1 << 60);
        assert_eq!(expand(squeeze(set, holes), holes), set);
        assert_eq!(squeeze(set, 0), set);
    }
}
