//! Merging the files of the shards of self-play.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::games::{BLOCK, GamesError, GamesProblem, PlayedGame, block_bytes, read_games};
use labrys_core::game::Game;
use labrys_support::shard::{MergeError, Part};

/// Why games cannot be merged.
#[derive(Debug, Error)]
pub enum GamesMergeError {
    /// A file is refused.
    #[error(transparent)]
    Games(#[from] GamesError),
    /// A file does not have the games of its part.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// The result cannot be written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

fn refused(path: &Path, problem: GamesProblem) -> GamesError {
    GamesError { path: path.to_owned(), problem }
}

/// Writes the games of all parts of a job, byte for byte as one machine would have written them.
///
/// # Errors
/// [`GamesMergeError`] names the file that is refused.
pub fn merge<G: Game>(files: &[(PathBuf, Part)], out: &mut dyn Write) -> Result<(), GamesMergeError> {
    let mut block: Vec<PlayedGame<G::Move>> = Vec::new();
    for (index, (path, part)) in files.iter().enumerate() {
        let (mut header, games) = read_games::<G>(path)?;
        part.check_games(path, games.len() as u64)?;
        if index == 0 {
            header.part = None;
            let line = header.line().map_err(|problem| refused(path, problem))?;
            out.write_all(line.as_bytes())?;
        }
        for game in games {
            block.push(game);
            if block.len() == BLOCK {
                out.write_all(&block_bytes(&block).map_err(|problem| refused(path, problem))?)?;
                block.clear();
            }
        }
    }
    if let (false, Some((path, _))) = (block.is_empty(), files.last()) {
        out.write_all(&block_bytes(&block).map_err(|problem| refused(path, problem))?)?;
    }
    Ok(())
}
