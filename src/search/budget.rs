//! When a thread of a search has to stop.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::shared::SharedState;
use super::{Limits, TimeManager};
use crate::eval::Score;
use crate::game::{Color, GameMove};

/// Nodes between two looks at the clock and the stop flag, at most.
const POLL_INTERVAL: u64 = 1024;

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
    /// The iteration: another thread has finished it.
    Iteration,
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

    /// Counts a node of an iteration; true when the search has to end.
    #[inline]
    pub(super) fn visit<M: GameMove>(&mut self, shared: &SharedState<M>, iteration: usize) -> bool {
        if self.is_stopped() {
            return true;
        }
        if self.nodes >= self.next_poll {
            self.poll(shared, iteration);
            if self.is_stopped() {
                return true;
            }
        }
        self.nodes += 1;
        false
    }

    /// Counts positions that were evaluated for move ordering as nodes.
    #[inline]
    pub(super) fn add(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// Looks at everything that can end the search.
    #[cold]
    fn poll<M: GameMove>(&mut self, shared: &SharedState<M>, iteration: usize) {
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
        } else if shared.finished.load(Ordering::Relaxed) >= iteration {
            self.stop = Stop::Iteration;
        }
    }

    /// Whether a node, the iteration or the search has to end.
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

    /// Whether the search, and not just the iteration, has to end.
    pub(super) fn is_search_over(&self) -> bool {
        self.stop == Stop::Search
    }

    /// Grants so many nodes whatever the limits and the stop flag say. They are the last.
    pub(super) fn grant(&mut self, nodes: u64) {
        (self.next_poll, self.node_limit) = (self.nodes + nodes, 0);
        self.resume();
    }

    /// Goes on after another thread has finished the iteration.
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
        assert!(budget.visit(&shared, 1));
        budget.grant(7);
        let granted = (0..100).filter(|_| !budget.visit(&shared, 1)).count();
        assert_eq!(granted, 7);
    }
}
