//! Adam (D. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015), for all that is learned by
//! gradient descent.

use nalgebra::{RealField, convert};

/// What Adam keeps of the mean gradient, β₁, unless a training says otherwise.
pub(crate) const MOMENTUM: f64 = 0.9;

/// What Adam keeps of the mean square of the gradient, β₂.
const KEPT_SQUARE: f64 = 0.999;

/// What Adam adds to the root of the mean square, ε.
const EPSILON: f64 = 1e-8;

/// A step of Adam.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adam<T> {
    /// β₁ and β₂.
    kept: (T, T),
    /// What makes up for means that begin at 0.
    correction: (T, T),
    epsilon: T,
}

impl<T: RealField + Copy> Adam<T> {
    /// The step of this number, from 1.
    pub(crate) fn step(number: u32, momentum: f64) -> Adam<T> {
        // Steps beyond the range of `i32` change nothing.
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        let kept = (convert(momentum), convert(KEPT_SQUARE));
        let correction = |kept: T| T::one() / (T::one() - kept.powi(number));
        Adam { kept, correction: (correction(kept.0), correction(kept.1)), epsilon: convert(EPSILON) }
    }

    /// The direction that a parameter with this gradient goes against, times the learning rate. `mean` and
    /// `square` are the means of its gradients and of their squares, which the gradient becomes a part of.
    #[inline]
    pub(crate) fn direction(&self, gradient: T, mean: &mut T, square: &mut T) -> T {
        let Adam { kept, correction, epsilon } = *self;
        *mean = kept.0 * *mean + (T::one() - kept.0) * gradient;
        *square = kept.1 * *square + (T::one() - kept.1) * gradient * gradient;
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
