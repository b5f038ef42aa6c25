//! The arguments of `labrys match`, and the tournament that they describe.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueEnum;
use clap::builder::ArgPredicate;
use serde::Serialize;

use crate::arena::pgn::file::PgnFile;
use crate::arena::{CommentKeys, EngineConfig, EngineSetup, Format, KeyValues, Schedule, Sprt, Tournament};
use crate::commands::r#match::Restored;
use crate::commands::shared::checksum::options_with_content;
use crate::commands::shared::engines::Engines;
use crate::commands::shared::play::{GameArguments, read_if_given};
use crate::commands::shared::values::whole;
use crate::commands::shared::{cores, create_pgn, suggest};
use crate::files::{self, Claim, Existing};
use crate::game::quote;
use crate::shard::{self, Part, Shard};

/// Keys that replace the time control of `--quick` if they are in `--each`.
const QUICK_LIMITS: [&str; 4] = ["tc=", "st=", "depth=", "nodes="];

/// Plays a match or a tournament between engines. Every opening is played twice, with colours swapped, and
/// results are counted by pairs of games. docs/matches.md describes all keys.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct MatchArguments {
    #[command(flatten)]
    pub(super) play: GameArguments,
    #[command(flatten)]
    engines: Engines,
    /// Play two programs against each other with settings for a quick test, which other arguments override
    #[arg(long, num_args = 2, value_names = ["PROGRAM", "PROGRAM"], conflicts_with = "engine")]
    quick: Vec<String>,
    /// Keys for all engines; those of an --engine take precedence
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", value_parser = suggest::key(), hide_possible_values = true)]
    each: Vec<String>,
    /// A TOML file with any of these arguments
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Games per pairing, an even number [default: 100; with --sprt, until the test is decided]
    #[arg(
        long,
        conflicts_with = "rounds",
        value_parser = whole::<u64>(..),
        default_value = "100",
        default_value_ifs = [
            ("rounds", ArgPredicate::IsPresent, None),
            ("sprt", ArgPredicate::IsPresent, None)
        ],
        hide_default_value = true
    )]
    games: Option<u64>,
    /// Pairs of games per pairing, half of --games
    #[arg(long, value_parser = whole::<u64>(1..))]
    rounds: Option<u64>,
    /// Tournament format: every engine plays every other, or the first engine plays every other
    #[arg(long, value_enum, default_value_t = TournamentFormat::RoundRobin)]
    tournament: TournamentFormat,
    /// Stop when a sequential probability ratio test is decided: elo0=… elo1=… alpha=… beta=… model=…
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    sprt: Vec<String>,
    /// Write the games to a PGN file
    #[arg(long, value_name = "FILE")]
    pgnout: Option<PathBuf>,
    /// Values to add to the comments on moves, besides score, depth and time: any of nodes,nps,seldepth,pv
    #[arg(long, value_name = "KEYS", default_value = "", hide_default_value = true)]
    pgn_keys: CommentKeys,
    /// Write the final position of each game to a file, as FEN
    #[arg(long, value_name = "FILE")]
    pub(super) epdout: Option<PathBuf>,
    /// Continue the match in the file of --pgnout
    #[arg(long, requires = "pgnout")]
    resume: bool,
    /// Play only the games of shard I of N; `labrys games merge` merges the files of all shards
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Report the games in these files of --pgnout, complete or of shards, without playing
    #[arg(long, num_args = 1.., value_name = "FILE", conflicts_with_all = ["shard", "pgnout", "epdout"])]
    pub(super) report: Vec<PathBuf>,
    /// Report the standings every N games
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    pub(super) rating_interval: Option<u64>,
    /// Plot the score over the games, as SVG
    #[arg(long, value_name = "FILE")]
    pub(super) plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize)]
enum TournamentFormat {
    RoundRobin,
    Gauntlet,
}

impl MatchArguments {
    /// Replaces `--quick` by the arguments that it stands for, except those that are given.
    pub(super) fn expand_quick(&mut self) {
        let [first, second] = &self.quick[..] else { return };
        self.engines = Engines([first, second].map(|program| vec![format!("cmd={program}")]).into());
        let is_limit = |word: &String| QUICK_LIMITS.iter().any(|key| word.starts_with(key));
        if !self.each.iter().any(is_limit) {
            self.each.push("tc=10+0.1".to_owned());
        }
        for (given, words) in [
            (&mut self.play.draw, &["movenumber=40", "movecount=8", "score=10"][..]),
            (&mut self.play.resign, &["movecount=3", "score=600"]),
        ] {
            if given.is_empty() {
                given.extend(words.iter().map(|&word| word.to_owned()));
            }
        }
        self.play.concurrency.get_or_insert(cores().saturating_sub(1).max(1));
        self.rating_interval.get_or_insert(10);
    }

    /// The tournament that the arguments describe.
    pub(super) fn tournament(&self) -> anyhow::Result<Tournament> {
        let each = KeyValues::parse("--each", &self.each)?;
        let engines = self.engines.read(&each)?;
        if engines.len() < 2 {
            bail!("--engine: expected at least two engines, found {}", engines.len());
        }
        let sprt = read_if_given("--sprt", &self.sprt, Sprt::read)?;
        if sprt.is_some() && engines.len() > 2 {
            bail!("--sprt: expected two engines, found {}", engines.len());
        }
        let rounds = match (self.games, self.rounds) {
            (Some(games), _) if games == 0 || !games.is_multiple_of(2) => {
                bail!("--games {games}: expected an even number, since every opening is played twice");
            }
            (Some(games), _) => games / 2,
            (None, Some(rounds)) => rounds,
            (None, None) => u64::MAX,
        };
        let format = match self.tournament {
            TournamentFormat::RoundRobin => Format::RoundRobin,
            TournamentFormat::Gauntlet => Format::Gauntlet,
        };
        let schedule = Schedule::new(format, engines.len(), 0..rounds);
        let tournament = self.play.tournament(engines, schedule)?;
        let job = self.job(&tournament);
        let comment_keys = self.pgn_keys.clone();
        let Some(shard) = self.shard else {
            // A match alone may be of what cannot be read twice, such as openings from a pipe.
            let job = job.ok().map(|job| shard::job(&job)).transpose()?.unwrap_or_default();
            return Ok(Tournament { sprt, job, comment_keys, ..tournament });
        };
        let job = job?;
        // The SPRT is decided by the report on all shards, so a shard has none.
        let schedule = tournament.schedule.clone();
        let part = Part::new(shard, schedule.games(), &job).context("--shard")?;
        let schedule = schedule.with_part(Some(part));
        Ok(Tournament { schedule, job: shard::job(&job)?, comment_keys, ..tournament })
    }

    /// Everything that the games depend on.
    fn job(&self, tournament: &Tournament) -> anyhow::Result<impl Serialize + use<>> {
        let engines = tournament.engines.iter().map(|EngineConfig { name, setup, limits }| {
            let setup = with_contents(setup).with_context(|| format!("engine {}", quote(name)))?;
            Ok(format!("{name}: {setup}; {limits}"))
        });
        let engines = engines.collect::<anyhow::Result<Vec<_>>>()?;
        Ok((self.play.job()?, engines, self.tournament))
    }

    /// The file for final positions, if requested, and its lock. That of a continued match begins with those
    /// of the games so far.
    pub(super) fn epd_file(&self, final_fens: &[String]) -> anyhow::Result<Option<(File, Claim)>> {
        let Some(path) = &self.epdout else { return Ok(None) };
        let open = || {
            // Nothing is read back from a pipe or a device, so it can be continued as it is.
            if !self.resume || files::is_stream(path) {
                return files::open(path, Existing::Refused);
            }
            let (file, claim) = files::open(path, Existing::Continued)?;
            Ok((continue_epd(path, file, final_fens)?, claim))
        };
        let hint = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                anyhow::Error::new(error).context("use --resume to continue a match")
            }
            _ => error.into(),
        };
        open().map(Some).map_err(hint).with_context(|| format!("--epdout {}", path.display()))
    }

    /// The PGN file, if requested, and the games in it.
    pub(super) fn pgn_file(&self, tournament: &Tournament) -> anyhow::Result<(Option<PgnFile>, Restored)> {
        let Some(path) = &self.pgnout else { return Ok((None, Restored::new(tournament))) };
        if !self.resume {
            let hint = "use --resume to continue a match";
            let pgn_file = create_pgn(path, hint).context("--pgnout")?;
            return Ok((Some(pgn_file), Restored::new(tournament)));
        }
        let (pgn_file, restored) = super::resume(path, tournament).context("--resume")?;
        Ok((Some(pgn_file), restored))
    }
}

/// The setup of an engine, with the content of the files that its options name.
fn with_contents(setup: &EngineSetup) -> anyhow::Result<EngineSetup> {
    let Some(folder) = setup.folder() else { return Ok(setup.clone()) };
    let options = options_with_content(&setup.options, folder, "option.")?;
    Ok(EngineSetup { options, ..setup.clone() })
}

/// Opens a file of final positions to append to. A match that was killed may have cut off its last line, or
/// have left out a game of its PGN file, so the file is written anew unless it has all of them. What is behind
/// them, of games that the PGN file has lost or no text, is moved to `<name>.damaged`.
///
/// # Errors
/// The error of the system, or the line that is not of these games.
fn continue_epd(path: &Path, mut file: File, final_fens: &[String]) -> io::Result<File> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let expected: Vec<_> = final_fens.iter().map(|fen| format!("{fen}\n")).collect();
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let same = lines.zip(&expected).take_while(|(line, expected)| *line == expected.as_bytes()).count();
    let rest = &bytes[expected[..same].concat().len()..];
    let next = expected.get(same);
    if next.is_some() && rest.contains(&b'\n') {
        let problem = "not the final position of a game of --pgnout; remove the file, and it is made again";
        return Err(io::Error::other(format!("line {}: {problem}", same + 1)));
    }
    drop(file);
    if next.map_or(!rest.is_empty(), |next| !next.as_bytes().starts_with(rest)) {
        let aside = files::set_aside(path, rest)?;
        log::warn!(
            "{}: what is behind the games of --pgnout was moved to {}",
            path.display(),
            aside.display()
        );
    }
    if next.is_some() || !rest.is_empty() {
        files::write_atomically(path, expected.concat())?;
    }
    OpenOptions::new().append(true).open(path)
}
