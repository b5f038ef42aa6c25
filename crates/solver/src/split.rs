//! Splitting a proof into positions that can be solved apart from each other.

use std::collections::HashSet;

use super::KnownValues;
use crate::{ProofLeaf, Solvable};
use labrys_core::game::{GameHistory, Wdl};

/// A position that has to be solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job<G, M> {
    /// The position.
    pub position: G,
    /// Moves that lead to it.
    pub moves: Vec<M>,
    /// An estimate of the work: the smaller one of the initial proof numbers, times the number of moves.
    pub difficulty: u64,
}

/// The positions `plies` plies below another that have to be solved, the easiest first. Equivalent ones are
/// listed once. Nothing is listed below a position whose value is known or follows from known values.
pub fn split<G: Solvable>(position: &G, plies: usize, known: &KnownValues<G>) -> Vec<Job<G, G::Move>> {
    let mut splitter = Splitter { known, line: Vec::new(), jobs: Vec::new() };
    splitter.value(position, plies);
    let mut keys = HashSet::new();
    splitter.jobs.retain(|(key, _)| keys.insert(*key));
    let mut jobs: Vec<_> = splitter.jobs.into_iter().map(|(_, job)| job).collect();
    jobs.sort_by_key(|job| job.difficulty);
    jobs
}

struct Splitter<'a, G: Solvable> {
    known: &'a KnownValues<G>,
    /// The moves that lead to the current position.
    line: Vec<G::Move>,
    /// Open positions with the keys of the solver.
    jobs: Vec<(u64, Job<G, G::Move>)>,
}

impl<G: Solvable> Splitter<'_, G> {
    /// The value of a position whose game is not over, if it follows from known values. If not, the jobs
    /// `plies` plies below are added.
    fn value(&mut self, position: &G, plies: usize) -> Option<Wdl> {
        let before = self.jobs.len();
        let legal = position.moves();
        let mut value = Some(Wdl::Loss);
        for mv in legal {
            self.line.push(mv);
            let below = self.below(&position.after(mv), plies - 1);
            self.line.pop();
            value = match below {
                Some(Wdl::Loss) => {
                    self.jobs.truncate(before);
                    return Some(Wdl::Win);
                }
                Some(Wdl::Draw) => value.map(|_| Wdl::Draw),
                Some(Wdl::Win) => value,
                None => None,
            };
        }
        value
    }

    /// The same for a position after a move.
    fn below(&mut self, position: &G, plies: usize) -> Option<Wdl> {
        let stm = position.side_to_move();
        if let Some(outcome) = GameHistory::new().outcome(position) {
            return Some(Wdl::of(outcome.winner, stm));
        }
        let (key, [proof, disproof]) = match position.proof_leaf() {
            ProofLeaf::Decided(winner) => return Some(Wdl::of(winner, stm)),
            ProofLeaf::Open { key, numbers } => (key, numbers),
        };
        if let Some(value) = self.known.get(position) {
            return Some(value);
        }
        if plies > 0 {
            return self.value(position, plies);
        }
        let difficulty = proof.min(disproof).saturating_mul(position.count_moves() as u64);
        self.jobs.push((key, Job { position: position.clone(), moves: self.line.clone(), difficulty }));
        None
    }
}
