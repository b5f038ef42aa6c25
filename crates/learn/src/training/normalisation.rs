//! Batch normalisation (S. Ioffe and C. Szegedy, 2015): each channel is normalised to mean 0 and variance 1 over
//! a batch, then scaled and shifted by learned parameters.

use labrys_core::nets::Parameters;
use labrys_core::nets::layers::EPSILON;

/// The weight of a batch in the running mean and variance, which inference uses.
const RUNNING_WEIGHT: f32 = 0.1;

/// Sums over squares, for each channel.
pub(super) type Sums = Vec<f64>;

/// Mean and variance of each channel over the squares of a batch.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    count: f64,
    mean: Vec<f32>,
    variance: Vec<f32>,
    /// One over the standard deviation.
    inverse: Vec<f32>,
}

/// The sums of the channels of `one`, and of their products with those of `other`, over the squares that start
/// at `rows`.
pub(super) fn sums(channels: usize, rows: &[usize], one: &[f32], other: &[f32]) -> [Sums; 2] {
    let (mut sums, mut products) = (vec![0.0; channels], vec![0.0; channels]);
    for &row in rows {
        let (one, other) = (&one[row..][..channels], &other[row..][..channels]);
        for (((sum, product), &one), &other) in sums.iter_mut().zip(&mut products).zip(one).zip(other) {
            *sum += f64::from(one);
            *product += f64::from(one) * f64::from(other);
        }
    }
    [sums, products]
}

/// The total of the sums of all parts of a batch, added in order.
pub(super) fn total(parts: &[[Sums; 2]]) -> [Sums; 2] {
    let mut parts = parts.iter();
    let first = parts.next().cloned().unwrap_or_default();
    parts.fold(first, |mut total, part| {
        for (total, part) in total.iter_mut().flatten().zip(part.iter().flatten()) {
            *total += part;
        }
        total
    })
}

impl Moments {
    /// The moments from the sums of values and of their squares over `count` squares of the board.
    pub(super) fn new(count: usize, [sums, squares]: &[Sums; 2]) -> Moments {
        let count = count as f64;
        let mean = sums.iter().map(|sum| sum / count);
        let variance =
            mean.clone().zip(squares).map(|(mean, squares)| (squares / count - mean * mean).max(0.0));
        let variance: Vec<_> = variance.map(|variance| variance as f32).collect();
        let inverse = variance.iter().map(|variance| 1.0 / (variance + EPSILON).sqrt()).collect();
        Moments { count, mean: mean.map(|mean| mean as f32).collect(), variance, inverse }
    }

    /// Normalises the channels of a square.
    pub(super) fn normalise(&self, channels: &mut [f32]) {
        for ((value, mean), inverse) in channels.iter_mut().zip(&self.mean).zip(&self.inverse) {
            *value = (*value - mean) * inverse;
        }
    }

    /// Turns the gradient of the outputs into that of the inputs, for the channels of a square. `normal` are
    /// the normalised values, `scale` the learned factors, and `sums` and `products` the sums of the gradient
    /// and of its products with the normalised values.
    pub(super) fn gradient(
        &self,
        gradient: &mut [f32],
        normal: &[f32],
        scale: &[f32],
        [sums, products]: &[Vec<f32>; 2],
    ) {
        let share = 1.0 / self.count as f32;
        for (channel, (gradient, normal)) in gradient.iter_mut().zip(normal).enumerate() {
            let common = (sums[channel] + normal * products[channel]) * share;
            *gradient = scale[channel] * self.inverse[channel] * (*gradient - common);
        }
    }
}

/// Updates the running means and variances from those of a batch, layer by layer.
pub(super) fn update_running(parameters: &mut Parameters, moments: &[Moments]) {
    for (number, Moments { count, mean, variance, .. }) in moments.iter().enumerate() {
        // As in PyTorch: the unbiased estimate of the variance.
        let unbiased = (count / (count - 1.0).max(1.0)) as f32;
        let measured = [("running_mean", mean, 1.0), ("running_var", variance, unbiased)];
        for (part, batch, factor) in measured {
            let running = parameters.values_mut(&format!("normalisation.{number}.{part}"));
            for (running, batch) in running.iter_mut().zip(batch) {
                *running += RUNNING_WEIGHT * (factor * batch - *running);
            }
        }
    }
}
