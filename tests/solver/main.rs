//! Proofs, certificates and endgame tables.

mod endgames;
mod proofs;
mod solve;
mod syzygy;
mod tables;

#[path = "../common/mod.rs"]
mod common;
