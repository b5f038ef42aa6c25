//! Writing certificates.
//!
//! The tokens are written twice: at first, to a file without a name, it is not known which positions will be
//! referred to. Memory is needed for a number and a hash of each position with all replies only.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::path::Path;
use std::time::Instant;

use flate2::Compression;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use thiserror::Error;

use super::super::KnownValues;
use super::super::progress::REPORT_INTERVAL;
use super::super::prover::Prover;
use super::file::{
    self, COUNTED, ChecksumWriter, Counts, Header, KEPT, KNOWN, MOVE, REFERENCE, REPLIES, SEARCHED,
};
use super::leaf::{KillerReplies, Leaves};
use super::{Claim, end, hash};
use crate::Solvable;
use labrys_core::game::{Game, Wdl};
use labrys_support::files;

/// Positions between two polls of the clock.
const CLOCK_INTERVAL: u64 = 1 << 12;

/// Why a certificate was not written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The file cannot be written.
    #[error("the proof cannot be written: {0}")]
    Io(io::Error),
    /// The stop flag ended the search.
    #[error("it was stopped before the proof was written")]
    Stopped,
    /// The value is wrong: a bug of the engine, or a wrong assumption.
    #[error("the proof is wrong: no move reaches what was proven in {fen}")]
    Wrong {
        /// A position that is not as proven.
        fen: String,
    },
}

impl WriteError {
    /// The error with the name of the file.
    pub(in super::super) fn of(self, path: &Path) -> WriteError {
        match self {
            WriteError::Io(error) => WriteError::Io(files::named(path, error)),
            other => other,
        }
    }
}

// Not its source: the message has the error already.
impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> WriteError {
        WriteError::Io(error)
    }
}

/// A written certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Sizes.
    pub counts: Counts,
    /// The checksum at the end of the file.
    pub checksum: u32,
}

/// Writes the certificate of a value that the prover has found. Lines may end in positions whose value is
/// `known`.
///
/// # Errors
/// [`WriteError`]; then a file that was there before is unchanged.
pub(in super::super) fn write<G: Solvable>(
    path: &Path,
    position: &G,
    value: Wdl,
    leaves: Leaves,
    known: &KnownValues<G>,
    prover: &mut Prover<G>,
) -> Result<Written, WriteError> {
    let scratch = files::scratch_for(path)?;
    let mut draft = Draft {
        prover,
        known,
        leaves,
        killers: KillerReplies::new(),
        claim: Claim { player: position.side_to_move(), strict: true },
        tokens: DeflateEncoder::new(BufWriter::new(&scratch), Compression::fast()),
        counts: Counts::default(),
        proven: HashMap::new(),
        referenced: HashSet::new(),
        report: Instant::now(),
    };
    for claim in Claim::of(value, position.side_to_move()) {
        draft.claim = claim;
        draft.proven.clear();
        // A known value of the root itself is no proof.
        match end(position) {
            Some(_) => draft.add(position)?,
            None => draft.add_tree(position)?,
        }
    }
    let Draft { tokens, mut counts, referenced, .. } = draft;
    tokens.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
    counts.kept = referenced.len() as u64;
    let header = Header { variant: G::info().name.to_owned(), fen: position.fen(), value, counts };
    (&scratch).rewind()?;
    let mut checksum = 0;
    files::write_atomically_with(path, |file| {
        let mut file = ChecksumWriter::new(file);
        file::write_header(&mut file, &header)?;
        let mut tokens = DeflateEncoder::new(BufWriter::new(&mut file), Compression::best());
        number(&scratch, &referenced, &mut tokens)?;
        tokens.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
        checksum = file.finish()?;
        Ok::<(), io::Error>(())
    })?;
    Ok(Written { counts, checksum })
}

/// Copies tokens, with the numbers of the positions that are referred to.
fn number(scratch: &File, referenced: &HashSet<u64>, tokens: &mut dyn Write) -> io::Result<()> {
    let mut draft = BufReader::new(DeflateDecoder::new(BufReader::new(scratch)));
    let (mut replies, mut kept) = (0, HashMap::new());
    while let Some(token) = file::read_number(&mut draft)? {
        match token {
            REPLIES => {
                let is_kept = referenced.contains(&replies);
                if is_kept {
                    kept.insert(replies, kept.len() as u64);
                }
                replies += 1;
                file::write_number(tokens, if is_kept { KEPT } else { REPLIES })?;
            }
            REFERENCE => {
                let number = file::read_number(&mut draft)?.ok_or(io::ErrorKind::UnexpectedEof)?;
                file::write_number(tokens, REFERENCE)?;
                file::write_number(tokens, kept.len() as u64 - kept[&number])?;
            }
            token => file::write_number(tokens, token)?,
        }
    }
    Ok(())
}

/// The tokens of a certificate in the making.
struct Draft<'a, 'p, G: Game> {
    prover: &'a mut Prover<'p, G>,
    known: &'a KnownValues<G>,
    leaves: Leaves,
    killers: KillerReplies<G::Move>,
    claim: Claim,
    tokens: DeflateEncoder<BufWriter<&'a File>>,
    counts: Counts,
    /// The numbers of the positions whose replies have been written, by hash.
    proven: HashMap<u64, u64>,
    /// The numbers of those that are referred to.
    referenced: HashSet<u64>,
    /// The last report.
    report: Instant,
}

impl<G: Solvable> Draft<'_, '_, G> {
    /// Writes the proof of a position.
    fn add(&mut self, position: &G) -> Result<(), WriteError> {
        if let Some(outcome) = end(position) {
            return self.expect(self.claim.holds(outcome.winner), position);
        }
        if let Some(value) = self.known.get(position) {
            self.expect(self.claim.holds(value.winner(position.side_to_move())), position)?;
            return self.put(KNOWN);
        }
        self.add_tree(position)
    }

    /// Writes the tree of a position in which the game is not over.
    fn add_tree(&mut self, position: &G) -> Result<(), WriteError> {
        match position.side_to_move() == self.claim.player {
            true => self.add_move(position),
            false => self.add_replies(position),
        }
    }

    fn add_move(&mut self, position: &G) -> Result<(), WriteError> {
        if let Some(leaf) = self.leaf(position) {
            return self.put(leaf);
        }
        let strict = self.claim.strict;
        let mv = match self.prover.kept_move(position, strict) {
            Some(mv) => mv,
            None => match self.prover.prove(position, strict, u64::MAX) {
                Some((true, Some(mv))) => mv,
                Some(_) => return Err(WriteError::Wrong { fen: position.fen() }),
                None => return Err(WriteError::Stopped),
            },
        };
        let moves = position.moves();
        let place = moves.iter().position(|&other| other == mv);
        let place = place.ok_or_else(|| WriteError::Wrong { fen: position.fen() })?;
        self.put(MOVE + place as u64)?;
        self.add(&position.after(mv))
    }

    fn add_replies(&mut self, position: &G) -> Result<(), WriteError> {
        let hash = hash(&position.canonical());
        if let Some(&number) = self.proven.get(&hash) {
            self.referenced.insert(number);
            self.put(REFERENCE)?;
            return Ok(file::write_number(&mut self.tokens, number)?);
        }
        if let Some(leaf) = self.leaf(position) {
            return self.put(leaf);
        }
        let number = self.counts.replies;
        self.put(REPLIES)?;
        for mv in position.moves() {
            self.add(&position.after(mv))?;
        }
        self.proven.insert(hash, number);
        Ok(())
    }

    fn leaf(&mut self, position: &G) -> Option<u64> {
        self.leaves.prove(position, self.claim, &mut self.killers).then_some(match self.leaves {
            Leaves::Searched => SEARCHED,
            Leaves::Counted => COUNTED,
        })
    }

    fn put(&mut self, token: u64) -> Result<(), WriteError> {
        self.counts.add(token);
        let positions = self.counts.positions();
        if positions.is_multiple_of(CLOCK_INTERVAL) && self.report.elapsed() >= REPORT_INTERVAL {
            log::info!("{positions} positions of the certificate");
            self.report = Instant::now();
        }
        Ok(file::write_number(&mut self.tokens, token)?)
    }

    fn expect(&self, is_right: bool, position: &G) -> Result<(), WriteError> {
        if is_right { Ok(()) } else { Err(WriteError::Wrong { fen: position.fen() }) }
    }
}
