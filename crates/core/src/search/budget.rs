//! When a thread of a search has to stop.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::deadline::Pace;
use super::limits::Limits;
use super::shared::SharedState;
use super::time::TimeManager;
use crate::eval::Score;
use crate::game::{Color, GameMove};

/// Nodes between two looks at the clock and the other threads, at most; fewer where nodes take long. What
/// another thread has found ends the work of this one so late.
const POLL_INTERVAL: u64 = 128;

/// The time that granted nodes may take where the search has been ended by the clock or from outside, unless
/// they are fewer than this.
const GRANTED_TIME: Duration = Duration::from_millis(10);
const GRANTED_NODES: u64 = 1_000;

/// The nodes of a thread, and the reasons for it to stop.
pub(super) struct Budget {
    time: TimeManager,
    start: Instant,
    node_limit: u64,
    pace: Pace,
    /// Nodes that are granted after the end of the search, if any.
    grant: Option<Grant>,
    /// Nodes visited by this thread.
    nodes: u64,
    /// Those of them that the shared count has.
    counted: u64,
    next_poll: u64,
    stop: Stop,
}

/// Nodes after the end of a search.
#[derive(Clone, Copy, Debug)]
struct Grant {
    /// The nodes of the thread at their end.
    last: u64,
    /// The time from the start of the search to their end, once the thread has so many nodes.
    until: Option<(Duration, u64)>,
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
            pace: Pace::new(POLL_INTERVAL),
            grant: None,
            nodes: 0,
            counted: 0,
            next_poll: 0,
            stop: Stop::Nothing,
        }
    }

    /// Whether it is time to [`poll`](Self::poll) before the next node: by the nodes, or because the search is
    /// over.
    #[inline]
    pub(super) fn is_poll_due<M: GameMove>(&self, shared: &SharedState<M>) -> bool {
        let is_over = shared.deadline.is_over() && self.grant.is_none();
        (self.nodes >= self.next_poll || is_over) && !self.is_stopped()
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
        let (mut is_over, now) = shared.deadline.look();
        let mut left = self.node_limit.saturating_sub(all);
        if let Some(Grant { last, until }) = self.grant {
            left = last.saturating_sub(self.nodes);
            is_over = until.is_some_and(|(time, nodes)| now >= time && self.nodes >= nodes);
        }
        self.next_poll = self.nodes + self.pace.next(now, fresh).min(left);
        if is_over || left == 0 {
            self.stop = Stop::Search;
            shared.deadline.end();
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

    /// Grants so many nodes after the search is over, whatever the limits and the stop flag say, but no long
    /// time where they have ended it by a clock or from outside. They are the last.
    pub(super) fn grant<M: GameMove>(&mut self, nodes: u64, shared: &SharedState<M>) {
        let is_waited_for = self.time.hard.is_some() || shared.control.is_stopped();
        let until = is_waited_for.then(|| (self.start.elapsed() + GRANTED_TIME, self.nodes + GRANTED_NODES));
        self.grant = Some(Grant { last: self.nodes + nodes, until });
        self.next_poll = self.nodes;
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
    use std::thread;

    use super::*;
    use crate::game::Game;
    use crate::game::chess::Chess;
    use crate::search::Control;

    type Move = <Chess as Game>::Move;

    #[test]
    fn a_stopped_search_gets_the_nodes_that_it_is_granted_and_no_more() {
        let control = Control::default();
        control.stop();
        let shared = SharedState::<Move>::new(&control, Instant::now(), None, 1);
        let mut budget = Budget::new(&Limits::none(), Color::White);
        assert!(visit(&mut budget, &shared));
        budget.grant(7, &shared);
        let granted = (0..100).filter(|_| !visit(&mut budget, &shared)).count();
        assert_eq!(granted, 7);
        // Somebody waits: not for long.
        budget.grant(10_000, &shared);
        thread::sleep(2 * GRANTED_TIME);
        let granted = (0..10_000).filter(|_| !visit(&mut budget, &shared)).count() as u64;
        assert!((GRANTED_NODES..GRANTED_NODES + POLL_INTERVAL).contains(&granted), "{granted}");
        // Nobody does.
        let control = Control::default();
        let shared = SharedState::<Move>::new(&control, Instant::now(), None, 1);
        let mut budget = Budget::new(&Limits::nodes(1), Color::White);
        assert!((0..2).any(|_| visit(&mut budget, &shared)));
        budget.grant(40, &shared);
        thread::sleep(2 * GRANTED_TIME);
        let granted = (0..100).filter(|_| !visit(&mut budget, &shared)).count();
        assert_eq!(granted, 40);
    }

    /// Counts a node; true when it has to end at once.
    fn visit(budget: &mut Budget, shared: &SharedState<Move>) -> bool {
        if budget.is_poll_due(shared) {
            budget.poll(shared, 0);
        }
        budget.visit()
    }

    #[test]
    fn slow_nodes_are_polled_more_often() {
        let limits = Limits { movetime: Some(Duration::from_millis(20)), ..Limits::none() };
        let control = Control::default();
        let shared = SharedState::<Move>::new(&control, limits.start, limits.movetime, 1);
        let mut budget = Budget::new(&limits, Color::White);
        // Quick nodes at first.
        (0..1_000).take_while(|_| !visit(&mut budget, &shared)).count();
        let slow = (0..1_000)
            .take_while(|_| {
                thread::sleep(Duration::from_millis(2));
                !visit(&mut budget, &shared)
            })
            .count();
        assert!(slow < 128, "the first look is not late by all the nodes of an interval: {slow}");
        assert!(control.longest_gap() >= Duration::from_millis(2));
    }

    #[test]
    fn every_thread_ends_the_search_for_all() {
        let control = Control::default();
        let shared = SharedState::<Move>::new(&control, Instant::now(), Some(Duration::ZERO), 2);
        let [mut one, mut other] = [(); 2].map(|()| Budget::new(&Limits::none(), Color::White));
        // This one is not to look at the clock for long.
        other.next_poll = u64::MAX;
        assert!(!visit(&mut other, &shared));
        assert!(visit(&mut one, &shared));
        assert!(visit(&mut other, &shared));
    }
}
