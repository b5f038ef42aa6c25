//! The games: rules, notation, features, inputs and encodings.

mod amazons;
mod amazons_eval;
mod breakthrough;
mod chess;
mod encoding;
mod eval;
mod inputs;
mod rules;
mod tucchess;

#[path = "../common/mod.rs"]
mod common;
