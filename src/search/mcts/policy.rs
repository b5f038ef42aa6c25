//! Which moves are likely to be good before anything has been searched: the priors of PUCT.

use crate::eval::Linear;
use crate::game::{Features, Game, Knowledge};

/// What gives moves their priors.
pub trait Policy<G: Game>: Sync {
    /// Appends the share of each of some legal moves, at least one; they add up to 1.
    fn priors(&self, position: &G, moves: &[G::Move], priors: &mut Vec<f32>);
}

/// The policy of an evaluation: a move that is better by the evaluation's
/// [`Knowledge::RESULTS`] is e times as likely.
impl<G: Features + Knowledge> Policy<G> for Linear<G> {
    fn priors(&self, position: &G, moves: &[G::Move], priors: &mut Vec<f32>) {
        let spread = 1000.0 * G::RESULTS.1 as f32;
        let before = priors.len();
        let values = moves.iter().map(|&mv| self.evaluate_move(position, mv).to_thousandths() as f32);
        priors.extend(values.map(|value| value / spread));
        let own = &mut priors[before..];
        let most = own.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        own.iter_mut().for_each(|prior| *prior = (*prior - most).exp());
        let sum: f32 = own.iter().sum();
        own.iter_mut().for_each(|prior| *prior /= sum);
    }
}
