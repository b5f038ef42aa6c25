//! Elo ratings of the players of a tournament.

use nalgebra::{DMatrix, DVector};

use super::Pairs;
use labrys_support::elo::{SIGMAS, score_of_elo};

/// The rating of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rating {
    /// Elo; the mean of all players is 0.
    pub elo: f64,
    /// Half the width of the 95 % confidence interval.
    pub error: f64,
}

/// Drawn pairs added to every pairing as a prior, so that a player who won or lost every game has a finite
/// rating. Their weight is negligible in a match of a hundred pairs.
const PRIOR: f64 = 0.5;

/// Maximum number of Newton steps; about five are needed.
const STEPS: usize = 50;

/// Maximum length of a Newton step in Elo: far from the maximum the likelihood is flat and steps overshoot.
const LONGEST_STEP: f64 = 200.0;

/// Maximum likelihood ratings of `players` players in the model of R. Bradley and M. Terry, where the
/// expected score is logistic in the difference of ratings. The errors are the sandwich estimator of P. Huber
/// over pairs of games, so the correlation between the two games of a pair is accounted for.
pub fn ratings(players: usize, results: &[([usize; 2], Pairs)]) -> Vec<Rating> {
    let mut elo = DVector::<f64>::zeros(players);
    let scale = std::f64::consts::LN_10 / 400.0;
    for _ in 0..STEPS {
        let (gradient, curvature, _) = derivatives(&elo, results);
        let Some(step) = invert(curvature).map(|inverse| inverse * gradient / scale) else { break };
        let longest = step.amax();
        elo += step * (LONGEST_STEP / longest.max(LONGEST_STEP));
        if longest < 1e-9 {
            break;
        }
    }
    let (_, curvature, noise) = derivatives(&elo, results);
    // Without any pairing the matrix is singular and the errors are infinite.
    let covariance = invert(curvature).map(|inverse| &inverse * noise * &inverse);
    (0..players)
        .map(|player| {
            let variance = covariance.as_ref().map_or(f64::INFINITY, |matrix| matrix[(player, player)]);
            Rating { elo: elo[player], error: SIGMAS * variance.max(0.0).sqrt() / scale }
        })
        .collect()
}

/// The gradient of the log-likelihood at `elo`, its negated Hessian, and the covariance of the gradient, all
/// in units of pairs.
fn derivatives(
    elo: &DVector<f64>,
    results: &[([usize; 2], Pairs)],
) -> (DVector<f64>, DMatrix<f64>, DMatrix<f64>) {
    let players = elo.len();
    let mut gradient = DVector::zeros(players);
    let (mut curvature, mut noise) = (DMatrix::zeros(players, players), DMatrix::zeros(players, players));
    for &([first, second], ref pairs) in results {
        let expected = score_of_elo(elo[first] - elo[second]);
        let count = pairs.count() as f64;
        let (mean, variance) = pairs.mean_and_variance();
        let surplus = count * (mean - expected) + PRIOR * (0.5 - expected);
        gradient[first] += surplus;
        gradient[second] -= surplus;
        let spread = count * (variance + (mean - expected).powi(2));
        for (matrix, amount) in
            [(&mut curvature, (count + PRIOR) * expected * (1.0 - expected)), (&mut noise, spread)]
        {
            matrix[(first, first)] += amount;
            matrix[(second, second)] += amount;
            matrix[(first, second)] -= amount;
            matrix[(second, first)] -= amount;
        }
    }
    (gradient, curvature, noise)
}

/// Inverts a matrix on the subspace of ratings whose sum is 0. The matrix is singular outside of it, since
/// adding a constant to all ratings changes no expected score.
fn invert(matrix: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let players = matrix.nrows();
    let ones = DMatrix::from_element(players, players, 1.0 / players as f64);
    let inverse = (matrix + &ones).try_inverse()?;
    Some(inverse - ones)
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use labrys_core::game::Wdl;

    #[test]
    fn two_players_share_their_difference() {
        let pairs = Pairs::of([500, 1500, 4000, 2500, 1500]);
        let elo = pairs.elo();
        let [first, second] = ratings(2, &[([0, 1], pairs)])[..] else { panic!() };
        assert!((first.elo - second.elo - elo.estimate).abs() < 0.05, "{first:?} {elo}");
        assert!((first.elo + second.elo).abs() < 1e-6);
        let half = (elo.high - elo.low) / 4.0;
        assert!((first.error - half).abs() < 0.05 && (second.error - half).abs() < 0.05, "{first:?} {half}");
    }

    #[test]
    fn a_player_who_won_every_game_has_a_finite_rating() {
        let won = Pairs::of([0, 0, 0, 0, 10]);
        let found = ratings(3, &[([0, 1], won), ([0, 2], won), ([1, 2], Pairs::default())]);
        assert!(found[0].elo > 300.0 && found[0].elo.is_finite(), "{found:?}");
        assert!((found[1].elo - found[2].elo).abs() < 1e-6);
        assert!(ratings(2, &[]).iter().all(|rating| rating.elo == 0.0));
    }

    /// Simulated tournaments of three players: the estimates are unbiased, and 95 % of the intervals contain
    /// the true rating, within three standard errors.
    #[test]
    fn intervals_have_their_coverage() {
        let truth = [40.0, 0.0, -40.0];
        let mut random = StdRng::seed_from_u64(3);
        let tournaments = 400;
        let (mut sums, mut held) = ([0.0; 3], 0);
        for _ in 0..tournaments {
            let results: Vec<_> = [[0, 1], [0, 2], [1, 2]]
                .map(|[a, b]: [usize; 2]| {
                    let win = score_of_elo(truth[a] - truth[b]) - 0.15;
                    let mut pairs = Pairs::default();
                    for _ in 0..100 {
                        // Half of the time the second game repeats the first: the games of a pair are
                        // correlated.
                        let mut game = || match random.random::<f64>() {
                            x if x < win => Wdl::Win,
                            x if x < win + 0.3 => Wdl::Draw,
                            _ => Wdl::Loss,
                        };
                        let (first, other) = (game(), game());
                        pairs.add(first, if random.random() { first } else { other });
                    }
                    ([a, b], pairs)
                })
                .into();
            for ((rating, truth), sum) in ratings(3, &results).iter().zip(truth).zip(&mut sums) {
                *sum += rating.elo;
                held += u32::from((rating.elo - truth).abs() <= rating.error);
            }
        }
        for (sum, truth) in sums.into_iter().zip(truth) {
            assert!((sum / f64::from(tournaments) - truth).abs() < 3.0, "{sums:?}");
        }
        let share = f64::from(held) / f64::from(3 * tournaments);
        let tolerance = 3.0 * (0.95f64 * 0.05 / f64::from(3 * tournaments)).sqrt();
        assert!((share - 0.95).abs() < tolerance, "{share}");
    }
}
