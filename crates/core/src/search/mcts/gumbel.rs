//! The root by Gumbel noise and sequential halving (I. Danihelka, A. Guez, J. Schrittwieser and D. Silver,
//! "Policy improvement by planning with Gumbel", ICLR 2022).
//!
//! The m moves with the largest g + logit are considered, where g is noise and the logit is that of the
//! prior. Sequential halving gives all of them the same simulations, keeps the better half by g + logit +
//! σ(q), and so on until two are left. The best of these is played. Moves without visits take part in the
//! policy with an estimate of their value (completed Q), so that the policy is never worse than the priors.
//!
//! Only simulations that this search has begun are counted: so a kept tree changes the values, not the
//! schedule, and batches and threads spread over the moves. Below the root, nodes are selected by PUCT.

use rand_distr::{Distribution, Gumbel as GumbelNoise};

use super::noise::{GUMBEL, random_of};
use super::tree::{Proof, Rank, Ranking, Tree, best_first};
use crate::game::{Game, Knowledge};
use crate::search::input::SearchInput;

/// The constant c_visit in `σ(q) = (c_visit + max N) c_scale q`.
const VISIT_OFFSET: f64 = 50.0;

/// The constant c_scale in the same.
const VALUE_SCALE: f64 = 1.0;

/// A child of the root.
#[derive(Clone, Copy, Debug)]
struct Action {
    node: usize,
    /// The prior, P.
    prior: f64,
    /// Its noise, g.
    noise: f64,
}

impl Action {
    fn logit(&self) -> f64 {
        self.prior.ln()
    }
}

/// A move that is still considered.
#[derive(Clone, Copy, Debug)]
struct Survivor {
    /// Its index among the actions.
    action: usize,
    /// Simulations of this phase that have begun with it.
    begun: u64,
}

/// The tree of a search, and the schedule of its root if that has one.
pub(super) struct SearchTree<'a, G: Game> {
    pub(super) tree: &'a mut Tree<G>,
    pub(super) gumbel: Option<Gumbel>,
}

impl<G: Game> SearchTree<'_, G> {
    /// The children of the root, the one to play first: see [`Tree::ranked`] and [`Gumbel::ranked`].
    pub(super) fn ranked(&self, by: Ranking) -> Vec<usize> {
        self.gumbel.as_ref().map_or_else(|| self.tree.ranked(0, by), |gumbel| gumbel.ranked(self.tree))
    }
}

/// The schedule of the root.
#[derive(Debug)]
pub(super) struct Gumbel {
    /// The children of the root, in the order of the tree.
    actions: Vec<Action>,
    /// Their indices, the largest g + logit first.
    by_prior: Vec<usize>,
    /// The value of the root by the leaf evaluator: the expected result for the side to move.
    value: f64,
    /// The number of moves of a round, m.
    width: usize,
    /// The simulations of a round.
    round: u64,
    /// Whether another round with twice the simulations follows, as their total is unknown.
    repeats: bool,
    /// Simulations of this round and of this phase that are left, the phase's own not among the round's.
    left_in_round: u64,
    left_in_phase: u64,
    /// The moves of this phase, the best ones first.
    survivors: Vec<Survivor>,
    /// The indices of the moves left by the last phase: one of them is played.
    finalists: Vec<usize>,
}

impl Gumbel {
    /// The schedule of a search whose root has children. `value` is that of the root by the leaf evaluator,
    /// for the side to move.
    pub(super) fn new<G: Knowledge, E>(input: &SearchInput<G, E>, tree: &Tree<G>, value: f64) -> Gumbel {
        let mcts = &input.options.mcts;
        let mut random = random_of(input, GUMBEL);
        let scale = f64::from(mcts.gumbel_noise) / 100.0;
        let noise = GumbelNoise::new(0.0, scale).ok().filter(|_| scale > 0.0);
        let mut actions = Vec::new();
        for node in tree.children(0) {
            let prior = f64::from(tree.node(node).prior.max(f32::MIN_POSITIVE));
            let noise = noise.map_or(0.0, |noise| noise.sample(&mut random));
            actions.push(Action { node, prior, noise });
        }
        let by_prior = actions.iter().map(|action| (1, action.noise + action.logit()));
        let by_prior = best_first(by_prior.zip(0..).collect());
        let width = mcts.gumbel_actions.clamp(1, actions.len().max(1));
        let (width, round) = match u64::from(mcts.simulations) {
            0 => (width, width as u64 * halvings(width)),
            most => (width.min(usize::try_from(most).unwrap_or(usize::MAX)), most),
        };
        let mut gumbel = Gumbel {
            actions,
            by_prior,
            value,
            width,
            round,
            repeats: mcts.simulations == 0,
            left_in_round: 0,
            left_in_phase: 0,
            survivors: Vec::new(),
            finalists: Vec::new(),
        };
        gumbel.begin_round(tree);
        gumbel.finalists = gumbel.survivors.iter().map(|survivor| survivor.action).collect();
        gumbel
    }

    /// Begins a round with the moves that lead by prior and noise.
    fn begin_round<G: Game>(&mut self, tree: &Tree<G>) {
        self.left_in_round = self.round;
        let open = self.by_prior.iter().copied().filter(|&action| !self.is_lost(tree, action));
        self.survivors = open.take(self.width).map(|action| Survivor { action, begun: 0 }).collect();
        self.begin_phase();
    }

    /// Begins a phase: each of the survivors gets the same share of the round, the last two all that is left.
    fn begin_phase(&mut self) {
        let survivors = self.survivors.len() as u64;
        let share = (self.round / (halvings(self.width) * survivors.max(1))).max(1);
        let phase = if survivors <= 2 { u64::MAX } else { share * survivors };
        self.left_in_phase = phase.min(self.left_in_round);
        self.left_in_round -= self.left_in_phase;
        self.survivors.iter_mut().for_each(|survivor| survivor.begun = 0);
    }

    /// Simulations left until the moves are halved, the limit of a batch.
    pub(super) fn left_in_phase(&self) -> u64 {
        self.left_in_phase
    }

    /// The child of the root that the next simulation begins with: of the survivors that are not lost, the
    /// one with the fewest simulations in this phase. If all of them are lost, other moves replace them.
    pub(super) fn next<G: Game>(&mut self, tree: &Tree<G>) -> Option<usize> {
        if self.survivors.iter().all(|survivor| self.is_lost(tree, survivor.action)) {
            let others = self.by_prior.iter().copied().filter(|&action| !self.is_lost(tree, action));
            let others: Vec<_> = others.take(self.survivors.len().max(1)).collect();
            if !others.is_empty() {
                self.survivors = others.into_iter().map(|action| Survivor { action, begun: 0 }).collect();
            }
        }
        let next = (0..self.survivors.len()).min_by_key(|&survivor| {
            let Survivor { action, begun } = self.survivors[survivor];
            (self.is_lost(tree, action), begun)
        })?;
        self.survivors[next].begun += 1;
        Some(self.actions[self.survivors[next].action].node)
    }

    /// Counts simulations of the main thread, at most those left in the phase: at its end, the better half of
    /// the moves is kept.
    pub(super) fn spend<G: Game>(&mut self, tree: &Tree<G>, simulations: u64) {
        self.left_in_phase = self.left_in_phase.saturating_sub(simulations);
        if self.left_in_phase > 0 {
            return;
        }
        // In a phase cut short some may have no simulation.
        self.survivors.retain(|survivor| survivor.begun > 0);
        let completed = Completed::new(self, tree);
        let rank = |survivor: &Survivor| self.rank(tree, &completed, survivor.action);
        let mut ranked = best_first(self.survivors.iter().map(rank).zip(0..).collect());
        ranked.truncate((ranked.len() / 2).max(2));
        self.survivors = ranked.into_iter().map(|survivor| self.survivors[survivor]).collect();
        self.finalists = self.survivors.iter().map(|survivor| survivor.action).collect();
        if self.left_in_round > 0 || !self.repeats {
            self.begin_phase();
        } else {
            self.round = self.round.saturating_mul(2);
            self.begin_round(tree);
        }
    }

    fn is_lost<G: Game>(&self, tree: &Tree<G>, action: usize) -> bool {
        matches!(tree.node(self.actions[action].node).proof, Proof::Lost(_))
    }

    /// How good a move is: its class is a proven win, open or a proven loss.
    fn rank<G: Game>(&self, tree: &Tree<G>, completed: &Completed, action: usize) -> Rank {
        let action = &self.actions[action];
        match tree.node(action.node).proof {
            Proof::Won(plies) => (2, -f64::from(plies)),
            Proof::Open | Proof::Drawn => {
                (1, action.noise + action.logit() + completed.sigma(tree, action.node))
            }
            Proof::Lost(plies) => (0, f64::from(plies)),
        }
    }

    /// The children of the root, the one to play first: a proven win, then the finalists by g + logit + σ(q),
    /// then the others, proven losses last. Those without visits are left out, except for the first one.
    pub(super) fn ranked<G: Game>(&self, tree: &Tree<G>) -> Vec<usize> {
        let completed = Completed::new(self, tree);
        let visits = |node: usize| tree.node(node).visits;
        let ranked = (0..self.actions.len())
            .map(|action| {
                let ((class, place), node) = (self.rank(tree, &completed, action), self.actions[action].node);
                let is_finalist = visits(node) > 0 && self.finalists.contains(&action);
                ((2 * class + u8::from(is_finalist && class == 1), place), node)
            })
            .collect();
        let nodes = best_first(ranked).into_iter().enumerate();
        nodes.filter(|&(place, node)| place == 0 || visits(node) > 0).map(|(_, node)| node).collect()
    }

    /// The improved policy: the probabilities of the children of the root in the order of the tree, softmax
    /// of logit + σ(completed Q). It has no noise.
    pub(super) fn policy<G: Game>(&self, tree: &Tree<G>) -> Vec<f64> {
        let completed = Completed::new(self, tree);
        let logits = self.actions.iter().map(|action| action.logit() + completed.sigma(tree, action.node));
        let logits: Vec<_> = logits.collect();
        let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<_> = logits.iter().map(|logit| (logit - most).exp()).collect();
        let sum: f64 = shares.iter().sum();
        shares.into_iter().map(|share| share / sum).collect()
    }
}

/// The number of halvings of this many moves to one, at least 1.
fn halvings(moves: usize) -> u64 {
    u64::from(moves.next_power_of_two().ilog2().max(1))
}

/// The transformation σ of completed Q values into logits.
struct Completed {
    /// The value of a child without visits: v_mix, the evaluation of the root mixed with the mean of the
    /// children that have some, weighted by their priors.
    unknown: f64,
    /// The factor of a value: (c_visit + max N) c_scale.
    scale: f64,
}

impl Completed {
    fn new<G: Game>(gumbel: &Gumbel, tree: &Tree<G>) -> Completed {
        let (mut most, mut visits, mut priors, mut values) = (0, 0.0, 0.0, 0.0);
        for &Action { node, prior, .. } in &gumbel.actions {
            let node = tree.node(node);
            most = most.max(node.visits);
            if node.visits > 0 {
                visits += f64::from(node.visits);
                priors += prior;
                values += prior * node.mean();
            }
        }
        let mean = if visits > 0.0 { values / priors } else { 0.0 };
        let unknown = (gumbel.value + visits * mean) / (1.0 + visits);
        Completed { unknown, scale: (VISIT_OFFSET + f64::from(most)) * VALUE_SCALE }
    }

    /// σ of the completed Q of a child.
    fn sigma<G: Game>(&self, tree: &Tree<G>, node: usize) -> f64 {
        let node = tree.node(node);
        let is_known = node.visits > 0 || node.proof != Proof::Open;
        self.scale * if is_known { node.mean() } else { self.unknown }
    }
}
