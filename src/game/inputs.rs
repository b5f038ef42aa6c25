//! The interface between efficiently updatable nets (NNUE) and a game: sparse binary inputs.

use bulletformat::ChessBoard;
use serde::{Deserialize, Serialize};

use super::{Color, Game, Points};

/// The board that inputs belong to, and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputShape {
    /// Files of the board.
    pub files: usize,
    /// Ranks of the board.
    pub ranks: usize,
    /// Inputs of a player.
    pub inputs: usize,
}

/// The board as a player sees it: it plays up the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputView {
    /// The player.
    pub player: Color,
    /// Whether the files are counted from the right.
    pub mirrored: bool,
}

/// The inputs of a game for efficiently updatable nets. By default a game has none, and no such net can play
/// it.
///
/// A position has a number of planes, sets of up to 128 bits that do not depend on who looks at them. A view
/// gives each bit of each plane an index. The inputs of a player are the indices of all bits that are set. So
/// what a move changes follows from the planes before and after it, in all games alike.
pub trait Inputs: Game {
    /// The version of the inputs. A net for another version is refused, so it changes with anything that the
    /// methods below return. 0 where the game has no inputs.
    const INPUTS_VERSION: u32 = 0;

    /// The number of planes.
    const INPUT_PLANES: usize = 0;

    /// The file of the evaluation net that the game is played with by default, if there is one. It stands
    /// back on boards that it is not for.
    const SHIPPED_NET: Option<&'static [u8]> = None;

    /// Whether the mirror image of a position is worth the same and has other inputs: then a training may
    /// mirror positions at random.
    const MIRRORS: bool = false;

    /// The sizes of the inputs on the board of this position.
    fn input_shape(&self) -> InputShape {
        InputShape { files: 0, ranks: 0, inputs: 0 }
    }

    /// A plane, below [`Inputs::INPUT_PLANES`].
    fn input_plane(&self, _plane: usize) -> u128 {
        0
    }

    /// How a player looks at the position.
    #[inline]
    fn input_view(&self, player: Color) -> InputView {
        InputView { player, mirrored: false }
    }

    /// The index of a bit of a plane in a view, below [`InputShape::inputs`]. Of the position it depends on
    /// the board only. A view gives no two bits the same index.
    fn input_index(&self, _view: InputView, _plane: usize, _bit: usize) -> usize {
        0
    }

    /// A bit of a plane in words, such as `P e4`: the square, if it has one, is the last word.
    fn input_name(&self, plane: usize, bit: usize) -> String {
        format!("plane {plane} bit {bit}")
    }

    /// How much there is on the board, and the most that there can be: what is on the board decides on the
    /// output of a net that has several.
    fn material(&self) -> (usize, usize) {
        (0, 0)
    }

    /// The output of a net with `outputs` of them, by [`Inputs::material`].
    #[inline]
    fn output_index(&self, outputs: usize) -> usize {
        if outputs <= 1 {
            return 0;
        }
        let (now, most) = self.material();
        (now * outputs / (most + 1)).min(outputs - 1)
    }

    /// Calls `visit` with the plane and bit of each input.
    #[inline]
    fn each_input(&self, mut visit: impl FnMut(usize, usize)) {
        for plane in 0..Self::INPUT_PLANES {
            each_bit(self.input_plane(plane), |bit| visit(plane, bit));
        }
    }

    /// Calls `visit` with the plane and bit of each input that this position has and `parent` has not, then
    /// true, and of each that only `parent` has, then false.
    #[inline]
    fn each_change(&self, parent: &Self, mut visit: impl FnMut(usize, usize, bool)) {
        for plane in 0..Self::INPUT_PLANES {
            let (before, after) = (parent.input_plane(plane), self.input_plane(plane));
            if before != after {
                each_bit(after & !before, |bit| visit(plane, bit, true));
                each_bit(before & !after, |bit| visit(plane, bit, false));
            }
        }
    }

    /// The position with its score in centipawns and its result, both for the side to move, in the format of
    /// the trainer bullet; `None` if that does not have the game.
    fn to_bullet(&self, _score: i16, _result: Points) -> Option<ChessBoard> {
        None
    }
}

/// Calls `visit` with each bit of a set, the lowest first.
#[inline]
fn each_bit(mut set: u128, mut visit: impl FnMut(usize)) {
    while set != 0 {
        visit(set.trailing_zeros() as usize);
        set &= set - 1;
    }
}
