//! The interface between efficiently updatable nets (NNUE) and a game: sparse binary inputs.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use super::{Color, Knowledge};

/// The board that inputs belong to, and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputShape {
    /// Files of the board.
    pub files: usize,
    /// Ranks of the board.
    pub ranks: usize,
    /// Inputs of a player.
    pub inputs: usize,
}

/// The perspective of a player, who plays up the board, as in NNUE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perspective {
    /// The player.
    pub player: Color,
    /// Whether the files are counted from the right.
    pub mirrored: bool,
    /// The bucket of weights, below [`Knowledge::BUCKETS`]: in chess, that of the player's king.
    pub bucket: u8,
}

impl Perspective {
    /// A perspective that is not mirrored, with the first bucket.
    #[inline]
    pub fn plain(player: Color) -> Perspective {
        Perspective { player, mirrored: false, bucket: 0 }
    }
}

/// The maximum number of inputs of a position.
pub const MAX_INPUTS: usize = 256;

/// Bits of a plane.
const BITS: usize = u128::BITS as usize;

/// The plane and the bit of an input. Inputs are numbered plane by plane.
#[inline]
pub fn plane_and_bit(input: u16) -> (usize, usize) {
    (usize::from(input) / BITS, usize::from(input) % BITS)
}

/// Calls `visit` with each input.
#[inline]
pub fn each_input(planes: impl AsRef<[u128]>, mut visit: impl FnMut(u16)) {
    for (plane, &bits) in planes.as_ref().iter().enumerate() {
        each_bit(bits, |bit| visit((plane * BITS + bit) as u16));
    }
}

/// Calls `visit` with each input that is in `after` and not in `before`, then true, and with each that only
/// `before` has, then false.
#[inline]
pub fn each_changed_input<P: AsRef<[u128]>>(before: &P, after: &P, mut visit: impl FnMut(u16, bool)) {
    for (plane, (&before, &after)) in before.as_ref().iter().zip(after.as_ref()).enumerate() {
        if before != after {
            each_bit(after & !before, |bit| visit((plane * BITS + bit) as u16, true));
            each_bit(before & !after, |bit| visit((plane * BITS + bit) as u16, false));
        }
    }
}

/// The rows of the weights of all inputs in all perspectives of a board: a lookup table of
/// [`Knowledge::input_index`].
#[derive(Clone, Debug)]
pub struct InputRows {
    /// The buckets of the net.
    buckets: u8,
    /// The rows of each perspective.
    rows: Vec<Vec<u16>>,
}

impl InputRows {
    /// The rows of a board of the game `G` for a net with `buckets` buckets, at least 1.
    pub fn new<G: Knowledge>(board: InputShape, buckets: u8) -> InputRows {
        let inputs = G::InputPlanes::default().as_ref().len() * BITS;
        let mut rows = Vec::new();
        for player in Color::BOTH {
            for mirrored in [false, true] {
                for bucket in 0..buckets {
                    let perspective = Perspective { player, mirrored, bucket };
                    let row = |input| {
                        let (plane, bit) = plane_and_bit(input as u16);
                        let index = G::input_index(board, perspective, plane, bit).unwrap_or_default();
                        (usize::from(bucket) * board.inputs + index) as u16
                    };
                    rows.push((0..inputs).map(row).collect());
                }
            }
        }
        InputRows { buckets, rows }
    }

    /// The row of each input in a perspective; any one for an input that the board does not have.
    #[inline]
    pub fn of(&self, perspective: Perspective) -> &[u16] {
        &self.rows[self.number(perspective)]
    }

    /// Whether two perspectives have the same rows.
    #[inline]
    pub fn are_same(&self, one: Perspective, other: Perspective) -> bool {
        self.number(one) == self.number(other)
    }

    #[inline]
    fn number(&self, Perspective { player, mirrored, bucket }: Perspective) -> usize {
        let side = 2 * player.index() + usize::from(mirrored);
        side * usize::from(self.buckets) + usize::from(bucket.min(self.buckets - 1))
    }
}

/// Calls `visit` with each bit of a set, the lowest first.
#[inline]
fn each_bit(mut set: u128, mut visit: impl FnMut(usize)) {
    while set != 0 {
        visit(set.trailing_zeros() as usize);
        set &= set - 1;
    }
}
