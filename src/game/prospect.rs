//! What a solver may know of a position before it looks at a move.

use super::Color;

/// The prospect of proving how a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prospect {
    /// The result is certain, though there may be moves: the winner, or none for a draw.
    Certain(Option<Color>),
    /// It has to be searched for.
    Open {
        /// Positions with the same key have the same result for the player to move, both of them played as well as
        /// possible: symmetric ones, say, or those that differ in what does not matter any more.
        key: u64,
        /// How much work it seems to be to prove that the side to move reaches the aim, and that it does not, 1 or more: a guess
        /// at the positions whose end has to be looked at (the proof and disproof number of a leaf).
        effort: [u32; 2],
    },
}
