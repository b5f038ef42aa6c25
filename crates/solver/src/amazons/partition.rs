//! The partition of a position into independent regions, for the solver.
//!
//! Arrows divide the board into connected regions that no amazon can leave. In a region with amazons of one
//! colour, only the number of moves that its player can make there matters. In the others, the number of
//! moves of each player is bounded from both sides. The bounds often decide the game without search.

use std::ops::ControlFlow;

use arrayvec::ArrayVec;

use super::region_bounds::{Area, MAX_REGIONS};
use super::sum::{Contested, Status, status};
use labrys_core::game::amazons::board::SquareSet;

/// A position as a sum of regions. Players are 0 and 1, White and Black.
#[derive(Clone, Debug)]
pub(super) struct Partition<S> {
    /// The regions that are not known to be worth an integer.
    open: Area<S>,
    /// The other regions, and their values.
    closed: ArrayVec<(Area<S>, i32), MAX_REGIONS>,
    /// The sum of the closed regions.
    lead: i32,
}

impl<S: SquareSet> Partition<S> {
    /// Partitions a position.
    pub(super) fn new(position: &Area<S>) -> Partition<S> {
        let mut partition = Partition { open: Area::NONE, closed: ArrayVec::new(), lead: 0 };
        for area in position.parts() {
            let bounds = match area.owner() {
                Some(owner) => area.owned(owner),
                None if area.is_small_region() => area.tightest(),
                None => Contested::new(area).bounds(),
            };
            if bounds.is_tight() {
                partition.lead += bounds.lower;
                partition.closed.push((area, bounds.lower));
            } else {
                partition.open = partition.open.with(&area);
            }
        }
        partition
    }

    /// The status of the position with a player to move.
    pub(super) fn status(&self, stm: usize) -> Status {
        status(&self.open, self.lead, stm)
    }

    /// Calls `each` for the moves of the side to move, with the status of the position after each, until it
    /// breaks.
    ///
    /// Of the moves in closed regions at most one is given, as their cost is known; none if the closed
    /// regions are not worth a move to the player: after adding an integer of 0 or less to a game, a winner
    /// still has a winning move in the game.
    pub(super) fn children(
        &self,
        stm: usize,
        mut each: impl FnMut((u8, u8, u8), Status) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let other = 1 - stm;
        self.open
            .moves(stm)
            .try_for_each(|mv| each(mv, status(&self.open.after(stm, mv), self.lead, other)))?;
        let sign = if stm == 0 { 1 } else { -1 };
        if sign * self.lead < 1 {
            return ControlFlow::Continue(());
        }
        for (area, value) in self.closed.iter().filter(|(_, value)| sign * value >= 1) {
            for mv in area.moves(stm) {
                let after = Partition::new(&area.after(stm, mv));
                if after.open.is_none() && after.lead == value - sign {
                    return each(mv, status(&self.open, self.lead - sign, other));
                }
            }
        }
        // There is none of known cost.
        for (area, value) in &self.closed {
            for mv in area.moves(stm) {
                let after = self.open.with(&area.after(stm, mv));
                each(mv, status(&after, self.lead - value, other))?;
            }
        }
        ControlFlow::Continue(())
    }
}
