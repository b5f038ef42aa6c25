//! The UCI protocol with its extensions, as described in `protocol.md`: engine and client.
//!
//! [`run`] is the engine: bytes → [`input`](self) → [`Command`] → engine → text, each step in a file of its
//! own; [`listen`](listen()) serves it over TCP. [`client`] and [`xboard`] drive engines, which a
//! [`transport`] leads to: a [`process`] or a connection. An [`engine_log`] may record what is said.

mod backlog;
pub mod client;
mod command;
pub mod engine_log;
mod info;
mod input;
mod listen;
mod output;
pub mod pipe;
pub mod process;
pub mod text;
pub mod transport;
mod uci;
pub mod xboard;

pub use command::{Command, CommandError, Go, parse};
pub use info::Info;
pub use listen::listen;
pub use uci::run;
