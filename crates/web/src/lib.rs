//! The web board: a page on which people play the games against Labrys.
//!
//! - [`Server`]: serves the page and its WebSocket, as `docs/web.md` describes it; `connection`: a WebSocket;
//!   `access`: who may connect; `assets`: the files of the page; `rate`: how often a browser may ask;
//! - `folder`: the games, curves and charts of a folder;
//! - `sessions`: the sessions of the server, which [`labrys_session`] knows; `tasks`: their searches and clocks;
//!   `storage`: sessions in files.
//!
//! # Example
//!
//! The board on a free port of this machine, until the program ends:
//!
//! ```no_run
//! use labrys_web::{Config, Server};
//!
//! # fn main() -> std::io::Result<()> {
//! let server = Server::bind(&Config {
//!     listen: ([127, 0, 0, 1], 0).into(),
//!     searches: Some(1),
//!     engines: Vec::new(),
//!     state: None,
//!     folder: None,
//! })?;
//! println!("{}", server.local_url());
//! server.run()
//! # }
//! ```

mod access;
mod assets;
mod connection;
mod folder;
mod probe;
mod rate;
mod server;
mod sessions;
mod storage;
mod tasks;

pub use labrys_session::is_reserved;
pub use server::{Config, Server};
