//! `labrys zero`: policy/value nets.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Subcommand, ValueEnum};

use super::RulesArguments;
use crate::engine::registry::{self, GameVisitor};
use crate::engine::{Board, Play};
use crate::files::check_writable;
use crate::game::{EncodingShape, Playable};
use crate::nets::{Architecture, NetConfig, Parameters};

/// Makes policy/value nets.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a net with random parameters
    New(New),
}

/// Writes a net with random parameters.
#[derive(Debug, clap::Args)]
struct New {
    #[command(flatten)]
    rules: RulesArguments,
    /// The architecture
    #[arg(long, default_value = "residual")]
    net: Kind,
    /// Channels of the convolutions [default: 64 in `paper`, 32 in `residual`]
    #[arg(long, value_name = "N")]
    channels: Option<usize>,
    /// Units of the dense layers [default: 512 in `paper`, 64 in `residual`]
    #[arg(long, value_name = "N")]
    dense: Option<usize>,
    /// Residual blocks, in `residual`
    #[arg(long, value_name = "N", default_value_t = 3)]
    blocks: usize,
    /// Seed of the random parameters
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// The kinds of nets.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// Four convolutions and two dense layers, as in the chess-zero paper
    Paper,
    /// A residual net
    Residual,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::New(new) => registry::dispatch(&new.rules.variant, new)?,
    }
}

impl New {
    fn architecture(&self) -> Architecture {
        let or = |size: Option<usize>, default| size.unwrap_or(default);
        match self.net {
            Kind::Paper => {
                let units = or(self.dense, 512);
                Architecture::Paper { channels: or(self.channels, 64), dense: [units, units] }
            }
            Kind::Residual => Architecture::Residual {
                channels: or(self.channels, 32),
                blocks: self.blocks,
                hidden: or(self.dense, 64),
            },
        }
    }
}

impl GameVisitor for &New {
    type Output = anyhow::Result<()>;

    fn visit<G: Playable>(self) -> anyhow::Result<()> {
        check_writable(&self.out).with_context(|| self.out.display().to_string())?;
        let mut play = Play::<G>::start();
        if let Some((name, value)) = &self.rules.option {
            play.set_option(name, value)?;
        }
        let shape = play.position().encoding_shape();
        let config = NetConfig { shape, architecture: self.architecture() };
        let parameters = Parameters::random::<G>(config, self.seed)?;
        parameters.save(&self.out)?;
        let EncodingShape { files, ranks, .. } = shape;
        let (count, path) = (parameters.count(), self.out.display());
        println!("a net for {} on {files}×{ranks}, {count} parameters: {path}", G::NAME);
        Ok(())
    }
}
