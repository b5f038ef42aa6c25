//! Extensions and reductions of moves (selective): how deeply a move is searched, by what is known of a node.
//! Nothing here searches.

use std::array;
use std::sync::LazyLock;

use super::margins::Margins;
use super::node::{Candidate, Node};
use super::window::Bound;
use crate::eval::Score;

/// What a search of the other moves says about the table move.
pub(super) enum Singularity {
    /// The table move is searched so many plies deeper.
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

/// What follows from the value of the other moves, `others`, which was asked to stay below `limit`.
/// `double_extensions` were made on the way to the node.
pub(super) fn singularity<M>(
    node: &Node<M>,
    limit: Score,
    others: Score,
    double_extensions: i32,
    margins: &Margins,
) -> Singularity {
    let constants = &margins.constants;
    if others < limit {
        let is_double = !node.is_pv
            && others < limit - margins.of(constants.singular_double_margin)
            && double_extensions < constants.singular_double_extensions;
        return Singularity::Extended(1 + i32::from(is_double));
    }
    if limit >= node.window.beta {
        return Singularity::Refuted(limit);
    }
    // Not singular, and probably not needed: the node fails high.
    let fails_high = node.tt_entry.as_ref().is_some_and(|entry| entry.score >= node.window.beta);
    Singularity::Extended(if fails_high { -constants.singular_reduction } else { 0 })
}

/// Late move reduction: hundredths of a ply by which a move is reduced, the more, the deeper the search and
/// the later the move, and the lower its history score. `refines` says that the game has the finer steps,
/// `cutoffs` how many moves below the node have failed high so far.
pub(super) fn reduction<M>(
    node: &Node<M>,
    candidate: &Candidate,
    refines: bool,
    cutoffs: i32,
    margins: &Margins,
) -> i32 {
    let constants = &margins.constants;
    let &Candidate { count, is_tactical, history_score } = candidate;
    let logarithms = LOGARITHMS[node.depth.clamp(0, 255) as usize] * LOGARITHMS[count.min(255)];
    let mut reduction =
        constants.late_reduction_base + (logarithms * 1e4) as i32 / constants.late_reduction_divisor;
    if !node.is_improving {
        reduction += constants.late_reduction_not_improving;
    }
    if node.is_cut_node {
        reduction += constants.late_reduction_cut_node;
    }
    if node.is_pv || (refines && node.tt_pv) {
        reduction -= 100;
    }
    if refines && cutoffs > constants.late_reduction_cutoffs {
        reduction += 100;
    }
    if is_tactical {
        reduction -= constants.late_reduction_tactical;
    } else if refines && node.is_table_move_tactical {
        reduction += constants.late_reduction_tactical_table_move;
    }
    let by_history = 100 * history_score / constants.late_reduction_history;
    let most = constants.late_reduction_history_most;
    reduction - by_history.clamp(-most, most)
}

/// Natural logarithms of whole numbers, that of 0 being 0.
static LOGARITHMS: LazyLock<[f64; 256]> = LazyLock::new(|| array::from_fn(|n| (n.max(1) as f64).ln()));
