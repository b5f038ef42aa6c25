//! Labrys: a game engine driven over a UCI-style line protocol. This package is the binary with its
//! [`commands`]; it re-exports the crates that they use.
//!
//! The crates, from the bottom up; imports point to the left only: `core ← {solver ← inspect, protocol ← tuc ←
//! arena ← session, learn} ← web ← labrys`, where the web stands on inspect and session.
//!
//! - `labrys-core`: [`mod@game`], [`eval`], [`nets`], [`search`], [`engine`];
//! - [`solver`]: proofs of results, their certificates, endgame tables;
//! - [`inspect`]: what searches leave out, checked against a reference;
//! - [`protocol`]: the UCI protocol, see `protocol.md`, and clients that drive other engines;
//! - [`tuc`]: the UDP protocol of TUC-CHESS;
//! - [`arena`]: matches and tournaments between engines, and their statistics;
//! - [`learn`]: self-play, and training of weights, evaluation nets, policy/value nets and constants;
//! - `labrys-session`: a game on the web board, with its players, clocks and searches;
//! - `web`, with the feature of that name: the web board, served; `page/`: the same without a server, in
//!   WebAssembly;
//! - `npm/`: the engine of the protocol for JavaScript, in WebAssembly;
//! - `python/`: the Python package, on top of all;
//! - `labrys-support`: [`files`], [`shard`], [`elo`] and others: utilities.
//!
//! `docs/architecture.md` says where to find what.

#![forbid(unsafe_code)]

// The examples of the README in Rust compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod commands;
pub mod processor;

pub use labrys_arena as arena;
pub use labrys_core::{
    engine, eval, game, game_table, input, nets, playable, seal, search, tensors, with_games,
};
pub use labrys_inspect as inspect;
pub use labrys_learn as learn;
pub use labrys_protocol as protocol;
pub use labrys_solver as solver;
pub use labrys_support::{elo, files, shard};
pub use labrys_tuc as tuc;
#[cfg(feature = "web")]
pub use labrys_web as web;

/// Registers the generic code of Labrys for a type with its [`Game`](game::Game) and
/// [`Knowledge`](game::Knowledge): compiles its searches, as [`playable!`] does, and lets proofs use its
/// rules alone. A game with knowledge for proofs calls [`playable!`] and implements
/// [`Solvable`](solver::Solvable) instead.
#[macro_export]
macro_rules! game {
    ($game:ty) => {
        $crate::playable!($game);

        impl $crate::solver::Solvable for $game {}
    };
}
