//! The result of an inspection.

use serde::Serialize;

use crate::summary::SummaryRow;

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// The searches of the position side by side.
    Searches,
    /// The search that the options select, step by step.
    Search,
    /// The filter of minimax selective deepening.
    Filter,
    /// The priors of a policy/value net.
    Priors,
}

impl View {
    /// All views.
    pub const ALL: [View; 4] = [View::Searches, View::Search, View::Filter, View::Priors];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            View::Searches => "searches",
            View::Search => "search",
            View::Filter => "filter",
            View::Priors => "priors",
        }
    }
}

/// Whether a decision holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It does.
    Right,
    /// It does not.
    Wrong,
    /// The reference has no answer.
    Unknown,
}

/// An inspection.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// The version of the program.
    pub version: String,
    /// The game.
    pub variant: &'static str,
    /// The evaluation of the first position.
    pub evaluation: String,
    /// Depth of the searches, in plies.
    pub depth: u32,
    /// The reference.
    pub reference: String,
    /// Decisions of each step and depth of a position that were checked at most.
    pub samples: usize,
    /// Nodes after which a check was given up.
    pub budget: u64,
    /// The seed of the samples.
    pub seed: u64,
    /// The options of the engine that were set.
    pub options: Vec<[String; 2]>,
    /// Whether all positions were inspected.
    pub complete: bool,
    /// The positions.
    pub positions: Vec<PositionReport>,
    /// The tables of all positions.
    pub summary: Vec<SummaryRow>,
}

/// A position.
#[derive(Clone, Debug, Serialize)]
pub struct PositionReport {
    /// The position.
    pub fen: String,
    /// `opening`, `middle game` or `endgame`, by what is left on the board.
    pub phase: &'static str,
    /// The outcome of a game that is over: there is nothing to inspect.
    pub outcome: Option<String>,
    /// The searches side by side.
    pub searches: Vec<SearchReport>,
    /// The decisions counted, by step and depth.
    pub counts: Vec<StepCount>,
    /// The decisions that were checked.
    pub decisions: Vec<DecisionReport>,
}

/// A search of a position.
#[derive(Clone, Debug, Serialize)]
pub struct SearchReport {
    /// Its name.
    pub search: &'static str,
    /// Its nodes.
    pub nodes: u64,
    /// Its score, as in UCI; `None` if it was not finished.
    pub score: Option<String>,
    /// Its move.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// What the move costs by the reference, in units of the evaluation; `None` where that is not known, or
    /// where a mate is involved.
    pub loss: Option<f64>,
    /// Whether the move is one of the best by the reference, where that is known.
    pub is_best: Option<bool>,
}

/// How often a step was applied.
#[derive(Clone, Debug, Serialize)]
pub struct StepCount {
    /// The view.
    pub view: View,
    /// The step.
    pub step: &'static str,
    /// Plies that were left.
    pub depth: i32,
    /// How often.
    pub decisions: u64,
    /// Nodes of the iteration in which it was counted, the last one.
    pub nodes: u64,
    /// Nodes of the search, in all its iterations.
    pub nodes_with: u64,
    /// The same of the search without the step, where it was searched so.
    pub nodes_without: Option<u64>,
}

/// A decision that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct DecisionReport {
    /// The view.
    pub view: View,
    /// The step.
    pub step: &'static str,
    /// The moves from the root to the node; `null` is a null move.
    pub path: Vec<String>,
    /// The node.
    pub fen: String,
    /// Its phase, see [`PositionReport::phase`].
    pub phase: &'static str,
    /// Plies that were left at the node, or after the moves.
    pub depth: i32,
    /// The moves that the decision was about; none where it was about the node itself.
    pub moves: Vec<MoveReport>,
    /// What was claimed: `≤ 0.25` or `≥ 0.25`, or that the best move is among those kept.
    pub claim: String,
    /// The plies of the search that the claim rested on.
    pub tested: Option<i32>,
    /// The terms of the formula that decided, with their shares in hundredths of a ply.
    pub terms: Vec<(&'static str, i32)>,
    /// The verdict.
    pub verdict: Verdict,
    /// The value by the reference, in units of the evaluation or as a mate; only a bound where the verdict is
    /// right.
    pub value: Option<String>,
    /// How far the truth is from the claim, in units of the evaluation; `None` where a mate is involved.
    pub cost: Option<f64>,
    /// The move that was missed.
    pub missed: Option<String>,
    /// The term that is to blame.
    pub blame: Option<&'static str>,
    /// Nodes of the reference for the question that the decision answered.
    pub nodes: u64,
}

/// A move that a decision was about.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MoveReport {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Whether a filter has kept it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<bool>,
    /// The rating of the filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
    /// The term that has decided the rating, if one alone has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term: Option<&'static str>,
    /// All terms that apply.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<&'static str>,
    /// The moves that it gains, which θ weighs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gained: Option<i32>,
    /// A tenth of the value of the piece that moves, which γ weighs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub piece: Option<i32>,
    /// The prior.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<f32>,
    /// The value by the reference in thousandths of the evaluation's unit, in a training file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<i32>,
}
