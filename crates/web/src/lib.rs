//! The web board: a page on which people play the games against Labrys.
//!
//! - [`Server`]: serves the page and its WebSocket, as `docs/web.md` describes it; `connection`: a WebSocket;
//!   `access`: who may connect; `assets`: the files of the page; `rate`: how often a browser may ask;
//! - `folder`: the games, curves and charts of a folder;
//! - `request`: what a browser asks for, in JSON; `message`: what the server tells;
//! - `sessions`: the sessions of the server; `session`: a game with its players, which outlives the
//!   connections to it; `execute`: what requests do to it; `state`: what it knows; `game_tree`: the moves of
//!   a game with their alternatives; `game_record`: the same as PGN; `clock`: its clocks; `thinker`: its
//!   searches; `static_eval`: what an evaluation says without a search; `saved`: what a session is saved as;
//!   `storage`: sessions in files;
//! - `catalogue`: the games, the levels of play and the engines that a browser can choose from; `player`: who
//!   plays a side.
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
mod catalogue;
mod clock;
mod connection;
mod execute;
mod folder;
mod game_record;
mod game_tree;
mod message;
mod player;
mod rate;
mod request;
mod saved;
mod server;
mod session;
mod sessions;
mod state;
mod static_eval;
mod storage;
mod thinker;

pub use catalogue::is_reserved;
pub use server::{Config, Server};
