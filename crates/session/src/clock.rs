//! The clocks of a game.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use labrys_arena::TimeControl;
use labrys_core::game::Color;

/// The clocks in a position: the time that White and Black had left when it arose, and the time that the side
/// to move has used since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Times {
    left: [Duration; 2],
    used: Duration,
    /// Whether the side to move has run out of time here.
    pub(crate) is_over: bool,
}

impl Times {
    /// The clocks at the start of a game.
    pub(crate) fn new(control: TimeControl) -> Times {
        Times { left: [control.time + control.increment; 2], used: Duration::ZERO, is_over: false }
    }

    /// Adds to the time used by the side to move.
    pub(crate) fn spend(&mut self, time: Duration, stm: Color) {
        self.used += time;
        self.is_over |= self.left[stm.index()] <= self.used;
    }

    /// The time that the side to move has used here.
    pub(crate) fn used(&self) -> Duration {
        self.used
    }

    /// The time left for White and Black.
    pub(crate) fn left(&self, stm: Color) -> [Duration; 2] {
        let mut left = self.left;
        left[stm.index()] = left[stm.index()].saturating_sub(self.used);
        left
    }

    /// The clocks after a move of `stm`: adds the increment.
    pub(crate) fn press(&self, stm: Color, control: TimeControl) -> Times {
        let mut left = self.left(stm);
        left[stm.index()] += control.increment;
        Times { left, used: Duration::ZERO, is_over: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_runs_for_the_side_to_move_and_the_increment_is_added_after_its_move() {
        let control: TimeControl = "10+2".parse().unwrap();
        let second = Duration::from_secs(1);
        let mut times = Times::new(control);
        times.spend(5 * second, Color::White);
        assert_eq!(times.left(Color::White), [7 * second, 12 * second]);
        let mut times = times.press(Color::White, control);
        times.spend(11 * second, Color::Black);
        assert_eq!((times.left(Color::Black), times.is_over), ([9 * second, second], false));
        times.spend(second, Color::Black);
        assert!(times.is_over);
    }
}
