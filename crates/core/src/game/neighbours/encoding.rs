//! The encoding for policy/value nets.
//!
//! Positions have four planes: own pieces, the opponent's, halfmove clock in hundreds, repetitions in halves.
//! The policy has a plane for each direction, as a piece goes only one distance in it; the start of the move
//! is the square on the plane.

use super::super::encoding::{BoardSymmetry, DIRECTIONS, Orientation, PlaneWriter};
use super::super::{EncodingShape, Game, PlaneGroup, Symmetry};
use super::attacks::squares;
use super::rules::{Neighbours, NeighboursMove};

pub(super) const SHAPE: EncodingShape = EncodingShape::new((8, 8), PLANE_GROUPS, DIRECTIONS);

/// The groups of the planes.
pub(super) const PLANE_GROUPS: &[PlaneGroup] = &[
    PlaneGroup { name: "board", planes: 2 },
    PlaneGroup { name: "halfmove_clock", planes: 1 },
    PlaneGroup { name: "repetitions", planes: 1 },
];

/// The version of the encoding.
pub(super) const ENCODING_VERSION: u32 = 1;

pub(super) fn write_planes(position: &Neighbours, occurrences: usize, planes: &mut [f32]) {
    let mut writer = PlaneWriter::new(position, planes);
    let us = position.side_to_move();
    for (plane, player) in [us, !us].into_iter().enumerate() {
        for square in squares(position.of(player)) {
            writer.mark(plane, square as usize % 8, square as usize / 8);
        }
    }
    writer.fill(2, position.halfmove_clock() as f32 / 100.0);
    writer.fill(3, (occurrences as f32 - 1.0) / 2.0);
}

pub(super) fn policy_indices(position: &Neighbours, mv: NeighboursMove) -> impl Iterator<Item = usize> {
    let orientation = Orientation::new(SHAPE, position.side_to_move());
    let [from, to] =
        [mv.from, mv.to].map(|square| orientation.square(usize::from(square) % 8, usize::from(square) / 8));
    let (direction, _) = orientation.step(from, to);
    std::iter::once(orientation.on_plane(direction, from))
}

pub(super) fn symmetries() -> Vec<Symmetry> {
    BoardSymmetry::all(SHAPE).into_iter().map(|turn| turn.symmetry(SHAPE, 1)).collect()
}
