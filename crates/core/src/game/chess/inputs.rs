//! The inputs for efficiently updatable nets: 768, the six kinds of own pieces and of the opponent's on 64
//! squares. The board is mirrored for a player whose king is on its right half, so that a net learns each
//! position and its mirror image as one. The weights may depend on the square of the player's king. Castling
//! rights and en passant are not inputs.

use cozy_chess::{Piece, Square};

use super::super::fen::square_name;
use super::super::{Color, InputShape, Perspective};
use super::rules::{Chess, side};

/// The king bucket of each square, on the left half of the board from the player's side: castled, in the
/// middle of the first rank, on the second rank, and further up.
const KING_BUCKETS: [[u8; 4]; 8] = [[0, 0, 1, 1], [2; 4], [3; 4], [3; 4], [3; 4], [3; 4], [3; 4], [3; 4]];

/// Planes of a player.
const KINDS: usize = Piece::NUM;

/// The version of the inputs.
pub(super) const INPUTS_VERSION: u32 = 1;

pub(super) const BUCKETS: u8 = 4;

/// White's pieces, then Black's.
pub(super) type InputPlanes = [u128; 2 * KINDS];

/// The sizes of the inputs.
pub(super) const SHAPE: InputShape = InputShape { files: 8, ranks: 8, inputs: 2 * KINDS * Square::NUM };

#[inline]
pub(super) fn input_planes(position: &Chess) -> [u128; 2 * KINDS] {
    std::array::from_fn(|plane| {
        let owner = if plane < KINDS { Color::White } else { Color::Black };
        u128::from(position.board().colored_pieces(side(owner), Piece::ALL[plane % KINDS]).0)
    })
}

#[inline]
pub(super) fn perspective(position: &Chess, player: Color) -> Perspective {
    let king = position.board().king(side(player));
    let (file, rank) = (king.file() as usize, king.rank() as usize);
    let rank = if player == Color::White { rank } else { 7 - rank };
    Perspective { player, mirrored: file >= 4, bucket: KING_BUCKETS[rank][file.min(7 - file)] }
}

pub(super) fn input_index(
    _: InputShape,
    perspective: Perspective,
    plane: usize,
    bit: usize,
) -> Option<usize> {
    let (plane, square) = match perspective.player {
        Color::White => (plane, bit),
        Color::Black => ((plane + KINDS) % (2 * KINDS), bit ^ 56),
    };
    (bit < Square::NUM).then_some(Square::NUM * plane + (square ^ if perspective.mirrored { 7 } else { 0 }))
}

pub(super) fn input_name(plane: usize, bit: usize) -> String {
    let letter = ["P", "N", "B", "R", "Q", "K", "p", "n", "b", "r", "q", "k"][plane];
    format!("{letter} {}", square_name(bit % 8, bit / 8))
}

#[inline]
pub(super) fn material(position: &Chess) -> (usize, usize) {
    (position.board().occupied().len() as usize, 32)
}
