//! Chess, by the rules of FIDE, and Chess960.
//!
//! The board and the generator of moves are those of the crate `cozy-chess`; what is added are the counters beyond
//! its own, the key and the equality of positions that repetition asks for, and text: castling rights in every
//! form in use, moves in both ways of writing castling, an error for every way in which a text can be wrong.
//!
//! A player whose king is attacked and who has no legal move has lost; one who is not attacked and has none has
//! drawn. Drawn are the third occurrence of a position, 100 plies without a capture or a move of a pawn (but a mate
//! with the last of them counts), and positions in which nobody has the pieces to mate.

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
