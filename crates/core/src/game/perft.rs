//! Perft: counting paths of legal moves, to test the rules.
//!
//! Draws by repetition or lack of progress do not end a path; a position without legal moves does.

use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use super::{FenError, Game, quote};

/// A stop condition of a count.
pub trait Stop {
    /// Whether the count has to end.
    fn is_raised(&self) -> bool;

    /// Called at intervals, to update the condition.
    fn poll(&self) {}
}

impl Stop for AtomicBool {
    fn is_raised(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// The number of paths of `depth` legal moves from `position`; `None` if `stop` was set.
pub fn perft<G: Game>(position: &G, depth: u32, stop: &impl Stop) -> Option<u64> {
    let mut buffers = vec![Vec::with_capacity(G::MAX_MOVES.min(256)); depth.saturating_sub(1) as usize];
    if depth == 0 { Some(1) } else { count(position, &mut buffers, stop) }
}

/// The number of paths that begin with each legal move of `position`, in the order of the generator. `each`
/// gets them one by one. Returns the sum; `None` if `stop` was set.
pub fn divide<G: Game>(
    position: &G,
    depth: u32,
    stop: &impl Stop,
    mut each: impl FnMut(G::Move, u64),
) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    let mut moves = Vec::with_capacity(G::MAX_MOVES);
    position.legal_moves(&mut moves);
    let mut total = 0;
    for mv in moves {
        // Below, three plies would never poll.
        if depth > 2 {
            stop.poll();
        }
        let nodes = perft(&position.after(mv), depth - 1, stop)?;
        each(mv, nodes);
        total += nodes;
    }
    Some(total)
}

/// Counts the paths of `buffers.len() + 1` moves. The last ply is counted without making its moves.
fn count<G: Game>(position: &G, buffers: &mut [Vec<G::Move>], stop: &impl Stop) -> Option<u64> {
    let Some((moves, deeper)) = buffers.split_first_mut() else {
        return Some(position.count_moves() as u64);
    };
    moves.clear();
    position.legal_moves(moves);
    let mut nodes = 0;
    for &mv in moves.iter() {
        // Before each move: where rules are slow, all moves of a position take long.
        if stop.is_raised() {
            return None;
        }
        // Polling takes longer than the last plies.
        if !deeper.is_empty() {
            stop.poll();
        }
        // In place: a position that is returned is copied once more, which costs 13 % of the time in chess.
        let mut child = position.clone();
        child.play(mv);
        nodes += count(&child, deeper, stop)?;
    }
    Some(nodes)
}

/// A position of a perft suite with its known counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Line of the suite, counted from 1.
    pub line: usize,
    /// The position.
    pub fen: String,
    /// Depths with the number of paths of that many moves.
    pub counts: Vec<(u32, u64)>,
}

/// An error in the text of a perft suite.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SuiteError {
    /// A count is not of the form `D5 2552608`.
    #[error("line {line}: {} is no count, expected `D<depth> <paths>`", quote(.found))]
    Count {
        /// Line of the suite.
        line: usize,
        /// The text between two semicolons.
        found: String,
    },
    /// A line has no counts.
    #[error("line {line}: no counts, expected `<fen> ;D1 <paths> ;D2 …`")]
    Empty {
        /// Line of the suite.
        line: usize,
    },
    /// The position is not a position of the game.
    #[error("line {line}: {error}")]
    Fen {
        /// Line of the suite.
        line: usize,
        /// The problem.
        error: FenError,
    },
}

/// Reads a suite: lines of the form `<fen> ;D1 <paths> ;D2 <paths> …`; empty lines and lines that
/// begin with `#` are skipped.
///
/// # Errors
/// [`SuiteError`] names the line and the problem. The positions themselves are not read here.
pub fn parse_suite(text: &str) -> Result<Vec<Case>, SuiteError> {
    let mut cases = Vec::new();
    for (text, line) in text.lines().zip(1..) {
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        // The last semicolon may end the line, and the first one may be missing.
        let (fen, counts) = text.split_once(';').unwrap_or((text, ""));
        let fen = fen.trim();
        let at = fen.rfind(" D").filter(|&at| parse_count(&fen[at..]).is_some()).unwrap_or(fen.len());
        let (fen, first) = (fen[..at].to_owned(), &fen[at..]);
        let parts = std::iter::once(first).chain(counts.split(';')).map(str::trim);
        let counts = parts
            .filter(|part| !part.is_empty())
            .map(|part| parse_count(part).ok_or_else(|| SuiteError::Count { line, found: part.to_owned() }));
        let counts = counts.collect::<Result<Vec<_>, _>>()?;
        if counts.is_empty() {
            return Err(SuiteError::Empty { line });
        }
        cases.push(Case { line, fen, counts });
    }
    Ok(cases)
}

fn parse_count(part: &str) -> Option<(u32, u64)> {
    let (depth, paths) = part.trim().strip_prefix(['D', 'd'])?.split_once(char::is_whitespace)?;
    Some((depth.parse().ok()?, paths.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::game::amazons::Amazons;

    /// Raised by a number of polls.
    struct Polls(Cell<u32>);

    impl Stop for Polls {
        fn is_raised(&self) -> bool {
            self.0.get() == 0
        }

        fn poll(&self) {
            self.0.set(self.0.get().saturating_sub(1));
        }
    }

    #[test]
    fn polls_stop_three_plies_of_a_game_with_many_moves() {
        let mut counted = 0;
        assert_eq!(divide(&Amazons::start(), 3, &Polls(Cell::new(2)), |_, _| counted += 1), None);
        assert_eq!(counted, 1);
    }
}
