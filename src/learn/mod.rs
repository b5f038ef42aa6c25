//! How weights are found.
//!
//! - [`Samples`]: what an evaluation sees in the quiet positions of games, and how the games ended;
//! - [`logistic`]: weights by logistic regression of the results.
//!
//! A game goes by the facade of its engine: learning knows features by their numbers only.

pub mod logistic;
mod samples;

pub use samples::{SampleError, Samples};
