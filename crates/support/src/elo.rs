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
    /// The estimate in Elo; infinite where every game was won or lost.
    pub estimate: f64,
    /// Lower bound of the 95 % confidence interval, in Elo.
    pub low: f64,
    /// Upper bound of the 95 % confidence interval, in Elo.
    pub high: f64,
    /// Likelihood of superiority (LOS) of the first player, from 0 to 1.
    pub los: f64,
}

/// Half the width of a 95 % confidence interval, in standard errors.
pub const SIGMAS: f64 = 1.959_963_984_540_054;

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

    /// Mean and variance of the score of a pair, which is from 0 to 1; ½ and 0 without any pair.
    pub fn mean_and_variance(&self) -> (f64, f64) {
        let n = self.count() as f64;
        if n == 0.0 {
            return (0.5, 0.0);
        }
        let moment = |f: &dyn Fn(f64) -> f64| {
            (0..)
                .zip(self.pentanomial)
                .map(|(points, count)| f(f64::from(points) / 4.0) * count as f64)
                .sum::<f64>()
                / n
        };
        let mean = moment(&|score| score);
        (mean, moment(&|score| (score - mean).powi(2)))
    }

    /// The mean score, from 0 to 1, and half the width of its 95 % confidence interval.
    pub fn score(&self) -> (f64, f64) {
        let (mean, variance) = self.mean_and_variance();
        (mean, SIGMAS * (variance / self.count().max(1) as f64).sqrt())
    }

    /// The Elo difference estimated from the results.
    pub fn elo(&self) -> Elo {
        let (mean, error) = self.score();
        Elo {
            estimate: elo_of_score(mean),
            low: elo_of_score(mean - error),
            high: elo_of_score(mean + error),
            // With an error of 0 the LOS is 0 or 1; at a score of ½ the division could be 0 / 0.
            los: if mean == 0.5 { 0.5 } else { normal_cdf((mean - 0.5) * SIGMAS / error) },
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
        let (mean, variance) = pairs.mean_and_variance();
        assert!((mean - 0.8125).abs() < 1e-12 && (variance - 0.042_968_75).abs() < 1e-12);
        let elo = pairs.elo();
        assert!((elo.estimate - 254.73).abs() < 0.01, "{elo}");
        // The interval is that of the score, 0.8125 ± 0.20314.
        assert!((elo.low - 77.24).abs() < 0.01 && elo.high == f64::INFINITY, "{elo}");
        assert!((elo.los - 0.998_7).abs() < 1e-4, "{elo}");
    }

    #[test]
    fn one_sided_and_empty_matches_have_an_estimate() {
        assert_eq!(Pairs::of([0, 0, 0, 0, 9]).elo().estimate, f64::INFINITY);
        assert_eq!(Pairs::of([9, 0, 0, 0, 0]).elo().los, 0.0);
        assert_eq!(Pairs::of([0, 0, 9, 0, 0]).elo().los, 0.5);
        assert_eq!(Pairs::default().elo().estimate, 0.0);
    }
}
