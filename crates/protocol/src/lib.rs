//! The UCI protocol with its extensions, as described in `protocol.md`: engine and client.
//!
//! [`run`] is the engine: bytes → [`input`](self) → [`Command`] → engine → text, each step in a file of its
//! own; [`listen`](listen()) serves it over TCP. [`UciEngine`] is the same where there are no threads, as in
//! a browser. [`client`] and [`xboard`] drive engines, which a [`transport`] leads to: a [`process`] or a
//! connection, also one that the engine has made ([`agents`]). An [`engine_log`] may record all lines.
//!
//! # Example
//!
//! Lines become commands, and errors name the wrong word:
//!
//! ```
//! use labrys_protocol::{Command, parse};
//!
//! let Some(Command::Go(go)) = parse("go depth 6 searchmoves e2e4 d2d4")? else { panic!("a search") };
//! assert_eq!(go.limits.depth, Some(6));
//! assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
//! assert_eq!(parse("")?, None);
//! assert!(parse("perft six").unwrap_err().to_string().contains("`six`"));
//! # Ok::<(), labrys_protocol::CommandError>(())
//! ```

pub mod agents;
mod answer_tracker;
mod backlog;
pub mod client;
mod command;
pub mod engine_log;
mod guest;
pub mod info;
mod input;
mod line_queue;
mod listen;
mod output;
pub mod pipe;
pub mod process;
mod socket;
pub mod text;
pub mod transport;
mod uci;
mod uci_engine;
mod waiting_room;
pub mod xboard;

pub use command::{Command, CommandError, Go, parse};
pub use guest::GuestLimits;
pub use listen::listen;
pub use uci::{VARIANT, run};
pub use uci_engine::UciEngine;
