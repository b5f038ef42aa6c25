//! A game that people play on a page, with its players, clocks and searches: what the page asks, what it is
//! told, and what has to be searched. Where that takes place, on a server or in a browser, is for others.
//!
//! - [`Session`]: a game with its players; `execute`: what requests do to it; `state`: what it knows;
//!   `game_tree`: the moves of a game with their alternatives; `remarks`: what is said of a move; `header`:
//!   the other parts of its record; `game_record`: all of it as PGN; `game_file`: a text with several games; `explorer`: what many games have played in a position;
//!   `review`: what each move gave away; `clock`: its clocks; `saved`: what it is saved as;
//! - [`Request`]: what a browser asks for, in JSON; `message`: what it is told;
//! - [`Thinker`]: makes the searches of a session; `static_eval`: what an evaluation says without a search;
//! - [`Catalogue`]: the games, the levels of play and the engines to choose from; `announced`: what these
//!   play; `player`: who plays a side.
//!
//! # Example
//!
//! A person moves, and Labrys answers:
//!
//! ```
//! use std::sync::Arc;
//!
//! use labrys_session::{AnyRequest, Catalogue, Session, Thinker, read};
//!
//! let catalogue = Arc::new(Catalogue::new(&[]));
//! let (session, tasks) = Session::fresh("a game".to_owned(), catalogue).unwrap();
//! let listener = session.listen();
//! let Ok(AnyRequest::Quick(request)) = read(r#"{"do":"play","node":0,"move":"e2e4"}"#) else { unreachable!() };
//! assert_eq!(session.request(request), None);
//! let job = tasks.jobs.borrow().clone().expect("it is Black's turn");
//! let best = Thinker::default().run(&job, &mut |found| session.searched(&job, found));
//! session.finished(&job, best);
//! assert!(listener.game.borrow().contains(r#""ply":2"#));
//! ```

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
mod remarks;
mod request;
mod review;
mod saved;
mod session;
mod state;
mod static_eval;
mod thinker;

pub use announced::announced_games;
pub use catalogue::{Catalogue, is_reserved};
pub use execute::Refusal;
pub use game_file::FileError;
pub use game_tree::GameError;
pub use header::TagError;
pub use message::{LineState, SearchState};
pub use remarks::RemarkError;
pub use request::{AnyRequest, ClockRequest, Request, SlowRequest, read};
pub use saved::{SavedError, SavedSession};
pub use session::{Listener, Session, Tasks, error};
pub use state::State;
pub use thinker::{Job, Jobs, Search, Thinker};
