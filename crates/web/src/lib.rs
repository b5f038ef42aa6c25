//! The web board, served: a page on which people play against Labrys. `docs/web.md` documents it.
//!
//! - [`Server`]: serves the page and its WebSockets; `channel`: what these have in common; `connection`: that of
//!   a browser to its session; `access`: checks of `Host` and `Origin`; `rate_limit`: limits the requests of a
//!   browser; `assets`: the files of the page (`page/`, in JavaScript);
//! - `sessions`: the sessions of the server (see [`labrys_session`]); `tasks`: their searches and clocks;
//!   `storage`: their files; `probe`: asks engines for the games that they support;
//! - `seat`: the WebSocket of a person who plays in a lobby;
//! - `folder`: shows the games, curves and charts of a folder; `search`: finds games in it;
//! - `inspection`: positions under the microscope; `query`: the fields of such a request.
//!
//! # Example
//!
//! Serves the board on a free port of this machine until the program ends:
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
//!     lobby: None,
//! })?;
//! println!("{}", server.local_url());
//! server.run()
//! # }
//! ```

mod access;
mod assets;
mod channel;
mod connection;
mod folder;
mod inspection;
mod probe;
mod query;
mod rate_limit;
mod search;
mod seat;
mod server;
mod sessions;
mod storage;
mod tasks;

pub use labrys_session::{Catalogue, is_reserved};
pub use server::{Config, LobbyPage, Server};
