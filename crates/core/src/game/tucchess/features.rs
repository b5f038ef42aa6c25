//! The feature sets: the two evaluations of the report, and a larger one.
//!
//! "Me" is the side to move; differences are its values less those of the opponent.

use super::super::{Color, FeatureSet, Game, Scale};
use super::board::{Kind, RANKS, fill_backward, forward, king_steps, pawn_attacks, rank_for, rook_steps};
use super::rules::{POINT, TucChess};

/// Points, pieces, advancement of pawns, mobility, threats, attacks on the kings, prizes in reach, tempo.
const FULL: FeatureSet = FeatureSet {
    name: "full",
    features: &[
        "lead",
        "leadLate",
        "pawns",
        "rooks",
        "advance",
        "openWays",
        "rookMoves",
        "threatsForMe",
        "threatsForOther",
        "kingInDangerForMe",
        "prizesForMe",
        "prizesForOther",
        "tempo",
    ],
    phases: &[],
    default_weights: Some(include_str!("../../../../../weights/tucchess/full.json")),
    scale: Scale::UNMEASURED,
};

/// Points and values of the pieces (report §4, evaluation 2).
const POINTS_VALUES: FeatureSet = FeatureSet {
    name: "points-values",
    features: &["pointsForMe", "pointsForOther", "valuesForMe", "valuesForOther"],
    phases: &[],
    default_weights: Some(include_str!("../../../../../weights/tucchess/points-values.json")),
    scale: Scale::UNMEASURED,
};

/// Points and number of pieces (report §4, evaluation 1).
const POINTS_PIECES: FeatureSet = FeatureSet {
    name: "points-pieces",
    features: &["pointsForMe", "pointsForOther", "piecesForMe", "piecesForOther"],
    phases: &[],
    default_weights: Some(include_str!("../../../../../weights/tucchess/points-pieces.json")),
    scale: Scale::UNMEASURED,
};

// Indices into [`SETS`].
const FULL_INDEX: usize = 0;
const POINTS_VALUES_INDEX: usize = 1;

/// Pieces of both players at the start.
const ALL_PIECES: f64 = 20.0;

/// The feature sets.
pub(super) const SETS: &[FeatureSet] = &[FULL, POINTS_VALUES, POINTS_PIECES];

pub(super) fn features(position: &TucChess, set: usize, mut visit: impl FnMut(usize, f64)) {
    let (me, other) = (position.side_to_move(), !position.side_to_move());
    if set == FULL_INDEX {
        return position.full(visit);
    }
    let points = |player| f64::from(position.points(player)) / f64::from(POINT);
    let material = |player| match set {
        POINTS_VALUES_INDEX => position.values(player, u64::MAX),
        _ => f64::from(position.of(player).count_ones()),
    };
    for (index, value) in [points(me), points(other), material(me), material(other)].into_iter().enumerate() {
        visit(index, value);
    }
}

impl TucChess {
    /// The points for the capture of a player's pieces on some squares.
    fn values(&self, player: Color, on: u64) -> f64 {
        let value = |kind: Kind| (self.pieces(player, kind) & on).count_ones() * u32::from(kind.points());
        f64::from(Kind::ALL.into_iter().map(value).sum::<u32>())
    }

    fn full(&self, mut visit: impl FnMut(usize, f64)) {
        let [me, other] = [self.side_to_move(), !self.side_to_move()].map(|player| Side::new(self, player));
        let lead = f64::from(self.lead()) / f64::from(POINT);
        let gone = 1.0 - f64::from(self.occupied().count_ones()) / ALL_PIECES;
        let difference = |me: u32, other: u32| f64::from(me as i32 - other as i32);
        visit(0, lead);
        visit(1, lead * gone);
        visit(2, difference(me.pawns, other.pawns));
        visit(3, difference(me.rooks, other.rooks));
        visit(4, difference(me.steps, other.steps) / PAWN_RANKS);
        visit(5, difference(me.open_ways, other.open_ways));
        visit(6, difference(me.rook_moves, other.rook_moves));
        visit(7, f64::from(me.threats));
        visit(8, f64::from(other.threats));
        visit(9, f64::from(other.threatens_king));
        visit(10, f64::from(me.prizes));
        visit(11, f64::from(other.prizes));
        visit(12, 1.0);
    }
}

/// The ranks that a pawn advances on its way to the last one.
const PAWN_RANKS: f64 = RANKS as f64 - 1.0;

/// The ranks whose number has bit 0, 1 or 2 set, counted from 0 from White's and from Black's own side.
const RANKS_WITH_BIT: [[u64; 3]; 2] = {
    let mut ranks = [[0; 3]; 2];
    let mut rank = 0;
    while rank < RANKS {
        let mut bit = 0;
        while bit < 3 {
            if rank >> bit & 1 != 0 {
                ranks[0][bit] |= rank_for(Color::White, rank);
                ranks[1][bit] |= rank_for(Color::Black, rank);
            }
            bit += 1;
        }
        rank += 1;
    }
    ranks
};

/// The counts for the features of one player.
struct Side {
    pawns: u32,
    rooks: u32,
    /// Ranks that the pawns have advanced, summed.
    steps: u32,
    /// Pawns with no piece in front of them up to the last rank.
    open_ways: u32,
    /// Squares that the rooks can move to.
    rook_moves: u32,
    /// Points for the attacked enemy pieces, the king excluded.
    threats: u32,
    /// Whether the enemy king is under attack.
    threatens_king: u32,
    /// Prizes that a piece can take.
    prizes: u32,
}

impl Side {
    #[inline]
    fn new(position: &TucChess, player: Color) -> Side {
        let [pawns, rooks, kings] = Kind::ALL.map(|kind| position.pieces(player, kind));
        let [enemy_pawns, enemy_rooks, enemy_kings] = Kind::ALL.map(|kind| position.pieces(!player, kind));
        let own = pawns | rooks | kings;
        let occupied = own | enemy_pawns | enemy_rooks | enemy_kings;
        let rook_reach = rook_steps(rooks, occupied | position.prizes()) & !own;
        let king_reach = king_steps(kings);
        let attacked = pawn_attacks(pawns, player) | rook_reach | king_reach;
        let landing = forward(pawns, player) & !occupied | rook_reach | king_reach & !own;
        // Sum the numbers of the ranks bit by bit.
        let steps = (0..3).map(|bit| (pawns & RANKS_WITH_BIT[player.index()][bit]).count_ones() << bit).sum();
        let blocked = fill_backward(forward(occupied, !player), player);
        let points = |kind: Kind, enemies: u64| u32::from(kind.points()) * (enemies & attacked).count_ones();
        Side {
            pawns: pawns.count_ones(),
            rooks: rooks.count_ones(),
            steps,
            open_ways: (pawns & !blocked).count_ones(),
            rook_moves: rook_reach.count_ones(),
            threats: points(Kind::Pawn, enemy_pawns) + points(Kind::Rook, enemy_rooks),
            threatens_king: (enemy_kings & attacked).count_ones(),
            prizes: (position.prizes() & landing).count_ones(),
        }
    }
}
