//! The interface between Monte Carlo tree search and leaf evaluators, which give priors and value of a batch
//! of leaves: the static evaluation, or a policy/value net.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::eval::Evaluator;
use crate::game::{Game, GameHistory, Knowledge, mixed};
use crate::nets::{Net, NetError, NetProblem, softmax};

/// Numbers between two layers of a net that are computed together, about: they stay in the cache of a
/// processor, and a search that ends does not wait long.
const NUMBERS: usize = 1 << 20;

/// A leaf of the tree to expand.
#[derive(Clone, Debug)]
pub struct Leaf<G: Game> {
    /// The position.
    pub position: G,
    /// Its occurrences in the game and on the path to the leaf, 1 if it is new.
    pub occurrences: usize,
    /// Its legal moves, at least one.
    pub moves: Vec<G::Move>,
    /// Output: the prior of each move, P; they add up to 1.
    pub priors: Vec<f32>,
    /// Output: the expected result for the side to move, 1 a win, ½ a draw.
    pub value: f64,
}

impl<G: Game> Leaf<G> {
    /// The root of a search with all its legal moves, not yet evaluated.
    pub fn new(position: &G, history: &GameHistory<G>) -> Leaf<G> {
        let moves = position.moves();
        let occurrences = history.occurrences(position);
        Leaf { position: position.clone(), occurrences, moves, priors: Vec::new(), value: 0.5 }
    }
}

/// Evaluates leaves: policy and value.
pub trait LeafEvaluator<G: Game>: Sync {
    /// Fills in priors and values. `leaves` holds at most [`MctsOptions::batch`](crate::search::MctsOptions::batch)
    /// positions of one thread, with no order and no relation to each other; their `priors` are empty.
    ///
    /// Once `is_over` returns true, the search has ended and ignores the leaves: an evaluation of more than
    /// some milliseconds has to poll it, and to return.
    fn evaluate_leaves(&self, leaves: &mut [Leaf<G>], is_over: &mut dyn FnMut() -> bool);
}

/// A static evaluation as a leaf evaluator. The value is the expected result by the
/// [`WdlModel`](crate::eval::WdlModel). Priors are a softmax over the static evaluations of the children: a
/// child that is better by the `b` of the [`WdlModel`](crate::eval::WdlModel) is e times as likely.
#[derive(Clone, Copy, Debug)]
pub struct StaticLeaves<'a, E>(pub &'a E);

impl<G: Game, E: Evaluator<G>> LeafEvaluator<G> for StaticLeaves<'_, E> {
    fn evaluate_leaves(&self, leaves: &mut [Leaf<G>], is_over: &mut dyn FnMut() -> bool) {
        let (evaluator, model) = (self.0, self.0.scale().wdl);
        let spread = 1000.0 * model.b as f32;
        let [mut state, mut scratch] = [E::State::default(), E::State::default()];
        for Leaf { position, moves, priors, value, .. } in leaves {
            evaluator.reset(position, &mut state);
            *value = evaluator.evaluate(position, &state).win_rate(model);
            let stm = position.side_to_move();
            for &mv in &*moves {
                if is_over() {
                    return;
                }
                let child = position.after(mv);
                let score = evaluator.evaluate_child(position, &state, &child, &mut scratch, stm);
                priors.push(score.to_thousandths() as f32 / spread);
            }
            softmax(priors);
        }
    }
}

/// A net as a leaf evaluator, with a cache.
#[derive(Debug)]
pub struct NetLeaves {
    net: Net,
    path: PathBuf,
    cache: Mutex<Cache>,
}

impl NetLeaves {
    /// Reads a net of the game `G`.
    ///
    /// # Errors
    /// [`NetError`] names the file and the problem.
    pub fn load<G: Knowledge>(path: &Path) -> Result<NetLeaves, NetError> {
        Ok(NetLeaves::new(Net::load::<G>(path)?, path.to_owned()))
    }

    /// A loaded net. `path` is the file that errors name.
    pub fn new(net: Net, path: PathBuf) -> NetLeaves {
        NetLeaves { net, path, cache: Mutex::default() }
    }

    /// Checks that the net is for the board of a position.
    ///
    /// # Errors
    /// [`NetError`] names both boards.
    pub fn check_board<G: Knowledge>(&self, position: &G) -> Result<(), NetError> {
        let (net, board) = (self.net.config().shape, position.encoding_shape());
        if net == board.select(net.selection) {
            return Ok(());
        }
        let [net, board] = [net, board].map(|shape| (shape.files, shape.ranks));
        Err(NetError::new(&self.path, NetProblem::Board { net, board }))
    }

    /// Sets the size of the cache in bytes, and keeps its entries.
    pub fn set_cache(&self, bytes: usize) {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).most = bytes;
    }
}

impl<G: Knowledge> LeafEvaluator<G> for NetLeaves {
    fn evaluate_leaves(&self, leaves: &mut [Leaf<G>], is_over: &mut dyn FnMut() -> bool) {
        let at_once = (NUMBERS / self.net.layer_len()).max(1);
        for leaves in leaves.chunks_mut(at_once) {
            if is_over() || self.evaluate_together(leaves, is_over).is_none() {
                return;
            }
        }
    }
}

impl NetLeaves {
    /// Evaluates leaves as one batch; `None` once it is over.
    fn evaluate_together<G: Knowledge>(
        &self,
        leaves: &mut [Leaf<G>],
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let shape = self.net.config().shape;
        let length = shape.input_len();
        let (mut planes, mut open) = (Vec::with_capacity(leaves.len() * length), Vec::new());
        let lock = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut cache = lock();
            for (index, leaf) in leaves.iter_mut().enumerate() {
                let begin = planes.len();
                planes.resize(begin + length, 0.0);
                shape.write_planes(&leaf.position, leaf.occurrences, &mut planes[begin..]);
                let key = leaf.position.table_key() ^ hash(&planes[begin..]);
                match cache.get(key).filter(|evaluation| evaluation.priors.len() == leaf.moves.len()) {
                    Some(evaluation) => {
                        leaf.priors.extend(&evaluation.priors);
                        leaf.value = evaluation.value;
                        planes.truncate(begin);
                    }
                    None => open.push((index, key)),
                }
            }
        }
        let outputs = self.net.evaluate_until(&planes, is_over)?;
        for (number, &(index, _)) in open.iter().enumerate() {
            if is_over() {
                return None;
            }
            let Leaf { position, moves, priors, value, .. } = &mut leaves[index];
            let logit = |index| outputs.logit(number, index);
            priors.extend(moves.iter().map(|&mv| position.policy_indices(mv).map(logit).sum::<f32>()));
            softmax(priors);
            let said = outputs.value(number);
            // Weights may be so large that a sum of them is no number.
            *value = if said.is_nan() { 0.5 } else { f64::from(said + 1.0) / 2.0 };
        }
        let mut cache = lock();
        for (index, key) in open {
            let Leaf { priors, value, .. } = &leaves[index];
            cache.put(key, Evaluation { priors: priors.clone(), value: *value });
        }
        Some(())
    }
}

/// A hash of planes. Together with the key of the position it identifies the input of the net: the planes
/// lack the castling rights of chess, and the key lacks counters.
fn hash(planes: &[f32]) -> u64 {
    let bits = |pair: &[f32]| pair.iter().fold(0, |bits, value| bits << 32 | u64::from(value.to_bits()));
    planes.chunks(2).fold(0, |hash, pair| mixed(hash ^ bits(pair)))
}

/// The evaluation of a leaf by a net.
#[derive(Clone, Debug)]
struct Evaluation {
    priors: Vec<f32>,
    value: f64,
}

/// Evaluations by key: those since the cache was last half full, and those before.
#[derive(Debug, Default)]
struct Cache {
    recent: HashMap<u64, Evaluation>,
    earlier: HashMap<u64, Evaluation>,
    /// Bytes of the recent ones.
    bytes: usize,
    /// Bytes of both halves, at most.
    most: usize,
}

impl Cache {
    fn get(&mut self, key: u64) -> Option<&Evaluation> {
        if let Some(evaluation) = self.earlier.remove(&key) {
            self.put(key, evaluation);
        }
        self.recent.get(&key)
    }

    fn put(&mut self, key: u64, evaluation: Evaluation) {
        /// Key, place in the table and what the allocator adds, about.
        const OVERHEAD: usize = 32;
        let bytes = OVERHEAD + size_of::<Evaluation>() + size_of_val(evaluation.priors.as_slice());
        if self.bytes + bytes > self.most / 2 {
            self.earlier = std::mem::take(&mut self.recent);
            self.bytes = 0;
        }
        if bytes <= self.most / 2 && self.recent.insert(key, evaluation).is_none() {
            self.bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_evicts_unused_entries_within_its_memory() {
        let evaluation = |key: u64| Evaluation { priors: vec![0.5; 10], value: key as f64 };
        let mut cache = Cache { most: 10_000, ..Cache::default() };
        for key in 0..1_000 {
            cache.put(key, evaluation(key));
            assert_eq!(cache.get(0).map(|evaluation| evaluation.value), Some(0.0), "asked for each time");
            assert!(cache.recent.len() + cache.earlier.len() <= 10_000 / 40);
        }
        assert_eq!(cache.get(999).map(|evaluation| evaluation.value), Some(999.0));
        assert!(cache.get(1).is_none());
        let mut none = Cache::default();
        none.put(1, evaluation(1));
        assert!(none.get(1).is_none());
    }
}
