//! Charts of matches: the score of each player over the games.

use super::pgn::PgnGame;
use super::{Pairs, Results};
use labrys_support::chart::{Chart, ChartError, Curve};

/// The names of the players, in the order of their first games, and the results of the games. A game without
/// a number is numbered by its place in the file; games without a result are left out. The last value is how
/// many others are left out, each with a warning.
pub fn results(games: impl IntoIterator<Item = PgnGame>) -> (Vec<String>, Results, u64) {
    let (mut names, mut results, mut refused) = (Vec::new(), Results::default(), 0);
    let games = games.into_iter().zip(1..).filter_map(|(game, place)| {
        let players = game.players.map(|player| player.name);
        Some((game.number.unwrap_or(place), players, game.end?.game_result()))
    });
    let mut games: Vec<_> = games.collect();
    games.sort_by_key(|(number, ..)| *number);
    for (number, players, result) in games {
        let players = players.map(|player| {
            names.iter().position(|name| *name == player).unwrap_or_else(|| {
                names.push(player);
                names.len() - 1
            })
        });
        if !results.add(number - 1, players, result) {
            refused += 1;
            log::warn!(
                "game {number} is left out: it has the number of another game, or the pair of another two players"
            );
        }
    }
    (names, results, refused)
}

/// Draws the score of each player over its games as SVG. With two players only the first is drawn, with its
/// 95 % confidence interval.
///
/// # Errors
/// [`ChartError`] when no pair of games is complete.
pub fn score_over_games(names: &[String], results: &Results) -> Result<String, ChartError> {
    let mut curves: Vec<_> =
        names.iter().zip(0..).map(|(name, player)| curve(name, player, results)).collect();
    curves.retain(|curve| !curve.points.is_empty());
    let title = match names {
        [first, second] => format!("{first} against {second}, with 95 % confidence interval"),
        _ => format!("{} players", names.len()),
    };
    if names.len() == 2 {
        curves.truncate(1);
    } else {
        curves.iter_mut().for_each(|curve| curve.band.clear());
    }
    Chart::of_scores(&title, "games", curves).to_svg()
}

/// The running score of a player, pair by pair, in percent.
fn curve(name: &str, player: usize, results: &Results) -> Curve {
    let mut pairs = Pairs::default();
    let mut curve = Curve { name: name.to_owned(), ..Curve::default() };
    for pair in results.complete() {
        let [first, second] = pair.points();
        match pair.players {
            [own, _] if own == player => pairs.add(first, second),
            [_, own] if own == player => pairs.add(!first, !second),
            _ => continue,
        }
        let (mean, error) = pairs.mean_and_error();
        let percent = |score: f64| 100.0 * score.clamp(0.0, 1.0);
        curve.points.push((2.0 * pairs.count() as f64, percent(mean)));
        curve.band.push((percent(mean - error), percent(mean + error)));
    }
    curve
}
