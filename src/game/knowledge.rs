//! What a search may know about a game beyond its rules.

use super::Chance;

/// Knowledge for searches. Every item has a default that makes a new game playable at once.
pub trait Knowledge: Chance {
    /// The positions that `bench` searches.
    const BENCH: BenchSuite;

    /// The key under which search results are stored: everything that the value of a position depends
    /// on besides its history has to be in it.
    fn table_key(&self) -> u64 {
        self.key()
    }

    /// Whether a move changes the balance at once (a capture, say), so that it is looked at early
    /// and never reduced.
    fn is_tactical(&self, _mv: Self::Move) -> bool {
        false
    }

    /// Puts the legal moves in the order in which a simple agent of the game's literature tries them, and leaves
    /// out those that its rules of thumb forbid; at least one stays.
    fn rules_of_thumb(&self, _moves: &mut Vec<Self::Move>) {}
}

/// A fixed list of positions, searched to a fixed depth.
#[derive(Clone, Copy, Debug)]
pub struct BenchSuite {
    /// Depth in plies.
    pub depth: u32,
    /// The positions.
    pub fens: &'static [&'static str],
}
