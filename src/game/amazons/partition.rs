//! The partition of a position into independent regions, for the solver.
//!
//! Arrows divide the board into connected regions that no amazon can leave. In a region with amazons of one
//! colour, only the number of moves that its player can make there matters. In the others, the number of
//! moves of each player is bounded from both sides. The bounds often decide the game without search. (Bounds
//! of this kind: M. Müller, "Solving 5×5 Amazons", 2001. Blockers: J. Song and M. Müller, "An enhanced solver
//! for the game of Amazons", 2014.)

use std::ops::ControlFlow;

use arrayvec::ArrayVec;

use super::super::zobrist::mixed;
use super::board::SquareSet;
use super::filling::{self, Region};
use super::proof_numbers::{Reach, proof_numbers};
use super::region_bounds::{Area, Bounds, MAX_REGIONS};

/// The largest deficit, counted in squares, at which the moves in a region are counted by search.
const MAX_SEARCHED_DEFICIT: i32 = 2;

/// A position as a sum of regions. Players are 0 and 1, White and Black.
#[derive(Clone, Debug)]
pub(super) struct Partition<S> {
    /// The regions that are not worth as much as an integer, as far as is known.
    open: ArrayVec<Open<S>, MAX_REGIONS>,
    /// The other regions.
    closed: ArrayVec<(Area<S>, i32), MAX_REGIONS>,
    /// The sum of the closed regions.
    lead: i32,
}

/// An open region and what is known of it.
#[derive(Clone, Copy, Debug)]
struct Open<S> {
    area: Area<S>,
    /// Bounds; if they are `counted` only, the better ones are to be found by search.
    bounds: Bounds,
    state: State<S>,
}

/// How good the bounds of a region are.
#[derive(Clone, Copy, Debug)]
enum State<S> {
    /// The bounds count squares that may be no moves: the squares that each player can reach.
    Counted { reached: [S; 2] },
    /// The region is small, and its bounds have yet to be found.
    Small,
    /// The bounds are right.
    Bounded,
    /// No bounds are better.
    Tightest,
}

/// What the bounds tell about the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// The winner is known.
    Decided {
        /// The winner.
        winner: usize,
    },
    /// The winner is not known.
    Open {
        /// Positions with the same key have the same result for the side to move.
        key: u64,
        /// Initial proof and disproof number.
        numbers: [u32; 2],
    },
}

/// What is known of a part of a position.
#[derive(Clone, Copy, Debug)]
struct Totals {
    /// The sum of the closed regions.
    lead: i32,
    /// The number of open regions.
    open: usize,
    /// The sum of the bounds of open regions.
    bounds: Bounds,
    /// The greatest difference of tightest bounds in an open region.
    heat: i32,
    /// The sum of the keys of open regions, as the order does not matter.
    key: u64,
    /// What the players reach in open regions.
    reach: Reach,
}

impl<S: SquareSet> Partition<S> {
    /// Partitions a position.
    pub(super) fn new(position: &Area<S>) -> Partition<S> {
        let mut partition = Partition { open: ArrayVec::new(), closed: ArrayVec::new(), lead: 0 };
        for area in position.parts() {
            let mut open = Open::new(area);
            open.search_small();
            if matches!(open.state, State::Counted { .. }) {
                open.bounds = [0, 1].map(|player| open.searched_bound(player)).into();
                open.state = State::Bounded;
            }
            if open.bounds.is_tight() {
                partition.lead += open.bounds.lower;
                partition.closed.push((area, open.bounds.lower));
            } else {
                partition.open.push(open);
            }
        }
        partition
    }

    /// The status of the position with a player to move.
    pub(super) fn status(&self, stm: usize) -> Status {
        self.totals(stm, None).status::<S>(stm, &mut [])
    }

    /// The totals of all regions but one.
    fn totals(&self, stm: usize, without: Option<usize>) -> Totals {
        let mut totals = Totals {
            lead: self.lead,
            open: 0,
            bounds: Bounds::ZERO,
            heat: 0,
            key: 0,
            reach: Reach::default(),
        };
        for (index, open) in self.open.iter().enumerate() {
            if Some(index) != without {
                totals.add(open, stm);
            }
        }
        totals
    }

    /// Calls `each` for the moves of the side to move, with the status of the position after each, until it
    /// breaks.
    ///
    /// Of the moves in closed regions there is at most one: what they cost is known. A player for whom the
    /// closed regions are not worth a move needs none of them: if an integer of 0 or less is added to a game,
    /// who can win has a winning move in the game.
    pub(super) fn children(
        &self,
        stm: usize,
        mut each: impl FnMut((u8, u8, u8), Status) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let other = 1 - stm;
        for (index, open) in self.open.iter().enumerate() {
            let rest = self.totals(other, Some(index));
            for mv in open.area.moves(stm) {
                each(mv, rest.with(&open.area.after(stm, mv), other))?;
            }
        }
        let sign = if stm == 0 { 1 } else { -1 };
        if sign * self.lead < 1 {
            return ControlFlow::Continue(());
        }
        let rest = self.totals(other, None);
        for (area, value) in self.closed.iter().filter(|(_, value)| sign * value >= 1) {
            let rest = Totals { lead: rest.lead - value, ..rest };
            for mv in area.moves(stm) {
                let after = Partition::new(&area.after(stm, mv));
                if after.open.is_empty() && after.lead == value - sign {
                    return each(
                        mv,
                        Totals { lead: rest.lead + after.lead, ..rest }.status::<S>(other, &mut []),
                    );
                }
            }
        }
        // None has been found whose cost is known.
        for (area, value) in self.closed.iter() {
            let rest = Totals { lead: rest.lead - value, ..rest };
            for mv in area.moves(stm) {
                each(mv, rest.with(&area.after(stm, mv), other))?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl<S: SquareSet> Open<S> {
    /// A region with bounds that are found without much work.
    #[inline]
    fn new(area: Area<S>) -> Open<S> {
        if let Some(owner) = area.owner() {
            return Open { area, bounds: area.owned(owner), state: State::Bounded };
        }
        if area.is_small() {
            return Open { area, bounds: Bounds::ZERO, state: State::Small };
        }
        let reached = area.reached();
        let count = |set: S| set.count() as i32;
        let bounds = Bounds {
            lower: count(reached[0] & !reached[1]) - count(reached[1]),
            upper: count(reached[0]) - count(reached[1] & !reached[0]),
        };
        Open { area, bounds, state: State::Counted { reached } }
    }

    /// Finds the bounds of a small region.
    #[inline]
    fn search_small(&mut self) {
        if let State::Small = self.state {
            *self = Open { bounds: self.area.tightest(), state: State::Tightest, ..*self };
        }
    }

    /// The lower bound for player 0, or the upper bound for player 1.
    ///
    /// The lower bound of a player's moves counts the moves on its safe squares: those that the opponent
    /// cannot reach as long as the player's amazons stay. An amazon next to a square that the opponent can
    /// reach is a blocker: it may only step back onto a safe square and shoot at the square it has left.
    /// If a player keeps to such moves, the opponent never enters the safe squares, so its moves are at most
    /// those that it could make on all squares it reaches.
    #[inline]
    fn searched_bound(&self, player: usize) -> i32 {
        let State::Counted { reached } = self.state else {
            return [self.bounds.lower, self.bounds.upper][player];
        };
        let other = 1 - player;
        let amazons = self.area.amazons;
        let blockers = amazons[player] & (reached[other] | amazons[other]).around();
        let safe = Region {
            amazons: amazons[player] & !blockers,
            blockers,
            empty: reached[player] & !reached[other],
        };
        let alone = Region { amazons: amazons[other], blockers: S::NONE, empty: reached[other] };
        let lead = filling::move_bounds(safe).lower as i32 - filling::move_bounds(alone).upper as i32;
        if player == 0 { lead } else { -lead }
    }

    /// The key of the region, for the result with a player to move.
    #[inline]
    fn key(&self, stm: usize) -> u64 {
        let Area { amazons, empty } = self.area;
        S::symmetric_hash([amazons[stm], amazons[1 - stm], empty])
    }
}

impl From<[i32; 2]> for Bounds {
    fn from([lower, upper]: [i32; 2]) -> Bounds {
        Bounds { lower, upper }
    }
}

impl Totals {
    /// Adds an open region.
    #[inline]
    fn add<S: SquareSet>(&mut self, open: &Open<S>, stm: usize) {
        self.open += 1;
        self.bounds = self.bounds.plus(open.bounds);
        if let State::Tightest = open.state {
            self.heat = self.heat.max(open.bounds.upper - open.bounds.lower);
        }
        self.key = self.key.wrapping_add(open.key(stm));
        self.reach = self.reach.plus(Reach::new(&open.area));
    }

    /// The status with the parts of an area added.
    #[inline]
    fn with<S: SquareSet>(mut self, area: &Area<S>, stm: usize) -> Status {
        let mut open = ArrayVec::<Open<S>, MAX_REGIONS>::new();
        for part in area.parts() {
            let part = Open::new(part);
            match part.state {
                State::Bounded if part.bounds.is_tight() => self.lead += part.bounds.lower,
                _ => open.push(part),
            }
        }
        if let (0, [part]) = (self.open, &open[..])
            && let State::Small = part.state
        {
            // Who wins moving first follows from one of the bounds.
            let lead = if stm == 0 { self.lead } else { -self.lead };
            let stm_wins = lead + part.area.most(stm) >= 1;
            return Status::Decided { winner: if stm_wins { stm } else { 1 - stm } };
        }
        open.retain(|part| {
            part.search_small();
            if part.bounds.is_tight() && !matches!(part.state, State::Counted { .. }) {
                self.lead += part.bounds.lower;
                return false;
            }
            true
        });
        self.status(stm, &mut open)
    }

    /// The status with open regions added, whose bounds are improved if that may decide.
    ///
    /// The player whose lower bound exceeds the upper bound of the opponent makes the last move. With equal
    /// numbers the side to move runs out of moves first. If a region's bounds are the tightest, the side to
    /// move has a move there after which its lower bound is at most one below the upper bound before.
    #[inline]
    fn status<S: SquareSet>(self, stm: usize, open: &mut [Open<S>]) -> Status {
        let bounds = open.iter().fold(self.bounds, |sum, open| sum.plus(open.bounds));
        let heat = open.iter().filter(|open| matches!(open.state, State::Tightest));
        let heat = heat.fold(self.heat, |heat, open| heat.max(open.bounds.upper - open.bounds.lower));
        let mut deficits = [-self.lead - bounds.lower, self.lead + bounds.upper];
        deficits[stm] += 1 - heat;
        for player in [0, 1] {
            let deficit = &mut deficits[player];
            for open in open.iter() {
                if *deficit > MAX_SEARCHED_DEFICIT {
                    break;
                }
                let (before, after) =
                    ([open.bounds.lower, open.bounds.upper][player], open.searched_bound(player));
                *deficit += if player == 0 { before - after } else { after - before };
            }
            if *deficit <= 0 {
                return Status::Decided { winner: player };
            }
        }
        let reach = open.iter().fold(self.reach, |sum, open| sum.plus(Reach::new(&open.area)));
        let lead = if stm == 0 { self.lead } else { -self.lead };
        let key = open.iter().fold(self.key, |key, open| key.wrapping_add(open.key(stm)));
        Status::Open {
            key: mixed(key.wrapping_add(mixed(lead as u64))),
            numbers: proof_numbers(stm, deficits, self.lead, reach),
        }
    }
}
