//! The core of Labrys: all that plays, and nothing else.
//!
//! The modules, from the ground up; imports point to the left only: `game ← {eval, nets} ← search ← engine`.
//!
//! - [`game`]: the rules of each game, notation, and what searches and evaluations may ask of a game;
//! - [`eval`]: static evaluations, linear or by efficiently updatable nets; weights, scores;
//! - [`nets`]: policy/value nets, their files and inference;
//! - [`search`]: how a move is found;
//! - [`engine`]: one game with its search behind an object-safe facade, options, the registry of games.
//!
//! Beside them, for all: [`memory`], huge pages for large tables; [`tensors`], files of tensors; [`parallel`],
//! work on several threads.
//!
//! With the feature `tuning`, engines have the [constants](search::Constants) of the search as options.

#![forbid(unsafe_code)]

pub mod engine;
pub mod eval;
pub mod game;
pub mod memory;
pub mod nets;
pub mod parallel;
pub mod search;
pub mod tensors;
