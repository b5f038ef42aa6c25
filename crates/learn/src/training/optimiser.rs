//! Optimisers: how parameters follow their gradient.

use std::collections::BTreeMap;

use super::{Gradients, Optimiser, TrainingSettings};
use crate::adam::Adam;
use labrys_core::nets::{NetProblem, Parameters, Tensor};

/// The names under which the state is stored; those of parameters follow the first two.
const MEAN: &str = "optimiser.mean.";
const SQUARE: &str = "optimiser.square.";
const STEPS: &str = "optimiser.steps";

/// What an optimiser knows of a parameter.
#[derive(Clone, Debug, PartialEq)]
struct Memory {
    /// Mean of the gradients: the momentum.
    mean: Vec<f32>,
    /// Mean of their squares.
    square: Vec<f32>,
}

/// The state of an optimiser: empty before the first step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct OptimiserState {
    steps: u32,
    memories: BTreeMap<String, Memory>,
}

impl OptimiserState {
    /// Makes a step with all parameters that have a gradient.
    pub(super) fn step(
        &mut self,
        settings: &TrainingSettings,
        gradients: &Gradients,
        parameters: &mut Parameters,
    ) {
        self.steps += 1;
        let TrainingSettings { optimiser, rate, warmup, momentum, decay, .. } = *settings;
        let rate = rate * (self.steps as f32 / warmup.max(1) as f32).min(1.0);
        let adam = Adam::step(self.steps, momentum.into());
        for (name, gradients) in gradients {
            let zeros = || vec![0.0; gradients.len()];
            let memory = self
                .memories
                .entry(name.clone())
                .or_insert_with(|| Memory { mean: zeros(), square: zeros() });
            let values = parameters.values_mut(name);
            let state = memory.mean.iter_mut().zip(&mut memory.square);
            for ((value, gradient), (mean, square)) in values.iter_mut().zip(gradients).zip(state) {
                let gradient = gradient + 2.0 * decay * *value;
                *value -= rate
                    * match optimiser {
                        Optimiser::Sgd => {
                            *mean = momentum * *mean + gradient;
                            *mean
                        }
                        Optimiser::Adam => adam.direction(gradient, mean, square),
                    };
            }
        }
    }

    /// The state as tensors.
    pub(super) fn tensors(&self) -> BTreeMap<String, Tensor> {
        let row = |values: Vec<f32>| Tensor { shape: vec![values.len()], values };
        // Bits, as not every number of steps is a 32-bit number with a fraction.
        let steps = (STEPS.to_owned(), row(vec![(self.steps >> 16) as f32, (self.steps & 0xFFFF) as f32]));
        let memories = self.memories.iter().flat_map(|(name, Memory { mean, square })| {
            [(MEAN, mean), (SQUARE, square)]
                .map(|(prefix, values)| (format!("{prefix}{name}"), row(values.clone())))
        });
        memories.chain([steps]).collect()
    }

    /// The inverse of [`OptimiserState::tensors`], for these parameters.
    ///
    /// # Errors
    /// [`NetProblem`] names a tensor that is missing, unknown, of the wrong size or not a number.
    pub(super) fn from_tensors(
        parameters: &Parameters,
        mut tensors: BTreeMap<String, Tensor>,
    ) -> Result<OptimiserState, NetProblem> {
        let mut take = |name: String, expected: usize| match tensors.remove(&name) {
            None => Err(NetProblem::Missing { name }),
            Some(Tensor { shape, .. }) if shape != [expected] => {
                Err(NetProblem::Shape { name, found: shape, expected: vec![expected] })
            }
            Some(Tensor { values, .. }) => match values.iter().find(|value| !value.is_finite()) {
                Some(&found) => Err(NetProblem::Value { name, found }),
                None => Ok(values),
            },
        };
        let steps = take(STEPS.to_owned(), 2)?;
        let mut state =
            OptimiserState { steps: (steps[0] as u32) << 16 | steps[1] as u32, ..Self::default() };
        if state.steps > 0 {
            for spec in parameters.config().parameters().into_iter().filter(|spec| spec.is_learned) {
                let mean = take(format!("{MEAN}{}", spec.name), spec.count())?;
                let square = take(format!("{SQUARE}{}", spec.name), spec.count())?;
                state.memories.insert(spec.name, Memory { mean, square });
            }
        }
        match tensors.into_keys().next() {
            Some(name) => Err(NetProblem::Unknown { name }),
            None => Ok(state),
        }
    }
}
