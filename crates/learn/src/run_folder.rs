//! A run on disk that can be resumed: a folder with its state, its learning curve as a table and as charts,
//! and the weights or nets learned so far.

use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use thiserror::Error;

use super::report::Report;
use labrys_core::eval::nnue::EvalNetError;
use labrys_core::input;
use labrys_core::tensors::TensorProblem;
use labrys_support::chart::ChartError;
use labrys_support::files::{Claim, check_writable, create_folder, write_atomically};

/// Why a run cannot be read or written.
#[derive(Debug, Error)]
pub enum RunError {
    /// A file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The folder already contains a run, and `--resume` was not given.
    #[error("{} already exists; use --resume to continue the training", .path.display())]
    Exists {
        /// The file of the state.
        path: PathBuf,
    },
    /// The state cannot be parsed.
    #[error("{}: {error}", .path.display())]
    Format {
        /// The file of the state.
        path: PathBuf,
        /// What is wrong, with line and column.
        error: serde_json::Error,
    },
    /// The state has another format version.
    #[error("{}: version {found}, expected {expected}", .path.display())]
    Version {
        /// The file of the state.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that is known.
        expected: u32,
    },
    /// The checksum of the state does not match its content.
    #[error("{}: damaged: checksum {found}, expected {expected}", .path.display())]
    Checksum {
        /// The file of the state.
        path: PathBuf,
        /// The checksum of its content.
        found: String,
        /// The checksum stored in it.
        expected: String,
    },
    /// The run was started with a different value of an argument.
    #[error("{argument}: {ours}, but the training in {} has {theirs}", .folder.display())]
    Argument {
        /// The folder.
        folder: PathBuf,
        /// The argument.
        argument: String,
        /// Its value now.
        ours: Value,
        /// Its value in the run.
        theirs: Value,
    },
    /// A state stored as tensors is invalid.
    #[error("{}: {problem}", .path.display())]
    Tensors {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: Box<TensorProblem>,
    },
    /// A net cannot be written.
    #[error(transparent)]
    Net(#[from] EvalNetError),
    /// A chart cannot be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
}

/// The state of a run.
pub trait RunState {
    /// The name of the file of the state.
    const FILE: &'static str;

    /// The names of files that a run makes after its first state. Without a state, they are of a run that has
    /// lost it, and would be overwritten.
    const RESULTS: &'static [&'static str] = &[];

    /// How error messages name an argument.
    fn argument(name: &str) -> String {
        format!("--{}", name.replace('_', "-"))
    }
}

/// A state that is stored as JSON.
pub trait JsonState: RunState + Serialize + DeserializeOwned {
    /// Version of the format.
    const VERSION: u32;
}

/// The content of a state file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint {
    version: u32,
    /// The arguments that the result of the run depends on.
    arguments: Box<RawValue>,
    state: Box<RawValue>,
    /// The CRC-32 of the text of `arguments` and `state`.
    #[serde(default)]
    crc32: String,
}

impl Checkpoint {
    fn checksum(&self) -> String {
        let text = [self.arguments.get(), self.state.get()].concat();
        format!("{:08x}", crc32fast::hash(text.as_bytes()))
    }
}

/// The folder of a run with the state `S`.
pub struct RunFolder<S> {
    path: PathBuf,
    /// The arguments that the result of the run depends on.
    arguments: Map<String, Value>,
    state: PhantomData<fn() -> S>,
}

impl<S: RunState> RunFolder<S> {
    /// Opens the folder at `path`, creating it if missing, and checks that it is writable. `arguments` are
    /// those that the result of the run depends on.
    ///
    /// # Errors
    /// Any error of the operating system.
    pub fn open(path: &Path, arguments: Map<String, Value>) -> io::Result<RunFolder<S>> {
        create_folder(path)?;
        check_writable(&path.join(S::FILE))?;
        Ok(RunFolder { path: path.to_owned(), arguments, state: PhantomData })
    }

    /// Claims the run for this process. Call it before reading the state.
    ///
    /// # Errors
    /// [`RunError::File`] if another process has claimed it.
    pub fn claim(&self) -> Result<Claim, RunError> {
        Claim::folder(&self.path).map_err(|error| RunError::File { path: self.path.clone(), error })
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Reads the state file; `None` if there is none and no run has left anything. Without `resume`, an
    /// existing one is an error.
    pub(crate) fn read_file(&self, resume: bool) -> Result<Option<Vec<u8>>, RunError> {
        let path = self.file(S::FILE);
        match input::read(&path, input::MAX_TENSORS) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let mut results = S::RESULTS.iter().map(|name| self.file(name));
                let Some(path) = results.find(|path| path.exists()) else { return Ok(None) };
                let error = io::Error::other("left of a run whose state is missing; remove it");
                Err(RunError::File { path, error })
            }
            Err(error) => Err(RunError::File { path, error }),
            Ok(_) if !resume => Err(RunError::Exists { path }),
            Ok(bytes) => Ok(Some(bytes)),
        }
    }

    /// Checks that the run in the folder was started with the same arguments.
    pub(crate) fn check_arguments(&self, found: &Map<String, Value>) -> Result<(), RunError> {
        for name in self.arguments.keys().chain(found.keys()) {
            let [ours, theirs] =
                [&self.arguments, found].map(|all| all.get(name).cloned().unwrap_or(Value::Null));
            if ours != theirs {
                let (folder, argument) = (self.path.clone(), S::argument(name));
                return Err(RunError::Argument { folder, argument, ours, theirs });
            }
        }
        Ok(())
    }

    /// Writes a file in the folder, and returns its path.
    ///
    /// # Errors
    /// [`RunError::File`].
    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, RunError> {
        let path = self.file(name);
        match write_atomically(&path, content) {
            Ok(()) => Ok(path),
            Err(error) => Err(RunError::File { path, error }),
        }
    }

    /// Writes a table and its charts.
    ///
    /// # Errors
    /// [`RunError`] names the file, or reports that the drawing library failed.
    pub fn put_report(&self, report: Report) -> Result<(), RunError> {
        self.put(report.name, report.table.as_str())?;
        report.svgs()?.iter().try_for_each(|(name, svg)| self.put(name, svg).map(drop))
    }
}

impl<S: JsonState> RunFolder<S> {
    /// Reads the state in the folder; `None` if there is none.
    ///
    /// # Errors
    /// [`RunError`] names the file, or the argument whose value differs from that of the run. A run in the
    /// folder is an error unless `resume` is set, and so are results of a run whose state is missing.
    pub fn read(&self, resume: bool) -> Result<Option<S>, RunError> {
        let Some(bytes) = self.read_file(resume)? else { return Ok(None) };
        let path = self.file(S::FILE);
        let format = |error| RunError::Format { path: path.clone(), error };
        let checkpoint: Checkpoint = serde_json::from_slice(&bytes).map_err(format)?;
        if checkpoint.version != S::VERSION {
            return Err(RunError::Version { path, found: checkpoint.version, expected: S::VERSION });
        }
        let found = checkpoint.checksum();
        if found != checkpoint.crc32 {
            return Err(RunError::Checksum { path, found, expected: checkpoint.crc32 });
        }
        self.check_arguments(&serde_json::from_str(checkpoint.arguments.get()).map_err(format)?)?;
        serde_json::from_str(checkpoint.state.get()).map(Some).map_err(format)
    }

    /// Writes the state.
    ///
    /// # Errors
    /// [`RunError`] names the file.
    pub fn write(&self, state: &S) -> Result<(), RunError> {
        let text = || {
            let (arguments, state) = (to_raw_value(&self.arguments)?, to_raw_value(state)?);
            let mut checkpoint = Checkpoint { version: S::VERSION, arguments, state, crc32: String::new() };
            checkpoint.crc32 = checkpoint.checksum();
            serde_json::to_string(&checkpoint)
        };
        let text = text().map_err(|error| RunError::Format { path: self.file(S::FILE), error })?;
        self.put(S::FILE, &text).map(drop)
    }
}
