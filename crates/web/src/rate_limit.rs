//! A limit for the requests of a browser.

use std::time::{Duration, Instant};

/// The capacity of the bucket: requests that are accepted at once.
const BURST: u32 = 60;

/// The time in which a token is added.
const INTERVAL: Duration = Duration::from_millis(50);

/// A token bucket.
pub(super) struct RateLimit {
    /// The time at which the bucket was or will be full.
    full: Instant,
}

impl RateLimit {
    pub(super) fn new(now: Instant) -> RateLimit {
        RateLimit { full: now }
    }

    /// Takes a token for a request; false if there is none.
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
        let mut rate_limit = RateLimit::new(start);
        assert_eq!((0..100).filter(|_| rate_limit.take(start)).count(), BURST as usize);
        let later = start + 3 * INTERVAL;
        assert_eq!((0..100).filter(|_| rate_limit.take(later)).count(), 3);
        let much_later = start + 1000 * INTERVAL;
        assert_eq!((0..100).filter(|_| rate_limit.take(much_later)).count(), BURST as usize);
    }
}
