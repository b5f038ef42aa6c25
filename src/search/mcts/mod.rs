//! Monte Carlo tree search: UCT (L. Kocsis and C. Szepesvári, 2006) with random playouts, or with evaluation.
//!
//! A walk goes down the tree, a playout goes on from its end, and the result goes back up. Playouts go to the end of the game, or
//! end after a given number of plies, where the position is worth the chance of winning that its evaluation stands for
//! (J. Kloetzer, H. Iida and B. Bouzy, "The Monte-Carlo approach in Amazons", 2007). Proven results go up, too
//! (M. Winands, Y. Björnsson and J.-T. Saito, "Monte-Carlo tree search solver", 2008).
//!
//! Chance is drawn anew on each walk, and a node stands for its moves whatever chance has made of them (open loop). The tree
//! lives in as much memory as the transposition table has; when that is used up, playouts go on from its leaves.
//! Threads share the tree; it is locked while a walk goes down and comes back, not during playouts and evaluations.
//!
//! - `tree`: nodes, selection, proofs; `walk`: one walk with its playout; `policy`: priors of moves.

mod policy;
mod tree;
mod walk;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use policy::Policy;
use tree::Proof;
pub use tree::{FinalMove, Selection, Tree};
use walk::Walker;

use super::deepening::{Best, Listener, Report, Visits};
use super::table::Bound;
use super::{Control, Task, TimeManager};
use crate::eval::{MAX_PLY, Score};
use crate::game::{Features, Knowledge};

/// The constant C in `mean + 2 C √(ln N / n)` (report on TUC-CHESS, §MCTS: 1/√2).
const EXPLORATION: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The constant C with children by promise, which are much less noisy than a game of random moves. (In Amazons at 20,000 nodes
/// a move, 30 games each against `pvs`: 0.05 scores 20 %, 0.1 27 %, 0.2 with a widening of 0.6 33 %, 0.4 13 %.)
const EXPLORATION_PROMISING: f64 = 0.2;

/// Between two looks at the clock, so many walks are made.
const POLL_INTERVAL: u64 = 16;

/// Which children a position of the tree gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// All of them when it is visited again.
    All,
    /// One more each time it is visited again, in random order.
    One,
    /// The best by evaluation at once, in the order of their evaluations, each as if it had been visited once; the more
    /// the position is visited, the more of them count (progressive widening).
    Promising,
}

/// How a Monte Carlo search goes about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// How the next child is selected.
    pub selection: Selection,
    /// The constant C of the selection, in thousandths; none: as is best for the expansion.
    pub exploration: Option<u32>,
    /// Which children a position gets; none: by promise where playouts are cut, all of them elsewhere. (PUCT gives a position all
    /// of them at its first visit, whatever is said here.)
    pub expansion: Option<Expansion>,
    /// Plies of a playout before the position is evaluated; none: as the game has it.
    pub playout_plies: Option<u32>,
    /// Percent of the moves of a playout that are random; the others are the best by evaluation (ε-greedy).
    pub epsilon: u32,
    /// By what the move is chosen in the end.
    pub final_move: FinalMove,
    /// Whether the next search keeps what lies below the moves that have been played.
    pub keep_tree: bool,
    /// Whether proven results are backed up, where chance has no word.
    pub prove: bool,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling {
            selection: Selection::Uct,
            exploration: None,
            expansion: None,
            playout_plies: None,
            epsilon: 100,
            final_move: FinalMove::Visits,
            keep_tree: true,
            prove: true,
        }
    }
}

impl Sampling {
    /// Plies of a playout before the position is evaluated in a game; none where it goes on to the end.
    fn plies<G: Knowledge>(&self) -> Option<u32> {
        self.playout_plies.or(G::PLAYOUT_PLIES)
    }

    /// Which children a position of a game gets.
    fn expansion<G: Knowledge>(&self) -> Expansion {
        let default = if self.plies::<G>().is_some() { Expansion::Promising } else { Expansion::All };
        match self.selection {
            Selection::Uct => self.expansion.unwrap_or(default),
            Selection::Puct => Expansion::All,
        }
    }

    /// The constant of the selection in a game.
    fn exploration<G: Knowledge>(&self) -> f64 {
        match (self.exploration, self.expansion::<G>()) {
            (Some(thousandths), _) => f64::from(thousandths) / 1000.0,
            (None, Expansion::Promising) => EXPLORATION_PROMISING,
            (None, Expansion::All | Expansion::One) => EXPLORATION,
        }
    }
}

/// What the threads of a search share.
struct Team<'a, G: Features + Knowledge> {
    tree: Mutex<&'a mut Tree<G>>,
    /// Positions visited.
    visited: AtomicU64,
    /// The thread that decides has decided.
    done: AtomicBool,
}

impl<'a, G: Features + Knowledge> Team<'a, G> {
    fn tree(&self) -> MutexGuard<'_, &'a mut Tree<G>> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks for the best move until a limit or `control` ends the search, or until the result is proved. Nodes are positions of the
/// tree and of playouts, the depth is the length of the principal variation. The priors of PUCT come from
/// `policy`, from the evaluation where there is none.
///
/// With the same arguments, a tree that knows the same, one thread and without limits in time, the result is the same
/// to the node.
pub fn monte_carlo<G: Features + Knowledge>(
    task: &Task<G>,
    tree: &mut Tree<G>,
    threads: usize,
    policy: Option<&dyn Policy<G>>,
    control: &Control,
    listener: &mut dyn Listener<G::Move>,
) -> Best<G::Move> {
    let moves = task.moves();
    let Some(&any) = moves.first() else { return Best::nothing() };
    let sampling = &task.options.sampling;
    let policy = policy.unwrap_or(task.evaluator);
    let all = task.root_moves.is_empty() && !task.options.filter.is_on();
    tree.begin(task.position, task.history, any, sampling.keep_tree && all);
    let mut walker = Walker::new(task, policy, 0);
    if !tree.has_children(0) {
        walker.plant(tree, &moves, all);
    }
    let team = Team { tree: Mutex::new(tree), visited: AtomicU64::new(0), done: AtomicBool::new(false) };
    std::thread::scope(|scope| {
        for number in 1..threads {
            let (team, mut walker) = (&team, Walker::new(task, policy, number as u64));
            scope.spawn(move || {
                while !team.done.load(Ordering::Relaxed) {
                    walker.walk(team);
                }
            });
        }
        lead(task, &mut walker, &team, control, listener);
        team.done.store(true, Ordering::Relaxed);
    });
    let nodes = team.visited.load(Ordering::Relaxed);
    let tree = team.tree();
    let visits = tree.children(0).map(|child| (tree.node(child).mv, tree.node(child).visits));
    listener.root_visits(&visits.collect::<Vec<_>>());
    let line = best_line(task, &tree);
    Best { mv: line.first().copied(), ponder: line.get(1).copied(), nodes }
}

/// Walks until there is a reason to stop, and tells of it.
fn lead<G: Features + Knowledge>(
    task: &Task<G>,
    walker: &mut Walker<G>,
    team: &Team<G>,
    control: &Control,
    listener: &mut dyn Listener<G::Move>,
) {
    let time = TimeManager::new(task.limits, task.position.side_to_move());
    let enough = time.soft.into_iter().chain(time.hard).min();
    let mut next_report = 1;
    for walk in 1u64.. {
        if team.tree().root().proof != Proof::Open {
            break;
        }
        walker.walk(team);
        let mut deep_enough = false;
        if walk >= next_report {
            next_report *= 2;
            tell(task, walker, team, listener);
            let asked = task.limits.depth.map(|depth| depth as usize);
            deep_enough = asked.is_some_and(|depth| best_line(task, &team.tree()).len() >= depth);
        }
        let out_of_time = walk.is_multiple_of(POLL_INTERVAL)
            && !control.is_pondering()
            && enough.is_some_and(|enough| task.limits.start.elapsed() >= enough);
        let visited = team.visited.load(Ordering::Relaxed);
        if control.is_stopped()
            || out_of_time
            || deep_enough
            || task.limits.nodes.is_some_and(|nodes| visited >= nodes)
            || team.tree().root().visits == u32::MAX
        {
            break;
        }
    }
    tell(task, walker, team, listener);
}

/// The line of the best moves.
fn best_line<G: Features + Knowledge>(task: &Task<G>, tree: &Tree<G>) -> Vec<G::Move> {
    let by = task.options.sampling.final_move;
    tree.ranked(0, by).first().map_or_else(Vec::new, |&best| tree.line(best, by))
}

/// Tells of the best moves.
fn tell<G: Features + Knowledge>(
    task: &Task<G>,
    walker: &Walker<G>,
    team: &Team<G>,
    listener: &mut dyn Listener<G::Move>,
) {
    let tree = team.tree();
    let by = task.options.sampling.final_move;
    for (child, number) in tree.ranked(0, by).into_iter().take(task.options.multi_pv).zip(1..) {
        let pv = tree.line(child, by);
        let node = tree.node(child);
        let score = match node.proof {
            Proof::Open => Score::from_win_rate(node.rate()),
            Proof::Drawn => Score::DRAW,
            Proof::Won(plies) => Score::won_in((usize::from(plies) + 1).min(MAX_PLY)),
            Proof::Lost(plies) => Score::lost_in((usize::from(plies) + 1).min(MAX_PLY)),
        };
        listener.line(Report {
            depth: pv.len() as u32,
            seldepth: walker.deepest as u32,
            multipv: number,
            score,
            bound: Bound::Exact,
            nodes: team.visited.load(Ordering::Relaxed),
            time: task.limits.start.elapsed(),
            hashfull: tree.fullness(),
            visits: Some(Visits { count: node.visits, walks: tree.root().visits, rate: node.rate() }),
            pv,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Linear;
    use crate::game::neighbours::Neighbours;
    use crate::game::{Game, GameHistory};
    use crate::search::{Limits, Options};

    #[test]
    fn all_walks_come_back() {
        let (position, history) = (&Neighbours::start(), &GameHistory::new());
        let evaluator = &Linear::shipped(0).unwrap();
        let limits = &Limits::nodes(200_000);
        for expansion in [Expansion::All, Expansion::One] {
            let sampling = Sampling { expansion: Some(expansion), ..Sampling::default() };
            let options = &Options { sampling, ..Options::default() };
            let task = Task { position, history, evaluator, root_moves: &[], options, limits };
            let mut tree = Tree::new(1 << 20);
            for _ in 0..2 {
                // The second time, in the tree of the first.
                monte_carlo(&task, &mut tree, 3, None, &Control::default(), &mut |_: Report<_>| {});
                let mut nodes = vec![0];
                while let Some(node) = nodes.pop() {
                    nodes.extend(tree.children(node));
                    assert!(tree.is_settled(node), "{expansion:?}");
                    let below: u32 = tree.children(node).map(|child| tree.node(child).visits).sum();
                    assert!(below <= tree.node(node).visits);
                    // Only the first visits, one of each thread at most, and those without memory end here.
                    let ended = tree.node(node).visits - below;
                    assert!(
                        ended <= 3 || tree.room() < 64 || !tree.has_children(node),
                        "{expansion:?} {ended}"
                    );
                }
            }
        }
    }
}
