//! Time management: how long a move may take, with regard to measured delays.

use std::time::Duration;

use super::{Clock, Limits};
use crate::eval::Score;
use crate::game::Color;

/// Expected moves to the end of the game without a time control. (A game of Neighbours takes 46 moves a side
/// in the mean of 60 games at 3,000 nodes; the early ones decide it.)
const EXPECTED_MOVES: u32 = 30;

/// Moves for which time is held back if a move costs more than its increment before its first node: a game
/// may last longer than expected.
const HELD_MOVES: u32 = 50;

/// Share of the increment that a move may count on, in percent.
const INCREMENT_SHARE: u32 = 80;

/// A move may exceed its share of the time by this factor to finish an iteration.
const HARD_FACTOR: u32 = 4;

/// A move never takes more than the second share of the remaining time, in percent. After delays it leaves
/// [`RESERVES_LEFT`] reserves on the clock, but may take the first share: delays come in series, before the
/// increments make up for them.
const HARD_SHARE: [u32; 2] = [25, 60];
const RESERVES_LEFT: u32 = 4;

/// After this share of the soft limit, in percent, no iteration begins: it would rarely be finished.
const SOFT_SHARE: u32 = 80;

/// Factors of the soft limit by the number of iterations with the same best move.
const STABILITY: [f64; 5] = [1.6, 1.2, 1.0, 0.9, 0.8];

/// Factor of the soft limit if the best move has taken no nodes, and its decrease if it has taken all.
const NODES_BASE: f64 = 1.9;
const NODES_SLOPE: f64 = 1.3;

/// Increase of the factor for a fall of the score by a unit of the pruning margins, and its bounds.
const FALL_SLOPE: f64 = 2.0;
const FALL_RANGE: [f64; 2] = [0.85, 1.6];

/// The stability of the best move, by which a search scales its time.
#[derive(Debug)]
pub(in crate::search) struct Stability<M> {
    best: Option<M>,
    /// Iterations since the best move has changed.
    iterations: usize,
    /// The mean score of the last iterations, the last one counting half.
    score: Option<Score>,
}

impl<M: PartialEq> Stability<M> {
    /// No iteration yet.
    pub(in crate::search) fn new() -> Stability<M> {
        Stability { best: None, iterations: 0, score: None }
    }

    /// Notes the result of an iteration: its best move, the score in thousandths, and the share of the nodes
    /// of the search that went into the best move. `margin` is the unit of the pruning margins. Returns the
    /// factor of the soft limit: less than 1 if the best move is stable.
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
        let fixed = limits.movetime.map(|time| subtract_overhead(time, limits.overhead));
        let clock_hard = clock.map(|(_, hard)| hard);
        TimeManager { soft: clock.map(|(soft, _)| soft), hard: fixed.into_iter().chain(clock_hard).min() }
    }

    /// Whether the search runs against a clock.
    pub fn is_on_clock(&self) -> bool {
        self.soft.is_some()
    }
}

/// Soft and hard limit of a move on a clock.
fn on_clock(clock: Clock, limits: &Limits) -> (Duration, Duration) {
    let moves = limits.moves_to_go.unwrap_or(EXPECTED_MOVES).clamp(1, EXPECTED_MOVES);
    let increment = clock.increment * INCREMENT_SHARE / 100;
    // The cost of the coming moves even if they are played at once.
    let held = limits.moves_to_go.unwrap_or(HELD_MOVES).clamp(1, HELD_MOVES) - 1;
    let held = limits.cost.saturating_sub(increment) * held;
    let usable = subtract_overhead(clock.remaining, limits.overhead + limits.reserve + held);
    let share = usable / moves + increment;
    // Before a time control, nothing but this move needs the time.
    let share = if moves > 1 { share.saturating_sub(limits.lag) } else { share };
    let [least, most] = HARD_SHARE.map(|percent| usable * percent / 100);
    let left = if moves > 1 { limits.reserve * RESERVES_LEFT } else { Duration::ZERO };
    let hard = (share * HARD_FACTOR).min(usable.saturating_sub(left).clamp(least, most));
    (share.min(hard) * SOFT_SHARE / 100, hard)
}

/// The time less the overhead; a millisecond at least.
fn subtract_overhead(time: Duration, overhead: Duration) -> Duration {
    time.saturating_sub(overhead).max(Duration::from_millis(1))
}

/// Delays up to this long are ignored: polling and waking up take less.
const SLACK: Duration = Duration::from_millis(2);

/// Longer delays, such as of a suspended process, count as this long.
const MAX_DELAY: Duration = Duration::from_secs(1);

/// With each move, the worst delay decays by 1/`FADING`, and the mean lag takes the new one with weight
/// 1/`MEANING`.
const FADING: u32 = 8;
const MEANING: u32 = 4;

/// Measured delays on a clock. On a busy machine a search polls the clock too late, and communication takes
/// time that the search cannot see; it follows from the next clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delays {
    /// The worst gap between polls.
    late: Duration,
    /// The lag of moves, worst and mean: time on the clock besides the search.
    worst_lag: Duration,
    mean_lag: Duration,
    /// The mean time from the request of a search to its first node.
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
    /// Its time, from the request.
    taken: Duration,
}

impl Delays {
    /// Begins a search by `player` after `plies` plies of a game, `waited` after the request. Updates the lag
    /// from the clock, and returns the limits with reserve, lag and cost.
    pub fn begin(&mut self, limits: &Limits, player: Color, plies: usize, waited: Duration) -> Limits {
        let Some(clock) = limits.clocks[player.index()] else {
            self.last = None;
            return limits.clone();
        };
        // Waking up takes about the same time at the other end.
        self.worst_lag = self.worst_lag.max(counted(waited));
        if let Some(last) = self.last.take().filter(|last| (last.player, last.plies + 2) == (player, plies)) {
            let expected = (last.clock.remaining + last.clock.increment).saturating_sub(last.taken);
            // After a new time control or an adjusted clock the lag is unknown.
            if let Some(lag) = expected.checked_sub(clock.remaining)
                && lag <= MAX_DELAY
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

    /// Ends that search after `taken`. Its first node came `setup` after the request; `longest_gap` is that
    /// between its polls.
    pub fn end(&mut self, taken: Duration, setup: Duration, longest_gap: Duration) {
        self.late = (self.late - self.late / FADING).max(counted(longest_gap));
        self.mean_setup = mean(self.mean_setup, setup.min(MAX_DELAY));
        if let Some(last) = &mut self.last {
            last.taken = taken;
        }
    }
}

/// An exponential moving average, with one more value.
fn mean(mean: Duration, value: Duration) -> Duration {
    mean - mean / MEANING + value / MEANING
}

/// A delay within its bounds.
fn counted(delay: Duration) -> Duration {
    delay.saturating_sub(SLACK).min(MAX_DELAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stable_best_move_takes_less_time() {
        let (even, worse) = (Score::DRAW, Score::from_value(-1.0));
        let mut settled = Stability::new();
        let last = (0..8).map(|_| settled.factor('a', even, 0.9, 1000)).last().unwrap();
        assert!(last < 0.7, "{last}");
        assert!(settled.factor('a', worse, 0.9, 1000) > last, "the score falls");
        let mut open = Stability::new();
        let last = "abab".chars().map(|best| open.factor(best, even, 0.4, 1000)).last().unwrap();
        assert!(last > 1.5, "{last}");
    }

    #[test]
    fn the_factor_follows_stability_nodes_and_score() {
        let mut stability = Stability::new();
        // Half of the nodes: 1.9 - 1.3 / 2 = 1.25.
        for (best, thousandths, factor) in [
            ('a', 0, 1.6 * 1.25),
            ('a', -100, 1.2 * 1.25 * 1.2),
            // The mean is -50 now, then -75.
            ('a', -100, 1.0 * 1.25 * 1.1),
            ('a', -75, 0.9 * 1.25),
            ('a', 925, 0.8 * 1.25 * 0.85),
            // The mean is 425.
            ('a', 425, 0.8 * 1.25),
            ('b', -575, 1.6 * 1.25 * 1.6),
            ('b', -75, 1.2 * 1.25),
        ] {
            let found = stability.factor(best, Score::from_thousandths(thousandths), 0.5, 1_000);
            assert!((found - factor).abs() < 1e-9, "{best} {thousandths}: {found}, not {factor}");
        }
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
    fn soft_and_hard_limit_of_a_move() {
        let ms = Duration::from_millis;
        // The overhead, reserve and held time leave 30 s.
        for (remaining, moves_to_go, reserve, lag, cost, soft, hard) in [
            (30_010, None, 0, 0, 0, 864, 4_320),
            (30_010, Some(10), 0, 0, 0, 2_464, 12_320),
            (30_010, Some(1), 0, 0, 0, 14_400, 18_000),
            (30_110, None, 100, 0, 0, 864, 4_320),
            (30_010, None, 0, 20, 0, 848, 4_240),
            // Each of 49 coming moves costs 100 ms more than its increment, or each of five.
            (34_910, None, 0, 0, 180, 864, 4_320),
            (30_510, Some(6), 0, 0, 180, 4_064, 18_000),
            // Before a time control, not even a lag of nearly all the time counts, here of 100 ms.
            (110, Some(1), 0, 170, 0, 48, 60),
        ] {
            let (reserve, lag, cost) = (ms(reserve), ms(lag), ms(cost));
            let limits = Limits { moves_to_go, reserve, lag, cost, ..limits(remaining, 100) };
            let time = TimeManager::new(&limits, Color::White);
            assert_eq!((time.soft, time.hard), (Some(ms(soft)), Some(ms(hard))), "{limits:?}");
            assert!(time.is_on_clock());
        }
        let fixed = Limits { movetime: Some(ms(50)), ..limits(30_010, 100) };
        let time = TimeManager::new(&fixed, Color::White);
        assert_eq!((time.soft, time.hard), (Some(ms(864)), Some(ms(40))), "the shorter one counts");
        assert!(!TimeManager::default().is_on_clock());
    }

    #[test]
    fn the_worst_delay_fades_by_an_eighth_and_the_mean_takes_a_quarter() {
        let ms = Duration::from_millis;
        let mut delays = Delays::default();
        let begin = |delays: &mut Delays, remaining, plies, waited| {
            let limits = delays.begin(&limits(remaining, 10), Color::White, plies, ms(waited));
            [limits.reserve, limits.lag, limits.cost].map(|time| time.as_micros())
        };
        assert_eq!(begin(&mut delays, 1_000, 0, 0), [0, 0, 0]);
        // A gap of 82 ms, less the slack; by the next clock the move has taken 80 ms more than it knows, of
        // which 10 ms are the overhead.
        delays.end(ms(40), ms(8), ms(82));
        assert_eq!(begin(&mut delays, 890, 2, 0), [80_000 + 70_000, 20_000, 20_000 + 2_000]);
        delays.end(ms(40), ms(0), ms(0));
        assert_eq!(begin(&mut delays, 860, 4, 0), [70_000 + 60_000, 15_000, 15_000 + 1_500]);
        // It begins late, and no lag follows from another game.
        let mut delays = Delays::default();
        assert_eq!(begin(&mut delays, 1_000, 0, 52), [40_000, 0, 0]);
        assert_eq!(begin(&mut delays, 900, 1, 0), [40_000, 0, 0]);
        // A second is the longest lag that counts.
        for (remaining, mean_lag) in [(8_000, 250_000), (7_999, 0)] {
            let mut delays = Delays::default();
            begin(&mut delays, 9_000, 0, 0);
            delays.end(ms(10), ms(0), ms(0));
            assert_eq!(begin(&mut delays, remaining, 2, 0)[1], mean_lag);
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
        // A poll came 30 ms late.
        delays.end(ms(40), Duration::ZERO, ms(30));
        let busy = begin(&mut delays, 940, 4);
        assert!(busy.reserve >= ms(25) && busy.lag == Duration::ZERO, "{busy:?}");
        // By the clock, the move took 40 ms more than its search.
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
    fn lag_is_measured_within_one_game_only() {
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
        // A suspended process or an adjusted clock.
        let mut delays = Delays::default();
        delays.begin(&limits(100_000, 0), Color::White, 0, Duration::ZERO);
        delays.end(ms(100), Duration::ZERO, Duration::from_secs(10_000));
        let limits = delays.begin(&limits(10_000, 0), Color::White, 2, Duration::from_secs(10_000));
        assert!(limits.lag == Duration::ZERO && limits.reserve <= 2 * MAX_DELAY, "{limits:?}");
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
    fn time_grows_with_the_clock() {
        let soft = |remaining, increment| TimeManager::new(&limits(remaining, increment), Color::White).soft;
        assert!(soft(60_000, 0) > soft(10_000, 0));
        assert!(soft(10_000, 1_000) > soft(10_000, 0));
    }

    #[test]
    fn movetime_is_reduced_by_the_overhead() {
        let limits = Limits {
            movetime: Some(Duration::from_millis(100)),
            overhead: Duration::from_millis(10),
            ..Limits::none()
        };
        let time = TimeManager::new(&limits, Color::White);
        assert_eq!((time.soft, time.hard), (None, Some(Duration::from_millis(90))));
    }
}
