//! Pruning, extensions and reductions (all selective). Nothing here searches: `pvs` applies these decisions.

use std::array;
use std::sync::LazyLock;

use crate::eval::Score;
use crate::search::constants::Margins;
use crate::search::observer::Step;
use crate::search::table::TtEntry;
use crate::search::window::{Bound, Window};

/// Plies by which a ProbCut search is shallower than the node.
const PROBCUT_REDUCTION: i32 = 4;

/// Natural logarithms of whole numbers, that of 0 being 0.
static LOGARITHMS: LazyLock<[f64; 256]> = LazyLock::new(|| array::from_fn(|n| (n.max(1) as f64).ln()));

/// Data that a node inherits from its parent.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::search) struct Inherited {
    /// Whether a null-window search of the node is expected to fail high.
    pub(super) is_cut_node: bool,
    /// Double extensions on the path to it.
    pub(super) double_extensions: i32,
}

/// The data of a node before its moves are searched. The data of the line, such as positions, is in the stack
/// of the thread.
pub(in crate::search) struct Node<M> {
    /// Plies that are left.
    pub(in crate::search) depth: i32,
    /// Plies from the root.
    pub(in crate::search) ply: usize,
    pub(super) window: Window,
    /// Whether it may lie on the principal variation: its window is open.
    pub(super) is_pv: bool,
    /// Whether it lies, or its position has been, on the principal variation of a search.
    pub(super) tt_pv: bool,
    pub(super) inherited: Inherited,
    /// The move that is left out: the table move, in a singular search of the others.
    pub(in crate::search) excluded: Option<M>,
    /// The table's entry, its score as seen from the root.
    pub(super) tt_entry: Option<TtEntry<M>>,
    /// Whether the table move is tactical.
    pub(super) is_table_move_tactical: bool,
    pub(super) in_check: bool,
    /// The static evaluation as the evaluator gives it; `None` in check or where the search is not selective.
    pub(super) raw_eval: Option<Score>,
    /// The same with the correction history.
    pub(super) corrected_eval: Option<Score>,
    /// The size of the correction, in thousandths of the margins; 0 if reductions ignore it.
    pub(super) correction_size: i32,
    /// The corrected evaluation, refined by the score in the table.
    pub(super) static_eval: Option<Score>,
    /// Whether the corrected evaluation is better than it was two plies ago.
    pub(super) is_improving: bool,
}

impl<M: Copy> Node<M> {
    /// The table entry of the node, searched `depth` plies deep within a window.
    pub(super) fn entry(&self, depth: i32, window: Window, best: Option<M>, score: Score) -> TtEntry<M> {
        TtEntry {
            best,
            score,
            bound: window.bound_of(score),
            depth: depth as u8,
            static_eval: self.raw_eval,
            is_pv: self.tt_pv,
        }
    }

    /// The data for a child, which may be expected to fail high.
    pub(super) fn for_child(&self, is_cut_node: bool) -> Inherited {
        Inherited { is_cut_node, ..self.inherited }
    }

    /// The table move.
    pub(super) fn table_move(&self) -> Option<M> {
        self.tt_entry.as_ref().and_then(|entry| entry.best)
    }
}

/// The data of a move before it is searched.
pub(super) struct Candidate {
    /// Its number among the moves that are searched, from 1.
    pub(super) count: usize,
    pub(super) is_tactical: bool,
    pub(super) history_score: i32,
}

/// Razoring: whether a node is so far below α that only tactical moves might help.
pub(super) fn is_razorable<M>(node: &Node<M>, static_eval: Score, margins: &Margins) -> bool {
    let constants = &margins.constants;
    let margin = constants.razoring_base + constants.razoring_margin * node.depth * node.depth;
    node.depth <= constants.razoring_depth && static_eval + margins.of(margin) <= node.window.alpha
}

/// Reverse futility pruning: whether a node is far above β near the horizon.
pub(super) fn is_reverse_futile<M>(node: &Node<M>, static_eval: Score, margins: &Margins) -> bool {
    let constants = &margins.constants;
    let margin = constants.reverse_futility_margin * (node.depth - i32::from(node.is_improving));
    node.depth <= constants.reverse_futility_depth && static_eval - margins.of(margin) >= node.window.beta
}

/// Null move pruning: the reduction of the search after a null move, in plies; `None` without null move
/// pruning.
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
/// in; `None` without ProbCut.
pub(super) fn probcut<M>(node: &Node<M>, margins: &Margins) -> Option<(Score, i32)> {
    let beta = node.window.beta + margins.of(margins.constants.probcut_margin);
    let depth = node.depth - PROBCUT_REDUCTION;
    let is_hopeless =
        node.tt_entry.as_ref().is_some_and(|entry| i32::from(entry.depth) > depth && entry.score < beta);
    (node.depth >= margins.constants.probcut_depth && !is_hopeless).then_some((beta, depth))
}

/// The number of moves after which quiet ones count as late.
pub(super) fn late_moves<M>(node: &Node<M>, margins: &Margins) -> i32 {
    let constants = &margins.constants;
    match node.depth <= constants.late_pruning_depth {
        true => (constants.late_pruning_moves + node.depth * node.depth) / (2 - i32::from(node.is_improving)),
        false => i32::MAX,
    }
}

/// The decision on a quiet move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuietPruning {
    /// It is searched.
    Search,
    /// It is not, by this step.
    Skip(Step),
    /// Neither it nor any later one is.
    SkipRest(Step),
}

/// Late move, futility and history pruning of a quiet move, which would be reduced by `reduction` hundredths
/// of a ply; `late_moves` are searched before moves count as late. `by_eval` says that later moves have lower
/// static evaluations.
pub(super) fn quiet_pruning<M>(
    node: &Node<M>,
    candidate: &Candidate,
    alpha: Score,
    late_moves: i32,
    reduction: i32,
    by_eval: bool,
    margins: &Margins,
) -> QuietPruning {
    let constants = &margins.constants;
    if candidate.count as i32 > late_moves {
        return QuietPruning::SkipRest(Step::LateMoves);
    }
    let reduced = (node.depth - 1 - reduction / 100).max(0);
    let is_futile = reduced <= constants.futility_depth
        && margins.is_close(alpha)
        && node
            .static_eval
            .is_some_and(|eval| eval + margins.of(constants.futility_margin * (reduced + 1)) <= alpha);
    if is_futile {
        let step = Step::Futility;
        return if by_eval { QuietPruning::SkipRest(step) } else { QuietPruning::Skip(step) };
    }
    // History pruning.
    let has_failed = reduced < constants.history_pruning_depth
        && candidate.history_score < -constants.history_pruning_margin * node.depth;
    if has_failed { QuietPruning::Skip(Step::History) } else { QuietPruning::Search }
}

/// Pruning by static exchange evaluation: the SEE threshold of a move, in thousandths; `None` if any move is
/// searched.
pub(super) fn least_exchange<M>(node: &Node<M>, is_tactical: bool, margins: &Margins) -> Option<i32> {
    let (constants, depth) = (&margins.constants, node.depth);
    let margin = match is_tactical {
        true => constants.see_tactical_margin * depth * depth,
        false => constants.see_quiet_margin * depth,
    };
    (depth <= constants.see_pruning_depth).then(|| -margins.of(margin).to_thousandths())
}

/// The result of a singular search.
pub(super) enum Singularity {
    /// The table move is extended by this many plies.
    Extended(i32),
    /// Several moves refute the position: multi-cut, with this bound of its value.
    Refuted(Score),
}

/// Singular extension: the score that all other moves have to stay below for the table move to be singular,
/// and the depth to which they are searched; `None` where no singular search is made.
pub(super) fn singular_limit<M: Copy>(node: &Node<M>, margins: &Margins) -> Option<(Score, i32)> {
    let entry = node.tt_entry.as_ref()?;
    let is_candidate = node.depth >= margins.constants.singular_depth
        && node.excluded.is_none()
        && entry.bound != Bound::Upper
        && i32::from(entry.depth) >= node.depth - margins.constants.singular_entry
        && !entry.score.is_decisive();
    let limit = || entry.score - margins.of(margins.constants.singular_margin * node.depth);
    is_candidate.then(|| (limit(), (node.depth - 1) / 2))
}

/// The result of a singular search with the value `others` against `limit`.
pub(super) fn singularity<M>(node: &Node<M>, limit: Score, others: Score, margins: &Margins) -> Singularity {
    let constants = &margins.constants;
    if others < limit {
        let is_double = !node.is_pv
            && others < limit - margins.of(constants.singular_double_margin)
            && node.inherited.double_extensions < constants.singular_double_extensions;
        return Singularity::Extended(1 + i32::from(is_double));
    }
    if limit >= node.window.beta {
        return Singularity::Refuted(limit);
    }
    // Not singular, and the node probably fails high.
    let fails_high = node.tt_entry.as_ref().is_some_and(|entry| entry.score >= node.window.beta);
    Singularity::Extended(if fails_high { -constants.singular_reduction } else { 0 })
}

/// Hindsight reduction and extension: by how many plies deeper a node is searched after a move with this
/// `reduction`. `gain` is the gain of the side to move by that move, in thousandths.
pub(super) fn hindsight(depth: i32, reduction: i32, gain: i32, margins: &Margins) -> i32 {
    let constants = &margins.constants;
    if reduction >= constants.hindsight_deeper && gain <= 0 {
        1
    } else if reduction >= constants.hindsight_shallower && depth >= 2 && gain > constants.hindsight_margin {
        -1
    } else {
        0
    }
}

/// Late move reduction: the terms of the formula, in hundredths of a ply by which a move is reduced. It is
/// the more, the deeper the search and the later the move, and the lower its history score. `refines` is
/// [`Knowledge::FINE_REDUCTIONS`](crate::game::Knowledge::FINE_REDUCTIONS), `cutoffs` the number of fail
/// highs below the node so far.
#[inline]
pub(super) fn reduction_terms<M>(
    node: &Node<M>,
    candidate: &Candidate,
    refines: bool,
    cutoffs: i32,
    margins: &Margins,
) -> [(&'static str, i32); 8] {
    let constants = &margins.constants;
    let &Candidate { count, is_tactical, history_score } = candidate;
    let logarithms = LOGARITHMS[node.depth.clamp(0, 255) as usize] * LOGARITHMS[count.min(255)];
    let has_tactical_table_move = !is_tactical && refines && node.is_table_move_tactical;
    let by_doubt = i64::from(node.correction_size) * 100 / i64::from(constants.late_reduction_correction);
    let by_history = 100 * history_score / constants.late_reduction_history;
    let most = constants.late_reduction_history_most;
    let where_true = |applies: bool, hundredths: i32| if applies { hundredths } else { 0 };
    [
        (
            "depth and move count",
            constants.late_reduction_base + (logarithms * 1e4) as i32 / constants.late_reduction_divisor,
        ),
        ("not improving", where_true(!node.is_improving, constants.late_reduction_not_improving)),
        ("cut node", where_true(node.inherited.is_cut_node, constants.late_reduction_cut_node)),
        ("principal variation", where_true(node.is_pv || (refines && node.tt_pv), -100)),
        ("refuted moves", where_true(refines && cutoffs > constants.late_reduction_cutoffs, 100)),
        (
            "tactical move",
            where_true(is_tactical, -constants.late_reduction_tactical)
                + where_true(has_tactical_table_move, constants.late_reduction_tactical_table_move),
        ),
        ("correction", -by_doubt.min(constants.late_reduction_correction_most.into()) as i32),
        ("history", -by_history.clamp(-most, most)),
    ]
}
