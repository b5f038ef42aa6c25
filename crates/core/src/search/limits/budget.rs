//! When a search has to stop: the [`Deadline`] of all of its threads, and the [`Budget`] of each.
//!
//! The deadline is one flag that all threads read, and the polls of the clock that set it. Any thread that
//! polls in time ends the search for all, so a thread that waits for a processor does not delay the others.
//! The longest gap between polls is recorded, as the end may come this late. A listener gets a progress
//! report at least every [`MAX_REPORT_INTERVAL`].

use std::time::Duration;

use super::Control;
use super::time::TimeManager;
use crate::clock::Instant;
use crate::eval::Score;
use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// Time between two polls of a thread, about.
const PERIOD: Duration = Duration::from_micros(500);

/// Steps of work between two polls, at most.
const STEPS: u64 = 64;

/// The longest time without a report. Clients expect one every second.
const MAX_REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// The time that a search that is over may still take to evaluate the root moves.
pub(in crate::search) const GRACE: Duration = Duration::from_millis(5);

/// Nodes between two polls of the clock and of other threads, at most; fewer where nodes take long.
const POLL_INTERVAL: u64 = 128;

/// The time that granted nodes may take if the clock or the caller has ended the search, unless they are
/// fewer than [`GRANTED_NODES`].
const GRANTED_TIME: Duration = Duration::from_millis(10);
const GRANTED_NODES: u64 = 1_000;

/// A value on a cache line of its own, against false sharing.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line<T>(T);

/// When a search ends, and whether it has.
#[derive(Debug)]
pub(in crate::search) struct Deadline<'a> {
    control: &'a Control,
    /// When the search was requested.
    start: Instant,
    /// Time from then on to its end.
    time: TimeManager,
    over: Line<AtomicBool>,
    /// Whether ponderhit ends the search.
    ends_at_ponderhit: AtomicBool,
    /// The last poll of any thread, in nanoseconds from the start.
    last_poll: Line<AtomicU64>,
    /// Nodes that the threads have added up.
    nodes: Line<AtomicU64>,
}

impl<'a> Deadline<'a> {
    /// The end of a search that was requested at `start` and has this time.
    pub(in crate::search) fn new(control: &'a Control, start: Instant, time: TimeManager) -> Deadline<'a> {
        let last_poll = Line(AtomicU64::new(nanoseconds(start.elapsed())));
        let (over, ends_at_ponderhit) = (Line::default(), AtomicBool::default());
        Deadline { control, start, time, over, ends_at_ponderhit, last_poll, nodes: Line::default() }
    }

    /// Time since the search was requested.
    pub(in crate::search) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Adds nodes that a thread has visited. Returns those of all threads.
    pub(in crate::search) fn add_nodes(&self, nodes: u64) -> u64 {
        self.nodes.0.fetch_add(nodes, Ordering::Relaxed) + nodes
    }

    /// Nodes that the threads have added up.
    pub(in crate::search) fn nodes(&self) -> u64 {
        self.nodes.0.load(Ordering::Relaxed)
    }

    /// Whether a finished iteration is the last: another one would exceed the time for this move, which is
    /// `factor` times the usual one, or the move is decided and costs time on the clock. While pondering none is,
    /// but then ponderhit ends the search, if need be in the middle of the next iteration.
    pub(in crate::search) fn is_last_iteration(&self, factor: f64, is_decided: bool) -> bool {
        let is_over = self.time.soft.is_some_and(|soft| self.start.elapsed() >= soft.mul_f64(factor));
        let is_last = is_over || is_decided && self.time.is_on_clock();
        let is_pondering = self.control.is_pondering();
        self.ends_at_ponderhit.store(is_last && is_pondering, Ordering::Relaxed);
        is_last && !is_pondering
    }

    /// Whether the end is urgent: there is a hard limit, or the search was stopped.
    fn is_urgent(&self) -> bool {
        self.time.hard.is_some() || self.control.is_stopped()
    }

    /// Whether the search is over, as of the last poll.
    #[inline]
    pub(in crate::search) fn is_over(&self) -> bool {
        self.over.0.load(Ordering::Relaxed) || self.control.is_stopped()
    }

    /// Ends the search for all of its threads.
    pub(in crate::search) fn end(&self) {
        self.over.0.store(true, Ordering::Relaxed);
    }

    /// Polls the clock. Returns whether the search is over, and the time since it was requested.
    pub(in crate::search) fn poll(&self) -> (bool, Duration) {
        let now = self.start.elapsed();
        let last = self.last_poll.0.swap(nanoseconds(now), Ordering::Relaxed);
        self.control.note_gap(nanoseconds(now).saturating_sub(last));
        self.control.note_first_poll(nanoseconds(now));
        self.control.poll();
        let is_late = self.time.hard.is_some_and(|limit| now >= limit)
            || self.ends_at_ponderhit.load(Ordering::Relaxed);
        if is_late && !self.control.is_pondering() {
            self.end();
        }
        (self.is_over(), now)
    }

    /// A poller for one thread.
    pub(in crate::search) fn poller(&self) -> ClockPoller<'_> {
        ClockPoller { deadline: self, interval: PollInterval::new(STEPS), left: STEPS, steps: STEPS }
    }

    /// For work that has to be done after the end of the search: whether the search is over and `most` has
    /// passed since this call.
    pub(in crate::search) fn grace(&self, most: Duration) -> impl FnMut() -> bool + use<'_, 'a> {
        let (begin, mut poller) = (Instant::now(), self.poller());
        move || poller.is_over() && begin.elapsed() >= most
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The adaptive number of steps between two polls of the clock. The time of a step may change by a factor of
/// a thousand.
#[derive(Clone, Copy, Debug)]
struct PollInterval {
    last: Option<Duration>,
    most: u64,
}

impl PollInterval {
    /// At most `most` steps between two polls.
    fn new(most: u64) -> PollInterval {
        PollInterval { last: None, most }
    }

    /// Steps to the next poll, after a poll at `now` and `steps` since the one before.
    fn next(&mut self, now: Duration, steps: u64) -> u64 {
        let Some(last) = self.last.replace(now) else { return 1 };
        let taken = now.saturating_sub(last).as_secs_f64().max(f64::MIN_POSITIVE);
        let steps = steps.max(1);
        let fitting = steps as f64 * PERIOD.as_secs_f64() / taken;
        // It recovers quickly after a single slow step.
        (fitting as u64).min(2 * steps).clamp(1, self.most)
    }
}

/// Polls the clock for one thread.
#[derive(Debug)]
pub(in crate::search) struct ClockPoller<'a> {
    deadline: &'a Deadline<'a>,
    interval: PollInterval,
    /// Steps left to the next poll, and in all between the polls.
    left: u64,
    steps: u64,
}

impl ClockPoller<'_> {
    /// Before a step of work: whether the search is over.
    #[inline]
    pub(in crate::search) fn is_over(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return self.deadline.is_over();
        }
        self.poll()
    }

    #[cold]
    fn poll(&mut self) -> bool {
        let (is_over, now) = self.deadline.poll();
        self.steps = self.interval.next(now, self.steps);
        self.left = self.steps;
        is_over
    }
}

/// Decides when the progress is reported.
pub(in crate::search) struct ProgressTimer {
    /// The time of the last report.
    last_report: Instant,
}

impl ProgressTimer {
    /// A timer that starts now.
    pub(in crate::search) fn new() -> ProgressTimer {
        ProgressTimer { last_report: Instant::now() }
    }

    /// Notes a report.
    pub(in crate::search) fn restart(&mut self) {
        self.last_report = Instant::now();
    }

    /// Whether a progress report is due, which then counts as made.
    pub(in crate::search) fn is_due(&mut self) -> bool {
        let is_due = self.last_report.elapsed() >= MAX_REPORT_INTERVAL;
        if is_due {
            self.restart();
        }
        is_due
    }
}

/// The nodes of a thread, and the reasons for it to stop.
pub(in crate::search) struct Budget {
    node_limit: u64,
    interval: PollInterval,
    /// Nodes that are granted after the end of the search, if any.
    grant: Option<Grant>,
    /// Nodes visited by this thread.
    nodes: u64,
    /// Those already added to the shared count.
    counted: u64,
    next_poll: u64,
    stop: Stop,
}

/// Nodes after the end of a search.
#[derive(Clone, Copy, Debug)]
struct Grant {
    /// The nodes of the thread at their end.
    last: u64,
    /// The time limit, from the start of the search, once the thread has this many nodes.
    until: Option<(Duration, u64)>,
}

/// The part of the search that a thread has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// Nothing.
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
    /// The budget of a thread of a search with this limit in nodes, those of all of its threads.
    pub(in crate::search) fn new(node_limit: Option<u64>) -> Budget {
        Budget {
            node_limit: node_limit.unwrap_or(u64::MAX),
            interval: PollInterval::new(POLL_INTERVAL),
            grant: None,
            nodes: 0,
            counted: 0,
            next_poll: 0,
            stop: Stop::Nothing,
        }
    }

    /// Whether it is time to [`poll`](Self::poll) before the next node: by the nodes, or because the search
    /// is over.
    #[inline]
    pub(in crate::search) fn is_poll_due(&self, deadline: &Deadline) -> bool {
        let is_over = deadline.is_over() && self.grant.is_none();
        (self.nodes >= self.next_poll || is_over) && !self.is_stopped()
    }

    /// Counts a node. Returns whether it has to end at once.
    #[inline]
    pub(in crate::search) fn visit(&mut self) -> bool {
        let is_stopped = self.is_stopped();
        self.nodes += u64::from(!is_stopped);
        is_stopped
    }

    /// Counts positions that were evaluated for move ordering as nodes.
    #[inline]
    pub(in crate::search) fn add(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// Checks all reasons to end the search, or the search of its root, which another thread has finished
    /// with `is_root_finished`.
    pub(in crate::search) fn poll(&mut self, deadline: &Deadline, is_root_finished: bool) {
        let fresh = self.nodes - self.counted;
        let all = deadline.add_nodes(fresh);
        self.counted = self.nodes;
        let (mut is_over, now) = deadline.poll();
        let mut left = self.node_limit.saturating_sub(all);
        if let Some(Grant { last, until }) = self.grant {
            left = last.saturating_sub(self.nodes);
            is_over = until.is_some_and(|(time, nodes)| now >= time && self.nodes >= nodes);
        }
        self.next_poll = self.nodes + self.interval.next(now, fresh).min(left);
        if is_over || left == 0 {
            self.stop = Stop::Search;
            deadline.end();
        } else if is_root_finished {
            self.stop = Stop::Root;
        }
    }

    /// Whether something has to end.
    #[inline]
    pub(in crate::search) fn is_stopped(&self) -> bool {
        self.stop != Stop::Nothing
    }

    /// Ends the node at a ply, of this score.
    pub(in crate::search) fn end_node(&mut self, ply: usize, score: Score) {
        self.stop = Stop::Node { ply, score };
    }

    /// Continues after the node at a ply, if it is the one that had to end. Returns its score.
    pub(in crate::search) fn take_ended_node(&mut self, ply: usize) -> Option<Score> {
        match self.stop {
            Stop::Node { ply: ended, score } if ended == ply => {
                self.stop = Stop::Nothing;
                Some(score)
            }
            _ => None,
        }
    }

    /// Whether the search, and not just a part of it, has to end.
    pub(in crate::search) fn is_search_over(&self) -> bool {
        self.stop == Stop::Search
    }

    /// Grants nodes after the end of the search, regardless of limits and stop flag, but only for
    /// [`GRANTED_TIME`] if the end is urgent.
    pub(in crate::search) fn grant(&mut self, nodes: u64, deadline: &Deadline) {
        let until = || (deadline.elapsed() + GRANTED_TIME, self.nodes + GRANTED_NODES);
        let until = deadline.is_urgent().then(until);
        self.grant = Some(Grant { last: self.nodes + nodes, until });
        self.next_poll = self.nodes;
        self.resume();
    }

    /// Continues after another thread has finished the search of the root.
    pub(in crate::search) fn resume(&mut self) {
        self.stop = Stop::Nothing;
    }

    /// Nodes visited by this thread.
    pub(in crate::search) fn own_nodes(&self) -> u64 {
        self.nodes
    }

    /// Nodes visited by all threads, as of the last update.
    pub(in crate::search) fn all_nodes(&self, deadline: &Deadline) -> u64 {
        deadline.nodes() + self.nodes - self.counted
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// The end of a search that begins now.
    fn deadline_of(control: &Control, hard: Option<Duration>) -> Deadline<'_> {
        Deadline::new(control, Instant::now(), TimeManager { soft: None, hard })
    }

    /// A time that the clock has left behind.
    fn a_moment_ago() -> Instant {
        let start = Instant::now();
        while start.elapsed().is_zero() {}
        start
    }

    #[test]
    fn a_stopped_search_gets_the_nodes_that_it_is_granted_and_no_more() {
        let control = Control::default();
        control.stop();
        let deadline = &deadline_of(&control, None);
        let mut budget = Budget::new(None);
        assert!(visit(&mut budget, deadline));
        budget.grant(7, deadline);
        let granted = (0..100).filter(|_| !visit(&mut budget, deadline)).count();
        assert_eq!(granted, 7);
        // The end is urgent, so the granted time counts.
        budget.grant(10_000, deadline);
        thread::sleep(2 * GRANTED_TIME);
        let granted = (0..10_000).filter(|_| !visit(&mut budget, deadline)).count() as u64;
        assert!((GRANTED_NODES..GRANTED_NODES + POLL_INTERVAL).contains(&granted), "{granted}");
        // The end is not urgent.
        let control = Control::default();
        let deadline = &deadline_of(&control, None);
        let mut budget = Budget::new(Some(1));
        assert!((0..2).any(|_| visit(&mut budget, deadline)));
        budget.grant(40, deadline);
        thread::sleep(2 * GRANTED_TIME);
        let granted = (0..100).filter(|_| !visit(&mut budget, deadline)).count();
        assert_eq!(granted, 40);
    }

    /// Counts a node. Returns whether it has to end at once.
    fn visit(budget: &mut Budget, deadline: &Deadline) -> bool {
        if budget.is_poll_due(deadline) {
            budget.poll(deadline, false);
        }
        budget.visit()
    }

    #[test]
    fn granted_time_and_nodes_count_from_the_grant() {
        let control = Control::default();
        let start = a_moment_ago();
        let before = start.elapsed();
        let budget_after_grant = |hard| {
            let deadline = Deadline::new(&control, start, TimeManager { soft: None, hard });
            let mut budget = Budget::new(None);
            budget.add(5);
            budget.next_poll = 100;
            budget.end_node(3, Score::DRAW);
            budget.grant(7, &deadline);
            assert!(!budget.is_stopped() && budget.is_poll_due(&deadline));
            budget.grant.unwrap()
        };
        let Grant { last, until } = budget_after_grant(None);
        assert_eq!((last, until), (5 + 7, None), "the end is not urgent");
        let urgent = [budget_after_grant(Some(GRACE)), {
            control.stop();
            budget_after_grant(None)
        }];
        for Grant { last, until } in urgent {
            let (time, nodes) = until.unwrap();
            assert!(time >= before + GRANTED_TIME, "{time:?}");
            assert_eq!((last, nodes), (5 + 7, 5 + GRANTED_NODES));
        }
    }

    #[test]
    fn all_threads_share_a_limit_of_nodes() {
        let control = Control::default();
        let deadline = &deadline_of(&control, None);
        let [mut one, mut other] = [(); 2].map(|()| Budget::new(Some(10)));
        let visited = (0..100).filter(|_| !visit(&mut one, deadline)).count();
        assert_eq!((visited, one.own_nodes(), deadline.nodes()), (10, 10, 10));
        assert!(one.is_search_over() && deadline.is_over());
        assert!(visit(&mut other, deadline) && other.own_nodes() == 0);
    }

    #[test]
    fn nodes_are_counted_once_before_and_after_a_poll() {
        let control = Control::default();
        let deadline = &deadline_of(&control, None);
        assert_eq!((deadline.add_nodes(3), deadline.add_nodes(4), deadline.nodes()), (3, 7, 7));
        let mut budget = Budget::new(None);
        budget.add(20);
        assert!(!budget.visit());
        assert_eq!((budget.own_nodes(), budget.all_nodes(deadline)), (21, 7 + 21));
        budget.poll(deadline, false);
        assert_eq!((budget.all_nodes(deadline), deadline.nodes()), (28, 28));
        budget.add(2);
        assert_eq!((budget.all_nodes(deadline), deadline.nodes()), (30, 28));
        budget.poll(deadline, false);
        assert_eq!((budget.all_nodes(deadline), deadline.nodes()), (30, 30));
        assert!((24..=23 + POLL_INTERVAL).contains(&budget.next_poll), "{}", budget.next_poll);
    }

    #[test]
    fn a_poll_is_due_by_the_nodes_or_after_the_end() {
        let control = Control::default();
        let deadline = &deadline_of(&control, None);
        let mut budget = Budget::new(None);
        budget.next_poll = 10;
        assert!(!budget.is_poll_due(deadline));
        budget.add(10);
        assert!(budget.is_poll_due(deadline));
        budget.next_poll = 20;
        deadline.end();
        assert!(budget.is_poll_due(deadline));
        budget.end_node(1, Score::DRAW);
        assert!(!budget.is_poll_due(deadline), "it stops already");
        budget.grant(30, deadline);
        budget.next_poll = 20;
        assert!(!budget.is_poll_due(deadline), "nodes are granted");
    }

    #[test]
    fn a_thread_ends_the_part_that_it_has_to_end() {
        let control = Control::default();
        let deadline = &deadline_of(&control, None);
        let mut budget = Budget::new(None);
        let score = Score::from_thousandths(70);
        budget.end_node(4, score);
        assert!(budget.is_stopped() && !budget.is_search_over());
        assert_eq!((budget.take_ended_node(3), budget.take_ended_node(5)), (None, None));
        assert!(budget.visit() && budget.own_nodes() == 0);
        assert_eq!(budget.take_ended_node(4), Some(score));
        assert_eq!((budget.is_stopped(), budget.take_ended_node(4)), (false, None));
        budget.poll(deadline, true);
        assert!(budget.is_stopped() && !budget.is_search_over(), "the search of the root");
        budget.resume();
        assert!(!budget.is_stopped());
        deadline.end();
        budget.poll(deadline, true);
        assert!(budget.is_search_over());
    }

    #[test]
    fn the_interval_of_polls_follows_the_time_of_a_step() {
        let microsecond = Duration::from_micros(1);
        for (steps, taken, next) in [
            (10, 400, 12),
            (10, 1_900, 2),
            (10, 1_000_000, 1),
            // It grows by no more than a factor of two.
            (10, 1, 20),
            (0, 100, 2),
            (100, 1, 128),
        ] {
            let mut interval = PollInterval::new(128);
            assert_eq!(interval.next(1_000 * microsecond, steps), 1, "nothing is known");
            let now = (1_000 + taken) * microsecond;
            assert_eq!(interval.next(now, steps), next, "{steps} steps in {taken} µs");
        }
    }

    #[test]
    fn a_poller_polls_after_its_steps() {
        let control = Control::default();
        // Nothing but a poll notices this end.
        let deadline = deadline_of(&control, Some(Duration::ZERO));
        let mut poller = deadline.poller();
        let steps = (0..10 * STEPS).take_while(|_| !poller.is_over()).count() as u64;
        assert_eq!((steps, poller.steps, poller.left), (STEPS, 1, 1));
    }

    #[test]
    fn the_hard_limit_ends_no_search_in_ponder_mode() {
        let control = Control::pondering();
        let deadline = deadline_of(&control, Some(Duration::ZERO));
        assert!(!deadline.poll().0 && !deadline.is_over());
        control.ponderhit();
        assert!(deadline.poll().0 && deadline.is_over());
        let unlimited = deadline_of(&control, None);
        assert!(!unlimited.poll().0);
    }

    #[test]
    fn an_iteration_is_the_last_on_the_clock_or_when_ponderhit_comes() {
        let (hour, now) = (Duration::from_secs(3_600), Some(Duration::ZERO));
        for (soft, is_pondering, factor, is_decided, is_last) in [
            (None, false, 1.0, true, false),
            (now, false, 1.0, false, true),
            (now, true, 1.0, false, true),
            (Some(hour), false, 1.0, false, false),
            (Some(hour), false, 1.0, true, true),
            (Some(hour), true, 1.0, true, true),
            (Some(hour), true, 1.0, false, false),
            (Some(hour), false, 0.0, false, true),
        ] {
            let control = if is_pondering { Control::pondering() } else { Control::default() };
            let deadline = Deadline::new(&control, Instant::now(), TimeManager { soft, hard: None });
            let case = format!("{soft:?} {is_pondering} {factor} {is_decided}");
            let at_once = deadline.is_last_iteration(factor, is_decided);
            assert_eq!(at_once, is_last && !is_pondering, "{case}");
            assert!(!deadline.poll().0, "{case}");
            control.ponderhit();
            assert_eq!(deadline.poll().0, is_last && is_pondering, "{case}");
        }
    }

    #[test]
    fn grace_ends_after_the_search_and_its_own_time() {
        let control = Control::default();
        let deadline = deadline_of(&control, None);
        let calls = 0..2 * STEPS;
        let ends = |most| {
            let mut is_over = deadline.grace(most);
            calls.clone().any(|_| is_over())
        };
        assert!(!ends(Duration::ZERO), "the search goes on");
        control.stop();
        assert!(ends(Duration::ZERO) && !ends(Duration::from_secs(3_600)));
    }

    #[test]
    fn polls_record_setup_and_gaps() {
        let control = Control::default();
        let deadline = Deadline::new(&control, a_moment_ago(), TimeManager::default());
        assert!(deadline.elapsed() > Duration::ZERO);
        assert_eq!((control.setup(), control.longest_gap()), (Duration::ZERO, Duration::ZERO));
        // The last poll of another thread.
        deadline.last_poll.0.store(0, Ordering::Relaxed);
        let (_, first) = deadline.poll();
        assert_eq!((control.setup(), control.longest_gap()), (first, first));
        let (_, second) = deadline.poll();
        assert!(second >= first && control.setup() == first);
        assert_eq!(nanoseconds(Duration::MAX), u64::MAX);
    }

    #[cfg(not(loom))]
    #[test]
    fn a_report_is_due_after_its_interval() {
        let long_ago = Instant::now().checked_sub(MAX_REPORT_INTERVAL).unwrap();
        let mut timer = ProgressTimer { last_report: long_ago };
        assert!(timer.is_due() && timer.last_report > long_ago, "it counts as made");
        timer.last_report = Instant::now() + Duration::from_secs(3_600);
        assert!(!timer.is_due());
        timer.last_report = long_ago;
        timer.restart();
        assert!(timer.last_report > long_ago);
    }

    #[test]
    fn a_search_asks_whether_it_is_to_end_where_nobody_can_tell_it() {
        let control = Control::pondering().with_poll(|control| match control.is_pondering() {
            true => control.ponderhit(),
            false => control.stop(),
        });
        let deadline = &deadline_of(&control, None);
        let mut budget = Budget::new(None);
        assert!((0..=STEPS + POLL_INTERVAL).any(|_| visit(&mut budget, deadline)));
        assert!(!control.is_pondering());
    }

    #[test]
    fn slow_nodes_are_polled_more_often() {
        let control = Control::default();
        let deadline = &deadline_of(&control, Some(Duration::from_millis(20)));
        let mut budget = Budget::new(None);
        // Quick nodes at first.
        (0..1_000).take_while(|_| !visit(&mut budget, deadline)).count();
        let slow = (0..1_000)
            .take_while(|_| {
                thread::sleep(Duration::from_millis(2));
                !visit(&mut budget, deadline)
            })
            .count();
        assert!(slow < 128, "the first look is not late by all the nodes of an interval: {slow}");
        assert!(control.longest_gap() >= Duration::from_millis(2));
    }

    #[test]
    fn every_thread_ends_the_search_for_all() {
        let control = Control::default();
        let deadline = &deadline_of(&control, Some(Duration::ZERO));
        let [mut one, mut other] = [(); 2].map(|()| Budget::new(None));
        // This thread does not poll for long.
        other.next_poll = u64::MAX;
        assert!(!visit(&mut other, deadline));
        assert!(visit(&mut one, deadline));
        assert!(visit(&mut other, deadline));
    }
}

/// The end of a search in all orders of the threads' steps, see `make loom`. No time passes.
#[cfg(all(test, loom))]
mod orders {
    use loom::thread;

    use super::*;
    use crate::sync::in_all_orders;

    /// A search in ponder mode, whose time is over once its clock counts.
    fn pondering() -> (&'static Control, &'static Deadline<'static>) {
        let control: &Control = Box::leak(Box::new(Control::pondering()));
        let time = TimeManager { soft: None, hard: Some(Duration::ZERO) };
        (control, Box::leak(Box::new(Deadline::new(control, Instant::now(), time))))
    }

    /// Searches to the end, by polling the clock or only reading what others have polled.
    fn search(deadline: &Deadline, does_poll: bool) {
        while !(if does_poll { deadline.poll().0 } else { deadline.is_over() }) {
            thread::yield_now();
        }
    }

    #[test]
    fn all_threads_end_after_ponderhit_and_none_before() {
        in_all_orders(3, || {
            let (control, deadline) = pondering();
            assert!(!deadline.poll().0);
            let threads = [true, false].map(|does_poll| {
                thread::spawn(move || {
                    search(deadline, does_poll);
                    assert!(!does_poll || !control.is_pondering());
                })
            });
            control.ponderhit();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }

    #[test]
    fn a_thread_ends_after_stop() {
        for does_poll in [true, false] {
            in_all_orders(3, move || {
                let (control, deadline) = pondering();
                let thread = thread::spawn(move || search(deadline, does_poll));
                control.stop();
                thread.join().unwrap();
                assert!(control.is_pondering(), "no clock has counted");
            });
        }
    }

    #[test]
    fn no_node_is_lost_and_the_limit_ends_all_threads() {
        in_all_orders(3, || {
            let (_, deadline) = pondering();
            let count = move || {
                let mut budget = Budget::new(Some(3));
                let mut visited = 0;
                loop {
                    if budget.is_poll_due(deadline) {
                        budget.poll(deadline, false);
                    }
                    if budget.visit() {
                        return visited;
                    }
                    visited += 1;
                }
            };
            let other = thread::spawn(count);
            let visited = count() + other.join().unwrap();
            assert!(deadline.is_over() && (3..=6).contains(&visited), "{visited}");
            assert!(deadline.nodes() <= visited);
        });
    }
}
