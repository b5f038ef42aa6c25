//! Formatting of the engine's output.

use std::fmt::Write;
use std::time::Duration;

use labrys_core::engine::bench::Signature;
use labrys_core::engine::{BestMove, Board, Engine, EvaluationInUse, OptionKind, OptionSpec, SearchReport};
use labrys_core::search::{Bound, Progress, Visits};

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

/// The words of an `info` line for the progress of a search.
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

/// The message for a position without static evaluation: no move is legal, so the game is over.
pub fn no_evaluation(board: &dyn Board) -> Option<String> {
    let outcome = || board.outcome().map_or_else(String::new, |outcome| format!(": {outcome}"));
    board.legal_moves().is_empty().then(|| format!("no evaluation, the game is over{}", outcome()))
}

/// The static evaluations of the position of an engine, and the one that its searches use. There is none if
/// the game is over.
pub fn evaluation(engine: &dyn Engine, all: bool) -> String {
    if let Some(reason) = no_evaluation(engine.board()) {
        return reason;
    }
    let used = engine.evaluation_in_use();
    let mark = |kind| if kind == used { " (in use)" } else { " (not in use)" };
    let linear = engine.eval_breakdown();
    let mut text = if all { linear.by_feature() } else { linear.by_term() };
    text += mark(EvaluationInUse::Linear);
    // Writing to a string cannot fail.
    if let Some(net) = engine.net_breakdown() {
        let _ = write!(text, "\n\n{}{}", net.to_text(), mark(EvaluationInUse::Net));
    }
    if let Some(policy) = engine.policy_breakdown() {
        let (value, mark) = (policy.value, mark(EvaluationInUse::PolicyNet));
        let _ = write!(text, "\n\npolicy/value net: expected result {value:.3} for the side to move{mark}");
    }
    if let Some(tables) = engine.table_breakdown() {
        let _ = write!(text, "\n\n{}", tables.to_text());
    }
    text
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
