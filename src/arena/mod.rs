//! Where strength is measured.
//!
//! So far the statistics of matches between two players: [`Pairs`] counts results, [`Elo`] estimates the
//! difference with its error, [`Sprt`] says when enough has been played.

mod elo;
mod sprt;

pub use elo::{Elo, Pairs, Points};
pub use sprt::{Hypothesis, Sprt, SprtError};
