//! The clock of searches. [`Instant`] is [`std::time::Instant`]; in a browser, where the standard library has
//! no clock, it is that of the crate `web-time`. For `make loom` it stands still.

#[cfg(not(any(loom, all(target_family = "wasm", target_os = "unknown"))))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;

#[cfg(loom)]
pub use stopped::Instant;

/// A clock that stands still: loom repeats each step of a test, at whatever time.
#[cfg(loom)]
mod stopped {
    use std::time::Duration;

    /// The only time there is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Instant;

    impl Instant {
        /// This time.
        pub fn now() -> Instant {
            Instant
        }

        /// No time.
        pub fn elapsed(&self) -> Duration {
            Duration::ZERO
        }
    }
}
