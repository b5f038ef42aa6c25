//! The errors of settings and of runs.

use std::path::PathBuf;

use thiserror::Error;

use super::SamplesError;
use crate::run_folder::RunError;
use labrys_core::nets::{NetError, NetProblem, SizeError};
use labrys_support::shard::ShardError;

/// Invalid settings.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// The text is not valid TOML, or has unknown or missing keys.
    #[error("{0}")]
    Toml(String),
    /// A value is invalid.
    #[error("line {line}: {key}: {problem}")]
    Value {
        /// The line, from 1.
        line: usize,
        /// The full name of the value.
        key: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The architecture of the paper has no blocks.
    #[error("net.blocks: a net of the architecture `paper` has no blocks")]
    Blocks,
    /// A size of the net is out of its range.
    #[error("net: {0}")]
    Size(SizeError),
}

// Their messages are part of the error's own message, so they are not its source.
impl From<SizeError> for SettingsError {
    fn from(error: SizeError) -> SettingsError {
        SettingsError::Size(error)
    }
}

/// Why a run cannot start or continue. Complete generations are kept.
#[derive(Debug, Error)]
pub enum ZeroError {
    /// A setting is invalid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The state is invalid, or a file or folder cannot be created, written or removed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A net or trainer is invalid or cannot be written.
    #[error(transparent)]
    Net(#[from] NetError),
    /// Samples are invalid or cannot be written.
    #[error(transparent)]
    Samples(#[from] SamplesError),
    /// A net has another architecture or other planes than the settings.
    #[error("net file `{}`: not a net of the architecture and planes in the settings", .path.display())]
    Architecture {
        /// The file.
        path: PathBuf,
    },
    /// A training step failed.
    #[error("generation {generation}, step {step} of training: {problem}; the nets before are kept")]
    Step {
        /// The generation, from 1.
        generation: u32,
        /// The step, from 1.
        step: u64,
        /// What is wrong with the values.
        problem: NetProblem,
    },
    /// A shard does not exist.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The threads of training cannot be started.
    #[error("no threads for training: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Self-play has produced no positions.
    #[error("generation {generation}: all games ended in their random openings")]
    NoPositions {
        /// The generation, from 1.
        generation: u32,
    },
    /// The settings cannot be stored in the state.
    #[error("settings: {0}")]
    Json(#[from] serde_json::Error),
}
