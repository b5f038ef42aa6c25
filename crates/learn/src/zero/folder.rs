//! The files of a run.
//!
//! Each generation has a folder: `net.safetensors`, the new net; `trainer.safetensors`, the same net with the
//! state of the optimiser; `samples.safetensors`, the positions of its games. The last two are removed when
//! they are no longer needed. The state, `state.json`, is written last: a generation that is not in the state
//! is incomplete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{ZeroError, ZeroState, curve};
use crate::run_folder::{RunError, RunFolder};
use labrys_support::files::Claim;

/// The name of the best net, which is written after the state.
pub(super) const BEST: &str = "best.safetensors";

/// The folder of a run.
pub(super) struct ZeroFolder {
    path: PathBuf,
    files: RunFolder<ZeroState>,
    /// Keeps other processes from writing to it.
    _claim: Claim,
}

impl ZeroFolder {
    /// Opens the folder, creating it if missing, and checks that it is writable. `settings` are those that
    /// the result depends on.
    pub(super) fn open(path: &Path, settings: Map<String, Value>) -> Result<ZeroFolder, ZeroError> {
        let files = RunFolder::open(path, settings);
        let files = files.map_err(|error| RunError::File { path: path.to_owned(), error })?;
        let claim = files.claim()?;
        Ok(ZeroFolder { path: path.to_owned(), files, _claim: claim })
    }

    /// Reads the state; `None` if there is none.
    pub(super) fn read(&self, resume: bool) -> Result<Option<ZeroState>, ZeroError> {
        Ok(self.files.read(resume)?)
    }

    /// Writes the state, then the curve and its charts, which are derived from it.
    pub(super) fn write(&self, state: &ZeroState) -> Result<(), ZeroError> {
        self.files.write(state)?;
        Ok(self.files.put_report(curve::report(state))?)
    }

    /// Creates the folder of a generation.
    pub(super) fn create(&self, generation: u32) -> Result<(), ZeroError> {
        let path = self.generation(generation);
        fs::create_dir_all(&path).map_err(|error| RunError::File { path, error }.into())
    }

    /// The net of a generation.
    pub(super) fn net(&self, generation: u32) -> PathBuf {
        self.generation(generation).join("net.safetensors")
    }

    /// The net of a generation with the state of the optimiser.
    pub(super) fn trainer(&self, generation: u32) -> PathBuf {
        self.generation(generation).join("trainer.safetensors")
    }

    /// The samples of a generation.
    pub(super) fn samples(&self, generation: u32) -> PathBuf {
        self.generation(generation).join("samples.safetensors")
    }

    /// The best net.
    pub(super) fn best(&self) -> PathBuf {
        self.path.join(BEST)
    }

    fn generation(&self, generation: u32) -> PathBuf {
        self.path.join(format!("generation-{generation:04}"))
    }

    /// Removes the trainers of all generations up to `last` except `trainer`, and the samples of the
    /// generations before `samples_from`.
    pub(super) fn clean(&self, last: u32, trainer: u32, samples_from: u32) -> Result<(), ZeroError> {
        let trainers = (0..=last).filter(|&generation| generation != trainer);
        let trainers = trainers.map(|generation| self.trainer(generation));
        let samples = (0..samples_from).map(|generation| self.samples(generation));
        for path in trainers.chain(samples) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(RunError::File { path, error }.into());
                }
                _ => (),
            }
        }
        Ok(())
    }
}
