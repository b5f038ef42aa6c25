//! `labrys nnue`: evaluation nets, from the games to the net.

pub(super) mod export;
pub(super) mod generations;
pub(super) mod new;
pub(super) mod rescore;
pub(super) mod selfplay;
pub(super) mod stats;
pub(super) mod train;

use anyhow::ensure;
use clap::Subcommand;
use serde::Serialize;

use crate::commands::shared::values::whole;
use crate::eval::nnue::EvalNetSizes;
use crate::game::Knowledge;
use crate::learn::nnue::data::InputSizes;

#[derive(Debug, Subcommand)]
pub(super) enum NnueCommand {
    /// Play games to learn from
    Selfplay(selfplay::NnueSelfplayArguments),
    /// Score the positions of games of `nnue selfplay` anew
    Rescore(rescore::NnueRescoreArguments),
    /// Check files of self-play games and count their positions
    Stats(stats::NnueStatsArguments),
    /// Train a net on games of `nnue selfplay`
    Train(train::NnueTrainArguments),
    /// Train a series of nets, each of which plays the games for the next, with matches in between
    Generations(Box<generations::NnueGenerationsArguments>),
    /// Write the quiet positions of games of `nnue selfplay` in the format of the bullet trainer
    Export(export::NnueExportArguments),
    /// Write a net with random parameters
    New(new::NnueNewArguments),
}

pub(super) fn run(command: &NnueCommand) -> anyhow::Result<()> {
    match command {
        NnueCommand::Selfplay(arguments) => selfplay::run(arguments),
        NnueCommand::Rescore(arguments) => rescore::run(arguments),
        NnueCommand::Stats(arguments) => stats::run(arguments),
        NnueCommand::Train(arguments) => train::run(arguments),
        NnueCommand::Generations(arguments) => generations::run(arguments),
        NnueCommand::Export(arguments) => export::run(arguments),
        NnueCommand::New(arguments) => new::run(arguments),
    }
}

/// The sizes of a net.
#[derive(Debug, clap::Args, Serialize)]
struct Sizes {
    /// Input buckets: sets of weights, selected by the square of the player's king
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u8>(1..))]
    #[serde(skip_serializing_if = "is_one")]
    buckets: u8,
    /// Neurons per perspective
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = whole::<usize>(1..=4_096))]
    neurons: usize,
    /// Output buckets, selected by the material on the board
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<usize>(1..=64))]
    outputs: usize,
}

/// Whether there is only one bucket, the default in settings.
fn is_one(buckets: &u8) -> bool {
    *buckets == 1
}

impl Sizes {
    /// The sizes of what a net for a game needs to know of positions.
    ///
    /// # Errors
    /// The game has fewer buckets.
    fn of_inputs<G: Knowledge>(&self) -> anyhow::Result<InputSizes> {
        let &Sizes { buckets, outputs, .. } = self;
        ensure!(buckets <= G::BUCKETS, "--buckets {buckets}: {} has at most {}", G::info().name, G::BUCKETS);
        Ok(InputSizes { buckets, outputs })
    }

    /// The sizes for the board of a position.
    ///
    /// # Errors
    /// Those of [`Sizes::of_inputs`].
    fn of<G: Knowledge>(&self, position: &G) -> anyhow::Result<EvalNetSizes> {
        let InputSizes { buckets, outputs } = self.of_inputs::<G>()?;
        let hidden = self.neurons;
        Ok(EvalNetSizes { inputs: position.input_shape(), buckets, hidden, outputs })
    }
}
