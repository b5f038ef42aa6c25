//! The arguments for playing games of a match, shared by several commands.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context, bail};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::arena::{
    Adjudication, Affinity, BookOptions, CommentKeys, CoreList, DrawRule, EngineConfig, KeyValues, Openings,
    ResignRule, Schedule, Tournament,
};
use crate::commands::shared::checksum::sha256;
use crate::commands::shared::records::Strictness;
use crate::commands::shared::values::{plies, whole};
use crate::commands::shared::{RulesArguments, cores, version};
use crate::game::{counted, quote};
use crate::protocol::engine_log::EngineLog;

/// Default length of random openings in plies. Shorter openings repeat too often, longer ones decide too many
/// games.
pub(in crate::commands) const RANDOM_PLIES: RangeInclusive<usize> = 4..=7;

/// Skipped fields have no influence on the games.
#[derive(Debug, clap::Args, Serialize)]
pub(in crate::commands) struct GameArguments {
    #[command(flatten)]
    #[serde(flatten)]
    rules: RulesArguments,
    /// Opening book: a PGN file, or one opening per line as FEN, EPD, FEN with `moves …`, or moves
    #[arg(long, value_name = "FILE", conflicts_with = "random_plies")]
    openings: Option<PathBuf>,
    /// Moves to play of each opening of the book, in plies [default: all]
    #[arg(long, value_name = "N", requires = "openings", value_parser = whole::<usize>(..))]
    plies: Option<usize>,
    #[command(flatten)]
    #[serde(skip)]
    strictness: Strictness,
    /// Shuffle the opening book
    #[arg(long, requires = "openings")]
    shuffle: bool,
    /// Length of random openings in plies, N or N-M [default: 4-7]
    #[arg(long, value_name = "N", value_parser = plies)]
    random_plies: Option<RangeInclusive<usize>>,
    /// Seed of everything random: openings, --shuffle, chance outcomes
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(..))]
    pub(in crate::commands) seed: u64,
    /// Number of concurrent games [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=1024))]
    #[serde(skip)]
    pub(in crate::commands) concurrency: Option<usize>,
    /// Pin each concurrent game and its engines to a core of its own, of all cores or of a list like 0,2-3
    #[arg(long, value_name = "CORES", num_args = 0..=1, default_missing_value = "")]
    #[serde(skip)]
    affinity: Option<CoreList>,
    /// Draw adjudication: movenumber=… movecount=… score=…
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(in crate::commands) draw: Vec<String>,
    /// Resign adjudication: movecount=… score=… twosided=…
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(in crate::commands) resign: Vec<String>,
    /// End games after N moves of each player, as a draw or by points
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..))]
    max_moves: Option<u32>,
    /// Decide games by endgame tables: folders as in SyzygyPath, or in the option of the game for its tables
    #[arg(long, value_name = "PATH")]
    tb: Option<String>,
    /// Append all communication with the engines to a file
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    log: Option<PathBuf>,
}

impl GameArguments {
    /// The number of concurrent games.
    fn concurrency(&self) -> usize {
        self.concurrency.unwrap_or(1)
    }

    /// Whether each concurrent game is pinned to a core.
    pub(in crate::commands) fn is_pinned(&self) -> bool {
        self.affinity.is_some()
    }

    /// Warns if there are more concurrent games than cores.
    pub(in crate::commands) fn check_cores(&self) {
        let (cores, concurrency) = (cores(), self.concurrency());
        if concurrency > cores {
            print_message!(
                "labrys: warning: --concurrency {concurrency} on {}: the engines will slow each other down",
                counted(cores, "core")
            );
        }
    }

    /// The arguments that the games depend on. A book is identified by its content, not by its path.
    pub(in crate::commands) fn job(&self) -> anyhow::Result<Map<String, Value>> {
        let Value::Object(mut job) = serde_json::to_value(self)? else { bail!("arguments are an object") };
        if let Some(path) = &self.openings {
            job.insert("openings".to_owned(), sha256(path).context("--openings")?.into());
        }
        Ok(job)
    }

    /// The tournament of these engines, without an SPRT.
    pub(in crate::commands) fn tournament(
        &self,
        engines: Vec<EngineConfig>,
        schedule: Schedule,
    ) -> anyhow::Result<Tournament> {
        let rules = self.rules.rules()?;
        let mut board = rules.board()?;
        for EngineConfig { name, setup, .. } in &engines {
            if let Some((option, _)) = setup.options.iter().find(|(name, _)| rules.is_own_option(name)) {
                bail!(
                    "{}: option.{option}: the rules are the same for all engines, use --option",
                    quote(name)
                );
            }
        }
        let openings = match &self.openings {
            Some(path) => {
                let options = BookOptions {
                    plies: self.plies,
                    shuffle: self.shuffle.then_some(self.seed),
                    strict: self.strictness.strict,
                };
                Openings::read(path, board.as_mut(), options)?
            }
            None => {
                let plies = self.random_plies.clone().unwrap_or(RANDOM_PLIES);
                Openings::Random { seed: self.seed, plies }
            }
        };
        let affinity = self.affinity.as_ref().map(|cores| Affinity::new(cores, self.concurrency()));
        Ok(Tournament {
            rules,
            engines,
            schedule,
            openings,
            seed: self.seed,
            adjudication: Adjudication {
                draw: read_if_given("--draw", &self.draw, DrawRule::read)?,
                resign: read_if_given("--resign", &self.resign, ResignRule::read)?,
                max_moves: self.max_moves,
                tables: self.tb.clone(),
            },
            sprt: None,
            concurrency: self.concurrency(),
            affinity: affinity.transpose().context("--affinity")?,
            comment_keys: CommentKeys::default(),
            log: match &self.log {
                Some(path) => EngineLog::append(path).with_context(|| format!("--log {}", path.display()))?,
                None => EngineLog::default(),
            },
            generator: version::program(),
            job: String::new(),
        })
    }
}

/// Reads the keys of an argument, if it is given.
pub(in crate::commands) fn read_if_given<T, E: std::error::Error + Send + Sync + 'static>(
    section: &str,
    words: &[String],
    read: impl FnOnce(KeyValues) -> Result<T, E>,
) -> anyhow::Result<Option<T>> {
    match words {
        [] => Ok(None),
        words => Ok(Some(read(KeyValues::parse(section, words)?)?)),
    }
}
