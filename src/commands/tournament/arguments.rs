//! The arguments of `labrys match`, and the tournament that they describe.

use std::fs::{File, OpenOptions};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{ValueEnum, value_parser};

use crate::arena::pgn::file::PgnFile;
use crate::arena::{
    Adjudication, Affinity, BookOptions, CommentKeys, CoreList, DrawRule, EngineConfig, Format, KeyValues,
    Openings, ResignRule, Results, Schedule, Sprt, Tournament,
};
use crate::commands::engines::Engines;
use crate::commands::records::Strictness;
use crate::commands::{RulesArguments, cores, parse_plies};
use crate::game::quote;
use crate::protocol::engine_log::EngineLog;

/// Default number of games of each pairing.
const GAMES: u64 = 100;

/// Default length of random openings in plies. Shorter ones repeat too often, longer ones decide too many
/// games.
pub(in crate::commands) const RANDOM_PLIES: RangeInclusive<usize> = 4..=7;

/// The keys of which one in `--each` replaces the time control of `--quick`.
const QUICK_LIMITS: [&str; 4] = ["tc=", "st=", "depth=", "nodes="];

/// Plays a match or a tournament between engines. Every opening is played twice, with colours swapped, and
/// results are counted by pairs of games. protocol.md describes all keys.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct Arguments {
    #[command(flatten)]
    rules: RulesArguments,
    #[command(flatten)]
    engines: Engines,
    /// A match of two programs with settings for a quick look; other arguments replace these
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with = "engine")]
    quick: Vec<String>,
    /// Keys for all engines; those of an --engine take precedence
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    each: Vec<String>,
    /// A TOML file with any of these arguments
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Games of each pairing, an even number [default: 100; with --sprt, until the test is decided]
    #[arg(long, conflicts_with = "rounds")]
    games: Option<u64>,
    /// Pairs of games of each pairing, half as many as --games
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    rounds: Option<u64>,
    /// Tournament format: every engine plays every other, or the first engine plays every other
    #[arg(long, value_enum, default_value_t = TournamentFormat::RoundRobin)]
    tournament: TournamentFormat,
    /// Opening book: a PGN file, or one opening per line as FEN, EPD, FEN with `moves …`, or moves
    #[arg(long, value_name = "FILE", conflicts_with = "random_plies")]
    openings: Option<PathBuf>,
    /// Moves to play of each opening of the book, in plies [default: all]
    #[arg(long, value_name = "N", requires = "openings")]
    plies: Option<usize>,
    #[command(flatten)]
    strictness: Strictness,
    /// Shuffle the opening book
    #[arg(long, requires = "openings")]
    shuffle: bool,
    /// Length of random openings in plies, N or N-M [default: 4-7]
    #[arg(long, value_name = "N", value_parser = parse_plies)]
    random_plies: Option<RangeInclusive<usize>>,
    /// Seed of random openings, --shuffle and chance outcomes
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Number of concurrent games [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_concurrency)]
    concurrency: Option<usize>,
    /// Pin each concurrent game and its engines to a core of its own, of all cores or of a list like 0,2-3
    #[arg(long, value_name = "CORES", num_args = 0..=1, default_missing_value = "")]
    affinity: Option<CoreList>,
    /// Draw adjudication: movenumber=… movecount=… score=…
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    draw: Vec<String>,
    /// Resign adjudication: movecount=… score=… twosided=…
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    resign: Vec<String>,
    /// End games after N moves of each player, as a draw or by points
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    max_moves: Option<u32>,
    /// Stop when a sequential probability ratio test is decided: elo0=… elo1=… alpha=… beta=… model=…
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    sprt: Vec<String>,
    /// Write the games to a PGN file
    #[arg(long, value_name = "FILE")]
    pgnout: Option<PathBuf>,
    /// What comments on moves have besides score, depth and time: any of nodes,nps,seldepth,pv
    #[arg(long, value_name = "KEYS", default_value = "", hide_default_value = true)]
    pgn_keys: CommentKeys,
    /// Write the final position of each game to a file, as FEN
    #[arg(long, value_name = "FILE")]
    epdout: Option<PathBuf>,
    /// Continue the match in the file of --pgnout
    #[arg(long, requires = "pgnout")]
    resume: bool,
    /// Append all that engines and arena say to each other to a file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Report the state of the match every N games
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(super) rating_interval: Option<u64>,
    /// Draw the score over the games as a chart, in SVG
    #[arg(long, value_name = "FILE")]
    pub(super) plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TournamentFormat {
    RoundRobin,
    Gauntlet,
}

fn parse_concurrency(text: &str) -> Result<usize, String> {
    const MOST: usize = 1024;
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or(format!("expected a whole number from 1 to {MOST}"))
}

impl Arguments {
    /// Puts arguments in the place of `--quick`. Those that are given stay as they are.
    pub(super) fn expand_quick(&mut self) {
        let [first, second] = &self.quick[..] else { return };
        self.engines = Engines([first, second].map(|program| vec![format!("cmd={program}")]).into());
        let is_limit = |word: &String| QUICK_LIMITS.iter().any(|key| word.starts_with(key));
        if !self.each.iter().any(is_limit) {
            self.each.push("tc=10+0.1".to_owned());
        }
        for (given, words) in [
            (&mut self.draw, &["movenumber=40", "movecount=8", "score=10"][..]),
            (&mut self.resign, &["movecount=3", "score=600"]),
        ] {
            if given.is_empty() {
                given.extend(words.iter().map(|&word| word.to_owned()));
            }
        }
        self.concurrency.get_or_insert(cores().saturating_sub(1).max(1));
        self.rating_interval.get_or_insert(10);
    }

    /// Concurrent games.
    pub(super) fn concurrency(&self) -> usize {
        self.concurrency.unwrap_or(1)
    }

    /// The tournament that the arguments describe.
    pub(super) fn tournament(&self) -> anyhow::Result<Tournament> {
        let rules = self.rules.rules()?;
        let mut board = rules.board()?;
        let each = KeyValues::parse("--each", &self.each)?;
        let engines = self.engines.read(&each)?;
        for EngineConfig { name, setup, .. } in &engines {
            if let Some((option, _)) = setup.options.iter().find(|(name, _)| rules.is_own_option(name)) {
                bail!(
                    "{}: option.{option}: the rules are the same for all engines, use --option",
                    quote(name)
                );
            }
        }
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
            (None, None) if sprt.is_some() => u64::MAX,
            (None, None) => GAMES / 2,
        };
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
        let format = match self.tournament {
            TournamentFormat::RoundRobin => Format::RoundRobin,
            TournamentFormat::Gauntlet => Format::Gauntlet,
        };
        let affinity = self.affinity.as_ref().map(|cores| Affinity::new(cores, self.concurrency()));
        Ok(Tournament {
            rules,
            schedule: Schedule::new(format, engines.len(), rounds),
            engines,
            openings,
            seed: self.seed,
            adjudication: Adjudication {
                draw: read_if_given("--draw", &self.draw, DrawRule::read)?,
                resign: read_if_given("--resign", &self.resign, ResignRule::read)?,
                max_moves: self.max_moves,
            },
            sprt,
            concurrency: self.concurrency(),
            affinity: affinity.transpose().context("--affinity")?,
            comment_keys: self.pgn_keys.clone(),
            log: match &self.log {
                Some(path) => EngineLog::append(path).with_context(|| format!("--log {}", path.display()))?,
                None => EngineLog::default(),
            },
        })
    }

    /// The file for final positions, if there is one.
    pub(super) fn epd_file(&self) -> anyhow::Result<Option<File>> {
        let Some(path) = &self.epdout else { return Ok(None) };
        let mut options = OpenOptions::new();
        match self.resume {
            true => options.create(true).append(true),
            false => options.create_new(true).write(true),
        };
        let file = options.open(path).with_context(|| format!("--epdout {}", path.display()))?;
        Ok(Some(file))
    }

    /// The PGN file, if there is one, and the results of the games in it.
    pub(super) fn pgn_file(&self, tournament: &Tournament) -> anyhow::Result<(Option<PgnFile>, Results)> {
        let Some(path) = &self.pgnout else { return Ok((None, Results::default())) };
        if !self.resume {
            let hint = "use --resume to continue a match";
            let pgn_file = PgnFile::create(path).context(hint).context("--pgnout")?;
            return Ok((Some(pgn_file), Results::default()));
        }
        let (pgn_file, results) = super::resume(path, tournament).context("--resume")?;
        Ok((Some(pgn_file), results))
    }
}

fn read_if_given<T, E: std::error::Error + Send + Sync + 'static>(
    section: &str,
    words: &[String],
    read: impl FnOnce(KeyValues) -> Result<T, E>,
) -> anyhow::Result<Option<T>> {
    match words {
        [] => Ok(None),
        words => Ok(Some(read(KeyValues::parse(section, words)?)?)),
    }
}
