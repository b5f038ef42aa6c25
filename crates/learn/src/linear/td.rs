//! Temporal-difference learning: each transition moves the weights to reduce the TD error.

use serde::{Deserialize, Serialize};

use super::Transition;
use super::learner::dot;

/// TD(λ) with accumulating traces (Sutton 1988). With λ = 0 it is the rule of the Neighbours thesis (§4.3),
/// `wᵢ ← wᵢ + α fᵢ(s) (r + γ Eval(s′) − Eval(s))`, where `Eval(s′)` is 0 at the end of the game. On the
/// features of the leaves of principal variations it is TD-leaf(λ) (Baxter, Tridgell, Weaver 1998).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TemporalDifference {
    /// Discount γ.
    discount: f64,
    /// Trace decay λ.
    lambda: f64,
    /// R, if the value of a position is `R tanh(w·φ / R)`; without it the value is `w·φ`.
    range: Option<f64>,
    /// The eligibility trace.
    trace: Vec<f64>,
}

impl TemporalDifference {
    /// A learner with discount γ and trace decay λ, both from 0 to 1. Values are squashed into ±`range`, if
    /// given.
    pub fn new(discount: f64, lambda: f64, range: Option<f64>) -> TemporalDifference {
        TemporalDifference { discount, lambda, range, trace: Vec::new() }
    }

    /// Begins an episode: resets the eligibility trace.
    pub fn begin_episode(&mut self) {
        self.trace.clear();
    }

    /// Learns from a transition with the learning rate α, `rate`.
    pub fn learn(&mut self, step: &Transition, rate: f64, weights: &mut [f64]) {
        let sum = dot(&step.features, weights);
        let (value, slope) = self.squash(sum);
        let next = step.next.as_ref().map_or(0.0, |features| self.squash(dot(features, weights)).0);
        let td_error = step.reward + self.discount * next - value;
        self.trace.resize(weights.len(), 0.0);
        let decay = self.discount * self.lambda;
        self.trace.iter_mut().for_each(|trace| *trace *= decay);
        for &(index, feature) in &step.features {
            self.trace[index] += slope * feature;
        }
        for (weight, trace) in weights.iter_mut().zip(&self.trace) {
            *weight += rate * td_error * trace;
        }
    }

    /// The value of a sum `w·φ`, and its derivative.
    fn squash(&self, sum: f64) -> (f64, f64) {
        self.range.map_or((sum, 1.0), |range| {
            let tanh = libm::tanh(sum / range);
            (range * tanh, 1.0 - tanh * tanh)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(features: &[f64], reward: f64, next: Option<&[f64]>) -> Transition {
        let sparse = |features: &[f64]| features.iter().copied().enumerate().collect();
        Transition { features: sparse(features), reward, next: next.map(sparse) }
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12);
        assert!(near && found.len() == expected.len(), "{found:?}, expected {expected:?}");
    }

    #[test]
    fn a_step_by_hand() {
        let mut learner = TemporalDifference::new(0.5, 0.0, None);
        let mut weights = [1.0, 2.0];
        // Eval(s) = 1·2 + 2·1 = 4, Eval(s′) = 1·4 + 2·3 = 10, r = 3: the TD error is 3 + 0.5·10 − 4 = 4.
        learner.learn(&step(&[2.0, 1.0], 3.0, Some(&[4.0, 3.0])), 0.1, &mut weights);
        assert_near(&weights, &[1.0 + 0.1 * 4.0 * 2.0, 2.0 + 0.1 * 4.0]);
        // At the end: Eval(s) = 1.8·1 + 2.4·0, r = −1: −2.8.
        learner.learn(&step(&[1.0, 0.0], -1.0, None), 0.5, &mut weights);
        assert_near(&weights, &[1.8 - 1.4, 2.4]);
    }

    #[test]
    fn traces_pass_the_td_error_to_earlier_features() {
        let mut learner = TemporalDifference::new(1.0, 0.5, None);
        let mut weights = [0.0, 0.0];
        learner.begin_episode();
        learner.learn(&step(&[1.0, 0.0], 0.0, Some(&[0.0, 1.0])), 0.1, &mut weights);
        assert_near(&weights, &[0.0, 0.0]);
        learner.learn(&step(&[0.0, 1.0], 1.0, None), 0.1, &mut weights);
        assert_near(&weights, &[0.05, 0.1]);
        // The trace of the last episode is gone: the TD error is 1 − 0.1.
        learner.begin_episode();
        learner.learn(&step(&[0.0, 1.0], 1.0, None), 0.1, &mut weights);
        assert_near(&weights, &[0.05, 0.19]);
    }

    #[test]
    fn parts_of_a_feature_add_up() {
        let mut learner = TemporalDifference::new(1.0, 0.0, None);
        let mut weights = [1.0];
        let parts = Transition { features: vec![(0, 1.0), (0, 2.0)], reward: 4.0, next: None };
        learner.learn(&parts, 0.1, &mut weights);
        assert_near(&weights, &[1.0 + 0.1 * (4.0 - 3.0) * 3.0]);
    }

    #[test]
    fn a_squashed_value_stays_in_its_range() {
        let mut learner = TemporalDifference::new(1.0, 0.0, Some(2.0));
        let mut weights = [1.0];
        // 2 tanh(1/2) = 0.924234…, its slope 1 − tanh² = 0.786448…: the TD error is 1.075766…
        learner.learn(&step(&[1.0], 2.0, None), 1.0, &mut weights);
        assert_near(&weights, &[1.0 + 1.075_765_685_479_981_6 * 0.786_447_732_965_927_4]);
        for _ in 0..1000 {
            learner.learn(&step(&[1.0], 2.0, None), 1.0, &mut weights);
        }
        assert!(weights[0].is_finite() && weights[0] > 2.0, "{weights:?}");
    }
}
