//! Monte Carlo tree search: UCT (L. Kocsis and C. Szepesvári, 2006) with random playouts.
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

/// Looks for the best move until a limit or `control` ends the search; the tree has `bytes` of memory, and
/// chance depends on `seed`. Nodes are positions of the tree and of playouts, the depth is the length of the
/// principal variation. There is one line, and no evaluation.
///
/// With the same arguments, and without limits in time, the result is the same to the node.
pub fn monte_carlo<G: Features + Knowledge>(
    task: &Task<G>,
    bytes: usize,
    seed: u64,
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
        random: StdRng::seed_from_u64(seed),
        moves: Vec::with_capacity(G::MAX_MOVES),
        visited: 0,
        deepest: 0,
    };
    // (The move that led to the root is never looked at.)
    tree.add(any);
    tree.expand(0, &root_moves);
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
    random: StdRng,
    moves: Vec<G::Move>,
    /// Positions visited.
    visited: u64,
    /// The deepest ply of the tree.
    deepest: usize,
}

impl<G: Features + Knowledge> Tree<'_, G> {
    fn add(&mut self, mv: G::Move) {
        self.nodes.push(Node { mv, first: 0, children: 0, visits: 0, points: 0.0, over: false });
    }

    /// Gives a node its children, unless memory is used up.
    fn expand(&mut self, node: usize, moves: &[G::Move]) {
        if self.nodes.len() + moves.len() > self.most {
            return;
        }
        self.nodes[node].first = self.nodes.len() as u32;
        self.nodes[node].children = moves.len() as u32;
        moves.iter().for_each(|&mv| self.add(mv));
    }

    /// One walk down the tree, a playout from its end, and the result back up.
    fn simulate(&mut self) {
        let mut position = self.task.position.clone();
        let mut history = self.task.history.clone();
        let mut path = vec![(0, !position.mover())];
        let mut node = 0;
        let winner = loop {
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
        self.deepest = self.deepest.max(path.len() - 1);
        for (node, player) in path {
            let node = &mut self.nodes[node];
            node.visits += 1;
            node.points += match winner {
                None => 0.5,
                Some(winner) => f64::from(u8::from(winner == player)),
            };
        }
    }

    /// The result from a leaf of the tree on: a node that is visited again gets its children first.
    fn leaf(&mut self, node: usize, position: &G, history: &History<G>) -> Option<Color> {
        // The root is searched even where a rule of draws has ended the game there before.
        if node != 0
            && (self.nodes[node].over || self.nodes[node].visits == 0)
            && let Some(outcome) = history.outcome(position)
        {
            self.nodes[node].over = true;
            return outcome.winner;
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

    /// The winner of a game of random moves.
    fn playout(&mut self, mut position: G) -> Option<Color> {
        for _ in 0..G::LONGEST_GAME.unwrap_or(LONGEST_PLAYOUT) {
            self.moves.clear();
            position.legal_moves(&mut self.moves);
            if self.moves.is_empty() {
                return position.verdict().winner;
            }
            if G::DRAW_RULES.no_progress.is_some_and(|limit| position.reversible_plies() >= limit) {
                return None;
            }
            let mv = self.moves[self.random.random_range(0..self.moves.len())];
            let random = &mut self.random;
            let mv = position.draw(mv, &mut || random.random());
            position.play(mv);
            self.visited += 1;
        }
        position.leader()
    }

    /// The child with the largest upper bound; one that has never been visited comes first.
    fn select(&self, node: usize) -> usize {
        let Node { first, children, visits, .. } = self.nodes[node];
        let logarithm = f64::from(visits.max(1)).ln();
        let bound = |child: &Node<G::Move>| match child.visits {
            0 => f64::INFINITY,
            visits => {
                let n = f64::from(visits);
                child.points / n + 2.0 * EXPLORATION * (logarithm / n).sqrt()
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
