//! The layers of inference.

use super::Parameters;
use super::matrix::{Matrix, add_outer_products, padded};
use crate::game::EncodingShape;

/// The ε of batch normalisation.
pub const EPSILON: f32 = 1e-5;

/// The side of the kernel of a convolution.
const KERNEL: usize = 3;

/// The squares of the kernel of a convolution.
pub const KERNEL_SQUARES: usize = KERNEL * KERNEL;

/// Boards in memory: each square has its channels side by side, and there is a border of empty squares, so
/// that a convolution needs no special case at the edge.
#[derive(Clone, Copy, Debug)]
pub struct Boards {
    files: usize,
    ranks: usize,
}

impl Boards {
    /// Boards of the planes of an encoding.
    pub fn new(shape: EncodingShape) -> Boards {
        Boards { files: shape.files, ranks: shape.ranks }
    }

    /// Squares from one rank to the next.
    fn width(self) -> usize {
        self.files + KERNEL - 1
    }

    /// Numbers of a batch with this many channels.
    pub fn len(self, batch: usize, channels: usize) -> usize {
        batch * self.width() * (self.ranks + KERNEL - 1) * channels
    }

    /// Where the numbers of each square begin, in the order of the squares, board after board. With a
    /// `border` of 0 it is the square before, in file and rank, so that the kernel begins there.
    fn rows(self, batch: usize, channels: usize, border: usize) -> Vec<usize> {
        let mut rows = Vec::with_capacity(batch * self.files * self.ranks);
        for board in 0..batch {
            for rank in 0..self.ranks {
                let first = self.len(board, channels) + (self.width() * (rank + border) + border) * channels;
                rows.extend((0..self.files).map(|file| first + file * channels));
            }
        }
        rows
    }

    /// How far a square of the kernel is behind its first one.
    fn shift(self, square: usize, channels: usize) -> usize {
        (self.width() * (square / KERNEL) + square % KERNEL) * channels
    }

    /// Where the numbers of each square begin.
    pub fn squares(self, batch: usize, channels: usize) -> Vec<usize> {
        self.rows(batch, channels, KERNEL / 2)
    }
}

/// The weights of a convolution.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Input channels, with the unused ones.
    inputs: usize,
    /// Output channels, with the unused ones.
    outputs: usize,
    /// One matrix for each square, rank by rank.
    squares: Vec<Matrix>,
}

impl Kernel {
    /// The kernel with `number(square, output, input)`.
    pub fn new(inputs: usize, outputs: usize, number: impl Fn(usize, usize, usize) -> f32) -> Kernel {
        let square = |square| Matrix::new(inputs, outputs, |output, input| number(square, output, input));
        Kernel { inputs, outputs: padded(outputs), squares: (0..KERNEL_SQUARES).map(square).collect() }
    }

    /// Adds the convolution of `x` to `sums`; `None` once it is over, as in [`Matrix::multiply`].
    pub fn add(
        &self,
        boards: Boards,
        batch: usize,
        x: &[f32],
        sums: &mut [f32],
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let (from, to) = (boards.rows(batch, self.inputs, 0), boards.squares(batch, self.outputs));
        for (square, matrix) in self.squares.iter().enumerate() {
            matrix.multiply(x, &from, boards.shift(square, self.inputs), sums, &to, is_over)?;
        }
        Some(())
    }
}

/// Adds the gradient of a square of a kernel to `gradient`, input by input with `outputs` numbers each. `x`
/// is the input with its channels; `out` is the gradient of the output.
pub fn add_kernel_gradient(
    boards: Boards,
    batch: usize,
    square: usize,
    (x, inputs): (&[f32], usize),
    (out, outputs): (&[f32], usize),
    gradient: &mut [f32],
) {
    let (from, to) = (boards.rows(batch, inputs, 0), boards.squares(batch, outputs));
    add_outer_products(x, &from, boards.shift(square, inputs), out, &to, inputs, gradient);
}

/// A convolution with batch normalisation, which is folded into weights and bias.
#[derive(Clone, Debug)]
pub struct Convolution {
    kernel: Kernel,
    bias: Vec<f32>,
}

impl Convolution {
    /// The convolution of this number. `inputs` are the input channels, with the unused ones.
    pub fn new(parameters: &Parameters, number: usize, inputs: usize) -> Convolution {
        let weights = parameters.values(&format!("convolution.{number}.weight"));
        let normalisation = |part: &str| parameters.values(&format!("normalisation.{number}.{part}"));
        let outputs = parameters.config().channels();
        let used = weights.len() / (outputs * KERNEL_SQUARES);
        let scale = |output: usize| {
            normalisation("weight")[output] / (normalisation("running_var")[output] + EPSILON).sqrt()
        };
        let scales: Vec<_> = (0..outputs).map(scale).collect();
        let kernel = Kernel::new(inputs, outputs, |square, output, input| match input < used {
            true => scales[output] * weights[(output * used + input) * KERNEL_SQUARES + square],
            false => 0.0,
        });
        let mut bias = vec![0.0; padded(outputs)];
        for (output, bias) in bias.iter_mut().enumerate().take(outputs) {
            *bias = normalisation("bias")[output] - scales[output] * normalisation("running_mean")[output];
        }
        Convolution { kernel, bias }
    }

    /// Output channels, with the unused ones.
    pub fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Applies the convolution and then ReLU. With `around`, the old content of `out` is added before ReLU:
    /// the skip connection of a residual block. `None` once it is over, as in [`Matrix::multiply`].
    pub fn apply(
        &self,
        boards: Boards,
        batch: usize,
        x: &[f32],
        out: &mut [f32],
        around: bool,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let outputs = self.outputs();
        for row in boards.squares(batch, outputs) {
            for (sum, bias) in out[row..][..outputs].iter_mut().zip(&self.bias) {
                *sum = if around { *sum + bias } else { *bias };
            }
        }
        self.kernel.add(boards, batch, x, out, is_over)?;
        relu(out);
        Some(())
    }
}

/// A dense layer.
#[derive(Clone, Debug)]
pub struct Dense {
    inputs: usize,
    matrix: Matrix,
    bias: Vec<f32>,
}

impl Dense {
    /// The dense layer of this number. `inputs` are the inputs; `place` gives the index of an input in the
    /// parameter, `None` where it is unused.
    pub fn new(
        parameters: &Parameters,
        number: usize,
        inputs: usize,
        place: impl Fn(usize) -> Option<usize>,
    ) -> Dense {
        let weights = parameters.values(&format!("dense.{number}.weight"));
        let mut bias = parameters.values(&format!("dense.{number}.bias")).to_vec();
        let outputs = bias.len();
        let used = weights.len() / outputs;
        let places: Vec<_> = (0..inputs).map(place).collect();
        let matrix = Matrix::new(inputs, outputs, |output, input| {
            places[input].map_or(0.0, |place| weights[output * used + place])
        });
        bias.resize(padded(outputs), 0.0);
        Dense { inputs, matrix, bias }
    }

    /// Outputs for each position, with the unused ones.
    pub fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Applies the layer and then ReLU; `None` once it is over, as in [`Matrix::multiply`].
    pub fn apply(&self, batch: usize, x: &[f32], is_over: &mut dyn FnMut() -> bool) -> Option<Vec<f32>> {
        let mut out = self.bias.repeat(batch);
        let rows = |length: usize| (0..batch).map(|position| position * length).collect::<Vec<_>>();
        self.matrix.multiply(x, &rows(self.inputs), 0, &mut out, &rows(self.outputs()), is_over)?;
        relu(&mut out);
        Some(out)
    }
}

/// Rectifies numbers: negative ones become 0.
pub fn relu(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = value.max(0.0));
}
