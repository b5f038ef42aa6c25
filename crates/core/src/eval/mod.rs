//! Static evaluation.
//!
//! [`Evaluator`] is the interface between searches and evaluations. [`Linear`] is `w · φ(s)`; its
//! [`Weights`] are named, versioned data for one feature set. [`nnue`] has the evaluations by nets. [`Score`]
//! is the integer that searches compare, and [`Scale`] relates the scores of an evaluation to results and
//! margins.

mod breakdown;
mod linear;
pub mod nnue;
mod score;
mod weights;

pub use breakdown::{EvalBreakdown, WeightedFeature};
pub use linear::Linear;
pub use score::{MAX_PLY, Score, UciScore};
pub use weights::{Weights, WeightsError};

pub use crate::game::{Scale, WdlModel};

use crate::game::{Color, Game};

/// A static evaluation of the positions of a game.
///
/// An evaluation may keep a state for each ply of a search, such as an accumulator. [`Evaluator::update`]
/// computes the state of a child from that of its parent. The state is a function of the position alone.
pub trait Evaluator<G: Game>: Sync {
    /// The state of a position; `()` if the evaluation is not incremental.
    type State: Clone + Default;

    /// Computes the state of a position from scratch.
    fn reset(&self, position: &G, state: &mut Self::State);

    /// Computes the state of `child`, one move or null move after `parent`, from the state of `parent`: the
    /// same that [`Evaluator::reset`] would give.
    fn update(&self, parent: &G, from: &Self::State, child: &G, to: &mut Self::State);

    /// The static evaluation of a position for the side to move. `state` is that of the position.
    fn evaluate(&self, position: &G, state: &Self::State) -> Score;

    /// The scale of the scores.
    fn scale(&self) -> Scale;

    /// The static evaluation of a position for the side to move, from scratch.
    #[inline]
    fn evaluate_position(&self, position: &G) -> Score {
        let mut state = Self::State::default();
        self.reset(position, &mut state);
        self.evaluate(position, &state)
    }

    /// The static evaluation of `child` for `player`. `from` is the state of its parent, and `scratch` is
    /// overwritten.
    #[inline]
    fn evaluate_child(
        &self,
        parent: &G,
        from: &Self::State,
        child: &G,
        scratch: &mut Self::State,
        player: Color,
    ) -> Score {
        self.update(parent, from, child, scratch);
        let score = self.evaluate(child, scratch);
        if child.side_to_move() == player { score } else { -score }
    }
}
