//! The end of a search: one flag that all of its threads read, and the looks at the clock that set it.
//!
//! Any thread that looks in time ends the search for all, so that one that has to wait for a processor does
//! not keep the others. How long nobody has looked is noted: so late may an end come. A listener that has heard
//! nothing for a while is to hear how far the search has come.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::limits::Control;

/// Time between two looks of a thread at the clock, about.
const PERIOD: Duration = Duration::from_micros(500);

/// Steps of work between two looks at the clock, at most.
const STEPS: u64 = 64;

/// The longest silence of a search, from one poll to the next. Clients expect to hear something every second.
const LONGEST_SILENCE: Duration = Duration::from_millis(500);

/// The time that a search that is over may still take to look at the root moves.
pub(super) const GRACE: Duration = Duration::from_millis(5);

/// On a cache line of its own: what is read at every node beside what is written all the time.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line<T>(T);

/// When a search ends, and whether it has.
#[derive(Debug)]
pub(super) struct Deadline<'a> {
    control: &'a Control,
    /// When the search was asked for.
    start: Instant,
    /// Time from then on to its end.
    limit: Option<Duration>,
    over: Line<AtomicBool>,
    /// When a thread last looked at the clock, in nanoseconds from the start.
    last_look: Line<AtomicU64>,
}

impl<'a> Deadline<'a> {
    /// The end of a search that was asked for at `start` and may take so long.
    pub(super) fn new(control: &'a Control, start: Instant, limit: Option<Duration>) -> Deadline<'a> {
        let last_look = Line(AtomicU64::new(nanoseconds(start.elapsed())));
        Deadline { control, start, limit, over: Line::default(), last_look }
    }

    /// Whether the search is over, as far as anybody has noticed.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.over.0.load(Ordering::Relaxed) || self.control.is_stopped()
    }

    /// Ends the search for all of its threads.
    pub(super) fn end(&self) {
        self.over.0.store(true, Ordering::Relaxed);
    }

    /// Looks at the clock. Whether the search is over, and the time since it was asked for.
    pub(super) fn look(&self) -> (bool, Duration) {
        let now = self.start.elapsed();
        let last = self.last_look.0.swap(nanoseconds(now), Ordering::Relaxed);
        self.control.note_gap(nanoseconds(now).saturating_sub(last));
        self.control.note_look(nanoseconds(now));
        if self.limit.is_some_and(|limit| now >= limit) && !self.control.is_pondering() {
            self.end();
        }
        (self.is_over(), now)
    }

    /// The looks of one thread.
    pub(super) fn lookout(&self) -> Lookout<'_> {
        Lookout { deadline: self, pace: Pace::new(STEPS), left: STEPS, steps: STEPS }
    }

    /// For work that has to be done in the end, whatever the clock says: whether the search is over and such
    /// work has taken `most` since this was called.
    pub(super) fn grace(&self, most: Duration) -> impl FnMut() -> bool + use<'_, 'a> {
        let (begin, mut lookout) = (Instant::now(), self.lookout());
        move || lookout.is_over() && begin.elapsed() >= most
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// How many steps of its work a thread makes between two looks at the clock. What a step takes may change at
/// any time, by a factor of a thousand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    last: Option<Duration>,
    most: u64,
}

impl Pace {
    /// At most so many steps from look to look.
    pub(super) fn new(most: u64) -> Pace {
        Pace { last: None, most }
    }

    /// Steps to the next look, after a look at `now` and `steps` since the one before.
    pub(super) fn next(&mut self, now: Duration, steps: u64) -> u64 {
        let Some(last) = self.last.replace(now) else { return 1 };
        let taken = now.saturating_sub(last).as_secs_f64().max(f64::MIN_POSITIVE);
        let steps = steps.max(1);
        let fitting = steps as f64 * PERIOD.as_secs_f64() / taken;
        // After a step that took long for once, the pace comes back soon.
        (fitting as u64).min(2 * steps).clamp(1, self.most)
    }
}

/// One thread that looks at the clock while it works.
#[derive(Debug)]
pub(super) struct Lookout<'a> {
    deadline: &'a Deadline<'a>,
    pace: Pace,
    /// Steps to the next look, and those from the last one to it.
    left: u64,
    steps: u64,
}

impl Lookout<'_> {
    /// Before a step of work: whether the search is over.
    #[inline]
    pub(super) fn is_over(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return self.deadline.is_over();
        }
        self.look()
    }

    #[cold]
    fn look(&mut self) -> bool {
        let (is_over, now) = self.deadline.look();
        self.steps = self.pace.next(now, self.steps);
        self.left = self.steps;
        is_over
    }
}

/// Says when a listener is to hear of the progress.
pub(super) struct Ticker {
    /// When it has heard something.
    told: Instant,
}

impl Ticker {
    /// The search begins now.
    pub(super) fn new() -> Ticker {
        Ticker { told: Instant::now() }
    }

    /// The listener hears something now.
    pub(super) fn restart(&mut self) {
        self.told = Instant::now();
    }

    /// Whether it has heard nothing for a while. If so, it hears something now.
    pub(super) fn is_due(&mut self) -> bool {
        let is_due = self.told.elapsed() >= LONGEST_SILENCE;
        if is_due {
            self.restart();
        }
        is_due
    }
}
