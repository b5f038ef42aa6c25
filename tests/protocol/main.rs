//! The binary: the protocol and the command line.

mod commands;
mod dependencies;
mod engine;
mod experiments;
#[cfg(unix)]
mod interrupts;
mod listen;
#[cfg(feature = "web")]
mod manual;
#[cfg(feature = "web")]
mod markdown;
mod openbench;
mod python_chess;
#[cfg(all(unix, feature = "web"))]
mod readme;
mod release;
mod suite;
mod uci;

#[path = "../common/mod.rs"]
mod common;
