//! Files of tensors, in the format safetensors, with metadata that say what they are for.
//!
//! One entry of the metadata is a JSON object: the version of the format, the game and the version of how it
//! encodes positions, data of the kind of file, `crc32`, the checksum of everything after the header of the
//! file, and `header_crc32`, that of everything before, which [`crate::seal`] writes. Version 1 does
//! not have the latter.

use std::io::{Read, Seek};
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::game::{PlanesError, quote};
use crate::input;
use crate::seal::{self, SealError};

/// The version of the format.
const VERSION: u32 = 2;

/// The version without a checksum of the header, which is read, too.
const WITHOUT_HEADER_SUM: u32 = 1;

/// The checksum of the header in the metadata.
const HEADER_SUM: &str = "header_crc32";

/// The bytes of a file before its header, which say how long the header is.
const LENGTH_BYTES: usize = 8;

/// The longest header in bytes of a file that is longer.
const MAX_HEADER: u64 = 1 << 20;

/// A kind of file.
#[derive(Clone, Copy, Debug)]
pub struct FileKind {
    /// What it holds, for errors.
    pub what: &'static str,
    /// The entry of the metadata.
    pub entry: &'static str,
    /// The version of how the game encodes positions. Other versions are refused.
    pub encoding: u32,
}

/// A problem of a file of tensors.
#[derive(Debug, Error)]
pub enum TensorProblem {
    /// It cannot be read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It is not a whole file in the format safetensors.
    #[error("not a whole safetensors file: {0}")]
    Format(#[from] SafeTensorError),
    /// It does not have the metadata of its kind.
    #[error("not {what} of Labrys: no metadata `{entry}`")]
    Foreign {
        /// What was expected.
        what: &'static str,
        /// The entry of the metadata.
        entry: &'static str,
    },
    /// The metadata are not what they should be.
    #[error("metadata: {0}")]
    Metadata(#[from] serde_json::Error),
    /// It has another version of the format.
    #[error("version {found}, expected {WITHOUT_HEADER_SUM} or {VERSION}")]
    Version {
        /// Its version.
        found: u32,
    },
    /// The header has changed since the file was written.
    #[error("header: {0}")]
    Header(#[from] SealError),
    /// The numbers have changed since the file was written.
    #[error("damaged: checksum {found}, expected {expected}")]
    Checksum {
        /// The checksum of the numbers.
        found: String,
        /// That of the metadata.
        expected: String,
    },
    /// It is for another game.
    #[error("{what} for game {}, expected `{expected}`", quote(.found))]
    Game {
        /// What it holds.
        what: &'static str,
        /// Its game.
        found: String,
        /// The game in play.
        expected: String,
    },
    /// It is for a board that the game does not have.
    #[error("for boards of {}×{}, which {game} does not have", board.0, board.1)]
    Board {
        /// Files and ranks.
        board: (usize, usize),
        /// The game.
        game: &'static str,
    },
    /// It is for another encoding of the game.
    #[error("{what} for version {found} of the encoding of {game}, expected {expected}")]
    Encoding {
        /// What it holds.
        what: &'static str,
        /// The game.
        game: String,
        /// The version of the file.
        found: u32,
        /// That of the game.
        expected: u32,
    },
    /// It is for planes that the encoding of the game does not have.
    #[error(transparent)]
    Planes(#[from] PlanesError),
    /// A tensor is missing, of another type or of another shape.
    #[error("tensor {}: {problem}", quote(.name))]
    Tensor {
        /// Its name.
        name: String,
        /// The problem.
        problem: String,
    },
}

/// A tensor to write.
pub struct TensorBytes<'a> {
    name: &'a str,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// A type of numbers in files, little-endian.
pub trait Number: Copy {
    /// Its name in files.
    const DTYPE: Dtype;

    /// Appends the bytes of a number.
    fn append(self, bytes: &mut Vec<u8>);

    /// The numbers that bytes stand for.
    fn read_all(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! number {
    ($number:ty, $dtype:expr) => {
        impl Number for $number {
            const DTYPE: Dtype = $dtype;

            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn read_all(bytes: &[u8]) -> Vec<Self> {
                let (numbers, _) = bytes.as_chunks();
                numbers.iter().map(|&bytes| Self::from_le_bytes(bytes)).collect()
            }
        }
    };
}

number!(f32, Dtype::F32);
number!(u32, Dtype::U32);
number!(i16, Dtype::I16);
number!(i32, Dtype::I32);

impl<'a> TensorBytes<'a> {
    /// A tensor of numbers, in the order of their indices, the last one running fastest.
    pub fn new<N: Number>(name: &'a str, shape: &[usize], values: &[N]) -> TensorBytes<'a> {
        let mut bytes = Vec::with_capacity(size_of_val(values));
        values.iter().for_each(|value| value.append(&mut bytes));
        TensorBytes { name, dtype: N::DTYPE, shape: shape.to_vec(), bytes }
    }
}

/// The metadata.
#[derive(Serialize, Deserialize)]
struct Metadata<M> {
    version: u32,
    game: String,
    encoding: u32,
    #[serde(flatten)]
    own: M,
    crc32: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    header_crc32: Option<String>,
}

/// The content of a file for a game, with the metadata of its kind.
pub fn to_bytes<M: Serialize>(
    kind: FileKind,
    game: &str,
    tensors: &[TensorBytes],
    own: M,
) -> Result<Vec<u8>, TensorProblem> {
    let views = tensors
        .iter()
        .map(|tensor| Ok((tensor.name, TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.bytes)?)));
    let views: Vec<_> = views.collect::<Result<_, SafeTensorError>>()?;
    let (game, encoding) = (game.to_owned(), kind.encoding);
    // The numbers are the same with and without metadata.
    let crc32 = checksum(&safetensors::serialize(views.clone(), None)?)?;
    let header_crc32 = Some("0".repeat(8));
    let metadata = Metadata { version: VERSION, game, encoding, own, crc32, header_crc32 };
    let metadata = [(kind.entry.to_owned(), serde_json::to_string(&metadata)?)];
    let mut bytes = safetensors::serialize(views, Some(metadata.into_iter().collect()))?;
    let end = numbers(&bytes)?;
    seal::seal(&mut bytes[..end], HEADER_SUM)?;
    Ok(bytes)
}

/// The bytes of a file of a kind. The header comes first, so that a large file of another kind is not read.
///
/// # Errors
/// As for [`input::read`], or if it is another file.
pub fn read_file(kind: FileKind, path: &Path) -> Result<Vec<u8>, TensorProblem> {
    let FileKind { what, entry, .. } = kind;
    let read = || {
        let (mut file, mut bytes) = (input::open(path)?, Vec::new());
        let length = file.metadata()?.len();
        file.by_ref().take(MAX_HEADER).read_to_end(&mut bytes)?;
        // Of a small one, who decodes it says what is wrong.
        if length > MAX_HEADER && !has_entry(&bytes, entry) {
            return Ok(None);
        }
        file.rewind()?;
        input::read_all(file, input::MAX_TENSORS).map(Some)
    };
    read().map_err(TensorProblem::Io)?.ok_or(TensorProblem::Foreign { what, entry })
}

/// Whether the header at the beginning of a file has a piece of metadata.
fn has_entry(bytes: &[u8], entry: &str) -> bool {
    let length = bytes.first_chunk().map(|&length| u64::from_le_bytes(length) as usize);
    let end = length.and_then(|length| length.checked_add(LENGTH_BYTES));
    let header = end.and_then(|end| serde_json::from_slice::<Value>(bytes.get(LENGTH_BYTES..end)?).ok());
    header.is_some_and(|header| header["__metadata__"][entry].is_string())
}

/// The game of a file and the metadata of its kind.
pub fn game_and_metadata<M: DeserializeOwned>(
    what: &'static str,
    entry: &'static str,
    bytes: &[u8],
) -> Result<(String, M), TensorProblem> {
    let metadata = metadata::<M>(what, entry, bytes)?;
    Ok((metadata.game, metadata.own))
}

/// The metadata of a file, whose header is as it was written.
fn metadata<M: DeserializeOwned>(
    what: &'static str,
    entry: &'static str,
    bytes: &[u8],
) -> Result<Metadata<M>, TensorProblem> {
    let (_, header) = SafeTensors::read_metadata(bytes)?;
    let text = header.metadata().as_ref().and_then(|metadata| metadata.get(entry));
    let metadata: Metadata<M> = serde_json::from_str(text.ok_or(TensorProblem::Foreign { what, entry })?)?;
    match metadata.version {
        VERSION => seal::check(&bytes[..numbers(bytes)?], HEADER_SUM)?,
        WITHOUT_HEADER_SUM => {}
        found => return Err(TensorProblem::Version { found }),
    }
    Ok(metadata)
}

/// The inverse of [`to_bytes`]: the metadata of the kind and the tensors.
pub fn from_bytes<'a, M: DeserializeOwned>(
    kind: FileKind,
    game: &str,
    bytes: &'a [u8],
) -> Result<(M, SafeTensors<'a>), TensorProblem> {
    let FileKind { what, entry, encoding } = kind;
    let metadata = metadata::<M>(what, entry, bytes)?;
    let found = checksum(bytes)?;
    if found != metadata.crc32 {
        return Err(TensorProblem::Checksum { found, expected: metadata.crc32 });
    }
    if metadata.game != game {
        return Err(TensorProblem::Game { what, found: metadata.game, expected: game.to_owned() });
    }
    if metadata.encoding != encoding {
        let (game, expected) = (game.to_owned(), encoding);
        return Err(TensorProblem::Encoding { what, game, found: metadata.encoding, expected });
    }
    Ok((metadata.own, SafeTensors::deserialize(bytes)?))
}

/// The numbers of a tensor, with its shape.
pub fn read<N: Number>(file: &SafeTensors, name: &str) -> Result<(Vec<usize>, Vec<N>), TensorProblem> {
    let refused = |problem| TensorProblem::Tensor { name: name.to_owned(), problem };
    let view = file.tensor(name).map_err(|_| refused("missing".to_owned()))?;
    if view.dtype() != N::DTYPE {
        return Err(refused(format!("numbers of type {:?}, expected {:?}", view.dtype(), N::DTYPE)));
    }
    Ok((view.shape().to_vec(), N::read_all(view.data())))
}

/// The checksum of everything after the header of a file.
fn checksum(bytes: &[u8]) -> Result<String, SafeTensorError> {
    Ok(format!("{:08x}", crc32fast::hash(&bytes[numbers(bytes)?..])))
}

/// Where the header of a file ends and its numbers begin.
fn numbers(bytes: &[u8]) -> Result<usize, SafeTensorError> {
    let (header, _) = SafeTensors::read_metadata(bytes)?;
    Ok(LENGTH_BYTES + header)
}
