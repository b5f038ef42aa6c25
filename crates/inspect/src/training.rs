//! The checked decisions as training data: a line of JSON for each.

use serde::Serialize;

use crate::report::{DecisionReport, Inspection, Verdict};

/// A line.
#[derive(Serialize)]
struct Line<'a> {
    variant: &'a str,
    reference: &'a str,
    /// The position that was inspected.
    root: &'a str,
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
        let (variant, reference) = (self.variant, &self.reference[..]);
        for position in &self.positions {
            let known = |decision: &&DecisionReport| decision.verdict != Verdict::Unknown;
            for decision in position.decisions.iter().filter(known) {
                let line = Line { variant, reference, root: &position.fen, decision };
                lines += &serde_json::to_string(&line)?;
                lines.push('\n');
            }
        }
        Ok(lines)
    }
}
