//! Observations of a game: the feature vectors, rewards and policy targets that a learner gets.

use std::borrow::Cow;

use super::Transition;
use super::learner::SparseFeatures;
use crate::play::SearchSummary;
use labrys_core::engine::{Board, GameState};
use labrys_core::game::{Color, Knowledge, Wdl};

/// The feature vector φ(s) of a position in the feature set `G::SETS[set]`, from the point of view of the
/// side to move.
pub fn sparse_features<G: Knowledge>(position: &G, set: usize) -> SparseFeatures {
    let mut features = Vec::new();
    position.features(set, |index, value| {
        if value != 0.0 {
            features.push((index, value));
        }
    });
    features
}

/// Which position is observed when an agent has chosen a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedPosition {
    /// The position on the board.
    Root,
    /// The leaf of the principal variation.
    Leaf,
}

/// Settings of the observations in a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObservationSettings {
    /// Whether the second agent is observed too. It has to use the feature set of the first.
    pub both: bool,
    /// Which position is observed.
    pub position: ObservedPosition,
    /// Whether the successor state s′ is the predicted position after the agent's move and the reply expected
    /// by its search (Neighbours thesis §4.3 (a)). Otherwise it is the position of the agent's next move in
    /// the game (b). The prediction assumes an opponent of equal strength, so it is not affected by
    /// exploration.
    pub predicted: bool,
    /// The reward of a win, in units of the evaluation. The reward of a loss is its negative, that of a draw
    /// 0.
    pub reward: f64,
}

impl ObservationSettings {
    /// The observation of a position from the search of the side to move. `set` is the index of the feature
    /// set.
    pub(crate) fn observation<G: Knowledge>(
        &self,
        game: &GameState<G>,
        set: usize,
        found: &SearchSummary<G::Move>,
    ) -> Observation<G::Move> {
        let observed = match self.position {
            ObservedPosition::Root => self.observe(game, set, &[]),
            ObservedPosition::Leaf => self.observe(game, set, &found.pv),
        };
        let reply = found.ponder.filter(|_| self.predicted);
        let predicted = reply.map(|reply| self.observe(game, set, &[found.mv, reply]));
        let policy = found.root.iter().flat_map(|root| &root.moves);
        let mut policy: Vec<_> = policy.map(|statistics| (statistics.mv, statistics.policy)).collect();
        if policy.is_empty() {
            policy.push((found.mv, 1.0));
        }
        Observation { observed, predicted, policy }
    }

    /// Observes the position after `moves`, from the point of view of the side to move before them.
    fn observe<G: Knowledge>(&self, game: &GameState<G>, set: usize, moves: &[G::Move]) -> Observed {
        let color = game.side_to_move();
        let mut game = Cow::Borrowed(game);
        for &mv in moves {
            game.to_mut().advance(mv);
        }
        // The game itself is not over.
        if let Some(outcome) = game.outcome().filter(|_| !moves.is_empty()) {
            return Observed::End(self.reward_of(outcome.winner, color));
        }
        let mut features = sparse_features(game.position(), set);
        if game.side_to_move() != color {
            // The evaluation is antisymmetric: the value for the agent is minus that for its opponent.
            features.iter_mut().for_each(|(_, value)| *value = -*value);
        }
        Observed::Features(features)
    }

    /// The reward of a player at the end of a game.
    pub(crate) fn reward_of(&self, winner: Option<Color>, player: Color) -> f64 {
        (2.0 * Wdl::of(winner, player).value() - 1.0) * self.reward
    }
}

/// An observed position, from the point of view of the agent.
#[derive(Clone, Debug, PartialEq)]
pub enum Observed {
    /// The feature vector of the position.
    Features(SparseFeatures),
    /// The game is over: the reward of the agent.
    End(f64),
}

/// The observation of a position in which an agent has chosen a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation<M> {
    /// The observed position.
    pub observed: Observed,
    /// The predicted successor, if the settings ask for it and the search expects a reply.
    pub predicted: Option<Observed>,
    /// The policy target: a probability distribution over moves. A search that counts visits (MCTS) gives
    /// each move its fraction of the visits; other searches give probability 1 to the chosen move.
    pub policy: Vec<(M, f64)>,
}

/// An episode: observations of one agent without a random move in between.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode<M> {
    /// The observations, in the order of the game.
    pub observations: Vec<Observation<M>>,
    /// The reward at the end of the game; `None` if a random move ended the episode earlier.
    pub reward: Option<f64>,
}

impl<M> Episode<M> {
    /// An empty episode.
    pub(crate) fn new() -> Episode<M> {
        Episode { observations: Vec::new(), reward: None }
    }

    /// The transitions of the episode: from each observation to its predicted successor, or else to the next
    /// observation, and from the last one to the end of the game. There is none from an observed position in
    /// which the game is over, since its value is known.
    pub fn transitions(&self) -> Vec<Transition> {
        let end = self.reward.map(Observed::End);
        let inner = self.observations.windows(2).map(|pair| {
            let [now, next] = pair else { unreachable!("windows of two") };
            (now, now.predicted.as_ref().unwrap_or(&next.observed))
        });
        let last = self.observations.last().zip(end.as_ref());
        inner.chain(last).filter_map(|(now, next)| transition(&now.observed, next)).collect()
    }
}

fn transition(now: &Observed, next: &Observed) -> Option<Transition> {
    let Observed::Features(features) = now else { return None };
    let features = features.clone();
    Some(match next {
        Observed::Features(next) => Transition { features, reward: 0.0, next: Some(next.clone()) },
        Observed::End(reward) => Transition { features, reward: *reward, next: None },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transitions_lead_from_one_observation_to_the_next() {
        let seen = |feature| Observed::Features(vec![(feature, 1.0)]);
        let observation = |observed, predicted| Observation::<()> { observed, predicted, policy: Vec::new() };
        let mut episode = Episode {
            observations: vec![
                observation(seen(0), None),
                observation(seen(1), Some(seen(7))),
                observation(Observed::End(1.0), None),
                observation(seen(3), Some(seen(8))),
            ],
            reward: Some(-1.0),
        };
        let step = |feature, next: Option<usize>, reward| Transition {
            features: vec![(feature, 1.0)],
            reward,
            next: next.map(|next| vec![(next, 1.0)]),
        };
        let all = [step(0, Some(1), 0.0), step(1, Some(7), 0.0), step(3, None, -1.0)];
        assert_eq!(episode.transitions(), all);
        // Without the end of the game the last observation has no successor.
        episode.reward = None;
        assert_eq!(episode.transitions(), all[..2]);
        // A leaf in which the game is over gives its reward.
        episode.observations.remove(1);
        assert_eq!(episode.transitions(), [step(0, None, 1.0)]);
    }
}
