//! Linear evaluations.

use std::marker::PhantomData;

use super::{EvalBreakdown, Evaluator, Scale, Score, WeightedFeature, Weights, WeightsError};
use crate::game::{Color, Knowledge};

/// The linear evaluation of a game with the weights of one feature set.
#[derive(Clone, Debug)]
pub struct Linear<G> {
    weights: Weights,
    game: PhantomData<fn() -> G>,
}

impl<G: Knowledge> Linear<G> {
    /// An evaluation with the shipped weights of the set `G::SETS[set]`.
    ///
    /// # Errors
    /// [`WeightsError`] if the shipped weights do not fit the set. A test checks all of them.
    pub fn shipped(set: usize) -> Result<Linear<G>, WeightsError> {
        Ok(Linear { weights: Weights::shipped::<G>(set)?, game: PhantomData })
    }

    /// The weights in use.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Replaces the weights. They may belong to another feature set.
    ///
    /// # Errors
    /// [`WeightsError::Game`] when they are weights of another game.
    pub fn set_weights(&mut self, weights: Weights) -> Result<(), WeightsError> {
        if weights.game() != G::info().name {
            return Err(WeightsError::Game { found: weights.game().to_owned(), expected: G::info().name });
        }
        self.weights = weights;
        Ok(())
    }

    /// The static evaluation of a position for a player.
    pub fn evaluate_for(&self, position: &G, player: Color) -> Score {
        let score = self.evaluate(position, &());
        if position.side_to_move() == player { score } else { -score }
    }

    /// The static evaluation of a position, feature by feature.
    pub fn breakdown(&self, position: &G) -> EvalBreakdown {
        let set = &G::SETS[self.weights.set()];
        let mut values = vec![0.0; set.features.len()];
        position.features(self.weights.set(), |index, feature| values[index] += feature);
        let features = set.features.iter().zip(values).zip(self.weights.values());
        let features = features.map(|((name, value), &weight)| WeightedFeature { name, value, weight });
        EvalBreakdown { set, features: features.collect() }
    }
}

impl<G: Knowledge> Evaluator<G> for Linear<G> {
    type State = ();

    #[inline]
    fn reset(&self, _position: &G, (): &mut ()) {}

    #[inline]
    fn update(&self, _parent: &G, (): &(), _child: &G, (): &mut ()) {}

    #[inline]
    fn evaluate(&self, position: &G, (): &()) -> Score {
        Score::from_value(position.weigh(self.weights.set(), self.weights.values()))
    }

    fn scale(&self) -> Scale {
        G::SETS[self.weights.set()].scale
    }
}
