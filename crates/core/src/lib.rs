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
//! work on several threads; [`clock`], moments in time.
//!
//! # Example
//!
//! A game of chess that is over after the next move:
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
//! What playing can do without is behind features, all but the last on by default:
//!
//! - `mmap`: large tables lie in huge pages. Without it, [`memory`] is allocated like any other;
//! - `tables`: games read the files of endgame tables. Without it, games say that they have no tables;
//! - `threads`: searches and other work run on several threads. Without it, all runs on the caller's thread,
//!   and the option `Threads` has the one value 1;
//! - `tuning`: engines have the [constants](search::Constants) of the search as options.
//!
//! For `wasm32-unknown-unknown`, the first three count as off.

#![forbid(unsafe_code)]

pub mod clock;
pub mod engine;
pub mod eval;
pub mod game;
pub mod memory;
pub mod nets;
pub mod parallel;
pub mod search;
pub mod tensors;
