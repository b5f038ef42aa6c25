//! The features.
//!
//! "Me" is the player to move.

use super::super::{FeatureSet, Features, Game};
use super::board::{around, reach, squares};
use super::rules::Amazons;

const MOBILITY: FeatureSet = FeatureSet {
    name: "mobility",
    summary: "squares that the amazons can go to, and free squares around them",
    features: &["movesForMe", "movesForOther", "freeForMe", "freeForOther"],
    default_weights: include_str!("../../../weights/amazons/mobility.json"),
};

/// Squares that count as one in the features: values are of the order of 1 so.
const SQUARES: f64 = 10.0;

impl Features for Amazons {
    const SETS: &'static [FeatureSet] = &[MOBILITY];

    fn features(&self, _set: usize, mut visit: impl FnMut(usize, f64)) {
        for (index, player) in [self.mover(), !self.mover()].into_iter().enumerate() {
            let (mut moves, mut free) = (0, 0);
            for square in squares(self.of(player)) {
                moves += reach(square, self.empty()).count_ones();
                free += (around(1 << square) & self.empty()).count_ones();
            }
            visit(index, f64::from(moves) / SQUARES);
            visit(2 + index, f64::from(free) / SQUARES);
        }
    }
}
