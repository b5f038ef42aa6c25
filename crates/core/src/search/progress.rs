//! How far a search has come, for a listener that has heard nothing for a while.

use std::time::{Duration, Instant};

/// The longest silence of a search, from one poll to the next. Clients expect to hear something every second.
const LONGEST_SILENCE: Duration = Duration::from_millis(500);

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Nodes visited so far.
    pub nodes: u64,
    /// Time used so far.
    pub time: Duration,
    /// How full the table is, in permille.
    pub hashfull: u32,
    /// Positions found in endgame tables so far, where there are such tables.
    pub tbhits: Option<u64>,
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
