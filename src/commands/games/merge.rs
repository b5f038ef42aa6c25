//! `labrys games merge`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::arena::pgn::merge as pgn;
use crate::commands::shared::typed::commands;
use crate::commands::shared::{claim, interruptible};
use crate::engine::Playable;
use crate::engine::registry;
use crate::files::{is_stream, write_atomically_with};
use crate::game::counted;
use crate::learn::shard::{self, Kind as Learned};
use crate::search::Control;
use crate::shard::{Part, in_order};

/// Merges the files of all shards of a job. The result is that of the same command without --shard.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct GamesMergeArguments {
    /// Files written by `match`, `nnue selfplay` or `zero selfplay` with --shard
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Output file; it must not exist
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// The content of a file.
#[derive(Clone, PartialEq, Eq)]
enum Kind {
    /// Records of a match.
    Records,
    /// Games or samples to learn from.
    Learned(Learned),
}

impl Kind {
    /// The game whose type merges the files; any for records.
    fn game(&self) -> &str {
        match self {
            Kind::Records => registry::default_name(),
            Kind::Learned(Learned::Games(game) | Learned::Samples(game)) => game,
        }
    }

    fn name(&self) -> String {
        match self {
            Kind::Records => "games in PGN".to_owned(),
            Kind::Learned(Learned::Games(game)) => format!("self-play games of {game}"),
            Kind::Learned(Learned::Samples(game)) => format!("samples of {game}"),
        }
    }
}

/// The content of a file, and its part.
fn inspect(path: &Path) -> anyhow::Result<(Kind, Option<Part>)> {
    if let Some((kind, part)) = shard::inspect(path)? {
        return Ok((Kind::Learned(kind), part));
    }
    Ok((Kind::Records, pgn::part_of(path)?))
}

pub(in crate::commands) fn run(arguments: &GamesMergeArguments) -> anyhow::Result<()> {
    let out = &arguments.out;
    let name = || format!("--out {}", out.display());
    ensure!(!out.is_dir(), "{}: a folder, expected the name of a file", name());
    ensure!(!out.exists() || is_stream(out), "{}: the file exists", name());
    let (mut files, mut first) = (Vec::new(), None);
    for path in &arguments.files {
        let (kind, part) = inspect(path).with_context(|| path.display().to_string())?;
        let first = first.get_or_insert((path, kind.clone()));
        ensure!(
            first.1 == kind,
            "{}: {}, but {} has {}",
            path.display(),
            kind.name(),
            first.0.display(),
            first.1.name()
        );
        files.push((path.clone(), part));
    }
    let Some((_, kind)) = first else { return Ok(()) };
    let (files, count, control) = (in_order(files)?, arguments.files.len(), interruptible()?);
    let _claim = claim(out)?;
    write_atomically_with(out, |out| -> anyhow::Result<()> {
        commands(kind.game())?.merge(Merge { kind: &kind, files: &files, out, control: &control })
    })
    .with_context(name)?;
    writeln!(io::stdout(), "{}: {}", out.display(), counted(count, "shard"))?;
    Ok(())
}

/// A merge, to be dispatched on the type of the game.
pub(in crate::commands) struct Merge<'a> {
    kind: &'a Kind,
    files: &'a [(PathBuf, Part)],
    out: &'a mut dyn Write,
    control: &'a Control,
}

impl Merge<'_> {
    pub(in crate::commands) fn run_typed<G: Playable>(self) -> anyhow::Result<()> {
        match self.kind {
            Kind::Records => Ok(pgn::merge(self.files, self.out, self.control)?),
            Kind::Learned(kind) => Ok(shard::merge::<G>(kind, self.files, self.out, self.control)?),
        }
    }
}
