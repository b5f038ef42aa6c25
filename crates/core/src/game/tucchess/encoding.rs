//! The encoding for policy/value nets.
//!
//! Positions have nine planes: own pawns, rooks and kings, the opponent's, prizes, lead in points in tens,
//! and move number in seventies, after which the referee ends a game. The points themselves do not matter,
//! only the lead.
//!
//! The policy has a plane for each direction and distance; the start of the move is the square on the plane.
//! Outcomes of chance share the indices of their move.

use super::super::encoding::{BoardSymmetry, DIRECTIONS, Orientation, PlaneWriter};
use super::super::{EncodingShape, Game, PlaneGroup, Symmetry};
use super::board::{FILES, Kind, RANKS, ROOK_STEPS, squares};
use super::rules::{POINT, TucChess, TucMove};

pub(super) const SHAPE: EncodingShape =
    EncodingShape::new((FILES, RANKS), PLANE_GROUPS, DIRECTIONS * ROOK_STEPS);

/// The groups of the planes.
pub(super) const PLANE_GROUPS: &[PlaneGroup] = &[
    PlaneGroup { name: "board", planes: 6 },
    PlaneGroup { name: "prizes", planes: 1 },
    PlaneGroup { name: "lead", planes: 1 },
    PlaneGroup { name: "move_number", planes: 1 },
];

/// The version of the encoding.
pub(super) const ENCODING_VERSION: u32 = 1;

pub(super) fn write_planes(position: &TucChess, _occurrences: usize, planes: &mut [f32]) {
    let mut writer = PlaneWriter::new(position, planes);
    let mut mark = |plane, set| {
        for square in squares(set).map(usize::from) {
            writer.mark(plane, square % FILES, square / FILES);
        }
    };
    let us = position.side_to_move();
    let pieces = [us, !us].into_iter().flat_map(|player| Kind::ALL.map(|kind| (player, kind)));
    for (plane, (player, kind)) in pieces.enumerate() {
        mark(plane, position.pieces(player, kind));
    }
    mark(6, position.prizes());
    writer.fill(7, position.lead() as f32 / f32::from(10 * POINT));
    writer.fill(8, f32::from(position.move_number()) / 70.0);
}

pub(super) fn policy_indices(position: &TucChess, mv: TucMove) -> impl Iterator<Item = usize> {
    let orientation = Orientation::new(SHAPE, position.side_to_move());
    let [from, to] = [mv.from, mv.to]
        .map(|square| orientation.square(usize::from(square) % FILES, usize::from(square) / FILES));
    let (direction, length) = orientation.step(from, to);
    std::iter::once(orientation.on_plane(ROOK_STEPS * direction + length - 1, from))
}

pub(super) fn symmetries() -> Vec<Symmetry> {
    BoardSymmetry::LEFT_RIGHT.map(|turn| turn.symmetry(SHAPE, ROOK_STEPS)).to_vec()
}
