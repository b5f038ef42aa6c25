//! A training on the disk: a folder with a checkpoint, the curve and its pictures, and the learned weights.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{TrainingState, curve};
use crate::chart::ChartError;
use crate::eval::Weights;
use crate::files::{check_writable, write_atomically};

/// The version of the checkpoint's format.
const VERSION: u32 = 2;

/// Files of a training, in its folder.
const CHECKPOINT: &str = "checkpoint.json";
const WEIGHTS: &str = "weights.json";
const CURVE: &str = "curve.csv";

/// A training that cannot be read or written.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The system refuses a file.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// There is a training in the folder, but a new one was to begin.
    #[error("{}: a training lies there: --resume goes on with it", .path.display())]
    Exists {
        /// The checkpoint.
        path: PathBuf,
    },
    /// The checkpoint does not read.
    #[error("{}: {error}", .path.display())]
    Format {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong, and where.
        error: serde_json::Error,
    },
    /// The checkpoint is in the format of another version.
    #[error("{}: version {found}, expected {VERSION}", .path.display())]
    Version {
        /// The checkpoint.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The training was begun with another value of an argument.
    #[error("--{flag}: {ours}, but the training in {} has {theirs}", .folder.display())]
    Argument {
        /// The folder.
        folder: PathBuf,
        /// The argument.
        flag: String,
        /// Its value now.
        ours: Value,
        /// Its value in the checkpoint.
        theirs: Value,
    },
    /// A picture cannot be drawn.
    #[error(transparent)]
    Picture(#[from] ChartError),
}

/// A training as it is written down.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint<'a> {
    version: u32,
    /// The arguments that the result depends on.
    arguments: Cow<'a, Map<String, Value>>,
    state: Cow<'a, TrainingState>,
}

/// The folder of a training.
pub struct TrainingFolder {
    path: PathBuf,
    arguments: Map<String, Value>,
}

impl TrainingFolder {
    /// The folder at `path`, made if it is not there, which can be written to. `arguments` are those that the
    /// result of the training depends on.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path, arguments: Map<String, Value>) -> io::Result<TrainingFolder> {
        fs::create_dir_all(path)?;
        check_writable(&path.join(CHECKPOINT))?;
        Ok(TrainingFolder { path: path.to_owned(), arguments })
    }

    /// The training that lies there, if there is one; with `resume` it may be gone on with.
    ///
    /// # Errors
    /// [`CheckpointError`] names the file, or the argument that it was begun with another value of.
    pub fn read(&self, resume: bool) -> Result<Option<TrainingState>, CheckpointError> {
        let path = self.path.join(CHECKPOINT);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CheckpointError::File { path, error }),
            Ok(_) if !resume => return Err(CheckpointError::Exists { path }),
            Ok(text) => text,
        };
        let Checkpoint { version, arguments, state } = match serde_json::from_str(&text) {
            Ok(checkpoint) => checkpoint,
            Err(error) => return Err(CheckpointError::Format { path, error }),
        };
        if version != VERSION {
            return Err(CheckpointError::Version { path, found: version });
        }
        for (name, ours) in &self.arguments {
            let theirs = arguments.get(name).unwrap_or(&Value::Null);
            if ours != theirs {
                let (folder, flag) = (self.path.clone(), name.replace('_', "-"));
                let (ours, theirs) = (ours.clone(), theirs.clone());
                return Err(CheckpointError::Argument { folder, flag, ours, theirs });
            }
        }
        Ok(Some(state.into_owned()))
    }

    /// Writes a training down: `names` are those of the features, `rivals` those whom the learner is compared
    /// with. The checkpoint comes first: the rest can be made from it.
    ///
    /// # Errors
    /// [`CheckpointError`] names the file.
    pub fn write(
        &self,
        state: &TrainingState,
        names: &[&str],
        rivals: &[String],
    ) -> Result<(), CheckpointError> {
        let arguments = Cow::Borrowed(&self.arguments);
        let checkpoint = Checkpoint { version: VERSION, arguments, state: Cow::Borrowed(state) };
        let text = serde_json::to_string(&checkpoint)
            .map_err(|error| CheckpointError::Format { path: self.path.join(CHECKPOINT), error })?;
        self.put(CHECKPOINT, &text)?;
        self.put(CURVE, &curve::table(state, names, rivals))?;
        for (name, picture) in curve::pictures(state, names, rivals)? {
            self.put(name, &picture)?;
        }
        Ok(())
    }

    /// Writes the weights that were learned; the file that they are in.
    ///
    /// # Errors
    /// [`CheckpointError::File`].
    pub fn write_weights(&self, weights: &Weights) -> Result<PathBuf, CheckpointError> {
        self.put(WEIGHTS, &(weights.to_json() + "\n"))
    }

    fn put(&self, name: &str, text: &str) -> Result<PathBuf, CheckpointError> {
        let path = self.path.join(name);
        match write_atomically(&path, text) {
            Ok(()) => Ok(path),
            Err(error) => Err(CheckpointError::File { path, error }),
        }
    }
}
