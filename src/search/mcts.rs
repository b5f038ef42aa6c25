//! Monte Carlo tree search: UCT (L. Kocsis and C. Szepesvári, 2006) with random playouts, or with evaluation.
//!
//! With evaluation, playouts end after a given number of plies, and the position is worth the chance of winning that its
//! evaluation stands for (J. Kloetzer, H. Iida and B. Bouzy, "The Monte-Carlo approach in Amazons", 2007). A leaf gets
//! its children at once, in the order of their own evaluations, and the more it is visited the more of them count
//! (progressive widening). Without any plies there is no chance in it: a leaf is worth its best child.
//!
//! In the tree chance counts by its mean, in playouts it is drawn. The tree lives in as much memory as the
//! transposition table has; when that is used up, playouts go on from its leaves.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::deepening::{Best, Listener, Report};
use super::table::Bound;
use super::{Control, Task, TimeManager};
use crate::eval::{MAX_PLY, Score};
use crate::game::{Color, Features, History, Knowledge};

/// The constant C in `mean + 2 C √(ln N / n)` (report on TUC-CHESS, §MCTS: 1/√2).
const EXPLORATION: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Plies of a playout where the game has no length of its own; then it is drawn.
const LONGEST_PLAYOUT: u32 = 300;

/// The constant C with evaluation, which is much less noisy than a game of random moves. (In Amazons at 20,000 nodes a
/// move, 30 games each against `pvs`: 0.05 scores 20 %, 0.1 27 %, 0.2 with a widening of 0.6 33 %, 0.4 13 %.)
const EXPLORATION_RATED: f64 = 0.2;

/// With evaluation, a node that has been visited n times looks at n to the power of this many of its children …
const WIDENING: f64 = 0.6;

/// … at least two; and it has no more than so many, unless `Width` says otherwise.
const WIDEST: usize = 50;

/// Between two looks at the clock, so many playouts are made.
const POLL_INTERVAL: u64 = 16;

/// A position of the tree, reached by a move.
#[derive(Clone, Debug)]
struct Node<M> {
    mv: M,
    /// Its children lie together; 0 where there are none yet.
    first: u32,
    children: u32,
    visits: u32,
    /// Sum of the results for the player who made the move: 1 a win, ½ a draw.
    points: f64,
    /// The game is over here.
    over: bool,
}

/// Looks for the best move until a limit or `control` ends the search; the tree has `bytes` of memory. Nodes are positions of the tree and of playouts, the depth is the length of the
/// principal variation. There is one line, and no evaluation.
///
/// With the same arguments, and without limits in time, the result is the same to the node.
pub fn monte_carlo<G: Features + Knowledge>(
    task: &Task<G>,
    bytes: usize,
    control: &Control,
    listener: &mut dyn Listener<G::Move>,
) -> Best<G::Move> {
    let root_moves = task.moves();
    let Some(&any) = root_moves.first() else { return Best::nothing() };
    let mut nodes = Vec::new();
    let mut most = bytes / size_of::<Node<G::Move>>();
    while nodes.try_reserve_exact(most).is_err() {
        most /= 2;
    }
    let mut tree = Tree {
        task,
        nodes,
        most: most.max(root_moves.len() + 1),
        playout_plies: task.options.playout_plies.or(G::PLAYOUT_PLIES),
        random: StdRng::seed_from_u64(task.options.seed),
        moves: Vec::with_capacity(G::MAX_MOVES),
        promises: Vec::new(),
        visited: 0,
        deepest: 0,
    };
    // (The move that led to the root is never looked at.)
    tree.add(any, 0, 0.0);
    match tree.playout_plies {
        None => tree.expand(0, &root_moves),
        Some(_) => {
            tree.expand_by_promise(0, task.position, task.root_moves);
        }
    }
    let time = TimeManager::new(task.limits, task.position.mover());
    let enough = time.soft.into_iter().chain(time.hard).min();
    let mut next_report = 1;
    for playout in 1u64.. {
        tree.simulate();
        let line = (playout >= next_report).then(|| tree.principal_variation());
        if let Some(line) = &line {
            next_report *= 2;
            listener.line(tree.report(line.clone()));
        }
        let over_depth =
            |line: &Vec<G::Move>| task.limits.depth.is_some_and(|depth| line.len() >= depth as usize);
        let out_of_time = playout.is_multiple_of(POLL_INTERVAL)
            && !control.is_pondering()
            && enough.is_some_and(|enough| task.limits.start.elapsed() >= enough);
        if control.is_stopped()
            || out_of_time
            || task.limits.nodes.is_some_and(|nodes| tree.visited >= nodes)
            || line.as_ref().is_some_and(over_depth)
            || playout == u64::from(u32::MAX)
        {
            break;
        }
    }
    let line = tree.principal_variation();
    listener.line(tree.report(line.clone()));
    Best { mv: line.first().copied(), ponder: line.get(1).copied(), nodes: tree.visited }
}

struct Tree<'a, G: Features + Knowledge> {
    task: &'a Task<'a, G>,
    nodes: Vec<Node<G::Move>>,
    /// Nodes that the memory holds.
    most: usize,
    /// Plies of a playout before the position is evaluated; none where it goes on to the end of the game.
    playout_plies: Option<u32>,
    random: StdRng,
    moves: Vec<G::Move>,
    promises: Vec<(G::Move, i32)>,
    /// Positions visited.
    visited: u64,
    /// The deepest ply of the tree.
    deepest: usize,
}

impl<G: Features + Knowledge> Tree<'_, G> {
    fn add(&mut self, mv: G::Move, visits: u32, points: f64) {
        self.nodes.push(Node { mv, first: 0, children: 0, visits, points, over: false });
    }

    /// Gives a node its children, unless memory is used up.
    fn expand(&mut self, node: usize, moves: &[G::Move]) {
        if self.nodes.len() + moves.len() > self.most {
            return;
        }
        self.nodes[node].first = self.nodes.len() as u32;
        self.nodes[node].children = moves.len() as u32;
        moves.iter().for_each(|&mv| self.add(mv, 0, 0.0));
    }

    /// Gives a node the children that promise most, of `chosen` moves if there are any, each as if it had been
    /// visited once with what it promises; returns the best promise for the mover, or its evaluation where memory is used up.
    fn expand_by_promise(&mut self, node: usize, position: &G, chosen: &[G::Move]) -> f64 {
        let evaluator = self.task.evaluator;
        let mover = position.mover();
        if self.nodes.len() >= self.most {
            self.visited += 1;
            return evaluator.evaluate(position).win_rate(G::RESULTS);
        }
        let mut promises = std::mem::take(&mut self.promises);
        promises.clear();
        let mut rated = 0;
        let mut rate = |child: &G| {
            rated += 1;
            evaluator.evaluate_for(child, mover).to_thousandths()
        };
        if chosen.is_empty() {
            position.promising_moves(i32::MAX, &mut rate, &mut promises);
        } else {
            promises.extend(chosen.iter().map(|&mv| {
                let mut child = position.clone();
                child.play(mv);
                (mv, rate(&child))
            }));
        }
        self.visited += rated;
        promises.sort_by_key(|(_, promise)| std::cmp::Reverse(*promise));
        let widest = if self.task.options.width == 0 { WIDEST } else { self.task.options.width };
        promises.truncate(widest.min(self.most - self.nodes.len()).max(1));
        self.nodes[node].first = self.nodes.len() as u32;
        self.nodes[node].children = promises.len() as u32;
        let rate = |promise: i32| Score::from_thousandths(promise).win_rate(G::RESULTS);
        for &(mv, promise) in &promises {
            self.add(mv, 1, rate(promise));
        }
        let best = promises.first().map_or(0.5, |(_, promise)| rate(*promise));
        self.promises = promises;
        best
    }

    /// One walk down the tree, a playout from its end, and the result back up.
    fn simulate(&mut self) {
        let mut position = self.task.position.clone();
        let mut history = self.task.history.clone();
        let mut path = vec![(0, !position.mover())];
        let mut node = 0;
        let points = loop {
            if self.nodes[node].children == 0 {
                break self.leaf(node, &position, &history);
            }
            node = self.select(node);
            path.push((node, position.mover()));
            history.push(&position);
            position.play(self.nodes[node].mv);
            self.visited += 1;
            if path.len() > MAX_PLY {
                break self.playout(position);
            }
        };
        // Points of White.
        self.deepest = self.deepest.max(path.len() - 1);
        for (node, player) in path {
            let node = &mut self.nodes[node];
            node.visits += 1;
            node.points += if player == Color::White { points } else { 1.0 - points };
        }
    }

    /// The points of White from a leaf of the tree on. Without evaluation, a node that is visited again gets its children
    /// first.
    fn leaf(&mut self, node: usize, position: &G, history: &History<G>) -> f64 {
        // The root is searched even where a rule of draws has ended the game there before.
        if node != 0
            && (self.nodes[node].over || self.nodes[node].visits <= 1)
            && let Some(outcome) = history.outcome(position)
        {
            self.nodes[node].over = true;
            return points(outcome.winner);
        }
        if let Some(plies) = self.playout_plies {
            let best = self.expand_by_promise(node, position, &[]);
            let for_white = if position.mover() == Color::White { best } else { 1.0 - best };
            return if plies == 0 { for_white } else { self.playout(position.clone()) };
        }
        if self.nodes[node].visits > 0 {
            let mut moves = std::mem::take(&mut self.moves);
            moves.clear();
            position.legal_moves(&mut moves);
            self.expand(node, &moves);
            self.moves = moves;
        }
        self.playout(position.clone())
    }

    /// The points of White after random moves: by the evaluation after some of them, or by the result.
    fn playout(&mut self, mut position: G) -> f64 {
        let longest = self.playout_plies.or(G::LONGEST_GAME).unwrap_or(LONGEST_PLAYOUT);
        for _ in 0..longest {
            self.moves.clear();
            position.legal_moves(&mut self.moves);
            if self.moves.is_empty() {
                return points(position.verdict().winner);
            }
            if G::DRAW_RULES.no_progress.is_some_and(|limit| position.reversible_plies() >= limit) {
                return 0.5;
            }
            let mv = self.moves[self.random.random_range(0..self.moves.len())];
            let random = &mut self.random;
            let mv = position.draw(mv, &mut || random.random());
            position.play(mv);
            self.visited += 1;
        }
        if self.playout_plies.is_none() {
            return points(position.leader());
        }
        let rate = self.task.evaluator.evaluate(&position).win_rate(G::RESULTS);
        if position.mover() == Color::White { rate } else { 1.0 - rate }
    }

    /// The child with the largest upper bound; one that has never been visited comes first.
    fn select(&self, node: usize) -> usize {
        let Node { first, mut children, visits, .. } = self.nodes[node];
        let mut exploration = EXPLORATION;
        if self.playout_plies.is_some() {
            exploration = EXPLORATION_RATED;
            children = children.min((f64::from(visits).powf(WIDENING) as u32).max(2));
        }
        let logarithm = f64::from(visits.max(1)).ln();
        let bound = |child: &Node<G::Move>| match child.visits {
            0 => f64::INFINITY,
            visits => {
                let n = f64::from(visits);
                child.points / n + 2.0 * exploration * (logarithm / n).sqrt()
            }
        };
        let range = first as usize..(first + children) as usize;
        let (mut best, mut highest) = (range.start, f64::NEG_INFINITY);
        for child in range {
            let bound = bound(&self.nodes[child]);
            if bound > highest {
                (best, highest) = (child, bound);
            }
        }
        best
    }

    /// The most visited child, if any has been visited.
    fn most_visited(&self, node: usize) -> Option<usize> {
        let Node { first, children, .. } = self.nodes[node];
        let range = first as usize..(first + children) as usize;
        // The first of several.
        range
            .rev()
            .max_by_key(|&child| self.nodes[child].visits)
            .filter(|&child| self.nodes[child].visits > 0)
    }

    /// The line of the most visited children.
    fn principal_variation(&self) -> Vec<G::Move> {
        let mut node = 0;
        std::iter::from_fn(|| {
            node = self.most_visited(node)?;
            Some(self.nodes[node].mv)
        })
        .collect()
    }

    fn report(&self, pv: Vec<G::Move>) -> Report<G::Move> {
        let best = self.most_visited(0).map(|child| &self.nodes[child]);
        let rate = best.map_or(0.5, |best| best.points / f64::from(best.visits));
        Report {
            depth: pv.len() as u32,
            seldepth: self.deepest as u32,
            multipv: 1,
            score: Score::from_win_rate(rate),
            bound: Bound::Exact,
            nodes: self.visited,
            time: self.task.limits.start.elapsed(),
            hashfull: (1000 * self.nodes.len() / self.most) as u32,
            pv,
        }
    }
}

/// The points of White when a game ends so.
fn points(winner: Option<Color>) -> f64 {
    match winner {
        None => 0.5,
        Some(Color::White) => 1.0,
        Some(Color::Black) => 0.0,
    }
}
