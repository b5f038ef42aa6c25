//! The inputs for efficiently updatable nets: own pieces and the opponent's on 64 squares.

use super::super::fen::square_name;
use super::super::{Color, InputShape, InputView, Inputs};
use super::rules::{Neighbours, PIECES};

const SQUARES: usize = 64;

/// The shipped net. A static: a constant would be copied into each crate that uses it.
static NET: [u8; include_bytes!("../../../../../nets/eval/neighbours.safetensors").len()] =
    *include_bytes!("../../../../../nets/eval/neighbours.safetensors");

impl Inputs for Neighbours {
    const INPUTS_VERSION: u32 = 1;

    const SHIPPED_NET: Option<&'static [u8]> = Some(&NET);

    /// White's pieces, then Black's.
    type InputPlanes = [u128; 2];

    const MIRRORS: bool = true;

    fn input_shape(&self) -> InputShape {
        InputShape { files: 8, ranks: 8, inputs: 2 * SQUARES }
    }

    #[inline]
    fn input_planes(&self) -> [u128; 2] {
        Color::BOTH.map(|player| self.of(player).into())
    }

    fn input_index(_: InputShape, view: InputView, plane: usize, bit: usize) -> Option<usize> {
        let (plane, square) = match view.player {
            Color::White => (plane, bit),
            Color::Black => (1 - plane, bit ^ 56),
        };
        (bit < SQUARES).then_some(SQUARES * plane + (square ^ if view.mirrored { 7 } else { 0 }))
    }

    fn input_name(&self, plane: usize, bit: usize) -> String {
        format!("{} {}", ["P", "p"][plane], square_name(bit % 8, bit / 8))
    }

    #[inline]
    fn material(&self) -> (usize, usize) {
        (self.occupied().count_ones() as usize, 2 * PIECES as usize)
    }
}
