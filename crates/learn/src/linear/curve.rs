//! The learning curve of a training, as a table and as charts.

use std::iter::repeat_n;

use super::{CurvePoint, TrainingState};
use crate::report::{Report, Table};
use labrys_support::chart::{Chart, Curve};

impl TrainingState {
    /// The curve: a table, and charts of the weights and of the L1 norm of their change over steps, and of the
    /// scores over games.
    ///
    /// The table has one line for each period and one for each comparison match, ordered by steps. Lines of matches
    /// have the scores against the rivals, from 0 to 1, and lines of periods the weights; the other columns of a
    /// line are empty.
    pub fn report(&self, names: &[&str], rivals: &[String]) -> Report<'static> {
        let empty = |count| repeat_n(String::new(), count);
        let periods = self.curve.iter().map(|CurvePoint { steps, game, clones, change, weights }| {
            let cells = [steps.to_string(), game.to_string(), clones.to_string(), change.to_string()];
            let weights = weights.iter().map(f64::to_string);
            (*steps, cells.into_iter().chain(empty(rivals.len())).chain(weights).collect::<Vec<_>>())
        });
        let matches = self.comparisons.iter().map(|comparison| {
            let cells = [comparison.steps.to_string(), comparison.games.to_string()].into_iter();
            let scores = comparison.scores.iter().map(f64::to_string);
            (comparison.steps, cells.chain(empty(2)).chain(scores).chain(empty(names.len())).collect())
        });
        let mut lines: Vec<_> = periods.chain(matches).collect();
        lines.sort_by_key(|(steps, _)| *steps);
        let scores = rivals.iter().map(|rival| format!("score against {rival}"));
        let columns = ["steps", "game", "clones", "change"].map(str::to_owned).into_iter().chain(scores);
        let mut table = Table::new(columns.chain(names.iter().map(|&name| name.to_owned())));
        lines.into_iter().for_each(|(_, cells)| table.push(cells));

        let over_steps = |name: &str, value: &dyn Fn(&CurvePoint) -> f64| {
            Curve::new(name, self.curve.iter().map(|point| (point.steps as f64, value(point))))
        };
        // The chart names the weights that have changed most.
        let changed = |index: usize| (self.weights[index] - self.start[index]).abs();
        let mut indices: Vec<usize> = (0..names.len()).collect();
        indices.sort_by(|&one, &other| changed(other).total_cmp(&changed(one)));
        let weights = indices.iter().map(|&index| {
            let mut curve = over_steps(names[index], &|point| point.weights[index]);
            curve.points.insert(0, (0.0, self.start[index]));
            curve
        });
        let scores = rivals.iter().enumerate().map(|(rival, name)| {
            Curve::new(name, self.comparisons.iter().map(|all| (all.games as f64, 100.0 * all.scores[rival])))
        });
        let steps = "steps (moves learned from)";
        let weights = Chart { level: Some(0.0), ..Chart::new(["Weights", steps, "weight"], weights) };
        let title = "Change of the weights per period (L1 norm)";
        let change = Chart::new([title, steps, "change"], [over_steps("change", &|point| point.change)]);
        let scores = Chart::of_scores("Score against fixed opponents", "games", scores);
        let charts = vec![("weights.svg", weights), ("change.svg", change), ("score.svg", scores)];
        Report { name: "curve.csv", table, charts }
    }
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
            state().report(&["one", "two"], &rivals()).table.as_str(),
            "steps,game,clones,change,score against start,score against a_b.json,one,two\n\
            10,1,0,0.25,,,0.25,1\n15,2,,,0.75,0.5,,\n20,3,1,2.25,,,0.5,-1\n"
        );
    }

    #[test]
    fn empty_charts_are_left_out() {
        let names = |state: &TrainingState| -> Vec<_> {
            state
                .report(&["one", "two"], &rivals())
                .svgs()
                .unwrap()
                .into_iter()
                .map(|(name, _)| name)
                .collect()
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
        let charts = state.report(&names, &rivals()).svgs().unwrap();
        let (_, svg) = charts.iter().find(|(name, _)| *name == "weights.svg").unwrap();
        let named = |index: usize| svg.contains(names[index]);
        assert!((0..8).all(named) && !named(8) && !named(9) && svg.contains("2 more"), "{svg}");
    }
}
