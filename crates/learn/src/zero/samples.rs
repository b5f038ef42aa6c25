//! Self-play positions to learn from.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::training::Example;
use labrys_core::game::{EncodingShape, Knowledge, Symmetry};

/// Plies of a game that are its opening, for [`Variety::openings`].
const OPENING_PLIES: usize = 8;

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
    /// The number of positions of each game; empty if it is not known, in files of earlier versions.
    pub(super) game_lengths: Vec<u32>,
}

/// How much positions vary. Play that collapses into the same few games has a small share of distinct positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variety {
    /// Distinct positions, as the net sees them.
    pub distinct: u64,
    /// The mean entropy of the policy targets, in nats: 0 where the search has tried one move alone.
    pub entropy: f64,
    /// Distinct openings: the first eight plies that the net has played in each game. `None` if the samples
    /// do not say where games begin.
    #[serde(default)]
    pub openings: Option<u64>,
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
        let distinct = self.distinct((0..positions).map(|position| position..position + 1));
        let of_share = |share: f32| if share > 0.0 { -f64::from(share) * f64::from(share).ln() } else { 0.0 };
        let entropy: f64 = self.policy.iter().copied().map(of_share).sum();
        let mut end = 0;
        let openings = self.game_lengths.iter().map(|&length| {
            let begin = end;
            end += length as usize;
            // An opening leads from the first of its positions to one more than it has plies.
            begin..end.min(begin + OPENING_PLIES + 1)
        });
        let openings = self.knows_games().then(|| self.distinct(openings));
        Variety { distinct, entropy: entropy / positions.max(1) as f64, openings }
    }

    /// The number of distinct sequences of positions.
    fn distinct(&self, sequences: impl Iterator<Item = Range<usize>>) -> u64 {
        let length = self.planes.len().checked_div(self.len()).unwrap_or(0);
        let hash = |positions: Range<usize>| {
            let mut hasher = DefaultHasher::new();
            let planes = &self.planes[length * positions.start..length * positions.end];
            planes.iter().for_each(|value| value.to_bits().hash(&mut hasher));
            hasher.finish()
        };
        sequences.map(hash).collect::<HashSet<_>>().len() as u64
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
        match self.knows_games() && other.knows_games() {
            true => self.game_lengths.extend(&other.game_lengths),
            false => self.game_lengths.clear(),
        }
        let moves = self.moves() as u32;
        self.planes.extend(&other.planes);
        self.move_offsets.extend(other.move_offsets[1..].iter().map(|offset| moves + offset));
        self.policy_indices.extend(&other.policy_indices);
        self.policy.extend(&other.policy);
        self.value.extend(&other.value);
        self.root_value.extend(&other.root_value);
    }

    /// Whether the lengths of its games are known, if it has any: those of files of earlier versions are not.
    fn knows_games(&self) -> bool {
        self.is_empty() || !self.game_lengths.is_empty()
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
        let moves = start.moves();
        let one =
            |at| moves.iter().map(|&mv| (mv, if mv == moves[at] { 1.0 } else { 0.0 })).collect::<Vec<_>>();
        let even: Vec<_> = moves.iter().map(|&mv| (mv, 1.0 / moves.len() as f32)).collect();
        let mut samples = Samples::new();
        assert_eq!(samples.variety(), Variety { distinct: 0, entropy: 0.0, openings: Some(0) });
        let shape = start.encoding_shape();
        samples.push(&start, 1, shape, &one(0), 0.0);
        samples.push(&start, 1, shape, &one(1), 0.0);
        assert_eq!(samples.variety(), Variety { distinct: 1, entropy: 0.0, openings: None });
        let mut next = start;
        next.play(moves[0]);
        samples.push(&next, 1, shape, &even, 0.0);
        let Variety { distinct, entropy, .. } = samples.variety();
        assert_eq!(distinct, 2);
        assert!((entropy - (moves.len() as f64).ln() / 3.0).abs() < 1e-6, "{entropy}");
    }

    #[test]
    fn openings_are_the_first_plies_of_each_game() {
        /// A game of the moves of these indices.
        fn game(moves: &[usize]) -> Samples {
            let (mut position, mut samples) = (TucChess::start(), Samples::new());
            for &index in moves {
                let legal = position.moves();
                let policy: Vec<_> = legal.iter().map(|&mv| (mv, 1.0 / legal.len() as f32)).collect();
                samples.push(&position, 1, position.encoding_shape(), &policy, 0.0);
                position.play(legal[index]);
            }
            samples.game_lengths.push(samples.len() as u32);
            samples
        }
        let openings = |games: &[&[usize]]| {
            let mut samples = Samples::new();
            games.iter().for_each(|moves| samples.append(&game(moves)));
            samples.variety().openings
        };
        // The positions after ten moves: the ninth one makes no difference, the eighth does.
        let (one, ninth, eighth) = ([0; 10], [0, 0, 0, 0, 0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
        assert_eq!(openings(&[&one, &one, &ninth]), Some(1));
        assert_eq!(openings(&[&one, &eighth, &ninth]), Some(2));
        assert_eq!(openings(&[&one, &one[..4], &[]]), Some(3), "a short game is its own opening");
    }
}
