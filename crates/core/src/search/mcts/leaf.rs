//! The seam between Monte Carlo tree search and what judges its leaves: priors and value together, for a
//! batch of leaves at a time.

use crate::eval::Evaluator;
use crate::game::{Game, GameHistory};
use crate::nets::softmax;

/// A leaf of the tree that is to be expanded.
#[derive(Clone, Debug)]
pub struct Leaf<G: Game> {
    /// The position.
    pub position: G,
    /// How often it has occurred in the game and on the way to the leaf, 1 where it is new.
    pub occurrences: usize,
    /// Its legal moves, at least one.
    pub moves: Vec<G::Move>,
    /// To be filled in: the prior of each move, P; they add up to 1.
    pub priors: Vec<f32>,
    /// To be filled in: the expected result for the side to move, 1 a win, ½ a draw.
    pub value: f64,
}

impl<G: Game> Leaf<G> {
    /// A position with all its legal moves after these earlier positions, as the root of a search would have
    /// it. It is to be judged.
    pub fn new(position: &G, history: &GameHistory<G>) -> Leaf<G> {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let occurrences = history.occurrences(position);
        Leaf { position: position.clone(), occurrences, moves, priors: Vec::new(), value: 0.5 }
    }
}

/// What judges leaves: a policy and a value.
pub trait LeafEvaluator<G: Game>: Sync {
    /// Fills in priors and values. `leaves` holds at most [`Sampling::batch`](super::Sampling::batch)
    /// positions of one thread, with no order and no relation to each other; their `priors` are empty.
    ///
    /// Once `is_over` says so, the search has ended and nobody reads the leaves: what takes longer than some
    /// milliseconds has to ask it now and then, and to return.
    fn evaluate_leaves(&self, leaves: &mut [Leaf<G>], is_over: &mut dyn FnMut() -> bool);
}

/// A static evaluation as a judge of leaves. The value is the mean result that the static evaluation stands
/// for. Priors are a softmax over the static evaluations of the children: a child that is better by the `b`
/// of the [`WdlModel`](crate::eval::WdlModel) is e times as likely.
#[derive(Clone, Copy, Debug)]
pub struct StaticLeaves<'a, E>(pub &'a E);

impl<G: Game, E: Evaluator<G>> LeafEvaluator<G> for StaticLeaves<'_, E> {
    fn evaluate_leaves(&self, leaves: &mut [Leaf<G>], is_over: &mut dyn FnMut() -> bool) {
        let (evaluator, model) = (self.0, self.0.scale().wdl);
        let spread = 1000.0 * model.b as f32;
        let [mut state, mut scratch] = [E::State::default(), E::State::default()];
        for Leaf { position, moves, priors, value, .. } in leaves {
            evaluator.reset(position, &mut state);
            *value = evaluator.evaluate(position, &state).win_rate(model);
            let stm = position.side_to_move();
            for &mv in &*moves {
                if is_over() {
                    return;
                }
                let child = position.after(mv);
                let score = evaluator.evaluate_child(position, &state, &child, &mut scratch, stm);
                priors.push(score.to_thousandths() as f32 / spread);
            }
            softmax(priors);
        }
    }
}
