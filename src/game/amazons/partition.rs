//! The partition of a position into independent regions, for the solver.
//!
//! Arrows divide the board into connected regions that no amazon can leave. In a region with amazons of one
//! colour, only the number of moves that its player can make there matters. In the others, the number of
//! moves of each player is bounded from both sides. The bounds often decide the game without search. (Bounds
//! of this kind: M. Müller, "Solving 5×5 Amazons", 2001. Blockers: J. Song and M. Müller, "An enhanced solver
//! for the game of Amazons", 2014.)

use super::super::zobrist::{mixed, random_table};
use super::board::{MAX_SIZE, around, connected, flood, squares};
use super::filling::{self, Region};

/// The largest deficit, counted in squares, at which the moves in a region are counted by search.
const MAX_SEARCHED_DEFICIT: i32 = 2;

/// Symmetries of a square: four rotations, each with its mirror image.
const SYMMETRIES: usize = 8;

/// Zobrist keys of the squares: with an amazon of the side to move, with one of the opponent, and empty.
static KEYS: [[u64; MAX_SIZE * MAX_SIZE]; 3] =
    [random_table(0x4F77_6E21), random_table(0x4F74_6865), random_table(0x456D_7074)];

/// The open regions of a position and the balance of moves in the others, for the side to move. A region is
/// open while the number of moves in it is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Partition {
    /// The amazons of the side to move and of the opponent in open regions.
    amazons: [u128; 2],
    /// The empty squares of open regions.
    empty: u128,
    /// Moves of the side to move in the other regions, less those of the opponent.
    move_lead: i32,
}

/// What the bounds tell about the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// The winner is known.
    Decided {
        /// Whether the side to move wins.
        stm_wins: bool,
    },
    /// The winner is not known. `deficits` are the moves, at least 1, by which the bounds of the side to move
    /// and of the opponent fail to prove a win.
    Open { deficits: [u32; 2] },
}

impl Partition {
    /// Partitions a position. `amazons` are those of the side to move and those of the opponent.
    pub(super) fn new(amazons: [u128; 2], empty: u128) -> Partition {
        let mut partition = Partition { amazons: [0; 2], empty: 0, move_lead: 0 };
        for region in components(amazons[0] | amazons[1] | empty) {
            let (here, free) = (amazons.map(|set| set & region), empty & region);
            // There are no moves in a region without amazons or without empty squares.
            if free == 0 || here == [0; 2] {
                continue;
            }
            if here[0] == 0 || here[1] == 0 {
                let region = Region { amazons: here[0] | here[1], blockers: 0, empty: free };
                let bounds = filling::move_bounds(region);
                if bounds.lower == bounds.upper {
                    let moves = bounds.lower as i32;
                    partition.move_lead += if here[1] == 0 { moves } else { -moves };
                    continue;
                }
            }
            partition.amazons = [partition.amazons[0] | here[0], partition.amazons[1] | here[1]];
            partition.empty |= free;
        }
        partition
    }

    /// Decides the game if the bounds suffice.
    ///
    /// The lower bound of a player's moves counts the moves on its safe squares: those that the opponent
    /// cannot reach as long as the player's amazons stay. An amazon next to a square that the opponent can
    /// reach is a blocker: it may only step back onto a safe square and shoot at the square it has left.
    /// If a player keeps to such moves, the opponent never enters the safe squares, so its moves are at most
    /// those that it could make on all squares it reaches. The player whose lower bound exceeds the upper
    /// bound of the opponent makes the last move. With equal numbers the side to move runs out of moves
    /// first.
    pub(super) fn status(&self) -> Status {
        if self.empty == 0 {
            return Status::Decided { stm_wins: self.move_lead > 0 };
        }
        let reached = self.amazons.map(|amazons| flood(amazons, self.empty));
        let mut deficits = [1; 2];
        for (player, deficit) in deficits.iter_mut().enumerate() {
            let other = 1 - player;
            let safe = reached[player] & !reached[other];
            let required_lead = if player == 0 { 1 - self.move_lead } else { self.move_lead };
            let count = |set: u128| set.count_ones() as i32;
            *deficit = required_lead + count(reached[other]) - count(safe);
            if *deficit > MAX_SEARCHED_DEFICIT {
                continue;
            }
            // A square of the region may be no move: search for the number of moves.
            let blockers = self.amazons[player] & around(reached[other] | self.amazons[other]);
            let region = Region { amazons: self.amazons[player] & !blockers, blockers, empty: safe };
            *deficit += count(safe) - filling::move_bounds(region).lower as i32;
            if *deficit > MAX_SEARCHED_DEFICIT {
                continue;
            }
            let alone = Region { amazons: self.amazons[other], blockers: 0, empty: reached[other] };
            *deficit += filling::move_bounds(alone).upper as i32 - count(reached[other]);
            if *deficit <= 0 {
                return Status::Decided { stm_wins: player == 0 };
            }
        }
        Status::Open { deficits: deficits.map(|deficit| deficit as u32) }
    }

    /// A key of the open regions and the lead. Each region is normalised by translation, rotation and
    /// reflection, so that equivalent positions share a key.
    pub(super) fn key(&self) -> u64 {
        let ground = self.amazons[0] | self.amazons[1] | self.empty;
        // A sum, as the order of the regions does not matter.
        let lead = mixed(self.move_lead as u64);
        mixed(components(ground).fold(lead, |key, region| key.wrapping_add(self.region_key(region))))
    }

    /// The key of a region: the smallest of the keys of its eight images in the lower left corner.
    fn region_key(&self, region: u128) -> u64 {
        let row =
            (0..MAX_SIZE).fold(0, |row, rank| row | region >> (MAX_SIZE * rank)) & ((1 << MAX_SIZE) - 1);
        let (first_file, last_file) = (row.trailing_zeros() as usize, row.ilog2() as usize);
        let (first_rank, last_rank) =
            (region.trailing_zeros() as usize / MAX_SIZE, region.ilog2() as usize / MAX_SIZE);
        let mut keys = [0; SYMMETRIES];
        for (set, table) in [self.amazons[0], self.amazons[1], self.empty].into_iter().zip(&KEYS) {
            for square in squares(set & region) {
                let (file, rank) = (usize::from(square) % MAX_SIZE, usize::from(square) / MAX_SIZE);
                let (west, east) = (file - first_file, last_file - file);
                let (south, north) = (rank - first_rank, last_rank - rank);
                let images: [(usize, usize); SYMMETRIES] = [
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
                    *key ^= table[MAX_SIZE * rank + file];
                }
            }
        }
        mixed(keys.into_iter().min().unwrap_or(0))
    }
}

/// The connected components of a set of squares.
fn components(mut ground: u128) -> impl Iterator<Item = u128> {
    std::iter::from_fn(move || {
        let component = connected(ground & ground.wrapping_neg(), ground);
        ground &= !component;
        (component != 0).then_some(component)
    })
}
