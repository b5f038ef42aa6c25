//! Adam (D. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015), shared by all methods that
//! use gradient descent.

use nalgebra::{RealField, convert};

/// Default decay rate β₁ of the running mean of the gradient.
pub(crate) const BETA1: f64 = 0.9;

/// Decay rate β₂ of the running mean of the squared gradient.
const BETA2: f64 = 0.999;

/// The term ε that keeps the denominator above 0.
const EPSILON: f64 = 1e-8;

/// The constants of one step of Adam.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adam<T> {
    /// β₁ and β₂.
    beta: (T, T),
    /// Factors that correct the bias of means that start at 0.
    correction: (T, T),
    epsilon: T,
}

impl<T: RealField + Copy> Adam<T> {
    /// Step `number`, from 1.
    pub(crate) fn step(number: u32, beta1: f64) -> Adam<T> {
        // Steps beyond the range of `i32` change nothing.
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        let beta = (convert(beta1), convert(BETA2));
        let correction = |beta: T| T::one() / (T::one() - beta.powi(number));
        Adam { beta, correction: (correction(beta.0), correction(beta.1)), epsilon: convert(EPSILON) }
    }

    /// The direction of the update of a parameter: subtract it, times the learning rate, from the parameter.
    /// `mean` and `square` are the running means of its gradients and of their squares; both are updated.
    #[inline]
    pub(crate) fn direction(&self, gradient: T, mean: &mut T, square: &mut T) -> T {
        let Adam { beta, correction, epsilon } = *self;
        *mean = beta.0 * *mean + (T::one() - beta.0) * gradient;
        *square = beta.1 * *square + (T::one() - beta.1) * gradient * gradient;
        *mean * correction.0 / ((*square * correction.1).sqrt() + epsilon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_direction_is_the_sign_of_the_gradient_and_means_follow() {
        let (mut mean, mut square) = (0.0, 0.0);
        let direction = Adam::step(1, 0.9).direction(-4.0, &mut mean, &mut square);
        assert!((direction + 1.0_f64).abs() < 1e-8, "{direction}");
        assert!((mean + 0.4).abs() < 1e-12 && (square - 0.016).abs() < 1e-12, "{mean} {square}");
        // Algorithm 1 of the paper at t = 2.
        let direction = Adam::step(2, 0.9).direction(1.0, &mut mean, &mut square);
        let (first, second) = (-0.36 + 0.1, 0.016 * 0.999 + 0.001);
        let expected = first / (1.0 - 0.81) / ((second / (1.0 - 0.999_f64.powi(2))).sqrt() + 1e-8);
        assert!((direction - expected).abs() < 1e-12, "{direction} {expected}");
    }
}
