//! Generations of nets: each learns from the games of those before it. What has become of them, on disk.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::checkpoint::{CheckpointError, Checkpointed, TrainingFolder};
use labrys_support::chart::{Chart, ChartError, Curve};
use labrys_support::elo::{Elo, Pairs};

/// File names in the folder.
const TABLE: &str = "elo.csv";
const CHART: &str = "elo.svg";

/// The greatest Elo difference that a chart shows: those of one-sided matches are infinite.
const MOST: f64 = 1_000.0;

/// A net that has been trained.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainedNet {
    /// The quiet positions of its games.
    pub positions: u64,
    /// Its loss on the held-out positions.
    pub held_out: f64,
}

/// A generation that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetGeneration {
    /// The net.
    pub net: TrainedNet,
    /// Its match against the linear evaluation; `None` if it was not played.
    pub linear: Option<Pairs>,
    /// Its match against the net of the generation before; `None` if there is none, or it was not played.
    pub before: Option<Pairs>,
}

/// What has become of the generations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationsState {
    /// Those that are complete, from the first one on.
    pub complete: Vec<NetGeneration>,
    /// The net of the next one, once it is trained.
    pub trained: Option<TrainedNet>,
}

impl Checkpointed for GenerationsState {
    const VERSION: u32 = 1;

    const FILE: &'static str = "generations.json";

    fn argument(name: &str) -> String {
        format!("--{}", name.replace('_', "-"))
    }
}

impl TrainingFolder<GenerationsState> {
    /// Writes the state, and the Elo of the generations as a table and as a chart.
    ///
    /// # Errors
    /// [`CheckpointError`] names the file.
    pub fn write_generations(&self, state: &GenerationsState) -> Result<(), CheckpointError> {
        self.write_state(state)?;
        self.put(TABLE, &table(&state.complete))?;
        match chart(&state.complete) {
            Err(ChartError::Empty) => {}
            chart => drop(self.put(CHART, &chart?)?),
        }
        Ok(())
    }
}

/// The generations as comma-separated values. Columns of matches that were not played are empty.
fn table(generations: &[NetGeneration]) -> String {
    let mut text = "generation,Elo against linear,low,high,Elo against the one before,low,high,positions,\
                    held out\n"
        .to_owned();
    for (NetGeneration { net, linear, before }, number) in generations.iter().zip(1..) {
        // Writing to a string cannot fail.
        _ = write!(text, "{number}");
        for pairs in [linear, before] {
            _ = match pairs.map(|pairs| pairs.elo()) {
                Some(Elo { estimate, low, high, .. }) => write!(text, ",{estimate:.1},{low:.1},{high:.1}"),
                None => write!(text, ",,,"),
            };
        }
        _ = writeln!(text, ",{},{}", net.positions, net.held_out);
    }
    text
}

fn chart(generations: &[NetGeneration]) -> Result<String, ChartError> {
    let curve = |name: &str, pairs: fn(&NetGeneration) -> Option<Pairs>| {
        let mut curve = Curve { name: name.to_owned(), ..Curve::default() };
        for (generation, number) in generations.iter().zip(1..) {
            if let Some(Elo { estimate, low, high, .. }) = pairs(generation).map(|pairs| pairs.elo()) {
                let shown = |elo: f64| elo.clamp(-MOST, MOST);
                curve.points.push((number.into(), shown(estimate)));
                curve.band.push((shown(low), shown(high)));
            }
        }
        curve
    };
    Chart {
        title: "Elo of the generations, with 95 % confidence intervals",
        x: "generation",
        y: "Elo",
        range: None,
        level: Some(0.0),
        curves: vec![
            curve("against linear", |generation| generation.linear),
            curve("against the one before", |generation| generation.before),
        ],
    }
    .to_svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_that_were_not_played_leave_columns_empty() {
        let net = TrainedNet { positions: 90, held_out: 0.25 };
        let (even, won) = (Some(Pairs::of([1, 0, 0, 0, 1])), Some(Pairs::of([0, 0, 0, 0, 2])));
        let generations = [
            NetGeneration { net, linear: even, before: None },
            NetGeneration { net, linear: won, before: None },
        ];
        let table = table(&generations);
        let lines: Vec<_> = table.lines().skip(1).collect();
        assert_eq!(lines, ["1,0.0,-inf,inf,,,,90,0.25", "2,inf,inf,inf,,,,90,0.25"]);
        let svg = chart(&generations).unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(chart(&[]), Err(ChartError::Empty));
    }
}
