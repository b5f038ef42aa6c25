//! The encoding for policy/value nets.
//!
//! Positions have nine planes: own pawns, rooks and kings, the opponent's, prizes, lead in points in tens,
//! and move number in seventies, after which the referee ends a game. The points themselves do not matter,
//! only the lead.
//!
//! The policy has a plane for each direction and distance; the start of the move is the square on the plane.
//! Outcomes of chance share the indices of their move.

use super::super::encoding::{DIRECTIONS, PlaneWriter, Turn, View};
use super::super::{Encoding, EncodingShape, Game, Symmetry};
use super::board::{FILES, Kind, RANKS, ROOK_STEPS, squares};
use super::rules::{POINT, TucChess, TucMove};

const SHAPE: EncodingShape =
    EncodingShape { files: FILES, ranks: RANKS, input_planes: 9, policy_planes: DIRECTIONS * ROOK_STEPS };

impl Encoding for TucChess {
    const ENCODING_VERSION: u32 = 1;

    fn encoding_shape(&self) -> EncodingShape {
        SHAPE
    }

    fn write_planes(&self, _occurrences: usize, planes: &mut [f32]) {
        let mut writer = PlaneWriter::new(self, planes);
        let mut mark = |plane, set| {
            for square in squares(set).map(usize::from) {
                writer.mark(plane, square % FILES, square / FILES);
            }
        };
        let us = self.side_to_move();
        let pieces = [us, !us].into_iter().flat_map(|player| Kind::ALL.map(|kind| (player, kind)));
        for (plane, (player, kind)) in pieces.enumerate() {
            mark(plane, self.pieces(player, kind));
        }
        mark(6, self.prizes());
        writer.fill(7, self.lead() as f32 / f32::from(10 * POINT));
        writer.fill(8, f32::from(self.move_number()) / 70.0);
    }

    fn policy_indices(&self, mv: TucMove) -> impl Iterator<Item = usize> {
        let view = View::new(SHAPE, self.side_to_move());
        let [from, to] = [mv.from, mv.to]
            .map(|square| view.square(usize::from(square) % FILES, usize::from(square) / FILES));
        let (direction, length) = view.step(from, to);
        std::iter::once(view.on_plane(ROOK_STEPS * direction + length - 1, from))
    }

    fn symmetries(&self) -> Vec<Symmetry> {
        Turn::LEFT_RIGHT.map(|turn| turn.symmetry(SHAPE, ROOK_STEPS)).to_vec()
    }
}
