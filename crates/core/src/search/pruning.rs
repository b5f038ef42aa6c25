//! Pruning (selective): which nodes and moves need no search, or a smaller one, by what is known of a node.
//! Nothing here searches; `pvs` does what these verdicts say.

use super::margins::Margins;
use super::node::{Candidate, Node};
use super::window::Bound;
use crate::eval::Score;

/// Plies by which a ProbCut search is shallower than the node.
const PROBCUT_REDUCTION: i32 = 4;

/// Razoring: whether a node is so far below α that only tactical moves might help.
pub(super) fn razors<M>(node: &Node<M>, static_eval: Score, margins: &Margins) -> bool {
    let constants = &margins.constants;
    let margin = constants.razoring_base + constants.razoring_margin * node.depth * node.depth;
    node.depth <= constants.razoring_depth && static_eval + margins.of(margin) <= node.window.alpha
}

/// Reverse futility pruning: whether a node is far above β near the horizon.
pub(super) fn is_futile_for_opponent<M>(node: &Node<M>, static_eval: Score, margins: &Margins) -> bool {
    let constants = &margins.constants;
    let margin = constants.reverse_futility_margin * (node.depth - i32::from(node.is_improving));
    node.depth <= constants.reverse_futility_depth && static_eval - margins.of(margin) >= node.window.beta
}

/// Null move pruning: by how many plies the search behind the null move is shallower than that of a move;
/// `None` where a null move tells nothing.
pub(super) fn null_move_reduction<M>(node: &Node<M>, static_eval: Score, margins: &Margins) -> Option<i32> {
    let (constants, beta) = (&margins.constants, node.window.beta);
    let fails_low =
        node.tt_entry.as_ref().is_some_and(|entry| entry.bound == Bound::Upper && entry.score < beta);
    if static_eval < beta || fails_low || node.depth < constants.null_move_depth {
        return None;
    }
    let step = margins.of(constants.null_move_margin).to_thousandths().max(1);
    let above = (static_eval - beta).to_thousandths() / step;
    let by_depth = node.depth / constants.null_move_depth_step;
    Some(constants.null_move_reduction + by_depth + above.min(constants.null_move_margin_steps))
}

/// ProbCut: the score that a tactical move has to reach, and the depth of the search that it has to reach it
/// in; `None` where there is little hope.
pub(super) fn probcut<M>(node: &Node<M>, margins: &Margins) -> Option<(Score, i32)> {
    let beta = node.window.beta + margins.of(margins.constants.probcut_margin);
    let depth = node.depth - PROBCUT_REDUCTION;
    let is_hopeless =
        node.tt_entry.as_ref().is_some_and(|entry| i32::from(entry.depth) > depth && entry.score < beta);
    (node.depth >= margins.constants.probcut_depth && !is_hopeless).then_some((beta, depth))
}

/// How many moves of a node are searched before the quiet ones count as late.
pub(super) fn late_moves<M>(node: &Node<M>, margins: &Margins) -> i32 {
    let constants = &margins.constants;
    match node.depth <= constants.late_pruning_depth {
        true => (constants.late_pruning_moves + node.depth * node.depth) / (2 - i32::from(node.is_improving)),
        false => i32::MAX,
    }
}

/// What is to be done with a quiet move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is searched.
    Search,
    /// It is not.
    Skip,
    /// Nor is any that comes later.
    SkipRest,
}

/// Late move, futility and history pruning of a quiet move, which would be reduced by `reduction` hundredths
/// of a ply; `late_moves` are searched before moves count as late. `by_eval` says that later moves have lower
/// static evaluations.
pub(super) fn quiet_verdict<M>(
    node: &Node<M>,
    candidate: &Candidate,
    alpha: Score,
    late_moves: i32,
    reduction: i32,
    by_eval: bool,
    margins: &Margins,
) -> Verdict {
    let constants = &margins.constants;
    if candidate.count as i32 > late_moves {
        return Verdict::SkipRest;
    }
    let reduced = (node.depth - 1 - reduction / 100).max(0);
    let is_futile = reduced <= constants.futility_depth
        && margins.is_close(alpha)
        && node
            .static_eval
            .is_some_and(|eval| eval + margins.of(constants.futility_margin * (reduced + 1)) <= alpha);
    if is_futile {
        return if by_eval { Verdict::SkipRest } else { Verdict::Skip };
    }
    // Moves that have failed elsewhere.
    let has_failed = reduced < constants.history_pruning_depth
        && candidate.history_score < -constants.history_pruning_margin * node.depth;
    if has_failed { Verdict::Skip } else { Verdict::Search }
}

/// Pruning by static exchange evaluation: what a move has to win at least, in thousandths; `None` where any
/// move is searched.
pub(super) fn least_exchange<M>(node: &Node<M>, is_tactical: bool, margins: &Margins) -> Option<i32> {
    let (constants, depth) = (&margins.constants, node.depth);
    let margin = match is_tactical {
        true => constants.see_tactical_margin * depth * depth,
        false => constants.see_quiet_margin * depth,
    };
    (depth <= constants.see_pruning_depth).then(|| -margins.of(margin).to_thousandths())
}
