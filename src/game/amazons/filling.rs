//! The filling phase: how many moves a player has left in a region that the other one cannot enter.
//!
//! Every move takes one square, so a region of n empty squares has at most n moves; some (defective
//! territories) have less, as not all of their squares can be used up. A search for the longest sequence
//! decides, up to a limit of its nodes. (M. Müller and T. Tegos, "Experiments in Computer Amazons", 2002.)

use std::sync::atomic::{AtomicU64, Ordering};

use super::super::zobrist::mixed;
use super::board::{around, flood, reach, squares};

/// Regions of more empty squares are not searched: they are large enough to be filled, or nearly so.
const LARGEST: u32 = 14;

/// Positions that a search looks into at most.
const NODES: u32 = 100;

/// Entries of the memory of results; a power of two.
const MEMORY: usize = 1 << 15;

/// Results of earlier searches: the upper bits of a region's number, then both bounds. What is remembered
/// is a function of the region alone, so it does not matter who has searched it, and when.
static RESULTS: [AtomicU64; MEMORY] = [const { AtomicU64::new(0) }; MEMORY];

/// Bits of a bound in the memory.
const BOUND_BITS: u32 = 8;

/// A region: amazons of one player and empty squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) amazons: u128,
    /// Amazons that keep the other player out: they only move in, and shoot at where they have stood.
    pub(super) guards: u128,
    pub(super) empty: u128,
}

/// How many moves there are in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moves {
    /// At least so many can be made.
    pub(super) least: u32,
    /// At most so many can be made.
    pub(super) most: u32,
}

/// How many moves the player of a region has in it.
pub(super) fn moves(region: Region) -> Moves {
    let region = region.reachable();
    let most = region.empty.count_ones();
    if most <= 1 {
        return Moves { least: most, most };
    }
    if most > LARGEST {
        return Moves { least: most / 2, most };
    }
    let (place, mark) = region.place();
    let known = RESULTS[place].load(Ordering::Relaxed);
    if known >> (2 * BOUND_BITS) == mark {
        let bound = |shift: u32| (known >> shift & ((1 << BOUND_BITS) - 1)) as u32;
        return Moves { least: bound(BOUND_BITS), most: bound(0) };
    }
    let moves = search(region, most);
    let bounds = u64::from(moves.least) << BOUND_BITS | u64::from(moves.most);
    RESULTS[place].store(mark << (2 * BOUND_BITS) | bounds, Ordering::Relaxed);
    moves
}

/// Looks for a sequence of `most` moves, then for shorter ones.
fn search(region: Region, mut most: u32) -> Moves {
    let mut nodes = NODES;
    let mut longest = 0;
    while most > longest && !region.has(most, &mut nodes, 0, &mut longest) {
        if nodes == 0 {
            return Moves { least: longest, most };
        }
        most -= 1;
    }
    Moves { least: most, most }
}

impl Region {
    /// The region without the squares that its amazons cannot reach.
    fn reachable(self) -> Region {
        Region { empty: flood(self.amazons | self.guards, self.empty), ..self }
    }

    /// Where a region is remembered, and what tells it from others.
    fn place(self) -> (usize, u64) {
        let mut number = 0u64;
        for part in
            [self.amazons, self.amazons >> 64, self.empty, self.empty >> 64, self.guards, self.guards >> 64]
        {
            number = mixed(number ^ part as u64);
        }
        // Not 0: an entry that was never written has the mark 0.
        (number as usize % MEMORY, number >> (2 * BOUND_BITS) | 1)
    }

    /// Whether a sequence of `wanted` moves has been found before the `nodes` ran out. `made` moves led to
    /// the region; `longest` is the longest sequence met on the way.
    fn has(self, wanted: u32, nodes: &mut u32, made: u32, longest: &mut u32) -> bool {
        *longest = made.max(*longest);
        if wanted == 0 {
            return true;
        }
        let region = self.reachable();
        if region.empty.count_ones() < wanted || *nodes == 0 {
            return false;
        }
        *nodes -= 1;
        // Squares in corners first: those with the fewest free neighbours are the hardest to get at later.
        let mut moves = Vec::with_capacity(64);
        for from in squares(region.amazons) {
            let free = region.empty | 1 << from;
            for to in squares(reach(from, region.empty)) {
                for arrow in squares(reach(to, free)) {
                    let after = Region {
                        amazons: region.amazons & !(1 << from) | 1 << to,
                        empty: free & !(1 << to) & !(1 << arrow),
                        ..region
                    };
                    moves.push(((around(1 << arrow) & after.empty).count_ones(), after));
                }
            }
        }
        for from in squares(region.guards) {
            for to in squares(reach(from, region.empty)) {
                let after = Region {
                    amazons: region.amazons | 1 << to,
                    guards: region.guards & !(1 << from),
                    empty: region.empty & !(1 << to),
                };
                moves.push(((around(1 << to) & after.empty).count_ones(), after));
            }
        }
        moves.sort_by_key(|(neighbours, _)| *neighbours);
        moves.into_iter().any(|(_, after)| after.has(wanted - 1, nodes, made + 1, longest))
    }
}
