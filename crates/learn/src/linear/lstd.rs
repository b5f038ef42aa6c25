//! Least-squares temporal differences: solves for the weights at which the mean TD error is zero.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Transition;

/// Largest condition number, in the 1-norm, at which a solution is accepted: 4 of 16 digits are then
/// reliable.
const WORST_CONDITION: f64 = 1e12;

/// LSTD(λ) (Bradtke & Barto 1996, Boyan 2002) with exponential windowing (Neighbours thesis §4.3).
///
/// Each transition updates `A ← A + z (φ(s) − γ φ(s′))ᵀ` and `b ← b + z r`, where the eligibility trace `z`
/// is φ(s) for λ = 0. At the end of a period the weights solve `A w = b`; then A and b are multiplied by the
/// window μ.
///
/// Features that are rare, or always occur together, leave A close to singular. The system is therefore
/// regularized: `(A + κ a I) w = b + κ a w₀`, with the previous weights `w₀` and the mean absolute diagonal
/// element `a` of A. Weights that the transitions do not determine keep their values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastSquares {
    /// Discount γ.
    discount: f64,
    /// Trace decay λ.
    lambda: f64,
    /// Window μ.
    window: f64,
    /// Ridge κ.
    ridge: f64,
    /// A, row by row.
    a: Vec<f64>,
    b: Vec<f64>,
    /// The eligibility trace z.
    trace: Vec<f64>,
}

/// Why there is no reliable solution.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SingularMatrix {
    /// The matrix has no inverse.
    #[error("the system is singular, the weights are unchanged")]
    Exact,
    /// The condition number is too large.
    #[error("the system is ill-conditioned ({condition:.1e}), the weights are unchanged")]
    IllConditioned {
        /// The condition number in the 1-norm.
        condition: f64,
    },
}

impl LeastSquares {
    /// A learner of `features` weights, with discount γ, trace decay λ and window μ from 0 to 1, and ridge κ
    /// ≥ 0.
    pub fn new(features: usize, discount: f64, lambda: f64, window: f64, ridge: f64) -> LeastSquares {
        let zeros = vec![0.0; features];
        let (a, b) = (vec![0.0; features * features], zeros.clone());
        LeastSquares { discount, lambda, window, ridge, a, b, trace: zeros }
    }

    /// Begins an episode: resets the eligibility trace.
    pub fn begin_episode(&mut self) {
        self.trace.fill(0.0);
    }

    /// Adds a transition to A and b.
    pub fn learn(&mut self, step: &Transition) {
        let decay = self.discount * self.lambda;
        self.trace.iter_mut().for_each(|trace| *trace *= decay);
        for &(index, feature) in &step.features {
            self.trace[index] += feature;
        }
        let features = self.b.len();
        for (row, &trace) in self.trace.iter().enumerate().filter(|(_, trace)| **trace != 0.0) {
            let a = &mut self.a[row * features..(row + 1) * features];
            for &(index, feature) in &step.features {
                a[index] += trace * feature;
            }
            for &(index, feature) in step.next.iter().flatten() {
                a[index] -= trace * self.discount * feature;
            }
            self.b[row] += trace * step.reward;
        }
    }

    /// Solves for the weights and multiplies A and b by the window μ.
    ///
    /// # Errors
    /// [`SingularMatrix`]; the weights are then left unchanged.
    pub fn solve(&mut self, weights: &mut [f64]) -> Result<(), SingularMatrix> {
        let solution = self.solution(weights);
        self.a.iter_mut().chain(&mut self.b).for_each(|sum| *sum *= self.window);
        weights.copy_from_slice(&solution?);
        Ok(())
    }

    fn solution(&self, old: &[f64]) -> Result<Vec<f64>, SingularMatrix> {
        let features = self.b.len();
        let mut a = DMatrix::from_row_slice(features, features, &self.a);
        let mut b = DVector::from_column_slice(&self.b);
        let mean = a.diagonal().abs().sum() / features as f64;
        for (index, weight) in old.iter().enumerate() {
            a[(index, index)] += self.ridge * mean;
            b[index] += self.ridge * mean * weight;
        }
        let inverse = a.clone().try_inverse().ok_or(SingularMatrix::Exact)?;
        let condition = norm(&a) * norm(&inverse);
        // NaN is rejected too.
        if condition.is_nan() || condition > WORST_CONDITION {
            return Err(SingularMatrix::IllConditioned { condition });
        }
        Ok((inverse * b).as_slice().to_vec())
    }
}

/// The 1-norm of a matrix: the largest sum of absolute values in a column.
fn norm(matrix: &DMatrix<f64>) -> f64 {
    matrix.column_iter().map(|column| column.abs().sum()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learner(window: f64, ridge: f64) -> LeastSquares {
        LeastSquares::new(2, 0.5, 0.0, window, ridge)
    }

    fn steps() -> [Transition; 2] {
        [
            Transition { features: vec![(0, 1.0), (1, 2.0)], reward: 0.0, next: Some(vec![(0, 2.0)]) },
            Transition { features: vec![(0, 1.0)], reward: 3.0, next: None },
        ]
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9);
        assert!(near && found.len() == expected.len(), "{found:?}, expected {expected:?}");
    }

    #[test]
    fn two_steps_by_hand() {
        let mut learner = learner(0.5, 0.0);
        steps().iter().for_each(|step| learner.learn(step));
        // φ − γφ′ = (1, 2) − 0.5 (2, 0) = (0, 2), so A = (1, 2)ᵀ (0, 2) + (1, 0)ᵀ (1, 0) = [1 2; 0 4], b = 3
        // (1, 0).
        assert_near(&learner.a, &[1.0, 2.0, 0.0, 4.0]);
        assert_near(&learner.b, &[3.0, 0.0]);
        let mut weights = [0.0, 0.0];
        learner.solve(&mut weights).unwrap();
        assert_near(&weights, &[3.0, 0.0]);
        // A and b are halved by the window.
        assert_near(&learner.a, &[0.5, 1.0, 0.0, 2.0]);
        assert_near(&learner.b, &[1.5, 0.0]);
    }

    #[test]
    fn a_trace_accumulates_earlier_features() {
        let mut learner = LeastSquares::new(2, 0.5, 0.5, 1.0, 0.0);
        steps().iter().for_each(|step| learner.learn(step));
        // The second trace is 0.25 (1, 2) + (1, 0) = (1.25, 0.5).
        assert_near(&learner.a, &[0.0 + 1.25, 2.0, 0.5, 4.0]);
        assert_near(&learner.b, &[3.75, 1.5]);
        learner.begin_episode();
        learner.learn(&steps()[1]);
        assert_near(&learner.a, &[2.25, 2.0, 0.5, 4.0]);
    }

    #[test]
    fn undetermined_weights_are_unchanged() {
        let mut weights = [7.0, 5.0];
        let mut bare = learner(1.0, 0.0);
        bare.learn(&steps()[1]);
        assert_eq!(bare.solve(&mut weights), Err(SingularMatrix::Exact));
        assert_eq!(weights, [7.0, 5.0]);
        let mut held = learner(1.0, 1e-6);
        held.learn(&steps()[1]);
        held.solve(&mut weights).unwrap();
        assert!((weights[0] - 3.0).abs() < 1e-4 && weights[1] == 5.0, "{weights:?}");
    }

    #[test]
    fn an_ill_conditioned_solution_is_refused() {
        let mut weights = [1.0, 1.0];
        let mut learner = learner(1.0, 0.0);
        for tiny in [0.0, 1e-14] {
            learner.learn(&Transition { features: vec![(0, 1.0), (1, 1.0 + tiny)], reward: 1.0, next: None });
        }
        let error = learner.solve(&mut weights).unwrap_err();
        assert!(error.to_string().contains("the weights are unchanged"), "{error}");
        assert_eq!(weights, [1.0, 1.0]);
    }
}
