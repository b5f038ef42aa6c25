//! The clock of searches. [`Instant`] is [`std::time::Instant`]; in a browser, where the standard library has
//! no clock, it is that of the crate `web-time`.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;
