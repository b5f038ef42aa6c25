//! Why there are no settings, or why a run ends.

use std::path::PathBuf;

use thiserror::Error;

use super::SamplesError;
use crate::run_folder::RunError;
use labrys_core::nets::{NetError, NetProblem, SizeError};
use labrys_support::shard::ShardError;

/// Settings that are refused.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// The text is not as it should be.
    #[error("{}", .0.trim_end())]
    Toml(String),
    /// A value is refused.
    #[error("line {line}: {key}: {problem}")]
    Value {
        /// The line, from 1.
        line: usize,
        /// The full name of the value.
        key: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The paper's net does not have what is asked for.
    #[error("net.blocks: a net of the architecture `paper` has no blocks")]
    Blocks,
    /// A size of the net is out of its range.
    #[error("net: {0}")]
    Size(SizeError),
}

// Both are said in full by the error itself, and so are no source of it.
impl From<toml::de::Error> for SettingsError {
    fn from(error: toml::de::Error) -> SettingsError {
        SettingsError::Toml(error.to_string())
    }
}

impl From<SizeError> for SettingsError {
    fn from(error: SizeError) -> SettingsError {
        SettingsError::Size(error)
    }
}

/// Why a run cannot begin or go on. What was complete before is still there.
#[derive(Debug, Error)]
pub enum ZeroError {
    /// A setting is refused.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The state is refused, or a file or folder cannot be made, written or removed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A net or a trainer is refused or cannot be written.
    #[error(transparent)]
    Net(#[from] NetError),
    /// Samples are refused or cannot be written.
    #[error(transparent)]
    Samples(#[from] SamplesError),
    /// A net has another architecture than the settings.
    #[error("net file `{}`: not a net of the architecture in the settings", .path.display())]
    Architecture {
        /// The file.
        path: PathBuf,
    },
    /// A step of training has failed.
    #[error("generation {generation}, step {step} of training: {problem}; the nets before are kept")]
    Step {
        /// The generation, from 1.
        generation: u32,
        /// The step, from 1.
        step: u64,
        /// What has become of the numbers.
        problem: NetProblem,
    },
    /// A shard does not exist.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// There are no threads to train on.
    #[error("no threads for training: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Self-play has made nothing to learn from.
    #[error("generation {generation}: all games ended in their random openings")]
    NoPositions {
        /// The generation, from 1.
        generation: u32,
    },
    /// The settings cannot be written to the state.
    #[error("settings: {0}")]
    Json(#[from] serde_json::Error),
}
