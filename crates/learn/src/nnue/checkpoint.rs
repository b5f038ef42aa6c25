//! A training on disk: a folder with the net of the best epoch, the state to resume from, and the loss curve
//! as a table and as a chart.

use std::path::{Path, PathBuf};

use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::model::NetValues;
use super::optimiser::AdamW;
use super::trainer::{Epoch, Trainer, TrainingSettings, TrainingState};
use crate::report::{Report, Table};
use crate::run_folder::{RunError, RunFolder, RunState};
use crate::save_eval_net;
use labrys_core::eval::nnue::EvalNetSizes;
use labrys_core::game::Knowledge;
use labrys_core::tensors::{self, FileKind, TensorBytes, TensorProblem};
use labrys_support::chart::{Chart, Curve};
use labrys_support::files::Claim;

/// File name of the net in the folder of a training.
pub const NET: &str = "net.safetensors";

/// The tensors of the state: the net, the running means of the optimiser, and the best net.
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

impl RunState for TrainingState {
    const FILE: &'static str = "training.safetensors";
    const RESULTS: &'static [&'static str] = &[NET, "curve.csv"];
}

/// The folder of a training.
pub struct TrainingFolder {
    files: RunFolder<TrainingState>,
    settings: TrainingSettings,
    /// The checksum of the data.
    data: u32,
}

/// Everything that the result of a training depends on, by name.
fn arguments(settings: TrainingSettings, data: u32) -> Map<String, Value> {
    let settings = serde_json::to_value(settings).ok().and_then(|settings| settings.as_object().cloned());
    let data = ("data".to_owned(), format!("positions with the checksum {data:08x}").into());
    settings.unwrap_or_default().into_iter().chain([data]).collect()
}

fn kind<G: Knowledge>() -> FileKind {
    let (what, entry) = ("a training of an evaluation net", "labrys-nnue-training");
    FileKind { what, entry, encoding: G::INPUTS_VERSION }
}

impl TrainingFolder {
    /// The folder at `path`, created if missing, for a training with these settings on data with this
    /// checksum.
    ///
    /// # Errors
    /// [`RunError::File`] if it cannot be created.
    pub fn open(path: &Path, settings: TrainingSettings, data: u32) -> Result<TrainingFolder, RunError> {
        let files = RunFolder::open(path, arguments(settings, data));
        let files = files.map_err(|error| RunError::File { path: path.to_owned(), error })?;
        Ok(TrainingFolder { files, settings, data })
    }

    /// Claims the training for this process. Call it before reading the state.
    ///
    /// # Errors
    /// [`RunError::File`] if another process has claimed it.
    pub fn claim(&self) -> Result<Claim, RunError> {
        self.files.claim()
    }

    /// The path of the net.
    pub fn net(&self) -> PathBuf {
        self.files.file(NET)
    }

    /// The error of an invalid state.
    fn refused(&self, problem: TensorProblem) -> RunError {
        RunError::Tensors { path: self.files.file(TrainingState::FILE), problem: Box::new(problem) }
    }

    /// Reads the state to resume from; `None` if there is none.
    ///
    /// # Errors
    /// [`RunError`] if there is a state but `resume` is not set, if it is damaged, or if it belongs to a
    /// training with other settings or data.
    pub fn read<G: Knowledge>(&self, resume: bool) -> Result<Option<TrainingState>, RunError> {
        let Some(bytes) = self.files.read_file(resume)? else { return Ok(None) };
        let (metadata, file) = tensors::from_bytes::<Metadata>(kind::<G>(), G::info().name, &bytes)
            .map_err(|problem| self.refused(problem))?;
        self.files.check_arguments(&arguments(metadata.settings, metadata.data))?;
        let values =
            |names| read_values(&file, names, self.settings.sizes).map_err(|problem| self.refused(problem));
        let [net, mean, square, best] = TENSORS.map(values);
        let Metadata { steps, curve, .. } = metadata;
        let optimiser = AdamW { steps, mean: mean?, square: square? };
        Ok(Some(TrainingState { net: net?, optimiser, best: best?, curve }))
    }

    /// Writes the curve, the best net and, last, the state. The first state is also written before curve and
    /// net, as these are refused where there is no state.
    ///
    /// # Errors
    /// [`RunError`] names the file; an existing file is left unchanged.
    pub fn write<G: Knowledge>(&self, trainer: &Trainer<G>, provenance: String) -> Result<(), RunError> {
        let TrainingState { net, optimiser: AdamW { steps, mean, square }, best, curve } = &trainer.state;
        let sizes = trainer.sizes();
        let tensors = TENSORS.into_iter().zip([net, mean, square, best]);
        let tensors: Vec<_> = tensors.flat_map(|(names, values)| tensors_of(names, values, sizes)).collect();
        let (settings, data, steps) = (self.settings, self.data, *steps);
        let metadata = Metadata { settings, sizes, data, steps, curve: curve.clone() };
        let bytes = tensors::to_bytes(kind::<G>(), G::info().name, &tensors, metadata);
        let bytes = bytes.map_err(|problem| self.refused(problem))?;
        if !self.files.file(TrainingState::FILE).exists() {
            self.files.put(TrainingState::FILE, &bytes)?;
        }
        self.files.put_report(report(curve))?;
        save_eval_net::<G>(&trainer.best_net(provenance), &self.net())?;
        self.files.put(TrainingState::FILE, bytes).map(drop)
    }
}

fn shapes(sizes: EvalNetSizes) -> [Vec<usize>; 4] {
    let EvalNetSizes { hidden, outputs, .. } = sizes;
    [vec![sizes.rows(), hidden], vec![hidden], vec![outputs, 2 * hidden], vec![outputs]]
}

fn tensors_of(
    names: [&'static str; 4],
    values: &NetValues,
    sizes: EvalNetSizes,
) -> Vec<TensorBytes<'static>> {
    let parts = names.into_iter().zip(shapes(sizes)).zip(values.parts());
    parts.map(|((name, shape), part)| TensorBytes::new(name, &shape, part)).collect()
}

fn read_values(
    file: &SafeTensors,
    names: [&'static str; 4],
    sizes: EvalNetSizes,
) -> Result<NetValues, TensorProblem> {
    let mut values = NetValues::zeros(sizes);
    for ((name, shape), part) in names.into_iter().zip(shapes(sizes)).zip(values.parts_mut()) {
        let (found, numbers) = tensors::read::<f32>(file, name)?;
        if found != shape || numbers.iter().any(|number| !number.is_finite()) {
            let problem = format!("shape {found:?} of finite numbers, expected {shape:?}");
            return Err(TensorProblem::Tensor { name: name.to_owned(), problem });
        }
        *part = numbers;
    }
    Ok(values)
}

/// The loss curve.
fn report(curve: &[Epoch]) -> Report<'static> {
    let mut table = Table::new(["epoch", "training", "held out"]);
    for Epoch { number, training, held_out } in curve {
        table.push([f64::from(*number), *training, *held_out]);
    }
    let line = |name: &str, loss: fn(&Epoch) -> f64| {
        Curve::new(name, curve.iter().map(|epoch| (epoch.number.into(), loss(epoch))))
    };
    let curves = [line("held out", |epoch| epoch.held_out), line("training", |epoch| epoch.training)];
    let titles = ["Loss: squared error of the expected result", "epoch", "loss"];
    Report { name: "curve.csv", table, charts: vec![("curve.svg", Chart::new(titles, curves))] }
}
