//! The encoding for policy/value nets. Its sizes depend on the board.
//!
//! Positions have four planes: own amazons, the opponent's, arrows, empty squares.
//!
//! The policy is factored, as a move has up to three squares: the logit of a move is that of the amazon's
//! move plus that of the arrow's. Either has a plane for each direction and distance, with the start of the
//! half on it. So 10×10 needs 14,400 indices in place of a million. Unlike one index for each of the three
//! squares, this distinguishes by which amazon a square is reached and from where the arrow is shot.

use super::super::encoding::{BoardSymmetry, DIRECTIONS, Orientation, PlaneWriter};
use super::super::{EncodingShape, Game, PlaneGroup, Symmetry};
use super::board::{MAX_SIZE, squares};
use super::rules::{Amazons, AmazonsMove};

/// The longest queen's move on a board.
fn most_steps((files, ranks): (usize, usize)) -> usize {
    files.max(ranks) - 1
}

/// The groups of the planes. The empty squares follow from the others.
pub(super) const PLANE_GROUPS: &[PlaneGroup] =
    &[PlaneGroup { name: "board", planes: 3 }, PlaneGroup { name: "empty", planes: 1 }];

/// The version of the encoding.
pub(super) const ENCODING_VERSION: u32 = 1;

pub(super) fn encoding_shape(position: &Amazons) -> EncodingShape {
    EncodingShape::new(position.size(), PLANE_GROUPS, 2 * DIRECTIONS * most_steps(position.size()))
}

pub(super) fn write_planes(position: &Amazons, _occurrences: usize, planes: &mut [f32]) {
    let mut writer = PlaneWriter::new(position, planes);
    let us = position.side_to_move();
    let sets = [position.of(us), position.of(!us), position.arrows(), position.empty()];
    for (plane, set) in sets.into_iter().enumerate() {
        for square in squares(set).map(usize::from) {
            writer.mark(plane, square % MAX_SIZE, square / MAX_SIZE);
        }
    }
}

pub(super) fn policy_indices(position: &Amazons, mv: AmazonsMove) -> impl Iterator<Item = usize> {
    let orientation = Orientation::new(encoding_shape(position), position.side_to_move());
    let most = most_steps(position.size());
    let [from, to, arrow] = [mv.from, mv.to, mv.arrow]
        .map(|square| orientation.square(usize::from(square) % MAX_SIZE, usize::from(square) / MAX_SIZE));
    [(from, to), (to, arrow)].into_iter().enumerate().map(move |(half, (from, to))| {
        let (direction, length) = orientation.step(from, to);
        orientation.on_plane(most * (DIRECTIONS * half + direction) + length - 1, from)
    })
}

pub(super) fn symmetries(position: &Amazons) -> Vec<Symmetry> {
    let (shape, distances) = (encoding_shape(position), most_steps(position.size()));
    BoardSymmetry::all(shape).into_iter().map(|turn| turn.symmetry(shape, distances)).collect()
}
