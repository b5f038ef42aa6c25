//! The core of Labrys: games, evaluation, search and the engine facade.
//!
//! The modules, from the ground up; imports point to the left only: `game ← {eval, nets} ← search ← engine`.
//!
//! - [`game`]: rules, notation, and the knowledge of each game for searches and evaluations;
//! - [`eval`]: static evaluations, linear or by efficiently updatable nets; weights, scores;
//! - [`nets`]: policy/value nets, their files and inference;
//! - [`search`]: the searches;
//! - [`engine`]: one game with its search behind an object-safe facade, options, the registry of games.
//!
//! Used by all: [`memory`], huge pages for large tables; [`tensors`], files of tensors; [`parallel`], a
//! thread pool; [`clock`], time; [`input`], files that are read; [`seal`], checksums of headers.
//!
//! # Example
//!
//! A mate in one:
//!
//! ```
//! use labrys_core::engine::{SearchReport, Settings, registry};
//! use labrys_core::search::{Control, Limits};
//!
//! let mut engine = registry::engine("chess", &Settings::default())?;
//! for mv in ["f2f3", "e7e5", "g2g4"] {
//!     engine.board_mut().play(mv)?;
//! }
//! let mut print = |report: &SearchReport| println!("{} {:?}", report.depth, report.pv);
//! let answer = engine.search(&[], &Limits::depth(3), &Control::default(), &mut print)?;
//! assert_eq!(answer.best.as_deref(), Some("d8h4"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! All features but the last are on by default:
//!
//! - `mmap`: large tables lie in huge pages. Without it, [`memory`] uses the allocator;
//! - `tables`: games read the files of endgame tables. Without it, games report that they have no tables;
//! - `threads`: searches and other work run on several threads. Without it, all runs on the caller's thread,
//!   and the option `Threads` is always 1;
//! - `tuning`: engines have the [constants](search::Constants) of the search as options.
//!
//! On `wasm32-unknown-unknown` the first three are off, except that with the target feature `atomics` and the
//! feature `threads`, searches run on the workers that serve the module `workers`, which exists there only.

#![forbid(unsafe_code)]

pub mod clock;
pub mod engine;
pub mod eval;
pub mod game;
pub mod input;
pub mod memory;
pub mod nets;
pub mod parallel;
pub mod seal;
pub mod search;
mod sync;
pub mod tensors;
#[cfg(has_workers)]
pub mod workers;
