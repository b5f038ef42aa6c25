//! Labrys: a game engine driven over a UCI-style line protocol.
//!
//! The modules, from the ground up; imports point to the left only:
//! `game ← {eval, nets} ← search ← engine ← {protocol ← arena ← web, learn} ← commands`.
//!
//! - [`game`]: the rules of each game, notation, and what searches and evaluations may ask of a game;
//! - [`eval`]: static evaluations, linear or by efficiently updatable nets; weights, scores;
//! - [`nets`]: policy/value nets, their files, inference and training;
//! - [`search`]: how a move is found;
//! - [`engine`]: one game with its search behind an object-safe facade, options, the registry of games;
//! - [`learn`]: self-play and learning, of weights, evaluation nets, policy/value nets and constants;
//! - [`protocol`]: the UCI protocol, see `protocol.md`, and a client that drives other engines;
//! - [`arena`]: matches and tournaments between engines, and what their results say;
//! - `web`, with the feature of that name: the web board;
//! - [`commands`]: the subcommands of the binary.
//!
//! Binaries with the feature `tuning` have the [constants](search::Constants) of the search as options.
//!
//! Beside them, for all: [`chart`], line charts; `elo`, Elo differences from results; `files`, atomic writing
//! of files by one process at a time; `memory`, huge pages for large tables; [`shard`], work cut into parts for several machines;
//! [`tensors`], files of tensors; `parallel`, work on several threads; [`processor`], what the binary was
//! built for.

#![forbid(unsafe_code)]

pub mod arena;
pub mod chart;
pub mod commands;
mod elo;
pub mod engine;
pub mod eval;
mod files;
pub mod game;
pub mod learn;
mod memory;
pub mod nets;
mod parallel;
pub mod processor;
pub mod protocol;
pub mod search;
pub mod shard;
pub mod tensors;
#[cfg(feature = "web")]
pub mod web;
