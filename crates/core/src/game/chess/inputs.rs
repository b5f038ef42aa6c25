//! The inputs for efficiently updatable nets: 768, the six kinds of own pieces and of the opponent's on 64
//! squares. A player whose king is on the right half of the board sees it mirrored, so that a net learns each
//! position and its mirror image as one. The weights may depend on where the player's king is. Castling
//! rights and en passant are not seen.

use cozy_chess::{Piece, Square};

use super::super::fen::square_name;
use super::super::{Color, InputShape, InputView, Inputs, Strength};
use super::rules::{Chess, side};

/// The bucket of each square of a player's king, which plays up the board on its left half: castled, in the
/// middle of the first rank, before its own camp's first rank, and out in the open.
const KING_BUCKETS: [[u8; 4]; 8] = [[0, 0, 1, 1], [2; 4], [3; 4], [3; 4], [3; 4], [3; 4], [3; 4], [3; 4]];

/// Planes of a player.
const KINDS: usize = Piece::NUM;

/// The shipped net. A static: a constant would be copied into each crate that uses it.
static NET: [u8; include_bytes!(env!("LABRYS_EVALFILE")).len()] = *include_bytes!(env!("LABRYS_EVALFILE"));

impl Inputs for Chess {
    const INPUTS_VERSION: u32 = 1;

    const SHIPPED_NET: Option<&'static [u8]> = Some(&NET);

    // On the scale of Stockfish 15.1's `UCI_Elo`, ± 80 (2026-11-26); experiments/search.md has the matches.
    const STRENGTHS: &'static [Strength] = &[
        Strength { elo: 1000, nodes: 100, random: 220 },
        Strength { elo: 1340, nodes: 100, random: 100 },
        Strength { elo: 1600, nodes: 100, random: 50 },
        Strength { elo: 1740, nodes: 100, random: 0 },
        Strength { elo: 1830, nodes: 800, random: 0 },
        Strength { elo: 1940, nodes: 2_600, random: 0 },
        Strength { elo: 2100, nodes: 17_000, random: 0 },
        Strength { elo: 2200, nodes: 68_000, random: 0 },
        Strength { elo: 2500, nodes: 125_000, random: 0 },
    ];

    const BUCKETS: u8 = 4;

    /// White's pieces, then Black's.
    type InputPlanes = [u128; 2 * KINDS];

    fn input_shape(&self) -> InputShape {
        InputShape { files: 8, ranks: 8, inputs: 2 * KINDS * Square::NUM }
    }

    #[inline]
    fn input_planes(&self) -> [u128; 2 * KINDS] {
        std::array::from_fn(|plane| {
            let owner = if plane < KINDS { Color::White } else { Color::Black };
            u128::from(self.board().colored_pieces(side(owner), Piece::ALL[plane % KINDS]).0)
        })
    }

    #[inline]
    fn input_view(&self, player: Color) -> InputView {
        let king = self.board().king(side(player));
        let (file, rank) = (king.file() as usize, king.rank() as usize);
        let rank = if player == Color::White { rank } else { 7 - rank };
        InputView { player, mirrored: file >= 4, bucket: KING_BUCKETS[rank][file.min(7 - file)] }
    }

    fn input_index(_: InputShape, view: InputView, plane: usize, bit: usize) -> Option<usize> {
        let (plane, square) = match view.player {
            Color::White => (plane, bit),
            Color::Black => ((plane + KINDS) % (2 * KINDS), bit ^ 56),
        };
        (bit < Square::NUM).then_some(Square::NUM * plane + (square ^ if view.mirrored { 7 } else { 0 }))
    }

    fn input_name(&self, plane: usize, bit: usize) -> String {
        let letter = ["P", "N", "B", "R", "Q", "K", "p", "n", "b", "r", "q", "k"][plane];
        format!("{letter} {}", square_name(bit % 8, bit / 8))
    }

    #[inline]
    fn material(&self) -> (usize, usize) {
        (self.board().occupied().len() as usize, 32)
    }
}
