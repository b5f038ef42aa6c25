//! The learning curve of a run, as a table and as charts.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Generation, ZeroState};
use labrys_support::chart::{Chart, ChartError, Curve, draw};
use labrys_support::elo::Pairs;

/// Elo of a net on the scale of its run, where the first net has 0, and half the width of its 95 % confidence
/// interval.
type Rating = (f64, f64);

/// The curve as comma-separated values, with one line for each generation. Columns of matches that were not
/// played are empty. Scores are from 0 to 1.
pub(super) fn table(state: &ZeroState) -> String {
    let names = opponents(state);
    let scores: String =
        names.iter().map(|name| format!(",score against {}", name.replace(',', "_"))).collect();
    let mut text = format!(
        "generation,white,drawn,black,positions,window,steps,policy loss,value loss,won,drawn,lost,accepted,\
         Elo,Elo error{scores}\n"
    );
    for ((generation, rating), number) in state.generations.iter().zip(ratings(state)).zip(1..) {
        let Generation { selfplay, positions, window, loss, gate, is_accepted, comparisons } = generation;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{number},{},{},{},{positions},{window},{},{},{}",
            selfplay.white, selfplay.drawn, selfplay.black, loss.steps, loss.policy, loss.value
        );
        let _ = match gate {
            Some(Pairs { games: [lost, drawn, won], .. }) => write!(text, ",{won},{drawn},{lost}"),
            None => write!(text, ",,,"),
        };
        let _ = write!(text, ",{is_accepted}");
        let _ = match rating {
            Some((elo, error)) => write!(text, ",{elo:.1},{error:.1}"),
            None => write!(text, ",,"),
        };
        for name in &names {
            let found = comparisons.iter().find(|(other, _)| other == name);
            text.push(',');
            found.iter().for_each(|(_, pairs)| _ = write!(text, "{}", pairs.score().0));
        }
        text.push('\n');
    }
    text
}

/// The charts in SVG with their file names: losses, Elo, and scores against the fixed opponents, over
/// generations. Empty charts are left out.
///
/// # Errors
/// [`ChartError`] when the drawing library fails.
pub(super) fn charts(state: &ZeroState) -> Result<Vec<(&'static str, String)>, ChartError> {
    let numbered =
        || state.generations.iter().zip(1..).map(|(generation, number)| (f64::from(number), generation));
    let loss = |name: &str, value: fn(&Generation) -> f64| Curve {
        name: name.to_owned(),
        points: numbered().map(|(number, generation)| (number, value(generation))).collect(),
        ..Curve::default()
    };
    let elo = numbered().zip(ratings(state)).filter_map(|((number, _), rating)| Some((number, rating?)));
    let scores = opponents(state).into_iter().map(|opponent| {
        let of = |generation: &Generation| {
            let found = generation.comparisons.iter().find(|(name, _)| *name == opponent)?;
            let (score, error) = found.1.score();
            Some((100.0 * score, 100.0 * error))
        };
        with_band(&opponent, numbered().filter_map(|(number, generation)| Some((number, of(generation)?))))
    });
    let charts = [
        (
            "loss.svg",
            Chart {
                title: "Losses",
                x: "generation",
                y: "mean loss of the steps",
                range: None,
                level: None,
                curves: vec![
                    loss("policy, cross entropy", |generation| generation.loss.policy),
                    loss("value, squared error", |generation| generation.loss.value),
                ],
            },
        ),
        (
            "elo.svg",
            Chart {
                title: "Elo by the matches with the best net before",
                x: "generation",
                y: "Elo above the first net",
                range: None,
                level: Some(0.0),
                curves: vec![with_band("Elo", elo)],
            },
        ),
        (
            "score.svg",
            Chart {
                title: "Score of the best net against fixed opponents",
                x: "generation",
                y: "score, %",
                range: Some(0.0..100.0),
                level: Some(50.0),
                curves: scores.collect(),
            },
        ),
    ];
    draw(charts)
}

/// The names of the fixed opponents.
fn opponents(state: &ZeroState) -> BTreeSet<String> {
    let comparisons = state.generations.iter().flat_map(|generation| &generation.comparisons);
    comparisons.map(|(name, _)| name.clone()).collect()
}

/// A curve of values with their errors.
fn with_band(name: &str, points: impl Iterator<Item = (f64, (f64, f64))>) -> Curve {
    let points: Vec<_> = points.collect();
    Curve {
        name: name.to_owned(),
        points: points.iter().map(|&(x, (y, _))| (x, y)).collect(),
        band: points.iter().map(|&(_, (y, error))| (y - error, y + error)).collect(),
    }
}

/// The rating of each generation: that of the best net before, plus the difference by their match. Errors add
/// up as independent ones do. `None` where there was no match.
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

/// The Elo difference and half the width of its 95 % confidence interval, by the slope of Elo at the score.
/// They are those of one drawn pair more than was played, so that both are finite.
fn difference(pairs: &Pairs) -> Rating {
    let mut pairs = *pairs;
    pairs.pentanomial[2] += 1;
    let (score, error) = pairs.score();
    (pairs.elo().estimate, error * 400.0 / (std::f64::consts::LN_10 * score * (1.0 - score)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zero::{MeanLoss, SelfPlayResult};
    use labrys_core::game::Points;

    fn generation(gate: Option<[Points; 2]>, is_accepted: bool) -> Generation {
        let gate = gate.map(|pair| {
            let mut pairs = Pairs::default();
            (0..9).for_each(|_| pairs.add(pair[0], pair[1]));
            pairs
        });
        Generation {
            selfplay: SelfPlayResult { white: 2, drawn: 0, black: 1 },
            positions: 30,
            window: 60,
            loss: MeanLoss { steps: 5, policy: 1.5, value: 0.25 },
            gate,
            is_accepted,
            comparisons: Vec::new(),
        }
    }

    #[test]
    fn ratings_add_up_over_the_nets_that_were_accepted() {
        use Points::{Draw, Win};
        let mut state = ZeroState::default();
        assert!(charts(&state).unwrap().is_empty());
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
    fn the_table_has_a_line_for_each_generation() {
        let mut pairs = Pairs::default();
        pairs.add(Points::Win, Points::Draw);
        let mut second = generation(Some([Points::Draw; 2]), false);
        second.comparisons = vec![("a,b".to_owned(), pairs)];
        let state = ZeroState { best: 1, generations: vec![generation(None, true), second] };
        let text = table(&state);
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].ends_with("accepted,Elo,Elo error,score against a_b"));
        assert_eq!(lines[1], "1,2,0,1,30,60,5,1.5,0.25,,,,true,,,");
        assert_eq!(lines[2], "2,2,0,1,30,60,5,1.5,0.25,0,18,0,false,0.0,0.0,0.75");
        let names: Vec<_> = charts(&state).unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["loss.svg", "elo.svg", "score.svg"]);
    }
}
