//! A game on the web board, with its players, clocks and searches. The crate handles the requests of the
//! page, sends it messages, and runs searches; the server (`labrys-web`) and the page in WebAssembly both use
//! it.
//!
//! - [`Session`]: a game with its players; `state`: its data; `execute`: the requests that change it;
//! - [`Role`]: the permissions of a connection in a session with seats;
//! - [`Request`]: JSON from the browser; `message`: JSON to the browser;
//! - `game_tree`: mainline and variations; `annotations`: comments and glyphs of a move; `header`: the tags;
//!   `game_record`: conversion from and to PGN; `game_file`: a PGN text with several games; `saved`: the
//!   format in which a session is stored;
//! - `clock`: the clocks; `review`: computer analysis of a whole game; `explorer`: the opening explorer;
//! - [`SearchRunner`]: runs the searches of a session; `static_eval`: static evaluations;
//! - [`Catalogue`]: the games, levels and engines on offer; `announced`: the games that an engine supports;
//!   `player`: the player of a side.
//!
//! # Example
//!
//! A person moves, and Labrys replies:
//!
//! ```
//! use std::sync::Arc;
//!
//! use labrys_session::{AnyRequest, Catalogue, Role, SearchRunner, Session, read};
//!
//! let catalogue = Arc::new(Catalogue::new(&[]));
//! let (session, tasks) = Session::with_default_game("a game".to_owned(), catalogue).unwrap();
//! let listener = session.listen();
//! let request = r#"{"do":"play","node":0,"move":"e2e4"}"#;
//! let Ok(AnyRequest::Quick(request)) = read(request) else { unreachable!() };
//! assert_eq!(session.request(Role::Owner, request), None);
//! let job = tasks.jobs.borrow().clone().expect("it is Black's turn");
//! let best = SearchRunner::default().run(&job, &mut |found| session.on_progress(&job, found));
//! session.on_finish(&job, best);
//! assert!(listener.game.borrow().contains(r#""ply":2"#));
//! ```

mod annotations;
mod announced;
mod catalogue;
mod clock;
mod execute;
mod explorer;
mod game_file;
mod game_record;
mod game_tree;
mod header;
mod message;
mod player;
mod request;
mod review;
mod saved;
mod search_runner;
mod seats;
mod session;
mod state;
mod static_eval;

pub use annotations::AnnotationError;
pub use announced::announced_games;
pub use catalogue::{Catalogue, is_reserved};
pub use execute::Refusal;
pub use game_file::FileError;
pub use game_tree::GameError;
pub use header::TagError;
pub use message::{LineState, SearchState};
pub use request::{AnyRequest, ClockRequest, Request, SlowRequest, read};
pub use saved::{SavedError, SavedSession};
pub use search_runner::{Job, Jobs, Search, SearchRunner};
pub use seats::Role;
pub use session::{Features, Listener, Session, Tasks, error, random_id};
pub use state::State;
