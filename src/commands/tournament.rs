//! `labrys match`.

use std::fmt;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, ValueEnum, value_parser};
use serde::Serialize;

use super::progress::Progress;
use super::records::Strictness;
use super::{RulesArguments, parse_plies};
use crate::arena::pgn::file::PgnFile;
use crate::arena::{
    Adjudication, BookOptions, DrawRule, EngineConfig, Format, KeyValues, Openings, ResignRule, Results,
    Schedule, Sprt, Summary, ThinkingTime, Tournament, plot,
};
use crate::files::{check_writable, write_atomically};
use crate::game::quote;

/// Default number of games of each pairing.
const GAMES: u64 = 100;

/// Default length of random openings in plies. Shorter ones repeat too often, longer ones decide too many
/// games.
const RANDOM_PLIES: RangeInclusive<usize> = 4..=7;

/// Plays a match or a tournament between engines. Every opening is played twice, with colours swapped, and
/// results are counted by pairs of games. protocol.md describes all keys.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    rules: RulesArguments,
    #[command(flatten)]
    engines: Engines,
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
    seed: u64,
    /// Number of concurrent games
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = parse_concurrency)]
    concurrency: usize,
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
    /// Continue the match in the file of --pgnout
    #[arg(long, requires = "pgnout")]
    resume: bool,
    /// Draw the score over the games as a chart, in SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TournamentFormat {
    RoundRobin,
    Gauntlet,
}

/// The values of each `--engine`. clap's derive would concatenate those of repeated flags.
#[derive(Clone, Debug)]
struct Engines(Vec<Vec<String>>);

impl clap::Args for Engines {
    fn augment_args(command: Command) -> Command {
        command.arg(
            Arg::new("engine")
                .long("engine")
                .num_args(1..)
                .action(ArgAction::Append)
                .value_name("KEY=VALUE")
                .help(
                    "An engine: cmd=… (default: Labrys itself), proto=uci|xboard|tuc, name=…, \
                     option.<name>=…, tc=… …",
                ),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Engines::augment_args(command)
    }
}

impl FromArgMatches for Engines {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Engines, clap::Error> {
        let occurrences = matches.get_occurrences::<String>("engine").into_iter().flatten();
        Ok(Engines(occurrences.map(|words| words.cloned().collect()).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.extend(Engines::from_arg_matches(matches)?.0);
        Ok(())
    }
}

fn parse_concurrency(text: &str) -> Result<usize, String> {
    const MOST: usize = 1024;
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or(format!("expected a whole number from 1 to {MOST}"))
}

impl Arguments {
    /// The tournament that the arguments describe.
    fn tournament(&self) -> anyhow::Result<Tournament> {
        let rules = self.rules.rules()?;
        let mut board = rules.board()?;
        let each = KeyValues::parse("--each", &self.each)?;
        let engines = self.engines.0.iter().zip(1..);
        let engines = engines.map(|(words, number)| {
            Ok(KeyValues::parse(format!("--engine {number}"), words)?.with_defaults(&each))
        });
        let engines = EngineConfig::read_all(engines.collect::<anyhow::Result<_>>()?)?;
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
            concurrency: self.concurrency,
        })
    }

    /// The PGN file, if there is one, and the results of the games in it.
    fn pgn_file(&self, tournament: &Tournament) -> anyhow::Result<(Option<PgnFile>, Results)> {
        let mut results = Results::default();
        let Some(path) = &self.pgnout else { return Ok((None, results)) };
        if !self.resume {
            let hint = "use --resume to continue a match";
            let pgn_file = PgnFile::create(path).context(hint).context("--pgnout")?;
            return Ok((Some(pgn_file), results));
        }
        let (pgn_file, records) = PgnFile::resume(path).context("--resume")?;
        for record in &records {
            let restored = tournament.restore(record, &mut results);
            restored.with_context(|| format!("--resume: {}", path.display()))?;
        }
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

/// The report at the end of a match.
#[derive(Serialize)]
struct MatchReport<'a> {
    variant: &'a str,
    seed: u64,
    /// Whether all games are finished or the SPRT is decided.
    complete: bool,
    /// Games of this run.
    games_played: u64,
    /// Wall-clock time of this run in seconds.
    wall_seconds: f64,
    /// Thinking time of each player in this run.
    thinking: Vec<PlayerTime<'a>>,
    #[serde(flatten)]
    summary: &'a Summary,
}

/// The thinking time of a player.
#[derive(Serialize)]
struct PlayerTime<'a> {
    name: &'a str,
    moves: u64,
    seconds: f64,
    /// Mean thinking time of a move in seconds; 0 without a move.
    seconds_a_move: f64,
}

impl<'a> PlayerTime<'a> {
    fn new(name: &'a str, ThinkingTime { moves, time }: ThinkingTime) -> PlayerTime<'a> {
        let seconds = time.as_secs_f64();
        PlayerTime { name, moves, seconds, seconds_a_move: seconds / moves.max(1) as f64 }
    }
}

impl fmt::Display for PlayerTime<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:.4} s a move", self.name, self.seconds_a_move)
    }
}

impl fmt::Display for MatchReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MatchReport { summary, games_played: games, wall_seconds: wall, thinking, .. } = self;
        let speed = *games as f64 / wall;
        let seconds: f64 = thinking.iter().map(|player| player.seconds).sum();
        let players: Vec<_> = thinking.iter().map(PlayerTime::to_string).collect();
        let players = players.join(", ");
        write!(
            f,
            "{summary}\n{games} games in {wall:.1} s, {speed:.2} games/s, thinking {seconds:.1} s; {players}"
        )
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let tournament = arguments.tournament()?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if arguments.concurrency > cores {
        let concurrency = arguments.concurrency;
        eprintln!(
            "labrys: warning: --concurrency {concurrency} on {cores} cores: \
             the engines will slow each other down"
        );
    }
    if let Some(path) = &arguments.plot {
        check_writable(path).with_context(|| format!("--plot {}", path.display()))?;
    }
    let control = super::interruptible()?;
    tournament.check(&control)?;
    let (mut pgn_file, mut results) = arguments.pgn_file(&tournament)?;

    for engine in &tournament.engines {
        if let Some(address) = engine.setup.external_client_address() {
            let name = quote(&engine.name);
            eprintln!("labrys: waiting on {address} for a client to join as {name}, again for each game");
        }
    }
    let names: Vec<_> = tournament.engines.iter().map(|engine| engine.name.clone()).collect();
    let summary =
        |results: &Results| Summary::new(&names, &tournament.counted(results), tournament.sprt.as_ref());
    let restored = results.games();
    let (start, mut thinking) = (Instant::now(), vec![ThinkingTime::default(); names.len()]);
    let games = Some(tournament.schedule.games()).filter(|&games| games < u64::MAX);
    let mut progress = Progress::new("games", restored, games);
    tournament.run(&mut results, &control, &mut |game, results, times| {
        if let Some(pgn_file) = &mut pgn_file {
            pgn_file.append(game)?;
        }
        for (player, time) in game.players.iter().zip(times) {
            if let Some(index) = names.iter().position(|name| *name == player.name) {
                thinking[index] += time;
            }
        }
        progress.update(results.games(), || summary(results).brief());
        Ok(())
    })?;
    progress.finish();

    let summary = summary(&results);
    let decided = summary.sprt.as_ref().is_some_and(|sprt| sprt.accepted.is_some());
    let report = MatchReport {
        variant: &tournament.rules.variant,
        seed: arguments.seed,
        complete: decided || results.games() == tournament.schedule.games(),
        games_played: results.games() - restored,
        wall_seconds: start.elapsed().as_secs_f64(),
        thinking: names.iter().zip(thinking).map(|(name, time)| PlayerTime::new(name, time)).collect(),
        summary: &summary,
    };
    match arguments.json {
        true => writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&report)?)?,
        false => writeln!(io::stdout(), "{report}")?,
    }
    if let Some(path) = &arguments.plot {
        let svg = plot::score_over_games(&names, &tournament.counted(&results)).context("--plot")?;
        write_atomically(path, &svg).with_context(|| format!("--plot {}", path.display()))?;
    }
    if !report.complete {
        let hint = if pgn_file.is_some() { ", use --resume to continue" } else { "" };
        bail!("interrupted after {} games{hint}", results.games());
    }
    Ok(())
}
