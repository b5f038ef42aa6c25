//! Amazons (Walter Zamkauskas, 1988): on any board of up to 11×11.
//!
//! A turn has two halves. The player moves one amazon like a queen in chess, any number of squares in a
//! straight line over empty squares. Then this amazon shoots an arrow along another queen's line; the square
//! that it has just left counts as empty. The arrow blocks its square for the rest of the game. There are no
//! captures. A player who cannot move loses.

pub mod board;
mod encoding;
mod features;
pub mod filling;
mod flood;
mod info;
mod inputs;
mod knowledge;
mod notation;
mod rules;
pub mod small_board;
pub mod symmetry;
mod territory;
mod zones;

pub use rules::{Amazons, AmazonsMove, MAX_AMAZONS};
