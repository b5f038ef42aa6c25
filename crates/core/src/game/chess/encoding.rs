//! The encoding for policy/value nets.
//!
//! Positions have the 16 planes of the chess-zero paper: six kinds of own pieces, six of the opponent's, side
//! to move (1 for White), move number, halfmove clock, repetitions. Counters are in hundreds, repetitions in
//! halves, so that the third occurrence is 1.
//!
//! The policy has an index for each pair of squares, from and to, as in the paper. These are 64 planes, one
//! for each target, and the start is the square on the plane. A promotion to a queen goes by its squares like
//! any other move. Underpromotions have indices of their own, as in AlphaZero: if they shared that of the
//! queen, all four would have the same prior. That makes 9 more planes, by piece and direction of the pawn.
//!
//! There is no symmetry for training: castling differs between the wings, and the planes of the paper lack
//! castling rights.

use cozy_chess::{Piece, Square};

use super::super::encoding::{Orientation, PlaneWriter};
use super::super::{EncodingShape, Game, PlaneGroup};
use super::rules::{Chess, ChessMove};

pub(super) const SHAPE: EncodingShape = EncodingShape::new((8, 8), PLANE_GROUPS, TARGETS + 3 * 3);

/// The groups of the planes.
pub(super) const PLANE_GROUPS: &[PlaneGroup] = &[
    PlaneGroup { name: "board", planes: 12 },
    PlaneGroup { name: "side", planes: 1 },
    PlaneGroup { name: "move_number", planes: 1 },
    PlaneGroup { name: "halfmove_clock", planes: 1 },
    PlaneGroup { name: "repetitions", planes: 1 },
];

/// Planes of the policy for pairs of squares.
const TARGETS: usize = Square::NUM;

/// The version of the encoding.
pub(super) const ENCODING_VERSION: u32 = 1;

pub(super) fn write_planes(position: &Chess, occurrences: usize, planes: &mut [f32]) {
    let mut writer = PlaneWriter::new(position, planes);
    let (board, us) = (position.board(), position.board().side_to_move());
    let sides = [us, !us].into_iter().flat_map(|side| Piece::ALL.map(|piece| (side, piece)));
    for (plane, (side, piece)) in sides.enumerate() {
        for square in board.colored_pieces(side, piece) {
            writer.mark(plane, square.file() as usize, square.rank() as usize);
        }
    }
    writer.fill(12, if us == cozy_chess::Color::White { 1.0 } else { 0.0 });
    writer.fill(13, f32::from(position.move_number()) / 100.0);
    writer.fill(14, position.halfmove_clock() as f32 / 100.0);
    writer.fill(15, (occurrences as f32 - 1.0) / 2.0);
}

pub(super) fn policy_indices(position: &Chess, ChessMove(mv): ChessMove) -> impl Iterator<Item = usize> {
    let orientation = Orientation::new(SHAPE, position.side_to_move());
    let [from, to] =
        [mv.from, mv.to].map(|square| orientation.square(square.file() as usize, square.rank() as usize));
    let plane = match mv.promotion {
        None | Some(Piece::Queen) => to,
        Some(piece) => {
            let direction = (mv.to.file() as usize + 1).saturating_sub(mv.from.file() as usize);
            // Knight, bishop and rook are 1, 2 and 3.
            TARGETS + 3 * (piece as usize - 1) + direction
        }
    };
    std::iter::once(orientation.on_plane(plane, from))
}
