//! How often a browser may ask.

use std::time::{Duration, Instant};

/// Requests that may come at once.
const BURST: u32 = 60;

/// After this time one more request may come.
const INTERVAL: Duration = Duration::from_millis(50);

/// The requests that a connection may still make, a token bucket.
pub(super) struct Allowance {
    /// When the bucket was or will be full.
    full: Instant,
}

impl Allowance {
    pub(super) fn new(now: Instant) -> Allowance {
        Allowance { full: now }
    }

    /// Counts a request; false if there have been too many.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let full = self.full.max(now) + INTERVAL;
        let is_allowed = full <= now + INTERVAL * BURST;
        if is_allowed {
            self.full = full;
        }
        is_allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_allowed_and_then_a_steady_rate() {
        let start = Instant::now();
        let mut allowance = Allowance::new(start);
        assert_eq!((0..100).filter(|_| allowance.take(start)).count(), BURST as usize);
        let later = start + 3 * INTERVAL;
        assert_eq!((0..100).filter(|_| allowance.take(later)).count(), 3);
        let much_later = start + 1000 * INTERVAL;
        assert_eq!((0..100).filter(|_| allowance.take(much_later)).count(), BURST as usize);
    }
}
