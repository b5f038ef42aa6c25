//! Learning evaluation nets from games of self-play.
//!
//! - [`generation`]: plays the games; [`games`]: their files;
//! - [`dataset`]: the quiet positions of games, as inputs, scores and results;
//! - [`model`]: a net with 32-bit numbers, and its gradient; [`optimiser`]: AdamW;
//! - [`trainer`]: a training; [`checkpoint`]: the training on disk.

pub mod checkpoint;
pub mod dataset;
pub mod games;
pub mod generation;
pub mod model;
pub mod optimiser;
pub mod scale;
pub mod trainer;
