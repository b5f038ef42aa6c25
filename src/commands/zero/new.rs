//! `labrys zero new`.

use std::path::PathBuf;

use anyhow::{Context, ensure};

use crate::commands::shared::typed::commands;
use crate::commands::shared::values::whole;
use crate::commands::shared::{RulesArguments, claim};
use crate::engine::Playable;
use crate::game::{EncodingShape, PlaneSelection};
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
    /// Groups of planes that are the input, separated by commas, such as `board` [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    planes: Option<Vec<String>>,
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
        ensure!(
            self.net != NetKind::Paper || self.blocks.is_none(),
            "--blocks: a net of the architecture `paper` has no blocks"
        );
        let _claim = claim(&self.out)?;
        let play = self.rules.rules()?.start::<G>()?;
        let selection = self.planes.as_ref().map(|names| PlaneSelection::new(G::PLANE_GROUPS, names));
        let selection = selection.transpose().context("--planes")?.unwrap_or_default();
        let shape = play.position().encoding_shape().select(selection);
        let ZeroNewArguments { net: architecture, channels, dense, blocks, .. } = *self;
        let settings = NetSettings { architecture, channels, dense, blocks, planes: None };
        let architecture = settings.architecture();
        let parameters = Parameters::random::<G>(NetConfig { shape, architecture }, self.seed)?;
        save_parameters(&parameters, &self.out)?;
        let EncodingShape { files, ranks, .. } = shape;
        let (count, path) = (parameters.count(), self.out.display());
        print_line!("a net for {} on {files}×{ranks}, {count} parameters: {path}", G::info().name)?;
        Ok(())
    }
}
