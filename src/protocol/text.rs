//! Formatting of the engine's output.

use std::fmt::Write;
use std::time::Duration;

use crate::engine::bench::Signature;
use crate::engine::{BestMove, OptionKind, OptionSpec, SearchReport};
use crate::search::{Bound, Progress, Visits};

/// The `option` line of an option.
pub fn option(option: &OptionSpec) -> String {
    let kind = match &option.kind {
        OptionKind::Check { default } => format!("check default {default}"),
        OptionKind::Spin { default, min, max } => format!("spin default {default} min {min} max {max}"),
        OptionKind::Combo { default, values } => {
            format!("combo default {default} var {}", values.join(" var "))
        }
        OptionKind::Text => "string default <empty>".to_owned(),
        OptionKind::Button => "button".to_owned(),
    };
    format!("option name {} type {kind}", option.name)
}

/// The `info` line of a report.
pub fn info(report: &SearchReport) -> String {
    let SearchReport { depth, seldepth, multipv, score, nodes, time, hashfull, .. } = report;
    let mut line = format!("info depth {depth} seldepth {seldepth} multipv {multipv} score {score}");
    line.push_str(match report.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    });
    // Writing to a string cannot fail.
    if let Some([win, draw, loss]) = report.wdl {
        let _ = write!(line, " wdl {win} {draw} {loss}");
    }
    let progress = Progress { nodes: *nodes, time: *time, hashfull: *hashfull, tbhits: report.tbhits };
    let _ = write!(line, " {} pv", self::progress(&progress));
    for mv in &report.pv {
        let _ = write!(line, " {mv}");
    }
    line
}

/// The words of an `info` line that say how far a search has come.
pub fn progress(progress: &Progress) -> String {
    let &Progress { nodes, time, hashfull, tbhits } = progress;
    let (nps, time) = (nodes_per_second(nodes, time), time.as_millis());
    let tbhits = tbhits.map_or(String::new(), |tbhits| format!(" tbhits {tbhits}"));
    format!("nodes {nodes} nps {nps} hashfull {hashfull}{tbhits} time {time}")
}

/// The `info string` line with the visits of the first move of a line, in a Monte Carlo search.
pub fn visits(report: &SearchReport) -> Option<String> {
    let Visits { count, simulations, mean } = report.visits?;
    let multipv = report.multipv;
    Some(format!("info string multipv {multipv} visits {count} simulations {simulations} winrate {mean:.3}"))
}

/// The `bestmove` line of a result.
pub fn best_move(result: &BestMove) -> String {
    match (&result.best, &result.ponder) {
        (None, _) => "bestmove (none)".to_owned(),
        (Some(best), None) => format!("bestmove {best}"),
        (Some(best), Some(ponder)) => format!("bestmove {best} ponder {ponder}"),
    }
}

/// The last lines of a bench: the nodes of each game, then their sum and the speed.
pub fn bench(signature: &Signature, time: Duration) -> String {
    let games = signature.games.iter().map(|(game, nodes)| format!("{game}: {nodes} nodes\n"));
    games.collect::<String>() + &speed(signature.total(), time)
}

/// Nodes and nodes per second.
pub fn speed(nodes: u64, time: Duration) -> String {
    format!("{nodes} nodes {} nps", nodes_per_second(nodes, time))
}

fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    (nodes as f64 / time.as_secs_f64().max(1e-6)) as u64
}
