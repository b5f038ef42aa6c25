//! Bounds of a position as a sum of independent regions, for the solver.
//!
//! The player whose lower bound exceeds the upper bound of the opponent makes the last move. With equal
//! numbers the side to move runs out of moves first. If a region's bounds are the tightest, the side to move
//! has a move there after which its lower bound is at most one below the upper bound before.
//!
//! (Bounds of this kind: M. Müller, "Solving 5×5 Amazons", 2001. Blockers: J. Song and M. Müller, "An
//! enhanced solver for the game of Amazons", 2014.)

use super::proof_numbers::{Reach, proof_numbers};
use super::region_bounds::{Area, Bounds};
use labrys_core::game::amazons::board::SquareSet;
use labrys_core::game::amazons::filling::{self, Region};
use labrys_core::game::mixed;

/// The largest deficit, counted in squares, at which the moves in a region are counted by search.
const MAX_SEARCHED_DEFICIT: i32 = 2;

/// The largest deficit of the side to move at which its moves are tried.
const MAX_DEFICIT_TO_WIN: i32 = 4;

/// The largest deficit of the opponent at which all moves of the side to move are tried.
const MAX_DEFICIT_TO_LOSE: i32 = 2;

/// The status of a position.
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
        numbers: [u64; 2],
    },
}

/// The status of a sum of the regions of an area and of others that are worth an integer, `lead`.
#[inline]
pub(super) fn status<S: SquareSet>(area: &Area<S>, lead: i32, stm: usize) -> Status {
    match Sum::new(area, lead, stm) {
        Err(winner) => Status::Decided { winner },
        Ok(sum) => match sum.winner_soon() {
            Some(winner) => Status::Decided { winner },
            None => sum.open_status(),
        },
    }
}

/// Regions with amazons of both players, and the squares that each can reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contested<S> {
    area: Area<S>,
    reached: [S; 2],
}

/// A position that the bounds leave undecided, with a player to move.
#[derive(Clone, Copy, Debug)]
struct Sum<S> {
    stm: usize,
    /// The sum of the regions that are worth an integer.
    lead: i32,
    /// Other regions that are small or have one owner.
    bounded: Area<S>,
    /// The sum of the bounds of these.
    bounds: Bounds,
    /// The greatest difference of the bounds of a small region.
    heat: i32,
    /// The large regions with amazons of both players.
    contested: Contested<S>,
    /// The moves, at least 1, by which the bounds of White and of Black fail to prove a win.
    deficits: [i32; 2],
}

impl<S: SquareSet> Contested<S> {
    /// Regions, as one area.
    #[inline]
    pub(super) fn new(area: Area<S>) -> Contested<S> {
        Contested { area, reached: area.reached() }
    }

    /// Bounds on the moves of White less those of Black.
    pub(super) fn bounds(&self) -> Bounds {
        let [lower, upper] = [0, 1].map(|player| self.safe_moves(player) - self.moves_alone(1 - player));
        Bounds { lower, upper: -upper }
    }

    /// The squares that only a player reaches, less all those that the opponent reaches. Not all of the
    /// squares may be moves, so that this is no bound.
    #[inline]
    fn lead(&self, player: usize) -> i32 {
        let [own, other] = [self.reached[player], self.reached[1 - player]];
        (own & !other).count() as i32 - other.count() as i32
    }

    /// A lower bound on the moves of a player on its safe squares: those that the opponent cannot reach as
    /// long as the player's amazons stay. An amazon next to a square that the opponent can reach is a
    /// blocker: it may only step back onto a safe square and shoot at the square it has left. If a player
    /// keeps to such moves, the opponent never enters the safe squares.
    #[inline]
    fn safe_moves(&self, player: usize) -> i32 {
        let (other, amazons) = (1 - player, self.area.amazons);
        let blockers = amazons[player] & (self.reached[other] | amazons[other]).around();
        let safe = Region {
            amazons: amazons[player] & !blockers,
            blockers,
            empty: self.reached[player] & !self.reached[other],
        };
        filling::move_bounds(safe).lower as i32
    }

    /// An upper bound on the moves of a player while the opponent keeps to its safe squares: those that it
    /// could make on all squares it reaches.
    #[inline]
    fn moves_alone(&self, player: usize) -> i32 {
        let alone =
            Region { amazons: self.area.amazons[player], blockers: S::NONE, empty: self.reached[player] };
        filling::move_bounds(alone).upper as i32
    }

    /// A lower bound on the moves of a player less those of the opponent. A tighter one is computed only if
    /// it may reach `needed`.
    #[inline]
    fn least_lead(&self, player: usize, needed: i32) -> i32 {
        let other = 1 - player;
        let safe = self.safe_moves(player);
        let least = safe - self.reached[other].count() as i32;
        if least < needed && least + MAX_SEARCHED_DEFICIT >= needed {
            return safe - self.moves_alone(other);
        }
        least
    }

    /// The regions, one by one.
    #[inline]
    fn parts(&self) -> impl Iterator<Item = Contested<S>> {
        let reached = self.reached;
        self.area.parts().map(move |area| Contested { area, reached: reached.map(|set| set & area.empty) })
    }
}

impl<S: SquareSet> Sum<S> {
    /// The sum of the regions of an area and of others that are worth an integer.
    ///
    /// # Errors
    /// The winner, if the bounds decide.
    #[inline]
    fn new(area: &Area<S>, lead: i32, stm: usize) -> Result<Sum<S>, usize> {
        let mut sum = Sum {
            stm,
            lead,
            bounded: Area::NONE,
            bounds: Bounds::ZERO,
            heat: 0,
            contested: Contested { area: Area::NONE, reached: [S::NONE; 2] },
            deficits: [0; 2],
        };
        let (mut small, mut contested, mut regions) = (Area::NONE, Area::NONE, 0);
        for area in area.parts() {
            match area.owner() {
                Some(owner) => sum.add(area, area.owned(owner)),
                None if area.is_small_region() => (small, regions) = (small.with(&area), regions + 1),
                None => contested = contested.with(&area),
            }
        }
        let is_small = regions == 1 || (regions > 1 && small.is_small());
        if contested.is_none() && sum.bounded.is_none() && is_small {
            return Err(sum.winner_with_small(&small));
        }
        for area in small.parts() {
            let bounds = area.tightest();
            sum.heat = sum.heat.max(bounds.upper - bounds.lower);
            sum.add(area, bounds);
        }
        sum.contested = Contested::new(contested);
        sum.decided().map_or(Ok(sum), Err)
    }

    /// Adds a region with its bounds.
    #[inline]
    fn add(&mut self, area: Area<S>, bounds: Bounds) {
        if bounds.is_tight() {
            self.lead += bounds.lower;
        } else {
            self.bounds = self.bounds.plus(bounds);
            self.bounded = self.bounded.with(&area);
        }
    }

    /// The lead of a player in regions that are worth an integer.
    #[inline]
    fn lead_of(&self, player: usize) -> i32 {
        if player == 0 { self.lead } else { -self.lead }
    }

    /// The winner if only a few squares are not worth an integer: it follows from one of the bounds.
    #[inline]
    fn winner_with_small(&self, small: &Area<S>) -> usize {
        let (stm, other, lead) = (self.stm, 1 - self.stm, self.lead_of(self.stm));
        let reached = small.reached().map(|set| set.count() as i32);
        let wins = lead > reached[other] || (lead + reached[stm] >= 1 && lead + small.most(stm) >= 1);
        if wins { stm } else { other }
    }

    /// The winner by the bounds. If there is none, the deficits are set.
    #[inline]
    fn decided(&mut self) -> Option<usize> {
        self.deficits = [-self.lead - self.bounds.lower, self.lead + self.bounds.upper];
        self.deficits[self.stm] += 1 - self.heat;
        (0..2).find(|&player| {
            let deficit = &mut self.deficits[player];
            *deficit -= self.contested.lead(player);
            if !self.contested.area.is_none() {
                for part in self.contested.parts() {
                    if *deficit > MAX_SEARCHED_DEFICIT {
                        break;
                    }
                    let counted = part.lead(player);
                    *deficit += counted - part.least_lead(player, counted + *deficit);
                }
            }
            *deficit <= 0
        })
    }

    /// The winner, if the bounds prove it after every move or after a good one. Only likely winners are
    /// tried.
    fn winner_soon(&self) -> Option<usize> {
        let (stm, other) = (self.stm, 1 - self.stm);
        if self.deficits[stm] <= MAX_DEFICIT_TO_WIN {
            return self.wins_at_once().then_some(stm);
        }
        (self.deficits[other] <= MAX_DEFICIT_TO_LOSE && self.loses_at_once()).then_some(other)
    }

    /// Whether there is a move after which the bounds prove a win of the side to move.
    fn wins_at_once(&self) -> bool {
        let (stm, other, open, lead) = (self.stm, 1 - self.stm, self.open(), self.lead_of(self.stm));
        open.moves(stm).any(|mv| {
            let after = open.after(stm, mv);
            // The squares nearly always decide, at little cost.
            let may_win = lead + Contested::new(after).lead(stm) >= 0;
            may_win && Sum::new(&after, self.lead, other).err() == Some(stm)
        })
    }

    /// Whether after every move the bounds, or those after a reply, prove a loss of the side to move.
    fn loses_at_once(&self) -> bool {
        let (stm, other, open) = (self.stm, 1 - self.stm, self.open());
        let loses = |after: &Area<S>, lead: i32| match Sum::new(after, lead, other) {
            Err(winner) => winner == other,
            Ok(sum) => sum.wins_at_once(),
        };
        // A move in regions that are worth an integer costs one.
        let spare = self.lead - self.lead.signum();
        (self.lead_of(stm) < 1 || loses(&open, spare))
            && open.moves(stm).all(|mv| loses(&open.after(stm, mv), self.lead))
    }

    /// All regions that are not worth an integer.
    #[inline]
    fn open(&self) -> Area<S> {
        self.contested.area.with(&self.bounded)
    }

    /// The key and the first numbers.
    #[inline]
    fn open_status(&self) -> Status {
        let open = self.open();
        // The order of the regions does not matter.
        let regions = open.parts().fold(0, |key: u64, area| key.wrapping_add(area.key(self.stm)));
        Status::Open {
            key: mixed(regions.wrapping_add(mixed(self.lead_of(self.stm) as u64))),
            numbers: proof_numbers(self.stm, self.deficits, self.lead, Reach::new(&open)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::area;
    use super::super::partition::Partition;
    use super::*;
    use labrys_core::game::Game;
    use labrys_core::game::amazons::Amazons;

    /// Regions of more than 14 squares in which White has fewer moves than half of them.
    #[test]
    fn corridors_that_part_are_not_all_filled() {
        for fen in [
            // Whoever enters one of three pockets shuts the others. The solver has taken this for a win of White.
            "*2*2*/3*3/***Q***/3*q2/*2*3/*****1* w - - 0 1",
            "1*2**2**1/*1**1*2*1*/***1**q***1/2**1***1*1/2q*1*2*1*/*****Q*****/*1*2*1*q2/1*1***1**1*/\
             1***q**1***/*1*2*1**1*/1**2**2*1 w - - 0 1",
        ] {
            let position = Amazons::from_fen(fen).unwrap();
            let status = Partition::new(&area(&position)).status(0);
            assert_ne!(status, Status::Decided { winner: 0 }, "{fen}");
        }
    }
}
