//! Merging the PGN files of the shards of a match.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::file::{self, PgnFileError};
use super::{PgnError, PgnGame, ReplayError};
use crate::tournament::SHARD;
use labrys_core::search::Control;
use labrys_support::shard::{MergeError, Part, ShardError};

/// An error of merging records.
#[derive(Debug, Error)]
pub enum PgnMergeError {
    /// A file cannot be opened.
    #[error(transparent)]
    File(#[from] PgnFileError),
    /// A file cannot be read.
    #[error("{}: {error}", .path.display())]
    Pgn {
        /// The file.
        path: PathBuf,
        /// The error and its line.
        error: PgnError,
    },
    /// A game has a move that is not legal, or another result than by the rules.
    #[error("{}: game {number}: {error}", .path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// The number of the game.
        number: u64,
        /// The error.
        error: ReplayError,
    },
    /// A pair of games does not have the same players with the same options and limits, with colours swapped.
    #[error("{}: game {number}: other players, options or limits than in the game before it", .path.display())]
    Players {
        /// The file.
        path: PathBuf,
        /// The number of the second game.
        number: u64,
    },
    /// The tag of a shard is wrong.
    #[error("{}: {error}", .path.display())]
    Tag {
        /// The file.
        path: PathBuf,
        /// The error of the tag.
        error: ShardError,
    },
    /// The games are not those of the shard.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// The merge was stopped.
    #[error("interrupted")]
    Interrupted,
    /// The result cannot be written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The part of a match that a file holds, by its first game; `None` if that game is not of a shard.
///
/// # Errors
/// [`PgnMergeError`] names the file.
pub fn part_of(path: &Path) -> Result<Option<Part>, PgnMergeError> {
    let Some(game) = file::open(path)?.next() else { return Ok(None) };
    let game = game.map_err(|error| PgnMergeError::Pgn { path: path.to_owned(), error })?;
    part_of_game(&game).map_err(|error| PgnMergeError::Tag { path: path.to_owned(), error })
}

/// The part of a match that a game is of; `None` if it is not of a shard.
///
/// # Errors
/// [`ShardError`] of its tag.
pub fn part_of_game(game: &PgnGame) -> Result<Option<Part>, ShardError> {
    game.other_tag(SHARD).map(str::parse).transpose()
}

/// Writes the games of all parts of a match in the order of the schedule, without their `Shard` tags.
///
/// # Errors
/// [`PgnMergeError`] names the file that cannot be read, or that does not have exactly the games of its part;
/// [`PgnMergeError::Interrupted`] if `control` stops the work.
pub fn merge(files: &[(PathBuf, Part)], out: &mut dyn Write, control: &Control) -> Result<(), PgnMergeError> {
    for (path, part) in files {
        let mut games = BTreeMap::new();
        let tag = (SHARD.to_owned(), part.to_string());
        let mut reader = file::open(path)?;
        while let Some(game) = reader.next() {
            if control.is_stopped() {
                return Err(PgnMergeError::Interrupted);
            }
            let game = reader.unfinished().filter(|_| game.is_ok()).map_or(game, Err);
            let mut game = game.map_err(|error| PgnMergeError::Pgn { path: path.clone(), error })?;
            let number = game.number.unwrap_or(0);
            let is_own =
                number > 0 && part.numbers().contains(&(number - 1)) && game.other_tags.contains(&tag);
            game.other_tags.retain(|other| *other != tag);
            let replayed =
                game.board(None).and_then(|mut board| game.replay_to_result(board.as_mut()).map(drop));
            let text = game.to_string();
            if !is_own || games.insert(number, (game.players, text)).is_some() {
                return Err(part.refuse_game(path, number).into());
            }
            replayed.map_err(|error| PgnMergeError::Game { path: path.clone(), number, error })?;
        }
        part.check_games(path, games.len() as u64)?;
        for (&number, ([white, black], _)) in games.iter().filter(|(number, _)| number.is_multiple_of(2)) {
            let is_pair =
                games.get(&(number - 1)).is_none_or(|(first, _)| [&first[1], &first[0]] == [white, black]);
            if !is_pair {
                return Err(PgnMergeError::Players { path: path.clone(), number });
            }
        }
        games.values().try_for_each(|(_, game)| out.write_all(game.as_bytes()))?;
    }
    Ok(())
}
