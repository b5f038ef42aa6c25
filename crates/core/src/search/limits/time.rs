//! Time management: how long a move may take, and what delays have taught.

use std::time::Duration;

use super::{Clock, Limits};
use crate::eval::Score;
use crate::game::Color;

/// Moves that the rest of the game is expected to take where no time control is announced. (A game of
/// Neighbours takes 46 moves a side in the mean of 60 games at 3,000 nodes; the early ones decide it.)
const EXPECTED_MOVES: u32 = 30;

/// Moves for which time is held back where a move takes more than its increment before it has searched
/// anything: a game may go on for longer than expected.
const HELD_MOVES: u32 = 50;

/// Share of the increment that a move may count on, in percent.
const INCREMENT_SHARE: u32 = 80;

/// A move may exceed its share of the time by this factor to finish an iteration.
const HARD_FACTOR: u32 = 4;

/// A move never takes more than this share of the time that is left, in percent. Where delays have been seen
/// it leaves the clock so many reserves, as long as that leaves it the least share: a delay is followed by
/// others, and by longer ones, before the increments make up for it.
const HARD_SHARE: [u32; 2] = [25, 60];
const RESERVES_LEFT: u32 = 4;

/// After this share of its time, in percent, a move begins no new iteration: it would rarely be finished.
const SOFT_SHARE: u32 = 80;

/// Factors of the soft limit by the number of iterations that have kept the best move.
const STABILITY: [f64; 5] = [1.6, 1.2, 1.0, 0.9, 0.8];

/// Factor of the soft limit where the best move has taken no nodes at all, and how much less it is where it
/// has taken all.
const NODES_BASE: f64 = 1.9;
const NODES_SLOPE: f64 = 1.3;

/// What a fall of the score by a unit of the pruning margins adds to the factor, and the bounds of that.
const FALL_SLOPE: f64 = 2.0;
const FALL_RANGE: [f64; 2] = [0.85, 1.6];

/// How settled the choice between the root moves is: the share of its time that a search needs.
#[derive(Debug)]
pub(in crate::search) struct Stability<M> {
    best: Option<M>,
    /// Iterations since the best move has changed.
    iterations: usize,
    /// The mean score of the last iterations, the last one counting half.
    score: Option<Score>,
}

impl<M: PartialEq> Stability<M> {
    /// Nothing is known.
    pub(in crate::search) fn new() -> Stability<M> {
        Stability { best: None, iterations: 0, score: None }
    }

    /// Notes the result of an iteration: its best move, the score in thousandths, and the share of the nodes
    /// of the search that went into the best move. `margin` is the unit of the pruning margins. The factor by
    /// which the soft limit should be multiplied: less than 1 where everything speaks for one move.
    pub(in crate::search) fn factor(&mut self, best: M, score: Score, share: f64, margin: i32) -> f64 {
        self.iterations = if self.best.as_ref() == Some(&best) { self.iterations + 1 } else { 0 };
        self.best = Some(best);
        let mean = self.score.unwrap_or(score).to_thousandths();
        let fall = f64::from(mean - score.to_thousandths()) / f64::from(margin.max(1));
        self.score = Some(Score::from_thousandths((mean + score.to_thousandths()) / 2));
        let stability = STABILITY[self.iterations.min(STABILITY.len() - 1)];
        let [least, most] = FALL_RANGE;
        stability * (NODES_BASE - NODES_SLOPE * share) * (1.0 + FALL_SLOPE * fall).clamp(least, most)
    }
}

/// The time of a search: no new iteration after the soft limit, no further node after the hard limit. The
/// default is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeManager {
    /// From here on no iteration begins.
    pub soft: Option<Duration>,
    /// Here the search ends.
    pub hard: Option<Duration>,
}

impl TimeManager {
    /// The time of a search by the player `stm` under `limits`.
    pub fn new(limits: &Limits, stm: Color) -> TimeManager {
        let clock = limits.clocks[stm.index()].map(|clock| on_clock(clock, limits));
        let fixed = limits.movetime.map(|time| keep_back(time, limits.overhead));
        let clock_hard = clock.map(|(_, hard)| hard);
        TimeManager { soft: clock.map(|(soft, _)| soft), hard: fixed.into_iter().chain(clock_hard).min() }
    }

    /// Whether the search runs against a clock.
    pub fn is_on_clock(&self) -> bool {
        self.soft.is_some()
    }
}

/// Soft and hard limit of a move under a clock.
fn on_clock(clock: Clock, limits: &Limits) -> (Duration, Duration) {
    let moves = limits.moves_to_go.unwrap_or(EXPECTED_MOVES).clamp(1, EXPECTED_MOVES);
    let increment = clock.increment * INCREMENT_SHARE / 100;
    // What the coming moves take from the clock even if they are played at once.
    let held = limits.moves_to_go.unwrap_or(HELD_MOVES).clamp(1, HELD_MOVES) - 1;
    let held = limits.cost.saturating_sub(increment) * held;
    let usable = keep_back(clock.remaining, limits.overhead + limits.reserve + held);
    let share = usable / moves + increment;
    // Before a time control, nothing but this move needs the time.
    let share = if moves > 1 { share.saturating_sub(limits.lag) } else { share };
    let [least, most] = HARD_SHARE.map(|percent| usable * percent / 100);
    let left = if moves > 1 { limits.reserve * RESERVES_LEFT } else { Duration::ZERO };
    let hard = (share * HARD_FACTOR).min(usable.saturating_sub(left).clamp(least, most));
    (share.min(hard) * SOFT_SHARE / 100, hard)
}

/// What is left of a time when the overhead is set aside; a millisecond at least.
fn keep_back(time: Duration, overhead: Duration) -> Duration {
    time.saturating_sub(overhead).max(Duration::from_millis(1))
}

/// A delay up to this long is none: a search looks at the clock and an idle machine wakes up in less.
const SLACK: Duration = Duration::from_millis(2);

/// Longer delays count as this long: a process that was suspended for an hour will not always be.
const LONGEST_DELAY: Duration = Duration::from_secs(1);

/// With each move, the worst delay fades by one part of this many, and the mean lag takes that of the move
/// for one part of this many.
const FADING: u32 = 8;
const MEANING: u32 = 4;

/// What a player has learned of delays on a clock. A busy machine lets a search look at the clock too late,
/// and a move loses time on its way, both ways, that its search does not see; the next clock tells of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delays {
    /// How much too late a search has looked at its limits.
    late: Duration,
    /// What a move has taken from the clock besides the time of its search, at worst and in the mean.
    worst_lag: Duration,
    mean_lag: Duration,
    /// The time from when a search was asked for to its first node, in the mean.
    mean_setup: Duration,
    last: Option<Timed>,
}

/// A search on a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Timed {
    player: Color,
    /// Plies of the game before it.
    plies: usize,
    /// The clock before it.
    clock: Clock,
    /// Its time, from when it was asked for.
    taken: Duration,
}

impl Delays {
    /// A search by `player` after so many plies of a game begins, so long after it was asked for. What its
    /// clock tells of the last move is learned. The limits with what has to be kept back.
    pub fn begin(&mut self, limits: &Limits, player: Color, plies: usize, waited: Duration) -> Limits {
        let Some(clock) = limits.clocks[player.index()] else {
            self.last = None;
            return limits.clone();
        };
        // Waking up takes about as long at the other end.
        self.worst_lag = self.worst_lag.max(counted(waited));
        if let Some(last) = self.last.take().filter(|last| (last.player, last.plies + 2) == (player, plies)) {
            let expected = (last.clock.remaining + last.clock.increment).saturating_sub(last.taken);
            // A new time control, or another time that somebody has set, tells nothing.
            if let Some(lag) = expected.checked_sub(clock.remaining)
                && lag <= LONGEST_DELAY
            {
                self.worst_lag = (self.worst_lag - self.worst_lag / FADING).max(lag);
                self.mean_lag = mean(self.mean_lag, lag);
            }
        }
        let timed = Timed { player, plies, clock, taken: Duration::ZERO };
        self.last = Some(timed);
        let reserve = self.late + self.worst_lag.saturating_sub(limits.overhead);
        Limits { reserve, lag: self.mean_lag, cost: self.mean_lag + self.mean_setup, ..limits.clone() }
    }

    /// That search is over after this time. It has begun `setup` after it was asked for, and nobody has
    /// looked at its limits for the longest of its gaps.
    pub fn end(&mut self, taken: Duration, setup: Duration, longest_gap: Duration) {
        self.late = (self.late - self.late / FADING).max(counted(longest_gap));
        self.mean_setup = mean(self.mean_setup, setup.min(LONGEST_DELAY));
        if let Some(last) = &mut self.last {
            last.taken = taken;
        }
    }
}

/// A mean that fades, with one more value.
fn mean(mean: Duration, value: Duration) -> Duration {
    mean - mean / MEANING + value / MEANING
}

/// What counts of a delay.
fn counted(delay: Duration) -> Duration {
    delay.saturating_sub(SLACK).min(LONGEST_DELAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_settled_choice_takes_less_time_than_an_open_one() {
        let (even, worse) = (Score::DRAW, Score::from_value(-1.0));
        let mut settled = Stability::new();
        let last = (0..8).map(|_| settled.factor('a', even, 0.9, 1000)).last().unwrap();
        assert!(last < 0.7, "{last}");
        assert!(settled.factor('a', worse, 0.9, 1000) > last, "the score falls");
        let mut open = Stability::new();
        let last = "abab".chars().map(|best| open.factor(best, even, 0.4, 1000)).last().unwrap();
        assert!(last > 1.5, "{last}");
    }

    fn limits(remaining: u64, increment: u64) -> Limits {
        let clock = Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
        };
        Limits { clocks: [Some(clock), None], overhead: Duration::from_millis(10), ..Limits::none() }
    }

    #[test]
    fn no_clock_no_limit() {
        let time = TimeManager::new(&limits(1000, 10), Color::Black);
        assert_eq!(time, TimeManager { soft: None, hard: None });
    }

    #[test]
    fn the_clock_is_never_overstepped() {
        for remaining in [1, 5, 11, 20, 50, 100, 1_000, 60_000, 10_000_000] {
            for increment in [0, 10, 1_000, 60_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40), Some(1000)] {
                    let limits = Limits { moves_to_go, ..limits(remaining, increment) };
                    let time = TimeManager::new(&limits, Color::White);
                    let (soft, hard) = (time.soft.unwrap(), time.hard.unwrap());
                    assert!(soft <= hard, "{limits:?}");
                    let usable = Duration::from_millis(remaining.saturating_sub(10).max(1));
                    assert!(hard <= usable, "{limits:?}");
                }
            }
        }
    }

    #[test]
    fn delays_widen_the_reserve_and_fade() {
        let ms = Duration::from_millis;
        let mut delays = Delays::default();
        let begin = |delays: &mut Delays, remaining, plies| {
            delays.begin(&limits(remaining, 10), Color::White, plies, Duration::ZERO)
        };
        let quiet = begin(&mut delays, 1_000, 0);
        assert_eq!(quiet, Limits { start: quiet.start, ..limits(1_000, 10) }, "nothing is known");
        delays.end(ms(40), Duration::ZERO, ms(1));
        assert_eq!(begin(&mut delays, 970, 2).reserve, Duration::ZERO, "an idle machine");
        // A look at the clock came 30 ms late.
        delays.end(ms(40), Duration::ZERO, ms(30));
        let busy = begin(&mut delays, 940, 4);
        assert!(busy.reserve >= ms(25) && busy.lag == Duration::ZERO, "{busy:?}");
        // The clock says that the move took 40 ms more than its search.
        delays.end(ms(40), Duration::ZERO, ms(1));
        let late = begin(&mut delays, 870, 6);
        assert!(late.reserve >= ms(50) && late.lag >= ms(8), "{late:?}");
        let hard = |limits: &Limits| TimeManager::new(limits, Color::White).hard.unwrap();
        let of = |known: &Limits| Limits { reserve: known.reserve, lag: known.lag, ..limits(100, 10) };
        assert!(hard(&of(&late)) < hard(&of(&busy)) && hard(&of(&busy)) < hard(&of(&quiet)));
        for ply in 4..40 {
            delays.end(ms(10), Duration::ZERO, ms(1));
            begin(&mut delays, 870, 2 * ply);
        }
        delays.end(ms(10), Duration::ZERO, ms(1));
        let again = begin(&mut delays, 870, 80);
        assert!(again.reserve < ms(1) && again.lag < ms(1), "{again:?}");
    }

    #[test]
    fn time_is_held_for_moves_that_take_more_than_their_increment() {
        let ms = Duration::from_millis;
        let mut delays = Delays::default();
        for ply in 0..20 {
            delays.begin(&limits(1_000, 1), Color::White, 2 * ply, Duration::ZERO);
            delays.end(ms(2), ms(2), Duration::ZERO);
        }
        let hard = |increment, moves_to_go, cost| {
            let limits = Limits { moves_to_go, cost, ..limits(60, increment) };
            TimeManager::new(&limits, Color::White).hard.unwrap()
        };
        let cost = delays.begin(&limits(1_000, 1), Color::White, 40, Duration::ZERO).cost;
        assert!(cost > ms(1) && cost <= ms(2), "{cost:?}");
        assert!(hard(1, None, cost) < hard(1, None, Duration::ZERO) / 5);
        assert_eq!(hard(10, None, cost), hard(10, None, Duration::ZERO), "the increment makes up for it");
        assert_eq!(hard(1, Some(1), cost), hard(1, Some(1), Duration::ZERO), "no move is to come");
    }

    #[test]
    fn only_the_clock_of_the_same_game_tells_of_a_lag() {
        let ms = Duration::from_millis;
        for (color, plies, remaining, is_lag) in [
            (Color::White, 12, 900, true),
            (Color::White, 12, 1_500, false),
            (Color::White, 14, 900, false),
            (Color::Black, 12, 900, false),
        ] {
            let mut delays = Delays::default();
            let both = |remaining| {
                let limits = limits(remaining, 10);
                Limits { clocks: [limits.clocks[0]; 2], ..limits }
            };
            delays.begin(&both(1_000), Color::White, 10, Duration::ZERO);
            delays.end(ms(20), Duration::ZERO, Duration::ZERO);
            let limits = delays.begin(&both(remaining), color, plies, Duration::ZERO);
            assert_eq!(limits.lag > Duration::ZERO, is_lag, "{color:?} {plies} {remaining}");
        }
        // A suspended process or a clock that somebody has set.
        let mut delays = Delays::default();
        delays.begin(&limits(100_000, 0), Color::White, 0, Duration::ZERO);
        delays.end(ms(100), Duration::ZERO, Duration::from_secs(10_000));
        let limits = delays.begin(&limits(10_000, 0), Color::White, 2, Duration::from_secs(10_000));
        assert!(limits.lag == Duration::ZERO && limits.reserve <= 2 * LONGEST_DELAY, "{limits:?}");
    }

    #[test]
    fn the_longer_the_delays_the_smaller_the_share_of_a_move_on_a_short_clock() {
        let late = |remaining: u64, reserve| {
            let reserve = Duration::from_millis(reserve);
            // The reserve itself is kept back as well.
            Limits { reserve, ..limits(remaining + 10 + reserve.as_millis() as u64, 100) }
        };
        let hard = |remaining, reserve| {
            TimeManager::new(&late(remaining, reserve), Color::White).hard.unwrap().as_millis() as u64
        };
        assert_eq!(
            [0, 1, 5, 10, 20, 30, 500].map(|reserve| hard(100, reserve)),
            [60, 60, 60, 60, 25, 25, 25]
        );
        assert_eq!(hard(100, 15), 40);
        assert_eq!(hard(1_000, 30), hard(1_000, 0), "the clock is long enough");
        // The last move before a time control may take more.
        let last = Limits { moves_to_go: Some(1), ..late(100, 20) };
        assert_eq!(TimeManager::new(&last, Color::White).hard, Some(Duration::from_millis(60)));
    }

    #[test]
    fn a_longer_clock_means_longer_thought() {
        let soft = |remaining, increment| TimeManager::new(&limits(remaining, increment), Color::White).soft;
        assert!(soft(60_000, 0) > soft(10_000, 0));
        assert!(soft(10_000, 1_000) > soft(10_000, 0));
    }

    #[test]
    fn a_fixed_time_leaves_room_for_the_way() {
        let limits = Limits {
            movetime: Some(Duration::from_millis(100)),
            overhead: Duration::from_millis(10),
            ..Limits::none()
        };
        let time = TimeManager::new(&limits, Color::White);
        assert_eq!((time.soft, time.hard), (None, Some(Duration::from_millis(90))));
    }
}
