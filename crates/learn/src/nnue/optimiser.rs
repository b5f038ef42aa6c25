//! AdamW (Loshchilov & Hutter 2019): Adam with decoupled weight decay.

use rayon::prelude::*;

use super::model::NetValues;
use crate::adam::{Adam, BETA1};

/// Parameters that are updated together.
const CHUNK: usize = 4_096;

/// The state of the optimiser.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// Steps so far.
    pub steps: u32,
    /// Running means of the gradients.
    pub mean: NetValues,
    /// Running means of their squares.
    pub square: NetValues,
}

/// The constants of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The learning rate.
    pub rate: f32,
    /// Weight decay, relative to the learning rate. Biases do not decay.
    pub decay: f32,
    /// The factor of the summed gradients: 1 / positions.
    pub share: f32,
    /// The largest magnitudes of input weights and biases, and of output weights, that the quantised net can
    /// store.
    pub max_weights: (f32, f32),
    /// The largest sum of the magnitudes of the weights of an output.
    pub max_output_sum: f32,
}

impl AdamW {
    /// Makes a step with the sum of `gradients`, added in order.
    pub fn step(&mut self, step: Step, gradients: &[&NetValues], net: &mut NetValues) {
        self.steps = self.steps.saturating_add(1);
        let adam = Adam::step(self.steps, BETA1);
        let (input, output) = step.max_weights;
        let limits = [input, input, output, f32::INFINITY];
        let decays = [step.decay, 0.0, step.decay, 0.0];
        let parts = net.parts_mut().into_iter().zip(self.mean.parts_mut()).zip(self.square.parts_mut());
        for (part, ((values, mean), square)) in parts.enumerate() {
            let (limit, decay) = (limits[part], decays[part] * step.rate);
            let chunks = values.par_chunks_mut(CHUNK).zip(mean.par_chunks_mut(CHUNK));
            let chunks = chunks.zip(square.par_chunks_mut(CHUNK)).enumerate();
            chunks.for_each(|(number, ((values, mean), square))| {
                let mut sums = [0.0; CHUNK];
                let sums = &mut sums[..values.len()];
                for gradient in gradients {
                    let gradient = &gradient.parts()[part][CHUNK * number..][..sums.len()];
                    sums.iter_mut().zip(gradient).for_each(|(sum, gradient)| *sum += gradient);
                }
                let state = mean.iter_mut().zip(square);
                for ((value, sum), (mean, square)) in values.iter_mut().zip(sums).zip(state) {
                    let gradient = *sum * step.share;
                    let direction = adam.direction(gradient, mean, square);
                    *value = (*value * (1.0 - decay) - step.rate * direction).clamp(-limit, limit);
                }
            });
        }
        net.limit_outputs(step.max_output_sum);
    }
}
