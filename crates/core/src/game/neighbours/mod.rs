//! Neighbours (Frank Riepenhausen, 2003): eight pieces a side on 8×8; a piece moves as
//! many squares as it has neighbours.
//!
//! A player must move one piece in a straight line, in one of eight directions, exactly as many squares as
//! there are pieces of either colour on the squares around it. The squares passed over must be empty; the
//! target may be empty or hold an enemy piece, which is captured. A player without a legal move loses. The
//! third occurrence of a position and 100 plies without a capture draw, unless the side to move has no legal
//! move.

mod attacks;
mod encoding;
#[cfg(has_tables)]
mod endgames;
mod features;
mod info;
mod inputs;
mod knowledge;
mod notation;
mod rules;

pub use rules::{Neighbours, NeighboursMove};
