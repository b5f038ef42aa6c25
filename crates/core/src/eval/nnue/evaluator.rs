//! The evaluation of a net.

use std::marker::PhantomData;

use super::accumulator::Accumulators;
use super::net::{EvalNet, EvalNetScale, EvalNetSizes, Layers};
use crate::eval::{Evaluator, Score};
use crate::game::{Knowledge, Scale};

/// The evaluation of a game by a net.
#[derive(Clone, Debug)]
pub struct NetEvaluator<G> {
    sizes: EvalNetSizes,
    scale: EvalNetScale,
    checksum: u32,
    layers: Layers,
    game: PhantomData<fn() -> G>,
}

impl<G: Knowledge> NetEvaluator<G> {
    /// The evaluation by a net, whose lists of numbers are of its sizes.
    pub fn new(net: EvalNet) -> NetEvaluator<G> {
        NetEvaluator {
            sizes: net.sizes,
            scale: net.scale,
            checksum: net.checksum(),
            layers: Layers::new::<G>(&net),
            game: PhantomData,
        }
    }

    /// The sizes of the net.
    pub fn sizes(&self) -> EvalNetSizes {
        self.sizes
    }

    /// The checksum of the net, see [`EvalNet::checksum`].
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Whether the net is for the board of a position. Other positions must not be evaluated.
    pub fn fits(&self, position: &G) -> bool {
        position.input_shape() == self.sizes.inputs
    }

    /// The value of a position for the side to move, in units of the evaluation.
    #[inline]
    pub(super) fn value(&self, position: &G, state: &Accumulators<G::InputPlanes>) -> f64 {
        let us = position.side_to_move();
        self.layers.value(position.output_bucket(self.layers.outputs), state.of(us), state.of(!us))
    }

    /// The value of a position without one of its inputs.
    pub(super) fn value_without(
        &self,
        position: &G,
        state: &Accumulators<G::InputPlanes>,
        input: u16,
    ) -> f64 {
        let mut state = state.clone();
        state.remove(&self.layers, input);
        self.value(position, &state)
    }
}

impl<G: Knowledge> Evaluator<G> for NetEvaluator<G> {
    type State = Accumulators<G::InputPlanes>;

    fn reset(&self, position: &G, state: &mut Self::State) {
        state.reset(&self.layers, position);
    }

    #[inline]
    fn update(&self, _parent: &G, from: &Self::State, child: &G, to: &mut Self::State) {
        to.update(&self.layers, from, child);
    }

    #[inline]
    fn evaluate(&self, position: &G, state: &Self::State) -> Score {
        Score::from_value(self.value(position, state))
    }

    fn scale(&self) -> Scale {
        self.scale.scale()
    }
}
