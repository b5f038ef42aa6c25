//! The arguments of `labrys linear train`, and the settings that follow from them.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::arena::Rules;
use crate::commands::shared::checksum::with_content;
use crate::commands::shared::made_by::made_by;
use crate::commands::shared::steps::StepArguments;
use crate::commands::shared::suggest;
use crate::commands::shared::values::{even, fraction, non_negative, whole};
use crate::commands::shared::{RulesArguments, command_line};
use crate::learn::play::SearchLimit;
use crate::learn::{
    Decay, Exploration, Learner, LeastSquares, ObservationSettings, ObservedPosition, TemporalDifference,
    TrainingSettings,
};

/// The name of the learner with its initial weights, as opponent and rival.
pub(super) const START: &str = "start";

/// The search depth without `--depth` and `--nodes`, in plies.
const DEPTH: u32 = 2;

/// The learning rate without `--rate`.
const RATE: f64 = 0.001;

/// How it decays without `--decay`.
const DECAY: RateDecay = RateDecay::Falling;

/// The window of LSTD without `--window`.
const WINDOW: f64 = 0.95;

/// The ridge of LSTD without `--ridge`.
const RIDGE: f64 = 1e-3;

/// Learns the weights of a linear evaluation by self-play, with TD(λ) or LSTD(λ).
#[derive(Debug, clap::Args, Serialize)]
pub(in crate::commands) struct LinearTrainArguments {
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) rules: RulesArguments,
    /// A TOML file with any of these arguments
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub(super) config: Option<PathBuf>,
    /// The feature set [default: the first of the game]
    #[arg(long)]
    pub(super) set: Option<String>,
    /// Learning algorithm
    #[arg(long, value_enum, default_value_t = LearningMethod::Lstd)]
    pub(super) learner: LearningMethod,
    /// Initial weights: default (the shipped weights), zeros, ones, or a file
    #[arg(long, value_name = "WEIGHTS", default_value = "default")]
    pub(super) weights: String,
    /// Opponent: clone (a copy of the learner, replaced when the learner beats it), start (the learner with
    /// its initial weights), or weights as for --weights
    #[arg(long, value_name = "WHO", default_value = "clone")]
    pub(super) opponent: String,
    /// Engine options of the learner
    #[arg(long, num_args = 1.., value_name = "NAME=VALUE", hide_possible_values = true, value_parser = suggest::option())]
    pub(super) search: Vec<(String, String)>,
    /// Engine options of the opponent [default: those of --search]
    #[arg(long, num_args = 1.., value_name = "NAME=VALUE", hide_possible_values = true, value_parser = suggest::option())]
    pub(super) opponent_search: Vec<(String, String)>,
    /// Search depth of each move, in plies [default: 2]
    #[arg(long, value_parser = whole::<u32>(1..), conflicts_with = "nodes")]
    pub(super) depth: Option<u32>,
    /// Nodes to search for each move
    #[arg(long, value_parser = whole::<u64>(1..))]
    pub(super) nodes: Option<u64>,
    /// Search depth of the opponent, in plies [default: as the learner]
    #[arg(long, value_parser = whole::<u32>(1..), conflicts_with = "opponent_nodes")]
    pub(super) opponent_depth: Option<u32>,
    /// Nodes that the opponent searches for each move
    #[arg(long, value_parser = whole::<u64>(1..))]
    pub(super) opponent_nodes: Option<u64>,
    /// Number of training games
    #[arg(long, default_value_t = 20_000, value_parser = whole::<u64>(1..))]
    pub(super) games: u64,
    /// Games per round; all games of a round are played with the same weights, then learned from
    #[arg(long, default_value_t = 10, value_parser = whole::<u64>(1..))]
    pub(super) round: u64,
    /// Seed of everything random
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(..))]
    pub(super) seed: u64,
    /// Number of concurrent games; the result does not depend on it [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..))]
    #[serde(skip)]
    pub(super) threads: Option<u16>,
    /// Initial learning rate α of td and td-leaf [default: 0.001]
    #[arg(long, value_parser = non_negative)]
    pub(super) rate: Option<f64>,
    /// Decay of the learning rate [default: falling]
    #[arg(long, value_enum)]
    pub(super) decay: Option<RateDecay>,
    /// Trace decay λ
    #[arg(long, default_value_t = 0.0, value_parser = fraction)]
    pub(super) lambda: f64,
    /// Discount γ; with γ = 1 and predicted successors the mean of the values is not determined
    #[arg(long, default_value_t = 0.95, value_parser = fraction)]
    pub(super) discount: f64,
    /// Reward of a win, in units of the evaluation; the reward of a loss is its negative
    #[arg(long, default_value_t = 10.0, value_parser = non_negative)]
    pub(super) reward: f64,
    /// Squash values into the range of the reward: r tanh(w·φ / r)
    #[arg(long)]
    pub(super) squash: bool,
    /// Window μ of lstd: factor of the older data after each period [default: 0.95]
    #[arg(long, value_parser = fraction)]
    pub(super) window: Option<f64>,
    /// Ridge κ of lstd: strength of the regularization towards the previous weights [default: 0.001]
    #[arg(long, value_parser = non_negative)]
    pub(super) ridge: Option<f64>,
    /// Steps (moves learned from) per period: lstd solves and the curve gets a point after each period
    #[arg(long, default_value_t = 1_000, value_parser = whole::<u64>(1..))]
    pub(super) period: u64,
    /// Successor position: predicted (after the reply that the search expects) or real (of the next own move)
    /// [default: predicted; real for td-leaf and lstd-leaf]
    #[arg(long, value_enum)]
    pub(super) successor: Option<Successor>,
    /// Learn from the observations of the opponent too; requires a clone
    #[arg(long)]
    pub(super) both: bool,
    /// Exploration rate at the start: probability of a random move of the opponent
    #[arg(long, default_value_t = 0.9, value_parser = fraction)]
    pub(super) exploration: f64,
    /// Exploration rate at the end of the training
    #[arg(long, default_value_t = 0.02, value_parser = fraction)]
    pub(super) exploration_end: f64,
    /// Fraction of the games at which the exploration rate is halfway between start and end
    #[arg(long, default_value_t = 0.5, value_parser = fraction)]
    pub(super) exploration_middle: f64,
    /// Steepness of the exploration rate at that point
    #[arg(long, default_value_t = 12.0, value_parser = non_negative)]
    pub(super) exploration_steepness: f64,
    /// Maximum length of the random opening, in plies
    #[arg(long, default_value_t = 4, value_name = "PLIES", value_parser = whole::<usize>(..))]
    pub(super) opening_plies: usize,
    /// Games between cloning matches of two games; the learner becomes the new opponent if it wins both
    #[arg(long, default_value_t = 50, value_parser = whole::<u64>(1..))]
    pub(super) clone_every: u64,
    /// Fixed opponents of comparison matches, besides start: random, or weights as for --weights
    #[arg(long, num_args = 1.., value_name = "WHO")]
    pub(super) rival: Vec<String>,
    /// Games between comparison matches against each rival; 0 disables them
    #[arg(long, default_value_t = 1_000, value_parser = whole::<u64>(..))]
    pub(super) compare_every: u64,
    /// Games per comparison match
    #[arg(long, default_value_t = 100, value_parser = even)]
    pub(super) compare_games: u64,
    /// Games of the final match against the initial weights; 0 disables it
    #[arg(long, default_value_t = 400, value_parser = even)]
    pub(super) judge_games: u64,
    /// Folder of the training, created if missing
    #[arg(long, value_name = "FOLDER")]
    #[serde(skip)]
    pub(super) out: PathBuf,
    /// Continue the training in the folder
    #[arg(long)]
    #[serde(skip)]
    pub(super) resume: bool,
    #[command(flatten)]
    #[serde(skip)]
    pub(super) step: StepArguments,
}

/// A learning algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LearningMethod {
    /// TD(λ) on the root positions
    Td,
    /// TD-leaf(λ): TD(λ) on the leaves of the principal variations
    TdLeaf,
    /// LSTD(λ) with exponential windowing, on the root positions
    Lstd,
    /// LSTD(λ) with exponential windowing, on the leaves of the principal variations
    LstdLeaf,
}

impl LearningMethod {
    /// Whether it is a least-squares method, which solves for the weights.
    fn is_lstd(self) -> bool {
        matches!(self, LearningMethod::Lstd | LearningMethod::LstdLeaf)
    }

    /// Whether it observes the leaves of principal variations.
    fn uses_leaves(self) -> bool {
        matches!(self, LearningMethod::TdLeaf | LearningMethod::LstdLeaf)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RateDecay {
    Constant,
    Inverse,
    Falling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Successor {
    Predicted,
    Real,
}

impl LinearTrainArguments {
    /// Checks that the arguments are consistent.
    pub(super) fn check(&self, rules: &Rules) -> anyhow::Result<()> {
        let is_lstd = self.learner.is_lstd();
        ensure!(!(is_lstd && self.squash), "--squash: lstd needs linear values");
        ensure!(!(is_lstd && self.rate.is_some()), "--rate: lstd has no learning rate");
        ensure!(!(is_lstd && self.decay.is_some()), "--decay: lstd has no learning rate");
        ensure!(is_lstd || self.window.is_none(), "--window: only lstd has a window");
        ensure!(is_lstd || self.ridge.is_none(), "--ridge: only lstd has a ridge");
        ensure!(
            !(self.learner.uses_leaves() && self.successor == Some(Successor::Predicted)),
            "--successor: td-leaf and lstd-leaf need `real`"
        );
        ensure!(!self.both || self.opponent == "clone", "--both: the opponent has to be a clone");
        ensure!(self.reward > 0.0, "--reward: expected more than 0");
        let rivals = self.rivals();
        for (index, rival) in rivals.iter().enumerate() {
            ensure!(!rivals[..index].contains(rival), "--rival {rival}: a rival already");
        }
        let lists = [("--search", &self.search), ("--opponent-search", &self.opponent_search)];
        for (argument, options) in lists {
            for (name, _) in options {
                let own = [("FeatureSet", "--set"), ("WeightsFile", "--weights")];
                if let Some((_, flag)) = own.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
                    bail!("{argument}: {name}: use {flag} instead");
                }
                ensure!(!rules.is_own_option(name), "{argument}: {name}: use --option instead");
            }
        }
        Ok(())
    }

    /// The settings of the training.
    pub(super) fn settings(&self) -> TrainingSettings {
        TrainingSettings {
            games: self.games,
            round: self.round,
            seed: self.seed,
            rate: self.rate.unwrap_or(RATE),
            decay: match self.decay.unwrap_or(DECAY) {
                RateDecay::Constant => Decay::Constant,
                RateDecay::Inverse => Decay::Inverse,
                RateDecay::Falling => Decay::Linear,
            },
            exploration: Exploration {
                start: self.exploration,
                end: self.exploration_end,
                midpoint: self.exploration_middle,
                steepness: self.exploration_steepness,
            },
            opening_plies: self.opening_plies,
            observation: ObservationSettings {
                both: self.both,
                position: match self.learner.uses_leaves() {
                    true => ObservedPosition::Leaf,
                    false => ObservedPosition::Root,
                },
                predicted: self.successor() == Successor::Predicted,
                reward: self.reward,
            },
            period: self.period,
            clone_every: (self.opponent == "clone").then_some(self.clone_every),
            compare_every: Some(self.compare_every).filter(|&games| games > 0 && self.compare_games > 0),
            compare_games: self.compare_games,
        }
    }

    /// A new learner of `features` weights.
    pub(super) fn new_learner(&self, features: usize) -> Learner {
        if self.learner.is_lstd() {
            let (window, ridge) = (self.window.unwrap_or(WINDOW), self.ridge.unwrap_or(RIDGE));
            Learner::Lstd(LeastSquares::new(features, self.discount, self.lambda, window, ridge))
        } else {
            let range = self.squash.then_some(self.reward);
            Learner::Td(TemporalDifference::new(self.discount, self.lambda, range))
        }
    }

    /// The position after a move that the learner looks at.
    fn successor(&self) -> Successor {
        let own = if self.learner.uses_leaves() { Successor::Real } else { Successor::Predicted };
        self.successor.unwrap_or(own)
    }

    /// The search limits of the learner and of the opponent.
    pub(super) fn limits(&self) -> [SearchLimit; 2] {
        let own = match self.nodes {
            Some(nodes) => SearchLimit::Nodes(nodes),
            None => SearchLimit::Depth(self.depth.unwrap_or(DEPTH)),
        };
        let opponent = match (self.opponent_nodes, self.opponent_depth) {
            (Some(nodes), _) => SearchLimit::Nodes(nodes),
            (None, Some(depth)) => SearchLimit::Depth(depth),
            (None, None) => own,
        };
        [own, opponent]
    }

    /// The names of the rivals.
    pub(super) fn rivals(&self) -> Vec<String> {
        std::iter::once(START.to_owned()).chain(self.rival.iter().cloned()).collect()
    }

    /// The arguments that the result depends on, with the values of those that were not given and the checksums
    /// of files that they name, for a training of the feature set `set`. `null` is what the method does not
    /// have.
    pub(super) fn result_arguments(&self, set: &str) -> anyhow::Result<Map<String, Value>> {
        let Value::Object(mut arguments) = serde_json::to_value(self)? else {
            bail!("arguments are an object")
        };
        let is_lstd = self.learner.is_lstd();
        let depth = self.depth.or(self.nodes.is_none().then_some(DEPTH));
        let is_as_own = self.opponent_depth.is_none() && self.opponent_nodes.is_none();
        let values = [
            ("set", json!(set)),
            ("depth", json!(depth)),
            ("opponent_depth", json!(depth.filter(|_| is_as_own))),
            ("opponent_nodes", json!(self.nodes.filter(|_| is_as_own))),
            ("rate", json!((!is_lstd).then_some(RATE))),
            ("decay", json!((!is_lstd).then_some(DECAY))),
            ("window", json!(is_lstd.then_some(WINDOW))),
            ("ridge", json!(is_lstd.then_some(RIDGE))),
            ("successor", json!(self.successor())),
        ];
        // Not of `weights`: they are in the state of the training.
        for name in ["opponent", "rival", "search", "opponent_search"] {
            if let Some(value) = arguments.get_mut(name) {
                add_contents(value).with_context(|| format!("--{}", name.replace('_', "-")))?;
            }
        }
        for (name, value) in values {
            arguments.entry(name).and_modify(|given| {
                if given.is_null() {
                    *given = value;
                }
            });
        }
        Ok(arguments)
    }

    /// The `source` entry of the weights file: the command line, except the arguments that do not influence the
    /// result, the result of the final match, and the whole configuration.
    pub(super) fn source(
        &self,
        configuration: &Map<String, Value>,
        result: Option<&str>,
    ) -> anyhow::Result<String> {
        let (mut words, mut is_left_out) = (Vec::new(), false);
        for word in command_line() {
            if let Some(flag) = word.split('=').next().filter(|flag| flag.starts_with("--")) {
                is_left_out = ["--out", "--resume", "--parts"].contains(&flag);
            }
            if !is_left_out {
                words.push(word);
            }
        }
        let result = result.map_or(String::new(), |result| format!("; {result}"));
        let made_by = made_by(configuration)?;
        Ok(format!("labrys {}, seed {}{result}; {made_by}", words.join(" "), self.seed))
    }
}

/// Adds the content of files to the texts of a value that name one.
fn add_contents(value: &mut Value) -> anyhow::Result<()> {
    match value {
        Value::String(text) => *text = with_content(text, Path::new(""))?,
        Value::Array(values) => values.iter_mut().try_for_each(add_contents)?,
        _ => {}
    }
    Ok(())
}
