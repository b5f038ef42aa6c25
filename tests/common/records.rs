//! The records of the games of a match.

use std::path::Path;

use labrys::arena::FinalResult;
use labrys::arena::pgn::{PgnGame, PgnReader};

/// The games of a file, by their numbers.
pub fn read(path: &Path) -> Vec<PgnGame> {
    let text = std::fs::read(path).unwrap();
    let mut records: Vec<_> = PgnReader::new(&text[..]).collect::<Result<_, _>>().unwrap();
    records.sort_by_key(|record| record.number);
    records
}

/// How a game ended.
pub fn end(record: &PgnGame) -> &FinalResult {
    record.end.as_ref().unwrap()
}
