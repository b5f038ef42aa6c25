//! Dense layers on their way forward and back.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use super::Gradients;
use labrys_core::game::mixed;
use labrys_core::nets::matrix::{Matrix, add_outer_products, padded};

/// Inputs whose gradient is computed together.
const INPUTS_AT_ONCE: usize = 256;

/// A dense layer that learns.
pub(super) struct Dense<'a> {
    number: usize,
    /// Numbers that come in, with the unused ones.
    inputs: usize,
    /// Inputs that are used.
    used: usize,
    weights: &'a [f32],
    bias: &'a [f32],
    /// The place of each input in the parameter, `None` where it is unused.
    places: Vec<Option<usize>>,
}

/// Where the rows of a batch begin.
fn rows(batch: usize, length: usize) -> Vec<usize> {
    (0..batch).map(|position| position * length).collect()
}

impl<'a> Dense<'a> {
    /// The layer of this number, with its weights and biases. `place` gives the index of each of the `inputs`
    /// in the parameter, `None` where it is unused.
    pub(super) fn new(
        number: usize,
        (weights, bias): (&'a [f32], &'a [f32]),
        inputs: usize,
        place: impl Fn(usize) -> Option<usize>,
    ) -> Dense<'a> {
        let used = weights.len() / bias.len();
        Dense { number, inputs, used, weights, bias, places: (0..inputs).map(place).collect() }
    }

    /// Its number.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    fn weight(&self, output: usize, input: usize) -> f32 {
        self.places[input].map_or(0.0, |place| self.weights[output * self.used + place])
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

    /// The gradient of what came in by that of what went out; the gradients of the parameters are noted.
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
        weights.par_chunks_mut(INPUTS_AT_ONCE * outputs).enumerate().for_each(|(number, sums)| {
            let inputs = sums.len() / outputs;
            add_outer_products(x, &from, INPUTS_AT_ONCE * number, &gradient, &to, inputs, sums);
        });
        let mut by_weight = vec![0.0; self.weights.len()];
        for (place, sums) in self.places.iter().zip(weights.chunks_exact(outputs)) {
            for (unit, sum) in sums[..units].iter().enumerate().filter(|_| place.is_some()) {
                by_weight[unit * self.used + place.unwrap_or_default()] = *sum;
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

/// Adds the products of a batch of rows and a matrix.
fn multiply(matrix: &Matrix, x: &[f32], inputs: usize, out: &mut [f32], outputs: usize) {
    const ROWS: usize = 32;
    out.par_chunks_mut(ROWS * outputs).zip(x.par_chunks(ROWS * inputs)).for_each(|(out, x)| {
        let batch = x.len() / inputs;
        matrix.multiply(x, &rows(batch, inputs), 0, out, &rows(batch, outputs), &mut || false);
    });
}
