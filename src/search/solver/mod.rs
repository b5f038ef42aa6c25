//! Solving: proving how a game without chance ends when both play as well as possible.
//!
//! The question of a proof is whether the side to move wins or, where a game can be drawn, whether it does not lose; a draw is what
//! both questions leave.
//!
//! **Draws that depend on the history.** The position to solve counts as the first of its game. Draws by lack of progress
//! depend on a counter, which is part of what tells positions apart ([`Solvable::proof_leaf`]); so no line comes back to the
//! same node, and what is remembered of a position holds on every way that leads to it. Repetition is left out of account, and the
//! results are those with it all the same: who can win at all can win without a position coming up twice. For let the
//! winner play for the quickest win. If it met a position again, the second time with a higher counter and a quicker win,
//! the first time would have had that quicker win, too, as a lower counter takes nothing away from the winner. And a
//! draw by repetition is no way to win.

mod numbers;
mod prover;
mod table;

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use self::prover::{Prover, after};
use self::table::ProofTable;
use super::{Control, Limits};
use crate::game::{Color, GameHistory, ProofLeaf, Solvable};

/// Nodes of the first attempt at each of two questions; with each attempt they double.
const FIRST_ATTEMPT: u64 = 1_000;

/// What a position is worth to its side to move.
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

/// The answer of a solver, with moves of type `M`.
#[derive(Clone, Debug)]
pub struct Solution<M> {
    /// What the position is worth; none if the limits did not suffice for a proof.
    pub value: Option<Value>,
    /// A line of play in which the winner wins; empty when there is no winner.
    pub line: Vec<M>,
    /// Whether the line goes to the end of the game: the limits may not suffice for that.
    pub is_complete: bool,
    /// Positions whose moves have been tried, each as often as that was done; those of the line count, too.
    pub nodes: u64,
    /// Positions that have been looked at, after each of these moves.
    pub looks: u64,
    /// Time used.
    pub time: Duration,
}

/// Why a position cannot be solved.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SolveError {
    /// Chance has a word in the game.
    #[error("{variant} is a game of chance: it has no result that could be proved")]
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
    /// The line does not end as was proved when it is played: a mistake of the engine.
    #[error("the proof of a {value} is wrong: its line does not end like that")]
    Line {
        /// What was proved.
        value: Value,
    },
}

/// Proves what a position is worth, within the limits of nodes and time (`limits.nodes`, `limits.movetime`), with a
/// table of so many MiB.
///
/// # Errors
/// [`SolveError::Chance`] and [`SolveError::Memory`].
pub fn solve<G: Solvable>(
    position: &G,
    megabytes: usize,
    limits: &Limits,
    control: &Control,
) -> Result<Solution<G::Move>, SolveError> {
    if G::HAS_CHANCE {
        return Err(SolveError::Chance { variant: G::NAME });
    }
    let table = ProofTable::new(megabytes).ok_or(SolveError::Memory { megabytes })?;
    let mut prover = Prover::new(table, limits, control);
    let value = value(position, &mut prover);
    let winner = match value {
        Some(Value::Win) => Some(position.side_to_move()),
        Some(Value::Loss) => Some(!position.side_to_move()),
        _ => None,
    };
    let (line, is_complete) = match winner {
        Some(winner) => line(position, winner, &mut prover),
        None => (Vec::new(), true),
    };
    let (nodes, looks, time) = (prover.nodes, prover.looks, limits.start.elapsed());
    Ok(Solution { value, line, is_complete, nodes, looks, time })
}

/// What a position is worth. Of two questions one may be much harder than the other, so they take turns.
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

/// A line that the winner wins, and whether it goes to the end: the other player tries what cannot be told to lose without
/// a search, if there is something like that.
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

/// A move of a player who has lost.
fn toughest<G: Solvable>(position: &G) -> Option<G::Move> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let is_open = |mv: &&G::Move| {
        let child = after(position, **mv);
        child.outcome().is_none() && matches!(child.proof_leaf(), ProofLeaf::Open { .. })
    };
    moves.iter().find(is_open).or(moves.first()).copied()
}
