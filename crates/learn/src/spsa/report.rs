//! The progress of a tuning, as a table and as a chart.

use super::{Parameter, Spsa, SpsaState};
use crate::report::{Report, Table};
use labrys_support::chart::{Chart, Curve};

impl Spsa {
    /// The values over time: a table with one line for each point of the curve, and a chart of each value as a
    /// percentage of its range, whose legend names those that have moved most.
    pub fn report(&self, state: &SpsaState) -> Report<'static> {
        let names = self.parameters.iter().map(|parameter| parameter.name.as_str());
        let mut table = Table::new(["iteration"].into_iter().chain(names));
        for point in &state.curve {
            let values = point.values.iter().map(|value| format!("{value:.4}"));
            table.push([point.iteration.to_string()].into_iter().chain(values));
        }
        let curves = self.by_movement(state).into_iter().map(|index| {
            let Parameter { name, min, max, .. } = &self.parameters[index];
            let share = |value: f64| 100.0 * (value - min) / (max - min);
            let points = state.curve.iter();
            Curve::new(name, points.map(|point| (point.iteration as f64, share(point.values[index]))))
        });
        let titles = ["SPSA", "iterations", "share of the range, %"];
        let chart = Chart { range: Some(0.0..100.0), ..Chart::new(titles, curves) };
        Report { name: "spsa.csv", table, charts: vec![("spsa.svg", chart)] }
    }

    /// One line with the games and the value that has moved most.
    pub fn summary(&self, state: &SpsaState) -> String {
        let [lost, drawn, won] = state.games;
        let most = self.by_movement(state).first().map_or(String::new(), |&index| {
            let (Parameter { name, start, .. }, value) = (&self.parameters[index], state.values[index]);
            format!(", moved most: {name} {start} → {value:.2}")
        });
        format!("θ⁺ +{won} ={drawn} -{lost}{most}")
    }

    /// The indices of the parameters, sorted by how much of their range they have moved, the most first.
    fn by_movement(&self, state: &SpsaState) -> Vec<usize> {
        let moved = |&index: &usize| {
            let Parameter { start, min, max, .. } = self.parameters[index];
            (state.values[index] - start).abs() / (max - min)
        };
        let mut indices: Vec<_> = (0..self.parameters.len()).collect();
        indices.sort_by(|one, other| moved(other).total_cmp(&moved(one)));
        indices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spsa::SpsaPoint;

    #[test]
    fn the_value_that_has_moved_most_of_its_range_comes_first() {
        let parameter = |name: &str, max| Parameter {
            name: name.to_owned(),
            start: 5.0,
            min: 0.0,
            max,
            c_end: 1.0,
            r_end: 0.002,
        };
        let spsa = Spsa {
            parameters: vec![parameter("wide", 100.0), parameter("narrow", 10.0)],
            iterations: 4,
            seed: 1,
        };
        let mut state = spsa.start();
        assert_eq!(spsa.report(&state).svgs(), Ok(Vec::new()));
        state.values = vec![8.0, 6.5];
        state.games = [1, 2, 3];
        state.curve.push(SpsaPoint { iteration: 2, values: state.values.clone() });
        let report = spsa.report(&state);
        assert_eq!(report.table.as_str(), "iteration,wide,narrow\n0,5.0000,5.0000\n2,8.0000,6.5000\n");
        assert_eq!(spsa.summary(&state), "θ⁺ +3 =2 -1, moved most: narrow 5 → 6.50");
        let (_, svg) = report.svgs().unwrap().pop().unwrap();
        let [narrow, wide] = ["narrow", "wide"].map(|name| svg.find(name).unwrap());
        assert!(narrow < wide, "{svg}");
    }
}
