//! The accumulators of a position.

use arrayvec::ArrayVec;

use super::lanes::Lanes;
use super::net::Layers;
use crate::game::{Color, Knowledge, MAX_INPUTS, Perspective, each_changed_input, each_input};

/// The sums of the first layer, from each player's perspective.
#[derive(Clone, Debug, PartialEq)]
pub struct Accumulators<P> {
    /// The planes that were summed up.
    planes: P,
    of: [Accumulator; 2],
}

/// The sums of the first layer for a perspective.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Accumulator {
    perspective: Perspective,
    sums: Vec<Lanes>,
}

impl<P: Default> Default for Accumulators<P> {
    fn default() -> Self {
        let empty = |player| Accumulator { perspective: Perspective::plain(player), sums: Vec::new() };
        Accumulators { planes: P::default(), of: Color::BOTH.map(empty) }
    }
}

/// A list of inputs.
type InputList = ArrayVec<u16, MAX_INPUTS>;

/// From this many changes on, a refresh may be quicker than an update.
const MANY_CHANGES: usize = 24;

impl<P: AsRef<[u128]>> Accumulators<P> {
    /// The sums from a player's perspective.
    #[inline]
    pub(super) fn of(&self, player: Color) -> &[Lanes] {
        &self.of[player.index()].sums
    }

    /// Computes the sums of a position from scratch.
    pub(super) fn reset<G: Knowledge<InputPlanes = P>>(&mut self, layers: &Layers, position: &G) {
        self.planes = position.input_planes();
        for player in Color::BOTH {
            self.of[player.index()].reset(layers, &self.planes, position.perspective(player));
        }
    }

    /// Computes the sums of a position from those of another one, `from`, best its parent.
    #[inline]
    pub(super) fn update<G: Knowledge<InputPlanes = P>>(
        &mut self,
        layers: &Layers,
        from: &Accumulators<P>,
        position: &G,
    ) {
        self.planes = position.input_planes();
        let (mut added, mut subtracted) = (InputList::new(), InputList::new());
        each_changed_input(&from.planes, &self.planes, |input, is_added| {
            let list = if is_added { &mut added } else { &mut subtracted };
            list.push(input);
        });
        let changes = added.len() + subtracted.len();
        let is_update = changes < MANY_CHANGES || changes < count(&self.planes);
        for player in Color::BOTH {
            let (perspective, from, to) =
                (position.perspective(player), &from.of[player.index()], &mut self.of[player.index()]);
            if is_update && layers.have_same_weights(perspective, from.perspective) {
                to.perspective = perspective;
                layers.add_and_subtract(perspective, &from.sums, [&added, &subtracted], &mut to.sums);
            } else {
                to.reset(layers, &self.planes, perspective);
            }
        }
    }

    /// Removes an input.
    pub(super) fn remove(&mut self, layers: &Layers, input: u16) {
        for Accumulator { perspective, sums } in &mut self.of {
            let before = sums.clone();
            layers.add_and_subtract(*perspective, &before, [&[], &[input]], sums);
        }
    }
}

impl Accumulator {
    fn reset(&mut self, layers: &Layers, planes: &impl AsRef<[u128]>, perspective: Perspective) {
        let mut inputs = InputList::new();
        each_input(planes, |input| inputs.push(input));
        self.perspective = perspective;
        layers.add_and_subtract(perspective, &layers.input_bias, [&inputs, &[]], &mut self.sums);
    }
}

/// The number of inputs.
fn count(planes: &impl AsRef<[u128]>) -> usize {
    planes.as_ref().iter().map(|plane| plane.count_ones() as usize).sum()
}
