//! `labrys linear filter`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use labrys_support::text;
use serde::Deserialize;

use crate::commands::shared::values::whole;
use crate::commands::shared::{check_distinct, names};
use crate::game::{counted, quote};
use crate::learn::choice::{self, Choice};

/// Fits the filter of minimax selective deepening to the decisions that `labrys inspect --view filter --out` has
/// checked: the weights of its terms under which the best move is rated highest. Prints them as options.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct LinearFilterArguments {
    /// Training data, as written by `labrys inspect --out`; may be given several times
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
    /// Number of steps of the regression, each over all decisions
    #[arg(long, default_value_t = 2_000, value_parser = whole::<u32>(1..=100_000))]
    steps: u32,
}

/// A decision; other fields do not matter.
#[derive(Deserialize)]
struct Decision {
    view: String,
    /// The root of the search to which it belongs.
    #[serde(default)]
    root: String,
    moves: Vec<RatedMove>,
}

/// A move that was rated.
#[derive(Deserialize)]
struct RatedMove {
    #[serde(default)]
    terms: Vec<String>,
    gained: Option<i32>,
    piece: Option<i32>,
    value: Option<i32>,
}

/// The features: what an option weighs each by, and whether the option is in hundredths.
const OPTIONS: [(&str, bool); 5] = [
    ("MsdCaptureWeight", false),
    ("MsdEscapeWeight", false),
    ("MsdExposureWeight", false),
    ("MsdTheta", true),
    ("MsdGamma", true),
];

/// The greatest weight of each kind of option: 1000, the paper's, and the largest θ or γ.
const MOST: f64 = 1_000.0;

pub(in crate::commands) fn run(arguments: &LinearFilterArguments) -> anyhow::Result<()> {
    let (mut choices, mut roots) = (Vec::new(), HashMap::new());
    check_distinct("--data", &arguments.data)?;
    for path in &arguments.data {
        read(path, &mut choices, &mut roots).with_context(|| path.display().to_string())?;
    }
    // θ and γ are never negative.
    let least = OPTIONS.map(|(_, is_hundredths)| if is_hundredths { 0.0 } else { f64::NEG_INFINITY });
    let Some(fit) = choice::fit(&choices, &least, arguments.steps) else {
        bail!(
            "{}: too few decisions about a filter with the values of all moves, {} of {}",
            names(&arguments.data),
            choices.len(),
            counted(roots.len(), "position")
        )
    };
    let Some(scale) = scale(&fit.weights) else {
        bail!("no weight can be learned: no term makes a difference")
    };
    print_line!(
        "{} and {} held out, error {:.4} (all moves alike: {:.4})",
        counted(fit.choices[0], "decision"),
        fit.choices[1],
        fit.error,
        fit.baseline
    )?;
    let options = OPTIONS.iter().zip(fit.weights).map(|(&(name, is_hundredths), weight)| {
        let weight = weight * scale * if is_hundredths { 100.0 } else { 1.0 };
        format!(" option.{name}={}", weight.round() as i32)
    });
    print_line!("option.MsdSum=true{}", options.collect::<String>())?;
    Ok(())
}

/// The factor by which the weights fit into their options: only their ratios matter. `None` if all are 0.
fn scale(weights: &[f64]) -> Option<f64> {
    let sizes = OPTIONS
        .iter()
        .zip(weights)
        .map(|(&(_, is_hundredths), weight)| weight.abs() * if is_hundredths { 100.0 } else { 1.0 });
    let greatest = sizes.fold(0.0, f64::max);
    (greatest > 0.0).then_some(MOST / greatest)
}

/// Adds the decisions of a file; `roots` numbers the positions from which searches began.
fn read(path: &Path, choices: &mut Vec<Choice<5>>, roots: &mut HashMap<String, usize>) -> anyhow::Result<()> {
    for (line, number) in text::read(path)?.lines().zip(1..) {
        let read = serde_json::from_str(line);
        let mut decision: Decision = read.map_err(|_| {
            anyhow!("line {number}: {}: expected a decision of `labrys inspect`", quote(line))
        })?;
        // A win decides alone, and so does a repetition.
        let has = |mv: &RatedMove, term: &str| mv.terms.iter().any(|name| name == term);
        if decision.view != "filter" || decision.moves.iter().any(|mv| has(mv, "win")) {
            continue;
        }
        decision.moves.retain(|mv| !has(mv, "repetition"));
        // Of a decision that was only compared with a bound, the values are not known.
        let values: Option<Vec<i32>> = decision.moves.iter().map(|mv| mv.value).collect();
        let Some(values) = values else { continue };
        let most = values.iter().copied().max();
        let best = (0..values.len()).filter(|&index| Some(values[index]) == most).collect();
        let alternatives = decision.moves.iter().map(features).collect::<anyhow::Result<_>>();
        let alternatives = alternatives.with_context(|| format!("line {number}"))?;
        let count = roots.len();
        let group = *roots.entry(decision.root).or_insert(count);
        choices.push(Choice { group, alternatives, best });
    }
    Ok(())
}

/// What the filter sees of a move.
fn features(mv: &RatedMove) -> anyhow::Result<[f64; 5]> {
    let mut features = [0.0; 5];
    for term in &mv.terms {
        match &**term {
            "capture" => features[0] = 1.0,
            "escape" => features[1] = 1.0,
            "exposure" => features[2] = 1.0,
            unknown => bail!("unknown term {}", quote(unknown)),
        }
    }
    let gains = mv.gained.zip(mv.piece);
    let gains =
        gains.context("no `gained` and `piece`: the filter of this game rates by static evaluation")?;
    [features[3], features[4]] = [gains.0, gains.1].map(f64::from);
    Ok(features)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_fit_into_their_options() {
        assert_eq!(scale(&[2.0, 0.0, -4.0, 0.001, 0.0]), Some(250.0));
        // A large θ limits the others.
        assert_eq!(scale(&[2.0, 0.0, 0.0, 0.1, 0.0]), Some(100.0));
        assert_eq!(scale(&[0.0; 5]), None);
    }
}
