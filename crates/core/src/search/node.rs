//! A node of a search by depth.

use super::table::TtEntry;
use super::window::Window;
use crate::eval::Score;

/// What is known of a node before its moves are searched. What the line through it needs, such as its
/// position, is in its [`Ply`](super::stack::Ply).
pub(super) struct Node<M> {
    /// Plies that are left.
    pub(super) depth: i32,
    /// Plies from the root.
    pub(super) ply: usize,
    pub(super) window: Window,
    /// Whether it may lie on the principal variation: its window is open.
    pub(super) is_pv: bool,
    /// Whether it lies, or its position has lain, on the principal variation of a search.
    pub(super) tt_pv: bool,
    /// Whether it is expected to fail high.
    pub(super) is_cut_node: bool,
    /// The move that is left out: the table move, in a singular search of the others.
    pub(super) excluded: Option<M>,
    /// The table's entry, its score as seen from the root.
    pub(super) tt_entry: Option<TtEntry<M>>,
    /// Whether the table move is tactical.
    pub(super) is_table_move_tactical: bool,
    pub(super) in_check: bool,
    /// The static evaluation as the evaluator gives it; `None` in check or where the search is not selective.
    pub(super) raw_eval: Option<Score>,
    /// The same, corrected by what searches of similar positions have found.
    pub(super) corrected_eval: Option<Score>,
    /// The same, refined by the score in the table.
    pub(super) static_eval: Option<Score>,
    /// Whether the corrected evaluation is better than it was two plies ago.
    pub(super) is_improving: bool,
}

impl<M: Copy> Node<M> {
    /// What the table keeps of the node, searched `depth` plies deep within a window.
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

    /// The table move.
    pub(super) fn table_move(&self) -> Option<M> {
        self.tt_entry.as_ref().and_then(|entry| entry.best)
    }
}

/// What is known of a move before it is searched.
pub(super) struct Candidate {
    /// Its number among the moves that are searched, from 1.
    pub(super) count: usize,
    pub(super) is_tactical: bool,
    pub(super) history_score: i32,
}
