//! The learning curve of a run, as a table and as charts.

use std::collections::BTreeSet;

use super::{Generation, ZeroState};
use crate::report::{Report, Table, cell};
use labrys_support::chart::{Chart, Curve};
use labrys_support::elo::Pairs;

/// Elo of a net on the scale of its run, where the first net has 0, and half the width of its 95 % confidence
/// interval.
type Rating = (f64, f64);

/// The column names before those of the opponents.
const COLUMNS: &str = "generation,white,drawn,black,draw share,positions,distinct share,opening share,\
                       policy entropy,window,steps,policy loss,value loss,match won,match drawn,match lost,\
                       accepted,Elo,Elo error";

/// The curve: a table with a line for each generation, and charts of losses, Elo, scores against the fixed
/// opponents, draws and variety over generations. Scores and shares are from 0 to 1; cells of what was not
/// played or measured are empty.
pub(super) fn report(state: &ZeroState) -> Report<'static> {
    let (names, ratings) = (opponents(state), ratings(state));
    let score = |generation: &Generation, opponent: &str| {
        let (_, pairs) = generation.comparisons.iter().find(|(name, _)| name == opponent)?;
        Some(pairs.mean_and_error())
    };
    let columns = COLUMNS.split(',').map(str::to_owned);
    let mut table = Table::new(columns.chain(names.iter().map(|name| format!("score against {name}"))));
    for ((generation, rating), number) in state.generations.iter().zip(&ratings).zip(1..) {
        let Generation { selfplay, positions, window, loss, gate, is_accepted, .. } = generation;
        let results = [number, selfplay.white, selfplay.drawn, selfplay.black].map(|count| count.to_string());
        let played = [
            draw_share(generation).to_string(),
            positions.to_string(),
            cell(distinct_share(generation)),
            cell(opening_share(generation)),
            cell(entropy(generation)),
            window.to_string(),
            loss.steps.to_string(),
        ];
        let [lost, drawn, won] = [0, 1, 2].map(|result| cell(gate.map(|pairs| pairs.games[result])));
        let [elo, error] = [rating.map(|rating| rating.0), rating.map(|rating| rating.1)];
        let cells =
            [loss.policy.to_string(), loss.value.to_string(), won, drawn, lost, is_accepted.to_string()];
        let elo = [elo, error].map(|elo| cell(elo.map(|elo| format!("{elo:.1}"))));
        let scores = names.iter().map(|name| cell(score(generation, name).map(|score| score.0)));
        table.push(results.into_iter().chain(played).chain(cells).chain(elo).chain(scores));
    }

    let numbered = || state.generations.iter().zip((1..).map(f64::from));
    let loss = |name: &str, value: fn(&Generation) -> f64| {
        Curve::new(name, numbered().map(|(generation, number)| (number, value(generation))))
    };
    let losses = [
        loss("policy, cross entropy", |generation| generation.loss.policy),
        loss("value, squared error", |generation| generation.loss.value),
    ];
    let elo = numbered().zip(ratings).filter_map(|((_, number), rating)| Some(with_error(number, rating?)));
    let scores = names.iter().map(|name| {
        let percent = |(score, error)| (100.0 * score, 100.0 * error);
        let point = |(generation, number)| Some(with_error(number, percent(score(generation, name)?)));
        Curve::with_band(name, numbered().filter_map(point))
    });
    let (generation, elo) = ("generation", [Curve::with_band("Elo", elo)]);
    let losses = Chart::new(["Losses", generation, "mean loss of the steps"], losses);
    let titles = ["Elo by the matches with the best net before", generation, "Elo above the first net"];
    let elo = Chart { level: Some(0.0), ..Chart::new(titles, elo) };
    let scores = Chart::of_scores("Score of the best net against fixed opponents", generation, scores);
    let share = |name: &str, value: fn(&Generation) -> Option<f64>| {
        let point = |(of, number)| Some((number, 100.0 * value(of)?));
        Curve::new(name, numbered().filter_map(point))
    };
    let shares = [
        share("drawn games", |generation| Some(draw_share(generation))),
        share("distinct positions", distinct_share),
        share("distinct openings", opening_share),
    ];
    let titles = ["Draws and variety of self-play", generation, "share, %"];
    let shares = Chart { range: Some(0.0..100.0), ..Chart::new(titles, shares) };
    let nats = numbered().filter_map(|(of, number)| Some((number, entropy(of)?)));
    let titles = ["Entropy of the policy targets", generation, "mean, nats"];
    let entropies = Chart::new(titles, [Curve::new("entropy", nats)]);
    let charts = vec![
        ("loss.svg", losses),
        ("elo.svg", elo),
        ("score.svg", scores),
        ("variety.svg", shares),
        ("entropy.svg", entropies),
    ];
    Report { name: "curve.csv", table, charts }
}

/// The share of drawn games in self-play.
fn draw_share(generation: &Generation) -> f64 {
    generation.selfplay.drawn as f64 / generation.selfplay.games().max(1) as f64
}

/// The share of distinct positions in self-play.
fn distinct_share(generation: &Generation) -> Option<f64> {
    generation.variety.map(|variety| variety.distinct as f64 / generation.positions.max(1) as f64)
}

/// The number of distinct openings in self-play, as a share of the games.
fn opening_share(generation: &Generation) -> Option<f64> {
    let openings = generation.variety?.openings?;
    Some(openings as f64 / generation.selfplay.games().max(1) as f64)
}

/// The entropy of the policy targets.
fn entropy(generation: &Generation) -> Option<f64> {
    generation.variety.map(|variety| variety.entropy)
}

/// A point of a curve with the interval of its error.
fn with_error(x: f64, (y, error): (f64, f64)) -> (f64, f64, (f64, f64)) {
    (x, y, (y - error, y + error))
}

/// The names of the fixed opponents.
fn opponents(state: &ZeroState) -> BTreeSet<String> {
    let comparisons = state.generations.iter().flat_map(|generation| &generation.comparisons);
    comparisons.map(|(name, _)| name.clone()).collect()
}

/// The rating of each generation: that of the previous best net, plus the difference from their match. Errors
/// are added as independent ones. `None` where there was no match.
fn ratings(state: &ZeroState) -> Vec<Option<Rating>> {
    let mut best = (0.0, 0.0);
    let rate = |generation: &Generation| {
        let (difference, error) = difference(generation.gate.as_ref()?);
        let rating = (best.0 + difference, f64::hypot(best.1, error));
        if generation.is_accepted {
            best = rating;
        }
        Some(rating)
    };
    state.generations.iter().map(rate).collect()
}

/// The Elo difference and half the width of its 95 % confidence interval, by the slope of Elo at the score, so
/// that both are finite.
fn difference(pairs: &Pairs) -> Rating {
    let (score, error) = pairs.score();
    (pairs.elo().estimate, error * 400.0 / (std::f64::consts::LN_10 * score * (1.0 - score)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zero::{MeanLoss, SelfPlayResult, Variety};
    use labrys_core::game::Wdl;

    fn generation(gate: Option<[Wdl; 2]>, is_accepted: bool) -> Generation {
        let gate = gate.map(|pair| {
            let mut pairs = Pairs::default();
            (0..9).for_each(|_| pairs.add(pair[0], pair[1]));
            pairs
        });
        Generation {
            selfplay: SelfPlayResult { white: 2, drawn: 0, black: 1 },
            positions: 30,
            variety: Some(Variety { distinct: 15, entropy: 1.25, openings: Some(2) }),
            window: 60,
            loss: MeanLoss { steps: 5, policy: 1.5, value: 0.25 },
            gate,
            is_accepted,
            comparisons: Vec::new(),
        }
    }

    #[test]
    fn ratings_add_up_over_the_nets_that_were_accepted() {
        use Wdl::{Draw, Win};
        let mut state = ZeroState::default();
        assert!(report(&state).svgs().unwrap().is_empty());
        state.generations = vec![
            generation(Some([Win, Draw]), true),
            generation(Some([Draw, Draw]), false),
            generation(Some([Win, Win]), true),
            generation(Some([Draw, Draw]), true),
        ];
        let ratings: Vec<_> = ratings(&state).into_iter().flatten().collect();
        let [(first, error), (second, _), (third, _), (fourth, last_error)] = ratings[..] else { panic!() };
        assert!(first > 100.0 && (second - first).abs() < 1e-9, "{ratings:?}");
        assert!(third > first + 400.0 && third.is_finite() && (fourth - third).abs() < 1e-9);
        assert!(error > 0.0 && last_error > error);
    }

    #[test]
    fn the_score_of_games_that_were_all_won_is_1() {
        let mut generation = generation(None, true);
        let mut pairs = Pairs::default();
        (0..4).for_each(|_| pairs.add(Wdl::Win, Wdl::Win));
        generation.comparisons = vec![("first".to_owned(), pairs)];
        let state = ZeroState { best: 1, generations: vec![generation] };
        let table = report(&state).table;
        assert!(table.as_str().trim_end().ends_with(",true,,,1"), "{}", table.as_str());
    }

    #[test]
    fn the_table_has_a_line_for_each_generation() {
        let mut pairs = Pairs::default();
        pairs.add(Wdl::Win, Wdl::Draw);
        let mut second = generation(Some([Wdl::Draw; 2]), false);
        second.comparisons = vec![("a,b".to_owned(), pairs)];
        // A state of an earlier version.
        second.variety = None;
        let state = ZeroState { best: 1, generations: vec![generation(None, true), second] };
        let report = report(&state);
        let lines: Vec<_> = report.table.as_str().lines().collect();
        assert!(lines[0].ends_with("accepted,Elo,Elo error,score against a_b"));
        assert_eq!(lines[1], "1,2,0,1,0,30,0.5,0.6666666666666666,1.25,60,5,1.5,0.25,,,,true,,,");
        assert_eq!(lines[2], "2,2,0,1,0,30,,,,60,5,1.5,0.25,0,18,0,false,0.0,48.2,0.75");
        let names: Vec<_> = report.svgs().unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["loss.svg", "elo.svg", "score.svg", "variety.svg", "entropy.svg"]);
    }
}
