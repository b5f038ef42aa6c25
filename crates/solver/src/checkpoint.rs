//! Checkpoints: files with the table of a search.
//!
//! Little-endian: `LABRYSPT`, the version of the format, the length and the text of the position searched,
//! all entries (key, data), two zeros, and the CRC-32 of everything before.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::Path;

use crc32fast::Hasher;

use super::SolveError;
use super::table::ProofTable;
use labrys_core::game::quote;
use labrys_core::input;
use labrys_support::files::{Claim, is_stream, write_atomically_with};

const MAGIC: &[u8; 8] = b"LABRYSPT";

/// The error for a file without the magic.
const NOT_A_CHECKPOINT: &str = "it is no checkpoint";

/// The version of format, keys and bounds: entries of others mean something else, or may be wrong.
const VERSION: u32 = 3;

/// The longest text of a position.
const MAX_POSITION: u32 = 1 << 12;

/// A checkpoint file of a search.
#[derive(Debug)]
pub(super) struct Checkpoint<'a> {
    path: &'a Path,
    /// The game and the position.
    position: String,
}

/// Writes to a file, or reads from one, and computes the checksum.
struct Checksummed<T> {
    file: T,
    sum: Hasher,
}

impl<T: Write> Checksummed<T> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.file.write_all(bytes)
    }
}

impl<T: Read> Checksummed<T> {
    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        self.sum.update(&bytes);
        Ok(bytes)
    }
}

impl<'a> Checkpoint<'a> {
    /// The checkpoint of a search.
    pub(super) fn new(path: &'a Path, position: String) -> Checkpoint<'a> {
        Checkpoint { path, position }
    }

    /// Locks it for writing.
    ///
    /// # Errors
    /// [`SolveError::Checkpoint`]: it cannot be written, or another process writes it.
    pub(super) fn claim(&self) -> Result<Claim, SolveError> {
        Claim::file(self.path).map_err(|error| self.error(&error.to_string()))
    }

    /// Writes the table.
    ///
    /// # Errors
    /// [`SolveError::Checkpoint`]; the old file stays.
    pub(super) fn write(&self, table: ProofTable<'_>) -> Result<(), SolveError> {
        let write = |file: &mut dyn Write| {
            let mut file = Checksummed { file, sum: Hasher::new() };
            file.put(MAGIC)?;
            file.put(&VERSION.to_le_bytes())?;
            file.put(&(self.position.len() as u32).to_le_bytes())?;
            file.put(self.position.as_bytes())?;
            for words in table.entries().chain([[0; 2]]) {
                file.put(words.map(u64::to_le_bytes).as_flattened())?;
            }
            let sum = file.sum.clone().finalize();
            file.put(&sum.to_le_bytes())
        };
        write_atomically_with(self.path, write).map_err(|error: io::Error| self.error(&error.to_string()))
    }

    /// Reads the table, if there is a file.
    ///
    /// # Errors
    /// [`SolveError::Checkpoint`]: the file is truncated, damaged, of another kind or of another position.
    pub(super) fn read(&self, table: ProofTable<'_>) -> Result<(), SolveError> {
        if is_stream(self.path) {
            return Err(self.error("a pipe or a device, which cannot be read again"));
        }
        let file = match input::open(self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            file => file.map_err(|error| self.error(&error.to_string()))?,
        };
        let mut file = Checksummed { file: BufReader::new(file), sum: Hasher::new() };
        self.read_from(&mut file, table).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof if self.has_magic() => self.error("the file is truncated"),
            ErrorKind::UnexpectedEof => self.error(NOT_A_CHECKPOINT),
            _ => self.error(&error.to_string()),
        })
    }

    /// Whether the file begins as a checkpoint does, as far as it goes.
    fn has_magic(&self) -> bool {
        let mut begin = Vec::new();
        let read =
            File::open(self.path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut begin));
        read.is_ok() && MAGIC.starts_with(&begin)
    }

    fn read_from(&self, file: &mut Checksummed<impl Read>, table: ProofTable<'_>) -> io::Result<()> {
        let refused = |reason: String| Err(io::Error::other(reason));
        if file.take()? != *MAGIC {
            return refused(NOT_A_CHECKPOINT.into());
        }
        let version = u32::from_le_bytes(file.take()?);
        if version != VERSION {
            return refused(format!("version {version} of the format; {VERSION} is known"));
        }
        let length = u32::from_le_bytes(file.take()?);
        if length > MAX_POSITION {
            return refused("the file is damaged: its position is too long".into());
        }
        let mut position = Vec::new();
        for _ in 0..length {
            position.extend(file.take::<1>()?);
        }
        if position != self.position.as_bytes() {
            return refused(format!(
                "it belongs to {}, not to `{}`",
                quote(&String::from_utf8_lossy(&position)),
                self.position
            ));
        }
        loop {
            let [key, data] = [file.take()?, file.take()?].map(u64::from_le_bytes);
            if data == 0 {
                break;
            }
            table.insert([key, data]);
        }
        let expected = file.sum.clone().finalize();
        if u32::from_le_bytes(file.take()?) != expected {
            return refused("the file is damaged: its checksum is wrong".into());
        }
        match file.take::<1>() {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(()),
            Err(error) => Err(error),
            Ok(_) => refused("the file is damaged: there is more behind its end".into()),
        }
    }

    fn error(&self, reason: &str) -> SolveError {
        SolveError::Checkpoint { file: self.path.display().to_string(), reason: reason.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::numbers::Numbers;
    use super::super::table::Memory;
    use super::*;

    #[test]
    fn a_checkpoint_is_read_back_and_damage_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        let checkpoint = Checkpoint::new(&path, "amazons 1q/Q1 w".into());
        let memory = Memory::new(1).unwrap();
        let table = memory.table();
        checkpoint.read(table).unwrap();
        let numbers = |key: u64| Numbers { proof: key, disproof: 2 };
        for key in 1..=100 {
            table.store(key << 50, numbers(key), key, None);
        }
        checkpoint.write(table).unwrap();

        let memory = Memory::new(2).unwrap();
        let other = memory.table();
        checkpoint.read(other).unwrap();
        for key in 1..=100 {
            assert_eq!(other.probe(key << 50), Some(numbers(key)));
        }

        let bytes = std::fs::read(&path).unwrap();
        for (other_file, problem) in
            [(&b"1. e4"[..], NOT_A_CHECKPOINT), (b"", "truncated"), (b"LABRYSP", "truncated")]
        {
            std::fs::write(&path, other_file).unwrap();
            let error = checkpoint.read(other).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
        for place in [0, 9, 13, 20, 100, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[place] ^= 4;
            std::fs::write(&path, damaged).unwrap();
            let error = checkpoint.read(other).unwrap_err().to_string();
            assert!(error.contains("table") && !error.ends_with(':'), "{error}");
        }
        for length in [0, 7, 25, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(checkpoint.read(other).unwrap_err().to_string().contains("truncated"));
        }
        std::fs::write(&path, [&bytes[..], b"x"].concat()).unwrap();
        assert!(checkpoint.read(other).unwrap_err().to_string().contains("more behind its end"));
        std::fs::write(&path, &bytes).unwrap();
        let error = Checkpoint::new(&path, "amazons q1/Q1 w".into()).read(other).unwrap_err();
        assert!(error.to_string().contains("it belongs to `amazons 1q/Q1 w`"), "{error}");
    }
}
