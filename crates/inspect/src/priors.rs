//! The priors of a policy/value net against a reference, at nodes of the tree of another search.

use std::collections::BTreeMap;

use labrys_core::eval::Evaluator;
use labrys_core::search::{Claim, ReferenceNode};
use labrys_solver::SolverGame;

use crate::judge::Judge;
use crate::microscope::{InspectError, add_values, engine_of, report};
use crate::recorder::Sample;
use crate::report::{DecisionReport, MoveReport, StepCount, View};
use crate::task::Task;

/// The name of the step.
const STEP: &str = "greatest prior";

/// The options by which an engine uses its policy/value net.
const OPTIONS: [(&str, &str); 2] = [("SearchMode", "mcts"), ("Selection", "puct")];

/// Checks at the root, and at nodes of the samples, whether the move of the greatest prior is the best.
///
/// # Errors
/// [`InspectError::NoNet`] without a net for the board.
pub(crate) fn priors<G: SolverGame, E: Evaluator<G>>(
    task: &Task,
    judge: &mut Judge<G, E>,
    samples: &[Sample<G::Move>],
) -> Result<(Vec<StepCount>, Vec<DecisionReport>), InspectError> {
    let mut engine = engine_of::<G>(task)?;
    for (name, value) in OPTIONS {
        engine.set_option(name, value)?;
    }
    let iteration = task.depth as usize;
    let mut paths = vec![Vec::new()];
    for sample in samples {
        let path = &sample.node.path;
        if paths.len() <= task.samples && path.len() < iteration && !paths.contains(path) {
            paths.push(path.clone());
        }
    }
    let (mut decisions, mut counts) = (Vec::new(), BTreeMap::<i32, u64>::new());
    for path in paths {
        let depth = (iteration - path.len()) as i32 - 1;
        let Some(game) = crate::truth::game(judge.root, &path) else { continue };
        let position = game.position();
        // The fields of a FEN that come after a null move fit as well.
        if engine.board_mut().set_up(Some(&position.fen()), &[]).is_err() || position.is_terminal() {
            continue;
        }
        let policy = engine.policy_breakdown().ok_or(InspectError::NoNet)?;
        let Some(first) = policy.moves.first().and_then(|first| position.parse_move(&first.mv).ok()) else {
            continue;
        };
        let node = ReferenceNode { path, moves: vec![first], depth, iteration };
        let judgement = judge.judge(&node, Claim::HasBest);
        let mut moves: Vec<_> = policy
            .moves
            .into_iter()
            .map(|prior| MoveReport { mv: prior.mv, prior: Some(prior.prior), ..MoveReport::default() })
            .collect();
        if task.values {
            add_values(judge, &node, &mut moves);
        }
        let Some(report) = report(judge, &node, judgement) else { break };
        let claim = "the greatest prior is the best move".to_owned();
        decisions.push(DecisionReport { view: View::Priors, step: STEP, moves, claim, ..report });
        *counts.entry(depth).or_default() += 1;
    }
    let count = |(depth, decisions)| StepCount {
        view: View::Priors,
        step: STEP,
        depth,
        decisions,
        nodes: 0,
        nodes_with: 0,
        nodes_without: None,
    };
    Ok((counts.into_iter().map(count).collect(), decisions))
}
