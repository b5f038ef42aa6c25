//! AdamW (Loshchilov & Hutter 2019): Adam with weights that decay by themselves.

use rayon::prelude::*;

use super::model::Numbers;
use crate::adam::{Adam, MOMENTUM};

/// Parameters that are updated together.
const CHUNK: usize = 4_096;

/// The state of the optimiser.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// Steps that have been made.
    pub steps: u32,
    /// Means of the gradients.
    pub mean: Numbers,
    /// Means of their squares.
    pub square: Numbers,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The learning rate.
    pub rate: f32,
    /// The share of a weight that decays, times the learning rate. Biases do not decay.
    pub decay: f32,
    /// What the sum of the gradients is multiplied with: 1 / positions.
    pub share: f32,
    /// The greatest magnitudes of the weights and biases of inputs, and of the weights of outputs, which are
    /// those of 16-bit integers.
    pub most: (f32, f32),
}

impl AdamW {
    /// Makes a step with gradients that are the sums of `gradients`, added up in their order.
    pub fn step(&mut self, step: Step, gradients: &[&Numbers], net: &mut Numbers) {
        self.steps = self.steps.saturating_add(1);
        let adam = Adam::step(self.steps, MOMENTUM);
        let limits = [step.most.0, step.most.0, step.most.1, f32::INFINITY];
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
                    let towards = adam.direction(gradient, mean, square);
                    *value = (*value * (1.0 - decay) - step.rate * towards).clamp(-limit, limit);
                }
            });
        }
    }
}
