//! Chess, by the rules of FIDE, and Chess960.
//!
//! Board and move generator come from the crate `cozy-chess`. Added here are counters beyond its own, the
//! key and the equality of positions that repetition needs, and text: castling rights and castling moves in
//! every form in use, and errors that name what is wrong.
//!
//! Checkmate wins and stalemate draws. The third occurrence of a position, the fifty-move rule (100 plies
//! without a capture or pawn move; a mate with the last of them still counts) and insufficient material
//! draw, too.

mod classical;
mod exchange;
mod features;
mod hints;
mod msd;
mod msd_filter;
mod notation;
mod pawns;
mod rules;
mod terms;

pub use rules::{Chess, ChessMove};
