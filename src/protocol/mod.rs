//! How the engine is spoken to: a line protocol after UCI, described in `protocol.md`.
//!
//! Bytes → [`lines`](self) → [`Command`] → engine → text, each step in a file of its own.

mod command;
mod lines;
mod output;
mod uci;

pub use command::{Command, CommandError, Go, parse};
pub use uci::run;
