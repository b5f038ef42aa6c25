//! What is to be inspected, and by which reference.

use std::fmt;
use std::str::FromStr;

use labrys_core::engine::{PositionError, UnknownVariant, registry};
use labrys_core::game::epd::{Epd, EpdError};
use labrys_core::game::quote;
use thiserror::Error;

use crate::report::View;

/// What decisions are checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    /// The exact minimax value of the same depth, with the evaluation and the horizon of the search.
    Minimax,
    /// The result by the solver, where it proves one within the budget.
    Solve,
    /// The result by the endgame tables, in positions that they have.
    Tables,
    /// A search of this many nodes by the same engine.
    Nodes(u64),
}

/// A text that names no reference.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is no reference, expected `minimax`, `solve`, `tables` or `nodes=N`", quote(.0))]
pub struct ReferenceError(String);

impl FromStr for ReferenceKind {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<ReferenceKind, ReferenceError> {
        let nodes = text.strip_prefix("nodes=").and_then(|nodes| nodes.parse().ok());
        match (text, nodes) {
            ("minimax", _) => Ok(ReferenceKind::Minimax),
            ("solve", _) => Ok(ReferenceKind::Solve),
            ("tables", _) => Ok(ReferenceKind::Tables),
            (_, Some(nodes @ 1..)) => Ok(ReferenceKind::Nodes(nodes)),
            _ => Err(ReferenceError(text.to_owned())),
        }
    }
}

impl fmt::Display for ReferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReferenceKind::Minimax => f.write_str("minimax"),
            ReferenceKind::Solve => f.write_str("solve"),
            ReferenceKind::Tables => f.write_str("tables"),
            ReferenceKind::Nodes(nodes) => write!(f, "nodes={nodes}"),
        }
    }
}

/// A position to inspect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartPosition {
    /// The position in FEN; `None` for the start position.
    pub fen: Option<String>,
    /// Moves to play from there.
    pub moves: Vec<String>,
}

/// What is to be inspected.
#[derive(Clone, Debug)]
pub struct Task {
    /// The name of the game.
    pub variant: String,
    /// Options of the engine, with their values.
    pub options: Vec<(String, String)>,
    /// The positions.
    pub positions: Vec<StartPosition>,
    /// The number of positions of self-play games besides.
    pub selfplay: usize,
    /// Depth of the searches, in plies.
    pub depth: u32,
    /// The reference.
    pub reference: ReferenceKind,
    /// The views.
    pub views: Vec<View>,
    /// Decisions of each step and depth of a position that are checked, drawn at random.
    pub samples: usize,
    /// Nodes after which the check of a decision is given up.
    pub budget: u64,
    /// The seed of the samples.
    pub seed: u64,
    /// Whether the values of all moves are computed, where a decision was about the best of them: for
    /// training data.
    pub values: bool,
}

/// A file of positions that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TaskError {
    /// The line is no position of the game.
    #[error("line {line}: {error}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// The problem.
        error: EpdError<PositionError>,
    },
    /// There is no such game.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// The file has no position.
    #[error("no position in it")]
    Empty,
}

/// The positions of a text, one in each line, in FEN or EPD. Empty lines and those that begin with `#` are
/// passed over.
///
/// # Errors
/// [`TaskError`] names the first line that is no position of the game.
pub fn read_positions(variant: &str, text: &str) -> Result<Vec<StartPosition>, TaskError> {
    let (mut positions, mut board) = (Vec::new(), registry::board(variant)?);
    let mut check = |fen: &str| board.set_up(Some(fen), &[]);
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let epd = Epd::parse(text, &mut check).map_err(|error| TaskError::Line { line, error })?;
        positions.push(StartPosition { fen: Some(epd.fen), moves: Vec::new() });
    }
    if positions.is_empty() { Err(TaskError::Empty) } else { Ok(positions) }
}
