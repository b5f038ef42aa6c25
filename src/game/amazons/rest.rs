//! The open parts of a position: results that are certain without search, and positions that share a result.
//!
//! Arrows part the board for good: an amazon stays on the connected squares without arrow that it stands
//! on. A part with amazons of one colour is worth the moves that can be made in it. In any other, moves are
//! bounded from both sides. (M. Müller, "Solving 5×5 Amazons", 2001, works with bounds of this kind; J.
//! Song and M. Müller, "An enhanced solver for the game of Amazons", 2014, let amazons that stand in the
//! way guard what lies behind them.)

use super::super::zobrist::{mixed, random_table};
use super::board::{MOST, around, connected, flood, squares};
use super::filling::{self, Region};

/// So many squares may still be lacking when regions are filled to see whether they are.
const CLOSE: i32 = 2;

/// Images of a rectangle when it is mirrored and turned.
const IMAGES: usize = 8;

/// Random numbers of the squares: with an amazon of the side to move, one of the other player, and empty.
static KEYS: [[u64; MOST * MOST]; 3] =
    [random_table(0x4F77_6E21), random_table(0x4F74_6865), random_table(0x456D_7074)];

/// The parts of a position in which something is open, and the balance of the others, from the view of the
/// side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rest {
    /// The amazons of the side to move and of the other player in open parts.
    amazons: [u128; 2],
    /// The empty squares of open parts.
    empty: u128,
    /// Moves that the side to move has in the other parts, less those of the other player.
    lead: i32,
}

/// What is known of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// Who makes the last move.
    Certain {
        /// Whether it is the player to move.
        mover_wins: bool,
    },
    /// Not certain. `lacks` are the moves, at least 1, that the side to move lacks for a certain win, and
    /// those that the other player lacks.
    Open { lacks: [u32; 2] },
}

impl Rest {
    /// Of the position with these amazons, that of the side to move first, and these empty squares.
    pub(super) fn new(amazons: [u128; 2], empty: u128) -> Rest {
        let mut rest = Rest { amazons: [0; 2], empty: 0, lead: 0 };
        for part in parts(amazons[0] | amazons[1] | empty) {
            let (here, free) = (amazons.map(|set| set & part), empty & part);
            // Amazons without empty squares never move again, empty squares without amazons are never used.
            if free == 0 || here == [0; 2] {
                continue;
            }
            if here[0] == 0 || here[1] == 0 {
                let found = filling::moves(Region { amazons: here[0] | here[1], guards: 0, empty: free });
                if found.least == found.most {
                    let moves = found.least as i32;
                    rest.lead += if here[1] == 0 { moves } else { -moves };
                    continue;
                }
            }
            rest.amazons = [rest.amazons[0] | here[0], rest.amazons[1] | here[1]];
            rest.empty |= free;
        }
        rest
    }

    /// Who wins, if that is certain.
    ///
    /// Let a player keep to the squares that only its own amazons reach as long as they stand. It may leave
    /// a square only when the other player cannot enter there: amazons next to where the other one gets
    /// (guards) just step in and shoot at where they have stood. Then the other one has no more moves than
    /// it would have by itself. Who has more moves like this than the other one at all makes the last move;
    /// of equal numbers, the side to move runs out first.
    pub(super) fn judge(&self) -> Judgement {
        if self.empty == 0 {
            return Judgement::Certain { mover_wins: self.lead > 0 };
        }
        let reached = self.amazons.map(|amazons| flood(amazons, self.empty));
        let mut lacks = [1; 2];
        for (player, lack) in lacks.iter_mut().enumerate() {
            let other = 1 - player;
            let safe = reached[player] & !reached[other];
            let need = if player == 0 { 1 - self.lead } else { self.lead };
            let count = |set: u128| set.count_ones() as i32;
            *lack = need + count(reached[other]) - count(safe);
            if *lack > CLOSE {
                continue;
            }
            // What can really be made of the squares.
            let guards = self.amazons[player] & around(reached[other] | self.amazons[other]);
            let region = Region { amazons: self.amazons[player] & !guards, guards, empty: safe };
            *lack += count(safe) - filling::moves(region).least as i32;
            if *lack > CLOSE {
                continue;
            }
            let alone = Region { amazons: self.amazons[other], guards: 0, empty: reached[other] };
            *lack += filling::moves(alone).most as i32 - count(reached[other]);
            if *lack <= 0 {
                return Judgement::Certain { mover_wins: player == 0 };
            }
        }
        Judgement::Open { lacks: lacks.map(|lack| lack as u32) }
    }

    /// A number that is the same for positions with the same result: each part may be elsewhere on the
    /// board, mirrored or turned.
    pub(super) fn key(&self) -> u64 {
        let ground = self.amazons[0] | self.amazons[1] | self.empty;
        // A sum, as the order of the parts does not matter.
        mixed(parts(ground).fold(mixed(self.lead as u64), |key, part| key.wrapping_add(self.part_key(part))))
    }

    /// The key of a part: the least of those of its images, each with the least squares that it fits on.
    fn part_key(&self, part: u128) -> u64 {
        let row = (0..MOST).fold(0, |row, rank| row | part >> (MOST * rank)) & ((1 << MOST) - 1);
        let (first_file, last_file) = (row.trailing_zeros() as usize, row.ilog2() as usize);
        let (first_rank, last_rank) = (part.trailing_zeros() as usize / MOST, part.ilog2() as usize / MOST);
        let mut keys = [0; IMAGES];
        for (set, table) in [self.amazons[0], self.amazons[1], self.empty].into_iter().zip(&KEYS) {
            for square in squares(set & part) {
                let (file, rank) = (usize::from(square) % MOST, usize::from(square) / MOST);
                let (west, east) = (file - first_file, last_file - file);
                let (south, north) = (rank - first_rank, last_rank - rank);
                let images: [(usize, usize); IMAGES] = [
                    (west, south),
                    (east, south),
                    (west, north),
                    (east, north),
                    (south, west),
                    (south, east),
                    (north, west),
                    (north, east),
                ];
                for (key, (file, rank)) in keys.iter_mut().zip(images) {
                    *key ^= table[MOST * rank + file];
                }
            }
        }
        mixed(keys.into_iter().min().unwrap_or(0))
    }
}

/// The connected parts of a set of squares.
fn parts(mut ground: u128) -> impl Iterator<Item = u128> {
    std::iter::from_fn(move || {
        let part = connected(ground & ground.wrapping_neg(), ground);
        ground &= !part;
        (part != 0).then_some(part)
    })
}
