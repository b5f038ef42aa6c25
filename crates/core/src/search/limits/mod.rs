//! Limits of a search, and control over a running one.
//!
//! - here: the [`Limits`] that somebody asks for, and the [`Control`] that ends a search from outside;
//! - `time`: what a clock allows for a move;
//! - `budget`: when the threads of a search have to stop, and how they notice.

mod budget;
mod time;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::Instant;
use crate::game::perft::Stop;

pub(super) use budget::{Budget, Deadline, GRACE, Lookout, Ticker};
pub(super) use time::Stability;
pub use time::{Delays, TimeManager};

/// When a search stops; without any limit it goes on until it is told to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// When the search was asked for: times are counted from here.
    pub start: Instant,
    /// The last iteration, in plies.
    pub depth: Option<u32>,
    /// Nodes to visit at most.
    pub nodes: Option<u64>,
    /// Stop at a forced win of the side to move in so many of its moves.
    pub mate: Option<u32>,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// The clocks of White and of Black.
    pub clocks: [Option<Clock>; 2],
    /// Moves to the next time control, the coming one included.
    pub moves_to_go: Option<u32>,
    /// Time kept back in every move for the way to the other end.
    pub overhead: Duration,
    /// Time of a clock that is kept back besides, for delays like those of earlier moves.
    pub reserve: Duration,
    /// What a move is expected to take from a clock besides the time of its search.
    pub lag: Duration,
    /// What it takes from a clock before it has searched anything, the lag included.
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
            mate: None,
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
    /// In nanoseconds; 0 where nothing is known.
    longest_gap: AtomicU64,
    setup: AtomicU64,
    poll: Option<fn(&Control)>,
}

impl Control {
    /// Control over a search in ponder mode: clocks do not count until [`Control::ponderhit`].
    pub fn pondering() -> Control {
        Control { pondering: AtomicBool::new(true), ..Control::default() }
    }

    /// The same control, which calls `poll` with itself whenever the work looks at its limits: where nothing
    /// runs beside the work, so that nobody else could stop it.
    pub fn with_poll(self, poll: fn(&Control)) -> Control {
        Control { poll: Some(poll), ..self }
    }

    /// Asks whether there is something to hear, where it has to be asked for.
    pub(super) fn poll(&self) {
        if let Some(poll) = self.poll {
            poll(self);
        }
    }

    /// Tells the search to end as soon as it can.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The expected move has been played: from now on the clock counts.
    pub fn ponderhit(&self) {
        self.pondering.store(false, Ordering::Relaxed);
    }

    /// Whether the search has been told to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the search runs on the opponent's time.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }

    /// Notes that no thread of the search has looked at its limits for so many nanoseconds.
    pub(super) fn note_gap(&self, nanoseconds: u64) {
        if nanoseconds > self.longest_gap.load(Ordering::Relaxed) {
            self.longest_gap.fetch_max(nanoseconds, Ordering::Relaxed);
        }
    }

    /// The longest time in which no thread of the search has looked at its limits so far: so late it may end.
    pub fn longest_gap(&self) -> Duration {
        Duration::from_nanos(self.longest_gap.load(Ordering::Relaxed))
    }

    /// Notes that the search looks at its limits, so many nanoseconds after it was asked for. The first time
    /// counts.
    pub(super) fn note_look(&self, nanoseconds: u64) {
        if self.setup.load(Ordering::Relaxed) == 0 {
            self.setup.store(nanoseconds, Ordering::Relaxed);
        }
    }

    /// The time from when the search was asked for to its first look at its limits: no move takes less.
    pub fn setup(&self) -> Duration {
        Duration::from_nanos(self.setup.load(Ordering::Relaxed))
    }

    /// The stop flag itself, for work that knows no clock.
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
