//! The state of a run: what is known of each generation.

use serde::{Deserialize, Serialize};

use super::{MeanLoss, SelfPlayResult};
use crate::run_folder::{JsonState, RunState};
use labrys_support::elo::Pairs;

/// The state of a run. Nets, trainers and samples are in files of their own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZeroState {
    /// The generation of the best net; 0: the random net at the start.
    pub best: u32,
    /// The generations that are complete, from the first one on.
    pub generations: Vec<Generation>,
}

/// What is known of a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    /// The games of self-play.
    pub selfplay: SelfPlayResult,
    /// Positions of these games.
    pub positions: u64,
    /// Positions of all games in the window.
    pub window: u64,
    /// Steps of training and their losses.
    pub loss: MeanLoss,
    /// The match of the new net with the best one, if there was one.
    pub gate: Option<Pairs>,
    /// Whether the new net became the best one.
    pub is_accepted: bool,
    /// Matches of the best net with the fixed opponents, by their names.
    pub comparisons: Vec<(String, Pairs)>,
}

impl ZeroState {
    /// The number of generations that are complete.
    pub fn done(&self) -> u32 {
        self.generations.len() as u32
    }
}

impl RunState for ZeroState {
    const FILE: &'static str = "state.json";

    fn argument(name: &str) -> String {
        name.to_owned()
    }
}

impl JsonState for ZeroState {
    const VERSION: u32 = 1;
}
