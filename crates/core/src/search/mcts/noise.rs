//! Noise and temperature: Dirichlet noise in the priors, and moves sampled by visits.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Gamma};

use super::tree::{Proof, Ranking, Tree};
use crate::game::{Knowledge, mixed};
use crate::search::input::SearchInput;
use crate::search::options::{MctsOptions, NoiseAt};

/// The stream of random numbers for sampling a move.
const SAMPLE: u64 = u64::MAX;

/// The stream of random numbers for Gumbel noise.
pub(super) const GUMBEL: u64 = u64::MAX - 1;

/// Noise from a Dirichlet distribution.
pub(super) struct Noise {
    pub(super) at: NoiseAt,
    /// A Dirichlet distribution is that of normalised gamma variables.
    gamma: Gamma<f32>,
    /// The share of the noise, ε, from 0 to 1.
    weight: f32,
    random: StdRng,
}

impl Noise {
    /// The noise of a thread of a search, if any.
    pub(super) fn new(mcts: &MctsOptions, random: StdRng) -> Option<Noise> {
        let weight = mcts.noise_weight as f32 / 100.0;
        let gamma = Gamma::new(mcts.noise_alpha as f32 / 1000.0, 1.0).ok()?;
        (weight > 0.0).then_some(Noise { at: mcts.noise_at, gamma, weight, random })
    }

    /// Mixes noise into the priors of a node.
    pub(super) fn mix(&mut self, priors: &mut [f32]) {
        let noise: Vec<_> = priors.iter().map(|_| self.gamma.sample(&mut self.random)).collect();
        let sum: f32 = noise.iter().sum();
        // With a tiny α, all of them may underflow.
        if sum > 0.0 {
            for (prior, noise) in priors.iter_mut().zip(noise) {
                *prior = (1.0 - self.weight) * *prior + self.weight * noise / sum;
            }
        }
    }
}

/// Samples a child of the root by temperature, in the first moves of a game: child i with probability
/// proportional to N(i)^(1 / temperature). `None` if a child is proven to win or Gumbel noise selects the
/// move.
pub(super) fn sample_child<G: Knowledge, E>(input: &SearchInput<G, E>, tree: &Tree<G>) -> Option<usize> {
    let mcts = &input.options.mcts;
    let moves = input.history.past().len() / 2;
    if mcts.is_by_gumbel() || mcts.temperature == 0 || moves >= mcts.temperature_moves {
        return None;
    }
    let children = tree.ranked(0, Ranking::by_visits());
    if matches!(tree.node(*children.first()?).proof, Proof::Won(_)) {
        return None;
    }
    let is_lost = |child: &usize| matches!(tree.node(*child).proof, Proof::Lost(_));
    let children: Vec<_> = children.into_iter().filter(|child| !is_lost(child)).collect();
    let visits = |child: &usize| f64::from(tree.node(*child).visits);
    let most = children.iter().map(visits).fold(1.0, f64::max);
    let weights =
        children.iter().map(|child| (visits(child) / most).powf(100.0 / f64::from(mcts.temperature)));
    let weights: Vec<_> = weights.collect();
    let mut left = random_of(input, SAMPLE).random::<f64>() * weights.iter().sum::<f64>();
    let drawn = weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    children.get(drawn?).copied()
}

/// Random numbers of a search that depend on the seed, the position and the number of positions before it, so
/// that they differ from move to move. `number` is the stream: the number of a thread for its noise,
/// [`SAMPLE`] or [`GUMBEL`].
pub(super) fn random_of<G: Knowledge, E>(input: &SearchInput<G, E>, number: u64) -> StdRng {
    let plies = input.history.past().len() as u64;
    StdRng::seed_from_u64(mixed(input.options.seed ^ mixed(plies)) ^ input.position.key() ^ mixed(number))
}
