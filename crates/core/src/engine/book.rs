//! Opening books in the format of Polyglot: entries of 16 bytes, big-endian, sorted by key.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | the key of a position |
//! | 2 | a move in it |
//! | 2 | the weight of the move |
//! | 4 | for programs that learn |

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::game::{Knowledge, counted, mixed, quote_path};
use crate::input;

/// Bytes of an entry.
const ENTRY: usize = 16;

/// The maximum size of a book in bytes: 16 million entries.
const MAX_SIZE: u64 = 1 << 28;

/// The most bits of a move: two squares and a promotion to the last of four pieces.
const MAX_MOVE: u16 = 4 << 12 | 0xFFF;

/// An opening book that cannot be used.
#[derive(Debug, Error)]
#[error("book {}: {problem}", quote_path(.path))]
pub struct BookError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: BookProblem,
}

/// What is wrong with an opening book.
#[derive(Debug, Error)]
pub enum BookProblem {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Its end is missing, or it is another file.
    #[error("{}, expected entries of {ENTRY} bytes: cut off, or no book of Polyglot", counted(.0, "byte"))]
    Length(usize),
    /// It has no position.
    #[error("no position in it")]
    Empty,
    /// The entries are not sorted.
    #[error("entry {0} is out of order: damaged, or no book of Polyglot")]
    Order(usize),
    /// An entry has no move.
    #[error("entry {0} has no move: damaged, or no book of Polyglot")]
    Move(usize),
}

/// An opening book.
#[derive(Debug)]
pub(super) struct OpeningBook {
    entries: Vec<u8>,
}

/// An entry.
struct Entry {
    key: u64,
    mv: u16,
    weight: u16,
}

impl Entry {
    fn read(bytes: &[u8; ENTRY]) -> Entry {
        let [key @ .., m0, m1, w0, w1, _, _, _, _] = *bytes;
        Entry {
            key: u64::from_be_bytes(key),
            mv: u16::from_be_bytes([m0, m1]),
            weight: u16::from_be_bytes([w0, w1]),
        }
    }

    /// Whether it is data of the program that wrote the book, not a move.
    fn is_remark(&self) -> bool {
        self.key == 0
    }

    /// Whether the bits of the move can be those of one.
    fn has_move(&self) -> bool {
        self.mv <= MAX_MOVE && self.mv & 63 != self.mv >> 6 & 63
    }
}

impl OpeningBook {
    /// Reads a book.
    ///
    /// # Errors
    /// [`BookError`] names the file and the first entry that is wrong.
    pub(super) fn read(path: &Path) -> Result<OpeningBook, BookError> {
        let read = || OpeningBook::new(input::read(path, MAX_SIZE)?);
        read().map_err(|problem| BookError { path: path.to_owned(), problem })
    }

    /// A book of these bytes.
    fn new(entries: Vec<u8>) -> Result<OpeningBook, BookProblem> {
        if !entries.len().is_multiple_of(ENTRY) {
            return Err(BookProblem::Length(entries.len()));
        }
        let book = OpeningBook { entries };
        let (mut last, mut is_empty) = (0, true);
        for (entry, number) in book.entries().iter().map(Entry::read).zip(1..) {
            if entry.key < last {
                return Err(BookProblem::Order(number));
            }
            if !entry.is_remark() && !entry.has_move() {
                return Err(BookProblem::Move(number));
            }
            (last, is_empty) = (entry.key, is_empty && entry.is_remark());
        }
        if is_empty { Err(BookProblem::Empty) } else { Ok(book) }
    }

    fn entries(&self) -> &[[u8; ENTRY]] {
        self.entries.as_chunks().0
    }

    /// A move of the book among `moves`, drawn by `seed` in proportion to the weights; `None` if the book has
    /// none. Moves with a weight of 0 are not played.
    pub(super) fn draw<G: Knowledge>(&self, position: &G, moves: &[G::Move], seed: u64) -> Option<G::Move> {
        let (key, entries) = (position.book_key(), self.entries());
        let first = entries.partition_point(|bytes| Entry::read(bytes).key < key);
        let of_position = entries[first..].iter().map(Entry::read).take_while(|entry| entry.key == key);
        let candidates: Vec<_> = of_position
            .filter_map(|entry| Some((position.book_move(entry.mv)?, u64::from(entry.weight))))
            .filter(|(mv, _)| moves.contains(mv))
            .collect();
        let total: u64 = candidates.iter().map(|(_, weight)| weight).sum();
        let mut rest = mixed(seed).checked_rem(total)?;
        candidates.into_iter().find_map(|(mv, weight)| match rest.checked_sub(weight) {
            None => Some(mv),
            Some(after) => {
                rest = after;
                None
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::chess::Chess;

    /// The bytes of an entry.
    fn entry(key: u64, (from, to): (u16, u16), weight: u16) -> Vec<u8> {
        [&key.to_be_bytes()[..], &(from << 6 | to).to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    }

    #[test]
    fn moves_are_drawn_by_weight() {
        let start = Chess::start();
        let key = start.book_key();
        let [e4, d4, a3] = [(12, 28), (11, 27), (8, 16)];
        let illegal = (12, 36);
        let bytes = [
            entry(0, (0, 0), 7),
            entry(key - 1, e4, 9),
            entry(key, e4, 3),
            entry(key, d4, 1),
            entry(key, a3, 0),
            entry(key, illegal, 100),
            entry(key + 1, a3, 9),
        ];
        let book = OpeningBook::new(bytes.concat()).unwrap();
        let moves = start.moves();
        let drawn: Vec<_> =
            (0..1000).map(|seed| start.move_text(book.draw(&start, &moves, seed).unwrap())).collect();
        let count = |text: &str| drawn.iter().filter(|mv| *mv == text).count();
        assert!(
            count("e2e4").abs_diff(750) < 50 && count("e2e4") + count("d2d4") == 1000,
            "{}",
            count("e2e4")
        );
        let only: Vec<_> = moves.iter().copied().filter(|&mv| start.move_text(mv) == "d2d4").collect();
        assert_eq!(book.draw(&start, &only, 1), only.first().copied());
        assert_eq!(book.draw(&start, &[], 1), None);
        let other = start.after(only[0]);
        assert_eq!(book.draw(&other, &other.moves(), 1), None);
    }

    #[test]
    fn damaged_books_are_named() {
        let good = [entry(1, (12, 28), 1), entry(2, (12, 28), 1)].concat();
        let error = |bytes: &[u8]| OpeningBook::new(bytes.to_vec()).unwrap_err().to_string();
        let damaged = "damaged, or no book of Polyglot";
        assert_eq!(error(b""), "no position in it");
        assert_eq!(error(&[0; 48]), "no position in it");
        assert_eq!(
            error(&good[..31]),
            "31 bytes, expected entries of 16 bytes: cut off, or no book of Polyglot"
        );
        let swapped = [&good[16..], &good[..16]].concat();
        assert_eq!(error(&swapped), format!("entry 2 is out of order: {damaged}"));
        for (byte, value) in [(8, 0x80), (8, 0x50), (9, 0)] {
            let mut bytes = good.clone();
            bytes[byte] = value;
            let is_accepted = (byte, value) == (9, 0);
            assert_eq!(OpeningBook::new(bytes).is_ok(), is_accepted, "{byte}: {value}");
        }
        assert_eq!(error(b"sixteen letters!"), format!("entry 1 has no move: {damaged}"));
    }
}
