//! Searches: comparison with plain methods, properties, and evaluations.

mod allocations;
mod amazons_search;
mod bench;
mod chess_search;
mod evaluator;
mod filter;
mod inspect;
mod mcts;
mod mcts_root;
mod nets;
mod nnue;
mod plain;
mod zero;

#[path = "../common/mod.rs"]
mod common;
