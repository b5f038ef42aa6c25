//! The features of linear evaluations.

use super::{Game, Scale};

/// A named list of features; a weight belongs to each.
#[derive(Debug)]
pub struct FeatureSet {
    /// The name of the set, unique in its game.
    pub name: &'static str,
    /// The names of the features, in the order of their indices.
    pub features: &'static [&'static str],
    /// How the names of features end that are the parts of one term in the phases of the game; none where
    /// each feature is a term.
    pub phases: &'static [&'static str],
    /// The shipped weights, the text of a weights file. `None`: all weights are zero until some are learned.
    pub default_weights: Option<&'static str>,
    /// The scale of evaluations with these features.
    pub scale: Scale,
}

impl FeatureSet {
    /// The term of a feature and its phase, if it has one: `pawn` and `end` for `pawn.end`.
    pub fn split<'a>(&self, feature: &'a str) -> (&'a str, Option<&'static str>) {
        let split = self.phases.iter().find_map(|phase| Some((feature.strip_suffix(phase)?, *phase)));
        split.map_or((feature, None), |(term, phase)| (term.trim_end_matches('.'), Some(phase)))
    }
}

/// A game whose positions have features. By default the one feature is the mobility of the side to move.
pub trait Features: Game {
    /// The feature sets of the game; the first one is the default.
    const SETS: &'static [FeatureSet] = &[FeatureSet {
        name: "mobility",
        features: &["mobility"],
        phases: &[],
        default_weights: None,
        scale: Scale::UNMEASURED,
    }];

    /// Calls `visit(index, value)` for the features of the set `Self::SETS[set]`, for the side to move
    /// ("me"). An index may be visited more than once: its values add up. A feature that is not visited is 0.
    fn features(&self, _set: usize, mut visit: impl FnMut(usize, f64)) {
        visit(0, self.count_moves() as f64 / Self::MAX_MOVES as f64);
    }

    /// The sum of the features of a set, each times its weight. `weights` has one for each feature of the
    /// set. A game may compute the sum in a faster way.
    #[inline]
    fn weigh(&self, set: usize, weights: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.features(set, |index, value| sum += weights[index] * value);
        sum
    }
}
