//! Logistic regression: the weights for which `1 / (1 + exp(−k w·φ))` best predicts the results of games
//! (P. Österlund's "Texel's tuning method", 2014, with gradients in place of a local search).
//!
//! The scale k is first fitted to the initial weights and then fixed, so that the unit of the evaluation does
//! not change. The target of a position is the result of its game, blended with the score of the search that
//! chose the move, which is less noisy. Scores have a scale of their own, since the games may have been played
//! with another evaluation. Adam then minimizes the mean cross entropy over mini-batches. Every tenth game is
//! held out for validation; the weights of the epoch with the lowest validation error are returned.

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::Samples;
use crate::adam::{Adam, BETA1};
use crate::minimum::minimum;
use labrys_core::search::Control;

/// One game in this many is held out.
const HELD_OUT: usize = 10;

/// Search interval of the scale k, per unit of the evaluation.
const SCALE_RANGE: (f64, f64) = (0.01, 10.0);

/// Settings of the regression.
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticSettings {
    /// Number of epochs: passes over all training positions.
    pub epochs: u32,
    /// Positions in a mini-batch.
    pub batch: usize,
    /// Initial learning rate of Adam, in units of a weight; it falls linearly to 0 over the epochs.
    pub rate: f64,
    /// Strength of the L2 regularization towards the initial weights: the factor of a weight's distance from
    /// its initial value in the gradient.
    pub l2: f64,
    /// Weight of the search score in the target, from 0 to 1; the rest is the result of the game. Positions
    /// without a search score use the result alone.
    pub blend: f64,
    /// Seed of the order of the positions and of the choice of held-out games.
    pub seed: u64,
}

impl Default for LogisticSettings {
    fn default() -> Self {
        LogisticSettings { epochs: 30, batch: 1024, rate: 0.01, l2: 1e-5, blend: 0.0, seed: 1 }
    }
}

/// The errors of an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Number of the epoch, from 1; 0 is the state before the first.
    pub number: u32,
    /// Mean cross entropy of the training positions in nats, measured during the epoch.
    pub training: f64,
    /// Mean cross entropy of the held-out positions in nats, measured after the epoch.
    pub held_out: f64,
}

/// The result of a regression.
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticFit {
    /// The weights.
    pub weights: Vec<f64>,
    /// The scale k, per unit of the evaluation.
    pub scale: f64,
    /// The epoch of the weights.
    pub epoch: Epoch,
}

/// Fits weights, initially `start`, to `samples`. `report` is called after each epoch. If `control` stops the
/// regression, the best weights so far are returned. `None` unless there are positions of at least two games.
pub fn fit(
    samples: &Samples,
    start: &[f64],
    settings: &LogisticSettings,
    control: &Control,
    report: &mut dyn FnMut(Epoch),
) -> Option<LogisticFit> {
    let mut random = StdRng::seed_from_u64(settings.seed);
    let mut games: Vec<usize> = (0..samples.games()).collect();
    games.shuffle(&mut random);
    let (held_out, training) = games.split_at(games.len().div_ceil(HELD_OUT));
    let positions =
        |games: &[usize]| games.iter().flat_map(|&game| samples.of_game(game)).collect::<Vec<_>>();
    let (held_out, mut training) = (positions(held_out), positions(training));
    if held_out.is_empty() || training.is_empty() {
        return None;
    }
    let scale = fit_scale(&training, |number| {
        let (features, result) = samples.get(number);
        Some((evaluate(features, start), result))
    });
    let score_scale =
        fit_scale(&training, |number| Some((samples.search_score(number)?, samples.get(number).1)));
    let targets = targets(samples, score_scale, settings.blend);
    let first = Epoch {
        number: 0,
        training: error(samples, &targets, &training, start, scale),
        held_out: error(samples, &targets, &held_out, start, scale),
    };
    report(first);
    let mut best = LogisticFit { weights: start.to_vec(), scale, epoch: first };
    let mut regression = Regression::new(start);
    for number in 1..=settings.epochs {
        training.shuffle(&mut random);
        let rate = settings.rate * (1.0 - f64::from(number - 1) / f64::from(settings.epochs));
        let mut sum = 0.0;
        for batch in training.chunks(settings.batch.max(1)) {
            if control.is_stopped() {
                return Some(best);
            }
            sum += regression.step((samples, &targets), batch, scale, rate, settings.l2);
        }
        let epoch = Epoch {
            number,
            training: sum / training.len() as f64,
            held_out: error(samples, &targets, &held_out, &regression.weights, scale),
        };
        report(epoch);
        if epoch.held_out < best.epoch.held_out {
            best = LogisticFit { weights: regression.weights.clone(), scale, epoch };
        }
    }
    Some(best)
}

/// The win probability of an evaluation.
fn win_probability(value: f64, scale: f64) -> f64 {
    1.0 / (1.0 + (-scale * value).exp())
}

/// The cross entropy of a result and a win probability, in nats.
fn cross_entropy(result: f64, win_probability: f64) -> f64 {
    let win_probability = win_probability.clamp(1e-12, 1.0 - 1e-12);
    -(result * win_probability.ln() + (1.0 - result) * (1.0 - win_probability).ln())
}

fn evaluate(features: impl Iterator<Item = (usize, f64)>, weights: &[f64]) -> f64 {
    features.map(|(index, value)| weights[index] * value).sum()
}

/// The target of each position: a win probability. `scale` is that of the search scores.
fn targets(samples: &Samples, scale: f64, blend: f64) -> Vec<f64> {
    let target = |number| {
        let (_, result) = samples.get(number);
        let search_score = samples.search_score(number).map(|value| win_probability(value, scale));
        search_score.map_or(result, |search_score| blend * search_score + (1.0 - blend) * result)
    };
    (0..samples.len()).map(target).collect()
}

/// The mean cross entropy of the positions `numbers`.
fn error(samples: &Samples, targets: &[f64], numbers: &[usize], weights: &[f64], scale: f64) -> f64 {
    let errors = numbers.iter().map(|&number| {
        let (features, _) = samples.get(number);
        cross_entropy(targets[number], win_probability(evaluate(features, weights), scale))
    });
    errors.sum::<f64>() / numbers.len() as f64
}

/// The scale of values with the lowest error, by golden-section search on its logarithm. `value` returns the
/// value of a position, if it has one, and the result of its game.
fn fit_scale(numbers: &[usize], value: impl Fn(usize) -> Option<(f64, f64)>) -> f64 {
    // 100,000 positions are enough for one parameter.
    let numbers = &numbers[..numbers.len().min(100_000)];
    let positions: Vec<(f64, f64)> = numbers.iter().filter_map(|&number| value(number)).collect();
    let error = |scale: f64| -> f64 {
        positions
            .iter()
            .map(|&(value, result)| cross_entropy(result, win_probability(value, scale.exp())))
            .sum()
    };
    minimum(SCALE_RANGE.0.ln(), SCALE_RANGE.1.ln(), 1e-3, error).exp()
}

/// The current weights and the state of the optimiser.
struct Regression {
    start: Vec<f64>,
    weights: Vec<f64>,
    mean: Vec<f64>,
    square: Vec<f64>,
    gradient: Vec<f64>,
    steps: u32,
}

impl Regression {
    fn new(start: &[f64]) -> Regression {
        let zeros = vec![0.0; start.len()];
        Regression {
            start: start.to_vec(),
            weights: start.to_vec(),
            mean: zeros.clone(),
            square: zeros.clone(),
            gradient: zeros,
            steps: 0,
        }
    }

    /// Updates the weights from a mini-batch. Returns the sum of its errors before the update.
    fn step(
        &mut self,
        (samples, targets): (&Samples, &[f64]),
        batch: &[usize],
        scale: f64,
        rate: f64,
        l2: f64,
    ) -> f64 {
        self.gradient.fill(0.0);
        let mut sum = 0.0;
        for &number in batch {
            let (features, _) = samples.get(number);
            let (target, win_probability) =
                (targets[number], win_probability(evaluate(features, &self.weights), scale));
            sum += cross_entropy(target, win_probability);
            let slope = scale * (win_probability - target) / batch.len() as f64;
            let (features, _) = samples.get(number);
            features.for_each(|(index, value)| self.gradient[index] += slope * value);
        }
        self.steps += 1;
        let adam = Adam::step(self.steps, BETA1);
        for (index, weight) in self.weights.iter_mut().enumerate() {
            let gradient = self.gradient[index] + l2 * (*weight - self.start[index]);
            *weight -= rate * adam.direction(gradient, &mut self.mean[index], &mut self.square[index]);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// Results sampled under known weights.
    fn sampled(truth: &[f64], count: usize) -> Samples {
        let mut random = StdRng::seed_from_u64(5);
        let mut samples = Samples::default();
        for _ in 0..count {
            let features: Vec<_> =
                (0..truth.len()).map(|index| (index, random.random_range(-2.0..2.0))).collect();
            let value = evaluate(features.iter().copied(), truth);
            let won = random.random_range(0.0..1.0) < win_probability(value, 1.0);
            samples.push(features, f64::from(u8::from(won)));
        }
        samples
    }

    #[test]
    fn known_weights_are_found_again() {
        let truth = [1.0, -0.5, 0.25, 0.0];
        let samples = sampled(&truth, 40_000);
        let settings = LogisticSettings { epochs: 20, batch: 256, rate: 0.02, ..LogisticSettings::default() };
        // The scale is fitted to the initial weights, so the first one starts at its true value.
        let mut epochs = Vec::new();
        let fit = fit(&samples, &[1.0, 0.0, 0.0, 0.3], &settings, &Control::default(), &mut |epoch| {
            epochs.push(epoch)
        });
        let fit = fit.unwrap();
        assert_eq!(epochs.len(), 21);
        let scaled: Vec<_> = fit.weights.iter().map(|weight| weight * fit.scale).collect();
        for (found, truth) in scaled.iter().zip(truth) {
            assert!((found - truth).abs() < 0.05, "{scaled:?}");
        }
        let least = epochs.iter().map(|epoch| epoch.held_out).fold(f64::INFINITY, f64::min);
        assert_eq!(fit.epoch.held_out, least);
        assert!(least < epochs[0].held_out);
    }

    #[test]
    fn the_scale_of_scores_does_not_matter() {
        let truth = [1.0, -0.5];
        let mut random = StdRng::seed_from_u64(7);
        let mut samples = Samples::default();
        for _ in 0..20_000 {
            let features = [0, 1].map(|index| (index, random.random_range(-2.0..2.0)));
            let value = evaluate(features.into_iter(), &truth);
            let won = random.random_range(0.0..1.0) < win_probability(value, 1.0);
            samples.push_position(features, f64::from(u8::from(won)), Some(3.0 * value));
            samples.end_game();
        }
        let settings =
            LogisticSettings { epochs: 5, batch: 256, rate: 0.02, blend: 1.0, ..LogisticSettings::default() };
        let fit = fit(&samples, &truth, &settings, &Control::default(), &mut |_| {}).unwrap();
        let scaled: Vec<_> = fit.weights.iter().map(|weight| weight * fit.scale).collect();
        assert!((scaled[0] - 1.0).abs() < 0.1 && (scaled[1] + 0.5).abs() < 0.1, "{scaled:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_weights_and_stopping_keeps_them() {
        let samples = sampled(&[1.0, -1.0], 2_000);
        let settings = LogisticSettings { epochs: 3, ..LogisticSettings::default() };
        let run = |control: &Control| fit(&samples, &[0.5, 0.5], &settings, control, &mut |_| {}).unwrap();
        assert_eq!(run(&Control::default()), run(&Control::default()));
        let stopped = Control::default();
        stopped.stop();
        assert_eq!(run(&stopped).weights, [0.5, 0.5]);
    }

    #[test]
    fn strong_regularization_keeps_the_initial_weights() {
        let samples = sampled(&[1.0, -1.0], 2_000);
        let run = |l2| {
            let settings = LogisticSettings { epochs: 20, batch: 64, l2, ..LogisticSettings::default() };
            fit(&samples, &[1.0, 0.0], &settings, &Control::default(), &mut |_| {}).unwrap().weights[1]
        };
        assert!(run(0.0) < -0.3 && run(100.0) > -0.05, "{} {}", run(0.0), run(100.0));
    }

    #[test]
    fn too_few_games_give_no_fit() {
        let mut samples = Samples::default();
        let none = |samples: &Samples| {
            fit(samples, &[1.0], &LogisticSettings::default(), &Control::default(), &mut |_| {}).is_none()
        };
        assert!(none(&samples));
        samples.push([(0, 1.0)], 1.0);
        assert!(none(&samples));
    }
}
