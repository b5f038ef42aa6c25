//! The optimisers: SGD with momentum, and Adam.

use std::collections::BTreeMap;

use super::{Gradients, Optimiser, TrainingSettings};
use crate::adam::Adam;
use labrys_core::nets::{NetProblem, Parameters, Tensor};

/// The names of the stored tensors. The first two are prefixes of the names of parameters.
const MEAN: &str = "optimiser.mean.";
const SQUARE: &str = "optimiser.square.";
const STEPS: &str = "optimiser.steps";

/// The state of the optimiser for one parameter.
#[derive(Clone, Debug, PartialEq)]
struct ParameterState {
    /// Running mean of the gradients: the momentum.
    mean: Vec<f32>,
    /// Running mean of their squares.
    square: Vec<f32>,
}

/// The state of an optimiser; empty before the first step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct OptimiserState {
    steps: u32,
    parameters: BTreeMap<String, ParameterState>,
}

impl OptimiserState {
    /// Updates all parameters that have a gradient.
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
            let state = self
                .parameters
                .entry(name.clone())
                .or_insert_with(|| ParameterState { mean: zeros(), square: zeros() });
            let values = parameters.values_mut(name);
            let means = state.mean.iter_mut().zip(&mut state.square);
            for ((value, gradient), (mean, square)) in values.iter_mut().zip(gradients).zip(means) {
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
        // In two halves, since f32 cannot represent every 32-bit integer.
        let steps = (STEPS.to_owned(), row(vec![(self.steps >> 16) as f32, (self.steps & 0xFFFF) as f32]));
        let parameters = self.parameters.iter().flat_map(|(name, ParameterState { mean, square })| {
            [(MEAN, mean), (SQUARE, square)]
                .map(|(prefix, values)| (format!("{prefix}{name}"), row(values.clone())))
        });
        parameters.chain([steps]).collect()
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
                state.parameters.insert(spec.name, ParameterState { mean, square });
            }
        }
        match tensors.into_keys().next() {
            Some(name) => Err(NetProblem::Unknown { name }),
            None => Ok(state),
        }
    }
}
