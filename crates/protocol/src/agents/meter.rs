//! How much an agent may write.

use std::time::Duration;

use labrys_core::clock::Instant;

/// Bytes that may come at once.
const BURST: u32 = 1 << 20;

/// Bytes a second that may come for ever. Engines that report a lot write a tenth of that.
const RATE: u32 = 1 << 17;

/// The bytes that an agent may still write, a token bucket.
pub(super) struct Meter {
    /// When the bucket was or will be full.
    full: Instant,
}

impl Meter {
    pub(super) fn new(now: Instant) -> Meter {
        Meter { full: now }
    }

    /// Counts bytes; false if there have been too many.
    pub(super) fn take(&mut self, bytes: usize, now: Instant) -> bool {
        let span = |bytes: f64| Duration::from_secs_f64(bytes / f64::from(RATE));
        self.full = self.full.max(now) + span(bytes as f64);
        self.full <= now + span(f64::from(BURST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_and_a_steady_rate_are_allowed() {
        let start = Instant::now();
        let mut meter = Meter::new(start);
        assert!(meter.take(BURST as usize, start));
        assert!(!Meter::new(start).take(BURST as usize + 1, start));
        let mut now = start;
        for _ in 0..100 {
            now += Duration::from_secs(1);
            assert!(meter.take(RATE as usize, now));
        }
        assert!(!meter.take(RATE as usize, now), "twice the rate");
    }
}
