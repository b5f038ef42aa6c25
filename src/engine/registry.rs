//! The games: one line each.

use super::{Board, Engine, Play, Session, Settings, UnknownVariant};
use crate::game::Playable;
use crate::game::amazons::Amazons;
use crate::game::chess::Chess;
use crate::game::neighbours::Neighbours;
use crate::game::tucchess::TucChess;

/// A game by name, and how to make a board and an engine for it.
struct Row {
    name: &'static str,
    board: fn() -> Box<dyn Board>,
    engine: fn(&Settings) -> Box<dyn Engine>,
}

/// The registry; the first game is the default.
const GAMES: &[Row] = &[row::<Chess>(), row::<Neighbours>(), row::<TucChess>(), row::<Amazons>()];

/// The line of a game.
const fn row<G: Playable>() -> Row {
    Row {
        name: G::NAME,
        board: || Box::new(Play::<G>::start()),
        engine: |settings| Box::new(Session::<G>::new(settings)),
    }
}

/// The names of all games, the default first.
pub fn names() -> Vec<&'static str> {
    GAMES.iter().map(|row| row.name).collect()
}

/// The game that is played when none is asked for.
pub fn default_name() -> &'static str {
    GAMES[0].name
}

/// A board of the game of that name, at the start position.
///
/// # Errors
/// [`UnknownVariant`] lists the games that there are.
pub fn board(name: &str) -> Result<Box<dyn Board>, UnknownVariant> {
    find(name).map(|row| (row.board)())
}

/// An engine for the game of that name, at the start position.
///
/// # Errors
/// [`UnknownVariant`] lists the games that there are.
pub fn engine(name: &str, settings: &Settings) -> Result<Box<dyn Engine>, UnknownVariant> {
    find(name).map(|row| (row.engine)(settings))
}

fn find(name: &str) -> Result<&'static Row, UnknownVariant> {
    let row = GAMES.iter().find(|row| row.name.eq_ignore_ascii_case(name));
    row.ok_or_else(|| UnknownVariant { name: name.to_owned() })
}
