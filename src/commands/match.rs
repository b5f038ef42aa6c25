//! `labrys match`.

mod arguments;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde::Serialize;

pub(super) use self::arguments::MatchArguments;
use crate::arena::pgn::PgnGame;
use crate::arena::pgn::file::{PgnFile, finished_games};
use crate::arena::pgn::merge::part_of_game;
use crate::arena::report::GameFacts;
use crate::arena::{Results, Summary, ThinkingTime, Tournament, TournamentError, plot};
use crate::commands::shared::progress::Progress;
use crate::commands::shared::records::warn_of_repeats;
use crate::files::{Claim, named, write_atomically};
use crate::game::{counted, quote};
use crate::search::Control;

/// Gaps between games that a warning names.
const MAX_GAPS: usize = 10;

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
    /// Thinking time of each player in this run, and its branching in all games that count.
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
    /// Mean thinking time of a move in seconds, of this run; `None` without a move.
    seconds_a_move: Option<f64>,
    /// Mean number of legal moves on its turns, those in earlier runs included; `None` without a turn.
    branching: Option<f64>,
}

impl<'a> PlayerTime<'a> {
    fn new(name: &'a str, time: ThinkingTime, earlier: Turns) -> PlayerTime<'a> {
        let ThinkingTime { moves, time, legal_moves } = time;
        let (seconds, turns) = (time.as_secs_f64(), moves + earlier.count);
        let mean = |sum: f64, count: u64| (count > 0).then(|| sum / count as f64);
        let branching = mean((legal_moves + earlier.legal_moves) as f64, turns);
        PlayerTime { name, moves, seconds, seconds_a_move: mean(seconds, moves), branching }
    }
}

/// The turns of a player.
#[derive(Clone, Copy, Debug, Default)]
struct Turns {
    count: u64,
    /// The legal moves on all of them.
    legal_moves: u64,
}

/// The games of earlier runs.
#[derive(Default)]
struct Restored {
    results: Results,
    /// Their start positions and moves.
    lines: HashSet<u64>,
    /// Their final positions as FEN, in the order of the file.
    final_fens: Vec<String>,
    /// Their numbers from 0, by the first one of their shard or of the match.
    numbers: BTreeMap<u64, BTreeSet<u64>>,
    /// The turns of each player. The records do not have their times to less than a millisecond.
    turns: Vec<Turns>,
}

impl Restored {
    fn new(tournament: &Tournament) -> Restored {
        Restored { turns: vec![Turns::default(); tournament.engines.len()], ..Restored::default() }
    }

    /// Adds the games of a file, each to the results by `restore`.
    fn add(
        &mut self,
        path: &Path,
        records: &[PgnGame],
        tournament: &Tournament,
        restore: impl Fn(&Tournament, &PgnGame, &mut Results) -> Result<(), TournamentError>,
    ) -> anyhow::Result<()> {
        let names = names(tournament);
        for record in records {
            restore(tournament, record, &mut self.results).with_context(|| path.display().to_string())?;
            let number = record.number.unwrap_or(0);
            let facts = GameFacts::new(record, Some(&tournament.rules.variant), number)
                .with_context(|| format!("{}: game {number}", path.display()))?;
            self.lines.insert(facts.line);
            self.final_fens.push(facts.final_fen);
            let first = part_of_game(record).ok().flatten().map_or(0, |part| part.numbers().start);
            self.numbers.entry(first).or_default().insert(number.saturating_sub(1));
            for turn in facts.turns {
                let player = &facts.players[turn.player.index()];
                let index = names.iter().position(|name| name == player);
                if let Some(turns) = index.map(|index| &mut self.turns[index]) {
                    turns.count += 1;
                    turns.legal_moves += turn.legal_moves as u64;
                }
            }
        }
        Ok(())
    }

    /// Warns of games that are missing before others of their shard or match: a file may have lost them.
    fn warn_of_gaps(&self) {
        let gaps = self.numbers.iter().flat_map(|(&first, numbers)| {
            let ends = [first].into_iter().chain(numbers.iter().map(|number| number + 1));
            ends.zip(numbers).map(|(end, &next)| end..next)
        });
        let gaps: Vec<_> = gaps.filter(|gap| !gap.is_empty()).collect();
        if gaps.is_empty() {
            return;
        }
        let missing: u64 = gaps.iter().map(|gap| gap.end - gap.start).sum();
        let shown = gaps.iter().map(|gap| match gap.end - gap.start {
            1 => gap.end.to_string(),
            _ => format!("{} to {}", gap.start + 1, gap.end),
        });
        let mut shown: Vec<_> = shown.take(MAX_GAPS + 1).collect();
        if shown.len() > MAX_GAPS {
            shown.truncate(MAX_GAPS);
            shown.push("…".to_owned());
        }
        print_message!(
            "labrys: warning: {} missing before later ones, by number {}: a match that was stopped lacks those \
             in play, a damaged file others",
            counted(missing, "game"),
            shown.join(", ")
        );
    }
}

impl fmt::Display for PlayerTime<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seconds_a_move {
            Some(seconds) => write!(f, "{} {seconds:.4} s a move", self.name),
            None => write!(f, "{} no move", self.name),
        }
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
            "{summary}\n{} in {wall:.1} s, {speed:.2} games/s, thinking {seconds:.1} s; {players}",
            counted(games, "game")
        )
    }
}

pub(super) fn run(mut arguments: MatchArguments) -> anyhow::Result<()> {
    arguments.expand_quick();
    let tournament = arguments.tournament()?;
    if !arguments.report.is_empty() {
        return report(&arguments, &tournament);
    }
    arguments.play.check_cores();
    let plot = |path: &PathBuf| Claim::file(path).with_context(|| format!("--plot {}", path.display()));
    let _plot = arguments.plot.as_ref().map(plot).transpose()?;
    let control = crate::commands::shared::interruptible()?;
    check(&tournament, &control)?;
    let (mut pgn_file, restored) = arguments.pgn_file(&tournament)?;
    let Restored { mut results, mut lines, final_fens, turns, .. } = restored;
    let mut epd_file = arguments.epd_file(&final_fens)?;

    for engine in &tournament.engines {
        if let Some(address) = engine.setup.external_client_address() {
            let name = quote(&engine.name);
            print_message!(
                "labrys: waiting on {address} for a client to join as {name}, again for each game"
            );
        }
    }
    let names = names(&tournament);
    let (start, mut thinking) = (Instant::now(), vec![ThinkingTime::default(); names.len()]);
    let restored = results.games();
    play(&tournament, &mut results, &control, &mut |game, results, times, progress| {
        if let Some(pgn_file) = &mut pgn_file {
            pgn_file.append(game)?;
        }
        if let (Some((epd_file, _)), Some(path)) = (&mut epd_file, &arguments.epdout) {
            let fen = game.final_fen(&tournament.rules.variant).map_err(io::Error::other)?;
            epd_file.write_all(format!("{fen}\n").as_bytes()).map_err(|error| named(path, error))?;
        }
        lines.insert(game.line_hash(&tournament.rules.variant).map_err(io::Error::other)?);
        for (player, time) in game.players.iter().zip(times) {
            if let Some(index) = names.iter().position(|name| *name == player.name) {
                thinking[index] += time;
            }
        }
        let games = results.games();
        if arguments.rating_interval.is_some_and(|interval| games.is_multiple_of(interval)) {
            let report = format!("after {}:\n{}\n\n", counted(games, "game"), summary(&tournament, results));
            progress.suspend(|| match arguments.json {
                true => io::stderr().write_all(report.as_bytes()),
                false => io::stdout().write_all(report.as_bytes()),
            })?;
        }
        Ok(())
    })?;

    warn_of_repeats(results.games(), lines.len() as u64);
    let run = Run { games: results.games() - restored, time: start.elapsed(), thinking, turns };
    if !print_report(&arguments, &tournament, &results, run)? {
        let hint = if pgn_file.is_some() { ", use --resume to continue" } else { "" };
        bail!("interrupted after {}{hint}", counted(results.games(), "game"));
    }
    check_log(&tournament)
}

/// Checks that the log of a played tournament is complete.
pub(super) fn check_log(tournament: &Tournament) -> anyhow::Result<()> {
    tournament.log.take_error().map_or(Ok(()), |error| Err(error).context("--log: lines are missing"))
}

/// Checks that the tournament can be played, and prints warnings about what cannot be checked.
pub(super) fn check(tournament: &Tournament, control: &Control) -> anyhow::Result<()> {
    for note in tournament.check(control)? {
        print_message!("labrys: warning: {note}");
    }
    Ok(())
}

/// The games of this run.
struct Run {
    games: u64,
    time: Duration,
    /// The thinking time of each player.
    thinking: Vec<ThinkingTime>,
    /// Its turns in earlier runs.
    turns: Vec<Turns>,
}

/// Reports on the games in files, without playing.
fn report(arguments: &MatchArguments, tournament: &Tournament) -> anyhow::Result<()> {
    let (start, mut restored) = (Instant::now(), Restored::new(tournament));
    for path in &arguments.report {
        let games = finished_games(path).context("--report")?;
        restored.add(path, &games, tournament, Tournament::count).context("--report")?;
    }
    restored.warn_of_gaps();
    let Restored { results, turns, lines, .. } = restored;
    warn_of_repeats(results.games(), lines.len() as u64);
    let thinking = vec![ThinkingTime::default(); tournament.engines.len()];
    let run = Run { games: 0, time: start.elapsed(), thinking, turns };
    print_report(arguments, tournament, &results, run).map(drop)
}

/// Prints the report on a match and draws its chart. Returns whether the match is complete.
fn print_report(
    arguments: &MatchArguments,
    tournament: &Tournament,
    results: &Results,
    run: Run,
) -> anyhow::Result<bool> {
    let (names, summary) = (names(tournament), summary(tournament, results));
    let decided = summary.sprt.as_ref().is_some_and(|sprt| sprt.accepted.is_some());
    let thinking = names.iter().zip(run.thinking.into_iter().zip(run.turns));
    let report = MatchReport {
        variant: &tournament.rules.variant,
        seed: arguments.play.seed,
        complete: decided || results.games() == tournament.schedule.games(),
        games_played: run.games,
        wall_seconds: run.time.as_secs_f64(),
        thinking: thinking.map(|(name, (time, earlier))| PlayerTime::new(name, time, earlier)).collect(),
        summary: &summary,
    };
    match arguments.json {
        true => writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&report)?)?,
        false => writeln!(io::stdout(), "{report}")?,
    }
    // A match that was interrupted in its first games has none to draw.
    let is_drawn = results.games() > 0 || !arguments.report.is_empty();
    if let Some(path) = arguments.plot.as_ref().filter(|_| is_drawn) {
        let svg = plot::score_over_games(&names, &tournament.counted(results)).context("--plot")?;
        write_atomically(path, &svg).with_context(|| format!("--plot {}", path.display()))?;
    }
    Ok(report.complete)
}

fn names(tournament: &Tournament) -> Vec<String> {
    tournament.engines.iter().map(|engine| engine.name.clone()).collect()
}

fn summary(tournament: &Tournament, results: &Results) -> Summary {
    Summary::new(&names(tournament), &tournament.counted(results), tournament.sprt.as_ref())
}

/// The callback for a finished game: its record, all results, and the players' thinking time.
type OnGame<'a> = dyn FnMut(&PgnGame, &Results, [ThinkingTime; 2], &Progress) -> io::Result<()> + 'a;

/// Plays the remaining games of a match, showing the progress.
fn play(
    tournament: &Tournament,
    results: &mut Results,
    control: &Control,
    on_game: &mut OnGame,
) -> anyhow::Result<()> {
    let games = Some(tournament.schedule.games()).filter(|&games| games < u64::MAX);
    let mut progress = Progress::new("games", results.games(), games);
    tournament.run(results, control, &mut |game, results, times| {
        on_game(game, results, times, &progress)?;
        progress.update(results.games(), || summary(tournament, results).brief());
        Ok(())
    })?;
    progress.finish();
    Ok(())
}

/// Opens a file of games to append to, and restores the games in it.
fn resume(path: &Path, tournament: &Tournament) -> anyhow::Result<(PgnFile, Restored)> {
    let (pgn_file, records) = PgnFile::resume(path)?;
    let mut restored = Restored::new(tournament);
    restored.add(path, &records, tournament, Tournament::restore)?;
    Ok((pgn_file, restored))
}

/// Continues the match in a file. Returns its results; `None` if `control` stops it.
pub(super) fn play_into(
    path: &Path,
    tournament: &Tournament,
    control: &Control,
) -> anyhow::Result<Option<Results>> {
    check(tournament, control)?;
    let (mut pgn_file, Restored { mut results, .. }) = resume(path, tournament)?;
    play(tournament, &mut results, control, &mut |game, _, _, _| pgn_file.append(game))?;
    Ok((results.games() == tournament.schedule.games()).then_some(results))
}
