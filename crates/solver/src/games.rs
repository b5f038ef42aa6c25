//! The games that can be solved, and dispatch from the name of a game to generic code.

use labrys_core::engine::Playable;
use labrys_core::engine::UnknownVariant;
use labrys_core::game::Game;
use labrys_core::game::chess::Chess;
use labrys_core::game::neighbours::Neighbours;
use labrys_core::game::tucchess::TucChess;
use labrys_core::with_games;

use crate::Solvable;

impl Solvable for Chess {}

impl Solvable for Neighbours {}

impl Solvable for TucChess {}

/// A game that an engine can play and a solver can solve.
pub trait SolverGame: Playable + Solvable {}

impl<G: Playable + Solvable> SolverGame for G {}

/// Work that is generic over the game, as a [`GameVisitor`](labrys_core::engine::registry::GameVisitor).
pub trait SolverVisitor {
    /// The result of the work.
    type Output;

    /// Does the work for the game `G`.
    fn visit<G: SolverGame>(self) -> Self::Output;
}

macro_rules! dispatch {
    ($($game:ty),+ $(,)?) => {
        /// Does the work of `visitor` for a game by name; case does not matter.
        ///
        /// # Errors
        /// [`UnknownVariant`] lists the games.
        pub fn dispatch<V: SolverVisitor>(name: &str, visitor: V) -> Result<V::Output, UnknownVariant> {
            $(
                if <$game>::NAME.eq_ignore_ascii_case(name) {
                    return Ok(visitor.visit::<$game>());
                }
            )+
            Err(UnknownVariant { name: name.to_owned() })
        }
    };
}

with_games!(dispatch);
