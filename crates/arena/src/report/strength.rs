//! The players of a report: their scores, ratings and searches.

use serde::Serialize;

use super::GameFacts;
use crate::{GameResult, Pairs, Rating, Termination, ratings};
use labrys_core::game::{Color, Wdl};

/// A player, known by its name.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerReport {
    /// Its name.
    pub name: String,
    /// Its games; one that it plays against itself counts twice.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Of these, the ones lost on time.
    pub losses_on_time: u64,
    /// Mean score of a game, from 0 to 1.
    pub score: f64,
    /// Elo rating by complete pairs of games, with the mean of the players at 0; `None` without another
    /// player.
    pub elo: Option<f64>,
    /// Half the width of the 95 % confidence interval of `elo`.
    pub elo_error: Option<f64>,
    /// The mean number of legal moves on its turns.
    pub branching: Option<f64>,
    /// The mean depth of its searches, where recorded.
    pub depth: Option<f64>,
    /// Their mean nodes, where recorded.
    pub nodes: Option<f64>,
    /// Their mean time in seconds, where recorded.
    pub seconds: Option<f64>,
}

/// How much stronger players are by what they search: a line through their ratings, each weighted by its
/// error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slope {
    /// What the players differ in.
    pub per: &'static str,
    /// Elo for it.
    pub elo: f64,
    /// The number of players.
    pub players: usize,
}

/// The fewest players that a line is drawn through.
const PLAYERS_OF_A_SLOPE: usize = 3;

/// The players, in the order of their first games.
#[derive(Debug, Default)]
pub(super) struct Players(Vec<Player>);

#[derive(Debug, Default)]
struct Player {
    name: String,
    /// Games lost, drawn and won.
    games: [u64; 3],
    losses_on_time: u64,
    legal_moves: Mean,
    depth: Mean,
    nodes: Mean,
    seconds: Mean,
}

/// A sum and the number of its terms.
#[derive(Clone, Copy, Debug, Default)]
struct Mean(f64, u64);

impl Mean {
    fn add(&mut self, value: f64) {
        self.0 += value;
        self.1 += 1;
    }

    fn get(self) -> Option<f64> {
        (self.1 > 0).then(|| self.0 / self.1 as f64)
    }
}

impl Players {
    /// Adds a finished game. Returns the indices of White and Black.
    pub(super) fn add(&mut self, facts: &GameFacts, result: GameResult) -> [usize; 2] {
        let indices = facts.players.each_ref().map(|name| self.index(name));
        for color in Color::BOTH {
            let player = &mut self.0[indices[color.index()]];
            let own = Wdl::of(result.winner, color);
            player.games[own as usize] += 1;
            player.losses_on_time += u64::from(own == Wdl::Loss && result.termination == Termination::Time);
        }
        for turn in &facts.turns {
            let player = &mut self.0[indices[turn.player.index()]];
            player.legal_moves.add(turn.legal_moves as f64);
            turn.depth.into_iter().for_each(|depth| player.depth.add(f64::from(depth)));
            turn.nodes.into_iter().for_each(|nodes| player.nodes.add(nodes as f64));
            turn.seconds.into_iter().for_each(|seconds| player.seconds.add(seconds));
        }
        indices
    }

    fn index(&mut self, name: &str) -> usize {
        self.0.iter().position(|player| player.name == name).unwrap_or_else(|| {
            self.0.push(Player { name: name.to_owned(), ..Player::default() });
            self.0.len() - 1
        })
    }

    /// The players, rated by the results of pairs of them, the strongest first.
    pub(super) fn report(&self, pairings: &[([usize; 2], Pairs)]) -> Vec<PlayerReport> {
        let ratings = if pairings.is_empty() { Vec::new() } else { ratings(self.0.len(), pairings) };
        // A player without a complete pair has no rating.
        let is_rated = |index| pairings.iter().any(|(players, _)| players.contains(&index));
        let rating = |index: usize| ratings.get(index).copied().filter(|_| is_rated(index));
        let mut players: Vec<_> =
            self.0.iter().zip(0..).map(|(player, index)| player.report(rating(index))).collect();
        let order = |player: &PlayerReport| player.elo.unwrap_or(f64::NEG_INFINITY);
        players.sort_by(|a, b| order(b).total_cmp(&order(a)));
        players
    }
}

impl Player {
    fn report(&self, rating: Option<Rating>) -> PlayerReport {
        let [losses, draws, wins] = self.games;
        let games = wins + draws + losses;
        PlayerReport {
            name: self.name.clone(),
            games,
            wins,
            draws,
            losses,
            losses_on_time: self.losses_on_time,
            score: (wins as f64 + draws as f64 / 2.0) / games.max(1) as f64,
            elo: rating.map(|rating| rating.elo),
            elo_error: rating.map(|rating| rating.error).filter(|error| error.is_finite()),
            branching: self.legal_moves.get(),
            depth: self.depth.get(),
            nodes: self.nodes.get(),
            seconds: self.seconds.get(),
        }
    }
}

/// What players are compared by, and their values of it.
type Measure = (&'static str, fn(&PlayerReport) -> Option<f64>);

/// Depth, and the logarithms of nodes and time.
pub(super) const MEASURES: [Measure; 3] = [
    ("ply of depth", |player| player.depth),
    ("doubling of nodes", |player| player.nodes.filter(|&nodes| nodes > 0.0).map(f64::log2)),
    ("doubling of time", |player| player.seconds.filter(|&seconds| seconds > 0.0).map(f64::log2)),
];

/// The rated players by one measure, from left to right, with their rating and its error.
pub(super) fn rated(players: &[PlayerReport], (_, value): Measure) -> Vec<(f64, f64, f64)> {
    let mut rated: Vec<_> =
        players.iter().filter_map(|player| Some((value(player)?, player.elo?, player.elo_error?))).collect();
    rated.sort_by(|a, b| a.0.total_cmp(&b.0));
    rated
}

/// The slopes by every measure in which three players or more differ.
pub(super) fn slopes(players: &[PlayerReport]) -> Vec<Slope> {
    let slope = |measure: Measure| {
        let points = rated(players, measure);
        let elo = slope(&points).filter(|_| points.len() >= PLAYERS_OF_A_SLOPE)?;
        Some(Slope { per: measure.0, elo, players: points.len() })
    };
    MEASURES.into_iter().filter_map(slope).collect()
}

/// The slope of the weighted least squares line through points, each with its error; `None` where all have
/// the same place.
fn slope(points: &[(f64, f64, f64)]) -> Option<f64> {
    let weight = |error: f64| 1.0 / (error * error).max(1e-9);
    let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|&(x, y, error)| weight(error) * term(x, y)).sum()
    };
    let total = sum(&|_, _| 1.0);
    let (x, y) = (sum(&|x, _| x) / total, sum(&|_, y| y) / total);
    let variance = sum(&|other, _| (other - x).powi(2));
    (variance > 1e-9 * total).then(|| sum(&|other, value| (other - x) * (value - y)) / variance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_through_its_points() {
        let line = [(1.0, 10.0, 5.0), (2.0, 30.0, 9.0), (4.0, 70.0, 2.0)];
        assert!((slope(&line).unwrap() - 20.0).abs() < 1e-9);
        assert_eq!(slope(&[(1.0, 10.0, 5.0), (1.0, 30.0, 5.0)]), None);
        // A point with a large error hardly counts.
        let outlier = [(1.0, 10.0, 5.0), (2.0, 30.0, 5.0), (3.0, 500.0, 5_000.0)];
        assert!((slope(&outlier).unwrap() - 20.0).abs() < 0.1);
    }
}
