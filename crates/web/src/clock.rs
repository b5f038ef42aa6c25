//! The clocks of a game.

use std::sync::Weak;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::sleep_until;

use super::session::Session;
use labrys_arena::TimeControl;
use labrys_core::game::Color;

/// The times of a position: those of White and Black when it arose, and what the side to move has used of its
/// own since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Times {
    left: [Duration; 2],
    used: Duration,
    /// Whether the side to move has overstepped its time here.
    pub(super) is_over: bool,
}

impl Times {
    /// The times at the beginning of a game.
    pub(super) fn new(control: TimeControl) -> Times {
        Times { left: [control.time + control.increment; 2], used: Duration::ZERO, is_over: false }
    }

    /// Counts time of the side to move.
    pub(super) fn spend(&mut self, time: Duration, stm: Color) {
        self.used += time;
        self.is_over |= self.left[stm.index()] <= self.used;
    }

    /// What is left to White and to Black.
    pub(super) fn left(&self, stm: Color) -> [Duration; 2] {
        let mut left = self.left;
        left[stm.index()] = left[stm.index()].saturating_sub(self.used);
        left
    }

    /// The times after a move of `stm`.
    pub(super) fn press(&self, stm: Color, control: TimeControl) -> Times {
        let mut left = self.left(stm);
        left[stm.index()] += control.increment;
        Times { left, used: Duration::ZERO, is_over: false }
    }
}

/// Tells a session when the time of a player is over, until it is dropped. `deadlines` are those of the
/// player whose clock runs.
pub(super) async fn run(session: Weak<Session>, mut deadlines: watch::Receiver<Option<Instant>>) {
    loop {
        let deadline = *deadlines.borrow_and_update();
        let changed = match deadline {
            None => deadlines.changed().await,
            Some(deadline) => tokio::select! {
                changed = deadlines.changed() => changed,
                () = sleep_until(deadline.into()) => {
                    let Some(session) = session.upgrade() else { return };
                    session.time_is_over();
                    drop(session);
                    deadlines.changed().await
                }
            },
        };
        if changed.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_runs_for_the_side_to_move_and_is_filled_after_its_move() {
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
