//! The binary as its users drive it: the protocol and the command line.

mod commands;
mod engine;
mod experiments;
mod listen;
mod manual;
mod markdown;
mod openbench;
mod python_chess;
mod readme;
mod release;
mod suite;
mod uci;

#[path = "../common/mod.rs"]
mod common;
