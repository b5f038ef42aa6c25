//! When a thread of a search has to stop.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::shared::SharedState;
use super::{Limits, TimeManager};
use crate::eval::Score;
use crate::game::{Color, GameMove};

/// Nodes between two looks at the clock, the stop flag and the other threads, at most. What another thread has
/// found ends the work of this one so late.
const POLL_INTERVAL: u64 = 128;

/// The nodes of a thread, and the reasons for it to stop.
pub(super) struct Budget {
    time: TimeManager,
    start: Instant,
    node_limit: u64,
    /// Nodes visited by this thread.
    nodes: u64,
    /// Those of them that the shared count has.
    counted: u64,
    next_poll: u64,
    stop: Stop,
}

/// What a thread has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// Nothing: it goes on.
    Nothing,
    /// The node at a ply: another thread has searched it, with this score for its side to move.
    Node {
        /// Its ply.
        ply: usize,
        /// Its score.
        score: Score,
    },
    /// The search of the root: another thread has finished it.
    Root,
    /// The search.
    Search,
}

impl Budget {
    /// The budget of a search by the player `stm`.
    pub(super) fn new(limits: &Limits, stm: Color) -> Budget {
        Budget {
            time: TimeManager::new(limits, stm),
            start: limits.start,
            node_limit: limits.nodes.unwrap_or(u64::MAX),
            nodes: 0,
            counted: 0,
            next_poll: 0,
            stop: Stop::Nothing,
        }
    }

    /// Whether it is time to [`poll`](Self::poll) before the next node.
    #[inline]
    pub(super) fn is_poll_due(&self) -> bool {
        self.nodes >= self.next_poll && !self.is_stopped()
    }

    /// Counts a node; true when it has to end at once.
    #[inline]
    pub(super) fn visit(&mut self) -> bool {
        let is_stopped = self.is_stopped();
        self.nodes += u64::from(!is_stopped);
        is_stopped
    }

    /// Counts positions that were evaluated for move ordering as nodes.
    #[inline]
    pub(super) fn add(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// Looks at everything that can end the whole search, or the search of the root of this number.
    pub(super) fn poll<M: GameMove>(&mut self, shared: &SharedState<M>, root_search: usize) {
        let fresh = self.nodes - self.counted;
        let all = shared.nodes.fetch_add(fresh, Ordering::Relaxed) + fresh;
        self.counted = self.nodes;
        self.next_poll = self.nodes + self.node_limit.saturating_sub(all).min(POLL_INTERVAL);
        let out_of_time = self.time.hard.is_some_and(|hard| self.start.elapsed() >= hard);
        let is_over = shared.control.is_stopped()
            || shared.done.load(Ordering::Relaxed)
            || all >= self.node_limit
            || (out_of_time && !shared.control.is_pondering());
        if is_over {
            self.stop = Stop::Search;
        } else if shared.has_finished(root_search) {
            self.stop = Stop::Root;
        }
    }

    /// Whether something has to end.
    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.stop != Stop::Nothing
    }

    /// Ends the node at a ply, of this score.
    pub(super) fn end_node(&mut self, ply: usize, score: Score) {
        self.stop = Stop::Node { ply, score };
    }

    /// Goes on behind the node at a ply, if it is the one that had to end. Its score.
    pub(super) fn take_ended_node(&mut self, ply: usize) -> Option<Score> {
        match self.stop {
            Stop::Node { ply: ended, score } if ended == ply => {
                self.stop = Stop::Nothing;
                Some(score)
            }
            _ => None,
        }
    }

    /// Whether the search, and not just a part of it, has to end.
    pub(super) fn is_search_over(&self) -> bool {
        self.stop == Stop::Search
    }

    /// Grants so many nodes whatever the limits and the stop flag say. They are the last.
    pub(super) fn grant(&mut self, nodes: u64) {
        (self.next_poll, self.node_limit) = (self.nodes + nodes, 0);
        self.resume();
    }

    /// Goes on after another thread has finished the search of the root.
    pub(super) fn resume(&mut self) {
        self.stop = Stop::Nothing;
    }

    /// Nodes visited by this thread.
    pub(super) fn own_nodes(&self) -> u64 {
        self.nodes
    }

    /// Nodes visited by all threads, as far as they are in the shared count.
    pub(super) fn all_nodes<M: GameMove>(&self, shared: &SharedState<M>) -> u64 {
        shared.nodes.load(Ordering::Relaxed) + self.nodes - self.counted
    }

    /// Time since the search was asked for.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether another iteration would exceed the time for this move, which is `factor` times the usual one.
    pub(super) fn is_soft_limit_over(&self, factor: f64) -> bool {
        self.time.soft.is_some_and(|soft| self.start.elapsed() >= soft.mul_f64(factor))
    }

    /// Whether the search runs against a clock.
    pub(super) fn is_on_clock(&self) -> bool {
        self.time.is_on_clock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::chess::Chess;
    use crate::search::Control;

    type Move = <Chess as Game>::Move;

    #[test]
    fn a_stopped_search_gets_the_nodes_that_it_is_granted_and_no_more() {
        let control = Control::default();
        control.stop();
        let shared = SharedState::<Move>::new(&control, 1);
        let mut budget = Budget::new(&Limits::none(), Color::White);
        let visit = |budget: &mut Budget| {
            if budget.is_poll_due() {
                budget.poll(&shared, 0);
            }
            budget.visit()
        };
        assert!(visit(&mut budget));
        budget.grant(7);
        let granted = (0..100).filter(|_| !visit(&mut budget)).count();
        assert_eq!(granted, 7);
    }
}
