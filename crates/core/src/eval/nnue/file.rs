//! Files of nets: the format of [`crate::tensors`], with the entry `labrys-nnue` in the metadata:
//!
//! ```json
//! {
//!   "version": 2, "game": "chess", "encoding": 1,
//!   "sizes": {"inputs": {"files": 8, "ranks": 8, "inputs": 768}, "buckets": 4, "hidden": 128, "outputs": 1},
//!   "quantisation": [255, 64],
//!   "scale": {"unit": 1.8, "margin": 3000, "a": 1.6, "b": 1.2},
//!   "provenance": "where the numbers come from",
//!   "crc32": "89abcdef", "header_crc32": "89abcdef"
//! }
//! ```

use std::path::{Path, PathBuf};

use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::lanes::ONE;
use super::net::{
    EvalNet, EvalNetScale, EvalNetSizes, MAX_OUTPUT_WEIGHT, MAX_OUTPUT_WEIGHTS, MAX_SIZES, OUTPUT_ONE,
};
use crate::game::{InputShape, Knowledge, counted, starts};
use crate::input;
use crate::tensors::{self, FileKind, Number, TensorBytes, TensorProblem};

/// The quantised 1 of both layers.
const QUANTISATION: [i16; 2] = [ONE, OUTPUT_ONE];

/// The maximum size of a file in bytes. A net of chess with all buckets and the most neurons has a tenth.
const MAX_BYTES: u64 = 1 << 30;

/// The largest unit of the pruning margins: a thousand units of the evaluation.
const MAX_MARGIN: i32 = 1_000_000;

// The names of the tensors.
const INPUT_WEIGHTS: &str = "input.weight";
const INPUT_BIAS: &str = "input.bias";
const OUTPUT_WEIGHTS: &str = "output.weight";
const OUTPUT_BIAS: &str = "output.bias";

/// A net that is refused, or cannot be written.
#[derive(Debug, Error)]
#[error("net file {}: {problem}", .path.display())]
pub struct EvalNetError {
    /// The path of its file.
    pub path: PathBuf,
    /// The problem.
    pub problem: Box<TensorProblem>,
}

/// The metadata.
#[derive(Serialize, Deserialize)]
struct Metadata {
    sizes: EvalNetSizes,
    quantisation: [i16; 2],
    scale: EvalNetScale,
    provenance: String,
    /// The identity of the net; files of earlier versions do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    identity: Option<String>,
}

fn kind<G: Knowledge>() -> FileKind {
    FileKind { what: "an evaluation net", entry: "labrys-nnue", encoding: G::INPUTS_VERSION }
}

/// The refusal of a tensor.
fn refuse<T>(name: &'static str, problem: String) -> Result<T, TensorProblem> {
    Err(TensorProblem::Tensor { name: name.to_owned(), problem })
}

impl EvalNet {
    /// Reads a file of a net for the game `G`.
    ///
    /// # Errors
    /// [`EvalNetError`] names the file and the problem.
    pub fn load<G: Knowledge>(path: &Path) -> Result<EvalNet, EvalNetError> {
        let read = || EvalNet::from_bytes::<G>(&input::read(path, MAX_BYTES)?);
        read().map_err(|problem| EvalNetError { path: path.to_owned(), problem: Box::new(problem) })
    }

    /// The shipped net of the game `G`, if there is one.
    pub fn shipped<G: Knowledge>() -> Option<EvalNet> {
        let bytes = G::info().net?;
        Some(EvalNet::from_bytes::<G>(bytes).expect("a test reads all shipped nets"))
    }

    /// The content of a file of the net of the game `G`.
    ///
    /// # Errors
    /// [`TensorProblem`] says which numbers a file cannot have.
    pub fn to_bytes<G: Knowledge>(&self) -> Result<Vec<u8>, TensorProblem> {
        self.check_numbers()?;
        let EvalNetSizes { hidden, outputs, .. } = self.sizes;
        let tensors = [
            TensorBytes::new(INPUT_WEIGHTS, &[self.sizes.rows(), hidden], &self.input_weights),
            TensorBytes::new(INPUT_BIAS, &[hidden], &self.input_bias),
            TensorBytes::new(OUTPUT_WEIGHTS, &[outputs, 2 * hidden], &self.output_weights),
            TensorBytes::new(OUTPUT_BIAS, &[outputs], &self.output_bias),
        ];
        let (sizes, scale, provenance) = (self.sizes, self.scale, self.provenance.clone());
        let identity = Some(self.identity());
        let own = Metadata { sizes, quantisation: QUANTISATION, scale, provenance, identity };
        tensors::to_bytes(kind::<G>(), G::info().name, &tensors, own)
    }

    /// The inverse of [`EvalNet::to_bytes`].
    fn from_bytes<G: Knowledge>(bytes: &[u8]) -> Result<EvalNet, TensorProblem> {
        let net = EvalNet::read(kind::<G>(), G::info().name, G::BUCKETS, bytes)?;
        let InputShape { files, ranks, .. } = net.sizes.inputs;
        match starts::<G>().any(|start| start.input_shape() == net.sizes.inputs) {
            true => Ok(net),
            false => Err(TensorProblem::Board { board: (files, ranks), game: G::info().name }),
        }
    }

    /// The same for a game by name, which has at most `most` buckets.
    fn read(kind: FileKind, game: &str, most: u8, bytes: &[u8]) -> Result<EvalNet, TensorProblem> {
        let (metadata, file) = tensors::from_bytes::<Metadata>(kind, game, bytes)?;
        let Metadata { sizes, quantisation, scale, provenance, identity } = metadata;
        let EvalNetSizes { buckets, hidden, outputs, .. } = sizes;
        if quantisation != QUANTISATION {
            let found = format!("quantisation {quantisation:?}, expected {QUANTISATION:?}");
            return refuse(INPUT_WEIGHTS, found);
        }
        if !(1..=MAX_SIZES.0).contains(&hidden) || !(1..=MAX_SIZES.1).contains(&outputs) {
            let (neurons, most) = MAX_SIZES;
            let expected = format!("expected at most {neurons} and {most}");
            return refuse(
                OUTPUT_WEIGHTS,
                format!("{} and {}, {expected}", counted(hidden, "neuron"), counted(outputs, "output")),
            );
        }
        if !(1..=most).contains(&buckets) {
            return refuse(INPUT_WEIGHTS, format!("{}, expected 1 to {most}", counted(buckets, "bucket")));
        }
        let net = EvalNet {
            sizes,
            scale,
            provenance,
            input_weights: read(&file, INPUT_WEIGHTS, &[sizes.rows(), hidden])?,
            input_bias: read(&file, INPUT_BIAS, &[hidden])?,
            output_weights: read(&file, OUTPUT_WEIGHTS, &[outputs, 2 * hidden])?,
            output_bias: read(&file, OUTPUT_BIAS, &[outputs])?,
        };
        net.check_numbers()?;
        match identity.filter(|expected| *expected != net.identity()) {
            Some(expected) => Err(TensorProblem::Checksum { found: net.identity(), expected }),
            None => Ok(net),
        }
    }

    /// Checks that no sum can overflow and that values are finite.
    fn check_numbers(&self) -> Result<(), TensorProblem> {
        for weights in self.output_weights.chunks(2 * self.sizes.hidden) {
            if let Some(weight) =
                weights.iter().find(|weight| weight.unsigned_abs() > MAX_OUTPUT_WEIGHT as u16)
            {
                let problem = format!("{weight} is out of range, expected at most ±{MAX_OUTPUT_WEIGHT}");
                return refuse(OUTPUT_WEIGHTS, problem);
            }
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
            if sum > MAX_OUTPUT_WEIGHTS {
                let problem = format!("magnitudes add up to {sum}, expected at most {MAX_OUTPUT_WEIGHTS}");
                return refuse(OUTPUT_WEIGHTS, problem);
            }
        }
        let EvalNetScale { unit, margin, a, b } = self.scale;
        let is_good = unit > 0.0
            && unit < 1e6
            && (0..=MAX_MARGIN).contains(&margin)
            && (0.0..1e6).contains(&a)
            && b > 0.0
            && b < 1e6;
        match is_good {
            true => Ok(()),
            false => {
                let expected = format!("expected positive numbers, and a margin of at most {MAX_MARGIN}");
                refuse(OUTPUT_BIAS, format!("scale {:?} makes no values, {expected}", self.scale))
            }
        }
    }
}

/// The numbers of a tensor of the expected shape.
fn read<N: Number>(
    file: &SafeTensors,
    name: &'static str,
    expected: &[usize],
) -> Result<Vec<N>, TensorProblem> {
    let (found, numbers) = tensors::read(file, name)?;
    match found == expected {
        true => Ok(numbers),
        false => refuse(name, format!("shape {found:?}, expected {expected:?}")),
    }
}
