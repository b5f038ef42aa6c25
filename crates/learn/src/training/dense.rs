//! The forward and backward pass of dense layers.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use super::Gradients;
use labrys_core::game::mixed;
use labrys_core::nets::matrix::{Matrix, add_outer_products, padded};

/// Inputs whose gradient is computed together.
const INPUT_CHUNK: usize = 256;

/// A dense layer in training.
pub(super) struct Dense<'a> {
    number: usize,
    /// The number of inputs, including padding.
    inputs: usize,
    /// The number of inputs without padding.
    used: usize,
    weights: &'a [f32],
    bias: &'a [f32],
    /// The index of each input in the parameter, `None` for padding.
    indices: Vec<Option<usize>>,
}

/// Where the rows of a batch start.
fn rows(batch: usize, length: usize) -> Vec<usize> {
    (0..batch).map(|position| position * length).collect()
}

impl<'a> Dense<'a> {
    /// Layer `number`, with its weights and biases. `index` maps each of the `inputs` to its index in the
    /// parameter, `None` for padding.
    pub(super) fn new(
        number: usize,
        (weights, bias): (&'a [f32], &'a [f32]),
        inputs: usize,
        index: impl Fn(usize) -> Option<usize>,
    ) -> Dense<'a> {
        let used = weights.len() / bias.len();
        Dense { number, inputs, used, weights, bias, indices: (0..inputs).map(index).collect() }
    }

    /// Its number.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    fn weight(&self, output: usize, input: usize) -> f32 {
        self.indices[input].map_or(0.0, |index| self.weights[output * self.used + index])
    }

    /// Applies the layer, ReLU and dropout to a batch.
    pub(super) fn forward(&self, x: &[f32], dropout: f32, seed: u64) -> Vec<f32> {
        let (units, batch) = (self.bias.len(), x.len() / self.inputs);
        let outputs = padded(units);
        let mut bias = self.bias.to_vec();
        bias.resize(outputs, 0.0);
        let mut out = bias.repeat(batch);
        let matrix = Matrix::new(self.inputs, units, |output, input| self.weight(output, input));
        multiply(&matrix, x, self.inputs, &mut out, outputs);
        let mut random = StdRng::seed_from_u64(mixed(seed ^ self.number as u64));
        for value in &mut out {
            let is_kept = dropout == 0.0 || random.random::<f32>() >= dropout;
            *value = if is_kept { value.max(0.0) / (1.0 - dropout) } else { 0.0 };
        }
        out
    }

    /// The gradient of the inputs from that of the outputs. Adds the gradients of the parameters to
    /// `gradients`.
    pub(super) fn backward(
        &self,
        x: &[f32],
        out: &[f32],
        mut gradient: Vec<f32>,
        dropout: f32,
        gradients: &mut Gradients,
    ) -> Vec<f32> {
        let (units, batch) = (self.bias.len(), x.len() / self.inputs);
        let outputs = padded(units);
        for (gradient, out) in gradient.iter_mut().zip(out) {
            *gradient = if *out > 0.0 { *gradient / (1.0 - dropout) } else { 0.0 };
        }
        let mut weights = vec![0.0; self.inputs * outputs];
        let (from, to) = (rows(batch, self.inputs), rows(batch, outputs));
        weights.par_chunks_mut(INPUT_CHUNK * outputs).enumerate().for_each(|(number, sums)| {
            let inputs = sums.len() / outputs;
            add_outer_products(x, &from, INPUT_CHUNK * number, &gradient, &to, inputs, sums);
        });
        let mut by_weight = vec![0.0; self.weights.len()];
        for (index, sums) in self.indices.iter().zip(weights.chunks_exact(outputs)) {
            let Some(index) = index else { continue };
            for (unit, sum) in sums[..units].iter().enumerate() {
                by_weight[unit * self.used + index] = *sum;
            }
        }
        let mut by_bias = vec![0.0; units];
        for gradient in gradient.chunks_exact(outputs) {
            by_bias.iter_mut().zip(gradient).for_each(|(sum, gradient)| *sum += gradient);
        }
        gradients.insert(format!("dense.{}.weight", self.number), by_weight);
        gradients.insert(format!("dense.{}.bias", self.number), by_bias);
        let transposed =
            Matrix::new(
                outputs,
                self.inputs,
                |input, unit| if unit < units { self.weight(unit, input) } else { 0.0 },
            );
        let mut before = vec![0.0; batch * self.inputs];
        multiply(&transposed, &gradient, outputs, &mut before, self.inputs);
        before
    }
}

/// Adds the product of each row of a batch with a matrix.
fn multiply(matrix: &Matrix, x: &[f32], inputs: usize, out: &mut [f32], outputs: usize) {
    const ROWS: usize = 32;
    out.par_chunks_mut(ROWS * outputs).zip(x.par_chunks(ROWS * inputs)).for_each(|(out, x)| {
        let batch = x.len() / inputs;
        matrix.multiply(x, &rows(batch, inputs), 0, out, &rows(batch, outputs), &mut || false);
    });
}
