//! `labrys train`.

use std::borrow::Cow;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{RulesArguments, interruptible, parse_positive, parse_share};
use crate::arena::{Pairs, Points, Rules, parse_option};
use crate::engine::{Engine, WeightsSource};
use crate::eval::WeightsError;
use crate::files::write_atomically;
use crate::learn::selfplay::{Player, Record, Sight, Thinking};
use crate::learn::{
    Decay, Exploration, Learner, LeastSquares, Settings, State, Table, TemporalDifference, Trainer, curve,
};

/// The version of the checkpoint's format.
const VERSION: u32 = 2;
/// Files of a training, in its folder.
const CHECKPOINT: &str = "checkpoint.json";
const WEIGHTS: &str = "weights.json";
const CURVE: &str = "curve.csv";

/// The word for the learner at the start, among opponents and rivals.
const START: &str = "start";

/// How often everything is written down.
const CHECKPOINTS: Duration = Duration::from_secs(20);

/// Where nobody watches a bar move, a line of progress comes this often.
const NEWS: Duration = Duration::from_secs(60);

/// MiB of a player's table: games in training are short of thought.
const HASH: &str = "1";

/// Learns the weights of an evaluation from games that it plays itself.
#[derive(Debug, clap::Args, Serialize)]
pub(super) struct Arguments {
    #[command(flatten)]
    #[serde(flatten)]
    rules: RulesArguments,
    /// A TOML file with any of these arguments
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    config: Option<PathBuf>,
    /// The feature set [default: the first of the game]
    #[arg(long)]
    set: Option<String>,
    /// How to learn
    #[arg(long, value_enum, default_value_t = Method::Lstd)]
    learner: Method,
    /// Weights to begin with: default (the shipped ones), zeros, ones, or a file
    #[arg(long, value_name = "WEIGHTS", default_value = "default")]
    weights: String,
    /// Who plays against the learner: clone (itself, some time ago), start (itself at the start), or weights as for --weights
    #[arg(long, value_name = "WHO", default_value = "clone")]
    opponent: String,
    /// Options of the learner's engine
    #[arg(long, num_args = 1.., value_name = "NAME=VALUE", value_parser = parse_option)]
    search: Vec<(String, String)>,
    /// Options of the opponent's engine [default: those of --search]
    #[arg(long, num_args = 1.., value_name = "NAME=VALUE", value_parser = parse_option)]
    opponent_search: Vec<(String, String)>,
    /// Plies that a move is thought ahead [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "nodes")]
    depth: Option<u32>,
    /// Nodes that a move is thought about
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Plies that the opponent thinks ahead [default: as the learner]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "opponent_nodes")]
    opponent_depth: Option<u32>,
    /// Nodes that the opponent thinks about
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    opponent_nodes: Option<u64>,
    /// Games to learn from
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Games that are played with the same weights, before the learner learns from them
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    round: u64,
    /// What all that is left to chance depends on
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time; the result does not depend on it [default: as many as the machine has cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    #[serde(skip)]
    threads: Option<u16>,
    /// Learning rate α of td and td-leaf [default: 0.001]
    #[arg(long, value_parser = parse_positive)]
    rate: Option<f64>,
    /// How the rate falls [default: falling]
    #[arg(long, value_enum)]
    decay: Option<Fall>,
    /// Trace decay λ
    #[arg(long, default_value_t = 0.0, value_parser = parse_share)]
    lambda: f64,
    /// Discount γ; with 1 and predicted positions nothing holds the level of the values
    #[arg(long, default_value_t = 0.95, value_parser = parse_share)]
    discount: f64,
    /// What a win is worth in the evaluation's unit; a loss is worth as much less than nothing
    #[arg(long, default_value_t = 10.0, value_parser = parse_positive)]
    reward: f64,
    /// Squash values into the range of the reward: r tanh(w·φ / r)
    #[arg(long)]
    squash: bool,
    /// What is left of the past after each solution of lstd, μ [default: 0.95]
    #[arg(long, value_parser = parse_share)]
    window: Option<f64>,
    /// How firmly lstd holds weights of which the games say little, κ [default: 0.001]
    #[arg(long, value_parser = parse_positive)]
    ridge: Option<f64>,
    /// Moves learned from between two solutions of lstd, and between two points of the curve
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    period: u64,
    /// The next position: the predicted one, after the reply that the search expects, or the real one [default: predicted; real
    /// for td-leaf and lstd-leaf]
    #[arg(long, value_enum)]
    successor: Option<Successor>,
    /// Learn from what the opponent sees, too, where it is a clone
    #[arg(long)]
    both: bool,
    /// How likely the opponent plays any move at the beginning …
    #[arg(long, default_value_t = 0.9, value_parser = parse_share)]
    exploration: f64,
    /// … and at the end of the training
    #[arg(long, default_value_t = 0.02, value_parser = parse_share)]
    exploration_end: f64,
    /// The share of the games at which it is half way
    #[arg(long, default_value_t = 0.5, value_parser = parse_share)]
    exploration_middle: f64,
    /// How steeply it falls there
    #[arg(long, default_value_t = 12.0, value_parser = parse_positive)]
    exploration_steepness: f64,
    /// Random moves that a game begins with, at most
    #[arg(long, default_value_t = 4, value_name = "PLIES")]
    opening_plies: usize,
    /// Games between two matches with the clone
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    clone_every: u64,
    /// Whom the learner is compared with, besides itself at the start: random, or weights as for --weights
    #[arg(long, num_args = 1.., value_name = "WHO")]
    rival: Vec<String>,
    /// Games between two matches with each rival; 0: none
    #[arg(long, default_value_t = 1_000)]
    compare_every: u64,
    /// Games of such a match
    #[arg(long, default_value_t = 100, value_parser = parse_even)]
    compare_games: u64,
    /// Games of the match with the weights at the start at the end; 0: none
    #[arg(long, default_value_t = 400, value_parser = parse_even)]
    judge_games: u64,
    /// The folder of the training; made if it is not there
    #[arg(long, value_name = "FOLDER")]
    #[serde(skip)]
    out: PathBuf,
    /// Go on with the training in the folder
    #[arg(long)]
    #[serde(skip)]
    resume: bool,
}

/// How to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Method {
    /// TD(λ) on the positions of the games
    Td,
    /// TD(λ) on the ends of the lines that the search expects
    TdLeaf,
    /// LSTD(λ) with exponential windowing, on the positions of the games
    Lstd,
    /// The same on the ends of the lines that the search expects
    LstdLeaf,
}

impl Method {
    /// Whether it solves for the weights.
    fn solves(self) -> bool {
        matches!(self, Method::Lstd | Method::LstdLeaf)
    }

    /// Whether it learns about the ends of lines.
    fn looks_ahead(self) -> bool {
        matches!(self, Method::TdLeaf | Method::LstdLeaf)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Fall {
    Constant,
    Inverse,
    Falling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Successor {
    Predicted,
    Real,
}

/// A training as it lies in its folder.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint<'a> {
    version: u32,
    /// The arguments that the result depends on.
    arguments: Cow<'a, Map<String, Value>>,
    state: Cow<'a, State>,
}

/// Reads an even number.
fn parse_even(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number: &u64| number.is_multiple_of(2));
    number.ok_or_else(|| "expected an even number".to_owned())
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let rules = arguments.rules.rules()?;
    arguments.check(&rules)?;
    let threads = arguments
        .threads
        .map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let tables = (0..threads).map(|_| arguments.table(&rules)).collect::<anyhow::Result<Vec<_>>>()?;
    let start = arguments.start(&rules)?;
    let (names, rivals) = (names(start.as_ref()), arguments.rivals());
    let folder = Folder::open(arguments)?;
    let state = match folder.read()? {
        Some(state) => {
            let weights = &arguments.weights;
            ensure!(
                state.start == start.weights().values(),
                "--weights {weights}: the training in {} began with others",
                arguments.out.display()
            );
            state
        }
        None => State::new(start.weights().values().to_vec(), arguments.new_learner(names.len())),
    };
    let control = interruptible()?;

    let resumed = state.games;
    let bar = ProgressBar::new(arguments.games);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} games {wide_bar} {msg}, {eta} left") {
        bar.set_style(style);
    }
    bar.set_position(resumed);
    bar.reset_eta();
    let has_terminal = io::stderr().is_terminal();
    let mut trainer = Trainer::new(arguments.settings(), tables, state).context("checkpoint")?;
    let (mut written, mut told) = (Instant::now(), Instant::now());
    trainer.run(&control, |state| -> anyhow::Result<()> {
        bar.set_position(state.games);
        bar.set_message(news(state));
        if !has_terminal && told.elapsed() >= NEWS {
            told = Instant::now();
            eprintln!("{}/{} games, {}", state.games, arguments.games, news(state));
        }
        if written.elapsed() >= CHECKPOINTS {
            written = Instant::now();
            folder.write(state, &names, &rivals)?;
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    let state = trainer.state();
    folder.write(state, &names, &rivals)?;
    println!("{} games, {} moves, {}", state.games, state.steps, news(state));
    if state.games < arguments.games {
        bail!("interrupted after {} of {} games: --resume goes on", state.games, arguments.games);
    }
    let verdict = match arguments.judge_games {
        0 => None,
        games => {
            let results = trainer.judge(games, &control);
            Some(verdict(&results.context("interrupted in the match at the end: --resume plays it")?))
        }
    };
    let source = arguments.source(verdict.as_deref());
    let weights = start.weights().learned(&trainer.state().weights, source)?;
    folder.put(WEIGHTS, &(weights.to_json() + "\n"))?;
    println!("{}", verdict.unwrap_or_else(|| format!("weights: {}", arguments.out.join(WEIGHTS).display())));
    Ok(())
}

/// Gives an engine the weights that a word stands for: default, zeros, ones, or those of a file.
fn set_source(engine: &mut dyn Engine, word: &str) -> Result<(), WeightsError> {
    let all = |value: &str| WeightsSource::Values(vec![value.to_owned(); engine.weights().values().len()]);
    let source = match word {
        "default" => WeightsSource::Default,
        "zeros" => all("0"),
        "ones" => all("1"),
        path => WeightsSource::File(path.to_owned()),
    };
    super::set_weights_of_set(engine, &source)
}

/// The names of the features of an engine.
fn names(engine: &dyn Engine) -> Vec<&'static str> {
    engine.eval_breakdown().terms.iter().map(|term| term.name).collect()
}

/// How a training stands, in a line.
fn news(state: &State) -> String {
    let [won, drawn, lost] = state.results;
    let change = state.curve.last().map_or(String::from("–"), |point| format!("{:.4}", point.change));
    let score = state.comparisons.last().and_then(|last| last.scores.first());
    let score = score.map_or(String::new(), |score| format!(", {:.1} % against the start", 100.0 * score));
    let singular = match state.singular {
        0 => String::new(),
        times => format!(", {times} periods without a solution"),
    };
    format!("{} clones, change {change}, +{won} ={drawn} -{lost}{score}{singular}", state.clones)
}

/// What a match by pairs says.
fn verdict(results: &[[f64; 2]]) -> String {
    let mut pairs = Pairs::default();
    let points = |result: f64| match result {
        1.0 => Points::Win,
        0.0 => Points::Loss,
        _ => Points::Draw,
    };
    results.iter().for_each(|&[first, second]| pairs.add(points(first), points(second)));
    let [lost, drawn, won] = pairs.games;
    format!(
        "against the weights at the start: {} games, +{won} ={drawn} -{lost}, score {:.1} %, {}",
        2 * pairs.count(),
        100.0 * pairs.score().0,
        pairs.elo()
    )
}

impl Arguments {
    /// Refuses what does not go together.
    fn check(&self, rules: &Rules) -> anyhow::Result<()> {
        let solves = self.learner.solves();
        ensure!(!(solves && self.squash), "--squash: what lstd solves is linear");
        ensure!(!(solves && self.rate.is_some()), "--rate: lstd has none");
        ensure!(!(solves && self.decay.is_some()), "--decay: lstd has no rate");
        ensure!(solves || self.window.is_none(), "--window: only lstd has one");
        ensure!(solves || self.ridge.is_none(), "--ridge: only lstd has one");
        ensure!(
            !(self.learner.looks_ahead() && self.successor == Some(Successor::Predicted)),
            "--successor: from the end of a line it goes to that of the next one: real"
        );
        ensure!(!self.both || self.opponent == "clone", "--both: only a clone sees what the learner sees");
        ensure!(self.reward > 0.0, "--reward: a win has to be worth something");
        for (name, _) in self.search.iter().chain(&self.opponent_search) {
            let own = [("FeatureSet", "--set"), ("WeightsFile", "--weights")];
            if let Some((_, flag)) = own.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
                bail!("--search: {name}: that is what {flag} is for");
            }
            ensure!(!rules.is_own_option(name), "--search: {name}: that is what --option is for");
        }
        Ok(())
    }

    fn settings(&self) -> Settings {
        Settings {
            games: self.games,
            round: self.round,
            seed: self.seed,
            rate: self.rate.unwrap_or(0.001),
            decay: match self.decay {
                Some(Fall::Constant) => Decay::Constant,
                Some(Fall::Inverse) => Decay::Inverse,
                Some(Fall::Falling) | None => Decay::Falling,
            },
            exploration: Exploration {
                from: self.exploration,
                to: self.exploration_end,
                middle: self.exploration_middle,
                steepness: self.exploration_steepness,
            },
            opening_plies: self.opening_plies,
            record: Record {
                both: self.both,
                sight: if self.learner.looks_ahead() { Sight::Leaf } else { Sight::Root },
                predicted: !self.learner.looks_ahead() && self.successor != Some(Successor::Real),
                reward: self.reward,
            },
            period: self.period,
            clone_every: (self.opponent == "clone").then_some(self.clone_every),
            compare_every: Some(self.compare_every).filter(|&games| games > 0),
            compare_games: self.compare_games,
        }
    }

    fn new_learner(&self, features: usize) -> Learner {
        if self.learner.solves() {
            let (window, ridge) = (self.window.unwrap_or(0.95), self.ridge.unwrap_or(1e-3));
            Learner::Lstd(LeastSquares::new(features, self.discount, self.lambda, window, ridge))
        } else {
            let range = self.squash.then_some(self.reward);
            Learner::Td(TemporalDifference::new(self.discount, self.lambda, range))
        }
    }

    /// An engine with options, a small table and the feature set.
    fn engine(
        &self,
        rules: &Rules,
        options: &[(String, String)],
        flag: &str,
    ) -> anyhow::Result<Box<dyn Engine>> {
        let mut engine = rules.engine()?;
        engine.set_option("Hash", HASH)?;
        for (name, value) in options {
            engine.set_option(name, value).with_context(|| flag.to_owned())?;
        }
        if let Some(set) = &self.set {
            engine.set_option("FeatureSet", set).context("--set")?;
        }
        Ok(engine)
    }

    /// The learner's engine with the weights at the start.
    fn start(&self, rules: &Rules) -> anyhow::Result<Box<dyn Engine>> {
        let mut engine = self.engine(rules, &self.search, "--search")?;
        set_source(engine.as_mut(), &self.weights).context("--weights")?;
        Ok(engine)
    }

    /// The names of those whom the learner is compared with.
    fn rivals(&self) -> Vec<String> {
        std::iter::once(START.to_owned()).chain(self.rival.iter().cloned()).collect()
    }

    /// One of them.
    fn rival(&self, rules: &Rules, name: &str) -> anyhow::Result<Box<dyn Engine>> {
        if name == START {
            return self.start(rules);
        }
        let mut engine = self.engine(rules, &self.search, "--search")?;
        match name {
            "random" => engine.set_option("SearchMode", "random").map(drop)?,
            source => set_source(engine.as_mut(), source).context("--rival")?,
        }
        Ok(engine)
    }

    /// All who play on a thread.
    fn table(&self, rules: &Rules) -> anyhow::Result<Table> {
        let thinking = match self.nodes {
            Some(nodes) => Thinking::Nodes(nodes),
            None => Thinking::Depth(self.depth.unwrap_or(2)),
        };
        let opponent_thinking = match (self.opponent_nodes, self.opponent_depth) {
            (Some(nodes), _) => Thinking::Nodes(nodes),
            (None, Some(depth)) => Thinking::Depth(depth),
            (None, None) => thinking,
        };
        let (options, flag) = match self.opponent_search.as_slice() {
            [] => (&self.search, "--search"),
            _ => (&self.opponent_search, "--opponent-search"),
        };
        let mut opponent = self.engine(rules, options, flag)?;
        match self.opponent.as_str() {
            "clone" => {}
            START => set_source(opponent.as_mut(), &self.weights).context("--weights")?,
            source => set_source(opponent.as_mut(), source).context("--opponent")?,
        }
        let own = || Ok::<_, anyhow::Error>(Player { engine: self.start(rules)?, thinking });
        let rival = |name: &String| Ok(Player { engine: self.rival(rules, name)?, thinking });
        let rivals = self.rivals().iter().map(rival).collect::<anyhow::Result<_>>()?;
        Ok(Table {
            players: [own()?, Player { engine: opponent, thinking: opponent_thinking }],
            learner: own()?,
            rivals,
        })
    }

    /// The arguments that the result depends on.
    fn lasting(&self) -> anyhow::Result<Map<String, Value>> {
        match serde_json::to_value(self)? {
            Value::Object(arguments) => Ok(arguments),
            _ => bail!("arguments are an object"),
        }
    }

    /// Where the weights come from: the command, without what the result does not depend on, and the match.
    fn source(&self, verdict: Option<&str>) -> String {
        let own = [format!("--out={}", self.out.display()), self.out.display().to_string()];
        let words: Vec<_> =
            std::env::args().skip(1).filter(|word| word != "--out" && !own.contains(word)).collect();
        let verdict = verdict.map_or(String::new(), |verdict| format!("; {verdict}"));
        format!("labrys {}, seed {}{verdict}", words.join(" "), self.seed)
    }
}

/// The folder of a training.
struct Folder<'a> {
    path: &'a Path,
    arguments: Map<String, Value>,
    resume: bool,
}

impl Folder<'_> {
    /// The folder, which is there and can be written to.
    fn open(arguments: &Arguments) -> anyhow::Result<Folder<'_>> {
        let path = &arguments.out;
        fs::create_dir_all(path).with_context(|| format!("--out {}", path.display()))?;
        crate::files::check_writable(&path.join(CHECKPOINT))
            .with_context(|| format!("--out {}", path.display()))?;
        Ok(Folder { path, arguments: arguments.lasting()?, resume: arguments.resume })
    }

    /// The training that lies there, if it is to go on.
    fn read(&self) -> anyhow::Result<Option<State>> {
        let path = self.path.join(CHECKPOINT);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.with_context(|| path.display().to_string())?,
        };
        ensure!(self.resume, "{}: a training lies there: --resume goes on with it", path.display());
        let checkpoint: Checkpoint =
            serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        ensure!(
            checkpoint.version == VERSION,
            "{}: version {}, expected {VERSION}",
            path.display(),
            checkpoint.version
        );
        for (name, value) in &self.arguments {
            let theirs = checkpoint.arguments.get(name).unwrap_or(&Value::Null);
            let flag = name.replace('_', "-");
            ensure!(
                value == theirs,
                "--{flag}: {value}, but the training in {} has {theirs}",
                self.path.display()
            );
        }
        Ok(Some(checkpoint.state.into_owned()))
    }

    /// Writes everything down. The checkpoint comes first: the rest can be made from it.
    fn write(&self, state: &State, names: &[&str], rivals: &[String]) -> anyhow::Result<()> {
        let arguments = Cow::Borrowed(&self.arguments);
        let checkpoint = Checkpoint { version: VERSION, arguments, state: Cow::Borrowed(state) };
        self.put(CHECKPOINT, &serde_json::to_string(&checkpoint)?)?;
        self.put(CURVE, &curve::table(state, names, rivals))?;
        for (name, picture) in curve::pictures(state, names, rivals)? {
            self.put(name, &picture)?;
        }
        Ok(())
    }

    fn put(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.path.join(name);
        write_atomically(&path, text).with_context(|| path.display().to_string())
    }
}
