//! The feature sets.

use super::super::{FeatureSet, Scale, WdlModel};
use super::rules::Chess;
use super::{classical, msd};

/// Index into [`SETS`].
const CLASSICAL: usize = 0;

/// The scale of both sets, whose unit is a pawn.
pub(super) const SCALE: Scale = Scale {
    // A quiet move changes the evaluation by more than in games whose unit is a piece.
    margin: 3000,
    // Fitted to 24,985 positions of 200 games of self-play at 2+0.02 s (2026-11-21).
    wdl: WdlModel { a: 1.6, b: 1.2 },
};

/// The feature sets.
pub(super) const SETS: &[FeatureSet] = &[classical::SET, msd::SET];

#[inline]
pub(super) fn features(position: &Chess, set: usize, visit: impl FnMut(usize, f64)) {
    match set {
        CLASSICAL => classical::features(position.board(), visit),
        _ => msd::features(position.board(), visit),
    }
}

#[inline]
pub(super) fn weigh(position: &Chess, set: usize, weights: &[f64]) -> f64 {
    match set {
        CLASSICAL => classical::weigh(position.board(), weights),
        _ => {
            let mut sum = 0.0;
            msd::features(position.board(), |index, value| sum += weights[index] * value);
            sum
        }
    }
}
