//! TUC-CHESS (Technical University of Crete, 2021): five files, seven ranks, prizes on the board.
//! The player with more points wins.
//!
//! Pawns step forward, capture diagonally forward, and leave the board on their last rank for a point. Rooks
//! go up to three squares; pieces and prizes stop them, but a prize may be landed on. Kings step
//! orthogonally; there is no check. A capture scores 1 for a pawn, 3 for a rook, 8 for a king. A prize scores
//! 1 with probability 0.9, otherwise 0. After each move a new prize appears with probability 0.1 on a random
//! empty square. The game ends when a king is captured, when only the kings are left, or when the side to
//! move has no move.

mod board;
mod edit;
mod encoding;
mod features;
mod info;
mod inputs;
mod knowledge;
mod notation;
mod rules;

pub use rules::{TucChess, TucMove};
