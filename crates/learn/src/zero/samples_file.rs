//! Files of samples, which other programs can train on, too.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Samples, SelfPlayResult};
use labrys_core::game::{EncodingShape, Knowledge, PlaneSelection, counted};
use labrys_core::input::{self, MAX_TENSORS};
use labrys_core::tensors::{self, FileKind, TensorBytes, TensorProblem};
use labrys_support::files::write_atomically;
use labrys_support::shard::Part;

/// The name of the content, and the metadata entry that marks these files.
const SAMPLES: (&str, &str) = ("samples", "labrys-samples");

/// The kind of file for a game.
fn kind<G: Knowledge>() -> FileKind {
    FileKind { what: SAMPLES.0, entry: SAMPLES.1, encoding: G::ENCODING_VERSION }
}

/// Tolerance of the sum of a policy, which is 1 up to rounding.
const ROUNDING: f32 = 1e-3;

/// A samples file that cannot be written or is invalid.
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
pub(crate) struct Metadata {
    pub(crate) shape: EncodingShape,
    pub(crate) generation: u32,
    #[serde(flatten)]
    pub(crate) result: SelfPlayResult,
    /// The job of the games of a whole generation; that of a part is in `part`. Files of earlier versions do
    /// not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) job: Option<String>,
    /// The part of the generation that the file contains; `None` for the whole generation.
    #[serde(rename = "shard", default, skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<Part>,
}

/// The metadata as they stand in a file.
#[derive(Serialize, Deserialize)]
struct FileMetadata {
    #[serde(flatten)]
    metadata: Metadata,
    /// The names of the groups of planes; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    planes: Option<Vec<String>>,
    /// The number of positions of each game; files of earlier versions do not have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    game_lengths: Vec<u32>,
}

/// The game of a samples file, and the part of a generation that it contains.
///
/// # Errors
/// [`SamplesError`] names the file and what is wrong with it.
pub(crate) fn game_and_part(path: &Path) -> Result<(String, Option<Part>), SamplesError> {
    let read = || {
        let (what, entry) = (SAMPLES.0, SAMPLES.1);
        let (game, metadata) =
            tensors::game_and_metadata::<Metadata>(what, entry, &input::read(path, MAX_TENSORS)?)?;
        Ok((game, metadata.part))
    };
    read().map_err(|problem| SamplesError { path: path.to_owned(), problem: Box::new(problem) })
}

impl Samples {
    /// Writes the samples of a generation to a file.
    ///
    /// # Errors
    /// [`SamplesError`] names the file; an existing file is left unchanged.
    pub(super) fn save<G: Knowledge>(&self, path: &Path, metadata: Metadata) -> Result<(), SamplesError> {
        let write = || Ok(write_atomically(path, self.to_bytes::<G>(metadata)?)?);
        write().map_err(|problem| SamplesError { path: path.to_owned(), problem: Box::new(problem) })
    }

    /// The content of a samples file.
    pub(crate) fn to_bytes<G: Knowledge>(&self, metadata: Metadata) -> Result<Vec<u8>, TensorProblem> {
        let planes = metadata.shape.selection.names();
        let (tensors, game_lengths) = (self.tensors(metadata.shape), self.game_lengths.clone());
        let metadata = FileMetadata { metadata, planes, game_lengths };
        tensors::to_bytes(kind::<G>(), G::info().name, &tensors, metadata)
    }

    /// Reads the samples file of a generation, for boards of this shape and with these planes.
    ///
    /// # Errors
    /// [`SamplesError`] names the file and what is wrong with it.
    pub fn load<G: Knowledge>(
        path: &Path,
        shape: EncodingShape,
        generation: u32,
    ) -> Result<(Samples, SelfPlayResult), SamplesError> {
        Samples::load_of::<G>(path, shape, generation, None)
    }

    /// The same, and if a job with its number of games is given, for these games alone.
    pub(super) fn load_of<G: Knowledge>(
        path: &Path,
        shape: EncodingShape,
        generation: u32,
        job: Option<(&str, u64)>,
    ) -> Result<(Samples, SelfPlayResult), SamplesError> {
        let (samples, metadata) = Samples::read::<G>(path)?;
        let refused = |name: &str, problem: String| {
            let problem = Box::new(TensorProblem::Tensor { name: name.to_owned(), problem });
            Err(SamplesError { path: path.to_owned(), problem })
        };
        if metadata.shape != shape {
            let EncodingShape { files, ranks, input_planes, selection, .. } = metadata.shape;
            let problem = match (files, ranks) == (shape.files, shape.ranks) {
                false => format!("of boards of {files}×{ranks}, not {}×{}", shape.files, shape.ranks),
                true => format!(
                    "{input_planes} of a position ({selection}), expected {} ({})",
                    shape.input_planes, shape.selection
                ),
            };
            return refused("planes", problem);
        }
        if metadata.generation != generation {
            let problem = format!("of generation {}, expected {generation}", metadata.generation);
            return refused("value", problem);
        }
        if let Some(part) = metadata.part {
            return refused("value", format!("of shard {part}, merge all shards first"));
        }
        if let Some((job, games)) = job {
            let found = metadata.result.games();
            if found != games {
                return refused("value", format!("of {}, expected {games}", counted(found, "game")));
            }
            if let Some(found) = metadata.job.filter(|found| found != job) {
                let problem =
                    format!("of job {found}, expected {job}: other settings, another net or version");
                return refused("value", problem);
            }
        }
        Ok((samples, metadata.result))
    }

    /// Reads a samples file of any generation or part of one.
    ///
    /// # Errors
    /// [`SamplesError`] names the file and what is wrong with it.
    pub(crate) fn read<G: Knowledge>(path: &Path) -> Result<(Samples, Metadata), SamplesError> {
        let read = || {
            let bytes = input::read(path, MAX_TENSORS)?;
            let (found, file) = tensors::from_bytes::<FileMetadata>(kind::<G>(), G::info().name, &bytes)?;
            let mut metadata = found.metadata;
            if let Some(names) = &found.planes {
                metadata.shape.selection = PlaneSelection::new(G::PLANE_GROUPS, names)?;
            }
            let samples = Samples {
                planes: tensors::read(&file, "planes")?.1,
                move_offsets: tensors::read(&file, "move_offsets")?.1,
                policy_indices: tensors::read(&file, "policy_indices")?.1,
                policy: tensors::read(&file, "policy")?.1,
                value: tensors::read(&file, "value")?.1,
                root_value: tensors::read(&file, "root_value")?.1,
                game_lengths: found.game_lengths,
            };
            match samples.flaw(metadata.shape) {
                Some((name, problem)) => {
                    Err(TensorProblem::Tensor { name: name.to_owned(), problem: problem.to_owned() })
                }
                None => Ok((samples, metadata)),
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

    /// The first tensor that does not match the others or has a value out of range, and why.
    fn flaw(&self, shape: EncodingShape) -> Option<(&'static str, &'static str)> {
        let (positions, moves) = (self.len(), self.moves());
        let within = |values: &[f32], range: std::ops::RangeInclusive<f32>| {
            values.iter().all(|value| range.contains(value))
        };
        let (offsets, indices) = (&self.move_offsets, &self.policy_indices);
        let ends = (offsets.first().copied(), offsets.last().map(|&last| last as usize));
        let rows = offsets.windows(2).all(|pair| pair[0] < pair[1]);
        let is_normed = |position| (self.policy(position).iter().sum::<f32>() - 1.0).abs() < ROUNDING;
        let played: u64 = self.game_lengths.iter().copied().map(u64::from).sum();
        let checks: [(bool, &str, &str); 9] = [
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
                self.game_lengths.is_empty() || played == positions as u64,
                "value",
                "not as many as the `game_lengths` sum to",
            ),
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
