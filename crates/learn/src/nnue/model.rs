//! A net in 32-bit floating point: its output, and the gradient of its loss.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::dataset::{Example, logistic};
use labrys_core::eval::nnue::{EvalNet, EvalNetSizes};

/// The number of neurons of a perspective is a multiple of this.
pub const NEURONS: usize = 16;

/// One value for each parameter of a net: the parameters themselves, their gradients, or running means.
#[derive(Clone, Debug, PartialEq)]
pub struct NetValues {
    /// A row for each input, with one value per neuron.
    pub input_weights: Vec<f32>,
    /// One value per neuron.
    pub input_bias: Vec<f32>,
    /// A row for each output: the neurons of the side to move, then those of its opponent.
    pub output_weights: Vec<f32>,
    /// One value per output.
    pub output_bias: Vec<f32>,
}

impl NetValues {
    /// Zeros.
    pub fn zeros(sizes: EvalNetSizes) -> NetValues {
        let EvalNetSizes { hidden, outputs, .. } = sizes;
        NetValues {
            input_weights: vec![0.0; sizes.rows() * hidden],
            input_bias: vec![0.0; hidden],
            output_weights: vec![0.0; 2 * hidden * outputs],
            output_bias: vec![0.0; outputs],
        }
    }

    /// Random initial parameters, for positions with about `active` inputs.
    pub fn random(sizes: EvalNetSizes, active: usize, seed: u64) -> NetValues {
        let mut random = StdRng::seed_from_u64(seed);
        let mut values = NetValues::zeros(sizes);
        let spread = 1.0 / (active.max(1) as f32).sqrt();
        let output_spread = 1.0 / (2.0 * sizes.hidden as f32).sqrt();
        values.input_weights.iter_mut().for_each(|weight| *weight = random.random_range(-spread..spread));
        // Most neurons are active at first.
        values.input_bias.fill(0.25);
        let weights = values.output_weights.iter_mut();
        weights.for_each(|weight| *weight = random.random_range(-output_spread..output_spread));
        values
    }

    /// The parameters of `net`, for a net of the same or larger sizes that computes the same outputs. New
    /// buckets copy the weights of the last one; new neurons start as in [`NetValues::random`], but with output
    /// weights of 0. `None` if the sizes are not compatible.
    pub fn of_net(net: &EvalNet, sizes: EvalNetSizes, active: usize, seed: u64) -> Option<NetValues> {
        let EvalNetSizes { inputs, buckets, hidden, outputs } = net.sizes;
        let is_larger = sizes.buckets >= buckets && sizes.hidden >= hidden;
        if !is_larger || (sizes.inputs, sizes.outputs) != (inputs, outputs) {
            return None;
        }
        let mut values = NetValues::random(sizes, active, seed);
        values.output_weights.fill(0.0);
        let [input_weights, input_bias, output_weights, output_bias] = net.fractions();
        let last = inputs.inputs * hidden * usize::from(buckets - 1);
        let rows =
            input_weights.chunks_exact(hidden).chain(input_weights[last..].chunks_exact(hidden).cycle());
        copy_rows(&mut values.input_weights, sizes.hidden, rows);
        copy_rows(&mut values.input_bias, sizes.hidden, input_bias.chunks_exact(hidden));
        copy_rows(&mut values.output_weights, sizes.hidden, output_weights.chunks_exact(hidden));
        values.output_bias = output_bias;
        Some(values)
    }

    /// Scales the weights of each output down to magnitudes that add up to at most `max`.
    pub fn limit_outputs(&mut self, max: f32) {
        let row = self.output_weights.len() / self.output_bias.len().max(1);
        for weights in self.output_weights.chunks_mut(row.max(1)) {
            let sum: f64 = weights.iter().map(|weight| f64::from(weight.abs())).sum();
            if sum > f64::from(max) {
                let factor = (f64::from(max) / sum) as f32;
                weights.iter_mut().for_each(|weight| *weight *= factor);
            }
        }
    }

    /// The values of each tensor: weights and bias of the inputs, weights and bias of the outputs.
    pub fn parts(&self) -> [&[f32]; 4] {
        [&self.input_weights, &self.input_bias, &self.output_weights, &self.output_bias]
    }

    /// As [`NetValues::parts`], mutable.
    pub fn parts_mut(&mut self) -> [&mut Vec<f32>; 4] {
        [&mut self.input_weights, &mut self.input_bias, &mut self.output_weights, &mut self.output_bias]
    }
}

/// Copies `rows` into the rows of a matrix, which are `width` long and may be longer than them.
fn copy_rows<'a>(matrix: &mut [f32], width: usize, rows: impl Iterator<Item = &'a [f32]>) {
    for (to, row) in matrix.chunks_exact_mut(width).zip(rows) {
        to[..row.len()].copy_from_slice(row);
    }
}

/// Positions whose slopes are buffered before they are added to the gradient: as many as fit the cache.
const PENDING: usize = 256;

/// The forward and backward pass, position by position, with its buffers.
///
/// The gradient of the first layer is summed input by input, over many positions at once, so that sums stay in
/// registers.
#[derive(Clone, Debug)]
pub struct Pass {
    sums: [Vec<f32>; 2],
    /// The slopes of the sums, a row for each perspective of each pending position.
    slopes: Vec<f32>,
    /// Input and row of all pending inputs.
    pending: Vec<(u32, u32)>,
    /// The number of pending rows.
    pending_rows: usize,
    /// Where the rows of each input start in `rows`, and the end of the last.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Pass {
    /// Buffers for a net of these sizes.
    pub fn new(sizes: EvalNetSizes) -> Pass {
        let zeros = vec![0.0; sizes.hidden];
        Pass {
            sums: [zeros.clone(), zeros],
            slopes: vec![0.0; 2 * PENDING * sizes.hidden],
            pending: Vec::new(),
            pending_rows: 0,
            starts: vec![0; sizes.rows() + 1],
            rows: Vec::new(),
        }
    }

    /// The output of the net: the logit of the expected result.
    pub fn output(&mut self, net: &NetValues, example: &Example) -> f32 {
        let hidden = net.input_bias.len();
        for (sums, inputs) in self.sums.iter_mut().zip(&example.inputs) {
            sums.copy_from_slice(&net.input_bias);
            add_rows(&net.input_weights, inputs, sums);
        }
        let weights = &net.output_weights[2 * hidden * example.output..][..2 * hidden];
        let products = self.sums.iter().zip(weights.chunks_exact(hidden));
        net.output_bias[example.output]
            + products.map(|(sums, weights)| activated_dot(sums, weights)).sum::<f32>()
    }

    /// The loss of a position: the squared error of the expected result. Adds its gradient to `gradient`,
    /// where it is complete after [`Pass::finish`].
    pub fn learn(&mut self, net: &NetValues, example: &Example, gradient: &mut NetValues) -> f32 {
        let hidden = net.input_bias.len();
        let expected = logistic(self.output(net, example));
        let error = expected - example.target;
        let slope = 2.0 * error * expected * (1.0 - expected);
        gradient.output_bias[example.output] += slope;
        let range = 2 * hidden * example.output..2 * hidden * (example.output + 1);
        let weights = net.output_weights[range.clone()].chunks_exact(hidden);
        let output_gradient = gradient.output_weights[range].chunks_exact_mut(hidden);
        let halves = self.sums.iter().zip(&example.inputs).zip(weights.zip(output_gradient));
        for ((sums, inputs), (weights, output_gradient)) in halves {
            let row = self.pending_rows;
            let slopes = &mut self.slopes[hidden * row..][..hidden];
            backpropagate(sums, weights, slope, output_gradient, slopes);
            gradient.input_bias.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += *slope);
            self.pending.extend(inputs.iter().map(|&input| (input, row as u32)));
            self.pending_rows += 1;
        }
        if self.pending_rows == 2 * PENDING {
            self.finish(gradient);
        }
        error * error
    }

    /// Adds the pending slopes to the gradient.
    pub fn finish(&mut self, gradient: &mut NetValues) {
        // Sort the rows by input, in their order.
        self.starts.fill(0);
        self.pending.iter().for_each(|&(input, _)| self.starts[input as usize + 1] += 1);
        for input in 1..self.starts.len() {
            self.starts[input] += self.starts[input - 1];
        }
        self.rows.resize(self.pending.len(), 0);
        for &(input, row) in &self.pending {
            let place = &mut self.starts[input as usize];
            self.rows[*place as usize] = row;
            *place += 1;
        }
        // The start of each input is now its end.
        let mut start = 0;
        let sums = gradient.input_weights.chunks_exact_mut(gradient.input_bias.len());
        for (sums, &end) in sums.zip(&self.starts) {
            let rows = &self.rows[start..end as usize];
            start = end as usize;
            if !rows.is_empty() {
                add_rows(&self.slopes, rows, sums);
            }
        }
        self.pending.clear();
        self.pending_rows = 0;
    }
}

/// Adds the given rows of a matrix to `sums`, in panels that stay in registers.
fn add_rows(matrix: &[f32], rows: &[u32], sums: &mut [f32]) {
    match sums.len() % 64 {
        0 => add_panels::<64>(matrix, rows, sums),
        _ => add_panels::<NEURONS>(matrix, rows, sums),
    }
}

fn add_panels<const N: usize>(matrix: &[f32], rows: &[u32], sums: &mut [f32]) {
    let width = sums.len();
    for (first, sums) in (0..).step_by(N).zip(sums.as_chunks_mut::<N>().0) {
        *sums = panel_sums(&matrix[first..], rows, width, sums);
    }
}

/// Never inlined: inlined, the sums may not stay in registers.
#[inline(never)]
fn panel_sums<const N: usize>(matrix: &[f32], rows: &[u32], width: usize, start: &[f32; N]) -> [f32; N] {
    let mut sums = *start;
    for &row in rows {
        if let Some(row) = matrix.get(width * row as usize..).and_then(<[f32]>::first_chunk::<N>) {
            sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
        }
    }
    sums
}

/// The dot product of weights and activations.
fn activated_dot(sums: &[f32], weights: &[f32]) -> f32 {
    let mut totals = [0.0; NEURONS];
    for (sums, weights) in sums.as_chunks::<NEURONS>().0.iter().zip(weights.as_chunks::<NEURONS>().0) {
        for ((total, sum), weight) in totals.iter_mut().zip(sums).zip(weights) {
            let active = sum.clamp(0.0, 1.0);
            *total += active * active * weight;
        }
    }
    totals.iter().sum()
}

/// Adds the gradient of the output weights of a perspective, and computes the slopes of its sums.
fn backpropagate(sums: &[f32], weights: &[f32], slope: f32, output_gradient: &mut [f32], slopes: &mut [f32]) {
    let lists = sums.iter().zip(weights).zip(output_gradient).zip(slopes);
    for (((sum, weight), gradient), of_sum) in lists {
        let active = sum.clamp(0.0, 1.0);
        *gradient += slope * active * active;
        let is_within = *sum > 0.0 && *sum < 1.0;
        *of_sum = if is_within { slope * weight * 2.0 * active } else { 0.0 };
    }
}
