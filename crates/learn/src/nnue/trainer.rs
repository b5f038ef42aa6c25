//! A training: epochs over the positions of [games](super::data), some of which are held out for validation.
//!
//! The loss is the squared error of the expected result. Each batch is cut into the same slices whatever the
//! number of threads, and their gradients are added in order, so that the result is the same to the bit.

use std::f64::consts::PI;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::data::{Portion, TrainingData};
use super::dataset::{Dataset, Example, Target, logistic};
use super::games::GamesError;
use super::model::{NEURONS, NetValues, Pass};
use super::optimiser::{AdamW, Step};
use super::scale::{fit_unit, fit_wdl_model};
use labrys_core::eval::nnue::{EvalNet, EvalNetScale, EvalNetSizes};
use labrys_core::game::{Knowledge, Wdl, WdlModel, counted, mixed};
use labrys_core::search::Control;

/// Slices of a batch that are computed in parallel.
const SLICES: usize = 16;

/// Held-out positions that are computed together.
const CHUNK: usize = 4_096;

/// The final learning rate, as a fraction of the initial one.
const LAST_RATE: f64 = 0.01;

/// The largest magnitude of a weight, 1.98, that a quantised net can store …
const MAX_WEIGHT: f32 = 127.0 / 64.0;

/// … of the sum of all inputs of a neuron, so that it fits in 16 bits when 1 is 255 …
const MAX_SUM: f32 = 128.0;

/// … and of the sum of the magnitudes of the weights of an output, in 64ths, so that it fits in 32 bits.
const MAX_OUTPUT_SUM: f32 = 33_025.0;

/// The settings of a training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingSettings {
    /// The sizes of the net.
    pub sizes: EvalNetSizes,
    /// The checksum of the net that the training starts from; `None` for random parameters.
    pub start: Option<u32>,
    /// Epochs: passes over all positions.
    pub epochs: u32,
    /// Positions of a batch.
    pub batch: usize,
    /// The initial learning rate. It falls to a hundredth along a cosine.
    pub rate: f64,
    /// Weight decay, relative to the learning rate.
    pub decay: f64,
    /// The weight of the scores in the target, from 0 to 1; the rest is that of the result.
    pub blend: f64,
    /// λ of the scores in the target, from 0 to 1: the weight of later scores of the game.
    pub lambda: f64,
    /// Epochs without a lower held-out loss after which the training ends.
    pub patience: u32,
    /// The seed of everything random.
    pub seed: u64,
    /// The unit of search margins with the net, in thousandths of the evaluation's unit.
    pub margin: i32,
    /// Units of the evaluation that make 1 on the logistic scale. `None`: those of the net that the training
    /// starts from, or the best fit to the results of the games.
    pub unit: Option<f64>,
}

/// An epoch of a training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Its number, from 1.
    pub number: u32,
    /// Mean loss of the training positions, during the epoch.
    pub training: f64,
    /// Mean loss of the held-out positions, after the epoch.
    pub held_out: f64,
}

/// The state of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingState {
    /// The parameters.
    pub net: NetValues,
    /// The optimiser.
    pub optimiser: AdamW,
    /// The parameters with the lowest held-out loss.
    pub best: NetValues,
    /// The finished epochs.
    pub curve: Vec<Epoch>,
}

impl TrainingState {
    /// The epoch with the lowest held-out loss; the first one of several.
    pub fn best_epoch(&self) -> Option<Epoch> {
        let less = |one: &Epoch, other: &Epoch| one.held_out.total_cmp(&other.held_out);
        self.curve.iter().copied().min_by(less)
    }
}

/// Why a net cannot be trained.
#[derive(Debug, Error)]
pub enum TrainingError {
    /// A file of games has changed or cannot be read any more.
    #[error(transparent)]
    Games(#[from] GamesError),
    /// The number of neurons is not a multiple of [`NEURONS`].
    #[error("{}, expected a multiple of {NEURONS}", counted(.0, "neuron"))]
    Neurons(usize),
    /// There are too few games to hold some out.
    #[error(
        "too few to hold some out: {} of {}",
        counted(.positions, "quiet position"),
        counted(.games, "game")
    )]
    TooFew {
        /// The positions.
        positions: u64,
        /// The games.
        games: u64,
    },
    /// The net to start from has incompatible sizes.
    #[error("a net of {} inputs in {} buckets, {} neurons, {} outputs cannot become the one that is trained",
        .0.inputs.inputs, .0.buckets, .0.hidden, .0.outputs)]
    Start(EvalNetSizes),
    /// The loss is not finite.
    #[error("epoch {epoch}: the loss is {loss}; the learning rate may be too high")]
    Diverged {
        /// The number of the epoch.
        epoch: u32,
        /// The loss.
        loss: f64,
    },
}

/// A training of a net on the data of files.
pub struct Trainer<'a, G> {
    data: &'a TrainingData<G>,
    /// The positions to learn from with their targets, if they stay in memory.
    kept: Option<Arc<(Dataset<G>, Vec<f32>)>>,
    settings: TrainingSettings,
    /// Units of the evaluation that make 1 on the logistic scale.
    unit: f64,
    /// The target of each held-out position.
    held_out_targets: Vec<f32>,
    slices: Vec<Slice>,
    /// The training so far.
    pub state: TrainingState,
}

/// Where a step of a training is.
#[derive(Clone, Copy)]
struct Place {
    /// The seed of what is random.
    seed: u64,
    /// The share of the training that is done, from 0 to 1.
    progress: f64,
}

/// A slice of a batch.
struct Slice {
    pass: Pass,
    gradient: NetValues,
    loss: f64,
}

impl<'a, G: Knowledge> Trainer<'a, G> {
    /// A training that starts from random parameters, or from `start`, whose checksum is in the settings.
    ///
    /// # Errors
    /// [`TrainingError`] if a size is not allowed, the net has incompatible sizes, or there are too few games.
    pub fn new(
        data: &'a TrainingData<G>,
        settings: TrainingSettings,
        start: Option<&EvalNet>,
    ) -> Result<Trainer<'a, G>, TrainingError> {
        let TrainingSettings { sizes, seed, unit, blend, lambda, .. } = settings;
        if sizes.hidden == 0 || !sizes.hidden.is_multiple_of(NEURONS) {
            return Err(TrainingError::Neurons(sizes.hidden));
        }
        if data.held_out().is_empty() || data.positions() == 0 {
            let counts = data.counts();
            return Err(TrainingError::TooFew { positions: counts.quiet(), games: counts.games });
        }
        let (max_inputs, random) = (data.max_inputs(), mixed(seed));
        let net = match start {
            Some(net) => {
                NetValues::of_net(net, sizes, max_inputs, random).ok_or(TrainingError::Start(net.sizes))?
            }
            None => NetValues::random(sizes, max_inputs, random),
        };
        let zeros = NetValues::zeros(sizes);
        let optimiser = AdamW { steps: 0, mean: zeros.clone(), square: zeros.clone() };
        let unit = unit.or(start.map(|net| net.scale.unit)).unwrap_or_else(|| fit_unit(data.labels()));
        let slice = || Slice { pass: Pass::new(sizes), gradient: zeros.clone(), loss: 0.0 };
        Ok(Trainer {
            data,
            kept: None,
            settings,
            unit,
            held_out_targets: data.held_out().targets(&Target { blend, lambda, unit }),
            slices: std::iter::repeat_with(slice).take(SLICES).collect(),
            state: TrainingState { best: net.clone(), net, optimiser, curve: Vec::new() },
        })
    }

    /// The sizes of the net.
    pub fn sizes(&self) -> EvalNetSizes {
        self.settings.sizes
    }

    /// The number of training positions and of held-out positions.
    pub fn positions(&self) -> (usize, usize) {
        (self.data.positions(), self.data.held_out().len())
    }

    /// Units of the evaluation that make 1 on the logistic scale.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Whether all epochs have been run, or the held-out loss has not improved for `patience` epochs.
    pub fn is_finished(&self) -> bool {
        let epochs = self.state.curve.len() as u32;
        let best = self.state.best_epoch().map_or(0, |epoch| epoch.number);
        epochs >= self.settings.epochs || epochs >= best.saturating_add(self.settings.patience)
    }

    /// Runs an epoch; `None` if `control` stops it, which leaves the training unchanged. `report` is called
    /// with the number of positions done.
    ///
    /// # Errors
    /// [`TrainingError::Diverged`]; the training is then unchanged.
    pub fn epoch(
        &mut self,
        control: &Control,
        report: &mut dyn FnMut(usize),
    ) -> Result<Option<Epoch>, TrainingError> {
        let number = self.state.curve.len() as u32 + 1;
        let before = (self.state.net.clone(), self.state.optimiser.clone());
        let result = self.learn(number, control, report);
        match result {
            Ok(Some(epoch)) => {
                if self.state.best_epoch().is_none_or(|best| epoch.held_out < best.held_out) {
                    self.state.best.clone_from(&self.state.net);
                }
                self.state.curve.push(epoch);
            }
            _ => (self.state.net, self.state.optimiser) = before,
        }
        result
    }

    fn learn(
        &mut self,
        number: u32,
        control: &Control,
        report: &mut dyn FnMut(usize),
    ) -> Result<Option<Epoch>, TrainingError> {
        let finite = |loss: f64| match loss.is_finite() {
            true => Ok(loss),
            false => Err(TrainingError::Diverged { epoch: number, loss }),
        };
        let TrainingSettings { seed, epochs, batch: size, blend, lambda, .. } = self.settings;
        let (target, total) = (Target { blend, lambda, unit: self.unit }, self.data.positions());
        let (mut sum, mut done, mut result) = (0.0, 0, Ok(()));
        let (data, mut kept) = (self.data, self.kept.take());
        let read = data.epoch(mixed(seed) ^ mixed(!u64::from(number)), &target, &mut kept, |portion| {
            // All batches of a portion have about the same size.
            let batches = portion.order.len().div_ceil(size.max(1)).max(1);
            for batch in portion.order.chunks(portion.order.len().div_ceil(batches).max(1)) {
                if control.is_stopped() {
                    return false;
                }
                let progress = f64::from(number - 1) + done as f64 / total as f64;
                let place = Place { seed: portion.seed, progress: progress / f64::from(epochs) };
                match finite(self.batch(portion, batch, place)) {
                    Ok(loss) => sum += loss,
                    Err(error) => {
                        result = Err(error);
                        return false;
                    }
                }
                done += batch.len();
                report(done);
            }
            true
        });
        self.kept = kept;
        read?;
        result?;
        if control.is_stopped() && done < total {
            return Ok(None);
        }
        let training = sum / total as f64;
        let losses = self.map_held_out(&self.state.net, |output, example| {
            let error = f64::from(logistic(output) - example.target);
            error * error
        });
        let held_out = finite(losses.iter().sum::<f64>() / losses.len() as f64)?;
        Ok(Some(Epoch { number, training, held_out }))
    }

    /// Learns from a batch. Returns the sum of its losses before the step, which is left out if that is not
    /// finite.
    fn batch(&mut self, portion: &Portion<G>, batch: &[u32], place: Place) -> f64 {
        let Trainer { data, settings, slices, state, .. } = self;
        let (positions, targets) = &*portion.positions;
        let net = &state.net;
        let parts = batch.chunks(batch.len().div_ceil(SLICES));
        let slices = &mut slices[..parts.len()];
        slices.par_iter_mut().zip(parts.collect::<Vec<_>>()).for_each(|(slice, part)| {
            slice.gradient.parts_mut().into_iter().for_each(|values| values.fill(0.0));
            let mut example = Example::default();
            slice.loss = 0.0;
            for &number in part {
                let mirrored = mixed(place.seed ^ u64::from(number)) & 1 != 0;
                positions.get(number as usize, mirrored, targets, &mut example);
                slice.loss += f64::from(slice.pass.learn(net, &example, &mut slice.gradient));
            }
            slice.pass.finish(&mut slice.gradient);
        });
        let loss = slices.iter().map(|slice| slice.loss).sum::<f64>();
        if loss.is_finite() {
            let gradients: Vec<_> = slices.iter().map(|slice| &slice.gradient).collect();
            let progress = place.progress.min(1.0);
            let decay = LAST_RATE + (1.0 - LAST_RATE) * (1.0 + (PI * progress).cos()) / 2.0;
            let step = Step {
                rate: (settings.rate * decay) as f32,
                decay: settings.decay as f32,
                share: 1.0 / batch.len() as f32,
                // One more for the bias, and one for rounding.
                max_weights: (MAX_WEIGHT.min(MAX_SUM / (data.max_inputs() + 2) as f32), MAX_WEIGHT),
                // Rounding adds up to half a 64th to each of the weights, two of a neuron; one more for the
                // factor.
                max_output_sum: (MAX_OUTPUT_SUM - (settings.sizes.hidden + 1) as f32) / 64.0,
            };
            state.optimiser.step(step, &gradients, &mut state.net);
        }
        loss
    }

    /// `value` of the output of a net and the example, for each held-out position in order.
    fn map_held_out<T: Send>(&self, net: &NetValues, value: impl Fn(f32, &Example) -> T + Sync) -> Vec<T> {
        let positions = self.data.held_out();
        let chunk = |first: usize| -> Vec<T> {
            let (mut pass, mut example) = (Pass::new(self.sizes()), Example::default());
            let mut one = |number| {
                positions.get(number, false, &self.held_out_targets, &mut example);
                value(pass.output(net, &example), &example)
            };
            (first..positions.len().min(first + CHUNK)).map(&mut one).collect()
        };
        let firsts: Vec<_> = (0..positions.len()).step_by(CHUNK).collect();
        firsts.into_par_iter().flat_map_iter(chunk).collect()
    }

    /// The held-out loss of a net that always answers the mean of the targets, as a baseline.
    pub fn baseline_loss(&self) -> f64 {
        let targets = self.map_held_out(&self.state.net, |_, example| f64::from(example.target));
        let mean = targets.iter().sum::<f64>() / targets.len() as f64;
        targets.iter().map(|target| (target - mean) * (target - mean)).sum::<f64>() / targets.len() as f64
    }

    /// The net of the best epoch, with a WDL model fitted to the held-out positions.
    pub fn best_net(&self, provenance: String) -> EvalNet {
        let values = self.map_held_out(&self.state.best, |output, _| f64::from(output) * self.unit);
        let held_out = self.data.held_out();
        let results = (0..held_out.len()).map(|number| held_out.labels(number).1);
        let labels: Vec<(f64, Wdl)> = values.into_iter().zip(results).collect();
        let WdlModel { a, b } = fit_wdl_model(&labels);
        let scale = EvalNetScale { unit: self.unit, margin: self.settings.margin, a, b };
        EvalNet::quantised(self.sizes(), scale, provenance, self.state.best.parts())
    }
}
