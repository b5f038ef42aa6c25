//! Solving: proofs of how a game without chance ends under best play.
//!
//! A proof answers whether the side to move wins and, in games with draws, whether it does not lose; a draw
//! is what both answers leave.
//!
//! **Draws that depend on the history.** The position to solve counts as the first of its game. The halfmove
//! clock is part of the key ([`Solvable::proof_leaf`]), so no line returns to the same node, and what is
//! stored of a position holds on every way that leads to it. Repetition is left out, and the results are
//! right nevertheless: who can win at all can win without repeating a position. For let the winner play for
//! the shortest win, and let a position come up a second time, with a higher clock and a shorter win. A lower
//! clock takes nothing away from the winner, so the position had that shorter win the first time, too. And a
//! draw by repetition is no way to win.

mod checkpoint;
mod numbers;
mod progress;
mod prover;
mod table;
mod team;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use self::checkpoint::Checkpoint;
use self::progress::Progress;
use self::prover::{Prover, after};
use self::table::Memory;
use super::{Control, Limits};
use crate::game::{Color, GameHistory, ProofLeaf, Solvable};

/// Nodes of the first attempt at each of the two questions; they double with each attempt.
const FIRST_ATTEMPT: u64 = 1_000;

/// The game-theoretic value of a position for its side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The side to move wins.
    Win,
    /// Neither player wins.
    Draw,
    /// The other player wins.
    Loss,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Value::Win => "win",
            Value::Draw => "draw",
            Value::Loss => "loss",
        })
    }
}

/// The answer of the solver, with moves of type `M`.
#[derive(Clone, Debug)]
pub struct Solution<M> {
    /// The value; `None` if the limits did not suffice for a proof.
    pub value: Option<Value>,
    /// A line of play that the winner wins; empty without a winner.
    pub line: Vec<M>,
    /// Whether the line reaches the end of the game: the limits may not suffice for that.
    pub is_complete: bool,
    /// Expansions: positions whose moves have been tried, each time counted, those of the line included.
    pub nodes: u64,
    /// Positions that have been evaluated, one after each of these moves.
    pub evaluations: u64,
    /// Time used.
    pub time: Duration,
}

/// Why a position cannot be solved.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SolveError {
    /// The game has chance events.
    #[error("{variant} is a game of chance: no result can be proven")]
    Chance {
        /// The game.
        variant: &'static str,
    },
    /// There is not enough memory for the table.
    #[error("no memory for a table of {megabytes} MB")]
    Memory {
        /// The size asked for.
        megabytes: usize,
    },
    /// A checkpoint cannot be read or written.
    #[error("checkpoint {file}: {reason}")]
    Checkpoint {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// The line does not end as proven: a bug of the engine.
    #[error("the proof of a {value} is wrong: its line ends otherwise")]
    Line {
        /// The value that was proven.
        value: Value,
    },
}

/// What a search for a proof may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// MiB of the table.
    pub megabytes: usize,
    /// Threads, at least 1. With more than one, nodes differ from run to run.
    pub threads: usize,
    /// A file that keeps the table: it is read before the search if it is there, and written from time to time
    /// and after a search without a result.
    pub checkpoint: Option<PathBuf>,
}

impl From<usize> for Resources {
    /// A table of so many MiB, one thread, no checkpoint.
    fn from(megabytes: usize) -> Resources {
        Resources { megabytes, threads: 1, checkpoint: None }
    }
}

/// Proves the value of a position, within the limits of nodes and time (`limits.nodes`, `limits.movetime`),
/// with these resources, or a table of so many MiB.
///
/// # Errors
/// [`SolveError::Chance`], [`SolveError::Memory`] and [`SolveError::Checkpoint`].
pub fn solve<G: Solvable>(
    position: &G,
    resources: impl Into<Resources>,
    limits: &Limits,
    control: &Control,
) -> Result<Solution<G::Move>, SolveError> {
    if G::HAS_CHANCE {
        return Err(SolveError::Chance { variant: G::NAME });
    }
    let Resources { megabytes, threads, checkpoint } = resources.into();
    let mut memory = Memory::new(megabytes).ok_or(SolveError::Memory { megabytes })?;
    let table = memory.table();
    let checkpoint =
        checkpoint.as_deref().map(|path| Checkpoint::new(path, format!("{} {}", G::NAME, position.fen())));
    if let Some(checkpoint) = &checkpoint {
        checkpoint.read(table)?;
    }
    let progress = Progress::new(checkpoint.as_ref());
    let mut prover = Prover::new(table, limits, control).with_threads(threads).with_progress(&progress);
    let value = value(position, &mut prover);
    if let (None, Some(checkpoint)) = (value, &checkpoint) {
        checkpoint.write(table)?;
    }
    let winner = match value {
        Some(Value::Win) => Some(position.side_to_move()),
        Some(Value::Loss) => Some(!position.side_to_move()),
        _ => None,
    };
    let (line, is_complete) = match winner {
        Some(winner) => line(position, winner, &mut prover),
        None => (Vec::new(), true),
    };
    let (nodes, evaluations, time) = (prover.nodes, prover.evaluations, limits.start.elapsed());
    Ok(Solution { value, line, is_complete, nodes, evaluations, time })
}

/// The value of a position. One of the two questions may be much harder than the other, so they take turns.
fn value<G: Solvable>(position: &G, prover: &mut Prover) -> Option<Value> {
    let (mut wins, mut holds) = (None, None);
    let mut nodes = if G::CAN_BE_DRAWN { FIRST_ATTEMPT } else { u64::MAX };
    loop {
        wins = wins.or_else(|| prover.prove(position, true, nodes).map(|(reached, _)| reached));
        if G::CAN_BE_DRAWN && wins != Some(true) {
            holds = holds.or_else(|| prover.prove(position, false, nodes).map(|(reached, _)| reached));
        }
        match (wins, holds) {
            (Some(true), _) => return Some(Value::Win),
            (_, Some(false)) => return Some(Value::Loss),
            (Some(false), Some(true)) => return Some(Value::Draw),
            (Some(false), None) if !G::CAN_BE_DRAWN => return Some(Value::Loss),
            _ if prover.is_stopped() => return None,
            _ => nodes = nodes.saturating_mul(2),
        }
    }
}

/// A line that the winner wins, and whether it reaches the end of the game. The loser prefers moves whose
/// loss has to be searched for.
fn line<G: Solvable>(start: &G, winner: Color, prover: &mut Prover) -> (Vec<G::Move>, bool) {
    let (mut position, mut history, mut line) = (start.clone(), GameHistory::new(), Vec::new());
    loop {
        if let Some(outcome) = history.outcome(&position) {
            return (line, outcome.winner == Some(winner));
        }
        let mv = match position.side_to_move() == winner {
            true => prover.prove(&position, true, u64::MAX).and_then(|(_, mv)| mv),
            false => toughest(&position),
        };
        let Some(mv) = mv else { return (line, false) };
        line.push(mv);
        history.push(&position);
        position.play(mv);
    }
}

/// A move of a player who has lost, if possible one whose loss has to be searched for.
fn toughest<G: Solvable>(position: &G) -> Option<G::Move> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let is_open = |mv: &&G::Move| {
        let child = after(position, **mv);
        child.outcome().is_none() && matches!(child.proof_leaf(), ProofLeaf::Open { .. })
    };
    moves.iter().find(is_open).or(moves.first()).copied()
}
