//! Reading the games of PGN files, for commands.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use crate::arena::pgn::file::{self, PgnFileError};
use crate::arena::pgn::{PgnGame, PgnReader};

/// What to do with games that cannot be used.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct Strictness {
    /// Stop at the first game or line that cannot be used, instead of leaving it out
    #[arg(long)]
    pub(super) strict: bool,
}

/// The games of a file, one by one. A game that cannot be used is named on standard error and left out, or
/// is an error if the reading is strict.
pub(super) struct Records<R> {
    path: PathBuf,
    reader: PgnReader<R>,
    strictness: Strictness,
    /// The place of the last game in the file, from 1.
    place: u64,
    /// The number of the last game.
    number: u64,
    /// The games left out.
    refused: u64,
}

/// Opens a file of games.
pub(super) fn open(path: &Path, strictness: Strictness) -> Result<Records<impl BufRead>, PgnFileError> {
    let reader = file::open(path)?;
    Ok(Records { path: path.to_owned(), reader, strictness, place: 0, number: 0, refused: 0 })
}

impl<R: BufRead> Records<R> {
    /// The next game that can be read; `None` at the end of the file.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<PgnGame>> {
        while let Some(game) = self.reader.next() {
            self.place += 1;
            match game {
                Ok(game) => {
                    self.number = game.number.unwrap_or(self.place);
                    return Ok(Some(game));
                }
                Err(error) => {
                    let place = format!("{}, game {}", self.path.display(), self.place);
                    self.leave_out(anyhow::Error::new(error).context(place))?;
                }
            }
        }
        Ok(None)
    }

    /// The number of the last game, or its place in the file if it has none, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The number of games left out.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// Leaves out the last game.
    ///
    /// # Errors
    /// `error` if the reading is strict.
    pub(super) fn refuse(&mut self, error: anyhow::Error) -> anyhow::Result<()> {
        let (path, line) = (self.path.display(), self.reader.game_line());
        self.leave_out(error.context(format!("{path}, game {} in line {line}", self.number)))
    }

    fn leave_out(&mut self, error: anyhow::Error) -> anyhow::Result<()> {
        if self.strictness.strict {
            return Err(error);
        }
        eprintln!("labrys: warning: left out: {error:#}");
        self.refused += 1;
        Ok(())
    }
}
