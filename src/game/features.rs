//! What a linear evaluation sees in a position.

use super::Game;

/// A named list of features; a weight belongs to each.
#[derive(Debug)]
pub struct FeatureSet {
    /// The name of the set, unique in its game.
    pub name: &'static str,
    /// What the set is, in one line.
    pub summary: &'static str,
    /// The names of the features, in the order of their indices.
    pub features: &'static [&'static str],
    /// The shipped weights: a weights file.
    pub default_weights: &'static str,
}

/// A game whose positions have features.
pub trait Features: Game {
    /// The feature sets of the game; the first one is the default.
    const SETS: &'static [FeatureSet];

    /// Calls `visit(index, value)` for the features of the set `Self::SETS[set]`. An index may be visited more
    /// than once: its values add up; a feature that is not visited is 0. The features are those of the player to
    /// move ("me") against the other.
    fn features(&self, set: usize, visit: impl FnMut(usize, f64));

    /// The sum of the features of a set, each times its weight: what an evaluation is, so a game may take a faster way
    /// to it. `weights` has one for each feature of the set.
    #[inline]
    fn weigh(&self, set: usize, weights: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.features(set, |index, value| sum += weights[index] * value);
        sum
    }
}
