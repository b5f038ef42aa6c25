//! Chess, by the rules of FIDE, and Chess960.
//!
//! Board and move generator come from the crate `cozy-chess`. This module adds counters without its limits,
//! the key and equality of positions for repetition, and notation: castling rights and castling moves in
//! every form in use, and precise errors.
//!
//! Checkmate wins. Stalemate, the third occurrence of a position, the fifty-move rule (100 plies without a
//! capture or pawn move, unless the last one mates) and insufficient material draw.

mod classical;
mod encoding;
mod exchange;
mod features;
mod info;
mod inputs;
mod knowledge;
mod msd;
mod msd_filter;
mod notation;
mod polyglot;
mod polyglot_numbers;
mod rules;
mod san;
#[cfg(has_tables)]
mod syzygy;
#[cfg(has_tables)]
mod table_files;
#[cfg(has_tables)]
mod table_header;

pub use rules::{Chess, ChessMove};
