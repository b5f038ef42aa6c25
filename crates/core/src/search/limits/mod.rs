//! Limits of a search, and control over a running one.
//!
//! - here: the requested [`Limits`], and the [`Control`] by which the caller ends a search;
//! - `time`: time management;
//! - `budget`: when the threads of a search have to stop.

mod budget;
mod time;

use std::time::Duration;

use crate::clock::Instant;
use crate::game::perft::Stop;
use crate::sync::{AtomicBool, AtomicU64, Ordering};

pub(super) use budget::{Budget, ClockPoller, Deadline, GRACE, ProgressTimer};
pub(super) use time::Stability;
pub use time::{Delays, TimeManager};

/// The limits of a search; without any limit it runs until it is stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// When the search was requested: times are counted from here.
    pub start: Instant,
    /// The last iteration, in plies.
    pub depth: Option<u32>,
    /// Nodes to visit at most.
    pub nodes: Option<u64>,
    /// Nodes after which a search by depth begins no further iteration.
    pub soft_nodes: Option<u64>,
    /// Stop at a mate of the side to move in this many of its moves.
    pub mate: Option<u32>,
    /// Stop when an iteration finds that the best move loses by force: the caller has others.
    pub ends_when_lost: bool,
    /// Analysis: no move is played, whatever ends the search. The opening book is not asked.
    pub infinite: bool,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// The clocks of White and of Black.
    pub clocks: [Option<Clock>; 2],
    /// Moves to the next time control, the coming one included.
    pub moves_to_go: Option<u32>,
    /// Time kept back in every move for communication (move overhead).
    pub overhead: Duration,
    /// Time of a clock that is kept back besides, for delays like those of earlier moves.
    pub reserve: Duration,
    /// The expected lag: what a move takes from the clock besides its search.
    pub lag: Duration,
    /// The expected cost of a move before its first node, lag included.
    pub cost: Duration,
}

/// A player's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

impl Limits {
    /// No limits, from now on.
    pub fn none() -> Limits {
        Limits {
            start: Instant::now(),
            depth: None,
            nodes: None,
            soft_nodes: None,
            mate: None,
            ends_when_lost: false,
            infinite: false,
            movetime: None,
            clocks: [None; 2],
            moves_to_go: None,
            overhead: Duration::ZERO,
            reserve: Duration::ZERO,
            lag: Duration::ZERO,
            cost: Duration::ZERO,
        }
    }

    /// Whether only the stop flag ends the search.
    pub fn is_endless(&self) -> bool {
        self.depth.is_none()
            && self.nodes.is_none()
            && self.soft_nodes.is_none()
            && self.mate.is_none()
            && self.movetime.is_none()
            && self.clocks == [None; 2]
    }

    /// A fixed depth.
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::none() }
    }

    /// A fixed number of nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::none() }
    }
}

/// Control over a running search, shared between the search and its caller.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// In nanoseconds; 0 if unknown.
    longest_gap: AtomicU64,
    setup: AtomicU64,
    poll: Option<fn(&Control)>,
}

impl Control {
    /// Control over a search in ponder mode: clocks do not count until [`Control::ponderhit`].
    pub fn pondering() -> Control {
        Control { pondering: AtomicBool::new(true), ..Control::default() }
    }

    /// The same control, which calls `poll` whenever the search polls its limits: for programs without
    /// threads, where nothing else could stop it.
    pub fn with_poll(self, poll: fn(&Control)) -> Control {
        Control { poll: Some(poll), ..self }
    }

    /// Calls the poll function, if any.
    pub(super) fn poll(&self) {
        if let Some(poll) = self.poll {
            poll(self);
        }
    }

    /// Stops the search as soon as possible.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The expected move has been played: from now on the clock counts.
    pub fn ponderhit(&self) {
        self.pondering.store(false, Ordering::Relaxed);
    }

    /// Whether the search has been stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the search runs on the opponent's time.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }

    /// Records a gap between two polls, in nanoseconds.
    pub(super) fn note_gap(&self, nanoseconds: u64) {
        if nanoseconds > self.longest_gap.load(Ordering::Relaxed) {
            self.longest_gap.fetch_max(nanoseconds, Ordering::Relaxed);
        }
    }

    /// The longest gap between two polls of any thread so far: the end may come this late.
    pub fn longest_gap(&self) -> Duration {
        Duration::from_nanos(self.longest_gap.load(Ordering::Relaxed))
    }

    /// Records the first poll, in nanoseconds after the request.
    pub(super) fn note_first_poll(&self, nanoseconds: u64) {
        if self.setup.load(Ordering::Relaxed) == 0 {
            self.setup.store(nanoseconds, Ordering::Relaxed);
        }
    }

    /// The time from the request to the first poll: no move takes less.
    pub fn setup(&self) -> Duration {
        Duration::from_nanos(self.setup.load(Ordering::Relaxed))
    }

    /// The stop flag itself, for work without a clock.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }
}

impl Stop for Control {
    fn is_raised(&self) -> bool {
        self.is_stopped()
    }

    fn poll(&self) {
        self.poll();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_ends_a_search() {
        assert!(Limits::none().is_endless());
        let (none, clock) =
            (Limits::none, Clock { remaining: Duration::from_secs(1), increment: Duration::ZERO });
        for limits in [
            Limits::depth(3),
            Limits::nodes(100),
            Limits { soft_nodes: Some(100), ..none() },
            Limits { mate: Some(2), ..none() },
            Limits { movetime: Some(Duration::from_secs(1)), ..none() },
            Limits { clocks: [Some(clock), None], ..none() },
            Limits { clocks: [None, Some(clock)], ..none() },
        ] {
            assert!(!limits.is_endless(), "{limits:?}");
        }
        assert_eq!((Limits::depth(3).depth, Limits::nodes(100).nodes), (Some(3), Some(100)));
    }

    #[test]
    fn work_without_a_clock_is_stopped_by_the_same_control() {
        let control = Control::default().with_poll(Control::stop);
        let stop: &dyn Stop = &control;
        assert!(!stop.is_raised() && !control.stop_flag().load(Ordering::Relaxed));
        stop.poll();
        assert!(stop.is_raised() && control.stop_flag().load(Ordering::Relaxed));
    }

    #[test]
    fn the_longest_gap_and_the_first_poll_are_kept() {
        let control = Control::default();
        for nanoseconds in [30, 70, 50] {
            control.note_gap(nanoseconds);
            control.note_first_poll(nanoseconds);
        }
        let noted = [control.longest_gap(), control.setup()];
        assert_eq!(noted, [70, 30].map(Duration::from_nanos));
    }
}
