//! The interface between a solver and a game.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use labrys_core::game::{Color, Game, GameHistory, TablesError, mixed};

/// The information about a position with which a proof-number search creates a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofLeaf {
    /// The result is known, though there may be legal moves: the winner, or none for a draw.
    Decided(Option<Color>),
    /// The result has to be searched for.
    Open {
        /// Positions with the same key have the same result for the side to move under best play. Symmetric
        /// positions may share a key, and so may positions that differ in parts which cannot affect the
        /// result.
        key: u64,
        /// Initial proof and disproof number, at least 1: estimates of the number of leaves to be solved in a
        /// proof that the side to move reaches its goal, and in a proof that it does not.
        numbers: [u64; 2],
    },
}

/// A game that a solver can solve.
pub trait Solvable: Game {
    /// Whether a game may end in a draw.
    const CAN_BE_DRAWN: bool = true;

    /// The overlap of the proofs of siblings: of the summed numbers, the largest counts in full, and the
    /// others divided by this. (T. Ueda, T. Hashimoto, J. Hashimoto and H. Iida, "Weak proof-number search",
    /// 2008, count none of the others.)
    const PROOF_OVERLAP: u64 = 1;

    /// The leaf of a position that is not terminal. The key has to include everything that the result depends
    /// on except repetition. By default it includes the halfmove clock, so that no line of play returns to a
    /// key.
    fn proof_leaf(&self) -> ProofLeaf {
        let clock = mixed(self.halfmove_clock() as u64 + 1);
        let moves = self.count_moves().max(1) as u64;
        ProofLeaf::Open { key: self.key() ^ clock, numbers: [1, moves] }
    }

    /// Calls `each` for the moves of a position that is not terminal, with the leaf after each, until it
    /// breaks. Moves may be left out if the result of the position follows from the others; if a winning move
    /// exists, one is there.
    fn proof_children(
        &self,
        each: &mut impl FnMut(Self::Move, ProofLeaf) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for mv in self.moves() {
            let child = self.after(mv);
            let outcome = GameHistory::new().outcome(&child);
            each(
                mv,
                outcome.map_or_else(|| child.proof_leaf(), |outcome| ProofLeaf::Decided(outcome.winner)),
            )?;
        }
        ControlFlow::Continue(())
    }

    /// Reads the tables of small regions that a folder has, in a game with independent regions, and builds
    /// those that it lacks. All later proofs of the process use them. `false` if `stop` has been set before
    /// all are there.
    ///
    /// # Errors
    /// [`TablesError`] names the file, or says that the game has no such tables.
    fn open_regions(_folder: &Path, _threads: usize, _stop: &AtomicBool) -> Result<bool, TablesError> {
        Err(TablesError::NoRegions { game: Self::info().name })
    }

    /// A position with the same tree of play, the same for positions that symmetries of the rules turn into
    /// each other. Certificates prove such positions once.
    fn canonical(&self) -> Self {
        self.clone()
    }

    /// Whether a simple lemma proves that a player wins under best play. Certificates may end there.
    fn is_won_by_count(&self, _player: Color) -> bool {
        false
    }
}
