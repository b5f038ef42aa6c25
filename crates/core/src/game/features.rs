//! The features of linear evaluations.

use super::Scale;

/// A named list of features; a weight belongs to each.
#[derive(Debug)]
pub struct FeatureSet {
    /// The name of the set, unique in its game.
    pub name: &'static str,
    /// The names of the features, in the order of their indices.
    pub features: &'static [&'static str],
    /// The suffixes of features that are parts of one term, one for each phase of the game; none where each
    /// feature is a term.
    pub phases: &'static [&'static str],
    /// The shipped weights, the text of a weights file. `None`: all weights are [the
    /// same](super::Knowledge::INITIAL_WEIGHT).
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
