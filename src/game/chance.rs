//! Games in which chance has a word.

use super::Game;

/// What chance makes of a move. Rules are deterministic once it has spoken: a move carries its outcome, or
/// none, and then [`Game::play`] counts what chance decides by its mean. A game without chance has nothing to add.
pub trait Chance: Game {
    /// Whether chance ever has a word.
    const HAS_CHANCE: bool = false;

    /// Appends every outcome of a legal move with its probability; the probabilities add up to 1.
    fn outcomes(&self, mv: Self::Move, outcomes: &mut Vec<(Self::Move, f64)>) {
        outcomes.push((mv, 1.0));
    }

    /// A legal move with an outcome. `random` gives numbers from 0 (included) to 1 (not included), uniformly.
    fn sample(&self, mv: Self::Move, _random: &mut dyn FnMut() -> f64) -> Self::Move {
        mv
    }
}
