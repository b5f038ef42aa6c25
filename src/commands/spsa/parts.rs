//! An iteration whose games are played by several machines.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::files::write_atomically;
use crate::learn::spsa::SpsaState;
use crate::shard::{Part, Shard, in_order};

/// The games of an iteration, all that they depend on.
#[derive(Serialize)]
pub(super) struct Iteration<'a> {
    /// The arguments of the run.
    pub(super) arguments: &'a Map<String, Value>,
    /// The state before the iteration.
    pub(super) state: &'a SpsaState,
}

/// What a file of a shard holds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Played {
    /// The shard.
    spsa: Part,
    /// Games that θ⁺ has lost, drawn and won.
    games: [u64; 3],
}

impl Iteration<'_> {
    /// A shard of an iteration of so many pairs of games.
    ///
    /// # Errors
    /// There are not so many pairs.
    pub(super) fn part(&self, shard: Shard, pairs: u64) -> anyhow::Result<Part> {
        Ok(Part::new(shard, 2 * pairs, self)?)
    }

    /// Reads the files of all shards: the games that θ⁺ has lost, drawn and won.
    ///
    /// # Errors The first file that is damaged, has not all of its games, or belongs to another iteration or
    /// run, or the shards that are missing.
    pub(super) fn read(&self, paths: &[PathBuf], pairs: u64) -> anyhow::Result<[u64; 3]> {
        let mut sum = [0; 3];
        let mut parts = Vec::new();
        for path in paths {
            let name = || path.display().to_string();
            let text = fs::read_to_string(path).with_context(name)?;
            let Played { spsa, games } = serde_json::from_str(&text).with_context(name)?;
            let expected = self.part(spsa.shard(), pairs)?;
            ensure!(spsa == expected, "{}: shard {spsa}, expected {expected}", path.display());
            spsa.check_games(path, games.iter().sum())?;
            sum.iter_mut().zip(games).for_each(|(sum, games)| *sum += games);
            parts.push((path.clone(), Some(spsa)));
        }
        in_order(parts)?;
        Ok(sum)
    }
}

/// Writes the games of a shard.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write(path: &Path, part: Part, games: [u64; 3]) -> anyhow::Result<()> {
    let text = serde_json::to_string(&Played { spsa: part, games })? + "\n";
    write_atomically(path, text.as_bytes()).with_context(|| path.display().to_string())
}
