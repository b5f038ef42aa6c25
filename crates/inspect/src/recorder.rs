//! An observer of a search, which counts its decisions and keeps a sample of them.

use std::collections::BTreeMap;

use labrys_core::search::{Claim, Decision, Observer, ReferenceNode, Step};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A decision that is to be checked.
#[derive(Clone, Debug)]
pub(crate) struct Sample<M> {
    pub(crate) step: Step,
    /// The node, and the moves that the decision is about.
    pub(crate) node: ReferenceNode<M>,
    pub(crate) claim: Claim,
    /// See [`Decision::tested`].
    pub(crate) tested: Option<i32>,
    /// See [`Decision::terms`].
    pub(crate) terms: Vec<(&'static str, i32)>,
}

/// The decisions of one step at one depth.
#[derive(Debug)]
pub(crate) struct Cell<M> {
    /// How many there were.
    pub(crate) count: u64,
    /// Some of them, each as likely as any other.
    pub(crate) samples: Vec<Sample<M>>,
}

/// Counts the decisions of one iteration, and samples them.
#[derive(Debug)]
pub(crate) struct Recorder<M> {
    /// Depth of the iteration, in plies.
    iteration: usize,
    /// Samples of each step and depth.
    most: usize,
    /// A step that the search may not use.
    without: Option<Step>,
    random: StdRng,
    pub(crate) cells: BTreeMap<(Step, i32), Cell<M>>,
}

impl<M> Recorder<M> {
    /// Records the iteration of this depth, and keeps `most` decisions of each step and depth.
    pub(crate) fn new(iteration: u32, most: usize, seed: u64) -> Recorder<M> {
        let (random, cells) = (StdRng::seed_from_u64(seed), BTreeMap::new());
        Recorder { iteration: iteration as usize, most, without: None, random, cells }
    }

    /// Records nothing of a search that may not use a step.
    pub(crate) fn without(step: Step) -> Recorder<M> {
        Recorder { without: Some(step), ..Recorder::new(0, 0, 0) }
    }
}

impl<M: Copy> Observer<M> for Recorder<M> {
    fn allows(&self, step: Step) -> bool {
        self.without != Some(step)
    }

    fn decided(&mut self, decision: &Decision<M>) {
        let &Decision { step, path, iteration, moves, depth, claim, tested, terms } = decision;
        if iteration != self.iteration {
            return;
        }
        let cell = self.cells.entry((step, depth)).or_insert(Cell { count: 0, samples: Vec::new() });
        cell.count += 1;
        // The place of the decision in the sample, if it is drawn.
        let place = match cell.samples.len() < self.most {
            true => cell.samples.len(),
            false => self.random.random_range(0..cell.count) as usize,
        };
        if place >= self.most {
            return;
        }
        let node = ReferenceNode { path: path.to_vec(), moves: moves.to_vec(), depth, iteration };
        let sample = Sample { step, node, claim, tested, terms: terms.to_vec() };
        match cell.samples.get_mut(place) {
            Some(old) => *old = sample,
            None => cell.samples.push(sample),
        }
    }
}
