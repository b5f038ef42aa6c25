//! Files of samples, which other programs can learn from, too.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Samples, SelfPlayResult};
use crate::files::write_atomically;
use crate::game::{Encoding, EncodingShape};
use crate::tensors::{self, FileKind, TensorBytes, TensorProblem};

/// The kind of file for a game.
fn kind<G: Encoding>() -> FileKind {
    FileKind { what: "samples", entry: "labrys-samples", version: 1, encoding: G::ENCODING_VERSION }
}

/// How far the sum of a policy may be from 1, for rounding.
const ROUNDING: f32 = 1e-3;

/// A file of samples that cannot be written, or is refused.
#[derive(Debug, Error)]
#[error("samples file {}: {problem}", .path.display())]
pub struct SamplesError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: Box<TensorProblem>,
}

/// The metadata of samples.
#[derive(Serialize, Deserialize)]
struct Metadata {
    shape: EncodingShape,
    generation: u32,
    #[serde(flatten)]
    result: SelfPlayResult,
}

impl Samples {
    /// Writes the samples of a generation to a file.
    ///
    /// # Errors
    /// [`SamplesError`] names the file; an old one stays.
    pub fn save<G: Encoding>(
        &self,
        path: &Path,
        shape: EncodingShape,
        generation: u32,
        result: SelfPlayResult,
    ) -> Result<(), SamplesError> {
        let metadata = Metadata { shape, generation, result };
        let bytes = || tensors::to_bytes(kind::<G>(), G::NAME, &self.tensors(shape), metadata);
        let write = || Ok(write_atomically(path, bytes()?)?);
        write().map_err(|problem| SamplesError { path: path.to_owned(), problem: Box::new(problem) })
    }

    /// Reads a file of the samples of a generation, on a board of that shape.
    ///
    /// # Errors
    /// [`SamplesError`] names the file and what is wrong with it.
    pub fn load<G: Encoding>(
        path: &Path,
        shape: EncodingShape,
        generation: u32,
    ) -> Result<(Samples, SelfPlayResult), SamplesError> {
        let read = || {
            let bytes = std::fs::read(path)?;
            let (metadata, file) = tensors::from_bytes::<Metadata>(kind::<G>(), G::NAME, &bytes)?;
            let own =
                |name: &str, problem: String| Err(TensorProblem::Tensor { name: name.to_owned(), problem });
            if metadata.shape != shape {
                let EncodingShape { files, ranks, .. } = metadata.shape;
                return own(
                    "planes",
                    format!("of boards of {files}×{ranks}, not {}×{}", shape.files, shape.ranks),
                );
            }
            if metadata.generation != generation {
                return own("value", format!("of generation {}, expected {generation}", metadata.generation));
            }
            let samples = Samples {
                planes: tensors::read(&file, "planes")?.1,
                move_offsets: tensors::read(&file, "move_offsets")?.1,
                policy_indices: tensors::read(&file, "policy_indices")?.1,
                policy: tensors::read(&file, "policy")?.1,
                value: tensors::read(&file, "value")?.1,
                root_value: tensors::read(&file, "root_value")?.1,
            };
            match samples.flaw(shape) {
                Some((name, problem)) => own(name, problem.to_owned()),
                None => Ok((samples, metadata.result)),
            }
        };
        read().map_err(|problem| SamplesError { path: path.to_owned(), problem: Box::new(problem) })
    }

    fn tensors(&self, shape: EncodingShape) -> Vec<TensorBytes<'_>> {
        let EncodingShape { files, ranks, input_planes, .. } = shape;
        let (positions, moves) = (self.len(), self.moves());
        vec![
            TensorBytes::new("planes", &[positions, input_planes, ranks, files], &self.planes),
            TensorBytes::new("move_offsets", &[positions + 1], &self.move_offsets),
            TensorBytes::new("policy_indices", &[moves, self.indices_per_move()], &self.policy_indices),
            TensorBytes::new("policy", &[moves], &self.policy),
            TensorBytes::new("value", &[positions], &self.value),
            TensorBytes::new("root_value", &[positions], &self.root_value),
        ]
    }

    /// The first tensor that does not fit the others, or has a number out of its range, and why.
    fn flaw(&self, shape: EncodingShape) -> Option<(&'static str, &'static str)> {
        let (positions, moves) = (self.len(), self.moves());
        let within = |values: &[f32], range: std::ops::RangeInclusive<f32>| {
            values.iter().all(|value| range.contains(value))
        };
        let (offsets, indices) = (&self.move_offsets, &self.policy_indices);
        let ends = (offsets.first().copied(), offsets.last().map(|&last| last as usize));
        let rows = offsets.windows(2).all(|pair| pair[0] < pair[1]);
        let is_normed = |position| (self.policy(position).iter().sum::<f32>() - 1.0).abs() < ROUNDING;
        let checks: [(bool, &str, &str); 8] = [
            (self.planes.len() == positions * shape.input_len(), "planes", "not one set for each value"),
            (self.planes.iter().all(|value| value.is_finite()), "planes", "not all numbers are finite"),
            (
                offsets.len() == positions + 1 && ends == (Some(0), Some(moves)) && rows,
                "move_offsets",
                "not a rising list for each value, from 0 to the number of moves",
            ),
            (
                moves == 0 || !indices.is_empty() && indices.len().is_multiple_of(moves),
                "policy_indices",
                "not the same number for each move",
            ),
            (
                indices.iter().all(|&index| (index as usize) < shape.policy_len()),
                "policy_indices",
                "an index is too large",
            ),
            (within(&self.policy, 0.0..=1.0), "policy", "not all numbers are from 0 to 1"),
            (within(&self.value, -1.0..=1.0), "value", "not all numbers are from -1 to 1"),
            (
                self.root_value.len() == positions && within(&self.root_value, -1.0..=1.0),
                "root_value",
                "not a number from -1 to 1 for each value",
            ),
        ];
        let failed = checks.into_iter().find(|(is_good, ..)| !is_good).map(|(_, name, why)| (name, why));
        failed.or_else(|| {
            let is_good = (0..positions).all(is_normed);
            (!is_good).then_some(("policy", "the numbers of a position do not sum to 1"))
        })
    }
}
