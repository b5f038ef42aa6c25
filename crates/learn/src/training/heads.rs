//! The policy head and the value head of a net, and their losses.

use super::{Example, Gradients, TrainingSettings};
use labrys_core::nets::matrix::{dot, multiply_add};
use labrys_core::nets::{Architecture, NetConfig, Parameters, softmax};

/// The mean loss of a batch, without the weight decay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loss {
    /// The cross entropy `−πᵀ log p`.
    pub policy: f32,
    /// The square `(z − v)²`.
    pub value: f32,
}

impl Loss {
    /// The weighted sum of both losses.
    pub fn total(self, settings: &TrainingSettings) -> f32 {
        self.policy + settings.value_weight * self.value
    }
}

/// The values of a batch, row by row.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) values: &'a [f32],
    /// The length of a row, including padding.
    pub(super) stride: usize,
}

impl<'a> Rows<'a> {
    fn row(self, number: usize) -> &'a [f32] {
        &self.values[number * self.stride..][..self.stride]
    }
}

/// The heads of a net.
pub(super) struct Heads<'a> {
    config: NetConfig,
    policy: &'a [f32],
    policy_bias: &'a [f32],
    value: &'a [f32],
    value_bias: f32,
}

/// The loss of a batch, and the gradients of the inputs of the heads.
pub(super) struct HeadGradients {
    pub(super) loss: Loss,
    /// The gradient of the channels of each square.
    pub(super) squares: Vec<f32>,
    /// The gradient of the units of the last dense layer.
    pub(super) hidden: Vec<f32>,
}

/// Adds a multiple of a list to another.
fn add_multiple(sums: &mut [f32], factor: f32, list: &[f32]) {
    sums.iter_mut().zip(list).for_each(|(sum, value)| *sum = multiply_add(factor, *value, *sum));
}

impl<'a> Heads<'a> {
    pub(super) fn new(parameters: &'a Parameters) -> Heads<'a> {
        Heads {
            config: *parameters.config(),
            policy: parameters.values("policy.weight"),
            policy_bias: parameters.values("policy.bias"),
            value: parameters.values("value.weight"),
            value_bias: parameters.values("value.bias")[0],
        }
    }

    /// The inputs of the logit of a position at a policy index: the row of the policy weights, whether the
    /// inputs are the channels of a square, and the row of the inputs.
    fn source(&self, position: usize, index: usize) -> (usize, bool, usize) {
        let squares = self.config.shape.squares();
        match self.config.architecture {
            Architecture::Paper { .. } => (index, false, position),
            Architecture::Residual { .. } => (index / squares, true, position * squares + index % squares),
        }
    }

    /// The mean loss of a batch and its gradients. `squares` are the channels of each square, `hidden` the
    /// units of the last dense layer.
    pub(super) fn loss_and_gradients(
        &self,
        settings: &TrainingSettings,
        batch: &[&Example],
        squares: Rows,
        hidden: Rows,
        gradients: &mut Gradients,
    ) -> HeadGradients {
        let inputs = self.policy.len() / self.policy_bias.len();
        let mut by_policy = vec![0.0; self.policy.len()];
        let mut by_policy_bias = vec![0.0; self.policy_bias.len()];
        let (mut by_value, mut by_value_bias) = (vec![0.0; self.value.len()], 0.0);
        let mut result = HeadGradients {
            loss: Loss::default(),
            squares: vec![0.0; squares.values.len()],
            hidden: vec![0.0; hidden.values.len()],
        };
        let share = 1.0 / batch.len() as f32;
        for (position, example) in batch.iter().enumerate() {
            let units = &hidden.row(position)[..self.value.len()];
            let value = (dot(self.value, units) + self.value_bias).tanh();
            let error = value - example.value;
            result.loss.value += share * error * error;
            let slope = share * settings.value_weight * 2.0 * error * (1.0 - value * value);
            add_multiple(&mut by_value, slope, units);
            by_value_bias += slope;
            add_multiple(
                &mut result.hidden[position * hidden.stride..][..self.value.len()],
                slope,
                self.value,
            );

            let logit = |&index: &u32| {
                let (row, is_square, number) = self.source(position, index as usize);
                let x = if is_square { squares.row(number) } else { hidden.row(position) };
                dot(&self.policy[row * inputs..][..inputs], &x[..inputs]) + self.policy_bias[row]
            };
            let logits: Vec<f32> = example.moves().map(|indices| indices.iter().map(logit).sum()).collect();
            let mut priors = logits.clone();
            softmax(&mut priors);
            result.loss.policy += share * cross_entropy(&logits, &example.policy);
            for ((indices, prior), target) in example.moves().zip(priors).zip(&example.policy) {
                let slope = share * (prior - target);
                for &index in indices {
                    let (row, is_square, number) = self.source(position, index as usize);
                    let (x, to, stride) = match is_square {
                        true => (squares.row(number), &mut result.squares, squares.stride),
                        false => (hidden.row(number), &mut result.hidden, hidden.stride),
                    };
                    let weights = row * inputs..(row + 1) * inputs;
                    add_multiple(&mut by_policy[weights.clone()], slope, &x[..inputs]);
                    add_multiple(&mut to[number * stride..][..inputs], slope, &self.policy[weights]);
                    by_policy_bias[row] += slope;
                }
            }
        }
        gradients.insert("policy.weight".to_owned(), by_policy);
        gradients.insert("policy.bias".to_owned(), by_policy_bias);
        gradients.insert("value.weight".to_owned(), by_value);
        gradients.insert("value.bias".to_owned(), vec![by_value_bias]);
        result
    }
}

/// `−πᵀ log softmax(logits)`.
fn cross_entropy(logits: &[f32], policy: &[f32]) -> f32 {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let log_sum = max + logits.iter().map(|logit| (logit - max).exp()).sum::<f32>().ln();
    logits.iter().zip(policy).map(|(logit, target)| target * (log_sum - logit)).sum()
}
