//! Time controls and the clocks that run under them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use labrys_core::game::Color;
use labrys_core::search::{Clock, Limits};

/// A time control: time for a number of moves or for the whole game, and an increment after each move. It is
/// parsed and printed as in cutechess: `[moves/]time[+increment]` in seconds; the time may also be
/// `minutes:seconds`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Moves per period; `None` means that the time is for the whole game.
    pub moves: Option<u32>,
    /// Time per period.
    pub time: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

/// The form of a time control, for error messages.
pub(super) const TIME_CONTROL: &str = "[moves/]seconds[+increment], such as 10+0.1 or 40/1:30";

impl FromStr for TimeControl {
    type Err = ();

    fn from_str(text: &str) -> Result<TimeControl, ()> {
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(moves.parse().ok().filter(|&moves| moves > 0).ok_or(())?), rest),
            None => (None, text),
        };
        let (time, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let (minutes, time) = time.split_once(':').unwrap_or(("0", time));
        let time = seconds(time).ok_or(())? + minutes.parse::<u32>().map_err(drop)? * Duration::from_secs(60);
        let increment = seconds(increment).ok_or(())?;
        if time.is_zero() && increment.is_zero() {
            return Err(());
        }
        Ok(TimeControl { moves, time, increment })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.time.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// Parses a time in seconds, from 0 to 1,000,000 (about eleven days), fractions allowed.
pub fn seconds(text: &str) -> Option<Duration> {
    const MAX_SECONDS: f64 = 1e6;
    let seconds = text.parse().ok().filter(|seconds| (0.0..=MAX_SECONDS).contains(seconds))?;
    Some(Duration::from_secs_f64(seconds))
}

/// Time control of an engine and limits on each of its searches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineLimits {
    /// Time control of the game.
    pub control: Option<TimeControl>,
    /// Fixed time per move.
    pub move_time: Option<Duration>,
    /// Depth limit of each search, in plies.
    pub depth: Option<u32>,
    /// Node limit of each search.
    pub nodes: Option<u64>,
    /// Time margin: how far an engine may overstep its time without losing.
    pub margin: Duration,
    /// Whether searches are told depth and nodes only: the engine takes its time, and loses when it is over.
    pub hides_clock: bool,
}

impl EngineLimits {
    /// Whether no limit would ever end a search.
    pub fn is_unlimited(&self) -> bool {
        self.control.is_none() && self.move_time.is_none() && self.depth.is_none() && self.nodes.is_none()
    }
}

impl fmt::Display for EngineLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.control.map(|control| control.to_string()),
            self.move_time.map(|time| format!("{}/move", time.as_secs_f64())),
            self.depth.map(|depth| format!("depth {depth}")),
            self.nodes.map(|nodes| format!("nodes {nodes}")),
            self.hides_clock.then(|| "clock hidden".to_owned()),
            (!self.margin.is_zero()).then(|| format!("timemargin {}", self.margin.as_millis())),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// The clock of a player in a game.
#[derive(Clone, Debug)]
pub struct PlayerClock<'a> {
    limits: &'a EngineLimits,
    /// Time left on the clock, if there is a time control.
    remaining: Duration,
    /// Moves played in the game.
    moves: u32,
}

impl<'a> PlayerClock<'a> {
    /// The clock at the start of a game.
    pub fn new(limits: &'a EngineLimits) -> PlayerClock<'a> {
        let remaining = limits.control.map_or(Duration::ZERO, |control| control.time + control.increment);
        PlayerClock { limits, remaining, moves: 0 }
    }

    /// The clock as passed to a search, without the margin.
    fn reading(&self) -> Option<Clock> {
        let control = self.limits.control?;
        Some(Clock { remaining: self.remaining, increment: control.increment })
    }

    /// The time that the next move may take, margin included; `None` without a clock.
    pub fn timeout(&self) -> Option<Duration> {
        let clock = self.limits.control.map(|_| self.remaining);
        let least = clock.into_iter().chain(self.limits.move_time).min();
        least.map(|time| time + self.limits.margin)
    }

    /// Subtracts the time of a move from the clock. Returns whether the move was made in time.
    #[must_use]
    pub fn press(&mut self, elapsed: Duration) -> bool {
        let in_time = self.timeout().is_none_or(|timeout| elapsed <= timeout);
        self.moves += 1;
        if let Some(control) = self.limits.control {
            self.remaining = self.remaining.saturating_sub(elapsed) + control.increment;
            if control.moves.is_some_and(|moves| self.moves.is_multiple_of(moves)) {
                self.remaining += control.time;
            }
        }
        in_time
    }
}

/// The limits of the next search of the side to move, `stm`; `clocks` are those of White and Black.
pub fn search_limits(clocks: &[PlayerClock; 2], stm: Color) -> Limits {
    let PlayerClock { limits, moves, .. } = &clocks[stm.index()];
    let depth_and_nodes = Limits { depth: limits.depth, nodes: limits.nodes, ..Limits::none() };
    if limits.hides_clock {
        return depth_and_nodes;
    }
    let period = limits.control.and_then(|control| control.moves);
    Limits {
        movetime: limits.move_time,
        // An engine without a clock of its own gets no clocks, or it would manage time by the opponent's.
        clocks: match limits.control {
            Some(_) => [clocks[0].reading(), clocks[1].reading()],
            None => [None; 2],
        },
        moves_to_go: period.map(|period| period - moves % period),
        ..depth_and_nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    #[test]
    fn time_controls_read_and_print() {
        let second = Duration::from_secs(1);
        assert_eq!(control("10+0.1"), TimeControl { moves: None, time: 10 * second, increment: second / 10 });
        assert_eq!(
            control("40/1:30"),
            TimeControl { moves: Some(40), time: 90 * second, increment: Duration::ZERO }
        );
        for text in ["10+0.1", "40/90", "0.5", "0+1"] {
            assert_eq!(control(text).to_string(), text);
        }
        for text in ["", "x", "0", "-1", "10+", "0/10", "1:x", "1e99", "nan", "1/2/3", "10+-1", "inf"] {
            assert_eq!(text.parse::<TimeControl>(), Err(()), "{text}");
        }
    }

    #[test]
    fn a_clock_runs_down_and_is_filled() {
        let limits = EngineLimits { control: Some(control("2/1+0.1")), ..EngineLimits::default() };
        let ms = Duration::from_millis;
        let mut clock = PlayerClock::new(&limits);
        let reading = |clock: &PlayerClock| clock.reading().unwrap().remaining;
        assert!(clock.press(ms(600)));
        assert_eq!(reading(&clock), ms(600), "1 + 0.1 − 0.6 + 0.1");
        let clocks = [clock.clone(), clock.clone()];
        assert_eq!(search_limits(&clocks, Color::White).moves_to_go, Some(1));
        assert!(clock.press(ms(600)), "to the millisecond");
        assert_eq!(reading(&clock), ms(1100), "a new period");
        assert!(!clock.press(ms(1101)));
    }

    #[test]
    fn each_limit_of_an_engine_ends_a_search() {
        let none = EngineLimits::default;
        assert!(EngineLimits { margin: Duration::from_secs(1), ..none() }.is_unlimited());
        for limits in [
            EngineLimits { control: Some(control("1")), ..none() },
            EngineLimits { move_time: Some(Duration::from_secs(1)), ..none() },
            EngineLimits { depth: Some(3), ..none() },
            EngineLimits { nodes: Some(100), ..none() },
        ] {
            assert!(!limits.is_unlimited(), "{limits}");
        }
    }

    #[test]
    fn a_search_gets_both_clocks_and_the_limits_of_its_side() {
        let second = Duration::from_secs(1);
        let [white, black] = ["5+1", "7+2"].map(|text| EngineLimits {
            control: Some(control(text)),
            depth: Some(3),
            ..EngineLimits::default()
        });
        let limits = search_limits(&[&white, &black].map(PlayerClock::new), Color::White);
        let clock = |remaining, increment| {
            Some(Clock { remaining: remaining * second, increment: increment * second })
        };
        assert_eq!(limits.clocks, [clock(6, 1), clock(9, 2)], "with the increment of the first move");
        assert_eq!((limits.depth, limits.moves_to_go), (Some(3), None));
    }

    #[test]
    fn the_shorter_of_clock_and_time_per_move_counts() {
        let second = Duration::from_secs(1);
        for (time, timeout) in [("5", 3), ("1", 1)] {
            let limits = EngineLimits {
                control: Some(control(time)),
                move_time: Some(3 * second),
                ..EngineLimits::default()
            };
            assert_eq!(PlayerClock::new(&limits).timeout(), Some(timeout * second));
        }
    }

    #[test]
    fn margins_and_times_per_move() {
        let ms = Duration::from_millis;
        let limits = EngineLimits {
            move_time: Some(ms(100)),
            margin: ms(20),
            nodes: Some(9),
            ..EngineLimits::default()
        };
        let mut clock = PlayerClock::new(&limits);
        assert_eq!(clock.timeout(), Some(ms(120)));
        assert!(clock.press(ms(120)) && !clock.press(ms(121)));
        let search = search_limits(&[clock.clone(), clock], Color::Black);
        assert_eq!((search.movetime, search.nodes, search.clocks), (Some(ms(100)), Some(9), [None; 2]));
        assert_eq!(limits.to_string(), "0.1/move, nodes 9, timemargin 20");
        assert_eq!(PlayerClock::new(&EngineLimits::default()).timeout(), None);
    }

    #[test]
    fn a_hidden_clock_runs_all_the_same() {
        let limits = EngineLimits {
            control: Some(control("2/1")),
            depth: Some(3),
            hides_clock: true,
            ..EngineLimits::default()
        };
        let mut clock = PlayerClock::new(&limits);
        let search = search_limits(&[clock.clone(), clock.clone()], Color::White);
        assert_eq!((search.depth, search.clocks, search.moves_to_go), (Some(3), [None; 2], None));
        assert!(clock.press(Duration::from_secs(1)) && !clock.press(Duration::from_secs(1)));
        assert_eq!(limits.to_string(), "2/1, depth 3, clock hidden");
    }
}
