//! The games that can be solved.

use labrys_core::engine::Playable;
use labrys_core::game::chess::Chess;
use labrys_core::game::neighbours::Neighbours;
use labrys_core::game::tucchess::TucChess;

use crate::Solvable;

impl Solvable for Chess {}

impl Solvable for Neighbours {}

impl Solvable for TucChess {}

/// A game that an engine can play and a solver can solve.
pub trait SolverGame: Playable + Solvable {}

impl<G: Playable + Solvable> SolverGame for G {}
