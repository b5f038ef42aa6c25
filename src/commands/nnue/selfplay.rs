//! `labrys nnue selfplay`.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::ensure;
use serde::Serialize;

use crate::arena::Rules;
use crate::commands::shared::progress::Progress;
use crate::commands::shared::typed::commands;
use crate::commands::shared::values::{plies, whole};
use crate::commands::shared::{
    RulesArguments, SMALL_HASH, interruptible, log_side_effect, version, weights_error,
};
use crate::engine::{OptionError, Playable, TypedEngine};
use crate::game::{counted, quote_path};
use crate::learn::nnue::datagen::{SelfPlayProgress, SelfPlaySettings, play_games};
use crate::learn::nnue::games::{GamesHeader, GamesWriter};
use crate::search::Control;
use crate::shard::{Part, Shard};

/// Plays games for `labrys nnue train`. An existing file is continued.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct NnueSelfplayArguments {
    #[command(flatten)]
    rules: RulesArguments,
    /// Total number of games in the file, or over all shards
    #[arg(long, value_parser = whole::<u64>(1..))]
    games: u64,
    #[command(flatten)]
    play: PlayArguments,
    /// Seed of everything random: files with different seeds have different games
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(..))]
    seed: u64,
    /// Play with the linear evaluation and its shipped weights
    #[arg(long, conflicts_with_all = ["weights", "net"])]
    linear: bool,
    /// Play with the linear evaluation and the weights of a file
    #[arg(long, value_name = "FILE", conflicts_with = "net")]
    weights: Option<String>,
    /// Play with an evaluation net
    #[arg(long, value_name = "FILE")]
    net: Option<String>,
    /// Number of threads [default: the number of cores]
    #[arg(long, value_parser = whole::<NonZeroUsize>(..))]
    threads: Option<NonZeroUsize>,
    /// Play only the games of shard I of N; `labrys games merge` merges the files of all shards
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Output file of the games
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// How games to learn from are played.
#[derive(Debug, clap::Args, Serialize)]
pub(super) struct PlayArguments {
    /// Nodes for each move at most
    #[arg(long, default_value_t = 1_000, value_parser = whole::<u64>(1..))]
    nodes: u64,
    /// Nodes for each move after which the search begins no further iteration [default: only `--nodes` counts]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    #[serde(skip_serializing_if = "Option::is_none")]
    soft_nodes: Option<u64>,
    /// Number of random plies at the start of each game, N or N-M
    #[arg(long, value_name = "N", default_value = "6-9", value_parser = plies)]
    random_plies: RangeInclusive<usize>,
    /// Draw the random plies again if a search sees more than N units of the evaluation, such as pawns, for a
    /// player after them [default: any will do]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_start_score: Option<u32>,
    /// Percent of the games that start from a position of Chess960
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = whole::<u32>(0..=100))]
    #[serde(skip_serializing_if = "is_zero")]
    chess960: u32,
    /// Percent of the games that start from a position of double Chess960: another set-up for each player
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = whole::<u32>(0..=100))]
    #[serde(skip_serializing_if = "is_zero")]
    double_chess960: u32,
}

/// Runs of versions without a setting have none of it.
fn is_zero(percent: &u32) -> bool {
    *percent == 0
}

impl PlayArguments {
    /// The settings of games with a seed.
    ///
    /// # Errors
    /// Arguments contradict each other.
    pub(super) fn settings(&self, seed: u64) -> anyhow::Result<SelfPlaySettings> {
        let PlayArguments { nodes, soft_nodes, random_plies, max_start_score, chess960, double_chess960 } =
            self;
        check_soft_nodes(*soft_nodes, *nodes)?;
        ensure!(
            chess960 + double_chess960 <= 100,
            "--chess960 {chess960} and --double-chess960 {double_chess960}: more than 100 percent"
        );
        Ok(SelfPlaySettings {
            nodes: *nodes,
            soft_nodes: *soft_nodes,
            random_plies: random_plies.clone(),
            max_start_score: *max_start_score,
            drawn_starts: [*chess960, *double_chess960],
            seed,
        })
    }
}

pub(in crate::commands) fn run(arguments: &NnueSelfplayArguments) -> anyhow::Result<()> {
    let NnueSelfplayArguments { rules, games, play, seed, linear, weights, net, threads, shard, out } =
        arguments;
    let rules = rules.rules()?;
    let settings = play.settings(*seed)?;
    let evaluation = match (weights, net) {
        _ if *linear => Some(("Evaluation", "linear")),
        (Some(path), _) => Some(("WeightsFile", path.as_str())),
        (_, Some(path)) => Some(("EvalFile", path.as_str())),
        (None, None) => None,
    };
    let (games, shard, threads) = (*games, *shard, crate::commands::shared::threads(*threads));
    let selfplay = SelfPlay { rules: &rules, evaluation, settings, games, shard, threads, out };
    commands(&rules.variant)?.selfplay(&selfplay)
}

/// The games to play.
pub(in crate::commands) struct SelfPlay<'a> {
    pub(in crate::commands) rules: &'a Rules,
    /// The option that sets the evaluation, and its value [default: the evaluation of the game].
    pub(in crate::commands) evaluation: Option<(&'a str, &'a str)>,
    pub(in crate::commands) settings: SelfPlaySettings,
    /// The total number of games.
    pub(in crate::commands) games: u64,
    /// The shard to play; `None` for all games.
    pub(in crate::commands) shard: Option<Shard>,
    pub(in crate::commands) threads: usize,
    /// The output file.
    pub(in crate::commands) out: &'a Path,
}

impl SelfPlay<'_> {
    /// Plays games until the file is complete or `control` stops it. Returns whether it is complete.
    pub(in crate::commands) fn play<G: Playable>(&self, control: &Control) -> anyhow::Result<bool> {
        let engine = new_engine::<G>(self.rules, self.evaluation)?;
        let start = engine.game();
        let SelfPlaySettings { nodes, random_plies, drawn_starts, seed, .. } = &self.settings;
        check_starts::<G>(*drawn_starts)?;
        let random_plies = (*random_plies.start(), *random_plies.end());
        let evaluation = engine.evaluation_name(start.position());
        let header = GamesHeader::new(start.position(), evaluation, *nodes, random_plies, *seed);
        let mut header = header.with_choice::<G>(start.choice());
        self.settings.describe_in(&mut header);
        header.part = self.shard.map(|shard| Part::new(shard, self.games, &header)).transpose()?;
        // Not a setting: another version may go on with the file.
        header.program = Some(version::program());
        let numbers = header.part.map_or(0..self.games, |part| part.numbers());
        let games = numbers.end - numbers.start;
        let mut writer = GamesWriter::open::<G>(self.out, &header)?;
        if let Some(mended) = writer.mended() {
            print_message!("labrys: warning: {mended}");
        }
        let engines = (0..self.threads)
            .map(|_| new_engine::<G>(self.rules, self.evaluation))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let begin = Instant::now();
        let mut progress = Progress::new("games", writer.games(), Some(games));
        let mut played = SelfPlayProgress { games: writer.games(), positions: 0 };
        let mut report = |now: SelfPlayProgress| {
            played = now;
            let rate = now.positions as f64 / begin.elapsed().as_secs_f64();
            progress.update(now.games, || format!("{}, {rate:.0}/s", counted(now.positions, "position")));
        };
        play_games(start, engines, &self.settings, numbers, &mut writer, control, &mut report)?;
        progress.finish();
        let path = self.out.display();
        writeln!(
            io::stdout(),
            "{path}: {}, {} added",
            counted(writer.games(), "game"),
            counted(played.positions, "position")
        )?;
        Ok(writer.games() >= games)
    }

    pub(in crate::commands) fn run_typed<G: Playable>(&self) -> anyhow::Result<()> {
        let control = interruptible()?;
        let is_complete = self.play::<G>(&control)?;
        ensure!(is_complete || !control.is_stopped(), "interrupted, run the same command to continue");
        Ok(())
    }
}

/// Checks that the game has start positions to draw from, where they are asked for.
pub(super) fn check_starts<G: Playable>(drawn_starts: [u32; 2]) -> anyhow::Result<()> {
    let has_setups = G::DRAWN_SETUPS > 0 || drawn_starts == [0; 2];
    ensure!(has_setups, "--chess960, --double-chess960: {} has no such start positions", G::info().name);
    Ok(())
}

/// Checks that the soft limit of nodes is no more than the hard one.
pub(super) fn check_soft_nodes(soft: Option<u64>, hard: u64) -> anyhow::Result<()> {
    if let Some(soft) = soft {
        ensure!(soft <= hard, "--soft-nodes {soft}: more than --nodes {hard}");
    }
    Ok(())
}

/// An engine for short searches with an evaluation, which an option sets to a value, at the start position.
pub(super) fn new_engine<G: Playable>(
    rules: &Rules,
    evaluation: Option<(&str, &str)>,
) -> anyhow::Result<Box<dyn TypedEngine<G>>> {
    let mut engine = rules.typed_engine::<G>()?;
    engine.set_option("Hash", SMALL_HASH)?;
    if let Some((name, value)) = evaluation {
        // Errors name the flag, not the option.
        let side_effects = engine.set_option(name, value).map_err(|error| match error {
            OptionError::Weights(error) => weights_error("--weights", value, error),
            OptionError::EvalNet(error) => anyhow::Error::new(error).context("--net"),
            error => error.into(),
        })?;
        side_effects.iter().for_each(|side_effect| log_side_effect(&quote_path(value), side_effect));
    }
    engine.check_net()?;
    Ok(engine)
}
