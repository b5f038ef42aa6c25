//! The feature sets of Amazons.
//!
//! `territory` holds the terms of the module `territory`. Each term has three features, one for each game
//! phase: opening, middle game and filling phase. The phase is the contact of the players (Lieberum's w) as a
//! share of the board; values between the phases are interpolated. "Me" is the side to move.

use super::super::{FeatureSet, Game, Scale};
use super::board::{around, reach, squares};
use super::rules::Amazons;
use super::territory::Territory;

macro_rules! by_phase {
    ($($name:literal),*) => {
        &[$(concat!($name, "Early"), concat!($name, "Middle"), concat!($name, "Late")),*, "settled"]
    };
}

/// The scale of both sets. Moves change the evaluation more than in other games: by a square or two, worth
/// one to two units each at the end.
const SCALE: Scale = Scale { margin: 3500, ..Scale::UNMEASURED };

/// Territory by queen and by king moves, mobility, enclosed amazons, tempo.
const TERRITORY: FeatureSet = FeatureSet {
    name: "territory",
    features: by_phase!["t1", "t2", "c1", "c2", "mobility", "enclosed", "ties", "tempo"],
    phases: &["Early", "Middle", "Late"],
    default_weights: Some(include_str!("../../../../../weights/amazons/territory.json")),
    scale: SCALE,
};

/// Squares that the amazons reach in one move, and empty squares next to them.
const MOBILITY: FeatureSet = FeatureSet {
    name: "mobility",
    features: &["movesForMe", "movesForOther", "freeForMe", "freeForOther"],
    phases: &[],
    default_weights: Some(include_str!("../../../../../weights/amazons/mobility.json")),
    scale: SCALE,
};

/// Index of `territory` in [`SETS`].
const TERRITORY_INDEX: usize = 0;

/// Phases of the game.
const PHASES: usize = 3;

/// The share of contested squares in the middle game. (A game on 10×10 begins with 0.7.)
const MIDDLE: f64 = 0.2;

/// The share of contested squares above which a position counts as opening.
const EARLY: f64 = 0.5;

/// Squares per unit of a feature; this keeps the features near 1.
const SQUARES: f64 = 10.0;

/// The feature sets.
pub(super) const SETS: &[FeatureSet] = &[TERRITORY, MOBILITY];

#[inline]
pub(super) fn features(position: &Amazons, set: usize, visit: impl FnMut(usize, f64)) {
    match set {
        TERRITORY_INDEX => position.territory(visit),
        _ => position.mobility(visit),
    }
}

impl Amazons {
    #[inline]
    fn territory(&self, mut visit: impl FnMut(usize, f64)) {
        let territory =
            Territory::new(self.of(self.side_to_move()), self.of(!self.side_to_move()), self.empty());
        let (files, ranks) = self.size();
        let phases = phases(territory.contact / (files * ranks) as f64);
        let measures = [
            territory.queen_nearer / SQUARES,
            territory.king_nearer / SQUARES,
            territory.queen_lead / SQUARES,
            territory.king_lead / SQUARES,
            territory.mobility / SQUARES,
            territory.enclosed,
            territory.queen_ties / SQUARES,
            1.0,
        ];
        for (measure, value) in measures.into_iter().enumerate() {
            for (phase, share) in phases.into_iter().enumerate() {
                visit(PHASES * measure + phase, share * value);
            }
        }
        visit(PHASES * measures.len(), territory.settled);
    }

    fn mobility(&self, mut visit: impl FnMut(usize, f64)) {
        for (index, player) in [self.side_to_move(), !self.side_to_move()].into_iter().enumerate() {
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

/// The weights of opening, middle game and filling phase; they add up to 1.
#[inline]
fn phases(contested: f64) -> [f64; PHASES] {
    let early = ((contested - MIDDLE) / (EARLY - MIDDLE)).clamp(0.0, 1.0);
    let late = (1.0 - contested / MIDDLE).clamp(0.0, 1.0);
    [early, 1.0 - early - late, late]
}
