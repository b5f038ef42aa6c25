//! PGN files: reading them, and appending the games of a match one by one.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::pgn::{self, PgnError, PgnGame};
use crate::game::quote;

/// A PGN file that games are appended to. Each game is written as soon as it is finished, so a killed match
/// loses no finished game.
#[derive(Debug)]
pub struct PgnFile {
    file: File,
    /// Length in bytes of the complete games; the file is truncated to it before the next game is written.
    whole: Option<u64>,
}

/// Why a PGN file cannot be used.
#[derive(Debug, Error)]
pub enum PgnFileError {
    /// It cannot be opened, read or written.
    #[error("{}: {error}", quote(&.path.display().to_string()))]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// Its content is not PGN.
    #[error("{}, {error}", quote(&.path.display().to_string()))]
    Pgn {
        /// The file.
        path: PathBuf,
        /// The error and its line.
        error: PgnError,
    },
}

impl PgnFile {
    /// Creates a file, which must not exist.
    ///
    /// # Errors
    /// [`PgnFileError::File`].
    pub fn create(path: &Path) -> Result<PgnFile, PgnFileError> {
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        Ok(PgnFile { file: file.map_err(|error| failed(path, error))?, whole: None })
    }

    /// Opens a file to append to, created if missing, and returns the games in it. An unfinished game at its
    /// end, left by a killed match, is removed when the next game is appended; until then the file is not
    /// changed.
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
            // The writer may have been killed in the middle of a UTF-8 sequence.
            Err(error) if error.error_len().is_none() => {
                str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(error) => return Err(failed(io::Error::new(io::ErrorKind::InvalidData, error))),
        };
        let (records, complete) =
            pgn::parse_complete(text).map_err(|error| PgnFileError::Pgn { path: path.to_owned(), error })?;
        if !text[complete..].trim().is_empty() {
            log::warn!("{}: the unfinished game at the end will be removed", path.display());
        }
        Ok((PgnFile { file, whole: Some(complete as u64) }, records))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// Any error of writing the file.
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

/// Reads all games of a file.
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
