//! The file that a match writes its records to, game by game.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::pgn::{self, PgnError, PgnGame};
use crate::game::quote;

/// Records that are appended one by one: who is killed loses no game that was over.
#[derive(Debug)]
pub struct PgnFile {
    file: File,
    /// Bytes of the file that are whole records; what is behind them goes when the next one is written.
    whole: Option<u64>,
}

/// A file that cannot be used.
#[derive(Debug, Error)]
pub enum PgnFileError {
    /// The system refuses it.
    #[error("{}: {error}", quote(&.path.display().to_string()))]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// What is in it are no records.
    #[error("{}, {error}", quote(&.path.display().to_string()))]
    Pgn {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        error: PgnError,
    },
}

impl PgnFile {
    /// Begins a file, which must not exist.
    ///
    /// # Errors
    /// [`PgnFileError::File`].
    pub fn create(path: &Path) -> Result<PgnFile, PgnFileError> {
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        Ok(PgnFile { file: file.map_err(|error| failed(path, error))?, whole: None })
    }

    /// Goes on with a file, or begins it; the records that it has come with it. What a killed writer has
    /// left of a game is cut off when the next one is appended: until then the file stays as it is.
    ///
    /// # Errors
    /// [`PgnFileError`].
    pub fn resume(path: &Path) -> Result<(PgnFile, Vec<PgnGame>), PgnFileError> {
        let failed = |error| failed(path, error);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let text = match str::from_utf8(&bytes) {
            Ok(text) => text,
            // The writer may have been killed in the middle of a letter.
            Err(error) if error.error_len().is_none() => {
                str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(error) => return Err(failed(io::Error::new(io::ErrorKind::InvalidData, error))),
        };
        let (records, complete) =
            pgn::parse_complete(text).map_err(|error| PgnFileError::Pgn { path: path.to_owned(), error })?;
        if !text[complete..].trim().is_empty() {
            log::warn!("{}: an unfinished game at the end will be cut off", path.display());
        }
        Ok((PgnFile { file, whole: Some(complete as u64) }, records))
    }

    /// Appends a record.
    ///
    /// # Errors
    /// What the system says.
    pub fn append(&mut self, record: &PgnGame) -> io::Result<()> {
        if let Some(whole) = self.whole.take() {
            self.file.set_len(whole)?;
            self.file.seek(SeekFrom::End(0))?;
            if whole > 0 {
                self.file.write_all(b"\n\n")?;
            }
        }
        self.file.write_all(record.to_string().as_bytes())
    }
}

/// Reads the records of a file.
///
/// # Errors
/// [`PgnFileError`] names the file and the line.
pub fn read(path: &Path) -> Result<Vec<PgnGame>, PgnFileError> {
    let text = std::fs::read_to_string(path).map_err(|error| failed(path, error))?;
    pgn::parse(&text).map_err(|error| PgnFileError::Pgn { path: path.to_owned(), error })
}

fn failed(path: &Path, error: io::Error) -> PgnFileError {
    PgnFileError::File { path: path.to_owned(), error }
}
