//! A training on disk: a folder with the net of the best epoch, the state to go on from, and the curve of the
//! losses as a table and as a chart.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::model::Numbers;
use super::optimiser::AdamW;
use super::trainer::{Epoch, Trainer, TrainingSettings, TrainingState};
use crate::save_eval_net;
use labrys_core::eval::nnue::{EvalNet, EvalNetError, EvalNetSizes};
use labrys_core::game::Knowledge;
use labrys_core::tensors::{self, FileKind, TensorBytes, TensorProblem};
use labrys_support::chart::{Chart, ChartError, Curve};
use labrys_support::files::{Claim, create_folder, write_atomically};

/// Name of the net in the folder of a training.
pub const NET: &str = "net.safetensors";

/// The other file names.
const STATE: &str = "training.safetensors";
const TABLE: &str = "curve.csv";
const CHART: &str = "curve.svg";

/// The tensors of the state: of the net, of the means of the optimiser, of the best net.
const TENSORS: [[&str; 4]; 4] = [
    ["net.input.weight", "net.input.bias", "net.output.weight", "net.output.bias"],
    ["mean.input.weight", "mean.input.bias", "mean.output.weight", "mean.output.bias"],
    ["square.input.weight", "square.input.bias", "square.output.weight", "square.output.bias"],
    ["best.input.weight", "best.input.bias", "best.output.weight", "best.output.bias"],
];

/// The metadata of the state.
#[derive(Serialize, Deserialize)]
struct Metadata {
    settings: TrainingSettings,
    sizes: EvalNetSizes,
    /// The checksum of the data.
    data: u32,
    steps: u32,
    curve: Vec<Epoch>,
}

/// Why a training cannot be read or written.
#[derive(Debug, Error)]
pub enum FolderError {
    /// A file cannot be read or written, or is refused.
    #[error("{}: {problem}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: TensorProblem,
    },
    /// The folder has a training already.
    #[error("{} already exists; use --resume to continue the training", .path.display())]
    Exists {
        /// Its state.
        path: PathBuf,
    },
    /// The training in the folder was begun with other data or settings.
    #[error("{}: the training was begun with other {what}", .path.display())]
    Other {
        /// Its state.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// The net cannot be written.
    #[error(transparent)]
    Net(#[from] EvalNetError),
    /// The chart cannot be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
}

/// The folder of a training.
#[derive(Clone, Debug)]
pub struct TrainingFolder {
    path: PathBuf,
    settings: TrainingSettings,
    /// The checksum of the data.
    data: u32,
}

fn kind<G: Knowledge>() -> FileKind {
    let (what, entry) = ("a training of an evaluation net", "labrys-nnue-training");
    FileKind { what, entry, version: 1, encoding: G::INPUTS_VERSION }
}

impl TrainingFolder {
    /// The folder at `path`, made if it does not exist, for a training with these settings on data with this
    /// checksum.
    ///
    /// # Errors
    /// [`FolderError::File`] if it cannot be made.
    pub fn open(path: &Path, settings: TrainingSettings, data: u32) -> Result<TrainingFolder, FolderError> {
        let file = |problem: io::Error| FolderError::File { path: path.to_owned(), problem: problem.into() };
        create_folder(path).map_err(file)?;
        Ok(TrainingFolder { path: path.to_owned(), settings, data })
    }

    /// The right to go on with the training, before it is read.
    ///
    /// # Errors
    /// [`FolderError::File`]: another process has it.
    pub fn claim(&self) -> Result<Claim, FolderError> {
        Claim::folder(&self.path)
            .map_err(|error| FolderError::File { path: self.path.clone(), problem: error.into() })
    }

    /// The path of the net.
    pub fn net(&self) -> PathBuf {
        self.path.join(NET)
    }

    /// Reads the state to go on from; `None` if there is none.
    ///
    /// # Errors
    /// [`FolderError`] if there is one without `resume`, if it is damaged, or was begun otherwise.
    pub fn read<G: Knowledge>(
        &self,
        sizes: EvalNetSizes,
        resume: bool,
    ) -> Result<Option<TrainingState>, FolderError> {
        let path = self.path.join(STATE);
        let refuse = |problem| FolderError::File { path: path.clone(), problem };
        let bytes = match fs::read(&path) {
            Ok(_) if !resume => return Err(FolderError::Exists { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            result => result.map_err(|error| refuse(error.into()))?,
        };
        let (metadata, file) =
            tensors::from_bytes::<Metadata>(kind::<G>(), G::info().name, &bytes).map_err(refuse)?;
        let other = |what| FolderError::Other { path: path.clone(), what };
        if metadata.settings != self.settings {
            return Err(other("settings"));
        }
        if metadata.data != self.data || metadata.sizes != sizes {
            return Err(other("data"));
        }
        let [net, mean, square, best] = TENSORS.map(|names| read_numbers(&file, names, sizes));
        let Metadata { steps, curve, .. } = metadata;
        let optimiser = AdamW { steps, mean: mean.map_err(refuse)?, square: square.map_err(refuse)? };
        Ok(Some(TrainingState { net: net.map_err(refuse)?, optimiser, best: best.map_err(refuse)?, curve }))
    }

    /// Writes the best net, the curve and, last, the state.
    ///
    /// # Errors
    /// [`FolderError`] names the file; an old one stays.
    pub fn write<G: Knowledge>(&self, trainer: &Trainer<G>, provenance: String) -> Result<(), FolderError> {
        let TrainingState { net, optimiser: AdamW { steps, mean, square }, best, curve } = &trainer.state;
        let write = |name, content: &[u8]| {
            let path = self.path.join(name);
            write_atomically(&path, content)
                .map_err(|error| FolderError::File { path, problem: error.into() })
        };
        let best_net: EvalNet = trainer.best_net(provenance);
        save_eval_net::<G>(&best_net, &self.net())?;
        write(TABLE, table(curve).as_bytes())?;
        match chart(curve) {
            Err(ChartError::Empty) => {}
            chart => write(CHART, chart?.as_bytes())?,
        }
        let sizes = trainer.sizes();
        let tensors = TENSORS.into_iter().zip([net, mean, square, best]);
        let tensors: Vec<_> =
            tensors.flat_map(|(names, numbers)| tensors_of(names, numbers, sizes)).collect();
        let (settings, data, steps) = (self.settings, self.data, *steps);
        let metadata = Metadata { settings, sizes, data, steps, curve: curve.clone() };
        let bytes = tensors::to_bytes(kind::<G>(), G::info().name, &tensors, metadata);
        let bytes = bytes.map_err(|problem| FolderError::File { path: self.path.join(STATE), problem })?;
        write(STATE, &bytes)
    }
}

fn shapes(sizes: EvalNetSizes) -> [Vec<usize>; 4] {
    let EvalNetSizes { hidden, outputs, .. } = sizes;
    [vec![sizes.rows(), hidden], vec![hidden], vec![outputs, 2 * hidden], vec![outputs]]
}

fn tensors_of(names: [&'static str; 4], numbers: &Numbers, sizes: EvalNetSizes) -> Vec<TensorBytes<'static>> {
    let parts = names.into_iter().zip(shapes(sizes)).zip(numbers.parts());
    parts.map(|((name, shape), part)| TensorBytes::new(name, &shape, part)).collect()
}

fn read_numbers(
    file: &SafeTensors,
    names: [&'static str; 4],
    sizes: EvalNetSizes,
) -> Result<Numbers, TensorProblem> {
    let mut numbers = Numbers::zeros(sizes);
    for ((name, shape), part) in names.into_iter().zip(shapes(sizes)).zip(numbers.parts_mut()) {
        let (found, values) = tensors::read::<f32>(file, name)?;
        if found != shape || values.iter().any(|value| !value.is_finite()) {
            let problem = format!("shape {found:?} of finite numbers, expected {shape:?}");
            return Err(TensorProblem::Tensor { name: name.to_owned(), problem });
        }
        *part = values;
    }
    Ok(numbers)
}

/// The curve as comma-separated values.
fn table(curve: &[Epoch]) -> String {
    let mut text = "epoch,training,held out\n".to_owned();
    for Epoch { number, training, held_out } in curve {
        // Writing to a string cannot fail.
        _ = writeln!(text, "{number},{training},{held_out}");
    }
    text
}

fn chart(curve: &[Epoch]) -> Result<String, ChartError> {
    let line = |name: &str, loss: fn(&Epoch) -> f64| Curve {
        name: name.to_owned(),
        points: curve.iter().map(|epoch| (epoch.number.into(), loss(epoch))).collect(),
        ..Curve::default()
    };
    let curves = vec![line("held out", |epoch| epoch.held_out), line("training", |epoch| epoch.training)];
    let (title, x, y) = ("Loss: squared error of the expected result", "epoch", "loss");
    Chart { title, x, y, range: None, level: None, curves }.to_svg()
}
