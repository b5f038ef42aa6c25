//! The results of a check, as text, TAP and JSON.

use std::fmt::Write;

use serde::Serialize;

use super::Compliance;
use super::step::{Level, Protocol, Step};
use labrys_core::game::{counted, escaped};

/// The verdict of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "verdict")]
pub enum Verdict {
    /// All is as expected.
    Pass,
    /// Something is not.
    Fail {
        /// What.
        reason: String,
        /// The line of the engine that is wrong, or the last one before the fault.
        line: Option<String>,
        /// The lines that were sent before.
        sent: Vec<String>,
    },
    /// The step cannot be carried out with this engine.
    Skip {
        /// Why.
        reason: String,
    },
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepResult {
    /// The name of the step.
    pub id: &'static str,
    /// The game.
    pub variant: String,
    /// How much it counts.
    pub level: Level,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// What has to come back.
    pub expects: &'static str,
    /// Why.
    pub why: &'static str,
}

/// The results of a check.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The engine.
    pub engine: String,
    /// The protocol.
    pub protocol: Protocol,
    /// Whether all steps were carried out.
    #[serde(rename = "complete")]
    pub is_complete: bool,
    /// The results, in the order of the steps.
    pub results: Vec<StepResult>,
}

impl Verdict {
    /// Whether the step fails.
    pub fn is_failure(&self) -> bool {
        matches!(self, Verdict::Fail { .. })
    }
}

impl StepResult {
    pub(super) fn new(step: &Step, variant: &str, verdict: Verdict) -> StepResult {
        let &Step { id, level, expects, why, .. } = step;
        StepResult { id, variant: variant.to_owned(), level, verdict, expects, why }
    }

    /// The result in a line; a failure has further ones.
    pub fn to_text(&self) -> String {
        let StepResult { id, variant, level, .. } = self;
        match &self.verdict {
            Verdict::Pass => format!("pass  {variant} {id}"),
            Verdict::Skip { reason } => format!("skip  {variant} {id}: {reason}"),
            Verdict::Fail { reason, line, sent } => {
                let word = if *level == Level::Required { "FAIL " } else { "fail " };
                let mut text = format!("{word} {variant} {id} ({level}): {}", visible(reason));
                // Writing to a string cannot fail.
                if let Some(line) = line {
                    let _ = write!(text, "\n        answered: {}", shortened(line));
                }
                let sent = sent_text(sent);
                let _ = write!(text, "\n        sent:     {sent}\n        expected: {}", self.expects);
                let _ = write!(text, "\n        why:      {}", self.why);
                text
            }
        }
    }

    /// The result as a test of TAP; a failed advice is one "to do".
    pub fn to_tap(&self, number: usize) -> String {
        let StepResult { id, variant, level, .. } = self;
        match &self.verdict {
            Verdict::Pass => format!("ok {number} - {variant} {id}"),
            Verdict::Skip { reason } => format!("ok {number} - {variant} {id} # SKIP {reason}"),
            Verdict::Fail { reason, line, sent } => {
                let todo = if *level == Level::Advice { " # TODO advice" } else { "" };
                // A string of JSON is one of YAML.
                let quoted = |text: &str| serde_json::to_string(&visible(text)).unwrap_or_default();
                let mut text = format!("not ok {number} - {variant} {id}{todo}\n  ---\n");
                let _ = writeln!(text, "  message: {}", quoted(reason));
                if let Some(line) = line {
                    let _ = writeln!(text, "  answered: {}", quoted(line));
                }
                let _ = writeln!(text, "  sent: {}", quoted(&sent_text(sent)));
                let _ = write!(text, "  expected: {}\n  ...", quoted(self.expects));
                text
            }
        }
    }
}

/// The lines that were sent, in one: the last ones if there are many.
fn sent_text(lines: &[String]) -> String {
    const MAX_LINES: usize = 12;
    let first = lines.len().saturating_sub(MAX_LINES);
    let omitted = (first > 0).then(|| "…".to_owned());
    let lines = lines[first..].iter().map(|line| shortened(line));
    omitted.into_iter().chain(lines).collect::<Vec<_>>().join(" | ")
}

/// A line that may be very long.
fn shortened(line: &str) -> String {
    const MAX_LENGTH: usize = 300;
    match line.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", visible(&line[..end])),
        None => visible(line),
    }
}

/// Text of an engine on which no terminal acts, and that is valid YAML in quotes.
fn visible(text: &str) -> String {
    escaped(text.chars())
}

impl Report {
    pub(super) fn new(compliance: &Compliance) -> Report {
        let Compliance { transport, protocol, .. } = compliance;
        Report { engine: transport.to_string(), protocol: *protocol, is_complete: false, results: Vec::new() }
    }

    fn count(&self, is_counted: impl Fn(&StepResult) -> bool) -> usize {
        self.results.iter().filter(|result| is_counted(result)).count()
    }

    /// The number of required steps that fail.
    pub fn failures(&self) -> usize {
        self.count(|result| result.verdict.is_failure() && result.level == Level::Required)
    }

    /// The totals, in a line.
    pub fn summary(&self) -> String {
        let failed = self.count(|result| result.verdict.is_failure());
        let skipped = self.count(|result| matches!(result.verdict, Verdict::Skip { .. }));
        let required = self.failures();
        let passed = self.results.len() - failed - skipped;
        format!(
            "{}: {passed} passed, {required} required and {} advised failed, {skipped} skipped",
            counted(self.results.len(), "step"),
            failed - required
        )
    }
}
