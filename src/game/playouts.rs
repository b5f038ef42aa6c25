//! What Monte Carlo tree search asks of a game.

use super::Game;

/// How the playouts of a game go by default.
pub trait Playouts: Game {
    /// Plies of a random playout before the position is evaluated statically. `None`: playouts go on to the
    /// end of the game and no evaluation is used.
    const PLAYOUT_PLIES: Option<u32> = None;
}
