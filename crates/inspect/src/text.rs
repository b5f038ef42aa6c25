//! An inspection as text.

use std::fmt;

use crate::report::{DecisionReport, Inspection, PositionReport, Verdict};
use crate::summary::{Group, SummaryRow};

/// Moves of a decision that are printed at most.
const MOST_MOVES: usize = 6;

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inspection { variant, evaluation, depth, reference, positions, summary, .. } = self;
        writeln!(f, "{variant}, {evaluation}, depth {depth}, reference {reference}")?;
        for position in positions {
            write!(f, "\n{position}")?;
        }
        for (group, title) in [
            (Group::All, "By step"),
            (Group::Depth, "By depth"),
            (Group::Phase, "By phase"),
            (Group::Term, "By term"),
        ] {
            let rows: Vec<_> = summary.iter().filter(|row| row.group == group).collect();
            if !rows.is_empty() {
                write!(f, "\n{title}\n{HEADER}")?;
                rows.iter().try_for_each(|row| write!(f, "{row}"))?;
            }
        }
        Ok(())
    }
}

const HEADER: &str = "  step                                             decisions  checked    wrong  \
                              share  a million   cost  greatest  mates  without\n";

impl fmt::Display for SummaryRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = match self.value.as_str() {
            "" => self.step.to_owned(),
            value => format!("{}: {value}", self.step),
        };
        let number = |number: Option<f64>| number.map_or("–".to_owned(), |number| format!("{number:.2}"));
        let error = self.share_error.map_or(String::new(), |error| format!(" ± {:.2}", 100.0 * error));
        let share = self.share.map_or("–".to_owned(), |share| format!("{:.2}{error} %", 100.0 * share));
        let unknown = if self.unknown > 0 { format!(" ({} unknown)", self.unknown) } else { String::new() };
        writeln!(
            f,
            "  {step:46} {:11.0} {:8} {:8} {share:>16} {:>10} {:>6} {:>9} {:>6} {:>8}{unknown}",
            self.decisions,
            self.judged,
            self.wrong,
            number(self.per_million),
            number(self.cost),
            number(self.greatest),
            self.mates,
            self.nodes_without.map_or("–".to_owned(), |ratio| format!("×{ratio:.2}")),
        )
    }
}

impl fmt::Display for PositionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PositionReport { fen, phase, outcome, searches, decisions, .. } = self;
        match outcome {
            None => writeln!(f, "{fen} ({phase})")?,
            Some(outcome) => writeln!(f, "{fen} ({phase}): the game is over, {outcome}")?,
        }
        for search in searches {
            let score = search.score.as_deref().unwrap_or("not finished");
            let mv = search.mv.as_deref().unwrap_or("–");
            let loss = match (search.is_best, search.loss) {
                (Some(true), _) => "best".to_owned(),
                (Some(false), Some(loss)) => format!("loses {loss:.2}"),
                (Some(false), None) => "loses a mate or a result".to_owned(),
                (None, _) => String::new(),
            };
            writeln!(f, "  {:16} {:>12} nodes  {score:>12}  {mv:12} {loss}", search.search, search.nodes)?;
        }
        // The tree: decisions below one another by their paths, the wrong ones.
        let mut wrong: Vec<_> =
            decisions.iter().filter(|decision| decision.verdict == Verdict::Wrong).collect();
        wrong.sort_by(|one, other| one.path.cmp(&other.path));
        let mut before: &[String] = &[];
        for decision in wrong {
            let shared = before.iter().zip(&decision.path).take_while(|(a, b)| a == b).count();
            for (ply, mv) in decision.path.iter().enumerate().skip(shared) {
                writeln!(f, "  {:indent$}{mv}", "", indent = 2 * ply)?;
            }
            writeln!(f, "  {:indent$}{decision}", "", indent = 2 * decision.path.len())?;
            before = &decision.path;
        }
        Ok(())
    }
}

impl fmt::Display for DecisionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DecisionReport { step, depth, claim, value, cost, missed, blame, moves, .. } = self;
        write!(f, "✗ {step}")?;
        if let Some(term) = blame {
            write!(f, " ({term})")?;
        }
        let about: Vec<_> = moves.iter().filter(|mv| mv.kept != Some(false)).map(|mv| &mv.mv[..]).collect();
        if !about.is_empty() {
            let more = if about.len() > MOST_MOVES { " …" } else { "" };
            write!(f, " {}{more}", about[..about.len().min(MOST_MOVES)].join(" "))?;
        }
        write!(f, ", depth {depth}: {claim}, but {}", value.as_deref().unwrap_or("?"))?;
        if let Some(missed) = missed {
            write!(f, " by {missed}")?;
        }
        match cost {
            Some(cost) => write!(f, ", off by {cost:.2}"),
            None => Ok(()),
        }
    }
}
