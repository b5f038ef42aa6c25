//! The sequential probability ratio test (SPRT): play until one of two hypotheses is accepted.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use super::{KeyError, KeyValues, Pairs};
use labrys_support::elo::score_of_elo;

/// A test of H0, "the Elo difference is `elo0`", against H1, "it is `elo1`".
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    model: EloModel,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// The Elo model: how an Elo difference is defined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// Logistic Elo: the expected score is `1 / (1 + 10^(-elo / 400))`, as in ratings.
    #[default]
    Logistic,
    /// Normalized Elo: the distance of the expected score from ½ in standard deviations of a game, in units
    /// of ln 10 / 800. The expected length of a test does not depend on the draw rate (M. Van den Bergh,
    /// "Normalized Elo").
    Normalized,
}

/// One of the two hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Hypothesis {
    /// The difference is `elo0` or less.
    H0,
    /// The difference is `elo1` or more.
    H1,
}

/// Invalid parameters of a test.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SprtError {
    /// `elo0` is not less than `elo1`, or one of them is not finite.
    #[error("elo0 {elo0} has to be less than elo1 {elo1}")]
    Hypotheses {
        /// The Elo difference of H0.
        elo0: f64,
        /// The Elo difference of H1.
        elo1: f64,
    },
    /// A hypothesis that is too far from equality for its model.
    #[error("{name} {found}: expected from -{most} to {most} with model={model}")]
    Far {
        /// `elo0` or `elo1`.
        name: &'static str,
        /// Its value.
        found: f64,
        /// The maximum value.
        most: f64,
        /// The name of the model.
        model: &'static str,
    },
    /// An error rate out of range.
    #[error("{name} {found}: expected more than 0 and less than 0.5")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// Its value.
        found: f64,
    },
}

/// Pairs counted for each of the five results that has not occurred, so that the log-likelihood ratio is
/// finite.
const REGULARIZATION: f64 = 1e-3;

impl EloModel {
    fn name(self) -> &'static str {
        match self {
            EloModel::Logistic => "logistic",
            EloModel::Normalized => "normalized",
        }
    }

    /// The greatest difference that can be tested. Of logistic Elo, more is a score of 1 in floating point;
    /// of normalized Elo, some 230 and more have no maximum likelihood distribution near the uniform one,
    /// where the search for it begins.
    fn most(self) -> f64 {
        match self {
            EloModel::Logistic => 2000.0,
            EloModel::Normalized => 200.0,
        }
    }
}

impl Sprt {
    /// A test in logistic Elo with the probabilities of error `alpha` if H0 is true and `beta` if H1 is true.
    ///
    /// # Errors
    /// [`SprtError`] unless `elo0 < elo1`, both are within ± 2000, and both error rates are between 0 and ½,
    /// exclusive.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Sprt, SprtError> {
        if elo0 >= elo1 || !elo0.is_finite() || !elo1.is_finite() {
            return Err(SprtError::Hypotheses { elo0, elo1 });
        }
        for (name, found) in [("alpha", alpha), ("beta", beta)] {
            if !(found > 0.0 && found < 0.5) {
                return Err(SprtError::Rate { name, found });
            }
        }
        Sprt { model: EloModel::Logistic, elo0, elo1, alpha, beta }.with_model(EloModel::Logistic)
    }

    /// The same test in another Elo model.
    ///
    /// # Errors
    /// [`SprtError::Far`] if a hypothesis is beyond those of the model: ± 200 in normalized Elo.
    pub fn with_model(self, model: EloModel) -> Result<Sprt, SprtError> {
        let most = model.most();
        match [("elo0", self.elo0), ("elo1", self.elo1)].into_iter().find(|(_, elo)| elo.abs() > most) {
            Some((name, found)) => Err(SprtError::Far { name, found, most, model: model.name() }),
            None => Ok(Sprt { model, ..self }),
        }
    }

    /// Reads `elo0=… elo1=… alpha=… beta=… model=…`. The defaults are 0.05 for α and β and `logistic` for the
    /// model.
    ///
    /// # Errors
    /// [`KeyError`] names the key and its value.
    pub fn read(mut keys: KeyValues) -> Result<Sprt, KeyError> {
        keys.check_known("elo0, elo1, alpha, beta, model")?;
        let mut number = |key| keys.read::<f64>(key, "a number");
        let (elo0, elo1, alpha, beta) = (number("elo0")?, number("elo1")?, number("alpha")?, number("beta")?);
        let (elo0, elo1) = (keys.require("elo0", elo0)?, keys.require("elo1", elo1)?);
        let sprt = Sprt::new(elo0, elo1, alpha.unwrap_or(0.05), beta.unwrap_or(0.05));
        let sprt = sprt.map_err(|error| keys.invalid(error))?;
        let model = keys.read_with("model", "`logistic` or `normalized`", |name| {
            [EloModel::Logistic, EloModel::Normalized].into_iter().find(|model| model.name() == name)
        })?;
        sprt.with_model(model.unwrap_or_default()).map_err(|error| keys.invalid(error))
    }

    /// The log-likelihood ratio (LLR) of H1 to H0. Positive values favour H1.
    ///
    /// This is the generalised SPRT: each hypothesis is represented by the maximum likelihood distribution of
    /// the five results of a pair among those with its Elo difference (M. Van den Bergh, "A practical
    /// introduction to the GSPRT", "Comments on Normalized Elo").
    pub fn llr(&self, pairs: &Pairs) -> f64 {
        if pairs.count() == 0 {
            return 0.0;
        }
        let counts = pairs.pentanomial.map(|count| (count as f64).max(REGULARIZATION));
        let [tilt0, tilt1] = [self.elo0, self.elo1].map(|elo| match self.model {
            EloModel::Logistic => tilt(&counts, &SCORES.map(|score| score - score_of_elo(elo))),
            EloModel::Normalized => normalized_tilt(&counts, elo),
        });
        (0..5).map(|i| counts[i] * (tilt0[i] / tilt1[i]).ln()).sum()
    }

    /// The bounds of the log-likelihood ratio (A. Wald): H0 is accepted at or below the first, H1 at or above
    /// the second.
    pub fn bounds(&self) -> (f64, f64) {
        // As differences: the quotient of a tiny rate is beyond all numbers.
        (self.beta.ln() - (1.0 - self.alpha).ln(), (1.0 - self.beta).ln() - self.alpha.ln())
    }

    /// The accepted hypothesis; `None` while the test is undecided.
    pub fn accepted(&self, pairs: &Pairs) -> Option<Hypothesis> {
        let (low, high) = self.bounds();
        match self.llr(pairs) {
            llr if llr >= high => Some(Hypothesis::H1),
            llr if llr <= low => Some(Hypothesis::H0),
            _ => None,
        }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.bounds();
        let model = match self.model {
            EloModel::Logistic => "",
            EloModel::Normalized => "normalized ",
        };
        write!(f, "[{}, {}] {model}Elo, bounds [{low:.2}, {high:.2}]", self.elo0, self.elo1)
    }
}

/// The five possible scores of a pair.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The tilt of the maximum likelihood distribution. Among the distributions over the five results under which
/// the mean of `excess` is 0, the one of maximum likelihood for `counts` is `counts[i] / n / tilt[i]` with
/// `tilt[i] = 1 + θ excess[i]`.
///
/// θ solves `Σ counts[i] excess[i] / tilt[i] = 0`. The left side falls from +∞ to −∞ between the two values
/// of θ at which a tilt is 0, so bisection finds it.
fn tilt(counts: &[f64; 5], excess: &[f64; 5]) -> [f64; 5] {
    let least = excess.iter().copied().fold(f64::INFINITY, f64::min);
    let most = excess.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..100 {
        let theta = (low + high) / 2.0;
        let sum: f64 = (0..5).map(|i| counts[i] * excess[i] / (1.0 + theta * excess[i])).sum();
        if sum > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
    }
    let theta = (low + high) / 2.0;
    excess.map(|excess| 1.0 + theta * excess)
}

/// The tilt of the maximum likelihood distribution whose mean is `elo` normalized Elo from ½. Near a
/// distribution with mean m and standard deviation σ this is the condition that the mean of `score − ½ − s σ
/// (1 + ((score − m) / σ)²) / 2` is 0, where s is the distance in standard deviations. Solving it and
/// repeating with the mean and deviation of the solution converges in a few steps.
fn normalized_tilt(counts: &[f64; 5], elo: f64) -> [f64; 5] {
    // The standard deviation of a pair's score is that of a game over √2.
    let distance = elo * std::f64::consts::LN_10 / 800.0 * std::f64::consts::SQRT_2;
    let total: f64 = counts.iter().sum();
    let mut shares = [0.2; 5];
    let mut tilted = [1.0; 5];
    for _ in 0..20 {
        let mean: f64 = (0..5).map(|i| shares[i] * SCORES[i]).sum();
        let deviation = (0..5).map(|i| shares[i] * (SCORES[i] - mean).powi(2)).sum::<f64>().sqrt();
        let excess = SCORES.map(|score| {
            score - 0.5 - distance * deviation * (1.0 + ((score - mean) / deviation).powi(2)) / 2.0
        });
        tilted = tilt(counts, &excess);
        let next: [f64; 5] = std::array::from_fn(|i| counts[i] / total / tilted[i]);
        let change = (0..5).map(|i| (next[i] - shares[i]).abs()).fold(0.0, f64::max);
        shares = next;
        if change < 1e-9 {
            break;
        }
    }
    tilted
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use labrys_core::game::Wdl;

    /// Log-likelihood ratios from the tests of fastchess, to 1 %.
    #[test]
    fn known_ratios() {
        for (elo0, elo1, pairs, expected) in [
            (0.5, 2.5, [223, 9863, 21_279, 10_037, 246], -3.07),
            (0.0, 2.0, [871, 26_175, 55_983, 26_678, 821], -4.98),
        ] {
            let llr = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap().llr(&Pairs::of(pairs));
            assert!((llr / expected - 1.0).abs() < 0.01, "{llr} for {expected}");
        }
    }

    #[test]
    fn known_normalized_ratios() {
        for (elo0, elo1, pairs, expected) in [
            (0.0, 2.0, [365, 16_618, 36_229, 16_974, 390], 2.25),
            (-1.75, 0.25, [127, 4_883, 10_712, 5_150, 104], 3.01),
            (0.0, 5.0, [0, 0, 0, 0, 5_550], 111.82),
        ] {
            let sprt = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap().with_model(EloModel::Normalized).unwrap();
            let llr = sprt.llr(&Pairs::of(pairs));
            assert!((llr / expected - 1.0).abs() < 0.01, "{llr} for {expected}");
        }
    }

    #[test]
    fn models_are_read_by_name() {
        let read = |model: &str| {
            let words = ["elo0=0".to_owned(), "elo1=5".to_owned(), format!("model={model}")];
            Sprt::read(KeyValues::parse("--sprt", &words).unwrap()).map(|sprt| sprt.model)
        };
        assert_eq!(read("logistic").unwrap(), EloModel::Logistic);
        assert_eq!(read("normalized").unwrap(), EloModel::Normalized);
        assert!(read("").is_err() && read("other").is_err());
    }

    #[test]
    fn bounds_and_decisions() {
        let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap();
        let (low, high) = sprt.bounds();
        assert!((low + 2.944_439).abs() < 1e-6 && (high - 2.944_439).abs() < 1e-6);
        assert_eq!(sprt.accepted(&Pairs::default()), None);
        assert_eq!(sprt.accepted(&Pairs::of([0, 0, 0, 0, 500])), Some(Hypothesis::H1));
        assert_eq!(sprt.accepted(&Pairs::of([500, 0, 0, 0, 0])), Some(Hypothesis::H0));
        assert_eq!(sprt.accepted(&Pairs::of([1, 5, 20, 5, 1])), None);
    }

    #[test]
    fn bounds_of_tiny_rates_are_numbers() {
        for (alpha, beta) in [(4e-324, 0.05), (0.05, 4e-324), (4e-324, 4e-324), (1e-310, 0.4)] {
            let sprt = Sprt::new(0.0, 5.0, alpha, beta).unwrap();
            let (low, high) = sprt.bounds();
            assert!(low < 0.0 && high > 0.0 && low.is_finite() && high.is_finite(), "{sprt}");
            let most = Pairs::of([0, 0, 0, 0, 1_000_000]);
            assert_eq!(sprt.accepted(&most), Some(Hypothesis::H1), "{sprt}");
        }
    }

    #[test]
    fn invalid_parameters_are_refused() {
        assert!(matches!(Sprt::new(5.0, 5.0, 0.05, 0.05), Err(SprtError::Hypotheses { .. })));
        assert!(matches!(Sprt::new(f64::NAN, 5.0, 0.05, 0.05), Err(SprtError::Hypotheses { .. })));
        assert!(matches!(Sprt::new(0.0, 5.0, 0.5, 0.05), Err(SprtError::Rate { name: "alpha", .. })));
        assert!(matches!(Sprt::new(0.0, 5.0, 0.05, 0.0), Err(SprtError::Rate { name: "beta", .. })));
    }

    /// Whatever the results are, the ratio is a number, and more wins are more for H1.
    #[test]
    fn ratios_are_finite_up_to_the_greatest_difference() {
        let mut random = StdRng::seed_from_u64(3);
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let most = model.most();
            for (elo0, elo1) in
                [(0.0, most), (-most, 0.0), (-most, most), (most - 5.0, most), (-most, 5.0 - most)]
            {
                let sprt = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap().with_model(model).unwrap();
                let ends =
                    [[1, 0, 0, 0, 0], [1_000_000, 0, 0, 0, 0], [0, 0, 1_000_000, 0, 0], [0, 0, 0, 1, 0]];
                let mixed = std::iter::repeat_with(|| {
                    std::array::from_fn(|_| [0, 0, 1, 2, 10, 1000, 1_000_000][random.random_range(0..7)])
                });
                for counts in ends.into_iter().chain(mixed.take(300)) {
                    let llr = sprt.llr(&Pairs::of(counts));
                    assert!(llr.is_finite(), "{sprt}: {llr} for {counts:?}");
                }
                let llr = |counts| sprt.llr(&Pairs::of(counts));
                assert!(llr([0, 0, 0, 0, 50]) > llr([0, 0, 50, 0, 0]), "{sprt}");
                assert!(llr([0, 0, 50, 0, 0]) > llr([50, 0, 0, 0, 0]), "{sprt}");
            }
            let far =
                Sprt { model: EloModel::Logistic, elo0: 0.0, elo1: most + 1.0, alpha: 0.05, beta: 0.05 };
            let error = far.with_model(model).unwrap_err().to_string();
            assert!(error.contains(&format!("elo1 {}: expected from -{most}", most + 1.0)), "{error}");
        }
        assert!(matches!(Sprt::new(-1e9, 0.0, 0.05, 0.05), Err(SprtError::Far { name: "elo0", .. })));
    }

    /// The number of `matches` in which the test accepts H1 when the Elo difference is `elo` and 40 % of the
    /// games are drawn.
    fn accepted(sprt: &Sprt, elo: f64, matches: u32) -> u32 {
        let mut random = StdRng::seed_from_u64(7);
        let win = score_of_elo(elo) - 0.2;
        let mut game = || match random.random::<f64>() {
            x if x < win => Wdl::Win,
            x if x < win + 0.4 => Wdl::Draw,
            _ => Wdl::Loss,
        };
        let mut h1 = 0;
        for _ in 0..matches {
            let mut pairs = Pairs::default();
            h1 += loop {
                // Testing after every tenth pair only is faster and slightly lowers the error rates.
                for _ in 0..10 {
                    pairs.add(game(), game());
                }
                match sprt.accepted(&pairs) {
                    None => {}
                    Some(Hypothesis::H0) => break 0,
                    Some(Hypothesis::H1) => break 1,
                }
            };
        }
        h1
    }

    /// The error rates of a test of 0 against 5 Elo are α and β, within three standard errors, when the true
    /// difference is 0 or 5 Elo.
    #[test]
    fn error_rates_are_as_specified() {
        let matches = 400;
        for (alpha, beta) in [(0.05, 0.05), (0.1, 0.02)] {
            let sprt = Sprt::new(0.0, 5.0, alpha, beta).unwrap();
            let range = |rate: f64| {
                let error = 3.0 * (rate * (1.0 - rate) * f64::from(matches)).sqrt();
                // The LLR overshoots its bounds, which lowers the error rates, but by less than half.
                0.5 * rate * f64::from(matches) - error..=rate * f64::from(matches) + error
            };
            let wrong =
                [accepted(&sprt, 0.0, matches), matches - accepted(&sprt, 5.0, matches)].map(f64::from);
            assert!(range(alpha).contains(&wrong[0]), "{} of {matches} for {alpha}", wrong[0]);
            assert!(range(beta).contains(&wrong[1]), "{} of {matches} for {beta}", wrong[1]);
        }
        let undecided = accepted(&Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap(), 2.5, matches);
        assert!((120..280).contains(&undecided), "half way both are equally probable: {undecided}");
    }

    /// The same in normalized Elo, where the difference is 5 when the score is 5 ln 10 / 800 deviations from
    /// ½.
    #[test]
    fn error_rates_are_as_specified_in_normalized_elo() {
        let matches = 200;
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap().with_model(EloModel::Normalized).unwrap();
        // A game that is drawn with probability 0.4 has the variance 0.15.
        let score = 0.5 + 10.0 * std::f64::consts::LN_10 / 800.0 * 0.15f64.sqrt();
        let elo = -400.0 * (1.0 / score - 1.0).log10();
        let most = (0.05 + 3.0 * (0.05 * 0.95 / f64::from(matches)).sqrt()) * f64::from(matches);
        let wrong = [accepted(&sprt, 0.0, matches), matches - accepted(&sprt, elo, matches)];
        assert!(wrong.iter().all(|&wrong| f64::from(wrong) <= most), "{wrong:?} of {matches}");
    }
}
