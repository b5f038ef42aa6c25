//! The state of a run: the results of each generation.

use serde::{Deserialize, Serialize};

use super::folder::BEST;
use super::{MeanLoss, SelfPlayResult, Variety};
use crate::run_folder::{JsonState, RunState};
use labrys_support::elo::Pairs;

/// The state of a run. Nets, trainers and samples are in files of their own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZeroState {
    /// The generation of the best net; 0: the initial random net.
    pub best: u32,
    /// The complete generations, from the first one.
    pub generations: Vec<Generation>,
}

/// The results of a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    /// The results of the self-play games.
    pub selfplay: SelfPlayResult,
    /// Positions of these games.
    pub positions: u64,
    /// How much the games vary; states of earlier versions do not have it.
    #[serde(default)]
    pub variety: Option<Variety>,
    /// Positions of all games in the window.
    pub window: u64,
    /// The training steps and their mean losses.
    pub loss: MeanLoss,
    /// The match of the new net against the best one, if it was played.
    pub gate: Option<Pairs>,
    /// Whether the new net became the best one.
    pub is_accepted: bool,
    /// Matches of the best net against the fixed opponents, by their names.
    pub comparisons: Vec<(String, Pairs)>,
}

impl ZeroState {
    /// The number of complete generations.
    pub fn done(&self) -> u32 {
        self.generations.len() as u32
    }
}

impl RunState for ZeroState {
    const FILE: &'static str = "state.json";
    const RESULTS: &'static [&'static str] = &["generation-0001", BEST];

    fn argument(name: &str) -> String {
        name.to_owned()
    }
}

impl JsonState for ZeroState {
    const VERSION: u32 = 1;
}
