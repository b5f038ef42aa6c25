//! The searches of a position side by side.

use labrys_core::engine::TypedEngine;
use labrys_core::eval::{Evaluator, Score};
use labrys_core::game::Game;
use labrys_core::search::{Bound, Limits, ReferenceNode, Report};
use labrys_solver::SolverGame;

use crate::blame::units;
use crate::judge::Judge;
use crate::microscope::{InspectError, engine_of, keep_rate, score_text};
use crate::report::SearchReport;
use crate::task::Task;

/// The searches, each with the options that select it.
const SEARCHES: [(&str, &[(&str, &str)]); 6] = [
    ("minimax", &[("SearchMode", "minimax")]),
    ("α-β", &[("SearchMode", "alphabeta")]),
    ("PVS, full width", &[("SearchMode", "pvs"), ("Selective", "false")]),
    ("PVS", &[("SearchMode", "pvs")]),
    ("MSD", &[("SearchMode", "alphabeta")]),
    ("MCTS", &[("SearchMode", "mcts")]),
];

/// Searches the root with each of the searches, to the depth of the task; MCTS with the nodes of PVS. A
/// search that exceeds the budget has no score.
pub(crate) fn searches<G: SolverGame, E: Evaluator<G>>(
    task: &Task,
    judge: &mut Judge<G, E>,
) -> Result<Vec<SearchReport>, InspectError> {
    let moves = judge.root.position().moves();
    let root = ReferenceNode {
        path: Vec::new(),
        moves,
        depth: task.depth as i32 - 1,
        iteration: task.depth as usize,
    };
    let best = match root.moves[..] {
        [] => return Ok(Vec::new()),
        _ => judge.value(&root, [-Score::INFINITE, Score::INFINITE]),
    };
    let (mut reports, mut nodes_of_pvs) = (Vec::new(), 0);
    for (search, options) in SEARCHES {
        let mut engine = engine_of::<G>(task)?;
        if search == "MSD" {
            let rate = keep_rate(&engine.settings().search.msd);
            engine.set_option("MsdKeepRate", &rate.to_string())?;
        } else {
            engine.set_option("MsdKeepRate", "100")?;
            engine.set_option("MsdKeepFall", "0")?;
        }
        for (name, value) in options {
            engine.set_option(name, value)?;
        }
        let limits = match search {
            "MCTS" => Limits::nodes(nodes_of_pvs.max(1)),
            _ => Limits { nodes: Some(task.budget), ..Limits::depth(task.depth) },
        };
        let (score, mv, nodes) = run(engine.as_mut(), judge, &limits, search == "MCTS", task.depth);
        if search == "PVS" {
            nodes_of_pvs = nodes;
        }
        let mut report = SearchReport {
            search,
            nodes,
            score: score.map(score_text),
            mv: mv.map(|mv| judge.root.position().move_text(mv)),
            loss: None,
            is_best: None,
        };
        if let (Some((best, _)), Some(mv)) = (best, mv) {
            let single = ReferenceNode { moves: vec![mv], ..root.clone() };
            if let Some((value, _)) = judge.value(&single, [-Score::INFINITE, Score::INFINITE]) {
                report.loss = units(best - value);
                report.is_best = Some(value >= best);
            }
        }
        reports.push(report);
    }
    Ok(reports)
}

/// The score, the move and the nodes of a search; only nodes if it did not reach its depth.
fn run<G: SolverGame, E: Evaluator<G>>(
    engine: &mut dyn TypedEngine<G>,
    judge: &Judge<G, E>,
    limits: &Limits,
    has_any_depth: bool,
    depth: u32,
) -> (Option<Score>, Option<<G as Game>::Move>, u64) {
    let mut last = None;
    let mut listener = |report: Report<G::Move>| {
        if report.multipv == 1 && report.bound == Bound::Exact && (has_any_depth || report.depth == depth) {
            last = Some(report.score);
        }
    };
    let result = engine.think(judge.root, None, limits, judge.control, &mut listener);
    // A search that its budget has ended reports the best move so far.
    let is_finished = has_any_depth || limits.nodes.is_none_or(|budget| result.nodes < budget);
    let last = last.filter(|_| is_finished);
    (last, last.and(result.mv), result.nodes)
}
