//! The feature sets.

use super::super::{FeatureSet, Features};
use super::msd;
use super::rules::Chess;

impl Features for Chess {
    const SETS: &'static [FeatureSet] = &[msd::SET];

    fn features(&self, _set: usize, visit: impl FnMut(usize, f64)) {
        msd::features(self.board(), visit);
    }
}
