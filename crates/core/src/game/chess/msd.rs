//! The evaluation of the agents of "Minimax Selective Deepening": material, piece-square tables, check.
//!
//! The paper counts a pawn as 10 and a check as 1000; our unit is a pawn, so the weights are a tenth of the
//! paper's. The search scores mates and draws itself, so the paper's infinity and 0 are not needed
//! here. A check counts for the player who gives it: the feature is that the side to move is in check, and
//! its weight is negative.

use cozy_chess::{Board, Color as Side, Piece};

use super::super::FeatureSet;

/// Material, piece-square tables and check (Minimax Selective Deepening, chapter 1).
pub(super) const SET: FeatureSet = FeatureSet {
    name: "msd",
    features: &["pawns", "knights", "bishops", "rooks", "queens", "places", "inCheck"],
    phases: &[],
    default_weights: Some(include_str!("../../../../../weights/chess/msd.json")),
    scale: super::features::SCALE,
};

/// Piece-square tables of pawn, knight, bishop, rook, queen and king of White, in tenths of a pawn, as the
/// paper prints them: the eighth rank first, from the a-file to the h-file.
#[rustfmt::skip]
const TABLES: [[f32; 64]; Piece::NUM] = [
    [
         0.0,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0,
         5.0,  5.0,  5.0,  5.0,  5.0,  5.0,  5.0,  5.0,
         1.0,  1.0,  2.0,  3.0,  3.0,  2.0,  1.0,  1.0,
         0.5,  0.5,  1.0,  2.5,  2.5,  1.0,  0.5,  0.5,
         0.0,  0.0,  0.0,  2.0,  2.0,  0.0,  0.0,  0.0,
         0.5, -0.5, -1.0,  0.0,  0.0, -1.0, -0.5,  0.5,
         0.5,  1.0,  1.0, -2.0, -2.0,  1.0,  1.0,  0.5,
         0.0,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0,
    ],
    [
        -5.0, -4.0, -3.0, -3.0, -3.0, -3.0, -4.0, -5.0,
        -4.0, -2.0,  0.0,  0.0,  0.0,  0.0, -2.0, -4.0,
        -3.0,  0.0,  1.0,  1.5,  1.5,  1.0,  0.0, -3.0,
        -3.0,  0.5,  1.5,  2.0,  2.0,  1.5,  0.5, -3.0,
        -3.0,  0.0,  1.5,  2.0,  2.0,  1.5,  0.0, -3.0,
        -3.0,  0.5,  1.0,  1.5,  1.5,  1.0,  0.5, -3.0,
        -4.0, -2.0,  0.0,  0.5,  0.5,  0.0, -2.0, -4.0,
        -5.0, -4.0, -3.0, -3.0, -3.0, -3.0, -4.0, -5.0,
    ],
    [
        -2.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -2.0,
        -1.0,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0, -1.0,
        -1.0,  0.0,  0.5,  1.0,  1.0,  0.5,  0.0, -1.0,
        -1.0,  0.5,  0.5,  1.0,  1.0,  0.5,  0.5, -1.0,
        -1.0,  0.0,  1.0,  1.0,  1.0,  1.0,  1.0, -1.0,
        -1.0,  1.0,  1.0,  1.0,  1.0,  1.0,  1.0, -1.0,
        -1.0,  0.5,  0.0,  0.0,  0.0,  0.0,  0.5, -1.0,
        -2.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -2.0,
    ],
    [
         0.0,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0,
         0.5,  1.0,  1.0,  1.0,  1.0,  1.0,  1.0,  0.5,
        -0.5,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0, -0.5,
        -0.5,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0, -0.5,
        -0.5,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0, -0.5,
        -0.5,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0, -0.5,
        -0.5,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0, -0.5,
         0.0,  0.0,  0.0,  0.5,  0.5,  0.0,  0.0,  0.0,
    ],
    [
        -2.0, -1.0, -1.0, -0.5, -0.5, -1.0, -1.0, -2.0,
        -1.0,  0.0,  0.0,  0.0,  0.0,  0.0,  0.0, -1.0,
        -1.0,  0.0,  0.5,  0.5,  0.5,  0.5,  0.0, -1.0,
        -0.5,  0.0,  0.5,  0.5,  0.5,  0.5,  0.0, -0.5,
         0.0,  0.0,  0.5,  0.5,  0.5,  0.5,  0.0, -0.5,
        -1.0,  0.5,  0.5,  0.5,  0.5,  0.5,  0.0, -1.0,
        -1.0,  0.0,  0.5,  0.0,  0.0,  0.0,  0.0, -1.0,
        -2.0, -1.0, -1.0, -0.5, -0.5, -1.0, -1.0, -2.0,
    ],
    [
        -3.0, -4.0, -4.0, -5.0, -5.0, -4.0, -4.0, -3.0,
        -3.0, -4.0, -4.0, -5.0, -5.0, -4.0, -4.0, -3.0,
        -3.0, -4.0, -4.0, -5.0, -5.0, -4.0, -4.0, -3.0,
        -3.0, -4.0, -4.0, -5.0, -5.0, -4.0, -4.0, -3.0,
        -2.0, -3.0, -3.0, -4.0, -4.0, -3.0, -3.0, -2.0,
        -1.0, -2.0, -2.0, -2.0, -2.0, -2.0, -2.0, -1.0,
         2.0,  2.0,  0.0,  0.0,  0.0,  0.0,  2.0,  2.0,
         2.0,  3.0,  1.0,  0.0,  0.0,  1.0,  3.0,  2.0,
    ],
];

/// The features, all but the last one those of the side to move less those of the other.
pub(super) fn features(board: &Board, mut visit: impl FnMut(usize, f64)) {
    let us = board.side_to_move();
    let lead = |piece| {
        let [own, enemies] = [us, !us].map(|side| board.colored_pieces(side, piece).len());
        f64::from(own) - f64::from(enemies)
    };
    let kinds = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];
    for (index, piece) in kinds.into_iter().enumerate() {
        visit(index, lead(piece));
    }
    visit(5, f64::from(square_values(board, us) - square_values(board, !us)));
    visit(6, if board.checkers().is_empty() { 0.0 } else { 1.0 });
}

/// The sum of a player's piece-square values.
fn square_values(board: &Board, side: Side) -> f32 {
    let value = |piece: Piece| {
        let squares = board.colored_pieces(side, piece).into_iter();
        // The tables begin with the last rank of White.
        squares.map(|square| TABLES[piece as usize][square.relative_to(!side) as usize]).sum::<f32>()
    };
    Piece::ALL.into_iter().map(value).sum()
}
