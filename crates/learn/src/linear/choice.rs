//! Conditional logit (D. McFadden, "Conditional logit analysis of qualitative choice behavior", 1974): weights
//! under which the best of several alternatives is the most likely to be chosen.
//!
//! An alternative is chosen with a probability proportional to `exp(w·φ)`. Adam minimizes the mean cross entropy
//! over all choices at once. Choices come in groups that have much in common, such as the nodes of one search;
//! every tenth group is held out.

use crate::adam::{Adam, BETA1};

/// One group in this many is held out.
const HELD_OUT: usize = 10;

/// Learning rate, in units of a weight.
const RATE: f64 = 0.02;

/// Strength of the L2 regularization: features that decide every choice would have infinite weights.
const L2: f64 = 1e-4;

/// Alternatives with `N` features each, of which one or more are the best.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<const N: usize> {
    /// The group.
    pub group: usize,
    /// The features of the alternatives.
    pub alternatives: Vec<[f64; N]>,
    /// The indices of the best ones.
    pub best: Vec<usize>,
}

/// The result of a regression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChoiceFit<const N: usize> {
    /// The weights.
    pub weights: [f64; N],
    /// Choices from which they were learned, and those held out. Others have no worse alternative.
    pub choices: [usize; 2],
    /// Mean cross entropy of the held-out choices, in nats.
    pub error: f64,
    /// The same where all alternatives are equally likely.
    pub baseline: f64,
}

impl<const N: usize> Choice<N> {
    /// Whether there is something to choose.
    fn is_open(&self) -> bool {
        !self.best.is_empty() && self.best.len() < self.alternatives.len()
    }

    /// The probability of each alternative.
    fn probabilities(&self, weights: &[f64; N]) -> Vec<f64> {
        let values: Vec<f64> = self.alternatives.iter().map(|features| dot(weights, features)).collect();
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = values.iter().map(|value| (value - most).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.iter().map(|power| power / sum).collect()
    }

    /// The cross entropy of a choice among the best, in nats.
    fn error(&self, weights: &[f64; N]) -> f64 {
        let probabilities = self.probabilities(weights);
        -self.best.iter().map(|&index| probabilities[index]).sum::<f64>().max(1e-12).ln()
    }

    /// Adds the gradient of the error.
    fn add_gradient(&self, weights: &[f64; N], gradient: &mut [f64; N]) {
        let probabilities = self.probabilities(weights);
        let best: f64 = self.best.iter().map(|&index| probabilities[index]).sum::<f64>().max(1e-12);
        for (index, (features, probability)) in self.alternatives.iter().zip(&probabilities).enumerate() {
            let target = if self.best.contains(&index) { probability / best } else { 0.0 };
            for (slope, feature) in gradient.iter_mut().zip(features) {
                *slope += (probability - target) * feature;
            }
        }
    }
}

fn dot<const N: usize>(weights: &[f64; N], features: &[f64; N]) -> f64 {
    weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
}

/// Fits weights to choices in a number of steps, each at least as large as in `least`. `None` if there are too
/// few choices with a worse alternative, or none is held out.
pub fn fit<const N: usize>(choices: &[Choice<N>], least: &[f64; N], steps: u32) -> Option<ChoiceFit<N>> {
    let open = choices.iter().filter(|choice| choice.is_open());
    let (held_out, training): (Vec<_>, Vec<_>) = open.partition(|choice| choice.group % HELD_OUT == 0);
    if training.is_empty() || held_out.is_empty() {
        return None;
    }
    let mean = |weights: &[f64; N]| {
        held_out.iter().map(|choice| choice.error(weights)).sum::<f64>() / held_out.len() as f64
    };
    let (mut weights, mut means, mut squares) = ([0.0; N], [0.0; N], [0.0; N]);
    for number in 1..=steps {
        let mut gradient = [0.0; N];
        training.iter().for_each(|choice| choice.add_gradient(&weights, &mut gradient));
        let adam = Adam::step(number, BETA1);
        for (index, weight) in weights.iter_mut().enumerate() {
            let slope = gradient[index] / training.len() as f64 + L2 * *weight;
            *weight -= RATE * adam.direction(slope, &mut means[index], &mut squares[index]);
            *weight = weight.max(least[index]);
        }
    }
    let choices = [training.len(), held_out.len()];
    Some(ChoiceFit { weights, choices, error: mean(&weights), baseline: mean(&[0.0; N]) })
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// No bound.
    const ANY: [f64; 3] = [f64::NEG_INFINITY; 3];

    /// Choices of one in five, sampled under known weights.
    fn sampled(truth: &[f64; 3], count: usize) -> Vec<Choice<3>> {
        let mut random = StdRng::seed_from_u64(3);
        let mut choice = |group| {
            let alternatives = (0..5).map(|_| [0; 3].map(|_| random.random_range(-1.0..1.0))).collect();
            let mut choice = Choice { group, alternatives, best: Vec::new() };
            let mut left = random.random_range(0.0..1.0);
            let probabilities = choice.probabilities(truth);
            let chosen = probabilities.iter().position(|probability| {
                left -= probability;
                left < 0.0
            });
            choice.best.push(chosen.unwrap_or(4));
            choice
        };
        (0..count).map(&mut choice).collect()
    }

    #[test]
    fn known_weights_are_found_again() {
        let truth = [2.0, -1.0, 0.0];
        let fit = fit(&sampled(&truth, 8_000), &ANY, 600).unwrap();
        for (found, truth) in fit.weights.iter().zip(truth) {
            assert!((found - truth).abs() < 0.1, "{fit:?}");
        }
        assert_eq!(fit.choices, [7_200, 800]);
        assert!(fit.error < fit.baseline && (fit.baseline - 5.0f64.ln()).abs() < 1e-9, "{fit:?}");
    }

    #[test]
    fn weights_stay_within_their_bounds() {
        let fit = fit(&sampled(&[2.0, -1.0, 0.0], 2_000), &[3.0, 0.0, f64::NEG_INFINITY], 600).unwrap();
        assert_eq!(fit.weights[..2], [3.0, 0.0]);
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_error() {
        let choice = Choice { best: vec![0, 2], ..sampled(&[1.0, 1.0, 1.0], 1).remove(0) };
        let (weights, mut gradient) = ([0.3, -0.2, 0.5], [0.0; 3]);
        choice.add_gradient(&weights, &mut gradient);
        for index in 0..3 {
            let shifted = |by: f64| {
                let mut weights = weights;
                weights[index] += by;
                choice.error(&weights)
            };
            let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            assert!((slope - gradient[index]).abs() < 1e-6, "{slope} {gradient:?}");
        }
    }

    #[test]
    fn choices_without_a_worse_alternative_teach_nothing() {
        let all = |group| Choice { group, alternatives: vec![[1.0], [2.0]], best: vec![0, 1] };
        assert_eq!(fit(&[all(0), all(1)], &[0.0], 10), None);
        assert_eq!(fit::<1>(&[], &[0.0], 10), None);
        // A group alone is held out.
        let open = Choice { best: vec![1], ..all(0) };
        assert_eq!(fit(&[open], &[0.0], 10), None);
    }
}
