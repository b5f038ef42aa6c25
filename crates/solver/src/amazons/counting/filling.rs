//! Long sequences of undisturbed moves of one player: each fills a square.

use std::cell::RefCell;
use std::thread::LocalKey;

use labrys_core::game::amazons::board::{SquareSet, components, flood, squares};

/// The maximum number of nodes of a search for a sequence of moves.
const NODES: u32 = 300;

/// The maximum number of neighbours of a square.
const MAX_NEIGHBOURS: u32 = 8;

/// Entries of the cache of a thread; a power of two.
const CACHE_SIZE: usize = 1 << 14;

/// Squares that one player fills, all reachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filling<S> {
    pub(super) amazons: S,
    /// Amazons that may only step onto one of the squares and shoot at the square that they have left.
    pub(super) guards: S,
    pub(super) empty: S,
}

impl<S: CachedSquares> Filling<S> {
    /// Whether sequences of `wanted` moves are found in all parts together.
    pub(super) fn has_moves(self, wanted: i32) -> bool {
        // The squares that may be left empty.
        let mut spare = self.empty.count() as i32 - wanted;
        let mut parts = self.parts().peekable();
        while spare >= 0
            && let Some(part) = parts.next()
        {
            let squares = part.empty.count();
            let needed = squares.saturating_sub(spare as u32);
            // The last part need not be filled further.
            let enough = if parts.peek().is_some() { squares } else { needed };
            let longest = part.longest(needed.saturating_sub(1), enough).moves;
            if longest < needed {
                return false;
            }
            spare -= (squares - longest) as i32;
        }
        spare >= 0
    }

    /// An upper bound on the moves of a sequence.
    pub(super) fn most(self) -> u32 {
        let most = |part: Filling<S>| {
            let squares = part.empty.count();
            let longest = part.longest(0, squares);
            if longest.is_complete { longest.moves } else { squares }
        };
        self.parts().map(most).sum()
    }

    /// The parts with squares to fill that are not connected.
    fn parts(self) -> impl Iterator<Item = Filling<S>> {
        let part = move |part: S| Filling {
            amazons: self.amazons & part,
            guards: self.guards & part,
            empty: self.empty & part,
        };
        components(self.amazons | self.guards | self.empty).map(part).filter(|part| !part.empty.is_none())
    }

    /// The longest sequence of a part: a search for more than `beyond` moves, which ends at `enough`.
    fn longest(self, beyond: u32, enough: u32) -> LongestSequence {
        if self.empty.without_first().is_none() {
            // An amazon or a guard steps there and shoots at the square that it has left.
            return LongestSequence { moves: 1, is_complete: true };
        }
        let key = SearchKey { part: self, beyond, enough };
        let place = S::hash([self.amazons, self.guards, self.empty]) as usize % CACHE_SIZE;
        S::cache().with_borrow_mut(|memory| match memory[place] {
            Some((known, longest)) if known == key => longest,
            _ => {
                let longest = key.search();
                memory[place] = Some((key, longest));
                longest
            }
        })
    }
}

/// The input of a search for the longest sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct SearchKey<S> {
    part: Filling<S>,
    beyond: u32,
    enough: u32,
}

/// The result of that search.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct LongestSequence {
    /// The moves of the longest sequence found, at least `beyond`.
    moves: u32,
    /// Whether there is no longer one, or these are enough.
    is_complete: bool,
}

/// Searches by the hash of the part. The same parts come up in many positions of a certificate.
type Cache<S> = Vec<Option<(SearchKey<S>, LongestSequence)>>;

/// Sets of squares with a cache of searches in each thread.
pub(in super::super) trait CachedSquares: SquareSet + 'static {
    /// The cache of this thread.
    fn cache() -> &'static LocalKey<RefCell<Cache<Self>>>;
}

macro_rules! counted {
    ($set:ty) => {
        impl CachedSquares for $set {
            fn cache() -> &'static LocalKey<RefCell<Cache<Self>>> {
                thread_local!(static CACHE: RefCell<Cache<$set>> = RefCell::new(vec![None; CACHE_SIZE]));
                &CACHE
            }
        }
    };
}

counted!(u64);
counted!(u128);

impl<S: SquareSet> SearchKey<S> {
    fn search(self) -> LongestSequence {
        let SearchKey { part, beyond, enough } = self;
        let mut search = Search { longest: beyond, enough, nodes: NODES, later: Vec::with_capacity(64) };
        search.fill(part, 0);
        LongestSequence { moves: search.longest, is_complete: search.nodes > 0 }
    }
}

/// A search for a long sequence of moves.
struct Search<S> {
    /// The moves of the longest sequence found.
    longest: u32,
    /// The search ends at this many moves.
    enough: u32,
    /// The nodes left.
    nodes: u32,
    /// Positions after moves that are still to be searched, with the number of empty neighbours of the filled
    /// square.
    later: Vec<(u32, Filling<S>)>,
}

impl<S: SquareSet> Search<S> {
    /// Continues after `made` moves.
    fn fill(&mut self, filling: Filling<S>, made: u32) {
        self.longest = made.max(self.longest);
        let filling = Filling { empty: flood(filling.amazons | filling.guards, filling.empty), ..filling };
        let most = made + filling.empty.count();
        if self.is_over(most) {
            return;
        }
        self.nodes -= 1;
        // Squares with few empty neighbours first: they are the hardest to fill later.
        let start = self.later.len();
        self.fill_dead_ends(filling, made, most);
        self.fill_others(start, made, most);
        self.later.truncate(start);
    }

    /// Makes the moves that fill a square without empty neighbours, and keeps the others for later.
    fn fill_dead_ends(&mut self, filling: Filling<S>, made: u32, most: u32) {
        let Filling { amazons, guards, empty } = filling;
        for from in squares(amazons) {
            let free = empty | S::square(from);
            for to in squares(S::reach(from, empty)) {
                let amazons = amazons & !S::square(from) | S::square(to);
                for arrow in squares(S::reach(to, free)) {
                    let empty = free & !(S::square(to) | S::square(arrow));
                    self.fill_dead_end(arrow, Filling { amazons, guards, empty }, made);
                    if self.is_over(most) {
                        return;
                    }
                }
            }
        }
        for from in squares(guards) {
            let guards = guards & !S::square(from);
            for to in squares(S::reach(from, empty)) {
                let (amazons, empty) = (amazons | S::square(to), empty & !S::square(to));
                self.fill_dead_end(from, Filling { amazons, guards, empty }, made);
                if self.is_over(most) {
                    return;
                }
            }
        }
    }

    #[inline]
    fn fill_dead_end(&mut self, filled: u8, after: Filling<S>, made: u32) {
        match (S::square(filled).around() & after.empty).count() {
            0 => self.fill(after, made + 1),
            neighbours => self.later.push((neighbours, after)),
        }
    }

    /// Makes the moves that have been kept from `start` on.
    fn fill_others(&mut self, start: usize, made: u32, most: u32) {
        let end = self.later.len();
        for neighbours in 1..=MAX_NEIGHBOURS {
            for index in start..end {
                if self.is_over(most) {
                    return;
                }
                let (own, after) = self.later[index];
                if own == neighbours {
                    self.fill(after, made + 1);
                }
            }
        }
    }

    /// Whether the search is over if no sequence has more than `most` moves.
    fn is_over(&self, most: u32) -> bool {
        self.longest >= self.enough.min(most) || self.nodes == 0
    }
}
