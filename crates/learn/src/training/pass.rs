//! A batch on its way through a net and back.

use rayon::prelude::*;

use super::dense::Dense;
use super::heads::{Heads, Judged, Loss, Rows};
use super::normalisation::{Moments, sums, total};
use super::{Example, Gradients, TrainingSettings};
use labrys_core::nets::layers::{Boards, KERNEL_SQUARES, Kernel, add_kernel_gradient, relu};
use labrys_core::nets::matrix::padded;
use labrys_core::nets::with_channels_side_by_side;
use labrys_core::nets::{Architecture, Parameters};

/// Positions that a thread computes at once. Sums over a batch are added up from those of its parts.
const PART: usize = 8;

/// What a batch says about a net.
pub(super) struct Passed {
    pub(super) loss: Loss,
    pub(super) gradients: Gradients,
    /// The moments of each batch normalisation.
    pub(super) moments: Vec<Moments>,
}

/// What a convolution leaves behind for the way back.
struct Trace {
    /// The normalised numbers.
    normal: Vec<f32>,
    moments: Moments,
    /// What went out, rectified.
    out: Vec<f32>,
}

/// A convolution with its batch normalisation.
struct Convolution<'a> {
    number: usize,
    /// Channels that come in: those of the parameter, and with the unused ones.
    used: usize,
    inputs: usize,
    weights: &'a [f32],
    /// Factors and terms of the normalisation, with the unused ones.
    scale: Vec<f32>,
    bias: Vec<f32>,
}

/// Sizes of the batch.
#[derive(Clone, Copy)]
struct Sizes {
    boards: Boards,
    batch: usize,
    /// Channels with the unused ones.
    stride: usize,
    channels: usize,
}

impl Sizes {
    /// Numbers of a part with so many channels.
    fn part(self, channels: usize) -> usize {
        self.boards.len(PART, channels)
    }

    /// How many positions numbers with so many channels are.
    fn positions(self, numbers: &[f32], channels: usize) -> usize {
        numbers.len() / self.boards.len(1, channels)
    }

    /// Boards of zeros.
    fn zeros(self, channels: usize) -> Vec<f32> {
        vec![0.0; self.boards.len(self.batch, channels)]
    }

    /// Where the channels of the squares of a part begin.
    fn squares(self, numbers: &[f32]) -> Vec<usize> {
        self.boards.squares(self.positions(numbers, self.stride), self.stride)
    }
}

/// Sends a batch through the net and back.
pub(super) fn forward_and_back(
    parameters: &Parameters,
    settings: &TrainingSettings,
    batch: &[&Example],
    seed: u64,
) -> Passed {
    let (config, dropout) = (*parameters.config(), settings.dropout);
    let (shape, channels) = (config.shape, config.channels());
    let sizes = Sizes { boards: Boards::new(shape), batch: batch.len(), stride: padded(channels), channels };
    let planes: Vec<f32> = batch.iter().flat_map(|example| &example.planes).copied().collect();
    let planes = with_channels_side_by_side(&planes, shape, batch.len());

    let convolutions: Vec<_> =
        (0..config.convolutions()).map(|number| Convolution::new(parameters, number, sizes)).collect();
    // The convolution whose result is added to that of another one: the connection around a block.
    let around = |number: usize| match config.architecture {
        Architecture::Residual { .. } if number > 0 && number.is_multiple_of(2) => Some(number - 2),
        _ => None,
    };
    let mut traces: Vec<Trace> = Vec::new();
    for convolution in &convolutions {
        let x = traces.last().map_or(&planes, |trace| &trace.out);
        let around = around(convolution.number).map(|number| traces[number].out.as_slice());
        traces.push(convolution.forward(sizes, x, around));
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
        let place = |input| match used {
            None => flat(input),
            Some(used) => Some(input).filter(|&input| input < used),
        };
        dense.push(Dense::new(number, (part("weight"), part("bias")), inputs, place));
        (inputs, used) = (padded(units), Some(units));
    }
    let mut hidden = vec![squares];
    for layer in &dense {
        hidden.push(layer.forward(&hidden[layer.number()], dropout, seed));
    }

    let mut gradients = Gradients::new();
    let rows_of = |values, stride| Rows { values, stride };
    let (squares, units) = (rows_of(&hidden[0], sizes.stride), rows_of(&hidden[dense.len()], inputs));
    let Judged { loss, squares: mut by_squares, hidden: mut by_hidden } =
        Heads::new(parameters).judge(settings, batch, squares, units, &mut gradients);
    for layer in dense.iter().rev() {
        let number = layer.number();
        by_hidden = layer.backward(&hidden[number], &hidden[number + 1], by_hidden, dropout, &mut gradients);
    }
    by_squares.iter_mut().zip(&by_hidden).for_each(|(sum, gradient)| *sum += gradient);

    let mut gradient = sizes.zeros(sizes.stride);
    for (row, square) in rows.into_iter().zip(by_squares.chunks_exact(sizes.stride)) {
        gradient[row..][..sizes.stride].copy_from_slice(square);
    }
    // The gradients that go around a block, until its first convolution is reached.
    let mut bypass: Option<Vec<f32>> = None;
    for convolution in convolutions.iter().rev() {
        let number = convolution.number;
        let x = number.checked_sub(1).map_or(&planes, |before| &traces[before].out);
        Convolution::rectify(&traces[number], &mut gradient);
        let next_bypass = around(number).map(|_| gradient.clone());
        gradient = convolution.backward(sizes, x, &traces[number], gradient, &mut gradients);
        for (sum, bypass) in gradient.iter_mut().zip(bypass.iter().flatten()) {
            *sum += bypass;
        }
        bypass = next_bypass;
    }
    Passed { loss, gradients, moments: traces.into_iter().map(|trace| trace.moments).collect() }
}

impl<'a> Convolution<'a> {
    /// The convolution of this number.
    fn new(parameters: &'a Parameters, number: usize, sizes: Sizes) -> Convolution<'a> {
        let weights = parameters.values(&format!("convolution.{number}.weight"));
        let used = weights.len() / (sizes.channels * KERNEL_SQUARES);
        let normalisation = |part: &str| {
            let mut numbers = parameters.values(&format!("normalisation.{number}.{part}")).to_vec();
            numbers.resize(sizes.stride, 0.0);
            numbers
        };
        let inputs = if number == 0 { used } else { sizes.stride };
        let (scale, bias) = (normalisation("weight"), normalisation("bias"));
        Convolution { number, used, inputs, weights, scale, bias }
    }

    /// The weight from a channel to another; 0 for unused ones.
    fn weight(&self, sizes: Sizes, square: usize, output: usize, input: usize) -> f32 {
        match input < self.used && output < sizes.channels {
            true => self.weights[(output * self.used + input) * KERNEL_SQUARES + square],
            false => 0.0,
        }
    }

    /// Applies the convolution, the normalisation and ReLU; `around` is added before ReLU.
    fn forward(&self, sizes: Sizes, x: &[f32], around: Option<&[f32]>) -> Trace {
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
        let mut out = match around {
            Some(around) => around.to_vec(),
            None => sizes.zeros(stride),
        };
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

    /// Makes the gradient of what was rectified of that of what went out.
    fn rectify(trace: &Trace, gradient: &mut [f32]) {
        for (gradient, out) in gradient.iter_mut().zip(&trace.out) {
            *gradient = if *out > 0.0 { *gradient } else { 0.0 };
        }
    }

    /// The gradient of what came in by that of what was rectified; the gradients of the parameters are noted.
    /// There is none of what came into the first convolution: it would not be used.
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
        let mut note = |name: String, values: &[f32]| gradients.insert(name, values.to_vec());
        note(format!("normalisation.{}.weight", self.number), &by_scale[..channels]);
        note(format!("normalisation.{}.bias", self.number), &by_bias[..channels]);

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
        note(format!("convolution.{}.weight", self.number), &by_weight);
        if self.number == 0 {
            return Vec::new();
        }
        // Back through the kernel, seen from the other side.
        let weight = |square, input, output| self.weight(sizes, KERNEL_SQUARES - 1 - square, output, input);
        let kernel = Kernel::new(stride, self.used, weight);
        let mut before = vec![0.0; boards.len(batch, stride)];
        before.par_chunks_mut(part).zip(gradient.par_chunks(part)).for_each(|(before, gradient)| {
            kernel.add(boards, sizes.positions(gradient, stride), gradient, before, &mut || false);
        });
        before
    }
}
