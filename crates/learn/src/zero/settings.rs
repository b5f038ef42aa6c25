//! The settings of a run and their defaults.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use toml::Spanned;

use super::options::EngineOptions;
use crate::training::TrainingSettings;
use labrys_core::nets::Architecture;

/// The settings of a run. Only the names of the game and its option have no default.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZeroSettings {
    /// The game.
    pub variant: Spanned<String>,
    /// The game's own option, as `NAME=VALUE`.
    pub option: Option<Spanned<String>>,
    /// Seed of everything random.
    #[serde(default = "one")]
    pub seed: u64,
    /// Concurrent games; `None`: one for each core. The result does not depend on it.
    #[serde(skip_serializing)]
    pub threads: Option<NonZeroUsize>,
    /// Generations to run.
    #[serde(default = "hundred", skip_serializing)]
    pub generations: NonZeroU32,
    /// The net.
    #[serde(default)]
    pub net: NetSettings,
    /// Self-play.
    #[serde(default)]
    pub selfplay: SelfPlaySettings,
    /// The positions of a training step.
    #[serde(default)]
    pub training: ReplaySettings,
    /// Gradient descent.
    #[serde(default, deserialize_with = "checked")]
    pub learning: TrainingSettings,
    /// Play of nets in matches.
    #[serde(default, rename = "match")]
    pub matches: MatchSettings,
    /// The match of a new net against the best one.
    #[serde(default)]
    pub gate: GateSettings,
    /// The matches against fixed opponents.
    #[serde(default)]
    pub comparison: ComparisonSettings,
    /// The fixed opponents, besides the first net.
    #[serde(default)]
    pub rivals: Vec<RivalSettings>,
}

/// The kinds of nets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum NetKind {
    /// Four convolutions and two dense layers, as in the chess-zero paper
    Paper,
    /// A residual net
    #[default]
    Residual,
}

/// The architecture of a net and its input. Sizes that are not set have defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetSettings {
    /// The kind of net.
    pub architecture: NetKind,
    /// Channels of the convolutions; by default 64 in `paper` and 32 in `residual`.
    pub channels: Option<usize>,
    /// Units of each dense layer; by default 512 in `paper` and 64 in `residual`.
    pub dense: Option<usize>,
    /// Residual blocks of `residual`; by default 3.
    pub blocks: Option<usize>,
    /// The groups of planes of the input; by default all.
    pub planes: Option<Spanned<Vec<String>>>,
}

impl NetSettings {
    /// The layers.
    pub fn architecture(&self) -> Architecture {
        let NetSettings { architecture, channels, dense, blocks, planes: _ } = *self;
        match architecture {
            NetKind::Paper => {
                let units = dense.unwrap_or(512);
                Architecture::Paper { channels: channels.unwrap_or(64), dense: [units, units] }
            }
            NetKind::Residual => Architecture::Residual {
                channels: channels.unwrap_or(32),
                blocks: blocks.unwrap_or(3),
                hidden: dense.unwrap_or(64),
            },
        }
    }
}

/// Self-play: the games that the best net plays against itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfPlaySettings {
    /// Games per generation.
    pub games: NonZeroU32,
    /// Maximum length of the random opening in plies; the length is uniformly distributed from 0.
    pub opening_plies: u32,
    /// Plies after which a game is adjudicated: in favour of the leader, or drawn in games without points. The
    /// game's own limit applies as well.
    pub longest: NonZeroU32,
    /// Options of the engine.
    pub options: EngineOptions,
}

/// The positions that training learns from.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReplaySettings {
    /// Positions per step.
    pub batch: NonZeroUsize,
    /// Passes over the window per generation.
    pub epochs: NonZeroU32,
    /// Steps per generation, instead of epochs.
    pub steps: Option<NonZeroU64>,
    /// The window: the number of recent generations whose games are used.
    pub window: NonZeroU32,
    /// The window of the first generation; `None`: `window`.
    pub window_start: Option<NonZeroU32>,
    /// The number of generations after which the window grows by one.
    pub window_every: NonZeroU32,
    /// The number of symmetries by which positions are transformed at random; `None`: all of the game's, 1:
    /// only the identity.
    pub symmetries: Option<NonZeroUsize>,
    /// The weight of the search's value in the value target; the rest is the result of the game.
    pub root_share: Fraction,
}

/// Play of nets in matches.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatchSettings {
    /// Length of the random opening in plies. Each opening is played twice, with colours exchanged.
    pub opening_plies: usize,
    /// Options of the engine, in addition to those of self-play.
    pub options: EngineOptions,
}

/// The match of a new net against the best one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GateSettings {
    /// Whether the match is played; otherwise each new net becomes the best one.
    pub on: bool,
    /// Games of the match.
    pub games: Even,
    /// A new net has to win more than this fraction of the decided games.
    pub threshold: Fraction,
    /// Whether training continues from the best net after a net has failed, rather than from that net.
    pub revert: bool,
}

/// The matches of the best net against fixed opponents.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ComparisonSettings {
    /// The number of generations between comparisons; 0: none.
    pub every: u32,
    /// Games per match.
    pub games: Even,
    /// Whether the first net is one of the opponents.
    pub first_net: bool,
}

/// A fixed opponent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RivalSettings {
    /// Its name.
    pub name: Spanned<String>,
    /// Search depth of each move, in plies.
    pub depth: Option<NonZeroU32>,
    /// Nodes of each move.
    pub nodes: Option<NonZeroU64>,
    /// Options of the engine; the others have their defaults.
    #[serde(default)]
    pub options: EngineOptions,
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64")]
pub struct Fraction(pub f64);

impl TryFrom<f64> for Fraction {
    type Error = String;

    fn try_from(number: f64) -> Result<Fraction, String> {
        let is_good = (0.0..=1.0).contains(&number);
        is_good.then_some(Fraction(number)).ok_or_else(|| format!("{number} is not from 0 to 1"))
    }
}

/// An even number, 2 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64")]
pub struct Even(pub u64);

impl TryFrom<u64> for Even {
    type Error = String;

    fn try_from(number: u64) -> Result<Even, String> {
        let is_good = number > 0 && number.is_multiple_of(2);
        is_good.then_some(Even(number)).ok_or_else(|| format!("{number} is not an even number, 2 or more"))
    }
}

const fn number(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("not 0")
}

/// Deserializes the settings of gradient descent and checks their ranges.
fn checked<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TrainingSettings, D::Error> {
    let settings = TrainingSettings::deserialize(deserializer)?;
    settings.check().map(|()| settings).map_err(D::Error::custom)
}

fn one() -> u64 {
    1
}

fn hundred() -> NonZeroU32 {
    number(100)
}

impl Default for SelfPlaySettings {
    fn default() -> Self {
        SelfPlaySettings {
            games: number(40),
            opening_plies: 0,
            longest: number(300),
            options: EngineOptions::default(),
        }
    }
}

impl Default for ReplaySettings {
    fn default() -> Self {
        ReplaySettings {
            batch: NonZeroUsize::new(64).expect("not 0"),
            epochs: number(1),
            steps: None,
            window: number(10),
            window_start: None,
            window_every: number(1),
            symmetries: None,
            root_share: Fraction(0.0),
        }
    }
}

impl Default for MatchSettings {
    fn default() -> Self {
        MatchSettings { opening_plies: 4, options: EngineOptions::default() }
    }
}

impl Default for GateSettings {
    fn default() -> Self {
        GateSettings { on: true, games: Even(40), threshold: Fraction(0.55), revert: false }
    }
}

impl Default for ComparisonSettings {
    fn default() -> Self {
        ComparisonSettings { every: 0, games: Even(40), first_net: true }
    }
}
