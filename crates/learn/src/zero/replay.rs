//! Learning from the positions of the last generations.

use std::ops::RangeInclusive;

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use super::{ReplaySettings, Samples};
use crate::training::{Example, Loss};
use labrys_core::game::{EncodingShape, Symmetry, mixed};

/// Mean losses of the steps of a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeanLoss {
    /// The number of steps.
    pub steps: u64,
    /// Cross entropy of the policy, in nats.
    pub policy: f64,
    /// Mean squared error of the value.
    pub value: f64,
}

impl MeanLoss {
    /// Adds the loss of a step.
    pub(super) fn add(&mut self, loss: Loss) {
        self.steps += 1;
        let share = 1.0 / self.steps as f64;
        self.policy += share * (f64::from(loss.policy) - self.policy);
        self.value += share * (f64::from(loss.value) - self.value);
    }
}

impl ReplaySettings {
    /// The generations whose games generation `number`, from 1, learns from.
    pub fn window(&self, number: u32) -> RangeInclusive<u32> {
        let max = self.window.get();
        let grown = |start: u32| start.saturating_add(number.saturating_sub(1) / self.window_every);
        let size = self.window_start.map_or(max, |start| grown(start.get()).min(max));
        number.saturating_sub(size - 1).max(1)..=number
    }
}

/// The positions that a generation learns from.
pub(super) struct Replay<'a> {
    pub(super) settings: &'a ReplaySettings,
    pub(super) shape: EncodingShape,
    pub(super) symmetries: &'a [Symmetry],
    /// The games of the generations in the window.
    pub(super) window: Vec<&'a Samples>,
    /// Seed of order and symmetries.
    pub(super) seed: u64,
}

impl Replay<'_> {
    /// The number of positions.
    pub(super) fn positions(&self) -> usize {
        self.window.iter().map(|samples| samples.len()).sum()
    }

    /// Steps per epoch. Positions that do not fill a batch at the end are left out.
    fn steps_of_epoch(&self) -> u64 {
        (self.positions() / self.settings.batch).max(1) as u64
    }

    /// Steps of the generation.
    pub(super) fn steps(&self) -> u64 {
        let epochs = || u64::from(self.settings.epochs.get()) * self.steps_of_epoch();
        self.settings.steps.map_or_else(epochs, u64::from)
    }

    /// The batches of all steps. Each epoch shuffles the positions; each position is transformed by a random
    /// symmetry.
    pub(super) fn batches(&self) -> impl Iterator<Item = Vec<Example>> {
        let positions =
            self.window.iter().flat_map(|samples| (0..samples.len()).map(move |number| (*samples, number)));
        let positions: Vec<_> = positions.collect();
        let (batch, per_epoch) = (self.settings.batch.get().min(positions.len()), self.steps_of_epoch());
        let max = self.settings.symmetries.map_or(usize::MAX, usize::from);
        let symmetries = &self.symmetries[..self.symmetries.len().min(max)];
        let mut order: Vec<usize> = Vec::new();
        (0..self.steps()).map(move |step| {
            let mut random = StdRng::seed_from_u64(mixed(self.seed ^ mixed(step)));
            if step % per_epoch == 0 {
                order = (0..positions.len()).collect();
                order.shuffle(&mut random);
            }
            let begin = batch * (step % per_epoch) as usize;
            let example = |&index: &usize| {
                let (samples, number) = positions[index];
                let symmetry = &symmetries[random.random_range(0..symmetries.len())];
                samples.example(number, self.shape, symmetry, self.settings.root_share.0 as f32)
            };
            order[begin..][..batch].iter().map(example).collect()
        })
    }
}
