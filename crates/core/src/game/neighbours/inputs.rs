//! The inputs for efficiently updatable nets: own pieces and the opponent's on 64 squares.

use super::super::fen::square_name;
use super::super::{Color, InputShape, Perspective};
use super::rules::{Neighbours, PIECES};

const SQUARES: usize = 64;

/// The version of the inputs.
pub(super) const INPUTS_VERSION: u32 = 1;

/// White's pieces, then Black's.
pub(super) type InputPlanes = [u128; 2];

/// The sizes of the inputs.
pub(super) const SHAPE: InputShape = InputShape { files: 8, ranks: 8, inputs: 2 * SQUARES };

#[inline]
pub(super) fn input_planes(position: &Neighbours) -> [u128; 2] {
    Color::BOTH.map(|player| position.of(player).into())
}

pub(super) fn input_index(
    _: InputShape,
    perspective: Perspective,
    plane: usize,
    bit: usize,
) -> Option<usize> {
    let (plane, square) = match perspective.player {
        Color::White => (plane, bit),
        Color::Black => (1 - plane, bit ^ 56),
    };
    (bit < SQUARES).then_some(SQUARES * plane + (square ^ if perspective.mirrored { 7 } else { 0 }))
}

pub(super) fn input_name(plane: usize, bit: usize) -> String {
    format!("{} {}", ["P", "p"][plane], square_name(bit % 8, bit / 8))
}

#[inline]
pub(super) fn material(position: &Neighbours) -> (usize, usize) {
    (position.occupied().count_ones() as usize, 2 * PIECES as usize)
}
