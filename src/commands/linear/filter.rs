//! `labrys linear filter`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Deserialize;

use crate::commands::shared::values::whole;
use crate::game::{counted, quote};
use crate::learn::choice::{self, Choice};

/// Fits the filter of minimax selective deepening to the decisions that `labrys inspect --view filter --out` has
/// checked: the weights of its terms for which the best move is rated highest most often. Prints them as options.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct LinearFilterArguments {
    /// Training data, as written by `labrys inspect --out`; may be given several times
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
    /// Number of steps of the regression, each over all decisions
    #[arg(long, default_value_t = 2_000, value_parser = whole::<u32>(1..))]
    steps: u32,
}

/// A decision; other fields do not matter.
#[derive(Deserialize)]
struct Decision {
    view: String,
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
    let mut choices = Vec::new();
    for path in &arguments.data {
        read(path, &mut choices).with_context(|| path.display().to_string())?;
    }
    let Some(fit) = choice::fit(&choices, arguments.steps) else {
        bail!("too few decisions about a filter with the values of all moves: {}", choices.len())
    };
    print_line!(
        "{}, held-out error {:.4} (all moves alike: {:.4})",
        counted(choices.len(), "decision"),
        fit.error,
        fit.baseline
    )?;
    let scale = scale(&fit.weights);
    let options = OPTIONS.iter().zip(fit.weights).map(|(&(name, is_hundredths), weight)| {
        let weight = weight * scale * if is_hundredths { 100.0 } else { 1.0 };
        // θ and γ are never negative.
        let least = if is_hundredths { 0.0 } else { -MOST };
        format!(" option.{name}={:.0}", weight.max(least))
    });
    print_line!("option.MsdSum=true{}", options.collect::<String>())?;
    Ok(())
}

/// The factor by which the weights fit into their options: only their ratios matter.
fn scale(weights: &[f64]) -> f64 {
    let greatest = OPTIONS.iter().zip(weights).map(|(&(_, is_hundredths), weight)| match is_hundredths {
        true => 100.0 * weight,
        false => weight.abs(),
    });
    MOST / greatest.fold(f64::MIN_POSITIVE, f64::max)
}

/// Adds the decisions of a file.
fn read(path: &Path, choices: &mut Vec<Choice<5>>) -> anyhow::Result<()> {
    for (line, number) in fs::read_to_string(path)?.lines().zip(1..) {
        let decision: Decision =
            serde_json::from_str(line).map_err(|error| anyhow::anyhow!("line {number}: {error}"))?;
        // Of a decision that was only compared with a bound, the values are not known.
        let values: Option<Vec<i32>> = decision.moves.iter().map(|mv| mv.value).collect();
        let Some(values) = values.filter(|values| decision.view == "filter" && !values.is_empty()) else {
            continue;
        };
        let most = values.iter().copied().max();
        let best = (0..values.len()).filter(|&index| Some(values[index]) == most).collect();
        let alternatives = decision.moves.iter().map(features).collect::<anyhow::Result<_>>();
        choices.push(Choice { alternatives: alternatives.with_context(|| format!("line {number}"))?, best });
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
            // No weight of theirs is learned.
            "win" | "repetition" => {}
            unknown => bail!("unknown term {}", quote(unknown)),
        }
    }
    let gains = mv.gained.zip(mv.piece).context("this game's filter rates moves by static evaluation")?;
    [features[3], features[4]] = [gains.0, gains.1].map(f64::from);
    Ok(features)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_fit_into_their_options() {
        assert_eq!(scale(&[2.0, 0.0, -4.0, 0.001, 0.0]), 250.0);
        // A large θ limits the others.
        assert_eq!(scale(&[2.0, 0.0, 0.0, 0.1, -9.0]), 100.0);
    }
}
