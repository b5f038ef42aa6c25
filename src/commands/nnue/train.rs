//! `labrys nnue train`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::ensure;
use serde::Serialize;

use super::Sizes;
use crate::commands::shared::made_by::made_by;
use crate::commands::shared::progress::Progress;
use crate::commands::shared::suggest;
use crate::commands::shared::typed::commands;
use crate::commands::shared::values::{fraction, non_negative, whole};
use crate::commands::shared::{interruptible, threads};
use crate::engine::Playable;
use crate::engine::registry;
use crate::eval::nnue::{EvalNet, EvalNetSizes};
use crate::game::counted;
use crate::learn::nnue::checkpoint::TrainingFolder;
use crate::learn::nnue::data::{MemoryLimits, TrainingData};
use crate::learn::nnue::trainer::{Epoch, Trainer, TrainingSettings};
use crate::search::Control;

/// Trains a net on games of `labrys nnue selfplay`.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct NnueTrainArguments {
    /// The game
    #[arg(long, default_value_t = registry::default_name().to_owned(), value_parser = suggest::game())]
    variant: String,
    /// File of games; may be given several times
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
    /// Folder for the net, the state of the training and its curve
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Continue the training in the folder
    #[arg(long)]
    resume: bool,
    /// Start from a net instead of random parameters; it may have fewer neurons and buckets
    #[arg(long, value_name = "NET")]
    start: Option<PathBuf>,
    #[command(flatten)]
    training: TrainingArguments,
    /// Seed of the initial parameters and of the order of the positions
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(..))]
    seed: u64,
    /// Number of threads [default: the number of cores]
    #[arg(long, value_parser = whole::<NonZeroUsize>(..))]
    threads: Option<NonZeroUsize>,
}

/// The settings of a training.
#[derive(Debug, clap::Args, Serialize)]
pub(super) struct TrainingArguments {
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) sizes: Sizes,
    /// Number of passes over all positions
    #[arg(long, default_value_t = 30, value_parser = whole::<u32>(1..))]
    epochs: u32,
    /// Positions per batch
    #[arg(long, value_name = "N", default_value_t = 16_384, value_parser = whole::<usize>(1..=1_000_000))]
    batch: usize,
    /// Initial learning rate of AdamW; it falls to a hundredth along a cosine
    #[arg(long, default_value_t = 0.001, value_parser = non_negative)]
    rate: f64,
    /// Weight decay of AdamW
    #[arg(long, default_value_t = 0.01, value_parser = non_negative)]
    decay: f64,
    /// Weight of the scores in the target, from 0 to 1; the rest is the result of the game
    #[arg(long, default_value_t = 1.0, value_parser = fraction)]
    blend: f64,
    /// λ of TD(λ): the weight of later scores of the game in the target, from 0 to 1
    #[arg(long, default_value_t = 0.0, value_parser = fraction)]
    lambda: f64,
    /// Stop after this many epochs without a lower loss of the held-out positions
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<u32>(1..))]
    patience: u32,
    /// Unit of the pruning margins, in thousandths [default: that of the game's first feature set]
    #[arg(long, value_parser = whole::<i32>(0..=1_000_000))]
    margin: Option<i32>,
}

impl TrainingArguments {
    fn settings<G: Playable>(&self, sizes: EvalNetSizes, seed: u64, start: Option<u32>) -> TrainingSettings {
        let scale = G::SETS[0].scale;
        TrainingSettings {
            sizes,
            start,
            epochs: self.epochs,
            batch: self.batch,
            rate: self.rate,
            decay: self.decay,
            blend: self.blend,
            lambda: self.lambda,
            patience: self.patience,
            seed,
            margin: self.margin.unwrap_or(scale.margin),
            // Scores that are not used may be meaningless, such as those of a random net.
            unit: (self.blend == 0.0 && start.is_none()).then_some(scale.wdl.b),
        }
    }
}

pub(super) fn run(arguments: &NnueTrainArguments) -> anyhow::Result<()> {
    let NnueTrainArguments { variant, data, out, resume, start, training, seed, threads: asked } = arguments;
    let (seed, threads, resume) = (*seed, threads(*asked), *resume);
    let start = start.as_deref();
    let training = Training { data, out, resume, start, arguments: training, seed, threads };
    commands(variant)?.train_eval_net(&training)
}

/// A training to run.
pub(in crate::commands) struct Training<'a> {
    /// The games files.
    pub(super) data: &'a [PathBuf],
    /// The folder.
    pub(super) out: &'a Path,
    /// Whether to continue a training in the folder.
    pub(super) resume: bool,
    /// The net to start from.
    pub(super) start: Option<&'a Path>,
    pub(super) arguments: &'a TrainingArguments,
    pub(super) seed: u64,
    pub(super) threads: usize,
}

/// The state of a training.
pub(super) struct Trained {
    /// The number of quiet positions in the data.
    pub(super) positions: u64,
    /// The epoch with the lowest held-out loss; `None` before the first epoch.
    pub(super) best: Option<Epoch>,
    /// Whether the training is complete.
    pub(super) is_finished: bool,
}

impl Training<'_> {
    /// Trains the net until it is finished, or until `control` stops it after a complete epoch.
    pub(super) fn train<G: Playable>(&self, control: &Control) -> anyhow::Result<Trained> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build()?;
        pool.install(|| self.train_here::<G>(control))
    }

    /// Trains the net on the threads of the current pool.
    fn train_here<G: Playable>(&self, control: &Control) -> anyhow::Result<Trained> {
        let inputs = self.arguments.sizes.of_inputs::<G>()?;
        let data = TrainingData::<G>::open(self.data, inputs, MemoryLimits::default())?;
        let (counts, sources) = (data.counts(), data.sources());
        let start = self.start.map(EvalNet::load::<G>).transpose()?;
        let checksum = start.as_ref().map(EvalNet::checksum);
        let sizes = self.arguments.sizes.of(data.board())?;
        let settings = self.arguments.settings::<G>(sizes, self.seed, checksum);
        let mut trainer = Trainer::new(&data, settings, start.as_ref())?;
        let folder = TrainingFolder::open(self.out, settings, data.checksum())?;
        let _claim = folder.claim()?;
        let chance = trainer.baseline_loss();
        if let Some(state) = folder.read::<G>(self.resume)? {
            trainer.state = state;
            // The training was killed after its first state.
            if !folder.net().exists() {
                folder.write(&trainer, provenance(settings, &trainer.state.curve, &sources, chance)?)?;
            }
        }
        let (learned, held_out) = trainer.positions();
        let (games, quiet, unit) = (counts.games, counts.quiet(), trainer.unit());
        print_line!(
            "{}, {}, {held_out} of them held out; unit {unit:.3}",
            counted(games, "game"),
            counted(quiet, "quiet position")
        )?;
        print_line!("baseline loss of the held-out positions {chance:.6}")?;
        while !trainer.is_finished() {
            let begin = Instant::now();
            let number = trainer.state.curve.len() + 1;
            let mut progress = Progress::new("positions", 0, Some(learned as u64));
            let epoch = trainer.epoch(control, &mut |done| {
                progress.update(done as u64, || format!("epoch {number}/{}", settings.epochs));
            })?;
            progress.finish();
            let Some(Epoch { training, held_out, .. }) = epoch else { break };
            let rate = learned as f64 / begin.elapsed().as_secs_f64();
            print_line!("epoch {number}: loss {training:.6}, held out {held_out:.6}, {rate:.0} positions/s")?;
            folder.write(&trainer, provenance(settings, &trainer.state.curve, &sources, chance)?)?;
        }
        let best = trainer.state.best_epoch();
        if let Some(Epoch { number, held_out, .. }) = best {
            print_line!("epoch {number}: held out {held_out:.6}: {}", folder.net().display())?;
        }
        Ok(Trained { positions: quiet, best, is_finished: trainer.is_finished() })
    }

    pub(in crate::commands) fn run_typed<G: Playable>(&self) -> anyhow::Result<()> {
        let Trained { best, is_finished, .. } = self.train::<G>(&*interruptible()?)?;
        ensure!(best.is_some(), "interrupted in the first epoch, nothing written");
        ensure!(is_finished, "interrupted, use --resume to continue");
        Ok(())
    }
}

/// What the file of the net says: the command, its result, the games, and the whole configuration.
fn provenance(
    settings: TrainingSettings,
    curve: &[Epoch],
    sources: &str,
    chance: f64,
) -> serde_json::Result<String> {
    let held_out = curve.iter().map(|epoch| epoch.held_out).fold(f64::INFINITY, f64::min);
    let TrainingSettings { blend, lambda, rate, seed, epochs, start, .. } = settings;
    let start = start.map_or(String::new(), |checksum| format!(" from {checksum:08x}"));
    let made_by = made_by(&settings)?;
    Ok(format!(
        "labrys nnue train{start}, blend {blend}, lambda {lambda}, rate {rate}, {} of {epochs} epochs, \
         seed {seed}: held-out loss {held_out:.6} (chance: {chance:.6}); on {sources}; {made_by}",
        curve.len()
    ))
}
