//! Learning evaluation nets from games of self-play.
//!
//! - [`datagen`]: plays the games; [`games`]: their files;
//! - [`dataset`]: the quiet positions of games, as inputs, scores and results;
//! - [`model`]: a net with 32-bit numbers, and its gradient; [`optimiser`]: AdamW;
//! - [`trainer`]: a training; [`checkpoint`]: the training on disk;
//! - [`generations`]: what becomes of nets that play the games for the next ones.

pub mod checkpoint;
pub mod datagen;
pub mod dataset;
pub mod games;
pub mod generations;
pub mod model;
pub mod optimiser;
pub mod scale;
pub mod trainer;
