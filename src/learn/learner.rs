//! What all learners from experience share: what they learn from, and how they are driven.

use serde::{Deserialize, Serialize};

use super::{LeastSquares, SingularMatrix, TemporalDifference};

/// Features that are not 0, each with its number; one may come in parts.
pub type SparseFeatures = Vec<(usize, f64)>;

/// From one position of the learner to its next one, seen by the learner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// What it saw, φ(s).
    pub features: SparseFeatures,
    /// The reward r on the way, in the unit of the evaluation.
    pub reward: f64,
    /// What it saw then, φ(s′); nothing at the end of the game.
    pub next: Option<SparseFeatures>,
}

/// A way to learn the weights of a linear evaluation from steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Learner {
    /// A bit after each step.
    Td(TemporalDifference),
    /// By solving for all steps so far, once in a while.
    Lstd(LeastSquares),
}

impl Learner {
    /// A game begins: what comes is no consequence of what was.
    pub fn begin_episode(&mut self) {
        match self {
            Learner::Td(learner) => learner.begin_episode(),
            Learner::Lstd(learner) => learner.begin_episode(),
        }
    }

    /// Takes in a step. `rate` is the learning rate α, of those that have one.
    pub fn learn(&mut self, step: &Transition, rate: f64, weights: &mut [f64]) {
        match self {
            Learner::Td(learner) => learner.learn(step, rate, weights),
            Learner::Lstd(learner) => learner.learn(step),
        }
    }

    /// A period is over: those that solve do so.
    ///
    /// # Errors
    /// [`SingularMatrix`] when there is no solution to trust; the weights stay.
    pub fn end_period(&mut self, weights: &mut [f64]) -> Result<(), SingularMatrix> {
        match self {
            Learner::Td(_) => Ok(()),
            Learner::Lstd(learner) => learner.solve(weights),
        }
    }
}

/// The value of features under weights.
pub(super) fn dot(features: &[(usize, f64)], weights: &[f64]) -> f64 {
    features.iter().map(|&(index, value)| value * weights[index]).sum()
}

#[cfg(test)]
pub(super) mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// The random walk of Sutton (1988): five states in a row, begun in the middle, each step to either side
    /// alike; 1 beyond the right end, 0 beyond the left one. TrainingState i, from 1, is worth i/6.
    pub(in crate::learn) fn walk(random: &mut StdRng) -> Vec<Transition> {
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

    /// How far weights are from the truth about the walk: the root of the mean square.
    fn distance(weights: &[f64]) -> f64 {
        let square = |(weight, state): (&f64, f64)| (weight - state / 6.0).powi(2);
        (weights.iter().zip([1.0, 2.0, 3.0, 4.0, 5.0]).map(square).sum::<f64>() / 5.0).sqrt()
    }

    /// The distance after so many walks, mean over some seeds.
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
            // With all states seen there is a solution.
            learner.end_period(&mut weights).unwrap();
            distance(&weights)
        };
        (0..seeds).map(run).sum::<f64>() / seeds as f64
    }

    #[test]
    fn all_learners_find_the_truth_about_the_random_walk() {
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
        // Whatever the rate: small ones are slow, large ones noisy.
        for rate in [0.01, 0.03, 0.1, 0.3] {
            let td = learned(&Learner::Td(TemporalDifference::new(1.0, 0.0, None)), 100, |_| rate);
            assert!(lstd < td, "LSTD {lstd}, TD at {rate} {td}");
        }
    }
}
