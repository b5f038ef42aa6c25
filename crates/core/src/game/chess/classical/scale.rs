//! The scale factor: how often the stronger side wins, by the material on the board.

use cozy_chess::{BitBoard, Board, Color as Side, Piece};

use super::PIECES;

/// The values of [`PIECES`] in pawns, for comparison.
const VALUES: [u32; 4] = [3, 3, 5, 9];

// The factors of all terms, found by the held-out error of a regression over 1.2 million positions.

/// Without pawns and with at most a minor piece in all.
const BARE: f64 = 0.35;
/// Without pawns and with at most a minor piece more than the opponent.
const NO_PAWNS: f64 = 0.7;
/// With one pawn and no pieces more than the opponent.
const ONE_PAWN: f64 = 0.7;
/// With bishops on opposite colours and no other pieces.
const OPPOSITE_BISHOPS: f64 = 0.7;
/// With pawns only.
const PAWNS_ONLY: f64 = 1.6;
/// What is added for each pawn of both players beyond eight: with more pawns a lead wins more often.
const PER_PAWN: f64 = 0.03;

/// The factor of all terms.
pub(super) fn scale(board: &Board) -> f64 {
    let pawns = f64::from(board.pieces(Piece::Pawn).len());
    (1.0 + PER_PAWN * (pawns - 8.0)) * material_scale(board)
}

/// The part of the factor that depends on which pieces the stronger side has.
fn material_scale(board: &Board) -> f64 {
    let pawns = |side| board.colored_pieces(side, Piece::Pawn).len();
    let pieces = |side| -> u32 {
        let counts = PIECES.map(|piece| board.colored_pieces(side, piece).len());
        counts.into_iter().zip(VALUES).map(|(count, value)| count * value).sum()
    };
    let counts = [Side::White, Side::Black].map(|side| (pawns(side), pieces(side)));
    // Each player who is not weaker, with its pawns and the pieces that it has more than the opponent.
    let stronger = |test: fn(u32, i64) -> bool| {
        [0, 1].into_iter().all(|player| {
            let [(own_pawns, own), (pawns, pieces)] = [counts[player], counts[1 - player]];
            own_pawns + own < pawns + pieces || test(own_pawns, i64::from(own) - i64::from(pieces))
        })
    };
    let most = counts[0].1.max(counts[1].1);
    if stronger(|pawns, lead| pawns == 0 && lead <= i64::from(VALUES[0])) {
        if most <= VALUES[0] { BARE } else { NO_PAWNS }
    } else if stronger(|pawns, lead| pawns == 1 && lead <= 0) {
        ONE_PAWN
    } else if opposite_bishops(board) {
        OPPOSITE_BISHOPS
    } else if most == 0 {
        PAWNS_ONLY
    } else {
        1.0
    }
}

/// Whether each player has one bishop, the two on squares of different colours, and otherwise only pawns.
fn opposite_bishops(board: &Board) -> bool {
    let bishops = board.pieces(Piece::Bishop);
    let others = board.pieces(Piece::Knight) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    let one_of_two = |set: BitBoard| bishops.len() == 2 && (bishops & set).len() == 1;
    others.is_empty() && one_of_two(board.colors(Side::White)) && one_of_two(BitBoard::LIGHT_SQUARES)
}
