//! A training on disk: a folder with the checkpoint and what else there is to keep, such as the learning
//! curve and its charts, and the learned weights.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{TrainingState, curve};
use labrys_core::eval::Weights;
use labrys_support::chart::ChartError;
use labrys_support::files::{Claim, check_writable, create_folder, write_atomically};

/// File names in the folder of a training.
const WEIGHTS: &str = "weights.json";
const CURVE: &str = "curve.csv";

/// Why a training cannot be read or written.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// A file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The folder contains a training, but `--resume` was not given.
    #[error("{} already exists; use --resume to continue the training", .path.display())]
    Exists {
        /// The checkpoint.
        path: PathBuf,
    },
    /// The checkpoint cannot be parsed.
    #[error("{}: {error}", .path.display())]
    Format {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong, with line and column.
        error: serde_json::Error,
    },
    /// The checkpoint has another format version.
    #[error("{}: version {found}, expected {expected}", .path.display())]
    Version {
        /// The checkpoint.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that is known.
        expected: u32,
    },
    /// The checkpoint has changed since it was written.
    #[error("{}: damaged: checksum {found}, expected {expected}", .path.display())]
    Checksum {
        /// The checkpoint.
        path: PathBuf,
        /// The checksum of its content.
        found: String,
        /// The checksum that it names.
        expected: String,
    },
    /// The training was started with another value of an argument.
    #[error("{argument}: {ours}, but the training in {} has {theirs}", .folder.display())]
    Argument {
        /// The folder.
        folder: PathBuf,
        /// The argument.
        argument: String,
        /// Its value now.
        ours: Value,
        /// Its value in the checkpoint.
        theirs: Value,
    },
    /// A chart cannot be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
}

/// The state of a training, which a checkpoint holds.
pub trait Checkpointed: Serialize + DeserializeOwned {
    /// Version of the format.
    const VERSION: u32;

    /// The name of the file.
    const FILE: &'static str;

    /// An argument as errors name it.
    fn argument(name: &str) -> String {
        name.to_owned()
    }
}

impl Checkpointed for TrainingState {
    const VERSION: u32 = 3;

    const FILE: &'static str = "checkpoint.json";

    fn argument(name: &str) -> String {
        format!("--{}", name.replace('_', "-"))
    }
}

/// The content of the checkpoint file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint {
    version: u32,
    /// The arguments that the result of the training depends on.
    arguments: Box<RawValue>,
    state: Box<RawValue>,
    /// The checksum of the text of both.
    #[serde(default)]
    crc32: String,
}

impl Checkpoint {
    fn checksum(&self) -> String {
        let text = [self.arguments.get(), self.state.get()].concat();
        format!("{:08x}", crc32fast::hash(text.as_bytes()))
    }
}

/// The folder of a training with the state `S`.
pub struct TrainingFolder<S> {
    path: PathBuf,
    arguments: Map<String, Value>,
    state: PhantomData<fn() -> S>,
}

impl<S: Checkpointed> TrainingFolder<S> {
    /// Opens the folder at `path`, creating it if missing, and checks that it is writable. `arguments` are
    /// those that the result of the training depends on.
    ///
    /// # Errors
    /// Any error of the operating system.
    pub fn open(path: &Path, arguments: Map<String, Value>) -> io::Result<TrainingFolder<S>> {
        create_folder(path)?;
        check_writable(&path.join(S::FILE))?;
        Ok(TrainingFolder { path: path.to_owned(), arguments, state: PhantomData })
    }

    /// The right to go on with the training, before it is read.
    ///
    /// # Errors
    /// [`CheckpointError::File`]: another process has it.
    pub fn claim(&self) -> Result<Claim, CheckpointError> {
        Claim::folder(&self.path).map_err(|error| CheckpointError::File { path: self.path.clone(), error })
    }

    /// Reads the training in the folder; `None` if there is none.
    ///
    /// # Errors
    /// [`CheckpointError`] names the file, or the argument whose value differs from that of the training. A
    /// training in the folder is an error unless `resume` is set.
    pub fn read(&self, resume: bool) -> Result<Option<S>, CheckpointError> {
        let path = self.path.join(S::FILE);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CheckpointError::File { path, error }),
            Ok(_) if !resume => return Err(CheckpointError::Exists { path }),
            Ok(text) => text,
        };
        let format = |error| CheckpointError::Format { path: path.clone(), error };
        let checkpoint: Checkpoint = serde_json::from_str(&text).map_err(format)?;
        if checkpoint.version != S::VERSION {
            return Err(CheckpointError::Version { path, found: checkpoint.version, expected: S::VERSION });
        }
        let found = checkpoint.checksum();
        if found != checkpoint.crc32 {
            return Err(CheckpointError::Checksum { path, found, expected: checkpoint.crc32 });
        }
        let arguments: Map<_, _> = serde_json::from_str(checkpoint.arguments.get()).map_err(format)?;
        for name in self.arguments.keys().chain(arguments.keys()) {
            let [ours, theirs] =
                [&self.arguments, &arguments].map(|all| all.get(name).cloned().unwrap_or(Value::Null));
            if ours != theirs {
                let (folder, argument) = (self.path.clone(), S::argument(name));
                return Err(CheckpointError::Argument { folder, argument, ours, theirs });
            }
        }
        serde_json::from_str(checkpoint.state.get()).map(Some).map_err(format)
    }

    /// Writes the checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError`] names the file.
    pub fn write_state(&self, state: &S) -> Result<(), CheckpointError> {
        let text = || {
            let (arguments, state) = (to_raw_value(&self.arguments)?, to_raw_value(state)?);
            let mut checkpoint = Checkpoint { version: S::VERSION, arguments, state, crc32: String::new() };
            checkpoint.crc32 = checkpoint.checksum();
            serde_json::to_string(&checkpoint)
        };
        let text =
            text().map_err(|error| CheckpointError::Format { path: self.path.join(S::FILE), error })?;
        self.put(S::FILE, &text).map(drop)
    }

    /// Writes a file in the folder, and returns its path.
    ///
    /// # Errors
    /// [`CheckpointError::File`].
    pub fn put(&self, name: &str, text: &str) -> Result<PathBuf, CheckpointError> {
        let path = self.path.join(name);
        match write_atomically(&path, text) {
            Ok(()) => Ok(path),
            Err(error) => Err(CheckpointError::File { path, error }),
        }
    }
}

impl TrainingFolder<TrainingState> {
    /// Writes the checkpoint, the curve and its charts. `names` are the names of the features, `rivals` those
    /// of the opponents that the learner is compared with. The checkpoint is written first, as the rest can
    /// be made from it.
    ///
    /// # Errors
    /// [`CheckpointError`] names the file.
    pub fn write(
        &self,
        state: &TrainingState,
        names: &[&str],
        rivals: &[String],
    ) -> Result<(), CheckpointError> {
        self.write_state(state)?;
        self.put(CURVE, &curve::table(state, names, rivals))?;
        for (name, chart) in curve::charts(state, names, rivals)? {
            self.put(name, &chart)?;
        }
        Ok(())
    }

    /// Writes the learned weights and returns the path of their file.
    ///
    /// # Errors
    /// [`CheckpointError::File`].
    pub fn write_weights(&self, weights: &Weights) -> Result<PathBuf, CheckpointError> {
        self.put(WEIGHTS, &(weights.to_json() + "\n"))
    }
}
