//! `labrys nnue generations`.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;

use super::selfplay::{PlayArguments, SelfPlay, check_starts};
use super::train::{Trained, Training, TrainingArguments};
use crate::arena::{
    Adjudication, CommentKeys, EngineConfig, Format, KeyValues, Openings, Pairs, Rules, Schedule, Tournament,
};
use crate::commands::r#match;
use crate::commands::shared::checksum::{each_with_content, sha256};
use crate::commands::shared::play::RANDOM_PLIES;
use crate::commands::shared::typed::commands;
use crate::commands::shared::values::{even, whole};
use crate::commands::shared::{RulesArguments, interruptible, threads, version};
use crate::engine::Playable;
use crate::eval::nnue::EvalNet;
use crate::game::counted;
use crate::learn::nnue::checkpoint::NET;
use crate::learn::nnue::generations::{GenerationsState, NetGeneration, TrainedNet};
use crate::learn::nnue::model::NEURONS;
use crate::learn::nnue::trainer::TrainingError;
use crate::learn::run_folder::{RunError, RunFolder};
use crate::learn::save_eval_net;
use crate::protocol::engine_log::EngineLog;
use crate::search::Control;

/// The file of the games of a generation.
const GAMES: &str = "selfplay.games";

/// The option, with its value, that selects the linear evaluation.
const LINEAR: (&str, &str) = ("Evaluation", "linear");

/// Trains a series of nets, each of which plays the games for the next, with matches in between. An existing
/// folder is continued.
#[derive(Debug, clap::Args, Serialize)]
pub(in crate::commands) struct NnueGenerationsArguments {
    #[command(flatten)]
    #[serde(flatten)]
    rules: RulesArguments,
    /// A TOML file with any of these arguments
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    config: Option<PathBuf>,
    /// Folder of the generations, created if missing
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    out: PathBuf,
    /// Total number of generations, including complete ones
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<u32>(1..))]
    #[serde(skip)]
    generations: u32,
    /// What plays the first games: the linear evaluation, or a net with random parameters
    #[arg(long, value_enum, default_value_t = Start::Linear)]
    start: Start,
    /// Games per generation
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = whole::<u64>(1..))]
    games: u64,
    #[command(flatten)]
    #[serde(flatten)]
    play: PlayArguments,
    /// Seed of everything random in the first generation; later generations use the following numbers
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(..))]
    seed: u64,
    /// Number of recent generations whose games a net learns from
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<u32>(1..))]
    window: u32,
    #[command(flatten)]
    #[serde(flatten)]
    training: TrainingArguments,
    /// Games per match; 0 disables matches
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = even)]
    match_games: u64,
    /// Keys for both engines of a match, as in `labrys match`
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", default_value = "tc=1+0.01")]
    each: Vec<String>,
    /// Number of concurrent games of a match
    #[arg(long, value_name = "N", default_value = "1", value_parser = whole::<NonZeroUsize>(..))]
    #[serde(skip)]
    concurrency: NonZeroUsize,
    /// Number of threads of self-play and training [default: the number of cores]
    #[arg(long, value_parser = whole::<NonZeroUsize>(..))]
    #[serde(skip)]
    threads: Option<NonZeroUsize>,
}

/// What plays the first games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Start {
    /// The linear evaluation with its shipped weights
    Linear,
    /// A net with random parameters
    Nothing,
}

pub(super) fn run(arguments: &NnueGenerationsArguments) -> anyhow::Result<()> {
    let rules = arguments.rules.rules()?;
    commands(&rules.variant)?.generations(Run { arguments, rules: &rules })
}

/// A run, to be dispatched on the type of the game.
pub(in crate::commands) struct Run<'a> {
    arguments: &'a NnueGenerationsArguments,
    rules: &'a Rules,
}

impl Run<'_> {
    pub(in crate::commands) fn run_typed<G: Playable>(self) -> anyhow::Result<()> {
        let NnueGenerationsArguments { out, generations, play, training, window, seed, .. } = self.arguments;
        let control = interruptible()?;
        check_starts::<G>(play.settings(*seed)?.drawn_starts)?;
        let neurons = training.sizes.neurons;
        if !neurons.is_multiple_of(NEURONS) {
            bail!("--neurons: {}", TrainingError::Neurons(neurons));
        }
        self.tournament(0, ("net", LINEAR), ("linear", LINEAR))?.check(&control)?;
        let Value::Object(mut settings) = serde_json::to_value(self.arguments)? else {
            bail!("arguments are an object")
        };
        settings.insert("each".to_owned(), each_with_content(&self.arguments.each)?.into());
        let in_folder = || format!("--out {}", out.display());
        let folder = RunFolder::<GenerationsState>::open(out, settings).with_context(in_folder)?;
        let write = |state: &GenerationsState| -> Result<(), RunError> {
            folder.write(state)?;
            folder.put_report(state.report())
        };
        let _claim = folder.claim()?;
        let mut state = folder.read(true)?.unwrap_or_default();
        write(&state)?;
        // Match records contain the paths of nets, which must not depend on the current folder.
        let out = out.canonicalize().with_context(in_folder)?;
        // What the next generation rests on: the games of its window, and the net before it.
        let needed = window.saturating_sub(1).max(1) as usize;
        for (index, generation) in state.complete.iter().enumerate().rev().take(needed) {
            check_files(&out.join((index + 1).to_string()), &generation.files)?;
        }
        while state.complete.len() < *generations as usize {
            let number = state.complete.len() as u32 + 1;
            let generation = Generation { run: &self, out: &out, number };
            let save = |state: &GenerationsState| Ok(write(state)?);
            let Some(complete) = generation.run::<G>(&mut state, &control, save)? else {
                bail!("interrupted in generation {number}, run the same command to continue");
            };
            print_line!("{}", summary(&complete, number))?;
            state.complete.push(complete);
            state.trained = None;
            write(&state)?;
        }
        print_line!("{} generations are complete: {}", state.complete.len(), out.display())?;
        Ok(())
    }

    /// A match of two engines, each given by its name and an option.
    fn tournament(
        &self,
        seed: u64,
        first: (&str, (&str, &str)),
        second: (&str, (&str, &str)),
    ) -> anyhow::Result<Tournament> {
        let NnueGenerationsArguments { each, match_games, concurrency, .. } = self.arguments;
        let each = KeyValues::parse("--each", each)?;
        let engines = [first, second].map(|(name, (option, value))| {
            let words = [format!("name={name}"), format!("option.{option}={value}")];
            Ok(KeyValues::parse("--each", &words)?.with_defaults(&each))
        });
        Ok(Tournament {
            rules: self.rules.clone(),
            engines: EngineConfig::read_all(engines.into_iter().collect::<anyhow::Result<_>>()?)?,
            schedule: Schedule::new(Format::RoundRobin, 2, 0..match_games / 2),
            openings: Openings::Random { seed, plies: RANDOM_PLIES },
            seed,
            adjudication: Adjudication::default(),
            sprt: None,
            concurrency: concurrency.get(),
            affinity: None,
            comment_keys: CommentKeys::default(),
            log: EngineLog::default(),
            generator: version::program(),
            job: String::new(),
        })
    }
}

/// A generation of a run.
struct Generation<'a> {
    run: &'a Run<'a>,
    /// The folder of the run.
    out: &'a Path,
    /// The number of the generation, from 1.
    number: u32,
}

impl Generation<'_> {
    fn folder(&self, number: u32) -> PathBuf {
        self.out.join(number.to_string())
    }

    fn net(&self, number: u32) -> String {
        self.folder(number).join(NET).display().to_string()
    }

    fn seed(&self) -> u64 {
        self.run.arguments.seed.wrapping_add(u64::from(self.number) - 1)
    }

    /// The net of the previous generation. Generation 0 has a net only if it is a random one.
    fn before(&self) -> Option<String> {
        let has_net = self.number > 1 || self.run.arguments.start == Start::Nothing;
        has_net.then(|| self.net(self.number - 1))
    }

    /// Plays the games, trains the net and plays the matches, continuing after an interruption; `None` if it is
    /// interrupted again.
    fn run<G: Playable>(
        &self,
        state: &mut GenerationsState,
        control: &Control,
        save: impl Fn(&GenerationsState) -> anyhow::Result<()>,
    ) -> anyhow::Result<Option<NetGeneration>> {
        let net = match state.trained {
            Some(net) => net,
            None => {
                print_line!("generation {}", self.number)?;
                if !self.play::<G>(control)? {
                    return Ok(None);
                }
                let Some(net) = self.train::<G>(control)? else { return Ok(None) };
                state.trained = Some(net);
                save(state)?;
                net
            }
        };
        let linear = self.play_match("linear", LINEAR, control)?;
        let before = match self.before() {
            Some(path) => self.play_match("before", ("EvalFile", &path), control)?,
            None => None,
        };
        if control.is_stopped() {
            return Ok(None);
        }
        let folder = self.folder(self.number);
        let files = [GAMES, NET].map(|name| Ok((name.to_owned(), sha256(&folder.join(name))?)));
        let files = files.into_iter().collect::<anyhow::Result<_>>()?;
        Ok(Some(NetGeneration { net, linear, before, files }))
    }

    /// Plays the games. Returns false if it is interrupted.
    fn play<G: Playable>(&self, control: &Control) -> anyhow::Result<bool> {
        let NnueGenerationsArguments { training, games, play, threads: asked, .. } = self.run.arguments;
        let folder = self.folder(self.number);
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let before = self.before();
        if let (1, Some(path)) = (self.number, &before) {
            let folder = self.folder(0);
            std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
            let (start, sizes) = (self.run.rules.start::<G>()?, &training.sizes);
            let net = EvalNet::random(start.position(), sizes.neurons, sizes.outputs, self.seed());
            save_eval_net::<G>(&net, Path::new(path))?;
        }
        let selfplay = SelfPlay {
            rules: self.run.rules,
            evaluation: Some(before.as_ref().map_or(LINEAR, |path| ("EvalFile", path))),
            settings: play.settings(self.seed())?,
            games: *games,
            shard: None,
            threads: threads(*asked),
            out: &games_of(&folder),
        };
        selfplay.play::<G>(control)
    }

    /// Trains the net; `None` if it is interrupted.
    fn train<G: Playable>(&self, control: &Control) -> anyhow::Result<Option<TrainedNet>> {
        let NnueGenerationsArguments { window, training, threads: asked, .. } = self.run.arguments;
        let first = self.number.saturating_sub(window - 1).max(1);
        let data: Vec<_> = (first..=self.number).map(|number| games_of(&self.folder(number))).collect();
        let training = Training {
            start: None,
            data: &data,
            out: &self.folder(self.number),
            resume: true,
            arguments: training,
            seed: self.seed(),
            threads: threads(*asked),
        };
        let Trained { positions, best, is_finished } = training.train::<G>(control)?;
        let best = best.filter(|_| is_finished);
        Ok(best.map(|best| TrainedNet { positions, held_out: best.held_out }))
    }

    /// Plays a match of the net against another evaluation; `None` if matches are disabled or it is interrupted.
    fn play_match(
        &self,
        opponent: &str,
        option: (&str, &str),
        control: &Control,
    ) -> anyhow::Result<Option<Pairs>> {
        if self.run.arguments.match_games == 0 || control.is_stopped() {
            return Ok(None);
        }
        let net = self.net(self.number);
        let tournament = self.run.tournament(self.seed(), ("net", ("EvalFile", &net)), (opponent, option))?;
        let path = self.folder(self.number).join(opponent).with_extension("pgn");
        let results = r#match::play_into(&path, &tournament, control)?;
        Ok(results.map(|results| results.between([0, 1])))
    }
}

/// The games file in the folder of a generation.
fn games_of(folder: &Path) -> PathBuf {
    folder.join(GAMES)
}

/// Checks that the files of a complete generation, in `folder`, are those that it has written.
fn check_files(folder: &Path, files: &BTreeMap<String, String>) -> anyhow::Result<()> {
    for (name, expected) in files {
        let path = folder.join(name);
        let found = sha256(&path)?;
        if found != *expected {
            bail!("{}: changed since its generation: SHA-256 {found}, expected {expected}", path.display());
        }
    }
    Ok(())
}

/// A generation in one line.
fn summary(generation: &NetGeneration, number: u32) -> String {
    let NetGeneration { net: TrainedNet { positions, held_out }, linear, before, .. } = generation;
    let elo = |opponent: &str, pairs: &Option<Pairs>| {
        pairs.map_or(String::new(), |pairs| format!("; against {opponent} {}", pairs.elo()))
    };
    format!(
        "generation {number}: {}, held out {held_out:.6}{}{}",
        counted(positions, "position"),
        elo("linear", linear),
        elo("the one before", before)
    )
}
