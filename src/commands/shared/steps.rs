//! Steps of learning whose games are played by several machines: an iteration of `labrys spsa`, a round of
//! `labrys linear train`.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use crate::files::{Claim, write_atomically};
use crate::input;
use crate::shard::{Part, Shard, in_order};

/// The arguments that split a step into shards.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct StepArguments {
    /// Play only shard I of N of the games of the next step, and write them to --part
    #[arg(long, value_name = "I/N", requires = "part")]
    shard: Option<Shard>,
    /// Output file of --shard
    #[arg(long, value_name = "FILE", requires = "shard")]
    part: Option<PathBuf>,
    /// Perform one step from the files of all its shards
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "shard")]
    parts: Vec<PathBuf>,
    /// Print the progress and the number of games of the next step, without playing
    #[arg(long, conflicts_with_all = ["shard", "parts"])]
    pub(in crate::commands) next: bool,
}

impl StepArguments {
    /// Whether a run in the folder is continued without `--resume`.
    pub(in crate::commands) fn resumes(&self) -> bool {
        self.shard.is_some() || self.next
    }

    /// Whether the state of the run is written.
    pub(in crate::commands) fn writes(&self) -> bool {
        !self.resumes()
    }

    /// The lock on the file of the shard, if one is played.
    pub(in crate::commands) fn claim_part(&self) -> anyhow::Result<Option<Claim>> {
        self.part.as_deref().map(crate::commands::shared::claim).transpose()
    }

    /// The shard to play and its file, if one is played.
    pub(in crate::commands) fn shard(&self) -> Option<(Shard, &Path)> {
        self.shard.zip(self.part.as_deref())
    }

    /// The files of all shards, if given.
    pub(in crate::commands) fn parts(&self) -> Option<&[PathBuf]> {
        Some(&*self.parts).filter(|parts| !parts.is_empty())
    }
}

/// A step, with everything that its games depend on.
#[derive(Serialize)]
pub(in crate::commands) struct Step<'a, S> {
    /// The arguments of the run.
    pub(in crate::commands) arguments: &'a Map<String, Value>,
    /// The state before the step.
    pub(in crate::commands) state: &'a S,
    /// The number of its games.
    #[serde(skip)]
    pub(in crate::commands) games: u64,
}

/// The content of a shard file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShardFile {
    /// The shard.
    step: Part,
    /// The results of its games.
    games: Box<RawValue>,
    /// The checksum of both.
    crc32: String,
}

fn checksum(step: Part, games: &RawValue) -> String {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(step.to_string().as_bytes());
    hasher.update(games.get().as_bytes());
    format!("{:08x}", hasher.finalize())
}

impl<S: Serialize> Step<'_, S> {
    /// Prints the iterations or games done, and the number of games of the step.
    pub(in crate::commands) fn print(&self, done: u64) -> io::Result<()> {
        print_line!("done {done} games {}", self.games)
    }

    /// A shard of the step.
    ///
    /// # Errors
    /// There are fewer pairs of games than shards.
    pub(in crate::commands) fn part(&self, shard: Shard) -> anyhow::Result<Part> {
        Ok(Part::new(shard, self.games, self)?)
    }

    /// Reads the files of all shards and returns the results of their games, in order. `count` returns the
    /// number of games of a result.
    ///
    /// # Errors
    /// Names the first file that is damaged, lacks games, or belongs to another step or run, or the missing
    /// shards.
    pub(in crate::commands) fn read<T: DeserializeOwned>(
        &self,
        paths: &[PathBuf],
        count: impl Fn(&T) -> u64,
    ) -> anyhow::Result<Vec<T>> {
        let (mut read, mut parts) = (Vec::new(), Vec::new());
        for path in paths {
            let name = || path.display().to_string();
            let text = input::read_text(path, input::MAX_TEXT).with_context(name)?;
            let ShardFile { step, games, crc32 } = serde_json::from_str(&text).with_context(name)?;
            let expected = self.part(step.shard())?;
            ensure!(step == expected, "{}: shard {step}, expected {expected}", name());
            let found = checksum(step, &games);
            ensure!(found == crc32, "{}: damaged: checksum {found}, expected {crc32}", name());
            let games = serde_json::from_str(games.get()).with_context(name)?;
            step.check_games(path, count(&games))?;
            read.push((step.shard(), games));
            parts.push((path.clone(), Some(step)));
        }
        in_order(parts)?;
        read.sort_by_key(|&(shard, _)| shard);
        Ok(read.into_iter().map(|(_, games)| games).collect())
    }
}

/// Writes the results of the games of a shard.
///
/// # Errors
/// The file cannot be written.
pub(in crate::commands) fn write(path: &Path, part: Part, games: &impl Serialize) -> anyhow::Result<()> {
    let games = to_raw_value(games)?;
    let crc32 = checksum(part, &games);
    let text = serde_json::to_string(&ShardFile { step: part, games, crc32 })? + "\n";
    write_atomically(path, text.as_bytes()).with_context(|| path.display().to_string())
}
