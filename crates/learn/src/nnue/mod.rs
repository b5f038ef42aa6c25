//! Learning evaluation nets from games of self-play.
//!
//! - [`selfplay`]: plays the games; [`games`]: their files; [`merge`]: files of shards put together;
//! - [`dataset`]: the quiet positions of games, as inputs, scores and results;
//! - [`model`]: a net with 32-bit numbers, and its gradient; [`optimiser`]: AdamW;
//! - [`trainer`]: a training; [`checkpoint`]: the training on disk;
//! - [`generations`]: what becomes of nets that play the games for the next ones.

pub mod checkpoint;
pub mod dataset;
pub mod games;
pub mod generations;
pub mod merge;
pub mod model;
pub mod optimiser;
pub mod scale;
pub mod selfplay;
pub mod trainer;
