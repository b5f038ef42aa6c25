//! A static evaluation, feature by feature.

use std::fmt;

use super::Score;

/// The static evaluation of a position, feature by feature; prints as a table.
#[derive(Clone, Debug)]
pub struct EvalBreakdown {
    /// Name of the feature set.
    pub set: &'static str,
    /// One term for each feature, in the order of the set.
    pub terms: Vec<Term>,
}

/// A feature with its weight.
#[derive(Clone, Debug)]
pub struct Term {
    /// Name of the feature.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its weight.
    pub weight: f64,
}

impl EvalBreakdown {
    /// The sum of the products, for the side to move.
    pub fn sum(&self) -> f64 {
        self.terms.iter().map(|term| term.weight * term.value).sum()
    }
}

impl fmt::Display for EvalBreakdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widest = self.terms.iter().map(|term| term.name.len()).max().unwrap_or(0).max(7);
        writeln!(f, "{:widest$} {:>8} {:>10} {:>10}", "feature", "value", "weight", "product")?;
        for Term { name, value, weight } in &self.terms {
            writeln!(f, "{name:widest$} {value:>8.4} {weight:>10.4} {:>10.4}", value * weight)?;
        }
        let sum = self.sum();
        writeln!(f, "{:widest$} {:>8} {:>10} {sum:>10.4}", "sum", "", "")?;
        write!(f, "set {}, score {} for the side to move", self.set, Score::from_value(sum).to_uci())
    }
}
