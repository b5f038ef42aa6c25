//! The feature sets.

use super::super::{FeatureSet, Features};
use super::rules::Chess;
use super::{classical, msd};

/// Index into `SETS`.
const CLASSICAL: usize = 0;

impl Features for Chess {
    const SETS: &'static [FeatureSet] = &[classical::SET, msd::SET];

    #[inline]
    fn features(&self, set: usize, visit: impl FnMut(usize, f64)) {
        match set {
            CLASSICAL => classical::features(self.board(), visit),
            _ => msd::features(self.board(), visit),
        }
    }

    #[inline]
    fn weigh(&self, set: usize, weights: &[f64]) -> f64 {
        match set {
            CLASSICAL => classical::weigh(self.board(), weights),
            _ => {
                let mut sum = 0.0;
                msd::features(self.board(), |index, value| sum += weights[index] * value);
                sum
            }
        }
    }
}
