//! The web board.

mod browser;
mod server;

#[path = "../common/mod.rs"]
mod common;
