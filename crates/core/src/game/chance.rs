//! Games with chance.

use super::Game;

/// The chance events of a game. A move includes the outcome of its chance event, so that [`Game::play`] is
/// deterministic. A move without an outcome counts the event by its mean. A game without chance needs only an
/// empty implementation.
pub trait Chance: Game {
    /// Whether the game has chance events.
    const HAS_CHANCE: bool = false;

    /// Appends every outcome of a legal move with its probability, the most probable first; the
    /// probabilities add up to 1.
    fn outcomes(&self, mv: Self::Move, outcomes: &mut Vec<(Self::Move, f64)>) {
        outcomes.push((mv, 1.0));
    }

    /// Samples the outcome of a legal move. `random` gives uniform numbers from 0 (included) to 1 (not
    /// included).
    fn sample(&self, mv: Self::Move, _random: &mut dyn FnMut() -> f64) -> Self::Move {
        mv
    }
}
