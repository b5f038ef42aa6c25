//! The summary of a match or a tournament, as text and as JSON.

use std::fmt;

use serde::Serialize;

use super::cross_table::CrossTable;
use super::{Elo, Hypothesis, Pairs, Rating, Results, Sprt, Termination, ratings};
use labrys_core::game::{Color, counted};

/// The results of a tournament. Only complete pairs of games count.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Games in complete pairs.
    pub games: u64,
    /// The players, in the order of their `--engine` arguments.
    pub players: Vec<PlayerSummary>,
    /// The pairings with complete pairs.
    pub pairings: Vec<PairingSummary>,
    /// The state of the SPRT, if the match has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSummary>,
}

/// The results of a player.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerSummary {
    /// Its name.
    pub name: String,
    /// Its games.
    #[serde(flatten)]
    pub tally: WinDrawLoss,
    /// Elo rating, see [`Rating`].
    pub elo: f64,
    /// Half the width of the 95 % confidence interval of `elo`; `null` in JSON if it is infinite.
    pub elo_error: f64,
    /// Games lost on time, by illegal moves, by crashes and by stalling.
    pub forfeits: Forfeits,
}

/// Games by result, from the point of view of one player.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WinDrawLoss {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Mean score of a game, from 0 to 1; ½ before the first game.
    pub score: f64,
}

/// Games lost by forfeit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Forfeits {
    /// Losses on time.
    pub time: u64,
    /// Illegal moves and invalid output.
    pub illegal: u64,
    /// Crashes.
    pub crash: u64,
    /// Stalls: no reply at all.
    pub stall: u64,
}

/// The results of two players against each other.
#[derive(Clone, Debug, Serialize)]
pub struct PairingSummary {
    /// The two players; everything else is from the first player's point of view.
    pub players: [String; 2],
    /// Their games.
    #[serde(flatten)]
    pub tally: WinDrawLoss,
    /// Pairs of games by half points, from 0 to 4.
    pub pentanomial: [u64; 5],
    /// The Elo difference; infinite values are `null` in JSON.
    #[serde(flatten)]
    pub elo: Elo,
}

/// The state of an SPRT.
#[derive(Clone, Debug, Serialize)]
pub struct SprtSummary {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// The log-likelihood ratio of the results.
    pub llr: f64,
    /// The bounds of the log-likelihood ratio.
    pub bounds: (f64, f64),
    /// The accepted hypothesis, if the test is decided.
    pub accepted: Option<Hypothesis>,
}

impl WinDrawLoss {
    fn of(pairs: &Pairs) -> WinDrawLoss {
        let [losses, draws, wins] = pairs.games;
        WinDrawLoss { wins, draws, losses, score: pairs.mean() }
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

impl Summary {
    /// Summarizes the results of the players `names`.
    pub fn new(names: &[String], results: &Results, sprt: Option<&Sprt>) -> Summary {
        let mut pairings: Vec<([usize; 2], Pairs)> = Vec::new();
        let mut totals = vec![Pairs::default(); names.len()];
        let mut forfeits = vec![Forfeits::default(); names.len()];
        for pair in results.complete() {
            let [a, b] = pair.players;
            let [first, second] = pair.points();
            let place = pairings.iter().position(|(players, _)| *players == pair.players);
            let place = place.unwrap_or_else(|| {
                pairings.push((pair.players, Pairs::default()));
                pairings.len() - 1
            });
            pairings[place].1.add(first, second);
            totals[a].add(first, second);
            totals[b].add(!first, !second);
            for (game, white) in pair.games.into_iter().zip([a, b]) {
                if let Some(winner) = game.winner {
                    let loser = if winner == Color::White { a + b - white } else { white };
                    forfeits[loser].count(game.termination);
                }
            }
        }
        let ratings = ratings(names.len(), &pairings);
        let players = names.iter().zip(totals).zip(ratings).zip(forfeits);
        let players = players.map(|(((name, total), Rating { elo, error }), forfeits)| PlayerSummary {
            name: name.clone(),
            tally: WinDrawLoss::of(&total),
            elo,
            elo_error: error,
            forfeits,
        });
        let sprt = sprt.zip(pairings.first().map(|(_, pairs)| *pairs).or(Some(Pairs::default())));
        Summary {
            games: pairings.iter().map(|(_, pairs)| 2 * pairs.count()).sum(),
            players: players.collect(),
            sprt: sprt.map(|(test, pairs)| SprtSummary {
                test: *test,
                llr: test.llr(&pairs),
                bounds: test.bounds(),
                accepted: test.accepted(&pairs),
            }),
            pairings: pairings
                .iter()
                .map(|(players, pairs)| PairingSummary {
                    players: players.map(|player| names[player].clone()),
                    tally: WinDrawLoss::of(pairs),
                    pentanomial: pairs.pentanomial,
                    elo: pairs.elo(),
                })
                .collect(),
        }
    }

    /// The standing in half a line, for a progress bar.
    pub fn brief(&self) -> String {
        match &self.pairings[..] {
            [] => String::new(),
            [PairingSummary { tally, elo, .. }] => {
                let WinDrawLoss { wins, draws, losses, score } = tally;
                let (score, estimate, error) = (100.0 * score, elo.estimate, (elo.high - elo.low) / 2.0);
                let mut text = format!("+{wins} ={draws} -{losses} {score:.1} % Elo {estimate:+.1}");
                if error.is_finite() {
                    text += &format!(" ± {error:.1}");
                }
                if let Some(sprt) = &self.sprt {
                    text += &format!(" LLR {:+.2} [{:.2}, {:.2}]", sprt.llr, sprt.bounds.0, sprt.bounds.1);
                }
                text
            }
            _ => {
                let leader = self.players.iter().max_by(|a, b| a.elo.total_cmp(&b.elo));
                leader.map_or(String::new(), |player| {
                    format!("{} leads, Elo {:+.1} ± {:.1}", player.name, player.elo, player.elo_error)
                })
            }
        }
    }

    /// Writes the ratings, best player first, and the cross table in the same order.
    fn write_tournament(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut order: Vec<_> = self.players.iter().collect();
        order.sort_by(|a, b| b.elo.total_cmp(&a.elo));
        let width = order.iter().map(|player| player.name.chars().count()).max().unwrap_or(0).max(6);
        write!(
            f,
            "   # {:width$} {:>7} {:>6} {:>6} {:>6} {:>7} {:>8} {:>7}",
            "player", "games", "wins", "draws", "losses", "score", "Elo", "±95 %"
        )?;
        for (player, place) in order.iter().zip(1..) {
            let PlayerSummary { name, tally, elo, elo_error, .. } = player;
            let WinDrawLoss { wins, draws, losses, score } = tally;
            let (games, score) = (tally.games(), format!("{:.1} %", 100.0 * score));
            write!(
                f,
                "\n{place:>4} {name:width$} {games:>7} {wins:>6} {draws:>6} {losses:>6} {score:>7} \
                 {elo:>+8.1} {elo_error:>7.1}"
            )?;
        }
        let players = order.iter().map(|player| player.name.as_str()).collect();
        write!(f, "\n\n{}", CrossTable { players, pairings: &self.pairings })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.players.len() > 2 {
            self.write_tournament(f)?;
        } else if let Some(pairing) = self.pairings.first() {
            let PairingSummary { players: [first, second], tally, pentanomial, elo } = pairing;
            let WinDrawLoss { wins, draws, losses, score } = tally;
            let games = tally.games();
            writeln!(
                f,
                "{first} against {second}: {}, +{wins} ={draws} -{losses}, score {:.1} %",
                counted(games, "game"),
                100.0 * score
            )?;
            writeln!(f, "{elo}")?;
            let [none, half, one, more, both] = pentanomial;
            write!(f, "pairs by points 0, ½, 1, 1½, 2: {none}, {half}, {one}, {more}, {both}")?;
        } else {
            f.write_str("no pair of games is complete")?;
        }
        if let Some(SprtSummary { test, llr, accepted, .. }) = &self.sprt {
            write!(f, "\nSPRT {test}: LLR {llr:.2}, ")?;
            match accepted {
                None => f.write_str("undecided")?,
                Some(Hypothesis::H0) => f.write_str("H0 accepted")?,
                Some(Hypothesis::H1) => f.write_str("H1 accepted")?,
            }
        }
        for PlayerSummary { name, forfeits, .. } in &self.players {
            if *forfeits != Forfeits::default() {
                let Forfeits { time, illegal, crash, stall } = forfeits;
                write!(
                    f,
                    "\n{name} lost {time} on time, {illegal} by illegal moves, {crash} by crashes, \
                     {stall} by stalling"
                )?;
            }
        }
        Ok(())
    }
}

impl Forfeits {
    fn count(&mut self, termination: Termination) {
        match termination {
            Termination::Rules | Termination::Adjudication => {}
            Termination::Time => self.time += 1,
            Termination::Illegal => self.illegal += 1,
            Termination::Crash => self.crash += 1,
            Termination::Stall => self.stall += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GameResult;

    /// Results of pairs, each given by the winners of its two games: `W`hite, `B`lack, or `=` for a draw.
    fn results(pairs: &[([usize; 2], &str, Termination)]) -> Results {
        let mut results = Results::default();
        for (&([first, second], games, termination), pair) in pairs.iter().zip(0..) {
            for (letter, slot) in games.chars().zip(0..) {
                let winner = match letter {
                    'W' => Some(Color::White),
                    'B' => Some(Color::Black),
                    _ => None,
                };
                let players = if slot == 0 { [first, second] } else { [second, first] };
                assert!(results.add(2 * pair + slot, players, GameResult { winner, termination }));
            }
        }
        results
    }

    fn names(number: usize) -> Vec<String> {
        ["ada", "bob", "cyd"][..number].iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn a_match_is_summarized_from_the_point_of_view_of_the_first() {
        let rules = Termination::Rules;
        let results = results(&[
            ([0, 1], "WB", rules),
            ([0, 1], "=W", rules),
            ([0, 1], "WW", Termination::Time),
            ([0, 1], "W", rules),
        ]);
        let summary = Summary::new(&names(2), &results, None);
        // Scores of the pairs: 1, ¼, ½, with the mean 0.5833 ± 0.3528.
        assert_eq!(
            summary.to_string(),
            "ada against bob: 6 games, +3 =1 -2, score 58.3 %\n\
             Elo +58.5 [-177.7, +386.1], LOS 69.6 %\n\
             pairs by points 0, ½, 1, 1½, 2: 0, 1, 1, 0, 1\n\
             ada lost 1 on time, 0 by illegal moves, 0 by crashes, 0 by stalling\n\
             bob lost 1 on time, 0 by illegal moves, 0 by crashes, 0 by stalling"
        );
        assert_eq!(summary.brief(), "+3 =1 -2 58.3 % Elo +58.5 ± 281.9");
        let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap();
        let summary = Summary::new(&names(2), &Results::default(), Some(&sprt));
        assert!(
            summary.to_string().starts_with("no pair of games is complete\nSPRT [0, 5] Elo"),
            "{summary}"
        );
        assert!(summary.to_string().ends_with("LLR 0.00, undecided"), "{summary}");
    }

    #[test]
    fn a_tournament_has_a_ranking_and_a_cross_table() {
        let rules = Termination::Rules;
        let results = results(&[([0, 1], "BW", rules), ([0, 2], "==", rules), ([1, 2], "W=", rules)]);
        let summary = Summary::new(&names(3), &results, None);
        let text = summary.to_string();
        let lines: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        // bob took both games from ada and ¾ from cyd; cyd and ada drew theirs.
        assert_eq!(lines[1][..8], ["1", "bob", "4", "3", "1", "0", "87.5", "%"]);
        assert_eq!((lines[2][1], lines[3][1]), ("cyd", "ada"));
        assert!(
            text.contains(
                "\n\n|     |   bob |   cyd | ada |\n\
                 |-----|------:|------:|----:|\n\
                 | bob |     - | 1.5/2 | 2/2 |\n\
                 | cyd | 0.5/2 |     - | 1/2 |\n\
                 | ada |   0/2 |   1/2 |   - |"
            ),
            "{text}"
        );
        assert!(summary.brief().starts_with("bob leads, Elo +"), "{}", summary.brief());
    }
}
