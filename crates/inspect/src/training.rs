//! The checked decisions as training data: a line of JSON for each.

use serde::Serialize;

use crate::report::{DecisionReport, Inspection, Verdict};

/// A line.
#[derive(Serialize)]
struct Line<'a> {
    variant: &'a str,
    reference: &'a str,
    #[serde(flatten)]
    decision: &'a DecisionReport,
}

impl Inspection {
    /// The decisions on which the reference has an answer, a line of JSON each: the position, the moves with
    /// ratings or priors and their values, the terms of reductions, and the verdict.
    ///
    /// # Errors
    /// Those of the serialiser.
    pub fn training_data(&self) -> Result<String, serde_json::Error> {
        let mut lines = String::new();
        let decisions = self.positions.iter().flat_map(|position| &position.decisions);
        for decision in decisions.filter(|decision| decision.verdict != Verdict::Unknown) {
            let (variant, reference) = (self.variant, &self.reference[..]);
            lines += &serde_json::to_string(&Line { variant, reference, decision })?;
            lines.push('\n');
        }
        Ok(lines)
    }
}
