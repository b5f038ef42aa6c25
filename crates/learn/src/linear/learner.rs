//! The learners of reinforcement learning, and the transitions that they learn from.

use serde::{Deserialize, Serialize};

use super::{LeastSquares, SingularMatrix, TemporalDifference};

/// A sparse feature vector: index and value of the features that are not 0. An index may occur more than
/// once; its values add up.
pub type SparseFeatures = Vec<(usize, f64)>;

/// A transition (s, r, s′) from one position of the learner to its next, from its point of view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// The feature vector φ(s).
    pub features: SparseFeatures,
    /// The reward r, in units of the evaluation.
    pub reward: f64,
    /// The feature vector φ(s′); `None` at the end of the game.
    pub next: Option<SparseFeatures>,
}

/// An algorithm that learns the weights of a linear evaluation from transitions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Learner {
    /// TD(λ): updates the weights after each transition.
    Td(TemporalDifference),
    /// LSTD(λ): solves for the weights at the end of each period.
    Lstd(LeastSquares),
}

impl Learner {
    /// Begins an episode: resets the eligibility trace.
    pub fn begin_episode(&mut self) {
        match self {
            Learner::Td(learner) => learner.begin_episode(),
            Learner::Lstd(learner) => learner.begin_episode(),
        }
    }

    /// Learns from a transition. `rate` is the learning rate α; LSTD has none.
    pub fn learn(&mut self, step: &Transition, rate: f64, weights: &mut [f64]) {
        match self {
            Learner::Td(learner) => learner.learn(step, rate, weights),
            Learner::Lstd(learner) => learner.learn(step),
        }
    }

    /// Ends a period: LSTD solves for the weights.
    ///
    /// # Errors
    /// [`SingularMatrix`] if there is no reliable solution. The weights are then left unchanged.
    pub fn end_period(&mut self, weights: &mut [f64]) -> Result<(), SingularMatrix> {
        match self {
            Learner::Td(_) => Ok(()),
            Learner::Lstd(learner) => learner.solve(weights),
        }
    }
}

/// The value `w·φ` of a feature vector.
pub(super) fn dot(features: &[(usize, f64)], weights: &[f64]) -> f64 {
    features.iter().map(|&(index, value)| value * weights[index]).sum()
}

#[cfg(test)]
pub(super) mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// The random walk of Sutton (1988): five states in a row, starting in the middle, with equal probability
    /// of a step to either side. The reward is 1 beyond the right end and 0 beyond the left one. The true
    /// value of state i, from 1, is i/6.
    pub(crate) fn walk(random: &mut StdRng) -> Vec<Transition> {
        let (mut steps, mut state) = (Vec::new(), 2);
        loop {
            let next = if random.random() { state + 1 } else { state - 1 };
            let inside = (0..5).contains(&next);
            steps.push(Transition {
                features: vec![(state as usize, 1.0)],
                reward: if next == 5 { 1.0 } else { 0.0 },
                next: inside.then(|| vec![(next as usize, 1.0)]),
            });
            if !inside {
                return steps;
            }
            state = next;
        }
    }

    /// The root mean square error of weights on the random walk.
    fn rms_error(weights: &[f64]) -> f64 {
        let square = |(weight, state): (&f64, f64)| (weight - state / 6.0).powi(2);
        (weights.iter().zip([1.0, 2.0, 3.0, 4.0, 5.0]).map(square).sum::<f64>() / 5.0).sqrt()
    }

    /// The root mean square error after `walks` walks, averaged over ten seeds.
    fn learned(learner: &Learner, walks: u32, rate: impl Fn(u32) -> f64) -> f64 {
        let seeds = 10;
        let run = |seed| {
            let (mut learner, mut random) = (learner.clone(), StdRng::seed_from_u64(seed));
            let mut weights = vec![0.5; 5];
            for number in 0..walks {
                learner.begin_episode();
                for step in walk(&mut random) {
                    learner.learn(&step, rate(number), &mut weights);
                }
            }
            // Once every state has been visited the system has a solution.
            learner.end_period(&mut weights).unwrap();
            rms_error(&weights)
        };
        (0..seeds).map(run).sum::<f64>() / seeds as f64
    }

    #[test]
    fn all_learners_find_the_values_of_the_random_walk() {
        let fall = |number| 0.1 / (1.0 + f64::from(number) / 200.0);
        for lambda in [0.0, 0.5, 1.0] {
            let td = Learner::Td(TemporalDifference::new(1.0, lambda, None));
            let lstd = Learner::Lstd(LeastSquares::new(5, 1.0, lambda, 1.0, 1e-6));
            assert!(learned(&td, 5_000, fall) < 0.05, "TD({lambda}): {}", learned(&td, 5_000, fall));
            assert!(learned(&lstd, 5_000, fall) < 0.02, "LSTD({lambda}): {}", learned(&lstd, 5_000, fall));
        }
    }

    #[test]
    fn least_squares_need_fewer_walks() {
        let lstd = Learner::Lstd(LeastSquares::new(5, 1.0, 0.0, 1.0, 1e-6));
        let lstd = learned(&lstd, 100, |_| 0.0);
        // At any learning rate: small ones are slow, large ones noisy.
        for rate in [0.01, 0.03, 0.1, 0.3] {
            let td = learned(&Learner::Td(TemporalDifference::new(1.0, 0.0, None)), 100, |_| rate);
            assert!(lstd < td, "LSTD {lstd}, TD at {rate} {td}");
        }
    }
}
