//! The interface between Monte Carlo tree search and a game.

use super::Game;

/// The default playouts of a game.
pub trait Playouts: Game {
    /// Plies of a random playout before the position is evaluated statically. `None`: playouts go on to the
    /// end of the game and no evaluation is used.
    const PLAYOUT_PLIES: Option<u32> = None;
}
