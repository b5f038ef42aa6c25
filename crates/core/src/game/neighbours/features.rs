//! The features of the original agent (Neighbours thesis, 2010, §4.2, tables 4.1 to 4.4).
//!
//! All are scaled to [0, 1]. "Me" is the side to move. The thesis does not define two of the measures. Here,
//! the distance from the centre is counted in king steps from the four central squares, and a pair (`dual`)
//! is two pieces of one player that have no neighbour but each other.

use super::super::{FeatureSet, Game, Scale};
use super::attacks::{self, NeighbourCounts};
use super::rules::{Neighbours, PIECES};

macro_rules! base_features {
    ($($cross:literal),*) => {
        &[
            "piecesForMe",
            "piecesForOther",
            "movesLeftForMe",
            "movesLeftForOther",
            "alonesForMe",
            "alonesForOther",
            "dualForMe",
            "dualForOther",
            "withOneNextForMe-2*dualForMe",
            "withOneNextForOther-2*dualForOther",
            "medianDistanceForMe",
            "medianDistanceForOther",
            "onlyEnemiesForMe",
            "onlyEnemiesForOther",
            "distanceFromLastEat",
            $($cross),*
        ]
    };
}

/// Index of the first cross term.
const CROSS: usize = 15;

// Indices into [`SETS`].
const SET1: usize = 0;
const SET2: usize = 1;
const SET3: usize = 2;

/// The 15 base features and threats.
const SET1_FEATURES: FeatureSet = FeatureSet {
    name: "set1",
    features: base_features!["threatsForMe*(1-piecesForOther)", "threatsForOther*(1-piecesForMe)"],
    phases: &[],
    default_weights: Some(include_str!("../../../../../weights/neighbours/set1.json")),
    scale: Scale::UNMEASURED,
};

/// `set1` and cross terms of lone pieces with moves, and of surrounded pieces with enemies.
const SET2_FEATURES: FeatureSet = FeatureSet {
    name: "set2",
    features: base_features![
        "threatsForMe*(1-piecesForOther)",
        "threatsForOther*(1-piecesForMe)",
        "alonesForMe*(1-movesLeftForMe)",
        "alonesForOther*(1-movesLeftForOther)",
        "onlyEnemiesForMe*(1-piecesForOther)",
        "onlyEnemiesForOther*(1-piecesForMe)"
    ],
    phases: &[],
    default_weights: Some(include_str!("../../../../../weights/neighbours/set2.json")),
    scale: Scale::UNMEASURED,
};

/// `set1` and cross terms of pairs and of pieces with one neighbour with the number of pieces.
const SET3_FEATURES: FeatureSet = FeatureSet {
    name: "set3",
    features: base_features![
        "threatsForMe*(1-piecesForOther)",
        "threatsForOther*(1-piecesForMe)",
        "dualForOther*(1-piecesForOther)",
        "dualForMe*(1-piecesForMe)",
        "(withOneNextForOther-2*dualForOther)*(1-piecesForOther)",
        "(withOneNextForMe-2*dualForMe)*(1-piecesForMe)"
    ],
    phases: &[],
    default_weights: Some(include_str!("../../../../../weights/neighbours/set3.json")),
    scale: Scale::UNMEASURED,
};

/// The 15 base features.
const BASE_FEATURES: FeatureSet = FeatureSet {
    name: "base",
    features: base_features![],
    phases: &[],
    default_weights: Some(include_str!("../../../../../weights/neighbours/base.json")),
    scale: Scale::UNMEASURED,
};

/// Squares at least one, two and three king steps from the four central squares.
const RINGS: [u64; 3] = [!0x0000_0018_1800_0000, !0x0000_3C3C_3C3C_0000, !0x007E_7E7E_7E7E_7E00];

/// The counts for the features of one player.
struct Side {
    pieces: f64,
    moves: f64,
    alones: f64,
    duals: f64,
    with_one_next: f64,
    distance: f64,
    only_enemies: f64,
    /// The squares that the player can move to.
    reach: u64,
}

impl Side {
    #[inline]
    fn new(own: u64, enemies: u64, counts: &NeighbourCounts) -> Side {
        let share = |squares: u64, most: u32| f64::from(squares.count_ones()) / f64::from(most);
        let reach = attacks::reach(own, own | enemies, counts);
        let moves: u32 = reach.iter().map(|targets| targets.count_ones()).sum();
        let alone = own & counts.exactly(0);
        let one_next = own & counts.exactly(1);
        let paired = one_next & attacks::around(one_next);
        let steps: u32 = RINGS.iter().map(|ring| (own & ring).count_ones()).sum();
        let pieces = own.count_ones();
        Side {
            pieces: share(own, PIECES),
            moves: f64::from(moves) / Neighbours::MAX_MOVES as f64,
            alones: share(alone, PIECES),
            duals: share(paired, PIECES),
            with_one_next: share(one_next & !paired, PIECES),
            distance: f64::from(steps) / f64::from(RINGS.len() as u32 * pieces.max(1)),
            only_enemies: share(own & !alone & !attacks::around(own), PIECES),
            reach: reach.iter().fold(0, |squares, targets| squares | targets),
        }
    }
}

/// The feature sets.
pub(super) const SETS: &[FeatureSet] = &[SET1_FEATURES, SET2_FEATURES, SET3_FEATURES, BASE_FEATURES];

#[inline]
pub(super) fn features(position: &Neighbours, set: usize, mut visit: impl FnMut(usize, f64)) {
    let (own, enemies) = (position.of(position.side_to_move()), position.of(!position.side_to_move()));
    let counts = NeighbourCounts::new(own | enemies);
    let me = Side::new(own, enemies, &counts);
    let other = Side::new(enemies, own, &counts);
    visit(0, me.pieces);
    visit(1, other.pieces);
    visit(2, me.moves);
    visit(3, other.moves);
    visit(4, me.alones);
    visit(5, other.alones);
    visit(6, me.duals);
    visit(7, other.duals);
    visit(8, me.with_one_next);
    visit(9, other.with_one_next);
    visit(10, me.distance);
    visit(11, other.distance);
    visit(12, me.only_enemies);
    visit(13, other.only_enemies);
    visit(14, (position.halfmove_clock() / 10).min(10) as f64 / 10.0);

    let mut cross = |index: usize, first: f64, second: f64| visit(CROSS + index, first * (1.0 - second));
    if matches!(set, SET1 | SET2 | SET3) {
        let threatened =
            |pieces: u64, by: &Side| f64::from((pieces & by.reach).count_ones()) / f64::from(PIECES);
        cross(0, threatened(own, &other), other.pieces);
        cross(1, threatened(enemies, &me), me.pieces);
    }
    match set {
        SET2 => {
            cross(2, me.alones, me.moves);
            cross(3, other.alones, other.moves);
            cross(4, me.only_enemies, other.pieces);
            cross(5, other.only_enemies, me.pieces);
        }
        SET3 => {
            cross(2, other.duals, other.pieces);
            cross(3, me.duals, me.pieces);
            cross(4, other.with_one_next, other.pieces);
            cross(5, me.with_one_next, me.pieces);
        }
        _ => {}
    }
}
