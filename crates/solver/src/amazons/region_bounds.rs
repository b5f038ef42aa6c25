//! Regions with amazons of both players as games of combinatorial game theory.
//!
//! In a sum of regions, a region counts for White at least as many moves as the largest integer n with G ≥ n,
//! and at most as many as the smallest integer m with G ≤ m. G ≥ n means that White, moving second, wins G
//! with n moves of Black beside it. White, moving first, wins G with k moves of Black beside it if and only
//! if k < m. (E. Berlekamp, J. Conway and R. Guy, "Winning Ways for Your Mathematical Plays", 1982.)

use std::sync::atomic::{AtomicU64, Ordering};

use super::region_tables;
use labrys_core::game::amazons::MAX_AMAZONS;
use labrys_core::game::amazons::board::{SquareSet, components, floods, squares};
use labrys_core::game::amazons::filling::{self, Region};

/// The maximum number of empty squares of a region whose integers are found by search, where no table has
/// them.
pub(super) const MAX_SEARCHED_SQUARES: u32 = 3;

/// Regions of a position: each has an amazon.
pub(super) const MAX_REGIONS: usize = 2 * MAX_AMAZONS as usize;

/// Entries of the cache; a power of two.
const CACHE_SIZE: usize = 1 << 18;

/// Results of earlier searches: the upper bits of a region's hash, then the bound. A result depends only on
/// the region, so all threads and searches share the cache.
static CACHE: [AtomicU64; CACHE_SIZE] = [const { AtomicU64::new(0) }; CACHE_SIZE];

/// Bits of a bound in the cache.
const BOUND_BITS: u32 = 8;

/// A region, independent of the rest of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area<S> {
    /// The amazons of White and of Black.
    pub(super) amazons: [S; 2],
    pub(super) empty: S,
}

/// Integers that bound a region, both its moves of White less those of Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) lower: i32,
    pub(super) upper: i32,
}

impl<S: SquareSet> Area<S> {
    /// No squares.
    pub(super) const NONE: Area<S> = Area { amazons: [S::NONE; 2], empty: S::NONE };

    /// Whether it has no empty squares, so that nobody can move there.
    #[inline]
    pub(super) fn is_none(&self) -> bool {
        self.empty.is_none()
    }

    /// Both areas.
    #[inline]
    pub(super) fn with(&self, other: &Area<S>) -> Area<S> {
        Area {
            amazons: [0, 1].map(|player| self.amazons[player] | other.amazons[player]),
            empty: self.empty | other.empty,
        }
    }

    /// The key of the region, for the result with a player to move.
    #[inline]
    pub(super) fn key(&self, stm: usize) -> u64 {
        S::symmetric_hash([self.amazons[stm], self.amazons[1 - stm], self.empty])
    }

    /// All squares.
    #[inline]
    pub(super) fn ground(&self) -> S {
        self.amazons[0] | self.amazons[1] | self.empty
    }

    /// The part of a position on these squares, unless nobody can move there.
    #[inline]
    fn part(&self, ground: S) -> Option<Area<S>> {
        let part = Area { amazons: self.amazons.map(|amazons| amazons & ground), empty: self.empty & ground };
        let can_move = !part.empty.is_none() && part.empty != ground;
        can_move.then_some(part)
    }

    /// The regions with moves.
    #[inline]
    pub(super) fn parts(&self) -> impl Iterator<Item = Area<S>> {
        let whole = *self;
        components(self.ground()).filter_map(move |ground| whole.part(ground))
    }

    /// Calls `each` for every move of a player, with its start, target and arrow.
    #[inline]
    pub(super) fn moves(&self, player: usize) -> impl Iterator<Item = (u8, u8, u8)> {
        let Area { amazons, empty } = *self;
        squares(amazons[player]).flat_map(move |from| {
            squares(S::reach(from, empty)).flat_map(move |to| {
                squares(S::reach(to, empty | S::square(from))).map(move |arrow| (from, to, arrow))
            })
        })
    }

    /// The area after a move.
    #[inline]
    pub(super) fn after(&self, player: usize, (from, to, arrow): (u8, u8, u8)) -> Area<S> {
        let mut after = *self;
        after.amazons[player] = after.amazons[player] & !S::square(from) | S::square(to);
        after.empty = (after.empty | S::square(from)) & !(S::square(to) | S::square(arrow));
        after
    }

    /// The only player with amazons, if there is one.
    #[inline]
    pub(super) fn owner(&self) -> Option<usize> {
        match self.amazons.map(S::is_none) {
            [false, true] => Some(0),
            [true, false] => Some(1),
            _ => None,
        }
    }

    /// Bounds of a region of one player.
    #[inline]
    pub(super) fn owned(&self, owner: usize) -> Bounds {
        let (lower, upper) = if region_tables::has(self) {
            let moves = self.most(owner);
            (moves, moves)
        } else {
            let region = Region { amazons: self.amazons[owner], blockers: S::NONE, empty: self.empty };
            let moves = filling::move_bounds(region);
            (moves.lower as i32, moves.upper as i32)
        };
        if owner == 0 { Bounds { lower, upper } } else { Bounds { lower: -upper, upper: -lower } }
    }

    /// Whether the regions are small enough for [`Area::most`] by search.
    #[inline]
    pub(super) fn is_small(&self) -> bool {
        self.empty.count() <= MAX_SEARCHED_SQUARES
    }

    /// Whether one region is small enough for [`Area::most`].
    #[inline]
    pub(super) fn is_small_region(&self) -> bool {
        self.is_small() || region_tables::has(self)
    }

    /// The tightest bounds of the region.
    #[inline]
    pub(super) fn tightest(&self) -> Bounds {
        if let Some(owner) = self.owner() {
            let bounds = self.owned(owner);
            if bounds.is_tight() {
                return bounds;
            }
        }
        Bounds { lower: -self.most(1), upper: self.most(0) }
    }

    /// The smallest number of moves of a player that the sum of the regions is not worth more than.
    pub(super) fn most(&self, player: usize) -> i32 {
        if self.empty.without_first().is_none() {
            // A player who fills the last square has the only move left.
            return if (self.amazons[player].around() & self.empty).is_none() { -1 } else { 1 };
        }
        let hash = S::hash([self.amazons[player], self.amazons[1 - player], self.empty]);
        let (slot, tag) = (&CACHE[hash as usize % CACHE_SIZE], hash >> BOUND_BITS | 1);
        let entry = slot.load(Ordering::Relaxed);
        if entry >> BOUND_BITS == tag {
            return i32::from(entry as i8);
        }
        let most = region_tables::most(self, player).unwrap_or_else(|| most_of_sum(self, player));
        slot.store(tag << BOUND_BITS | u64::from(most as i8 as u8), Ordering::Relaxed);
        most
    }

    /// The squares that each player can reach.
    #[inline]
    pub(super) fn reached(&self) -> [S; 2] {
        floods(self.amazons, self.empty)
    }
}

impl Bounds {
    pub(super) const ZERO: Bounds = Bounds { lower: 0, upper: 0 };

    /// Whether the region is worth as much as an integer.
    #[inline]
    pub(super) fn is_tight(self) -> bool {
        self.lower == self.upper
    }

    #[inline]
    pub(super) fn plus(self, other: Bounds) -> Bounds {
        Bounds { lower: self.lower + other.lower, upper: self.upper + other.upper }
    }
}

/// The smallest number of moves of a player that the sum of all regions of an area is not worth more than.
fn most<S: SquareSet>(whole: &Area<S>, player: usize) -> i32 {
    let mut parts = whole.parts();
    let Some(first) = parts.next() else { return 0 };
    let Some(second) = parts.next() else { return first.most(player) };
    let (mut closed, mut rest) = (0, 0);
    let (mut open, mut count) = (Area::NONE, 0);
    for area in [first, second].into_iter().chain(parts) {
        let bounds = area.tightest();
        let most = if player == 0 { bounds.upper } else { -bounds.lower };
        if bounds.is_tight() {
            closed += most;
        } else {
            (open, count, rest) = (open.with(&area), count + 1, most);
        }
    }
    closed + if count > 1 { most_of_sum(&open, player) } else { rest }
}

/// The same, from the values after each move. If the sum is still worth n moves after a move of the player,
/// the player wins with n moves of the opponent beside it, so that the number is above n. The opponent's
/// moves, and those in integers, matter only to players without other good moves.
pub(super) fn most_of_sum<S: SquareSet>(area: &Area<S>, player: usize) -> i32 {
    let after =
        |mover: usize, wanted: usize| area.moves(mover).map(move |mv| most(&area.after(mover, mv), wanted));
    let opponent = 1 - player;
    match after(player, opponent).map(|most| 1 - most).max() {
        Some(best) if best >= 0 => best,
        best => {
            let answer = after(opponent, player).map(|most| most - 1).min();
            best.unwrap_or(i32::MIN).max(answer.unwrap_or(0).min(0))
        }
    }
}
