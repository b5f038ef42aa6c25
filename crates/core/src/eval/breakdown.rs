//! A static evaluation, feature by feature or term by term.

use std::fmt::Write;

use super::Score;
use crate::game::FeatureSet;

/// Half of the last printed digit. Smaller values are rounding errors, and print as zero.
const VISIBLE: f64 = 0.5e-4;

/// The static evaluation of a position, feature by feature.
#[derive(Clone, Debug)]
pub struct EvalBreakdown {
    /// The feature set.
    pub set: &'static FeatureSet,
    /// Its features, in their order.
    pub features: Vec<WeightedFeature>,
}

/// A feature with its weight.
#[derive(Clone, Copy, Debug)]
pub struct WeightedFeature {
    /// Name of the feature.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its weight.
    pub weight: f64,
}

impl WeightedFeature {
    /// The contribution of the feature.
    pub fn product(&self) -> f64 {
        // A sum has no negative zero.
        self.value * self.weight + 0.0
    }

    fn is_zero(&self) -> bool {
        self.value.abs() < VISIBLE && self.product().abs() < VISIBLE
    }
}

/// The features of a term that are not zero, each with its phase.
struct Term {
    name: &'static str,
    features: Vec<(Option<&'static str>, WeightedFeature)>,
}

impl EvalBreakdown {
    /// The sum of the products, for the side to move.
    pub fn sum(&self) -> f64 {
        self.features.iter().map(WeightedFeature::product).sum()
    }

    /// A table of all features.
    pub fn by_feature(&self) -> String {
        let mut table = Table::new(["feature", "value", "weight", "product"]);
        for feature in &self.features {
            let WeightedFeature { name, value, weight } = feature;
            let numbers = [*value, *weight, feature.product()].map(|number| format!("{number:.4}"));
            table.add([name.to_string()].into_iter().chain(numbers));
        }
        self.finish(table)
    }

    /// A table of the terms that are not zero: a row for each term, a column for each phase.
    pub fn by_term(&self) -> String {
        let terms = self.terms();
        let has = |phase| terms.iter().any(|term| term.features.iter().any(|(found, _)| *found == phase));
        let phases = [None].into_iter().chain(self.set.phases.iter().copied().map(Some));
        let phases: Vec<_> = phases.filter(|&phase| has(phase)).collect();
        let titles = phases.iter().map(|phase| match phase {
            None => "value × weight".to_owned(),
            Some(phase) => format!("{phase}: value × weight"),
        });
        let titles = ["term".to_owned()].into_iter().chain(titles).chain(["product".to_owned()]);
        let mut table = Table::new(titles);
        for Term { name, features } in &terms {
            let cells = phases.iter().map(|phase| {
                let feature = features.iter().find(|(found, _)| found == phase);
                feature.map_or(String::new(), |(_, feature)| {
                    format!("{:.4} × {:>8.4}", feature.value, feature.weight)
                })
            });
            let product: f64 = features.iter().map(|(_, feature)| feature.product()).sum();
            table.add([name.to_string()].into_iter().chain(cells).chain([format!("{product:.4}")]));
        }
        self.finish(table)
    }

    /// The terms that are not zero, in the order of their first features.
    fn terms(&self) -> Vec<Term> {
        let mut terms: Vec<Term> = Vec::new();
        for &feature in self.features.iter().filter(|feature| !feature.is_zero()) {
            let (name, phase) = self.set.split(feature.name);
            match terms.iter_mut().find(|term| term.name == name) {
                Some(term) => term.features.push((phase, feature)),
                None => terms.push(Term { name, features: vec![(phase, feature)] }),
            }
        }
        terms
    }

    /// The table with the sum and the score below.
    fn finish(&self, mut table: Table) -> String {
        let sum = self.sum();
        let empty = vec![String::new(); table.0[0].len() - 2];
        table.add(["sum".to_owned()].into_iter().chain(empty).chain([format!("{sum:.4}")]));
        let score = Score::from_value(sum).to_uci();
        format!("{}set {}, score {score} for the side to move", table.to_text(), self.set.name)
    }
}

/// Rows with the same number of cells.
struct Table(Vec<Vec<String>>);

impl Table {
    fn new(titles: impl IntoIterator<Item = impl Into<String>>) -> Table {
        Table(vec![titles.into_iter().map(Into::into).collect()])
    }

    fn add(&mut self, row: impl IntoIterator<Item = String>) {
        self.0.push(row.into_iter().collect());
    }

    /// The rows as lines, the first column flush left and the others flush right.
    fn to_text(&self) -> String {
        let width = |column: usize| self.0.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<_> = (0..self.0[0].len()).map(width).collect();
        let mut text = String::new();
        for row in &self.0 {
            // Writing to a string cannot fail.
            _ = write!(text, "{:1$}", row[0], widths[0]);
            row.iter().zip(&widths).skip(1).for_each(|(cell, width)| _ = write!(text, "  {cell:>width$}"));
            text.push('\n');
        }
        text
    }
}
