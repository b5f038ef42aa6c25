//! The accumulators of a position.

use arrayvec::ArrayVec;

use super::lanes::Lanes;
use super::net::Layers;
use crate::game::{Color, InputView, Knowledge, MOST_INPUTS, each_changed_input, each_input};

/// The sums of the first layer, as each player sees the position.
#[derive(Clone, Debug, PartialEq)]
pub struct Accumulators<P> {
    /// The planes that were summed up.
    planes: P,
    of: [Accumulator; 2],
}

/// The sums of the first layer for a view.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Accumulator {
    view: InputView,
    sums: Vec<Lanes>,
}

impl<P: Default> Default for Accumulators<P> {
    fn default() -> Self {
        let empty = |player| Accumulator { view: InputView::plain(player), sums: Vec::new() };
        Accumulators { planes: P::default(), of: Color::BOTH.map(empty) }
    }
}

/// A list of inputs.
type InputList = ArrayVec<u16, MOST_INPUTS>;

/// Changes from which on it is asked whether it is quicker to start afresh.
const MANY_CHANGES: usize = 24;

impl<P: AsRef<[u128]>> Accumulators<P> {
    /// The sums as a player sees the position.
    #[inline]
    pub(super) fn of(&self, player: Color) -> &[Lanes] {
        &self.of[player.index()].sums
    }

    /// Computes the sums of a position from scratch.
    pub(super) fn reset<G: Knowledge<InputPlanes = P>>(&mut self, layers: &Layers, position: &G) {
        self.planes = position.input_planes();
        for player in Color::BOTH {
            self.of[player.index()].reset(layers, &self.planes, position.input_view(player));
        }
    }

    /// Computes the sums of a position from those of another, `from`: best of its parent.
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
            let (view, from, to) =
                (position.input_view(player), &from.of[player.index()], &mut self.of[player.index()]);
            if is_update && layers.see_alike(view, from.view) {
                to.view = view;
                layers.add_and_subtract(view, &from.sums, [&added, &subtracted], &mut to.sums);
            } else {
                to.reset(layers, &self.planes, view);
            }
        }
    }

    /// Takes an input out.
    pub(super) fn remove(&mut self, layers: &Layers, input: u16) {
        for Accumulator { view, sums } in &mut self.of {
            let before = sums.clone();
            layers.add_and_subtract(*view, &before, [&[], &[input]], sums);
        }
    }
}

impl Accumulator {
    fn reset(&mut self, layers: &Layers, planes: &impl AsRef<[u128]>, view: InputView) {
        let mut inputs = InputList::new();
        each_input(planes, |input| inputs.push(input));
        self.view = view;
        layers.add_and_subtract(view, &layers.input_bias, [&inputs, &[]], &mut self.sums);
    }
}

/// The number of inputs.
fn count(planes: &impl AsRef<[u128]>) -> usize {
    planes.as_ref().iter().map(|plane| plane.count_ones() as usize).sum()
}
