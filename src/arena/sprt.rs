//! The sequential probability ratio test: play until the results speak for one of two hypotheses.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use super::elo::score_of_elo;
use super::{KeyError, Keys, Pairs};

/// A test of H0, "the difference is `elo0`", against H1, "it is `elo1`", in logistic Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// One of the two hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Hypothesis {
    /// The difference is `elo0` or less.
    H0,
    /// The difference is `elo1` or more.
    H1,
}

/// A test that would make no sense.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SprtError {
    /// The hypotheses are the wrong way round, or the same, or no numbers.
    #[error("elo0 {elo0} has to be less than elo1 {elo1}")]
    Hypotheses {
        /// The difference of H0.
        elo0: f64,
        /// The difference of H1.
        elo1: f64,
    },
    /// An error rate outside of its range.
    #[error("{name} {found}: expected more than 0 and less than 0.5")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// Its value.
        found: f64,
    },
}

/// A result that has not come up counts as this many pairs, so that no ratio is infinite.
const NEVER_SEEN: f64 = 1e-3;

impl Sprt {
    /// A test that errs with probability `alpha` where H0 is true and `beta` where H1 is.
    ///
    /// # Errors
    /// [`SprtError`] unless `elo0 < elo1` and both rates are between 0 and ½.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Sprt, SprtError> {
        if elo0 >= elo1 || !elo0.is_finite() || !elo1.is_finite() {
            return Err(SprtError::Hypotheses { elo0, elo1 });
        }
        for (name, found) in [("alpha", alpha), ("beta", beta)] {
            if !(found > 0.0 && found < 0.5) {
                return Err(SprtError::Rate { name, found });
            }
        }
        Ok(Sprt { elo0, elo1, alpha, beta })
    }

    /// Reads `elo0=… elo1=… alpha=… beta=…`; α and β are 0.05 where they are not given.
    ///
    /// # Errors
    /// [`KeyError`] names the key, and the value.
    pub fn read(mut keys: Keys) -> Result<Sprt, KeyError> {
        let mut number = |key| keys.read::<f64>(key, "a number");
        let (elo0, elo1, alpha, beta) = (number("elo0")?, number("elo1")?, number("alpha")?, number("beta")?);
        let (elo0, elo1) = (keys.require("elo0", elo0)?, keys.require("elo1", elo1)?);
        let sprt = Sprt::new(elo0, elo1, alpha.unwrap_or(0.05), beta.unwrap_or(0.05));
        let sprt = sprt.map_err(|error| keys.senseless(error))?;
        keys.finish("elo0, elo1, alpha, beta")?;
        Ok(sprt)
    }

    /// The log-likelihood ratio of H1 to H0. Positive values speak for H1.
    ///
    /// A generalised test: each hypothesis is represented by the distribution of the five results of a
    /// pair that explains the counts best among those with its expected score (M. Van den Bergh,
    /// "A practical introduction to the GSPRT").
    pub fn llr(&self, pairs: &Pairs) -> f64 {
        if pairs.count() == 0 {
            return 0.0;
        }
        let counts = pairs.by_points.map(|count| (count as f64).max(NEVER_SEEN));
        let tilt0 = tilt(&counts, score_of_elo(self.elo0));
        let tilt1 = tilt(&counts, score_of_elo(self.elo1));
        (0..5).map(|i| counts[i] * (tilt0[i] / tilt1[i]).ln()).sum()
    }

    /// The bounds of the ratio: at or below the first one H0 is accepted, at or above the second H1 (A. Wald).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The hypothesis that is accepted, once there is enough to accept one.
    pub fn verdict(&self, pairs: &Pairs) -> Option<Hypothesis> {
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
        write!(f, "[{}, {}] Elo, bounds [{low:.2}, {high:.2}]", self.elo0, self.elo1)
    }
}

/// Among the distributions over the five results with expected score `score`, the one that makes `counts`
/// most likely is `counts[i] / n / tilt[i]` with `tilt[i] = 1 + θ (score of i − score)`: this is the tilt.
///
/// θ solves `Σ counts[i] (score of i − score) / tilt[i] = 0`, whose left side falls from +∞ to −∞ between the
/// two values of θ where a tilt is 0; halving the interval finds it.
fn tilt(counts: &[f64; 5], score: f64) -> [f64; 5] {
    let excess: [f64; 5] = std::array::from_fn(|i| i as f64 / 4.0 - score);
    let (mut low, mut high) = (-1.0 / excess[4], -1.0 / excess[0]);
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

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// Log-likelihood ratios that fastchess documents in its tests, to 1 %.
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
    fn bounds_and_verdicts() {
        let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap();
        let (low, high) = sprt.bounds();
        assert!((low + 2.944_439).abs() < 1e-6 && (high - 2.944_439).abs() < 1e-6);
        assert_eq!(sprt.verdict(&Pairs::default()), None);
        assert_eq!(sprt.verdict(&Pairs::of([0, 0, 0, 0, 500])), Some(Hypothesis::H1));
        assert_eq!(sprt.verdict(&Pairs::of([500, 0, 0, 0, 0])), Some(Hypothesis::H0));
        assert_eq!(sprt.verdict(&Pairs::of([1, 5, 20, 5, 1])), None);
    }

    #[test]
    fn senseless_tests_are_refused() {
        assert!(matches!(Sprt::new(5.0, 5.0, 0.05, 0.05), Err(SprtError::Hypotheses { .. })));
        assert!(matches!(Sprt::new(f64::NAN, 5.0, 0.05, 0.05), Err(SprtError::Hypotheses { .. })));
        assert!(matches!(Sprt::new(0.0, 5.0, 0.5, 0.05), Err(SprtError::Rate { name: "alpha", .. })));
        assert!(matches!(Sprt::new(0.0, 5.0, 0.05, 0.0), Err(SprtError::Rate { name: "beta", .. })));
    }

    /// How often of `matches` the test accepts H1 when the difference is `elo`: games of a pair are drawn
    /// with probability 0.4 and otherwise won according to the difference.
    fn accepted(elo: f64, matches: u32) -> u32 {
        let sprt = Sprt::new(0.0, 20.0, 0.05, 0.05).unwrap();
        let mut random = StdRng::seed_from_u64(7);
        let win = score_of_elo(elo) - 0.2;
        let mut game = || match random.random::<f64>() {
            x if x < win => super::super::Points::Win,
            x if x < win + 0.4 => super::super::Points::Draw,
            _ => super::super::Points::Loss,
        };
        let mut h1 = 0;
        for _ in 0..matches {
            let mut pairs = Pairs::default();
            h1 += loop {
                pairs.add(game(), game());
                match sprt.verdict(&pairs) {
                    None => {}
                    Some(Hypothesis::H0) => break 0,
                    Some(Hypothesis::H1) => break 1,
                }
            };
        }
        h1
    }

    /// The error rates are what α and β promise: 5 %, within three standard errors of 500 matches.
    #[test]
    fn the_promise_is_kept() {
        let matches = 500;
        let most = (0.05 + 3.0 * (0.05 * 0.95 / f64::from(matches)).sqrt()) * f64::from(matches);
        assert!(f64::from(accepted(0.0, matches)) <= most);
        assert!(f64::from(matches - accepted(20.0, matches)) <= most);
        let undecided = accepted(10.0, matches);
        assert!((150..350).contains(&undecided), "half way both are as likely: {undecided}");
    }
}
