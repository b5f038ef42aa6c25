//! Splitting a proof into positions that can be solved apart from each other.

use std::collections::HashSet;

use super::Known;
use super::prover::after;
use crate::game::{GameHistory, ProofLeaf, Solvable};

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

/// The positions so many plies below another whose value is not known, the easiest first. Equivalent ones are
/// listed once. What follows a position whose value is known is left out.
pub fn split<G: Solvable>(position: &G, plies: usize, known: &Known<G>) -> Vec<Job<G, G::Move>> {
    let mut jobs = vec![Job { position: position.clone(), moves: Vec::new(), difficulty: 0 }];
    for ply in 1..=plies {
        let (mut below, mut keys) = (Vec::new(), HashSet::new());
        for Job { position, moves, .. } in jobs {
            let mut legal = Vec::new();
            position.legal_moves(&mut legal);
            for mv in legal {
                let child = after(&position, mv);
                let is_over = GameHistory::new().outcome(&child).is_some();
                let ProofLeaf::Open { key, numbers: [proof, disproof] } = child.proof_leaf() else {
                    continue;
                };
                if is_over || known.get(&child).is_some() || !keys.insert(key) {
                    continue;
                }
                let moves = moves.iter().copied().chain([mv]).collect();
                let width = if ply == plies { child.count_moves() as u64 } else { 0 };
                let difficulty = u64::from(proof.min(disproof)) * width;
                below.push(Job { position: child, moves, difficulty });
            }
        }
        jobs = below;
    }
    jobs.sort_by_key(|job| job.difficulty);
    jobs
}
