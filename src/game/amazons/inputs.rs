//! The inputs for efficiently updatable nets: own amazons, the opponent's and arrows on the squares of the
//! board, whose size they depend on.

use super::super::fen::square_name;
use super::super::{Color, InputShape, InputView, Inputs};
use super::board::MAX_SIZE;
use super::rules::Amazons;

/// The plane of the arrows, behind those of White's and Black's amazons.
const ARROWS: usize = 2;

impl Inputs for Amazons {
    const INPUTS_VERSION: u32 = 1;

    /// White's amazons, Black's amazons, arrows.
    const INPUT_PLANES: usize = 3;

    const MIRRORS: bool = true;

    fn input_shape(&self) -> InputShape {
        let (files, ranks) = self.size();
        InputShape { files, ranks, inputs: Self::INPUT_PLANES * files * ranks }
    }

    #[inline]
    fn input_plane(&self, plane: usize) -> u128 {
        match plane {
            ARROWS => self.arrows(),
            player => self.of(Color::BOTH[player]),
        }
    }

    #[inline]
    fn input_index(&self, view: InputView, plane: usize, bit: usize) -> usize {
        let (files, ranks) = self.size();
        let (file, rank) = (bit % MAX_SIZE, bit / MAX_SIZE);
        let file = if view.mirrored { files - 1 - file } else { file };
        let (plane, rank) = match view.player {
            Color::White => (plane, rank),
            Color::Black => (if plane == ARROWS { ARROWS } else { 1 - plane }, ranks - 1 - rank),
        };
        (plane * ranks + rank) * files + file
    }

    fn input_name(&self, plane: usize, bit: usize) -> String {
        format!("{} {}", ["Q", "q", "*"][plane], square_name(bit % MAX_SIZE, bit / MAX_SIZE))
    }

    /// The empty squares: arrows only become more.
    #[inline]
    fn material(&self) -> (usize, usize) {
        let (files, ranks) = self.size();
        (self.empty().count_ones() as usize, files * ranks)
    }
}
