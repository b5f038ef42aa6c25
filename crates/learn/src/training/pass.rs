//! The forward and backward pass of a batch.

use rayon::prelude::*;

use super::dense::Dense;
use super::heads::{HeadGradients, Heads, Loss, Rows};
use super::normalisation::{Moments, sums, total};
use super::{Example, Gradients, TrainingSettings};
use labrys_core::nets::layers::{Boards, KERNEL_SQUARES, Kernel, add_kernel_gradient, relu};
use labrys_core::nets::matrix::padded;
use labrys_core::nets::with_channels_side_by_side;
use labrys_core::nets::{Architecture, Parameters};

/// Positions that a thread computes at once. Sums over a batch are the sums over its parts, added in order.
const PART: usize = 8;

/// The result of the forward and backward pass of a batch.
pub(super) struct BatchResult {
    pub(super) loss: Loss,
    pub(super) gradients: Gradients,
    /// The moments of each batch normalisation.
    pub(super) moments: Vec<Moments>,
}

/// What the backward pass of a convolution needs from its forward pass.
struct Trace {
    /// The normalised values.
    normal: Vec<f32>,
    moments: Moments,
    /// The outputs, after ReLU.
    out: Vec<f32>,
}

/// A convolution with its batch normalisation.
struct Convolution<'a> {
    number: usize,
    /// The number of input channels without padding.
    used: usize,
    /// The number of input channels, including padding.
    inputs: usize,
    weights: &'a [f32],
    /// Factors and terms of the normalisation, including padding.
    scale: Vec<f32>,
    bias: Vec<f32>,
}

/// The sizes of a batch.
#[derive(Clone, Copy)]
struct Sizes {
    boards: Boards,
    batch: usize,
    /// The number of channels, including padding.
    stride: usize,
    channels: usize,
}

impl Sizes {
    /// The number of values of a part with this many channels.
    fn part(self, channels: usize) -> usize {
        self.boards.len(PART, channels)
    }

    /// The number of positions whose values with this many channels are `values`.
    fn positions(self, values: &[f32], channels: usize) -> usize {
        values.len() / self.boards.len(1, channels)
    }

    /// A batch of zeros.
    fn zeros(self, channels: usize) -> Vec<f32> {
        vec![0.0; self.boards.len(self.batch, channels)]
    }

    /// Where the channels of each square of a part start.
    fn squares(self, values: &[f32]) -> Vec<usize> {
        self.boards.squares(self.positions(values, self.stride), self.stride)
    }
}

/// The forward and backward pass of a batch.
pub(super) fn forward_backward(
    parameters: &Parameters,
    settings: &TrainingSettings,
    batch: &[&Example],
    seed: u64,
) -> BatchResult {
    let (config, dropout) = (*parameters.config(), settings.dropout);
    let (shape, channels) = (config.shape, config.channels());
    let sizes = Sizes { boards: Boards::new(shape), batch: batch.len(), stride: padded(channels), channels };
    let planes: Vec<f32> = batch.iter().flat_map(|example| &example.planes).copied().collect();
    let planes = with_channels_side_by_side(&planes, shape, batch.len());

    let convolutions: Vec<_> =
        (0..config.convolutions()).map(|number| Convolution::new(parameters, number, sizes)).collect();
    // The convolution whose outputs are added to those of this one: the skip connection of a block.
    let skip_from = |number: usize| match config.architecture {
        Architecture::Residual { .. } if number > 0 && number.is_multiple_of(2) => Some(number - 2),
        _ => None,
    };
    let mut traces: Vec<Trace> = Vec::new();
    for convolution in &convolutions {
        let x = traces.last().map_or(&planes, |trace| &trace.out);
        let skip = skip_from(convolution.number).map(|number| traces[number].out.as_slice());
        traces.push(convolution.forward(sizes, x, skip));
    }
    let Some(last) = traces.last() else { unreachable!("each architecture has a convolution") };

    let rows = sizes.squares(&last.out);
    let squares: Vec<f32> = rows.iter().flat_map(|&row| &last.out[row..][..sizes.stride]).copied().collect();
    let count = shape.squares();
    let flat = |input| {
        Some(input % sizes.stride).filter(|&c| c < channels).map(|c| c * count + input / sizes.stride)
    };
    let mut dense = Vec::new();
    let (mut inputs, mut used) = (count * sizes.stride, None);
    for (number, units) in config.dense().into_iter().enumerate() {
        let part = |part: &str| parameters.values(&format!("dense.{number}.{part}"));
        let index = |input| match used {
            None => flat(input),
            Some(used) => Some(input).filter(|&input| input < used),
        };
        dense.push(Dense::new(number, (part("weight"), part("bias")), inputs, index));
        (inputs, used) = (padded(units), Some(units));
    }
    let mut hidden = vec![squares];
    for layer in &dense {
        hidden.push(layer.forward(&hidden[layer.number()], dropout, seed));
    }

    let mut gradients = Gradients::new();
    let rows_of = |values, stride| Rows { values, stride };
    let (squares, units) = (rows_of(&hidden[0], sizes.stride), rows_of(&hidden[dense.len()], inputs));
    let HeadGradients { loss, squares: mut by_squares, hidden: mut by_hidden } =
        Heads::new(parameters).loss_and_gradients(settings, batch, squares, units, &mut gradients);
    for layer in dense.iter().rev() {
        let number = layer.number();
        by_hidden = layer.backward(&hidden[number], &hidden[number + 1], by_hidden, dropout, &mut gradients);
    }
    by_squares.iter_mut().zip(&by_hidden).for_each(|(sum, gradient)| *sum += gradient);

    let mut gradient = sizes.zeros(sizes.stride);
    for (row, square) in rows.into_iter().zip(by_squares.chunks_exact(sizes.stride)) {
        gradient[row..][..sizes.stride].copy_from_slice(square);
    }
    // The gradient of a skip connection, until the first convolution of its block is reached.
    let mut skip: Option<Vec<f32>> = None;
    for convolution in convolutions.iter().rev() {
        let number = convolution.number;
        let x = number.checked_sub(1).map_or(&planes, |before| &traces[before].out);
        Convolution::rectify(&traces[number], &mut gradient);
        let next_skip = skip_from(number).map(|_| gradient.clone());
        gradient = convolution.backward(sizes, x, &traces[number], gradient, &mut gradients);
        for (sum, skip) in gradient.iter_mut().zip(skip.iter().flatten()) {
            *sum += skip;
        }
        skip = next_skip;
    }
    BatchResult { loss, gradients, moments: traces.into_iter().map(|trace| trace.moments).collect() }
}

impl<'a> Convolution<'a> {
    /// Convolution `number`.
    fn new(parameters: &'a Parameters, number: usize, sizes: Sizes) -> Convolution<'a> {
        let weights = parameters.values(&format!("convolution.{number}.weight"));
        let used = weights.len() / (sizes.channels * KERNEL_SQUARES);
        let normalisation = |part: &str| {
            let mut values = parameters.values(&format!("normalisation.{number}.{part}")).to_vec();
            values.resize(sizes.stride, 0.0);
            values
        };
        let inputs = if number == 0 { used } else { sizes.stride };
        let (scale, bias) = (normalisation("weight"), normalisation("bias"));
        Convolution { number, used, inputs, weights, scale, bias }
    }

    /// The weight from an input channel to an output channel; 0 for padding.
    fn weight(&self, sizes: Sizes, square: usize, output: usize, input: usize) -> f32 {
        match input < self.used && output < sizes.channels {
            true => self.weights[(output * self.used + input) * KERNEL_SQUARES + square],
            false => 0.0,
        }
    }

    /// Applies the convolution, the normalisation, the skip connection and ReLU.
    fn forward(&self, sizes: Sizes, x: &[f32], skip: Option<&[f32]>) -> Trace {
        let stride = sizes.stride;
        let weight = |square, output, input| self.weight(sizes, square, output, input);
        let kernel = Kernel::new(self.inputs, sizes.channels, weight);
        let mut normal = sizes.zeros(stride);
        let parts = normal.par_chunks_mut(sizes.part(stride)).zip(x.par_chunks(sizes.part(self.inputs)));
        let parts: Vec<_> = parts
            .map(|(out, x)| {
                kernel.add(sizes.boards, sizes.positions(out, stride), x, out, &mut || false);
                sums(stride, &sizes.squares(out), out, out)
            })
            .collect();
        let count = sizes.boards.squares(sizes.batch, stride).len();
        let moments = Moments::new(count, &total(&parts));
        let mut out = skip.map_or_else(|| sizes.zeros(stride), <[f32]>::to_vec);
        let parts = normal.par_chunks_mut(sizes.part(stride)).zip(out.par_chunks_mut(sizes.part(stride)));
        parts.for_each(|(normal, out)| {
            for row in sizes.squares(normal) {
                let (normal, out) = (&mut normal[row..][..stride], &mut out[row..][..stride]);
                moments.normalise(normal);
                let learned = self.scale.iter().zip(&self.bias);
                for ((out, normal), (scale, bias)) in out.iter_mut().zip(normal).zip(learned) {
                    *out += *normal * scale + bias;
                }
            }
            relu(out);
        });
        Trace { normal, moments, out }
    }

    /// The backward pass of ReLU.
    fn rectify(trace: &Trace, gradient: &mut [f32]) {
        for (gradient, out) in gradient.iter_mut().zip(&trace.out) {
            *gradient = if *out > 0.0 { *gradient } else { 0.0 };
        }
    }

    /// The gradient of the inputs from that of the inputs of ReLU; empty for the first convolution, where
    /// nothing uses it. Adds the gradients of the parameters to `gradients`.
    fn backward(
        &self,
        sizes: Sizes,
        x: &[f32],
        trace: &Trace,
        mut gradient: Vec<f32>,
        gradients: &mut Gradients,
    ) -> Vec<f32> {
        let Sizes { boards, batch, stride, channels } = sizes;
        let part = sizes.part(stride);
        let parts: Vec<_> = gradient
            .par_chunks(part)
            .zip(trace.normal.par_chunks(part))
            .map(|(gradient, normal)| sums(stride, &sizes.squares(gradient), gradient, normal))
            .collect();
        let totals = total(&parts).map(|sums| sums.into_iter().map(|sum| sum as f32).collect::<Vec<_>>());
        gradient.par_chunks_mut(part).zip(trace.normal.par_chunks(part)).for_each(|(gradient, normal)| {
            for row in sizes.squares(gradient) {
                let (gradient, normal) = (&mut gradient[row..][..stride], &normal[row..][..stride]);
                trace.moments.gradient(gradient, normal, &self.scale, &totals);
            }
        });
        let [by_bias, by_scale] = totals;
        let mut add = |name: String, values: &[f32]| gradients.insert(name, values.to_vec());
        add(format!("normalisation.{}.weight", self.number), &by_scale[..channels]);
        add(format!("normalisation.{}.bias", self.number), &by_bias[..channels]);

        let mut kernel = vec![0.0; KERNEL_SQUARES * self.inputs * stride];
        kernel.par_chunks_mut(self.inputs * stride).enumerate().for_each(|(square, sums)| {
            for (x, gradient) in x.chunks(sizes.part(self.inputs)).zip(gradient.chunks(part)) {
                let batch = sizes.positions(gradient, stride);
                add_kernel_gradient(boards, batch, square, (x, self.inputs), (gradient, stride), sums);
            }
        });
        let mut by_weight = vec![0.0; self.weights.len()];
        for (index, weight) in by_weight.iter_mut().enumerate() {
            let (square, channel) = (index % KERNEL_SQUARES, index / KERNEL_SQUARES);
            let (output, input) = (channel / self.used, channel % self.used);
            *weight = kernel[(square * self.inputs + input) * stride + output];
        }
        add(format!("convolution.{}.weight", self.number), &by_weight);
        if self.number == 0 {
            return Vec::new();
        }
        // Convolve with the kernel turned by 180°.
        let weight = |square, input, output| self.weight(sizes, KERNEL_SQUARES - 1 - square, output, input);
        let kernel = Kernel::new(stride, self.used, weight);
        let mut before = vec![0.0; boards.len(batch, stride)];
        before.par_chunks_mut(part).zip(gradient.par_chunks(part)).for_each(|(before, gradient)| {
            kernel.add(boards, sizes.positions(gradient, stride), gradient, before, &mut || false);
        });
        before
    }
}
