//! `labrys nnue`: evaluation nets.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Subcommand;

use super::progress::Progress;
use super::{RulesArguments, interruptible, parse_fraction, parse_non_negative};
use crate::engine::registry::{self, GameVisitor};
use crate::eval::nnue::EvalNet;
use crate::files::check_writable;
use crate::game::{InputShape, Playable};
use crate::learn::nnue::checkpoint::TrainingFolder;
use crate::learn::nnue::dataset::{Counts, Dataset};
use crate::learn::nnue::games::{GamesError, read_games, start_of};
use crate::learn::nnue::trainer::{Epoch, Trainer, TrainingSettings};

/// Makes and trains evaluation nets.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a net with random parameters
    New(New),
    /// Train a net on games of `labrys selfplay`
    Train(Train),
}

/// The sizes of a net.
#[derive(Debug, clap::Args)]
struct Sizes {
    /// Neurons for each of the two players
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = parse_size::<4_096>)]
    neurons: usize,
    /// Outputs, of which what is on the board decides
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_size::<64>)]
    outputs: usize,
}

/// Writes a net with random parameters.
#[derive(Debug, clap::Args)]
struct New {
    #[command(flatten)]
    rules: RulesArguments,
    #[command(flatten)]
    sizes: Sizes,
    /// Seed of the random parameters
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Trains a net on games of `labrys selfplay`.
#[derive(Debug, clap::Args)]
struct Train {
    /// The game
    #[arg(long, default_value_t = registry::default_name().to_owned())]
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
    #[command(flatten)]
    sizes: Sizes,
    /// Number of passes over all positions
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// Positions of a batch
    #[arg(long, value_name = "N", default_value_t = 16_384, value_parser = parse_size::<1_000_000>)]
    batch: usize,
    /// Initial learning rate of AdamW; it falls to a hundredth, as a cosine does
    #[arg(long, default_value_t = 0.001, value_parser = parse_non_negative)]
    rate: f64,
    /// Weight decay of AdamW
    #[arg(long, default_value_t = 0.01, value_parser = parse_non_negative)]
    decay: f64,
    /// Weight of the score in the target, from 0 to 1; the rest is the result of the game
    #[arg(long, default_value_t = 1.0, value_parser = parse_fraction)]
    blend: f64,
    /// Stop after so many epochs without a lower loss of the held-out positions
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    patience: u32,
    /// Unit of the pruning margins, in thousandths [default: that of the game's first feature set]
    #[arg(long, value_parser = clap::value_parser!(i32).range(0..=1_000_000))]
    margin: Option<i32>,
    /// Seed of the initial parameters, of the order of the positions and of the choice of held-out games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads [default: as many as the machine has]
    #[arg(long)]
    threads: Option<NonZeroUsize>,
}

/// Parses a whole number from 1 to `MOST`.
fn parse_size<const MOST: usize>(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("expected a whole number from 1 to {MOST}"))
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::New(new) => registry::dispatch(&new.rules.variant, new)?,
        Command::Train(train) => registry::dispatch(&train.variant, train)?,
    }
}

impl GameVisitor for &New {
    type Output = anyhow::Result<()>;

    fn visit<G: Playable>(self) -> anyhow::Result<()> {
        check_writable(&self.out).with_context(|| self.out.display().to_string())?;
        let play = self.rules.rules()?.start::<G>()?;
        let Sizes { neurons, outputs } = self.sizes;
        let net = EvalNet::random(play.position(), neurons, outputs, self.seed);
        net.save::<G>(&self.out)?;
        let InputShape { files, ranks, inputs } = net.sizes.inputs;
        let path = self.out.display();
        println!("a net for {} on {files}×{ranks}, {inputs} → {neurons} × 2 → {outputs}: {path}", G::NAME);
        Ok(())
    }
}

impl Train {
    fn settings<G: Playable>(&self) -> TrainingSettings {
        TrainingSettings {
            neurons: self.sizes.neurons,
            outputs: self.sizes.outputs,
            epochs: self.epochs,
            batch: self.batch,
            rate: self.rate,
            decay: self.decay,
            blend: self.blend,
            patience: self.patience,
            seed: self.seed,
            margin: self.margin.unwrap_or(G::SETS[0].scale.margin),
        }
    }

    /// Reads the positions of all files, and says where they come from.
    fn read<G: Playable>(&self) -> anyhow::Result<(Dataset<G>, Counts, String)> {
        let mut read: Option<Dataset<G>> = None;
        let (mut counts, mut sources) = (Counts::default(), Vec::new());
        for path in &self.data {
            let refuse = |problem| GamesError { path: path.clone(), problem };
            let (header, games) = read_games::<G>(path)?;
            let dataset = match &mut read {
                Some(dataset) => dataset,
                none => none.insert(Dataset::new(start_of(&header).map_err(refuse)?)),
            };
            dataset.add(&header, &games, self.sizes.outputs, &mut counts).map_err(refuse)?;
            sources.push(format!(
                "{} games of {}, {} nodes, seed {}",
                games.len(),
                header.evaluation,
                header.nodes,
                header.seed
            ));
        }
        let dataset = read.context("--data: no file")?;
        ensure!(u32::try_from(dataset.len()).is_ok(), "--data: {} positions are too many", dataset.len());
        Ok((dataset, counts, sources.join("; ")))
    }

    fn train<G: Playable>(&self) -> anyhow::Result<()> {
        let control = interruptible()?;
        let (dataset, counts, sources) = self.read::<G>()?;
        let settings = self.settings::<G>();
        let mut trainer = Trainer::new(&dataset, settings)?;
        let folder = TrainingFolder::open(&self.out, settings, dataset.checksum())?;
        if let Some(state) = folder.read::<G>(trainer.sizes(), self.resume)? {
            trainer.state = state;
        }
        let (learned, held_out) = trainer.positions();
        let (games, quiet, unit) = (counts.games, counts.quiet(), trainer.unit());
        println!("{games} games, {quiet} quiet positions, {held_out} of them held out; unit {unit:.3}");
        let chance = trainer.chance_loss();
        println!("loss of the held-out positions by chance {chance:.6}");
        while !trainer.is_finished() {
            let begin = Instant::now();
            let number = trainer.state.curve.len() + 1;
            let mut progress = Progress::new("positions", 0, Some(learned as u64));
            let epoch = trainer.epoch(&control, &mut |done| {
                progress.update(done as u64, || format!("epoch {number}/{}", self.epochs));
            })?;
            progress.finish();
            let Some(Epoch { training, held_out, .. }) = epoch else { break };
            let rate = learned as f64 / begin.elapsed().as_secs_f64();
            println!("epoch {number}: loss {training:.6}, held out {held_out:.6}, {rate:.0} positions/s");
            folder.write(&trainer, self.provenance(&trainer.state.curve, &sources, chance))?;
        }
        match trainer.state.best_epoch() {
            Some(best) => {
                let path = folder.net();
                println!("epoch {}: held out {:.6}: {}", best.number, best.held_out, path.display());
            }
            None => println!("interrupted in the first epoch, nothing written"),
        }
        Ok(())
    }

    fn provenance(&self, curve: &[Epoch], sources: &str, chance: f64) -> String {
        let held_out = curve.iter().map(|epoch| epoch.held_out).fold(f64::INFINITY, f64::min);
        let Train { blend, rate, seed, epochs, .. } = self;
        format!(
            "labrys nnue train, blend {blend}, rate {rate}, {} of {epochs} epochs, seed {seed}: \
             held-out loss {held_out:.6} (chance: {chance:.6}); on {sources}",
            curve.len()
        )
    }
}

impl GameVisitor for &Train {
    type Output = anyhow::Result<()>;

    fn visit<G: Playable>(self) -> anyhow::Result<()> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(super::threads(self.threads)).build()?;
        pool.install(|| self.train::<G>())
    }
}
