//! Monte Carlo tree search: UCT (L. Kocsis and C. Szepesvári, 2006) or PUCT, with playouts or with
//! evaluation.
//!
//! A simulation selects its way down the tree, expands a leaf, goes on with a playout (rollout), and backs up
//! the result. Playouts go to the end of the game, or end after some plies, where the static evaluation gives
//! the expected result (J. Kloetzer, H. Iida and B. Bouzy, "The Monte-Carlo approach in Amazons", 2007).
//! Proven results are backed up, too (M. Winands, Y. Björnsson and J.-T. Saito, "Monte-Carlo tree search
//! solver", 2008).
//!
//! Chance is sampled anew in each simulation, and a node stands for its moves whatever the outcomes were
//! (open loop). The tree has as much memory as the transposition table; when that is used up, leaves are not
//! expanded any more. Threads share the tree, which is locked on the way down and on the way up, not during
//! playouts and evaluations. A thread can collect a batch of leaves, by virtual loss, that are evaluated
//! together.
//!
//! - `tree`: nodes, selection, proofs; `simulation`: simulations and playouts;
//! - `gumbel`: the root by Gumbel noise and sequential halving;
//! - `answer`: reports, the move to play, what is known of the root;
//! - `leaf`: priors and values, `net_leaves`: those of a net; `variety`: noise and temperature.

mod answer;
mod gumbel;
mod leaf;
mod net_leaves;
mod simulation;
mod tree;
mod variety;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use answer::{answer, best_pv, report, root_statistics};
use gumbel::Gumbel;
pub use leaf::{Leaf, LeafEvaluator, StaticLeaves};
pub use net_leaves::NetLeaves;
use simulation::Simulator;
use tree::Proof;
pub use tree::{FinalMove, RootSelection, Selection, Tree};
pub use variety::NoiseAt;

use super::deadline::Deadline;
use super::deepening::{Best, Listener};
use super::helpers::Helpers;
use super::progress::{Progress, Ticker};
use super::{Control, SearchInput, TimeManager};
use crate::eval::Evaluator;
use crate::game::{Game, Playouts, Searchable};

/// The constant C in `Q + 2 C √(ln N / n)` (report on TUC-CHESS, §MCTS: 1/√2).
const EXPLORATION: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The constant C with children by static evaluation, which is much less noisy than a game of random moves.
const EXPLORATION_EVALUATED: f64 = 0.2;

/// Which children a node of the tree gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// All of them at its second visit.
    All,
    /// One more at each further visit, in random order.
    One,
    /// Those with the best static evaluations at the first visit, in their order, each as if it had been
    /// visited once. The more visits the node has, the more of them are selected from (progressive widening).
    Evaluated,
}

/// Options of Monte Carlo tree search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// How the next child is selected.
    pub selection: Selection,
    /// The constant C of the selection, in thousandths; `None`: the default of the expansion.
    pub exploration: Option<u32>,
    /// Which children a node gets; `None`: by static evaluation where playouts are cut, all of them
    /// elsewhere. PUCT gives a node all of them at its first visit, whatever is said here.
    pub expansion: Option<Expansion>,
    /// Plies of a playout before the position is evaluated; `None`: as the game has it.
    pub playout_plies: Option<u32>,
    /// ε, in percent: how many moves of a playout are random; the others are the best by static evaluation.
    pub epsilon: u32,
    /// How a child of the root is selected, with `Selection::Puct`.
    pub root_selection: RootSelection,
    /// How many moves of the root `RootSelection::Gumbel` considers, at least 1.
    pub gumbel_actions: usize,
    /// How strong its noise is, in percent; 0: no noise.
    pub gumbel_noise: u32,
    /// How the move to play is chosen in the end.
    pub final_move: FinalMove,
    /// Whether the next search keeps the subtree below the moves that have been played.
    pub keep_tree: bool,
    /// Whether proven results are backed up, in games without chance.
    pub prove: bool,
    /// Leaves that a thread collects before they are evaluated together, at least 1.
    pub batch: usize,
    /// Simulations of a search; 0: as many as the limits allow.
    pub simulations: u32,
    /// Which priors are mixed with noise, with `Selection::Puct`.
    pub noise_at: NoiseAt,
    /// The share of noise in a prior, in percent; 0: no noise.
    pub noise_weight: u32,
    /// The parameter α of the Dirichlet distribution of the noise, in thousandths.
    pub noise_alpha: u32,
    /// The temperature by which the first moves are drawn by their visits, in hundredths; 0: the best move is
    /// played.
    pub temperature: u32,
    /// How many moves of each player are drawn so, from the first position of the history on.
    pub temperature_moves: usize,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling {
            selection: Selection::Uct,
            exploration: None,
            expansion: None,
            playout_plies: None,
            epsilon: 100,
            root_selection: RootSelection::Puct,
            gumbel_actions: 16,
            gumbel_noise: 0,
            final_move: FinalMove::Visits,
            keep_tree: true,
            prove: true,
            batch: 1,
            simulations: 0,
            noise_at: NoiseAt::Root,
            noise_weight: 0,
            noise_alpha: 300,
            temperature: 0,
            temperature_moves: 15,
        }
    }
}

impl Sampling {
    /// Plies of a playout of a game before the position is evaluated; `None` where it goes on to the end.
    fn plies<G: Playouts>(&self) -> Option<u32> {
        self.playout_plies.or(G::PLAYOUT_PLIES)
    }

    /// Which children a node gets in a game.
    fn expansion<G: Playouts>(&self) -> Expansion {
        let default = if self.plies::<G>().is_some() { Expansion::Evaluated } else { Expansion::All };
        match self.selection {
            Selection::Uct => self.expansion.unwrap_or(default),
            Selection::Puct => Expansion::All,
        }
    }

    /// The constant of the selection in a game.
    fn exploration<G: Playouts>(&self) -> f64 {
        match (self.exploration, self.expansion::<G>()) {
            (Some(thousandths), _) => f64::from(thousandths) / 1000.0,
            (None, Expansion::Evaluated) => EXPLORATION_EVALUATED,
            (None, Expansion::All | Expansion::One) => EXPLORATION,
        }
    }
}

/// The tree of a search, and the schedule of its root if that has one.
struct SearchTree<'a, G: Game> {
    tree: &'a mut Tree<G>,
    gumbel: Option<Gumbel>,
}

impl<G: Game> SearchTree<'_, G> {
    /// The children of the root, the one to play first: see [`Tree::ranked`] and [`Gumbel::ranked`].
    fn ranked(&self, by: FinalMove) -> Vec<usize> {
        self.gumbel.as_ref().map_or_else(|| self.tree.ranked(0, by), |gumbel| gumbel.ranked(self.tree))
    }
}

/// What the threads of a search share.
struct SharedTree<'a, G: Searchable> {
    tree: Mutex<SearchTree<'a, G>>,
    /// Positions visited.
    nodes: AtomicU64,
    /// When the search ends, and whether it has.
    deadline: &'a Deadline<'a>,
}

impl<'a, G: Searchable> SharedTree<'a, G> {
    fn lock(&self) -> MutexGuard<'_, SearchTree<'a, G>> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks for the best move until a limit or `control` ends the search, or until the result is proven. Nodes
/// are positions of the tree and of playouts; the depth is the length of the principal variation. Priors and
/// values of PUCT come from `leaf_evaluator`, from the static evaluation where there is none.
///
/// With the same arguments, the same tree, one thread and without limits in time, the result is the same to
/// the node.
pub fn monte_carlo<G: Searchable, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    tree: &mut Tree<G>,
    threads: usize,
    leaf_evaluator: Option<&dyn LeafEvaluator<G>>,
    control: &Control,
    listener: &mut dyn Listener<G::Move>,
) -> Best<G::Move> {
    let moves = input.moves();
    let Some(&any) = moves.first() else { return Best::nothing() };
    let sampling = &input.options.sampling;
    let default = StaticLeaves(input.evaluator);
    let leaf_evaluator = leaf_evaluator.unwrap_or(&default);
    let time = TimeManager::new(input.limits, input.position.side_to_move());
    let enough = time.soft.into_iter().chain(time.hard).min();
    let deadline = &Deadline::new(control, input.limits.start, enough);
    let all = input.root_moves.is_none() && !input.options.msd.is_on();
    let mut lookout = deadline.lookout();
    tree.begin(input.position, input.history, any, sampling.keep_tree && all, &mut || lookout.is_over());
    let mut simulator = Simulator::new(input, leaf_evaluator, 0, deadline);
    if !tree.has_children(0) {
        simulator.expand_root(tree, &moves, all);
    }
    simulator.disturb_root(tree);
    let gumbel =
        Gumbel::is_asked_for(input).then(|| Gumbel::new(input, tree, simulator.value_of_root(&moves)));
    let tree = Mutex::new(SearchTree { tree, gumbel });
    let shared = &SharedTree { tree, nodes: AtomicU64::new(0), deadline };
    let helpers = Helpers::new((1..threads as u64).map(|number| {
        move |is_ready: &dyn Fn()| {
            let mut simulator = Simulator::new(input, leaf_evaluator, number, deadline);
            is_ready();
            while !deadline.is_over() {
                simulator.simulate(shared, usize::MAX);
            }
        }
    }));
    std::thread::scope(|scope| {
        helpers.start(scope, deadline);
        run(input, &mut simulator, shared, listener);
        deadline.end();
    });
    let best = answer(input, shared, &moves, listener);
    listener.root(&root_statistics(&shared.lock(), best.mv));
    // So long it took all threads to end.
    deadline.look();
    best
}

/// Makes simulations until there is a reason to stop, and reports.
fn run<G: Searchable, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    simulator: &mut Simulator<G, E>,
    shared: &SharedTree<G>,
    listener: &mut dyn Listener<G::Move>,
) {
    let most = match input.options.sampling.simulations {
        0 => u64::MAX,
        most => u64::from(most),
    };
    let (mut simulations, mut next_report) = (0, 1);
    let mut ticker = Ticker::new();
    while !shared.deadline.is_over() && shared.lock().tree.root().proof == Proof::Open {
        let before = simulations;
        let phase = shared.lock().gumbel.as_ref().map_or(u64::MAX, Gumbel::left_in_phase);
        let left = most.saturating_sub(simulations).min(phase);
        simulations += simulator.simulate(shared, usize::try_from(left).unwrap_or(usize::MAX));
        if shared.deadline.is_over() {
            break;
        }
        if let SearchTree { tree, gumbel: Some(gumbel) } = &mut *shared.lock() {
            gumbel.spend(tree, simulations - before);
        }
        let mut deep_enough = false;
        if simulations >= next_report {
            while next_report <= simulations {
                next_report *= 2;
            }
            report(input, simulator, shared, listener);
            ticker.restart();
            let asked = input.limits.depth.map(|depth| depth as usize);
            deep_enough = asked.is_some_and(|depth| best_pv(input, &shared.lock()).len() >= depth);
        }
        let nodes = shared.nodes.load(Ordering::Relaxed);
        if ticker.is_due() {
            let (time, hashfull) = (input.limits.start.elapsed(), shared.lock().tree.fullness());
            listener.progress(&Progress { nodes, time, hashfull, tbhits: None });
        }
        if deep_enough
            || simulations >= most
            || input.limits.nodes.is_some_and(|limit| nodes >= limit)
            || shared.lock().tree.root().visits == u32::MAX
        {
            break;
        }
    }
    report(input, simulator, shared, listener);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Linear;
    use crate::game::neighbours::Neighbours;
    use crate::game::{Game, GameHistory};
    use crate::search::{Limits, Options, Report};

    #[test]
    fn all_simulations_are_backed_up() {
        let (position, history) = (&Neighbours::start(), &GameHistory::new());
        let evaluator = &Linear::shipped(0).unwrap();
        let limits = &Limits::nodes(200_000);
        for (expansion, batch, selection) in [
            (Expansion::All, 1, Selection::Uct),
            (Expansion::One, 1, Selection::Uct),
            (Expansion::All, 4, Selection::Uct),
            (Expansion::All, 4, Selection::Puct),
        ] {
            let root_selection = RootSelection::Gumbel;
            let expansion = Some(expansion);
            let sampling = Sampling { expansion, batch, selection, root_selection, ..Sampling::default() };
            let options = &Options { sampling, ..Options::default() };
            let input = SearchInput::new(position, history, evaluator, options, limits);
            let mut tree = Tree::new(1 << 20);
            for _ in 0..2 {
                // The second time, in the tree of the first.
                monte_carlo(&input, &mut tree, 3, None, &Control::default(), &mut |_: Report<_>| {});
                let mut nodes = vec![0];
                while let Some(node) = nodes.pop() {
                    nodes.extend(tree.children(node));
                    assert!(tree.is_settled(node), "{expansion:?}");
                    let below: u32 = tree.children(node).map(|child| tree.node(child).visits).sum();
                    assert!(below <= tree.node(node).visits);
                    // Only the first visits, one of each thread's batch at most, and those without memory end
                    // here.
                    let ended = tree.node(node).visits - below;
                    assert!(
                        ended <= 3 * batch as u32 || tree.room() < 64 || !tree.has_children(node),
                        "{expansion:?} {selection:?} {ended}"
                    );
                }
            }
        }
    }
}
