//! Generations of nets, each of which learns from the games of the previous ones: their results, on disk.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::report::{Report, Table, cell};
use crate::run_folder::{JsonState, RunState};
use labrys_support::chart::{Chart, Curve};
use labrys_support::elo::{Elo, Pairs};

/// The largest Elo difference in charts: that of a one-sided match is infinite.
const MAX_ELO: f64 = 1_000.0;

/// A trained net.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainedNet {
    /// The number of quiet positions in its games.
    pub positions: u64,
    /// Its loss on the held-out positions.
    pub held_out: f64,
}

/// A complete generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetGeneration {
    /// The net.
    pub net: TrainedNet,
    /// Its match against the linear evaluation; `None` if not played.
    pub linear: Option<Pairs>,
    /// Its match against the previous net; `None` if not played.
    pub before: Option<Pairs>,
    /// The SHA-256 of the files that later generations rest on, by name. Empty in states of older versions.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// The state of a run of generations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationsState {
    /// The complete generations, from the first one.
    pub complete: Vec<NetGeneration>,
    /// The net of the next generation, once it is trained.
    pub trained: Option<TrainedNet>,
}

impl RunState for GenerationsState {
    const FILE: &'static str = "generations.json";
}

impl JsonState for GenerationsState {
    const VERSION: u32 = 1;
}

/// The column names.
const COLUMNS: &str = "generation,Elo against linear,low against linear,high against linear,\
    Elo against the one before,low against the one before,high against the one before,positions,held out";

impl GenerationsState {
    /// The Elo of the generations, as a table and a chart. Cells of matches that were not played are empty.
    pub fn report(&self) -> Report<'static> {
        let mut table = Table::new(COLUMNS.split(','));
        for (NetGeneration { net, linear, before, .. }, number) in self.complete.iter().zip(1..) {
            let elo = [linear, before].into_iter().flat_map(|pairs| {
                let elo = pairs.map(|pairs| pairs.elo());
                [|elo: Elo| elo.estimate, |elo: Elo| elo.low, |elo: Elo| elo.high]
                    .map(|value| cell(elo.map(|elo| format!("{:.1}", value(elo)))))
            });
            let ends = [net.positions.to_string(), net.held_out.to_string()];
            table.push([number.to_string()].into_iter().chain(elo).chain(ends));
        }
        let curve = |name: &str, pairs: fn(&NetGeneration) -> Option<Pairs>| {
            let shown = |elo: f64| elo.clamp(-MAX_ELO, MAX_ELO);
            let point = |(generation, number): (&NetGeneration, u32)| {
                let Elo { estimate, low, high, .. } = pairs(generation)?.elo();
                Some((number.into(), shown(estimate), (shown(low), shown(high))))
            };
            Curve::with_band(name, self.complete.iter().zip(1..).filter_map(point))
        };
        let curves = [
            curve("against linear", |generation| generation.linear),
            curve("against the one before", |generation| generation.before),
        ];
        let titles = ["Elo of the generations, with 95 % confidence intervals", "generation", "Elo"];
        let chart = Chart { level: Some(0.0), ..Chart::new(titles, curves) };
        Report { name: "elo.csv", table, charts: vec![("elo.svg", chart)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_that_were_not_played_leave_columns_empty() {
        let net = TrainedNet { positions: 90, held_out: 0.25 };
        let (even, won) = (Some(Pairs::of([1, 0, 0, 0, 1])), Some(Pairs::of([0, 0, 0, 0, 2])));
        let complete = vec![
            NetGeneration { net, linear: even, before: None, files: BTreeMap::new() },
            NetGeneration { net, linear: won, before: None, files: BTreeMap::new() },
        ];
        let report = GenerationsState { complete, trained: None }.report();
        let lines: Vec<_> = report.table.as_str().lines().skip(1).collect();
        assert_eq!(lines, ["1,0.0,-inf,inf,,,,90,0.25", "2,381.7,27.3,inf,,,,90,0.25"]);
        let (_, svg) = report.svgs().unwrap().pop().unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(GenerationsState::default().report().svgs(), Ok(Vec::new()));
    }
}
