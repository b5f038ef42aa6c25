//! Fitting the scale of scores, and the WDL model, to game results.

use crate::minimum::minimum;
use labrys_core::game::{Wdl, WdlModel};

/// Search interval of the logistic unit, in units of the evaluation.
const UNIT_RANGE: (f64, f64) = (0.1, 100.0);

/// Labels used: these are enough for one or two parameters.
pub(super) const MAX_LABELS: usize = 100_000;

/// The minimum probability of a result, which keeps its logarithm finite.
const MIN_PROBABILITY: f64 = 1e-9;

/// The expected result of a score, from 0 to 1. `unit` is the score, in units of the evaluation, that makes 1
/// on the logistic scale.
pub(super) fn expected(score: f64, unit: f64) -> f64 {
    1.0 / (1.0 + (-score / unit).exp())
}

/// The logistic unit, in units of the evaluation, for which scores best predict the results of games.
pub fn fit_unit(labels: &[(f64, Wdl)]) -> f64 {
    let labels = &labels[..labels.len().min(MAX_LABELS)];
    let error = |unit: f64| -> f64 {
        let entropy = |&(score, result): &(f64, Wdl)| {
            let expected = expected(score, unit.exp()).clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY);
            -(result.value() * expected.ln() + (1.0 - result.value()) * (1.0 - expected).ln())
        };
        labels.iter().map(entropy).sum()
    };
    minimum(UNIT_RANGE.0.ln(), UNIT_RANGE.1.ln(), 1e-3, error).exp()
}

/// The WDL model that fits the results of games best. Its `a` is 0 if no game was drawn.
pub fn fit_wdl_model(labels: &[(f64, Wdl)]) -> WdlModel {
    let labels = &labels[..labels.len().min(MAX_LABELS / 4)];
    let error = |a: f64, b: f64| -> f64 {
        let entropy = |&(value, result): &(f64, Wdl)| {
            let win = |value: f64| 1.0 / (1.0 + ((a - value) / b).exp());
            let (win, loss) = (win(value), win(-value));
            let probability = match result {
                Wdl::Win => win,
                Wdl::Draw => 1.0 - win - loss,
                Wdl::Loss => loss,
            };
            -probability.max(MIN_PROBABILITY).ln()
        };
        labels.iter().map(entropy).sum()
    };
    let best_b = |a: f64| minimum(UNIT_RANGE.0.ln(), UNIT_RANGE.1.ln(), 1e-2, |b| error(a, b.exp())).exp();
    let a = match labels.iter().any(|&(_, result)| result == Wdl::Draw) {
        true => minimum(0.0, UNIT_RANGE.1 / 4.0, 1e-2, |a| error(a, best_b(a))),
        false => 0.0,
    };
    WdlModel { a, b: best_b(a) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Labels distributed according to a model.
    fn labels(a: f64, b: f64) -> Vec<(f64, Wdl)> {
        let mut labels = Vec::new();
        for step in -40..=40 {
            let value = f64::from(step) / 5.0;
            let win = |value: f64| (100.0 / (1.0 + ((a - value) / b).exp())).round() as usize;
            let (wins, losses) = (win(value), win(-value));
            labels.extend(std::iter::repeat_n((value, Wdl::Win), wins));
            labels.extend(std::iter::repeat_n((value, Wdl::Loss), losses));
            labels.extend(std::iter::repeat_n((value, Wdl::Draw), 100_usize.saturating_sub(wins + losses)));
        }
        labels
    }

    #[test]
    fn a_model_is_found_again() {
        let WdlModel { a, b } = fit_wdl_model(&labels(1.5, 0.8));
        assert!((a - 1.5).abs() < 0.1 && (b - 0.8).abs() < 0.1, "{a} {b}");
        let decided: Vec<_> =
            labels(0.0, 2.0).into_iter().filter(|(_, result)| *result != Wdl::Draw).collect();
        let WdlModel { a, b } = fit_wdl_model(&decided);
        assert!(a == 0.0 && (b - 2.0).abs() < 0.1, "{a} {b}");
        assert!((fit_unit(&decided) - 2.0).abs() < 0.1, "{}", fit_unit(&decided));
    }
}
