//! The tables of an inspection: by step, by term, by depth and by phase.

use std::collections::BTreeMap;

use serde::Serialize;

use labrys_support::elo::student;

use crate::report::{DecisionReport, PositionReport, Verdict, View};

/// What the decisions of a step are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// All together.
    All,
    /// Plies that were left.
    Depth,
    /// The phase of the node.
    Phase,
    /// The term that is to blame, of wrong decisions alone.
    Term,
}

impl Group {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Group::All => "all",
            Group::Depth => "depth",
            Group::Phase => "phase",
            Group::Term => "term",
        }
    }
}

/// A row of the tables: some decisions of a step.
#[derive(Clone, Debug, Serialize)]
pub struct SummaryRow {
    /// The view.
    pub view: View,
    /// The step.
    pub step: &'static str,
    /// What the decisions are grouped by.
    pub group: Group,
    /// Their depth, phase or term; empty for all.
    pub value: String,
    /// How many there were in the searches; an estimate from the sample, except for all and by depth.
    pub decisions: f64,
    /// How many were checked.
    pub judged: u64,
    /// How many of these are wrong.
    pub wrong: u64,
    /// How many could not be checked within the budget.
    pub unknown: u64,
    /// The estimated share of wrong decisions, each step and depth of a position weighted by its number of
    /// decisions; in a row of a term the share of this term in the wrong ones. `None` if none was checked.
    pub share: Option<f64>,
    /// Half the width of the 95 % interval of the share, from the differences between positions; where all that
    /// was checked is right, or all is wrong, the bound that so many of one kind leave (rule of three). `None` for
    /// terms, and for mixed decisions of a single position.
    pub share_error: Option<f64>,
    /// Estimated wrong decisions for a million nodes of the iteration in which they were made; `None` for
    /// priors, and if none was checked.
    pub per_million: Option<f64>,
    /// The mean cost of a wrong decision, in units of the evaluation, where no mate is involved: weighted as
    /// the share is.
    pub cost: Option<f64>,
    /// The greatest cost.
    pub greatest: Option<f64>,
    /// Wrong decisions that a mate is involved in, or a result by `solve` or `tables`.
    pub mates: u64,
    /// The nodes of the same search without the step, as a multiple of its nodes.
    pub nodes_without: Option<f64>,
}

/// Sums of a row.
#[derive(Clone, Debug, Default)]
struct Sums {
    decisions: f64,
    judged: u64,
    wrong: u64,
    unknown: u64,
    estimate: f64,
    checked: f64,
    costs: Vec<(f64, f64)>,
    mates: u64,
    /// Estimated wrong decisions and all that they were estimated from, by the number of the position.
    by_position: BTreeMap<usize, [f64; 2]>,
}

impl Sums {
    /// The error of the share, see [`SummaryRow::share_error`].
    fn share_error(&self) -> Option<f64> {
        let judged = self.judged as f64;
        if self.judged > 0 && (self.wrong == 0 || self.wrong == self.judged) {
            return Some(1.0 - 0.05_f64.powf(1.0 / judged));
        }
        // The variance of a ratio of sums over a random sample (Cochran, Sampling Techniques, 1977, 6.4).
        let (share, count) = (self.estimate / self.checked, self.by_position.len() as f64);
        let squares: f64 =
            self.by_position.values().map(|[wrong, checked]| (wrong - share * checked).powi(2)).sum();
        let variance = count / (count - 1.0) * squares / self.checked.powi(2);
        (count > 1.0).then(|| student(self.by_position.len() - 1) * variance.sqrt())
    }
}

/// The mean of costs, each with the decisions that it stands for.
fn mean_cost(costs: &[(f64, f64)]) -> Option<f64> {
    let all: f64 = costs.iter().map(|(_, share)| share).sum();
    (all > 0.0).then(|| costs.iter().map(|(cost, share)| cost * share).sum::<f64>() / all)
}

/// The tables of some positions.
pub(crate) fn rows(positions: &[PositionReport]) -> Vec<SummaryRow> {
    let mut sums: BTreeMap<(View, &'static str, Group, String), Sums> = BTreeMap::new();
    // The nodes of a search, and those without the step.
    let mut nodes: BTreeMap<(View, &'static str), [u64; 3]> = BTreeMap::new();
    let mut nodes_of_view: BTreeMap<View, u64> = BTreeMap::new();
    for (number, position) in positions.iter().enumerate() {
        let mut seen = Vec::new();
        for count in &position.counts {
            let weight = count.decisions as f64;
            for (group, value) in [(Group::All, String::new()), (Group::Depth, count.depth.to_string())] {
                sums.entry((count.view, count.step, group, value)).or_default().decisions += weight;
            }
            if !seen.iter().any(|&(view, _)| view == count.view) {
                *nodes_of_view.entry(count.view).or_default() += count.nodes;
            }
            if !seen.contains(&(count.view, count.step)) {
                let [with, without, searches] = nodes.entry((count.view, count.step)).or_default();
                if let Some(other) = count.nodes_without {
                    (*with, *without, *searches) =
                        (*with + count.nodes_with, *without + other, *searches + 1);
                }
                seen.push((count.view, count.step));
            }
            let of_cell = |decision: &&DecisionReport| {
                (decision.view, decision.step, decision.depth) == (count.view, count.step, count.depth)
            };
            let cell: Vec<_> = position.decisions.iter().filter(of_cell).collect();
            let judged = cell.iter().filter(|decision| decision.verdict != Verdict::Unknown).count();
            for decision in &cell {
                let mut groups = vec![
                    (Group::All, String::new()),
                    (Group::Depth, decision.depth.to_string()),
                    (Group::Phase, decision.phase.to_owned()),
                ];
                let is_wrong = decision.verdict == Verdict::Wrong;
                if is_wrong && let Some(term) = decision.blame {
                    groups.push((Group::Term, term.to_owned()));
                }
                for (group, value) in groups {
                    let row = sums.entry((count.view, count.step, group, value)).or_default();
                    if matches!(group, Group::Phase | Group::Term) {
                        row.decisions += weight / cell.len() as f64;
                    }
                    if decision.verdict == Verdict::Unknown {
                        row.unknown += 1;
                        continue;
                    }
                    let share = weight / judged as f64;
                    row.judged += 1;
                    row.checked += share;
                    let of_position = row.by_position.entry(number).or_default();
                    of_position[1] += share;
                    if is_wrong {
                        row.wrong += 1;
                        row.estimate += share;
                        of_position[0] += share;
                        match decision.cost {
                            Some(cost) => row.costs.push((cost, share)),
                            None => row.mates += 1,
                        }
                    }
                }
            }
        }
    }
    let all_wrong: BTreeMap<_, _> = sums
        .iter()
        .filter(|((_, _, group, _), _)| *group == Group::All)
        .map(|(&(view, step, ..), row)| ((view, step), row.estimate))
        .collect();
    let row = |((view, step, group, value), row): ((View, &'static str, Group, String), Sums)| {
        let of = if group == Group::Term { all_wrong[&(view, step)] } else { row.checked };
        let all_nodes = nodes_of_view.get(&view).copied().unwrap_or(0);
        let nodes_without = nodes.get(&(view, step)).filter(|[_, _, searches]| *searches > 0);
        let ratio = |&[with, without, _]: &[u64; 3]| without as f64 / with.max(1) as f64;
        SummaryRow {
            view,
            step,
            group,
            value,
            decisions: row.decisions,
            judged: row.judged,
            wrong: row.wrong,
            unknown: row.unknown,
            share: (of > 0.0).then(|| row.estimate / of),
            share_error: row.share_error().filter(|_| group != Group::Term),
            per_million: (all_nodes > 0 && row.judged > 0).then(|| 1e6 * row.estimate / all_nodes as f64),
            cost: mean_cost(&row.costs),
            greatest: row.costs.iter().map(|&(cost, _)| cost).reduce(f64::max),
            mates: row.mates,
            nodes_without: nodes_without.filter(|_| group == Group::All).map(ratio),
        }
    };
    sums.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_counts_as_often_as_its_decision_stands_for_others() {
        // One of a hundred in the first plies, all of them near the leaves.
        assert_eq!(mean_cost(&[(4.0, 1.0), (1.0, 2.0)]), Some(2.0));
        assert_eq!(mean_cost(&[]), None);
    }

    #[test]
    fn errors_of_shares_are_those_over_positions() {
        let sums = |judged, wrong, by_position: &[[f64; 2]]| Sums {
            judged,
            wrong,
            estimate: by_position.iter().map(|pair| pair[0]).sum(),
            checked: by_position.iter().map(|pair| pair[1]).sum(),
            by_position: by_position.iter().copied().enumerate().collect(),
            ..Sums::default()
        };
        let error = |judged, wrong, by_position: &[[f64; 2]]| sums(judged, wrong, by_position).share_error();
        // Shares of 1/4 and 3/4: the standard error of their mean is 1/4.
        let two = error(8, 4, &[[1.0, 4.0], [3.0, 4.0]]).unwrap();
        assert!((two - 0.25 * student(1)).abs() < 1e-12, "{two}");
        // The same share everywhere.
        assert_eq!(error(12, 6, &[[2.0, 4.0], [4.0, 8.0]]), Some(0.0));
        // Nothing wrong in 60: 5 % to see that with a share of 0.0487.
        let none = error(60, 0, &[[0.0, 30.0], [0.0, 30.0]]).unwrap();
        assert!((none - 0.0487).abs() < 1e-4 && error(60, 60, &[[60.0, 60.0]]) == Some(none), "{none}");
        assert_eq!((error(0, 0, &[]), error(4, 2, &[[2.0, 4.0]])), (None, None));
    }
}
