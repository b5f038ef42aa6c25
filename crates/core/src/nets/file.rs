//! Files of nets.
//!
//! A file holds the raw parameters in the format safetensors, 32 bits a number. One entry of its metadata,
//! `labrys`, is a JSON object:
//!
//! ```json
//! {
//!   "version": 2,
//!   "game": "tucchess",
//!   "encoding": 1,
//!   "net": {"files": 5, "ranks": 7, "input_planes": 9, "policy_planes": 24,
//!           "architecture": "residual", "channels": 32, "blocks": 3, "hidden": 64},
//!   "provenance": "where the numbers come from",
//!   "crc32": "89abcdef", "header_crc32": "89abcdef"
//! }
//! ```
//!
//! `planes` names the groups of input planes of a net that does not have all of them, such as `["board"]`.
//! `crc32` is the checksum of everything after the header of the file, `header_crc32` that of the header.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{NetConfig, Parameters, SizeError, Tensor};
use crate::game::{EncodingShape, Knowledge, PlaneGroup, PlaneSelection, quote, starts};
use crate::tensors::{self, FileKind, TensorBytes, TensorProblem};

/// The prefix of the tensors of the optimiser.
pub const OPTIMISER: &str = "optimiser.";

/// A file of a net that is refused.
#[derive(Debug, Error)]
#[error("net file `{}`: {problem}", .path.display())]
pub struct NetError {
    /// The file.
    pub path: PathBuf,
    /// The problem.
    pub problem: Box<NetProblem>,
}

impl NetError {
    /// The error of a file.
    pub fn new(path: &Path, problem: NetProblem) -> NetError {
        NetError { path: path.to_owned(), problem: Box::new(problem) }
    }
}

/// A problem of the file of a net.
#[derive(Debug, Error)]
pub enum NetProblem {
    /// It cannot be read or written, or is no file of a net of this game.
    #[error(transparent)]
    File(#[from] TensorProblem),
    /// The net is for another size of the board.
    #[error("a net for boards of {}×{}, not {}×{}", net.0, net.1, board.0, board.1)]
    Board {
        /// Files and ranks of its board.
        net: (usize, usize),
        /// Files and ranks of the board in play.
        board: (usize, usize),
    },
    /// The net has other planes than the encoding of the game, or those that it selects from it.
    #[error("{} input and {} policy planes, expected {} and {}", net.0, net.1, encoding.0, encoding.1)]
    Planes {
        /// Its input and policy planes.
        net: (usize, usize),
        /// Those of the encoding.
        encoding: (usize, usize),
    },
    /// A size is out of its range.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// A parameter of the architecture is missing.
    #[error("parameter `{name}` is missing")]
    Missing {
        /// Its name.
        name: String,
    },
    /// There is a parameter that the architecture does not have.
    #[error("parameter {} is unknown in this architecture", quote(.name))]
    Unknown {
        /// Its name.
        name: String,
    },
    /// A parameter has another shape.
    #[error("parameter `{name}`: shape {found:?}, expected {expected:?}")]
    Shape {
        /// Its name.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// Its shape by the architecture.
        expected: Vec<usize>,
    },
    /// The loss of a training is not finite.
    #[error("the loss is {loss}: the learning rate may be too high")]
    Diverged {
        /// The loss.
        loss: f32,
    },
    /// A parameter has a number that is not finite, or a variance that is negative.
    #[error("parameter `{name}`: {found} is no number to compute with")]
    Value {
        /// Its name.
        name: String,
        /// The number.
        found: f32,
    },
}

/// The metadata.
#[derive(Serialize, Deserialize)]
struct Metadata {
    net: NetConfig,
    /// The names of the groups of input planes; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    planes: Option<Vec<String>>,
    provenance: String,
}

/// The kind of file, for a version of an encoding.
fn kind(encoding: u32) -> FileKind {
    FileKind { what: "a net", entry: "labrys", encoding }
}

impl Parameters {
    /// Reads a file of parameters for the game `G`.
    ///
    /// # Errors
    /// [`NetError`] names the file and the problem.
    pub fn load<G: Knowledge>(path: &Path) -> Result<Parameters, NetError> {
        let (parameters, others) = Parameters::load_with::<G>(path)?;
        match others.into_keys().next() {
            Some(name) => Err(NetError::new(path, NetProblem::Unknown { name })),
            None => Ok(parameters),
        }
    }

    /// Reads a file of parameters for the game `G`, with the tensors of an optimiser in it.
    ///
    /// # Errors
    /// [`NetError`] names the file and the problem.
    pub fn load_with<G: Knowledge>(path: &Path) -> Result<(Parameters, BTreeMap<String, Tensor>), NetError> {
        let read = || {
            let bytes = tensors::read_file(kind(G::ENCODING_VERSION), path)?;
            let encoding = (G::ENCODING_VERSION, G::PLANE_GROUPS);
            let (parameters, others) = Parameters::from_bytes(G::info().name, encoding, &bytes)?;
            let net = parameters.config.shape;
            let board = |shape: EncodingShape| (shape.files, shape.ranks);
            let planes = |shape: EncodingShape| (shape.input_planes, shape.policy_planes);
            let mut shapes = starts::<G>().map(|start| start.encoding_shape().select(net.selection));
            match shapes.find(|&shape| board(shape) == board(net)) {
                None => Err(TensorProblem::Board { board: board(net), game: G::info().name }.into()),
                Some(shape) if planes(shape) != planes(net) => {
                    Err(NetProblem::Planes { net: planes(net), encoding: planes(shape) })
                }
                Some(_) => Ok((parameters, others)),
            }
        };
        read().map_err(|problem| NetError::new(path, problem))
    }

    /// The content of a file, with the tensors of an optimiser, if any.
    ///
    /// # Errors
    /// [`TensorProblem`] names a tensor that a file cannot have.
    pub fn to_bytes(&self, others: &BTreeMap<String, Tensor>) -> Result<Vec<u8>, TensorProblem> {
        let tensors = self.tensors.iter().chain(others);
        let tensors = tensors.map(|(name, Tensor { shape, values })| TensorBytes::new(name, shape, values));
        let planes = self.config.shape.selection.names();
        let own = Metadata { net: self.config, planes, provenance: self.provenance.clone() };
        tensors::to_bytes(kind(self.encoding), &self.game, &tensors.collect::<Vec<_>>(), own)
    }

    /// The inverse of [`Parameters::to_bytes`], for the game of a name, with the version of its encoding and
    /// the groups of its planes.
    fn from_bytes(
        game: &str,
        (encoding, groups): (u32, &'static [PlaneGroup]),
        bytes: &[u8],
    ) -> Result<(Parameters, BTreeMap<String, Tensor>), NetProblem> {
        let (mut metadata, file) = tensors::from_bytes::<Metadata>(kind(encoding), game, bytes)?;
        if let Some(names) = &metadata.planes {
            let selection = PlaneSelection::new(groups, names).map_err(TensorProblem::from)?;
            metadata.net.shape.selection = selection;
        }
        let tensors = file.names().into_iter().map(|name| {
            let (shape, values) = tensors::read(&file, name)?;
            Ok((name.to_owned(), Tensor { shape, values }))
        });
        let tensors = tensors.collect::<Result<BTreeMap<_, _>, TensorProblem>>()?;
        let (others, tensors) = tensors.into_iter().partition(|(name, _)| name.starts_with(OPTIMISER));
        let parameters = Parameters::of_game(game, encoding, metadata.net, metadata.provenance, tensors)?;
        Ok((parameters, others))
    }
}
