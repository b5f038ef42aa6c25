//! What a tuning has found, as a table and as a chart.

use std::fmt::Write;

use super::{Parameter, Spsa, SpsaState};
use labrys_support::chart::{Chart, ChartError, Curve, draw};

impl Spsa {
    /// The values on the way as comma-separated values, with one line for each point of the curve.
    pub fn table(&self, state: &SpsaState) -> String {
        let mut text = String::from("iteration");
        // Writing to a string cannot fail.
        self.parameters.iter().for_each(|parameter| _ = write!(text, ",{}", parameter.name));
        for point in &state.curve {
            _ = write!(text, "\n{}", point.iteration);
            point.values.iter().for_each(|value| _ = write!(text, ",{value:.4}"));
        }
        text + "\n"
    }

    /// The values on the way in SVG, each as a share of its range; those that have moved most have a name in
    /// the legend. `None` before the first point.
    ///
    /// # Errors
    /// [`ChartError`] when the drawing library fails.
    pub fn chart(&self, state: &SpsaState) -> Result<Option<String>, ChartError> {
        let share = |parameter: &Parameter, value: f64| {
            100.0 * (value - parameter.min) / (parameter.max - parameter.min)
        };
        let curves = self.by_movement(state).into_iter().map(|index| {
            let parameter = &self.parameters[index];
            let points = state.curve.iter();
            let points = points.map(|point| (point.iteration as f64, share(parameter, point.values[index])));
            Curve { name: parameter.name.clone(), points: points.collect(), band: Vec::new() }
        });
        let chart = Chart {
            title: "SPSA",
            x: "iterations",
            y: "share of the range, %",
            range: Some(0.0..100.0),
            level: None,
            curves: curves.collect(),
        };
        Ok(draw([("", chart)])?.pop().map(|(_, svg)| svg))
    }

    /// The games and the value that has moved most, in one line.
    pub fn summary(&self, state: &SpsaState) -> String {
        let [lost, drawn, won] = state.games;
        let most = self.by_movement(state).first().map_or(String::new(), |&index| {
            let (Parameter { name, start, .. }, value) = (&self.parameters[index], state.values[index]);
            format!(", moved most: {name} {start} → {value:.2}")
        });
        format!("θ⁺ +{won} ={drawn} -{lost}{most}")
    }

    /// The indices of the parameters, that which has moved most first, in shares of the range.
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
        assert_eq!(spsa.chart(&state), Ok(None));
        state.values = vec![8.0, 6.5];
        state.games = [1, 2, 3];
        state.curve.push(SpsaPoint { iteration: 2, values: state.values.clone() });
        assert_eq!(spsa.table(&state), "iteration,wide,narrow\n0,5.0000,5.0000\n2,8.0000,6.5000\n");
        assert_eq!(spsa.summary(&state), "θ⁺ +3 =2 -1, moved most: narrow 5 → 6.50");
        let svg = spsa.chart(&state).unwrap().unwrap();
        let [narrow, wide] = ["narrow", "wide"].map(|name| svg.find(name).unwrap());
        assert!(narrow < wide, "{svg}");
    }
}
