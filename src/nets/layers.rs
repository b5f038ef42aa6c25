//! Layers made ready for use.

use super::Parameters;
use super::matrix::{Matrix, padded};
use crate::game::EncodingShape;

/// What batch normalisation adds to a variance.
const EPSILON: f32 = 1e-5;

/// The side of the kernel of a convolution.
const KERNEL: usize = 3;

/// Boards in memory: each square has its channels side by side, and there is a border of empty squares, so
/// that a convolution needs no special case at the edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boards {
    files: usize,
    ranks: usize,
}

impl Boards {
    pub(super) fn new(shape: EncodingShape) -> Boards {
        Boards { files: shape.files, ranks: shape.ranks }
    }

    /// Squares from one rank to the next.
    fn width(self) -> usize {
        self.files + KERNEL - 1
    }

    /// Numbers of a batch with so many channels.
    pub(super) fn len(self, batch: usize, channels: usize) -> usize {
        batch * self.width() * (self.ranks + KERNEL - 1) * channels
    }

    /// Where the numbers of each square begin, in the order of the squares, board after board. With a
    /// `border` of 0 it is the square before, in file and rank, so that the kernel begins there.
    fn rows(self, batch: usize, channels: usize, border: usize) -> Vec<usize> {
        let row = |board: usize, rank: usize, file: usize| {
            self.len(board, channels) + (self.width() * (rank + border) + file + border) * channels
        };
        (0..batch)
            .flat_map(|board| (0..self.ranks).map(move |rank| (board, rank)))
            .flat_map(|(board, rank)| (0..self.files).map(move |file| row(board, rank, file)))
            .collect()
    }

    /// Where the numbers of each square begin.
    pub(super) fn squares(self, batch: usize, channels: usize) -> Vec<usize> {
        self.rows(batch, channels, KERNEL / 2)
    }
}

/// A convolution with batch normalisation, which is folded into weights and bias.
#[derive(Clone, Debug)]
pub(super) struct Convolution {
    /// Channels that come in, with the unused ones.
    inputs: usize,
    /// One matrix for each square of the kernel, rank by rank.
    kernel: Vec<Matrix>,
    bias: Vec<f32>,
}

impl Convolution {
    /// The convolution of this number. `inputs` are the channels that come in, with the unused ones.
    pub(super) fn new(parameters: &Parameters, number: usize, inputs: usize) -> Convolution {
        let weights = parameters.values(&format!("convolution.{number}.weight"));
        let normalisation = |part: &str| parameters.values(&format!("normalisation.{number}.{part}"));
        let outputs = parameters.config().channels();
        let used = weights.len() / (outputs * KERNEL * KERNEL);
        let scale = |output: usize| {
            normalisation("weight")[output] / (normalisation("running_var")[output] + EPSILON).sqrt()
        };
        let scales: Vec<_> = (0..outputs).map(scale).collect();
        let kernel = (0..KERNEL * KERNEL).map(|square| {
            Matrix::new(inputs, outputs, |output, input| match input < used {
                true => scales[output] * weights[(output * used + input) * KERNEL * KERNEL + square],
                false => 0.0,
            })
        });
        let mut bias = vec![0.0; padded(outputs)];
        for (output, bias) in bias.iter_mut().enumerate().take(outputs) {
            *bias = normalisation("bias")[output] - scales[output] * normalisation("running_mean")[output];
        }
        Convolution { inputs, kernel: kernel.collect(), bias }
    }

    /// Channels that go out, with the unused ones.
    pub(super) fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Applies the convolution and then ReLU. What is in `out` before is added in between if `around` is set:
    /// the connection around a residual block.
    pub(super) fn apply(&self, boards: Boards, batch: usize, x: &[f32], out: &mut [f32], around: bool) {
        let outputs = self.outputs();
        let to = boards.squares(batch, outputs);
        for &row in &to {
            for (sum, bias) in out[row..][..outputs].iter_mut().zip(&self.bias) {
                *sum = if around { *sum + bias } else { *bias };
            }
        }
        let from = boards.rows(batch, self.inputs, 0);
        for (square, matrix) in self.kernel.iter().enumerate() {
            let shift = (boards.width() * (square / KERNEL) + square % KERNEL) * self.inputs;
            matrix.multiply(x, &from, shift, out, &to);
        }
        relu(out);
    }
}

/// A dense layer.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    inputs: usize,
    matrix: Matrix,
    bias: Vec<f32>,
}

impl Dense {
    /// The dense layer of this number. `inputs` are the numbers that come in; `place` gives the index of an
    /// input in the parameter, `None` where it is unused.
    pub(super) fn new(
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

    /// Numbers that go out for each position, with the unused ones.
    pub(super) fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Applies the layer and then ReLU.
    pub(super) fn apply(&self, batch: usize, x: &[f32]) -> Vec<f32> {
        let mut out = self.bias.repeat(batch);
        let rows = |length: usize| (0..batch).map(|position| position * length).collect::<Vec<_>>();
        self.matrix.multiply(x, &rows(self.inputs), 0, &mut out, &rows(self.outputs()));
        relu(&mut out);
        out
    }
}

fn relu(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = value.max(0.0));
}
