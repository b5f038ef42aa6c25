//! The web board: a page on which people play the games against Labrys.
//!
//! - [`Server`]: serves the page and its WebSocket, as `protocol.md` describes it; `access`: who may connect;
//!   `assets`: the files of the page; `rate`: how often a browser may ask;
//! - `message`: what browser and server say to each other, in JSON;
//! - `sessions`: the sessions of the server; `session`: a game with its players, which outlives the
//!   connections to it; `game_tree`: the moves of a game with their alternatives; `thinker`: the searches of
//!   a session;
//! - `catalogue`: the games and the levels of play that a browser can choose from.

mod access;
mod assets;
mod catalogue;
mod game_tree;
mod message;
mod rate;
mod server;
mod session;
mod sessions;
mod thinker;

pub use server::{Config, Server};
