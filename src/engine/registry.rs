//! The games: one line each.

use super::{Engine, Session, Settings, UnknownVariant};
use crate::game::Game;
use crate::game::neighbours::Neighbours;

/// A game by name, and how to make an engine for it.
struct Row {
    name: &'static str,
    engine: fn(&Settings) -> Box<dyn Engine>,
}

/// The registry; the first game is the default.
const GAMES: &[Row] =
    &[Row { name: Neighbours::NAME, engine: |settings| Box::new(Session::<Neighbours>::new(settings)) }];

/// The names of all games, the default first.
pub fn names() -> Vec<&'static str> {
    GAMES.iter().map(|row| row.name).collect()
}

/// The game that is played when none is asked for.
pub fn default_name() -> &'static str {
    GAMES[0].name
}

/// An engine for the game of that name, at the start position.
///
/// # Errors
/// [`UnknownVariant`] lists the games that there are.
pub fn engine(name: &str, settings: &Settings) -> Result<Box<dyn Engine>, UnknownVariant> {
    let row = GAMES.iter().find(|row| row.name.eq_ignore_ascii_case(name));
    row.map(|row| (row.engine)(settings)).ok_or_else(|| UnknownVariant { name: name.to_owned() })
}
