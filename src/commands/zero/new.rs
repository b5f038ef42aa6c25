//! `labrys zero new`.

use std::path::PathBuf;

use crate::commands::shared::typed::commands;
use crate::commands::shared::values::whole;
use crate::commands::shared::{RulesArguments, claim};
use crate::engine::Playable;
use crate::game::EncodingShape;
use crate::learn::save_parameters;
use crate::learn::zero::{NetKind, NetSettings};
use crate::nets::{NetConfig, Parameters};

/// Writes a net with random parameters.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ZeroNewArguments {
    #[command(flatten)]
    rules: RulesArguments,
    /// The architecture
    #[arg(long, value_enum, default_value_t)]
    net: NetKind,
    /// Channels of the convolutions [default: 64 in `paper`, 32 in `residual`]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(..))]
    channels: Option<usize>,
    /// Units of each dense layer [default: 512 in `paper`, 64 in `residual`]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(..))]
    dense: Option<usize>,
    /// Residual blocks, in `residual` [default: 3]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(..))]
    blocks: Option<usize>,
    /// Seed of the random parameters
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>(..))]
    seed: u64,
    /// Output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(arguments: &ZeroNewArguments) -> anyhow::Result<()> {
    commands(&arguments.rules.variant)?.new_net(arguments)
}

impl ZeroNewArguments {
    pub(in crate::commands) fn run_typed<G: Playable>(&self) -> anyhow::Result<()> {
        let _claim = claim(&self.out)?;
        let play = self.rules.rules()?.start::<G>()?;
        let shape = play.position().encoding_shape();
        let ZeroNewArguments { net: architecture, channels, dense, blocks, .. } = *self;
        let architecture = NetSettings { architecture, channels, dense, blocks }.architecture();
        let parameters = Parameters::random::<G>(NetConfig { shape, architecture }, self.seed)?;
        save_parameters(&parameters, &self.out)?;
        let EncodingShape { files, ranks, .. } = shape;
        let (count, path) = (parameters.count(), self.out.display());
        print_line!("a net for {} on {files}×{ranks}, {count} parameters: {path}", G::info().name)?;
        Ok(())
    }
}
