//! Neighbours (Frank Riepenhausen, 2003): eight pieces a side on 8×8; a piece moves as
//! many squares as it has neighbours.
//!
//! On a turn a player must move one own piece in a straight line, in one of eight directions, exactly
//! as many squares as there are pieces of either colour on the squares around it. The squares passed
//! over must be empty; the target may be empty or hold an enemy piece, which is captured. A player
//! without a legal move loses. Drawn are the third occurrence of a position and 100 plies without a
//! capture; a player without a move loses even then.

mod attacks;
mod features;
mod notation;
mod rules;

pub use rules::{Neighbours, NeighboursMove};
