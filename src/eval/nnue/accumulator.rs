//! The accumulators of a position.

use super::lanes::{Lanes, ZEROS, add, add_and_subtract, subtract};
use super::net::Layers;
use crate::game::{Color, InputView, Inputs};

/// The sums of the first layer, as each player sees the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accumulators([Accumulator; 2]);

/// The sums of the first layer for a view.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Accumulator {
    view: InputView,
    sums: Vec<Lanes>,
}

impl Default for Accumulators {
    fn default() -> Self {
        let empty = |player| Accumulator { view: InputView { player, mirrored: false }, sums: Vec::new() };
        Accumulators(Color::BOTH.map(empty))
    }
}

/// Inputs that are added or subtracted, each as plane and bit.
struct InputList {
    inputs: [(u8, u8); MOST_CHANGES],
    len: usize,
}

/// The most inputs that a step may add, or subtract, before it is quicker to start afresh.
const MOST_CHANGES: usize = 12;

impl InputList {
    const EMPTY: InputList = InputList { inputs: [(0, 0); MOST_CHANGES], len: 0 };

    #[inline]
    fn push(&mut self, plane: usize, bit: usize) {
        if let Some(place) = self.inputs.get_mut(self.len) {
            *place = (plane as u8, bit as u8);
        }
        self.len += 1;
    }

    /// The inputs; `None` if there were too many.
    #[inline]
    fn get(&self) -> Option<&[(u8, u8)]> {
        self.inputs.get(..self.len)
    }
}

impl Accumulators {
    /// The sums as a player sees the position.
    #[inline]
    pub(super) fn of(&self, player: Color) -> &[Lanes] {
        &self.0[player.index()].sums
    }

    /// Computes the sums of a position from scratch.
    pub(super) fn reset<G: Inputs>(&mut self, layers: &Layers, position: &G) {
        for player in Color::BOTH {
            self.0[player.index()].reset(layers, position, position.input_view(player));
        }
    }

    /// Computes the sums of `child` from those of its parent, `from`.
    #[inline]
    pub(super) fn update<G: Inputs>(&mut self, layers: &Layers, parent: &G, from: &Accumulators, child: &G) {
        let (mut added, mut subtracted) = (InputList::EMPTY, InputList::EMPTY);
        child.each_change(parent, |plane, bit, is_added| {
            let list = if is_added { &mut added } else { &mut subtracted };
            list.push(plane, bit);
        });
        for player in Color::BOTH {
            let (view, from, to) =
                (child.input_view(player), &from.0[player.index()], &mut self.0[player.index()]);
            match (added.get(), subtracted.get()) {
                (Some(added), Some(subtracted)) if view == from.view => {
                    to.update(layers, from, child, added, subtracted);
                }
                _ => to.reset(layers, child, view),
            }
        }
    }

    /// Takes an input out.
    pub(super) fn remove<G: Inputs>(&mut self, layers: &Layers, position: &G, plane: usize, bit: usize) {
        for Accumulator { view, sums } in &mut self.0 {
            subtract(sums, layers.column(position.input_index(*view, plane, bit)));
        }
    }
}

impl Accumulator {
    fn reset<G: Inputs>(&mut self, layers: &Layers, position: &G, view: InputView) {
        self.view = view;
        self.sums.clone_from(&layers.input_bias);
        position.each_input(|plane, bit| {
            add(&mut self.sums, layers.column(position.input_index(view, plane, bit)));
        });
    }

    #[inline]
    fn update<G: Inputs>(
        &mut self,
        layers: &Layers,
        from: &Accumulator,
        child: &G,
        added: &[(u8, u8)],
        subtracted: &[(u8, u8)],
    ) {
        self.view = from.view;
        self.sums.resize(layers.blocks, ZEROS);
        let (view, from, to) = (from.view, &from.sums, &mut self.sums[..]);
        let column = |(plane, bit): (u8, u8)| {
            layers.column(child.input_index(view, usize::from(plane), usize::from(bit)))
        };
        // Most moves change as few as this.
        match (added, subtracted) {
            ([], []) => to.copy_from_slice(from),
            (&[a], &[s]) => add_and_subtract(from, [column(a)], [column(s)], to),
            (&[a], &[s, t]) => add_and_subtract(from, [column(a)], [column(s), column(t)], to),
            (&[a, b], &[s]) => add_and_subtract(from, [column(a), column(b)], [column(s)], to),
            (&[a, b], &[s, t]) => {
                add_and_subtract(from, [column(a), column(b)], [column(s), column(t)], to);
            }
            _ => {
                to.copy_from_slice(from);
                added.iter().for_each(|&input| add(to, column(input)));
                subtracted.iter().for_each(|&input| subtract(to, column(input)));
            }
        }
    }
}
