//! Time management.

use std::time::Duration;

use super::{Clock, Limits};
use crate::eval::Score;
use crate::game::Color;

/// Moves that the rest of the game is expected to take where no time control is announced. (A game of
/// Neighbours takes 46 moves a side in the mean of 60 games at 3,000 nodes; the early ones decide it.)
const EXPECTED_MOVES: u32 = 30;

/// Share of the increment that a move may count on, in percent.
const INCREMENT_SHARE: u32 = 80;

/// A move may exceed its share of the time by this factor to finish an iteration.
const HARD_FACTOR: u32 = 4;

/// A move never takes more than this share of the time that is left, in percent.
const HARD_SHARE: u32 = 60;

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
pub(super) struct Stability<M> {
    best: Option<M>,
    /// Iterations since the best move has changed.
    iterations: usize,
    /// The mean score of the last iterations, the last one counting half.
    score: Option<Score>,
}

impl<M: PartialEq> Stability<M> {
    /// Nothing is known.
    pub(super) fn new() -> Stability<M> {
        Stability { best: None, iterations: 0, score: None }
    }

    /// Notes the result of an iteration: its best move, the score in thousandths, and the share of the nodes
    /// of the search that went into the best move. `margin` is the unit of the pruning margins. The factor by
    /// which the soft limit should be multiplied: less than 1 where everything speaks for one move.
    pub(super) fn factor(&mut self, best: M, score: Score, share: f64, margin: i32) -> f64 {
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

/// The time of a search: no new iteration after the soft limit, no further node after the hard limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    let usable = keep_back(clock.remaining, limits.overhead);
    let moves = limits.moves_to_go.unwrap_or(EXPECTED_MOVES).clamp(1, EXPECTED_MOVES);
    let share = usable / moves + clock.increment * INCREMENT_SHARE / 100;
    let hard = (share * HARD_FACTOR).min(usable * HARD_SHARE / 100);
    (share.min(hard) * SOFT_SHARE / 100, hard)
}

/// What is left of a time when the overhead is set aside; a millisecond at least.
fn keep_back(time: Duration, overhead: Duration) -> Duration {
    time.saturating_sub(overhead).max(Duration::from_millis(1))
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
