//! Labrys: a game engine driven over a UCI-style line protocol.
//!
//! The house, from the ground up; imports point to the left only:
//! `game ← eval ← search ← engine ← {protocol ← arena, learn} ← commands`.
//!
//! - [`game`]: the rules of each game, their text, what an evaluation sees in a position;
//! - [`eval`]: linear evaluations, their weights, scores;
//! - [`search`]: how a move is found;
//! - [`engine`]: one game with its search behind an object-safe facade, options, the registry of games;
//! - [`learn`]: how weights are found;
//! - [`protocol`]: how the engine is spoken to, see `protocol.md`, and how it speaks to other engines;
//! - [`arena`]: where strength is measured: matches and tournaments between engines, ours or others;
//! - [`commands`]: the subcommands of the binary.
//!
//! Beside them, for all who need it: [`chart`], line charts; `files`, files that are there whole or not at all; `parallel`,
//! work on several threads.

#![forbid(unsafe_code)]

pub mod arena;
pub mod chart;
pub mod commands;
pub mod engine;
pub mod eval;
mod files;
pub mod game;
pub mod learn;
mod parallel;
pub mod protocol;
pub mod search;
