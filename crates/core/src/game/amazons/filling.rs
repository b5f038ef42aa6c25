//! The filling phase: the number of moves that a player can make in a region closed to the opponent.
//!
//! Every move blocks one square, so a region of n empty squares has at most n moves. Defective territories
//! have fewer, as not all of their squares can be filled. A search for the longest sequence of moves, with a
//! limit on its nodes, gives bounds. (M. Müller and T. Tegos, "Experiments in Computer Amazons", 2002.)

use std::sync::atomic::{AtomicU64, Ordering};

use super::board::{SquareSet, flood, squares};

/// The maximum number of empty squares of a region that is searched for an estimate. In larger ones it is half
/// of the squares.
const MAX_ESTIMATED_SQUARES: u32 = 14;

/// The maximum number of nodes of a search.
const NODE_LIMIT: u32 = 100;

/// The maximum number of neighbours of a square.
const MAX_NEIGHBOURS: u32 = 8;

/// Entries of the cache; a power of two.
const CACHE_SIZE: usize = 1 << 18;

/// Results of earlier searches: the upper bits of a region's hash, then both bounds. A result depends on
/// nothing but the region, so all threads and searches share the cache.
static CACHE: [AtomicU64; CACHE_SIZE] = [const { AtomicU64::new(0) }; CACHE_SIZE];

/// Bits of a bound in the cache.
const BOUND_BITS: u32 = 8;

/// A region: amazons of one player and empty squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region<S> {
    /// The amazons of the player.
    pub amazons: S,
    /// Amazons that keep the opponent out. They may only move into the region and shoot at the square that
    /// they have left.
    pub blockers: S,
    /// The empty squares.
    pub empty: S,
}

/// Bounds on the number of moves in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveBounds {
    /// The lower bound.
    pub lower: u32,
    /// The upper bound.
    pub upper: u32,
}

/// Bounds as of [`move_bounds`] for an evaluation: in a large region the lower one is an estimate. No proof
/// may use it: a region that falls apart into several corridors may have fewer moves.
pub fn move_estimate<S: SquareSet>(region: Region<S>) -> MoveBounds {
    let region = region.reachable();
    let upper = region.empty.count();
    if upper > MAX_ESTIMATED_SQUARES { MoveBounds { lower: upper / 2, upper } } else { known_bounds(region) }
}

/// Bounds on the number of moves that the player of a region has in it. The lower one is the length of a
/// sequence of moves.
pub fn move_bounds<S: SquareSet>(region: Region<S>) -> MoveBounds {
    known_bounds(region.reachable())
}

/// The bounds of a region all of whose squares are reachable, from the cache or by a search.
fn known_bounds<S: SquareSet>(region: Region<S>) -> MoveBounds {
    let upper = region.empty.count();
    if upper <= 1 {
        return MoveBounds { lower: upper, upper };
    }
    let (slot, tag) = region.cache_slot();
    let entry = CACHE[slot].load(Ordering::Relaxed);
    if entry >> (2 * BOUND_BITS) == tag {
        let bound = |shift: u32| (entry >> shift & ((1 << BOUND_BITS) - 1)) as u32;
        return MoveBounds { lower: bound(BOUND_BITS), upper: bound(0) };
    }
    let bounds = search(region, upper);
    let packed = u64::from(bounds.lower) << BOUND_BITS | u64::from(bounds.upper);
    CACHE[slot].store(tag << (2 * BOUND_BITS) | packed, Ordering::Relaxed);
    bounds
}

/// Searches for a sequence of `upper` moves, then for shorter ones.
fn search<S: SquareSet>(region: Region<S>, mut upper: u32) -> MoveBounds {
    let mut search = Search { nodes: NODE_LIMIT, longest: 0, later: Vec::with_capacity(64) };
    while upper > search.longest && !search.can_make(region, upper, 0) {
        if search.nodes == 0 {
            return MoveBounds { lower: search.longest, upper };
        }
        upper -= 1;
    }
    MoveBounds { lower: upper, upper }
}

/// A search for a sequence of moves.
struct Search<S> {
    /// The nodes left.
    nodes: u32,
    /// The longest sequence found so far.
    longest: u32,
    /// Regions after moves that are still to be searched, with the number of empty neighbours of the filled
    /// square.
    later: Vec<(u32, Region<S>)>,
}

impl<S: SquareSet> Search<S> {
    /// Searches for a sequence of `wanted` moves in a region to which `made` moves have led.
    fn can_make(&mut self, region: Region<S>, wanted: u32, made: u32) -> bool {
        self.longest = made.max(self.longest);
        if wanted == 0 {
            return true;
        }
        let region = region.reachable();
        if region.empty.count() < wanted || self.nodes == 0 {
            return false;
        }
        self.nodes -= 1;
        // Squares with few empty neighbours first: they are the hardest to fill later.
        let start = self.later.len();
        let is_found = self.try_dead_ends(region, wanted, made) || self.try_later(start, wanted, made);
        self.later.truncate(start);
        is_found
    }

    /// Tries the moves that have been kept from `start` on.
    fn try_later(&mut self, start: usize, wanted: u32, made: u32) -> bool {
        let end = self.later.len();
        (1..=MAX_NEIGHBOURS).any(|neighbours| {
            (start..end).any(|index| {
                let (own, after) = self.later[index];
                own == neighbours && self.can_make(after, wanted - 1, made + 1)
            })
        })
    }

    /// Tries the moves that fill a square without empty neighbours, and keeps the others for later.
    fn try_dead_ends(&mut self, region: Region<S>, wanted: u32, made: u32) -> bool {
        for from in squares(region.amazons) {
            let free = region.empty | S::square(from);
            for to in squares(S::reach(from, region.empty)) {
                let amazons = region.amazons & !S::square(from) | S::square(to);
                for arrow in squares(S::reach(to, free)) {
                    let empty = free & !(S::square(to) | S::square(arrow));
                    if self.try_dead_end(arrow, Region { amazons, empty, ..region }, wanted, made) {
                        return true;
                    }
                }
            }
        }
        for from in squares(region.blockers) {
            for to in squares(S::reach(from, region.empty)) {
                let after = Region {
                    amazons: region.amazons | S::square(to),
                    blockers: region.blockers & !S::square(from),
                    empty: region.empty & !S::square(to),
                };
                if self.try_dead_end(to, after, wanted, made) {
                    return true;
                }
            }
        }
        false
    }

    #[inline]
    fn try_dead_end(&mut self, filled: u8, after: Region<S>, wanted: u32, made: u32) -> bool {
        match (S::square(filled).around() & after.empty).count() {
            0 => self.can_make(after, wanted - 1, made + 1),
            neighbours => {
                self.later.push((neighbours, after));
                false
            }
        }
    }
}

impl<S: SquareSet> Region<S> {
    /// The region without the squares that its amazons cannot reach.
    fn reachable(self) -> Region<S> {
        Region { empty: flood(self.amazons | self.blockers, self.empty), ..self }
    }

    /// The region's entry in the cache, and the tag that identifies the region there.
    fn cache_slot(self) -> (usize, u64) {
        let hash = S::hash([self.amazons, self.empty, self.blockers]);
        // Never 0, the tag of an empty entry.
        (hash as usize % CACHE_SIZE, hash >> (2 * BOUND_BITS) | 1)
    }
}
