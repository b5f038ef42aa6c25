//! Amazons (Walter Zamkauskas, 1988): queens that wall each other in, on any board of up to 11×11.
//!
//! A turn has two halves. The player moves one of the own amazons like a queen in chess, any number of
//! squares in a straight line over empty squares. Then the amazon shoots an arrow from where it stands,
//! again like a queen's move; the square just left is free to shoot at or through. The arrow's square is
//! blocked for the rest of the game. Nothing is captured, nothing comes back. A player who cannot move
//! loses.

mod board;
mod features;
mod filling;
mod flood;
mod notation;
mod rest;
mod rules;
mod territory;

pub use rules::{Amazons, AmazonsMove};
