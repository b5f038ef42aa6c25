//! The features: the two evaluations of the paper, and a fuller one.
//!
//! Points are counted as they are; other features are in points, pieces, squares or shares as their
//! names say. Differences are those of the player to move ("me") less those of the other.

use super::super::{Color, FeatureSet, Features, Game};
use super::board::{Kind, RANKS, fill_backward, forward, king_steps, pawn_attacks, rank_for, rook_steps};
use super::rules::{POINT, TucChess};

const FULL: FeatureSet = FeatureSet {
    name: "full",
    summary: "points, pieces, advancement, mobility, threats, danger to the kings, prizes in reach, tempo",
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
    default_weights: include_str!("../../../weights/tucchess/full.json"),
};

const POINTS_VALUES: FeatureSet = FeatureSet {
    name: "points-values",
    summary: "points and values of the pieces (report §4, evaluation 2)",
    features: &["pointsForMe", "pointsForOther", "valuesForMe", "valuesForOther"],
    default_weights: include_str!("../../../weights/tucchess/points-values.json"),
};

const POINTS_PIECES: FeatureSet = FeatureSet {
    name: "points-pieces",
    summary: "points and number of pieces (report §4, evaluation 1)",
    features: &["pointsForMe", "pointsForOther", "piecesForMe", "piecesForOther"],
    default_weights: include_str!("../../../weights/tucchess/points-pieces.json"),
};

// Indices into `SETS`.
const FULL_INDEX: usize = 0;
const POINTS_VALUES_INDEX: usize = 1;

/// Pieces of both players at the start.
const ALL_PIECES: f64 = 20.0;

impl Features for TucChess {
    const SETS: &'static [FeatureSet] = &[FULL, POINTS_VALUES, POINTS_PIECES];

    fn features(&self, set: usize, mut visit: impl FnMut(usize, f64)) {
        let (me, other) = (self.mover(), !self.mover());
        if set == FULL_INDEX {
            return self.full(visit);
        }
        let points = |player| f64::from(self.points(player)) / f64::from(POINT);
        let material = |player| match set {
            POINTS_VALUES_INDEX => self.values(player, u64::MAX),
            _ => f64::from(self.of(player).count_ones()),
        };
        for (index, value) in
            [points(me), points(other), material(me), material(other)].into_iter().enumerate()
        {
            visit(index, value);
        }
    }
}

impl TucChess {
    /// The points that the pieces of a player on some squares are worth.
    fn values(&self, player: Color, on: u64) -> f64 {
        let value = |kind: Kind| (self.pieces(player, kind) & on).count_ones() * u32::from(kind.points());
        f64::from(Kind::ALL.into_iter().map(value).sum::<u32>())
    }

    fn full(&self, mut visit: impl FnMut(usize, f64)) {
        let [me, other] = [self.mover(), !self.mover()].map(|player| Side::new(self, player));
        let lead = f64::from(self.lead()) / f64::from(POINT);
        let gone = 1.0 - f64::from(self.occupied().count_ones()) / ALL_PIECES;
        visit(0, lead);
        visit(1, lead * gone);
        visit(2, me.pawns - other.pawns);
        visit(3, me.rooks - other.rooks);
        visit(4, me.advance - other.advance);
        visit(5, me.open_ways - other.open_ways);
        visit(6, me.rook_moves - other.rook_moves);
        visit(7, me.threats);
        visit(8, other.threats);
        visit(9, other.threatens_king);
        visit(10, me.prizes);
        visit(11, other.prizes);
        visit(12, 1.0);
    }
}

/// The ranks in whose number, counted for White and for Black from their own side from 0, a bit is set.
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

/// What is seen of a player.
struct Side {
    pawns: f64,
    rooks: f64,
    /// Ranks that the pawns have behind them, in shares of their way.
    advance: f64,
    /// Pawns with no piece in front of them up to the last rank.
    open_ways: f64,
    /// Squares that the rooks may go to.
    rook_moves: f64,
    /// Points of the enemy pieces under attack, but for the king.
    threats: f64,
    /// Whether the enemy king is under attack.
    threatens_king: f64,
    /// Prizes in reach.
    prizes: f64,
}

impl Side {
    fn new(position: &TucChess, player: Color) -> Side {
        let [pawns, rooks, kings] = Kind::ALL.map(|kind| position.pieces(player, kind));
        let (occupied, own) = (position.occupied(), position.of(player));
        let rook_reach = rook_steps(rooks, occupied | position.prizes()) & !own;
        let attacked = pawn_attacks(pawns, player) | rook_reach | king_steps(kings);
        let landing = forward(pawns, player) & !occupied | rook_reach | king_steps(kings) & !own;
        // The number of a rank, bit by bit.
        let steps: u32 =
            (0..3).map(|bit| (pawns & RANKS_WITH_BIT[player.index()][bit]).count_ones() << bit).sum();
        let way = RANKS as f64 - 1.0;
        let blocked = fill_backward(forward(occupied, !player), player);
        let enemies = !position.pieces(!player, Kind::King) & attacked;
        Side {
            pawns: f64::from(pawns.count_ones()),
            rooks: f64::from(rooks.count_ones()),
            advance: f64::from(steps) / way,
            open_ways: f64::from((pawns & !blocked).count_ones()),
            rook_moves: f64::from(rook_reach.count_ones()),
            threats: position.values(!player, enemies),
            threatens_king: f64::from((position.pieces(!player, Kind::King) & attacked).count_ones()),
            prizes: f64::from((position.prizes() & landing).count_ones()),
        }
    }
}
