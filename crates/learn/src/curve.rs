//! The learning curve of a training, as a table and as charts.

use std::fmt::Write;

use super::{CurvePoint, TrainingState};
use labrys_support::chart::{Chart, ChartError, Curve, draw};

/// The curve as comma-separated values, with one line for each period and one for each comparison match,
/// ordered by steps. Lines of matches have the scores against the rivals, from 0 to 1, and lines of periods
/// the weights; the other columns of a line are empty.
pub fn table(state: &TrainingState, names: &[&str], rivals: &[String]) -> String {
    let mut lines: Vec<(u64, String)> = Vec::new();
    for point in &state.curve {
        let mut line = format!("{},{},{},{}", point.steps, point.game, point.clones, point.change);
        line.push_str(&",".repeat(rivals.len()));
        // Writing to a string cannot fail.
        point.weights.iter().for_each(|weight| _ = write!(line, ",{weight}"));
        lines.push((point.steps, line));
    }
    for comparison in &state.comparisons {
        let mut line = format!("{},{},,", comparison.steps, comparison.games);
        comparison.scores.iter().for_each(|score| _ = write!(line, ",{score}"));
        line.push_str(&",".repeat(names.len()));
        lines.push((comparison.steps, line));
    }
    lines.sort_by_key(|(steps, _)| *steps);
    // A rival may be a file whose name contains a comma.
    let scores: String =
        rivals.iter().map(|rival| format!("score against {},", rival.replace(',', "_"))).collect();
    let mut text = format!("steps,game,clones,change,{scores}{}\n", names.join(","));
    lines.iter().for_each(|(_, line)| _ = writeln!(text, "{line}"));
    text
}

/// The charts in SVG with their file names: the weights and the L1 norm of their change over steps, and the
/// scores over games. Empty charts are left out.
///
/// # Errors
/// [`ChartError`] when the drawing library fails.
pub fn charts(
    state: &TrainingState,
    names: &[&str],
    rivals: &[String],
) -> Result<Vec<(&'static str, String)>, ChartError> {
    let over_steps = |name: &str, value: &dyn Fn(&CurvePoint) -> f64| Curve {
        name: name.to_owned(),
        points: state.curve.iter().map(|point| (point.steps as f64, value(point))).collect(),
        ..Curve::default()
    };
    // The weights that have changed most have a name in the chart.
    let changed = |index: usize| (state.weights[index] - state.start[index]).abs();
    let mut indices: Vec<usize> = (0..names.len()).collect();
    indices.sort_by(|&one, &other| changed(other).total_cmp(&changed(one)));
    let weights = indices.iter().map(|&index| {
        let mut curve = over_steps(names[index], &|point| point.weights[index]);
        curve.points.insert(0, (0.0, state.start[index]));
        curve
    });
    let change = over_steps("change", &|point| point.change);
    let scores = rivals.iter().enumerate().map(|(rival, name)| Curve {
        name: name.clone(),
        points: state.comparisons.iter().map(|all| (all.games as f64, 100.0 * all.scores[rival])).collect(),
        ..Curve::default()
    });
    let steps = "steps (moves learned from)";
    let charts = [
        (
            "weights.svg",
            Chart {
                title: "Weights",
                x: steps,
                y: "weight",
                range: None,
                level: Some(0.0),
                curves: weights.collect(),
            },
        ),
        (
            "change.svg",
            Chart {
                title: "Change of the weights per period (L1 norm)",
                x: steps,
                y: "change",
                range: None,
                level: None,
                curves: vec![change],
            },
        ),
        (
            "score.svg",
            Chart {
                title: "Score against fixed opponents",
                x: "games",
                y: "score, %",
                range: Some(0.0..100.0),
                level: Some(50.0),
                curves: scores.collect(),
            },
        ),
    ];
    draw(charts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Comparison, Learner, TemporalDifference};

    fn state() -> TrainingState {
        let learner = Learner::Td(TemporalDifference::new(1.0, 0.0, None));
        let mut state = TrainingState::new(vec![0.0, 1.0], learner);
        state.weights = vec![0.5, -1.0];
        state.curve = vec![
            CurvePoint { steps: 10, game: 1, clones: 0, change: 0.25, weights: vec![0.25, 1.0] },
            CurvePoint { steps: 20, game: 3, clones: 1, change: 2.25, weights: vec![0.5, -1.0] },
        ];
        state.comparisons = vec![Comparison { games: 2, steps: 15, scores: vec![0.75, 0.5] }];
        state
    }

    fn rivals() -> [String; 2] {
        ["start".to_owned(), "a,b.json".to_owned()]
    }

    #[test]
    fn the_table_is_in_the_order_of_steps() {
        assert_eq!(
            table(&state(), &["one", "two"], &rivals()),
            "steps,game,clones,change,score against start,score against a_b.json,one,two\n\
            10,1,0,0.25,,,0.25,1\n15,2,,,0.75,0.5,,\n20,3,1,2.25,,,0.5,-1\n"
        );
    }

    #[test]
    fn empty_charts_are_left_out() {
        let names = |state: &TrainingState| -> Vec<_> {
            charts(state, &["one", "two"], &rivals()).unwrap().into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(&state()), ["weights.svg", "change.svg", "score.svg"]);
        assert_eq!(
            names(&TrainingState { comparisons: Vec::new(), ..state() }),
            ["weights.svg", "change.svg"]
        );
        let fresh = TrainingState { comparisons: Vec::new(), curve: Vec::new(), ..state() };
        assert!(names(&fresh).is_empty());
    }

    #[test]
    fn the_weights_that_change_most_are_named() {
        let names: Vec<_> = (0..10).map(|index| format!("weight{index}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let weights: Vec<_> = (0..10).map(f64::from).collect();
        let point = CurvePoint { steps: 10, game: 1, clones: 0, change: 1.0, weights: weights.clone() };
        let state = TrainingState { start: vec![9.0; 10], weights, curve: vec![point], ..state() };
        let charts = charts(&state, &names, &rivals()).unwrap();
        let (_, svg) = charts.iter().find(|(name, _)| *name == "weights.svg").unwrap();
        let named = |index: usize| svg.contains(names[index]);
        assert!((0..8).all(named) && !named(8) && !named(9) && svg.contains("2 more"), "{svg}");
    }
}
