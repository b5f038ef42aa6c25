//! Reading the games of PGN files, for commands.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail, ensure};

use crate::arena::pgn::file;
use crate::arena::pgn::{PgnGame, PgnReader, Problem, ReplayError};
use crate::game::counted;
use crate::learn::nnue::games::read_header;
use crate::search::Control;

/// A warning is printed if more than one game in this many repeats another one.
const REPEATED: u64 = 10;

/// Warns if many of some games repeat another one.
pub(in crate::commands) fn warn_of_repeats(games: u64, distinct: u64) {
    let repeated = games.saturating_sub(distinct);
    if games >= REPEATED && repeated > games / REPEATED {
        let games = counted(games, "game");
        print_message!(
            "labrys: warning: {repeated} of {games} repeat another one move for move: error bars take them for independent"
        );
    }
}

/// How to handle invalid games.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(in crate::commands) struct Strictness {
    /// Stop at the first invalid game or line instead of skipping it
    #[arg(long)]
    pub(in crate::commands) strict: bool,
}

/// The games of a file, one by one. An invalid game is skipped with a message on standard error, or is an error
/// if the reading is strict.
pub(in crate::commands) struct Records<'a, R> {
    path: PathBuf,
    reader: PgnReader<R>,
    strictness: Strictness,
    /// What ends the reading.
    control: &'a Control,
    /// The index of the last game in the file, from 1.
    place: u64,
    /// The number of the last game.
    number: u64,
    /// The number of skipped games.
    refused: u64,
    /// The other games that have been reported.
    others: Vec<&'static str>,
}

/// Opens a file of games, whose reading `control` ends.
///
/// # Errors
/// It cannot be opened, or is not a PGN file.
pub(in crate::commands) fn open<'a>(
    path: &Path,
    strictness: Strictness,
    control: &'a Control,
) -> anyhow::Result<Records<'a, impl BufRead>> {
    if path.is_dir() {
        bail!("{}: a folder, expected a file of games", path.display());
    }
    if let Ok(Some(header)) = read_header(path) {
        let (path, game) = (path.display(), header.game);
        bail!(
            "{path}: self-play games of {game}, expected games in PGN, as `labrys games replay` prints them"
        );
    }
    let reader = file::open(path)?;
    Ok(Records {
        path: path.to_owned(),
        reader,
        strictness,
        control,
        place: 0,
        number: 0,
        refused: 0,
        others: Vec::new(),
    })
}

impl<R: BufRead> Records<'_, R> {
    /// The next game that can be read; `None` at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read, the reading was ended, or is strict and the game is invalid.
    pub(in crate::commands) fn next(&mut self) -> anyhow::Result<Option<PgnGame>> {
        while let Some(game) = self.reader.next() {
            self.place += 1;
            ensure!(!self.control.is_stopped(), "interrupted");
            match game {
                Ok(game) => {
                    self.number = game.number.unwrap_or(self.place);
                    return Ok(Some(game));
                }
                Err(error) => {
                    let path = self.path.display();
                    let place = match error.problem {
                        Problem::Read(_) => path.to_string(),
                        _ => format!("{path}, game {}", self.place),
                    };
                    self.skip_game(anyhow::Error::new(error).context(place))?;
                }
            }
        }
        Ok(None)
    }

    /// The number of the last game, or its index in the file if it has none, from 1.
    pub(in crate::commands) fn number(&self) -> u64 {
        self.number
    }

    /// The number of skipped games.
    pub(in crate::commands) fn refused(&self) -> u64 {
        self.refused
    }

    /// Skips the last game, which is expected to be a game of `variant`. Each other variant is reported once.
    ///
    /// # Errors
    /// `error`, or that it is a game of another variant, if the reading is strict.
    pub(in crate::commands) fn refuse(
        &mut self,
        game: &PgnGame,
        variant: Option<&str>,
        error: anyhow::Error,
    ) -> anyhow::Result<()> {
        let (path, line) = (self.path.display(), self.reader.game_line());
        let place = format!("{path}, game {} in line {line}", self.number);
        let Some(ReplayError::OtherVariant { found, expected }) = game.other_game_error(variant) else {
            return self.skip_game(error.context(place));
        };
        if self.others.contains(&found) {
            self.refused += 1;
            return Ok(());
        }
        self.others.push(found);
        let others = if self.strictness.strict { "" } else { ", as are all others like it" };
        self.skip_game(anyhow!("{place}: a game of {found}, expected {expected}{others}"))
    }

    fn skip_game(&mut self, error: anyhow::Error) -> anyhow::Result<()> {
        if self.strictness.strict {
            return Err(error);
        }
        print_message!("labrys: warning: left out: {}", crate::commands::shared::errors::full_text(&error));
        self.refused += 1;
        Ok(())
    }
}
