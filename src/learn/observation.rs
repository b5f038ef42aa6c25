//! What a learner sees of a game.

use super::Transition;
use super::learner::SparseFeatures;
use crate::game::Features;

/// The features of a position that are not 0, for the side to move, by their numbers in the set
/// `G::SETS[set]`.
pub fn sparse_features<G: Features>(position: &G, set: usize) -> SparseFeatures {
    let mut features = Vec::new();
    position.features(set, |index, value| {
        if value != 0.0 {
            features.push((index, value));
        }
    });
    features
}

/// Which position is observed where an agent has chosen a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedPosition {
    /// The one on the board.
    Root,
    /// The end of the line that the search expects.
    Leaf,
}

/// What is observed in a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObservationSettings {
    /// Whether the second agent is observed, too. It has to have the feature set of the first one.
    pub both: bool,
    /// Which position is observed.
    pub position: ObservedPosition,
    /// Whether the next position is the one after our move and the reply that our search expects, as if the
    /// opponent were as good as we are, and free to play anything (Neighbours thesis §4.3 (a)); else it is
    /// the real one (b).
    pub predicted: bool,
    /// The reward of a win, in the unit of the evaluation; a loss brings as much less than nothing.
    pub reward: f64,
}

/// A position as an agent sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Observed {
    /// The features of the position, for the agent.
    Features(SparseFeatures),
    /// The game is over there: the reward of the agent.
    End(f64),
}

/// What is seen of a position in which an agent has chosen a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation<M> {
    /// The observed position.
    pub observed: Observed,
    /// What the agent expects to see next, where that is asked for and its search expects anything.
    pub predicted: Option<Observed>,
    /// The policy target: moves with their shares, which add up to 1. A search that counts visits gives each
    /// move its share of them; others give all to the move that was chosen.
    pub policy: Vec<(M, f64)>,
}

/// Observations of one agent without a gap: none of its moves between them was a random one.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode<M> {
    /// The observations, in the order of the game.
    pub observations: Vec<Observation<M>>,
    /// The reward at the end of the game; none where the episode ends before.
    pub reward: Option<f64>,
}

impl<M> Episode<M> {
    /// An episode that begins.
    pub(super) fn new() -> Episode<M> {
        Episode { observations: Vec::new(), reward: None }
    }

    /// From each observation to what was predicted, or else to the next one; from the last one to the end of
    /// the game. From a position where the game is over there is no step: nothing is left to learn about it.
    pub fn transitions(&self) -> Vec<Transition> {
        let end = self.reward.map(Observed::End);
        let inner = self.observations.windows(2).map(|pair| {
            let [now, next] = pair else { unreachable!("windows of two") };
            (now, now.predicted.as_ref().unwrap_or(&next.observed))
        });
        let last = self.observations.last().zip(end.as_ref());
        inner.chain(last).filter_map(|(now, next)| step(&now.observed, next)).collect()
    }
}

fn step(now: &Observed, next: &Observed) -> Option<Transition> {
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
    fn steps_lead_from_one_observation_to_the_next() {
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
        // Without the end of the game nothing is known of the last position.
        episode.reward = None;
        assert_eq!(episode.transitions(), all[..2]);
        // A line that ends the game brings its reward.
        episode.observations.remove(1);
        assert_eq!(episode.transitions(), [step(0, None, 1.0)]);
    }
}
