//! Files of nets.
//!
//! A file holds the raw parameters in the format safetensors, 32 bits a number. One entry of its metadata,
//! `labrys`, is a JSON object:
//!
//! ```json
//! {
//!   "version": 1,
//!   "game": "tucchess",
//!   "encoding": 1,
//!   "net": {"files": 5, "ranks": 7, "input_planes": 9, "policy_planes": 24,
//!           "architecture": "residual", "channels": 32, "blocks": 3, "hidden": 64},
//!   "provenance": "where the numbers come from",
//!   "crc32": "89abcdef"
//! }
//! ```
//!
//! `crc32` is the checksum of everything behind the header of the file.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{NetConfig, Parameters, SizeError, Tensor};
use crate::files::write_atomically;
use crate::game::{Encoding, quote};

/// The version of the file format. Other versions are refused.
const VERSION: u32 = 1;

/// The entry of the metadata.
const ENTRY: &str = "labrys";

/// How the names of tensors begin that belong to the optimiser of a training.
pub(super) const OPTIMISER: &str = "optimiser.";

/// The bytes of a file before its header, which say how long the header is.
const LENGTH_BYTES: usize = 8;

/// A file of a net that is refused.
#[derive(Debug, Error)]
#[error("net file {}: {problem}", quote(.path))]
pub struct NetError {
    /// The path of the file.
    pub path: String,
    /// What is wrong with it.
    pub problem: Box<NetProblem>,
}

impl NetError {
    /// The error of a file.
    pub(crate) fn new(path: &Path, problem: NetProblem) -> NetError {
        NetError { path: path.display().to_string(), problem: Box::new(problem) }
    }
}

/// What is wrong with the file of a net.
#[derive(Debug, Error)]
pub enum NetProblem {
    /// It cannot be read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It is not a whole file in the format safetensors.
    #[error("not a whole safetensors file: {0}")]
    Format(#[from] SafeTensorError),
    /// It does not have the metadata of a net.
    #[error("not a net of Labrys: no metadata `{ENTRY}`")]
    Foreign,
    /// The metadata are not what they should be.
    #[error("metadata: {0}")]
    Metadata(#[from] serde_json::Error),
    /// It has another version of the format.
    #[error("version {found}, expected {VERSION}")]
    Version {
        /// Its version.
        found: u32,
    },
    /// The numbers have changed since the file was written.
    #[error("damaged: checksum {found}, expected {expected}")]
    Checksum {
        /// The checksum of the numbers.
        found: String,
        /// That of the metadata.
        expected: String,
    },
    /// The net is for another game.
    #[error("a net for game {}, expected `{expected}`", quote(.found))]
    Game {
        /// Its game.
        found: String,
        /// The game in play.
        expected: &'static str,
    },
    /// The net is for another encoding of the game.
    #[error("a net for version {found} of the encoding of {game}, expected {expected}")]
    Encoding {
        /// The game.
        game: &'static str,
        /// The version of the net.
        found: u32,
        /// That of the game.
        expected: u32,
    },
    /// The net is for another size of the board.
    #[error("a net for boards of {}×{}, not {}×{}", net.0, net.1, board.0, board.1)]
    Board {
        /// Files and ranks of its board.
        net: (usize, usize),
        /// Files and ranks of the board in play.
        board: (usize, usize),
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
    /// A parameter has another type of numbers.
    #[error("parameter {}: numbers of type {found}, expected F32", quote(.name))]
    Type {
        /// Its name.
        name: String,
        /// Its type.
        found: String,
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
    version: u32,
    game: String,
    encoding: u32,
    net: NetConfig,
    provenance: String,
    crc32: String,
}

impl Parameters {
    /// Writes the parameters to a file.
    ///
    /// # Errors
    /// [`NetError`] with what the system says; the old file stays.
    pub fn save(&self, path: &Path) -> Result<(), NetError> {
        self.save_with(path, BTreeMap::new())
    }

    /// Writes the parameters and the tensors of an optimiser to a file.
    pub(super) fn save_with(&self, path: &Path, others: BTreeMap<String, Tensor>) -> Result<(), NetError> {
        let write = || Ok(write_atomically(path, self.to_bytes(&others)?)?);
        write().map_err(|problem| NetError::new(path, problem))
    }

    /// Reads a file of parameters for the game `G`.
    ///
    /// # Errors
    /// [`NetError`] names the file and what is wrong with it.
    pub fn load<G: Encoding>(path: &Path) -> Result<Parameters, NetError> {
        let (parameters, others) = Parameters::load_with::<G>(path)?;
        match others.into_keys().next() {
            Some(name) => Err(NetError::new(path, NetProblem::Unknown { name })),
            None => Ok(parameters),
        }
    }

    /// Reads a file of parameters for the game `G`, and the tensors of an optimiser that are beside them.
    pub(super) fn load_with<G: Encoding>(
        path: &Path,
    ) -> Result<(Parameters, BTreeMap<String, Tensor>), NetError> {
        let read = || Parameters::from_bytes::<G>(&std::fs::read(path)?);
        read().map_err(|problem| NetError::new(path, problem))
    }

    /// The content of a file.
    fn to_bytes(&self, others: &BTreeMap<String, Tensor>) -> Result<Vec<u8>, NetProblem> {
        let tensors = || self.tensors.iter().chain(others);
        let bytes = |tensor: &Tensor| tensor.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let data: Vec<Vec<u8>> = tensors().map(|(_, tensor)| bytes(tensor)).collect();
        let views = tensors().zip(&data).map(|((name, tensor), data)| {
            Ok((name, TensorView::new(Dtype::F32, tensor.shape.clone(), data)?))
        });
        let views: Vec<_> = views.collect::<Result<_, SafeTensorError>>()?;
        let mut metadata = Metadata {
            version: VERSION,
            game: self.game.clone(),
            encoding: self.encoding,
            net: self.config,
            provenance: self.provenance.clone(),
            crc32: String::new(),
        };
        // The numbers are the same with and without metadata.
        metadata.crc32 = checksum(&safetensors::serialize(views.clone(), None)?)?;
        let metadata = HashMap::from([(ENTRY.to_owned(), serde_json::to_string(&metadata)?)]);
        Ok(safetensors::serialize(views, Some(metadata))?)
    }

    /// The inverse of [`Parameters::to_bytes`].
    fn from_bytes<G: Encoding>(bytes: &[u8]) -> Result<(Parameters, BTreeMap<String, Tensor>), NetProblem> {
        let (_, header) = SafeTensors::read_metadata(bytes)?;
        let entry = header.metadata().as_ref().and_then(|metadata| metadata.get(ENTRY));
        let metadata: Metadata = serde_json::from_str(entry.ok_or(NetProblem::Foreign)?)?;
        if metadata.version != VERSION {
            return Err(NetProblem::Version { found: metadata.version });
        }
        let found = checksum(bytes)?;
        if found != metadata.crc32 {
            return Err(NetProblem::Checksum { found, expected: metadata.crc32 });
        }
        if metadata.game != G::NAME {
            return Err(NetProblem::Game { found: metadata.game, expected: G::NAME });
        }
        if metadata.encoding != G::ENCODING_VERSION {
            let (game, expected) = (G::NAME, G::ENCODING_VERSION);
            return Err(NetProblem::Encoding { game, found: metadata.encoding, expected });
        }
        let file = SafeTensors::deserialize(bytes)?;
        let tensors = file.iter().map(|(name, view)| Ok((name.to_owned(), read_tensor(name, &view)?)));
        let tensors = tensors.collect::<Result<BTreeMap<_, _>, NetProblem>>()?;
        let (others, tensors) = tensors.into_iter().partition(|(name, _)| name.starts_with(OPTIMISER));
        Ok((Parameters::new::<G>(metadata.net, metadata.provenance, tensors)?, others))
    }
}

/// The checksum of everything behind the header of a file.
fn checksum(bytes: &[u8]) -> Result<String, SafeTensorError> {
    let (header, _) = SafeTensors::read_metadata(bytes)?;
    Ok(format!("{:08x}", crc32fast::hash(&bytes[LENGTH_BYTES + header..])))
}

/// A tensor of the file.
fn read_tensor(name: &str, view: &TensorView) -> Result<Tensor, NetProblem> {
    if view.dtype() != Dtype::F32 {
        return Err(NetProblem::Type { name: name.to_owned(), found: format!("{:?}", view.dtype()) });
    }
    let (numbers, _) = view.data().as_chunks::<4>();
    let values = numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    Ok(Tensor { shape: view.shape().to_vec(), values })
}
