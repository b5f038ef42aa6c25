//! Merging the files of the shards of self-play into the file that one machine would have written, byte for
//! byte.

use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::nnue::games::{BLOCK, GamesError, GamesProblem, block_bytes, block_id, read_games, read_header};
use super::zero::{Metadata, Samples, SamplesError, SelfPlayResult, game_and_part};
use labrys_core::game::Knowledge;
use labrys_core::input;
use labrys_core::search::Control;
use labrys_support::shard::{MergeError, Part};

/// What a shard file contains, with the name of its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Self-play games.
    Games(String),
    /// Samples of a generation of policy/value nets.
    Samples(String),
}

/// Why files cannot be merged.
#[derive(Debug, Error)]
pub enum MergeFilesError {
    /// A games file is invalid.
    #[error(transparent)]
    Games(#[from] GamesError),
    /// A samples file is invalid.
    #[error(transparent)]
    Samples(#[from] SamplesError),
    /// A file does not contain the games of its part.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// The games of a file were played or scored in another way.
    #[error("{}: {name} {found}, but {} has {expected}", .path.display(), .first.display())]
    Unlike {
        /// The file.
        path: PathBuf,
        /// What differs.
        name: &'static str,
        /// Its value in the file.
        found: String,
        /// The first file.
        first: PathBuf,
        /// Its value in the first file.
        expected: String,
    },
    /// There is nothing to learn from.
    #[error("all games ended in their random openings")]
    NoPositions,
    /// The merge was stopped.
    #[error("interrupted")]
    Interrupted,
    /// A file cannot be read, or the result cannot be written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The kind and the part of a shard file; `None` for a file of any other kind.
///
/// # Errors
/// [`MergeFilesError`] names the file and what is wrong with it.
pub fn inspect(path: &Path) -> Result<Option<(Kind, Option<Part>)>, MergeFilesError> {
    if let Some(header) = read_header(path)? {
        return Ok(Some((Kind::Games(header.game), header.part)));
    }
    // The header of tensors begins after its length.
    let mut begin = Vec::new();
    input::open_stream(path)?.take(9).read_to_end(&mut begin)?;
    if begin.get(8) == Some(&b'{') && begin[..8].ends_with(&[0, 0]) {
        let (game, part) = game_and_part(path)?;
        return Ok(Some((Kind::Samples(game), part)));
    }
    Ok(None)
}

/// Writes the content of all parts of a job, in order.
///
/// # Errors
/// [`MergeFilesError`] names the invalid file; [`MergeFilesError::Interrupted`] if `control` stops the work.
pub fn merge<G: Knowledge>(
    kind: &Kind,
    files: &[(PathBuf, Part)],
    out: &mut dyn Write,
    control: &Control,
) -> Result<(), MergeFilesError> {
    match kind {
        Kind::Games(_) => merge_games::<G>(files, out, control),
        Kind::Samples(_) => merge_samples::<G>(files, out, control),
    }
}

/// Refuses to go on when the work is stopped.
fn check(control: &Control) -> Result<(), MergeFilesError> {
    if control.is_stopped() { Err(MergeFilesError::Interrupted) } else { Ok(()) }
}

/// Checks that all games were played and scored in the same way. Scores that were made anew keep the part of
/// the games, whose job does not know of them.
fn check_alike(files: &[(PathBuf, Part)]) -> Result<(), MergeFilesError> {
    let mut first = None;
    for (path, _) in files {
        let Some(mut header) = read_header(path)? else { continue };
        let (first, expected) = first.get_or_insert_with(|| (path, header.clone()));
        header.part = expected.part;
        if let Some((name, found, expected)) = header.difference(expected) {
            let (path, first) = (path.clone(), first.clone());
            return Err(MergeFilesError::Unlike { path, name, found, first, expected });
        }
    }
    Ok(())
}

fn merge_games<G: Knowledge>(
    files: &[(PathBuf, Part)],
    out: &mut dyn Write,
    control: &Control,
) -> Result<(), MergeFilesError> {
    check_alike(files)?;
    let (mut block, mut seed, mut seen) = (Vec::new(), 0, HashSet::new());
    for (index, (path, part)) in files.iter().enumerate() {
        check(control)?;
        let refused = |problem| GamesError { path: path.clone(), problem };
        let (mut header, games) = read_games::<G>(path)?;
        part.check_games(path, games.len() as u64)?;
        if index == 0 {
            header.part = None;
            let line;
            (line, seed) = header.line_and_seed().map_err(refused)?;
            out.write_all(&line)?;
        }
        block.extend(games);
        // The last block may have fewer games.
        let whole = if index + 1 == files.len() { block.len() } else { block.len() / BLOCK * BLOCK };
        for games in block.drain(..whole).as_slice().chunks(BLOCK) {
            check(control)?;
            let bytes = block_bytes::<G>(seed, games).map_err(refused)?;
            if !seen.insert(block_id(&bytes)) {
                return Err(refused(GamesProblem::Again).into());
            }
            out.write_all(&bytes)?;
        }
    }
    Ok(())
}

fn merge_samples<G: Knowledge>(
    files: &[(PathBuf, Part)],
    out: &mut dyn Write,
    control: &Control,
) -> Result<(), MergeFilesError> {
    let (mut all, mut result, mut whole) = (Samples::new(), SelfPlayResult::default(), None);
    for (path, part) in files {
        check(control)?;
        let (samples, metadata) = Samples::read::<G>(path)?;
        part.check_games(path, metadata.result.games())?;
        all.append(&samples);
        result.add_all(metadata.result);
        whole = Some((path, Metadata { result, job: Some(part.job()), part: None, ..metadata }));
    }
    let Some((path, metadata)) = whole.filter(|_| !all.is_empty()) else {
        return Err(MergeFilesError::NoPositions);
    };
    check(control)?;
    let bytes = all.to_bytes::<G>(metadata);
    let bytes = bytes.map_err(|problem| SamplesError { path: path.clone(), problem: Box::new(problem) })?;
    Ok(out.write_all(&bytes)?)
}
