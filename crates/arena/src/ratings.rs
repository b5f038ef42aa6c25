//! Elo ratings of the players of a tournament.

use nalgebra::{DMatrix, DVector};

use super::Pairs;
use labrys_support::elo::{DRAWN_PAIRS, SIGMAS, score_of_elo};

/// The rating of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rating {
    /// Elo; the mean of all players that games connect is 0.
    pub elo: f64,
    /// Half the width of the 95 % confidence interval. Infinite for a player without a pair of games, and for
    /// all while there are several groups of players without a pair between them.
    pub error: f64,
}

/// Maximum number of Newton steps; about five are needed.
const STEPS: usize = 50;

/// Maximum length of a Newton step in Elo: far from the maximum the likelihood is flat and steps overshoot.
const MAX_STEP: f64 = 200.0;

/// Maximum likelihood ratings of `players` players in the model of R. Bradley and M. Terry, where the
/// expected score is logistic in the difference of ratings. Where there is no maximum, since a player, or a
/// group of them, has won or lost every game against the others, each pairing has [`DRAWN_PAIRS`] more. The
/// errors are the sandwich estimator of P. Huber over pairs of games, so the correlation between the two
/// games of a pair is accounted for; each pairing that was played has a pair more, see [`Pairs::deviation`].
pub fn ratings(players: usize, results: &[([usize; 2], Pairs)]) -> Vec<Rating> {
    let mut ratings = vec![Rating { elo: 0.0, error: f64::INFINITY }; players];
    let groups = groups(players, results);
    for group in &groups {
        let place = |player: &usize| group.binary_search(player).ok();
        let own = results.iter().filter_map(|([first, second], pairs)| {
            Some(([place(first)?, place(second)?], *pairs)).filter(|_| pairs.count() > 0)
        });
        for (&player, rating) in group.iter().zip(connected(group.len(), &own.collect::<Vec<_>>())) {
            let error = if groups.len() == 1 { rating.error } else { f64::INFINITY };
            ratings[player] = Rating { error, ..rating };
        }
    }
    ratings
}

/// The groups of players that pairs of games connect, each in order. A player without a pair is in none.
fn groups(players: usize, results: &[([usize; 2], Pairs)]) -> Vec<Vec<usize>> {
    let mut groups: Vec<_> = (0..players).map(|player| vec![player]).collect();
    for (both, _) in results.iter().filter(|(_, pairs)| pairs.count() > 0) {
        let is_joined = |group: &Vec<usize>| both.iter().any(|one| group.contains(one));
        let (joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_joined);
        groups = others;
        groups.push(joined.concat());
    }
    groups.retain(|group| group.len() > 1);
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups
}

/// The ratings of players that the pairings, each with pairs of games, connect.
fn connected(players: usize, results: &[([usize; 2], Pairs)]) -> Vec<Rating> {
    let mut elo = DVector::<f64>::zeros(players);
    let scale = std::f64::consts::LN_10 / 400.0;
    let drawn = if has_maximum(players, results) { 0.0 } else { DRAWN_PAIRS };
    for _ in 0..STEPS {
        let (gradient, curvature) = derivatives(&elo, results, drawn);
        let Some(step) = invert(curvature).map(|inverse| inverse * gradient / scale) else { break };
        let longest = step.amax();
        elo += step * (MAX_STEP / longest.max(MAX_STEP));
        if longest < 1e-9 {
            break;
        }
    }
    // Singular where expected scores round to 0 and 1.
    let covariance = covariance(&elo, results);
    (0..players)
        .map(|player| {
            let variance = covariance.as_ref().map_or(f64::INFINITY, |matrix| matrix[(player, player)]);
            Rating { elo: elo[player], error: SIGMAS * variance.max(0.0).sqrt() / scale }
        })
        .collect()
}

/// Whether the likelihood has a maximum: each player has scored against some other, that one against a
/// further one, and so on to all players (L. R. Ford, "Solution of a ranking problem from binary
/// comparisons", 1957).
fn has_maximum(players: usize, results: &[([usize; 2], Pairs)]) -> bool {
    let mut scored = vec![vec![false; players]; players];
    for &([first, second], ref pairs) in results {
        let mean = pairs.mean();
        scored[first][second] |= mean > 0.0;
        scored[second][first] |= mean < 1.0;
    }
    for between in 0..players {
        let further = scored[between].clone();
        for row in scored.iter_mut().filter(|row| row[between]) {
            row.iter_mut().zip(&further).for_each(|(reached, &further)| *reached |= further);
        }
    }
    scored.iter().flatten().all(|&reached| reached)
}

/// Adds to a matrix what a pairing contributes, by its amount.
fn add(matrix: &mut DMatrix<f64>, [first, second]: [usize; 2], amount: f64) {
    matrix[(first, first)] += amount;
    matrix[(second, second)] += amount;
    matrix[(first, second)] -= amount;
    matrix[(second, first)] -= amount;
}

/// The gradient of the log-likelihood at `elo` and its negated Hessian, in units of pairs, with `drawn` pairs
/// more in each pairing.
fn derivatives(
    elo: &DVector<f64>,
    results: &[([usize; 2], Pairs)],
    drawn: f64,
) -> (DVector<f64>, DMatrix<f64>) {
    let players = elo.len();
    let (mut gradient, mut curvature) = (DVector::zeros(players), DMatrix::zeros(players, players));
    for &([first, second], ref pairs) in results {
        let expected = score_of_elo(elo[first] - elo[second]);
        let count = pairs.count() as f64;
        let surplus = count * (pairs.mean() - expected) + drawn * (0.5 - expected);
        gradient[first] += surplus;
        gradient[second] -= surplus;
        add(&mut curvature, [first, second], (count + drawn) * expected * (1.0 - expected));
    }
    (gradient, curvature)
}

/// The covariance of the ratings.
fn covariance(elo: &DVector<f64>, results: &[([usize; 2], Pairs)]) -> Option<DMatrix<f64>> {
    let players = elo.len();
    let (mut curvature, mut noise) = (DMatrix::zeros(players, players), DMatrix::zeros(players, players));
    for &([first, second], ref pairs) in results {
        let expected = score_of_elo(elo[first] - elo[second]);
        let (deviation, count) = pairs.deviation(expected);
        add(&mut curvature, [first, second], count * expected * (1.0 - expected));
        add(&mut noise, [first, second], count * deviation);
    }
    let inverse = invert(curvature)?;
    Some(&inverse * noise * &inverse)
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
        assert!((first.elo - second.elo - elo.estimate).abs() < 1e-6, "{first:?} {elo}");
        assert!((first.elo + second.elo).abs() < 1e-6);
        let half = (elo.high - elo.low) / 4.0;
        assert!((first.error - half).abs() < 0.05 && (second.error - half).abs() < 0.05, "{first:?} {half}");
        // Also of few results, and of none that was not won.
        for pentanomial in [[0, 0, 0, 1, 0], [0, 0, 0, 0, 9], [0, 1, 0, 0, 1]] {
            let pairs = Pairs::of(pentanomial);
            let [first, second] = ratings(2, &[([0, 1], pairs)])[..] else { panic!() };
            assert!((first.elo - second.elo - pairs.elo().estimate).abs() < 1e-6, "{pentanomial:?}");
            assert!(first.error > 50.0, "{pentanomial:?} {first:?}");
        }
    }

    #[test]
    fn groups_that_won_every_game_against_the_others_have_finite_ratings() {
        let [won, mixed] = [[0, 0, 0, 0, 10], [2, 2, 2, 2, 2]].map(Pairs::of);
        let groups = [([0, 1], mixed), ([2, 3], mixed), ([0, 2], won), ([1, 3], won)];
        let found = ratings(4, &groups);
        assert!(found[0].elo > 200.0 && found[0].elo < 2_000.0, "{found:?}");
        // As soon as one has not, the likelihood has a maximum: the expected scores are those of the results.
        let found = ratings(4, &[groups[0], groups[1], ([0, 2], Pairs::of([0, 0, 0, 1, 9])), groups[3]]);
        let score = |one: usize, other: usize| score_of_elo(found[one].elo - found[other].elo);
        assert!((10.0 * (score(0, 2) + score(1, 3)) - 19.75).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn a_player_who_won_every_game_has_a_finite_rating() {
        let won = Pairs::of([0, 0, 0, 0, 10]);
        let found = ratings(3, &[([0, 1], won), ([0, 2], won), ([1, 2], Pairs::default())]);
        assert!(found[0].elo > 300.0 && found[0].elo.is_finite(), "{found:?}");
        assert!((found[1].elo - found[2].elo).abs() < 1e-6);
        assert!(ratings(2, &[]).iter().all(|rating| rating.elo == 0.0));
    }

    #[test]
    fn only_players_that_games_connect_are_compared() {
        let alone = ratings(2, &[([0, 1], Pairs::of([1, 2, 3, 4, 5]))]);
        let [better, worse] = [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]].map(Pairs::of);
        // A player without a pair of games is not rated, and changes nothing.
        let found = ratings(4, &[([1, 3], better), ([0, 1], Pairs::default())]);
        assert_eq!([found[1], found[3]], alone[..]);
        assert!(
            [0, 2].iter().all(|&one| found[one] == Rating { elo: 0.0, error: f64::INFINITY }),
            "{found:?}"
        );
        // Two groups: each has its mean, and nothing is known about their distance.
        let found = ratings(4, &[([0, 2], better), ([1, 3], worse)]);
        for (rating, of) in found.iter().zip([0, 1, 1, 0]) {
            assert!((rating.elo - alone[of].elo).abs() < 1e-6, "{found:?}");
        }
        assert!(found.iter().all(|rating| rating.error.is_infinite()), "{found:?}");
        // A pair between them connects them, whatever the order.
        let found = ratings(4, &[([0, 2], better), ([1, 3], worse), ([0, 3], better)]);
        assert!(found.iter().all(|rating| rating.error < 500.0), "{found:?}");
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
