//! Proofs, certificates and endgame tables.

mod endgames;
mod proofs;
mod solve;
mod syzygy;
mod tables;
mod verify_certificate;

#[path = "../common/mod.rs"]
mod common;
