//! Elo difference of two players from the results of pairs of games.
//!
//! Every opening is played twice with colours swapped. The two games are not independent, so the variance is
//! that of the five possible results of a pair, the pentanomial distribution.

use std::fmt;

use serde::{Deserialize, Serialize};

use labrys_core::game::Wdl;

/// Results of pairs of games, from the first player's point of view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairs {
    /// Number of pairs by half points, from 0 (both games lost) to 4 (both won).
    pub pentanomial: [u64; 5],
    /// Number of games lost, drawn and won.
    pub games: [u64; 3],
}

/// An estimate of an Elo difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Elo {
    /// The estimate in Elo, always finite, see [`Pairs::score`].
    pub estimate: f64,
    /// Lower bound of the 95 % confidence interval, in Elo; infinite where the score may be 0.
    pub low: f64,
    /// Upper bound of the 95 % confidence interval, in Elo; infinite where the score may be 1.
    pub high: f64,
    /// Likelihood of superiority (LOS) of the first player, from 0 to 1.
    pub los: f64,
}

/// Half the width of a 95 % confidence interval, in standard errors.
pub const SIGMAS: f64 = 1.959_963_984_540_054;

/// The quantile of Student's t at which 95 % lie within, from one degree of freedom on: [`SIGMAS`] of a mean
/// whose variance is estimated from `degrees` + 1 values.
pub fn student(degrees: usize) -> f64 {
    const FIRST: [f64; 9] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];
    let n = degrees as f64;
    // M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 1964, 26.7.5.
    let expanded = || {
        let (first, third, fifth) = (SIGMAS, SIGMAS.powi(3), SIGMAS.powi(5));
        first + (third + first) / (4.0 * n) + (5.0 * fifth + 16.0 * third + 3.0 * first) / (96.0 * n * n)
    };
    FIRST.get(degrees.saturating_sub(1)).copied().unwrap_or_else(expanded)
}

/// Drawn pairs that are added to results by which a player has won or lost every game against all others, so
/// that ratings are finite.
pub const DRAWN_PAIRS: f64 = 0.5;

impl Pairs {
    /// Pairs from a pentanomial alone, without the results of single games.
    pub fn of(pentanomial: [u64; 5]) -> Pairs {
        Pairs { pentanomial, games: [0; 3] }
    }

    /// Adds a pair of games.
    pub fn add(&mut self, first: Wdl, second: Wdl) {
        self.pentanomial[first as usize + second as usize] += 1;
        self.games[first as usize] += 1;
        self.games[second as usize] += 1;
    }

    /// The number of pairs.
    pub fn count(&self) -> u64 {
        self.pentanomial.iter().sum()
    }

    /// The mean score of a pair, from 0 to 1; ½ without any pair.
    pub fn mean(&self) -> f64 {
        let points: f64 =
            (0..).zip(self.pentanomial).map(|(points, pairs)| f64::from(points) * pairs as f64).sum();
        if self.count() == 0 { 0.5 } else { points / 4.0 / self.count() as f64 }
    }

    /// The mean squared deviation of the score of a pair from `mean`, and the number of pairs, both with one
    /// pair more than was played, which has each of its five results to a fifth: from few results, or from
    /// results that are all the same, nobody can tell that others are impossible.
    pub fn deviation(&self, mean: f64) -> (f64, f64) {
        let count = self.count() as f64 + 1.0;
        let squares = (0..).zip(self.pentanomial).map(|(points, pairs)| {
            let deviation: f64 = f64::from(points) / 4.0 - mean;
            (pairs as f64 + 0.2) * deviation * deviation
        });
        (squares.sum::<f64>() / count, count)
    }

    /// The mean score and half the width of its 95 % confidence interval. The score is between 0 and 1: if every
    /// game was won, or lost, it is that with [`DRAWN_PAIRS`] more.
    pub fn score(&self) -> (f64, f64) {
        let count = self.count() as f64;
        let mut mean = self.mean();
        if mean == 0.0 || mean == 1.0 {
            mean = (mean * count + 0.5 * DRAWN_PAIRS) / (count + DRAWN_PAIRS);
        }
        let (deviation, count) = self.deviation(mean);
        (mean, SIGMAS * (deviation / count).sqrt())
    }

    /// The mean score as it is, also if every game was won, or lost, and the error of [`Pairs::score`].
    pub fn mean_and_error(&self) -> (f64, f64) {
        (self.mean(), self.score().1)
    }

    /// The Elo difference estimated from the results.
    pub fn elo(&self) -> Elo {
        let (mean, error) = self.score();
        Elo {
            estimate: elo_of_score(mean),
            low: elo_of_score(mean - error),
            high: elo_of_score(mean + error),
            los: normal_cdf((mean - 0.5) * SIGMAS / error),
        }
    }
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Elo { estimate, low, high, los } = self;
        write!(f, "Elo {estimate:+.1} [{low:+.1}, {high:+.1}], LOS {:.1} %", 100.0 * los)
    }
}

/// The Elo difference at which a score, from 0 to 1, is expected; infinite for 0 and 1.
fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

/// The expected score, from 0 to 1, at an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The cumulative distribution function of the standard normal distribution.
fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_student_are_those_of_tables() {
        for (degrees, quantile) in [(1, 12.706), (9, 2.262), (10, 2.228), (30, 2.042), (120, 1.980)] {
            assert!((student(degrees) - quantile).abs() < 3e-3, "{degrees}");
        }
    }

    #[test]
    fn scores_and_elo_are_inverse() {
        for elo in [-800.0, -100.0, 0.0, 5.0, 190.848_5] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
        assert!((score_of_elo(190.848_501_887_864_97) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn an_estimate_by_hand() {
        // Two pairs won by a point, one by half a point, one even: scores 1, 1, ¾, ½.
        let mut pairs = Pairs::default();
        pairs.add(Wdl::Win, Wdl::Win);
        pairs.add(Wdl::Win, Wdl::Win);
        pairs.add(Wdl::Draw, Wdl::Win);
        pairs.add(Wdl::Loss, Wdl::Win);
        assert_eq!((pairs.pentanomial, pairs.games), ([0, 0, 1, 1, 2], [1, 1, 6]));
        assert!((pairs.mean() - 0.8125).abs() < 1e-12);
        let elo = pairs.elo();
        assert!((elo.estimate - 254.73).abs() < 0.01, "{elo}");
        // With the additional pair the deviation is (0.171875 + 0.22265625) / 5, and the interval is that of the
        // score, 0.8125 ± 0.24622.
        assert!((elo.low - 46.33).abs() < 0.01 && elo.high == f64::INFINITY, "{elo}");
        assert!((elo.los - 0.993_56).abs() < 1e-4, "{elo}");
    }

    #[test]
    fn few_and_equal_results_are_not_certain() {
        // One pair with 1½ points: 0.75 ± 0.424.
        let elo = Pairs::of([0, 0, 0, 1, 0]).elo();
        assert!((elo.estimate - 190.85).abs() < 0.01 && (elo.los - 0.876).abs() < 0.001, "{elo}");
        assert!(elo.low < -80.0 && elo.high == f64::INFINITY, "{elo}");
        // A hundred even pairs: one in a hundred of the next ones may well be otherwise.
        let elo = Pairs::of([0, 0, 100, 0, 0]).elo();
        assert!(elo.estimate == 0.0 && elo.los == 0.5, "{elo}");
        assert!((elo.high - 4.77).abs() < 0.01 && (elo.low + elo.high).abs() < 1e-9, "{elo}");
    }

    #[test]
    fn one_sided_and_empty_matches_have_a_finite_estimate() {
        let won = Pairs::of([0, 0, 0, 0, 9]).elo();
        let lost = Pairs::of([9, 0, 0, 0, 0]).elo();
        assert!(won.estimate > 500.0 && won.estimate.is_finite() && won.los > 0.999, "{won}");
        assert!((won.estimate + lost.estimate).abs() < 1e-9 && (won.low + lost.high).abs() < 1e-9);
        let none = Pairs::default().elo();
        assert_eq!((none.estimate, none.low, none.high), (0.0, f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(none.los, 0.5);
    }
}
