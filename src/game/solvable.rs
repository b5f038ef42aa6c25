//! What a solver asks of a game.

use super::zobrist::mixed;
use super::{Chance, Color};

/// What a proof-number search knows of a position before it expands it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofLeaf {
    /// The result is known, though there may be legal moves: the winner, or none for a draw.
    Decided(Option<Color>),
    /// The result has to be searched for.
    Open {
        /// Positions with the same key have the same result for the side to move under best play. Symmetric
        /// positions may share a key, and so may positions that differ in what no longer matters.
        key: u64,
        /// Initial proof and disproof number, at least 1: estimates of the number of leaves that a proof
        /// that the side to move reaches its aim, and a proof that it does not, have to look at.
        numbers: [u32; 2],
    },
}

/// A game that a solver can prove results of.
pub trait Solvable: Chance {
    /// Whether a game may end in a draw.
    const CAN_BE_DRAWN: bool = true;

    /// What is known of a position that is not terminal. The key has to hold everything that the result
    /// depends on except repetition; with the halfmove clock in it, no line of play returns to a key.
    fn proof_leaf(&self) -> ProofLeaf {
        let clock = mixed(self.halfmove_clock() as u64 + 1);
        let moves = self.count_moves().max(1) as u32;
        ProofLeaf::Open { key: self.key() ^ clock, numbers: [1, moves] }
    }
}
