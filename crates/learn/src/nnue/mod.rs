//! Learning evaluation nets from self-play games.
//!
//! - [`datagen`]: plays the games; [`games`]: their file format; [`rescore`]: gives them other scores;
//! - [`dataset`]: the quiet positions of games, as inputs, scores and results; [`data`]: files of games as the
//!   data of a training, however many there are;
//! - [`model`]: a net in 32-bit floating point, and its gradient; [`optimiser`]: AdamW;
//! - [`trainer`]: a training; [`checkpoint`]: the training on disk; [`scale`]: fits scores to results;
//! - [`generations`]: results of successive nets, each of which plays the games that the next learns from.

pub mod checkpoint;
pub mod data;
pub mod datagen;
pub mod dataset;
pub mod games;
pub mod generations;
pub mod model;
pub mod optimiser;
pub mod rescore;
pub mod scale;
pub mod trainer;
