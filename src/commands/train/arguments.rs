//! The arguments of `labrys train`, and what they say of the training.

use std::path::PathBuf;

use anyhow::{bail, ensure};
use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::arena::{Rules, parse_option};
use crate::commands::{RulesArguments, parse_fraction, parse_non_negative};
use crate::learn::selfplay::SearchLimit;
use crate::learn::{
    Decay, Exploration, Learner, LeastSquares, ObservationSettings, ObservedPosition, TemporalDifference,
    TrainingSettings,
};

/// The word for the learner at the start, among opponents and rivals.
pub(super) const START: &str = "start";

/// Learns the weights of an evaluation from games that it plays itself.
#[derive(Debug, clap::Args, Serialize)]
pub(in crate::commands) struct Arguments {
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
    /// How to learn
    #[arg(long, value_enum, default_value_t = Method::Lstd)]
    pub(super) learner: Method,
    /// Weights to begin with: default (the shipped ones), zeros, ones, or a file
    #[arg(long, value_name = "WEIGHTS", default_value = "default")]
    pub(super) weights: String,
    /// Who plays against the learner: clone (itself, some time ago), start (itself at the start), or weights
    /// as for --weights
    #[arg(long, value_name = "WHO", default_value = "clone")]
    pub(super) opponent: String,
    /// Options of the learner's engine
    #[arg(long, num_args = 1.., value_name = "NAME=VALUE", value_parser = parse_option)]
    pub(super) search: Vec<(String, String)>,
    /// Options of the opponent's engine [default: those of --search]
    #[arg(long, num_args = 1.., value_name = "NAME=VALUE", value_parser = parse_option)]
    pub(super) opponent_search: Vec<(String, String)>,
    /// Plies that a move is thought ahead [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "nodes")]
    pub(super) depth: Option<u32>,
    /// Nodes that a move is thought about
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,
    /// Plies that the opponent thinks ahead [default: as the learner]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "opponent_nodes")]
    pub(super) opponent_depth: Option<u32>,
    /// Nodes that the opponent thinks about
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) opponent_nodes: Option<u64>,
    /// Games to learn from
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) games: u64,
    /// Games that are played with the same weights, before the learner learns from them
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) round: u64,
    /// What all that is left to chance depends on
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Games at a time; the result does not depend on it [default: as many as the machine has cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    #[serde(skip)]
    pub(super) threads: Option<u16>,
    /// Learning rate α of td and td-leaf [default: 0.001]
    #[arg(long, value_parser = parse_non_negative)]
    pub(super) rate: Option<f64>,
    /// How the rate falls [default: falling]
    #[arg(long, value_enum)]
    pub(super) decay: Option<RateDecay>,
    /// Trace decay λ
    #[arg(long, default_value_t = 0.0, value_parser = parse_fraction)]
    pub(super) lambda: f64,
    /// Discount γ; with 1 and predicted positions nothing holds the level of the values
    #[arg(long, default_value_t = 0.95, value_parser = parse_fraction)]
    pub(super) discount: f64,
    /// What a win is worth in the evaluation's unit; a loss is worth as much less than nothing
    #[arg(long, default_value_t = 10.0, value_parser = parse_non_negative)]
    pub(super) reward: f64,
    /// Squash values into the range of the reward: r tanh(w·φ / r)
    #[arg(long)]
    pub(super) squash: bool,
    /// What is left of the past after each solution of lstd, μ [default: 0.95]
    #[arg(long, value_parser = parse_fraction)]
    pub(super) window: Option<f64>,
    /// How firmly lstd holds weights of which the games say little, κ [default: 0.001]
    #[arg(long, value_parser = parse_non_negative)]
    pub(super) ridge: Option<f64>,
    /// Moves learned from between two solutions of lstd, and between two points of the curve
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) period: u64,
    /// The next position: the predicted one, after the reply that the search expects, or the real one
    /// [default: predicted; real for td-leaf and lstd-leaf]
    #[arg(long, value_enum)]
    pub(super) successor: Option<Successor>,
    /// Learn from what the opponent sees, too, where it is a clone
    #[arg(long)]
    pub(super) both: bool,
    /// How likely the opponent plays any move at the beginning …
    #[arg(long, default_value_t = 0.9, value_parser = parse_fraction)]
    pub(super) exploration: f64,
    /// … and at the end of the training
    #[arg(long, default_value_t = 0.02, value_parser = parse_fraction)]
    pub(super) exploration_end: f64,
    /// The share of the games at which it is half way
    #[arg(long, default_value_t = 0.5, value_parser = parse_fraction)]
    pub(super) exploration_middle: f64,
    /// How steeply it falls there
    #[arg(long, default_value_t = 12.0, value_parser = parse_non_negative)]
    pub(super) exploration_steepness: f64,
    /// Random moves that a game begins with, at most
    #[arg(long, default_value_t = 4, value_name = "PLIES")]
    pub(super) opening_plies: usize,
    /// Games between two matches with the clone
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) clone_every: u64,
    /// Whom the learner is compared with, besides itself at the start: random, or weights as for --weights
    #[arg(long, num_args = 1.., value_name = "WHO")]
    pub(super) rival: Vec<String>,
    /// Games between two matches with each rival; 0: none
    #[arg(long, default_value_t = 1_000)]
    pub(super) compare_every: u64,
    /// Games of such a match
    #[arg(long, default_value_t = 100, value_parser = parse_even)]
    pub(super) compare_games: u64,
    /// Games of the match with the weights at the start at the end; 0: none
    #[arg(long, default_value_t = 400, value_parser = parse_even)]
    pub(super) judge_games: u64,
    /// The folder of the training; made if it is not there
    #[arg(long, value_name = "FOLDER")]
    #[serde(skip)]
    pub(super) out: PathBuf,
    /// Go on with the training in the folder
    #[arg(long)]
    #[serde(skip)]
    pub(super) resume: bool,
}

/// How to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Method {
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
    fn uses_leaves(self) -> bool {
        matches!(self, Method::TdLeaf | Method::LstdLeaf)
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

/// Reads an even number.
fn parse_even(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number: &u64| number.is_multiple_of(2));
    number.ok_or_else(|| "expected an even number".to_owned())
}

impl Arguments {
    /// Refuses what does not go together.
    pub(super) fn check(&self, rules: &Rules) -> anyhow::Result<()> {
        let solves = self.learner.solves();
        ensure!(!(solves && self.squash), "--squash: what lstd solves is linear");
        ensure!(!(solves && self.rate.is_some()), "--rate: lstd has none");
        ensure!(!(solves && self.decay.is_some()), "--decay: lstd has no rate");
        ensure!(solves || self.window.is_none(), "--window: only lstd has one");
        ensure!(solves || self.ridge.is_none(), "--ridge: only lstd has one");
        ensure!(
            !(self.learner.uses_leaves() && self.successor == Some(Successor::Predicted)),
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

    /// How the training goes.
    pub(super) fn settings(&self) -> TrainingSettings {
        TrainingSettings {
            games: self.games,
            round: self.round,
            seed: self.seed,
            rate: self.rate.unwrap_or(0.001),
            decay: match self.decay {
                Some(RateDecay::Constant) => Decay::Constant,
                Some(RateDecay::Inverse) => Decay::Inverse,
                Some(RateDecay::Falling) | None => Decay::Linear,
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
                predicted: !self.learner.uses_leaves() && self.successor != Some(Successor::Real),
                reward: self.reward,
            },
            period: self.period,
            clone_every: (self.opponent == "clone").then_some(self.clone_every),
            compare_every: Some(self.compare_every).filter(|&games| games > 0),
            compare_games: self.compare_games,
        }
    }

    /// A learner of so many weights that has learned nothing.
    pub(super) fn new_learner(&self, features: usize) -> Learner {
        if self.learner.solves() {
            let (window, ridge) = (self.window.unwrap_or(0.95), self.ridge.unwrap_or(1e-3));
            Learner::Lstd(LeastSquares::new(features, self.discount, self.lambda, window, ridge))
        } else {
            let range = self.squash.then_some(self.reward);
            Learner::Td(TemporalDifference::new(self.discount, self.lambda, range))
        }
    }

    /// How long the learner and the opponent think.
    pub(super) fn limits(&self) -> [SearchLimit; 2] {
        let own = match self.nodes {
            Some(nodes) => SearchLimit::Nodes(nodes),
            None => SearchLimit::Depth(self.depth.unwrap_or(2)),
        };
        let opponent = match (self.opponent_nodes, self.opponent_depth) {
            (Some(nodes), _) => SearchLimit::Nodes(nodes),
            (None, Some(depth)) => SearchLimit::Depth(depth),
            (None, None) => own,
        };
        [own, opponent]
    }

    /// The names of those whom the learner is compared with.
    pub(super) fn rivals(&self) -> Vec<String> {
        std::iter::once(START.to_owned()).chain(self.rival.iter().cloned()).collect()
    }

    /// The arguments that the result depends on.
    pub(super) fn result_arguments(&self) -> anyhow::Result<Map<String, Value>> {
        match serde_json::to_value(self)? {
            Value::Object(arguments) => Ok(arguments),
            _ => bail!("arguments are an object"),
        }
    }

    /// Where the weights come from: the command, without what the result does not depend on, and the match.
    pub(super) fn source(&self, verdict: Option<&str>) -> String {
        let own = [format!("--out={}", self.out.display()), self.out.display().to_string()];
        let words: Vec<_> =
            std::env::args().skip(1).filter(|word| word != "--out" && !own.contains(word)).collect();
        let verdict = verdict.map_or(String::new(), |verdict| format!("; {verdict}"));
        format!("labrys {}, seed {}{verdict}", words.join(" "), self.seed)
    }
}
