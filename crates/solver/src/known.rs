//! Known values: results proven elsewhere, exchanged as lines of text.
//!
//! A line has four fields with tabs between them: the game, a FEN, the value for the side to move, and the
//! nodes that its proof took. A fifth field is the checksum of the others, or the moves that lead there, which
//! are ignored.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::certificate::{self, CertificateError, Verifier, end, hash, is_same};
use super::{ChanceError, can_be_proven};
use crate::{ProofLeaf, Solvable};
use labrys_core::game::{Wdl, counted, quote};
use labrys_support::text;

/// Values of positions. Positions that symmetries of the rules turn into each other are one.
#[derive(Clone, Debug)]
pub struct KnownValues<G> {
    /// Canonical positions by their hash.
    values: HashMap<u64, Vec<(G, Wdl)>>,
    /// The same by the keys of the solver, of positions that are not decided without search.
    by_key: HashMap<u64, Wdl>,
}

/// Why a file with results is refused.
#[derive(Debug, Error)]
pub enum KnownError {
    /// The file cannot be read.
    #[error("{file}: {error}")]
    Io {
        /// The file.
        file: String,
        /// The error of the system.
        error: io::Error,
    },
    /// The game has no results that can be known.
    #[error(transparent)]
    Chance(#[from] ChanceError),
    /// A line is invalid.
    #[error("{file}: line {line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// The number of the line, from 1.
        line: usize,
        /// The problem.
        problem: String,
    },
    /// The file is a certificate that proves nothing.
    #[error("{file} {error}")]
    Certificate {
        /// The file.
        file: String,
        /// The problem.
        error: CertificateError,
    },
}

impl KnownError {
    /// The error of a refused certificate.
    pub fn from_certificate(path: &Path, error: CertificateError) -> KnownError {
        KnownError::Certificate { file: path.display().to_string(), error }
    }
}

/// What the checksum of a line begins with, in a fifth field.
const CHECKSUM: &str = "crc32=";

/// A line for the value of a position of a game, with the checksum of what stands before it.
pub fn result_line(variant: &str, fen: &str, value: Wdl, nodes: u64) -> String {
    let line = format!("{variant}\t{fen}\t{value}\t{nodes}");
    let checksum = crc32fast::hash(line.as_bytes());
    format!("{line}\t{CHECKSUM}{checksum:08x}\n")
}

/// Checks the checksum of a line. One that was written by hand may have none.
fn check_line(line: &str) -> Result<(), String> {
    let Some((text, field)) = line.rsplit_once('\t') else { return Ok(()) };
    let Some(expected) = field.strip_prefix(CHECKSUM) else {
        // Moves have no such letters: it was a checksum before a letter of its name changed.
        let is_like_checksum = field.contains('=') || field.starts_with(CHECKSUM.trim_end_matches('='));
        return match is_like_checksum && line.matches('\t').count() == 4 {
            true => Err(format!("{}, expected `{CHECKSUM}` and a checksum, or moves", quote(field))),
            false => Ok(()),
        };
    };
    let found = format!("{:08x}", crc32fast::hash(text.as_bytes()));
    if found == expected {
        Ok(())
    } else {
        Err(format!("damaged: checksum {found}, expected {}", quote(expected)))
    }
}

impl<G: Solvable> KnownValues<G> {
    /// No values.
    pub fn new() -> KnownValues<G> {
        KnownValues { values: HashMap::new(), by_key: HashMap::new() }
    }

    /// The values in files of lines, and those that certificates prove; each certificate may rest on those
    /// before it.
    ///
    /// # Errors
    /// [`KnownError`] names the file and the line, also where two values contradict each other.
    pub fn read(files: &[PathBuf]) -> Result<KnownValues<G>, KnownError> {
        can_be_proven::<G>()?;
        let (mut known, mut verifier) = (KnownValues::new(), Verifier::<G>::new());
        for path in files {
            let file = path.display().to_string();
            let io = |error| KnownError::Io { file: file.clone(), error };
            if certificate::is_certificate(path).map_err(io)? {
                let verified = verifier.verify(path);
                let header = verified.map_err(|error| KnownError::from_certificate(path, error))?.header;
                let added = known.add_text(&header.fen, header.value);
                added.map_err(|problem| KnownError::Line { file: file.clone(), line: 2, problem })?;
            } else {
                known.read_lines(path, &file)?;
            }
        }
        Ok(known)
    }

    /// Checks the lines of a file, to which more are to be added.
    pub(super) fn check_lines(path: &Path) -> Result<(), KnownError> {
        can_be_proven::<G>()?;
        KnownValues::<G>::new().read_lines(path, &path.display().to_string())
    }

    fn read_lines(&mut self, path: &Path, file: &str) -> Result<(), KnownError> {
        let text = text::read(path).map_err(|error| KnownError::Io { file: file.to_owned(), error })?;
        for (text, line) in text.lines().zip(1..) {
            let added = self.add_line(text);
            added.map_err(|problem| KnownError::Line { file: file.to_owned(), line, problem })?;
        }
        Ok(())
    }

    /// Adds the value of a line. Empty lines and comments have none.
    fn add_line(&mut self, line: &str) -> Result<(), String> {
        if line.trim().is_empty() || line.starts_with('#') {
            return Ok(());
        }
        check_line(line)?;
        let fields: Vec<_> = line.split('\t').collect();
        let ([variant, fen, value, nodes] | [variant, fen, value, nodes, _]) = fields[..] else {
            return Err(format!(
                "{}, expected 4 with tabs between them: game, FEN, value, nodes",
                counted(fields.len(), "field")
            ));
        };
        if variant != G::info().name {
            return Err(format!("game {}, expected `{}`", quote(variant), G::info().name));
        }
        let value = match value {
            "win" => Wdl::Win,
            "draw" if G::CAN_BE_DRAWN => Wdl::Draw,
            "loss" => Wdl::Loss,
            _ => {
                return Err(format!(
                    "value {}, expected a value of the game: win, draw or loss",
                    quote(value)
                ));
            }
        };
        nodes.parse::<u64>().map_err(|_| format!("nodes {}, expected a number", quote(nodes)))?;
        self.add_text(fen, value)
    }

    fn add_text(&mut self, fen: &str, value: Wdl) -> Result<(), String> {
        let position = G::from_fen(fen).map_err(|error| error.to_string())?;
        let stm = position.side_to_move();
        let certain = match (end(&position), position.proof_leaf()) {
            (Some(outcome), _) => Some(outcome.winner),
            (None, ProofLeaf::Decided(winner)) => Some(winner),
            _ => None,
        };
        if certain.is_some_and(|winner| winner != value.winner(stm)) {
            return Err(format!("{value} is not the value of this position"));
        }
        // Of this position, or of one that the solver does not tell apart, such as with the colours swapped.
        let alike = proof_key(&position).and_then(|key| self.by_key.get(&key).copied());
        match self.get(&position).or(alike) {
            Some(before) if before != value => Err(format!("{value}, but an earlier line says {before}")),
            _ => {
                self.insert(&position, value);
                Ok(())
            }
        }
    }

    /// Adds the value of a position, unless one is known, which is returned.
    pub fn insert(&mut self, position: &G, value: Wdl) -> Option<Wdl> {
        let known = self.get(position);
        if known.is_none() {
            let canonical = position.canonical();
            self.values.entry(hash(&canonical)).or_default().push((canonical, value));
            self.by_key.extend(proof_key(position).map(|key| (key, value)));
        }
        known
    }

    /// The value of a position, if it is known.
    pub fn get(&self, position: &G) -> Option<Wdl> {
        if self.values.is_empty() {
            return None;
        }
        let canonical = position.canonical();
        let same = self.values.get(&hash(&canonical))?.iter().find(|(other, _)| is_same(other, &canonical));
        same.map(|&(_, value)| value)
    }

    /// The values by the keys of the solver, of positions that are not decided without search.
    pub(super) fn by_proof_key(&self) -> &HashMap<u64, Wdl> {
        &self.by_key
    }
}

/// The key of a position for the solver, unless it is decided without search.
fn proof_key<G: Solvable>(position: &G) -> Option<u64> {
    match (end(position), position.proof_leaf()) {
        (None, ProofLeaf::Open { key, .. }) => Some(key),
        _ => None,
    }
}

impl<G: Solvable> Default for KnownValues<G> {
    fn default() -> Self {
        KnownValues::new()
    }
}
