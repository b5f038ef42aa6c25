//! Self-play positions to learn from.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::training::Example;
use labrys_core::game::{EncodingShape, Knowledge, Symmetry};

/// Positions to learn from, concatenated: their planes, the policy indices of their legal moves, and the targets
/// of policy and value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// The planes.
    pub(super) planes: Vec<f32>,
    /// Where the moves of each position start, and where those of the last one end.
    pub(super) move_offsets: Vec<u32>,
    /// The policy indices of the moves, [`Samples::indices_per_move`] for each.
    pub(super) policy_indices: Vec<u32>,
    /// The policy target of each move. Those of a position sum to 1.
    pub(super) policy: Vec<f32>,
    /// The result of the game for the side to move: 1 a win, 0 a draw, −1 a loss.
    pub(super) value: Vec<f32>,
    /// The value of the search at its root, on the same scale.
    pub(super) root_value: Vec<f32>,
}

/// How much positions vary. Play that collapses into the same few games has a small share of distinct positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variety {
    /// Distinct positions, as the net sees them.
    pub distinct: u64,
    /// The mean entropy of the policy targets, in nats: 0 where the search has tried one move alone.
    pub entropy: f64,
}

impl Samples {
    /// No positions.
    pub fn new() -> Samples {
        Samples { move_offsets: vec![0], ..Samples::default() }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.value.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// The number of moves of all positions.
    pub fn moves(&self) -> usize {
        self.policy.len()
    }

    /// The number of policy indices of each move.
    pub fn indices_per_move(&self) -> usize {
        self.policy_indices.len().checked_div(self.moves()).unwrap_or(0)
    }

    /// The result of the game for the side to move of each position: 1 a win, 0 a draw, −1 a loss.
    pub fn values(&self) -> &[f32] {
        &self.value
    }

    /// The policy targets of the moves of a position.
    pub fn policy(&self, position: usize) -> &[f32] {
        &self.policy[self.move_offsets[position] as usize..self.move_offsets[position + 1] as usize]
    }

    /// How much the positions vary.
    pub fn variety(&self) -> Variety {
        let positions = self.len();
        let length = self.planes.len().checked_div(positions).unwrap_or(0);
        let planes = (0..positions).map(|position| &self.planes[length * position..][..length]);
        let seen: HashSet<u64> = planes
            .map(|planes| {
                let mut hasher = DefaultHasher::new();
                planes.iter().for_each(|value| value.to_bits().hash(&mut hasher));
                hasher.finish()
            })
            .collect();
        let of_share = |share: f32| if share > 0.0 { -f64::from(share) * f64::from(share).ln() } else { 0.0 };
        let entropy: f64 = self.policy.iter().copied().map(of_share).sum();
        Variety { distinct: seen.len() as u64, entropy: entropy / positions.max(1) as f64 }
    }

    /// Adds a position that has occurred `occurrences` times, with the input planes of `shape` and the policy
    /// targets of its legal moves. Its value is set at the end of the game.
    pub(super) fn push<G: Knowledge>(
        &mut self,
        position: &G,
        occurrences: usize,
        shape: EncodingShape,
        policy: &[(G::Move, f32)],
        root_value: f32,
    ) {
        let begin = self.planes.len();
        self.planes.resize(begin + shape.input_len(), 0.0);
        shape.write_planes(position, occurrences, &mut self.planes[begin..]);
        for &(mv, share) in policy {
            self.policy_indices.extend(position.policy_indices(mv).map(|index| index as u32));
            self.policy.push(share);
        }
        self.move_offsets.push(self.policy.len() as u32);
        self.value.push(0.0);
        self.root_value.push(root_value);
    }

    /// Appends other samples of the same encoding.
    pub(crate) fn append(&mut self, other: &Samples) {
        let moves = self.moves() as u32;
        self.planes.extend(&other.planes);
        self.move_offsets.extend(other.move_offsets[1..].iter().map(|offset| moves + offset));
        self.policy_indices.extend(&other.policy_indices);
        self.policy.extend(&other.policy);
        self.value.extend(&other.value);
        self.root_value.extend(&other.root_value);
    }

    /// A position as a training example, transformed by a symmetry. `root_share` is the weight of the search's
    /// value in the value target; the rest is the result of the game.
    pub fn example(
        &self,
        position: usize,
        shape: EncodingShape,
        symmetry: &Symmetry,
        root_share: f32,
    ) -> Example {
        let length = shape.input_len();
        let [begin, end] = [position, position + 1].map(|place| self.move_offsets[place] as usize);
        let each = self.indices_per_move();
        let indices = &self.policy_indices[each * begin..each * end];
        Example {
            planes: symmetry.planes(&self.planes[length * position..][..length]),
            indices: indices.iter().map(|&index| symmetry.index(index as usize) as u32).collect(),
            policy: self.policy[begin..end].to_vec(),
            value: (1.0 - root_share) * self.value[position] + root_share * self.root_value[position],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::game::Game;
    use labrys_core::game::tucchess::TucChess;

    #[test]
    fn the_variety_is_that_of_positions_and_targets() {
        let start = TucChess::start();
        let mut moves = Vec::new();
        start.legal_moves(&mut moves);
        let one =
            |at| moves.iter().map(|&mv| (mv, if mv == moves[at] { 1.0 } else { 0.0 })).collect::<Vec<_>>();
        let even: Vec<_> = moves.iter().map(|&mv| (mv, 1.0 / moves.len() as f32)).collect();
        let mut samples = Samples::new();
        assert_eq!(samples.variety(), Variety { distinct: 0, entropy: 0.0 });
        let shape = start.encoding_shape();
        samples.push(&start, 1, shape, &one(0), 0.0);
        samples.push(&start, 1, shape, &one(1), 0.0);
        assert_eq!(samples.variety(), Variety { distinct: 1, entropy: 0.0 });
        let mut next = start;
        next.play(moves[0]);
        samples.push(&next, 1, shape, &even, 0.0);
        let Variety { distinct, entropy } = samples.variety();
        assert_eq!(distinct, 2);
        assert!((entropy - (moves.len() as f64).ln() / 3.0).abs() < 1e-6, "{entropy}");
    }
}
