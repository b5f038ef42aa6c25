//! What a search keeps for each ply.

use super::heuristics::Context;
use super::ordering::MovePicker;
use super::shared::Question;
use crate::eval::Score;
use crate::game::Game;

/// A ply of the line that is being searched.
#[derive(Clone, Debug)]
pub(super) struct Ply<G: Game, S> {
    pub(super) position: G,
    /// What the evaluator keeps for the position, once [`Searcher::bring_up_to_date`] has been called.
    ///
    /// [`Searcher::bring_up_to_date`]: super::searcher::Searcher::bring_up_to_date
    pub(super) state: S,
    /// Whether `state` is that of the position.
    pub(super) is_up_to_date: bool,
    /// The static evaluation, corrected by what is known of such positions, which later positions of the line
    /// are compared with; `None` in check or where nothing has asked for it.
    pub(super) static_eval: Option<Score>,
    /// Whether a null-window search of the position is expected to fail high.
    pub(super) is_cut_node: bool,
    /// Cutoffs at this ply so far below the same parent.
    pub(super) cutoffs: i32,
    /// Moves on the way to the position that were extended by two plies.
    pub(super) double_extensions: i32,
    /// What the history of quiet moves depends on besides the moves.
    pub(super) context: Context,
    /// Whether the move that led to the position was tactical; kept up to date only where MSD asks.
    pub(super) after_tactical: bool,
    /// Whether the move made here is the null move.
    pub(super) is_null_move: bool,
    pub(super) picker: MovePicker<G::Move>,
    /// The moves that have been searched here.
    pub(super) searched: Vec<G::Move>,
    /// The moves that the MSD filter keeps, where it is on.
    pub(super) kept: Vec<G::Move>,
    /// What is being asked of a position of the principal variation, where another thread may have the answer
    /// first.
    pub(super) question: Option<Question>,
    /// The principal variation from here on.
    pub(super) pv: Vec<G::Move>,
}

impl<G: Game, S> Ply<G, S> {
    /// A ply that no search has reached yet.
    pub(super) fn new(position: G, state: S) -> Ply<G, S> {
        Ply {
            position,
            state,
            is_up_to_date: true,
            static_eval: None,
            is_cut_node: false,
            cutoffs: 0,
            double_extensions: 0,
            context: Context::default(),
            after_tactical: false,
            is_null_move: false,
            picker: MovePicker::default(),
            searched: Vec::new(),
            kept: Vec::new(),
            question: None,
            pv: Vec::new(),
        }
    }
}
