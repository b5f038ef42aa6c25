//! `labrys zero selfplay`.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::bail;

use super::settings;
use crate::arena::Rules;
use crate::commands::shared::progress::Progress;
use crate::commands::shared::typed::commands;
use crate::commands::shared::values::whole;
use crate::commands::shared::{interruptible, threads};
use crate::engine::Playable;
use crate::game::counted;
use crate::learn::zero::{GenerationGames, ZeroConfig, ZeroError};
use crate::shard::Shard;

/// Plays the games of a generation, or a shard of them, and writes their samples. As `samples.safetensors` in
/// the folder of the generation, `zero train` learns from them and plays none itself.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ZeroSelfplayArguments {
    /// The settings of the run, in TOML
    #[arg(value_name = "CONFIG")]
    settings: PathBuf,
    /// The generation whose games are played, from 1
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..))]
    generation: u32,
    /// The best net before that generation [default: the random net that a run starts with]
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Play only the games of shard I of N; `labrys games merge` merges the files of all shards
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Seed of everything random [default: as in CONFIG]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(..))]
    seed: Option<u64>,
    /// Number of concurrent games; the result does not depend on it [default: as in CONFIG, or the number of
    /// cores]
    #[arg(long, value_name = "N", value_parser = whole::<NonZeroUsize>(..))]
    threads: Option<NonZeroUsize>,
    /// Output file of the samples
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(arguments: &ZeroSelfplayArguments) -> anyhow::Result<()> {
    let (mut config, rules) = settings::read(&arguments.settings)?;
    config.settings.seed = arguments.seed.unwrap_or(config.settings.seed);
    commands(&rules.variant)?.selfplay_of_generation(Games { arguments, rules, config })
}

/// Games, to be dispatched on the type of the game.
pub(in crate::commands) struct Games<'a> {
    arguments: &'a ZeroSelfplayArguments,
    rules: Rules,
    config: ZeroConfig,
}

impl Games<'_> {
    pub(in crate::commands) fn run_typed<G: Playable>(self) -> anyhow::Result<()> {
        let ZeroSelfplayArguments { settings: path, generation, net, shard, threads: asked, out, .. } =
            self.arguments;
        let threads = threads(asked.or(self.config.settings.threads));
        let (generation, net, shard) = (*generation, net.as_deref(), *shard);
        let games = GenerationGames { config: &self.config, generation, net, shard, threads, out };
        let control = interruptible()?;
        let (mut progress, mut found) = (None, (0, 0));
        let played = games.play::<G>(&self.rules.start()?, &control, |games, of, positions| {
            found = (games, positions);
            let progress = progress.get_or_insert_with(|| Progress::new("games", 0, Some(of)));
            progress.update(games, || counted(positions, "position"));
        });
        if let Some(progress) = progress {
            progress.finish();
        }
        let (games, positions) = found;
        let is_complete = played.map_err(|error| match error {
            ZeroError::Settings(error) => settings::refused(path, error),
            error => error.into(),
        })?;
        if !is_complete {
            bail!("interrupted after {}, nothing is written", counted(games, "game"));
        }
        writeln!(
            io::stdout(),
            "{}: {}, {}",
            out.display(),
            counted(games, "game"),
            counted(positions, "position")
        )?;
        Ok(())
    }
}
