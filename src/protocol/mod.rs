//! The line protocol after UCI that is described in `protocol.md`, from both ends.
//!
//! [`run`] is the engine's end: bytes → [`input`](self) → [`Command`] → engine → text, each step in a file
//! of its own. [`client`] is the other end, which drives an engine, ours or any other, in a [`process`].
//! [`tuc`] is TUC-CHESS over UDP, with a protocol of its own.

pub mod client;
mod command;
mod info;
mod input;
mod output;
pub mod process;
pub mod text;
pub mod tuc;
mod uci;

pub use command::{Command, CommandError, Go, parse};
pub use info::Info;
pub use uci::run;
