//! What a search answers: reports of the best moves, the move to play, and what is known of the root.

use std::sync::atomic::Ordering;

use super::simulation::Simulator;
use super::tree::Proof;
use super::variety::drawn_child;
use super::{Expansion, FinalMove, SearchTree, Selection, SharedTree};
use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::{Game, Searchable};
use crate::search::SearchInput;
use crate::search::deepening::{Best, GRACE, Listener, Report, RootMoveStatistics, RootStatistics, Visits};
use crate::search::table::Bound;

/// The answer of a search that is over.
pub(super) fn answer<G: Searchable, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    shared: &SharedTree<G>,
    moves: &[G::Move],
    listener: &mut dyn Listener<G::Move>,
) -> Best<G::Move> {
    let nodes = shared.nodes.load(Ordering::Relaxed);
    let searched = shared.lock();
    if is_answer_blind(input, &searched)
        && let Some((mv, score)) = input.best_at_once(moves, &mut shared.deadline.grace(GRACE))
    {
        let (time, visits) = (input.limits.start.elapsed(), None);
        let nodes = nodes + moves.len() as u64;
        let (depth, seldepth, multipv, bound, hashfull) = (1, 1, 1, Bound::Exact, 0);
        let (tbhits, pv) = (None, vec![mv]);
        listener.report(Report {
            depth,
            seldepth,
            multipv,
            score,
            bound,
            nodes,
            time,
            hashfull,
            tbhits,
            visits,
            pv,
        });
        return Best { mv: Some(mv), ponder: None, nodes };
    }
    let drawn = drawn_child(input, searched.tree).map(|child| searched.tree.line(child, FinalMove::Visits));
    let pv = drawn.unwrap_or_else(|| best_pv(input, &searched));
    Best { mv: pv.first().copied(), ponder: pv.get(1).copied(), nodes }
}

/// Whether so few simulations have been made that the best move by visits says nothing: none at all, or not
/// one for each move where neither priors nor evaluations lead the first ones.
fn is_answer_blind<G: Searchable, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    searched: &SearchTree<G>,
) -> bool {
    let (sampling, tree) = (&input.options.sampling, &searched.tree);
    let ranked = tree.ranked(0, sampling.final_move);
    let Some(&best) = ranked.first() else { return true };
    let is_led = sampling.selection == Selection::Puct || sampling.expansion::<G>() == Expansion::Evaluated;
    let is_proven = matches!(tree.node(best).proof, Proof::Won(_));
    !is_led && !is_proven && ranked.len() < tree.children(0).count()
}

/// The line of the best moves.
pub(super) fn best_pv<G: Searchable, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    searched: &SearchTree<G>,
) -> Vec<G::Move> {
    let by = input.options.sampling.final_move;
    searched.ranked(by).first().map_or_else(Vec::new, |&best| searched.tree.line(best, by))
}

/// Reports the best moves.
pub(super) fn report<G: Searchable, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    simulator: &Simulator<G, E>,
    shared: &SharedTree<G>,
    listener: &mut dyn Listener<G::Move>,
) {
    let searched = shared.lock();
    let (tree, by) = (&searched.tree, input.options.sampling.final_move);
    for (child, number) in searched.ranked(by).into_iter().take(input.options.multi_pv).zip(1..) {
        let pv = tree.line(child, by);
        let node = tree.node(child);
        let score = match node.proof {
            Proof::Open => Score::from_win_rate(node.mean()),
            Proof::Drawn => Score::DRAW,
            Proof::Won(plies) => Score::won_in((usize::from(plies) + 1).min(MAX_PLY)),
            Proof::Lost(plies) => Score::lost_in((usize::from(plies) + 1).min(MAX_PLY)),
        };
        listener.report(Report {
            depth: pv.len() as u32,
            seldepth: simulator.seldepth as u32,
            multipv: number,
            score,
            bound: Bound::Exact,
            nodes: shared.nodes.load(Ordering::Relaxed),
            time: input.limits.start.elapsed(),
            hashfull: tree.fullness(),
            tbhits: None,
            visits: Some(Visits { count: node.visits, simulations: tree.root().visits, mean: node.mean() }),
            pv,
        });
    }
}

/// What a search that plays `best` has found out about its root.
pub(super) fn root_statistics<G: Game>(
    searched: &SearchTree<G>,
    best: Option<G::Move>,
) -> RootStatistics<G::Move> {
    let SearchTree { tree, gumbel } = searched;
    let visits: Vec<_> = tree.children(0).map(|child| tree.node(child).visits).collect();
    let all: f64 = visits.iter().copied().map(f64::from).sum();
    let policy = match gumbel {
        Some(gumbel) => gumbel.policy(tree),
        None => visits.iter().map(|&visits| f64::from(visits) / all).collect(),
    };
    let statistics = tree
        .children(0)
        .zip(visits)
        .zip(policy)
        .map(|((child, visits), policy)| RootMoveStatistics { mv: tree.node(child).mv, visits, policy });
    let moves = match all > 0.0 {
        true => statistics.collect(),
        false => best.into_iter().map(|mv| RootMoveStatistics { mv, visits: 0, policy: 1.0 }).collect(),
    };
    RootStatistics { moves, value: 1.0 - tree.root().mean() }
}
