//! The web board.

mod browser;
mod lobby;
mod server;

#[path = "../common/mod.rs"]
mod common;
