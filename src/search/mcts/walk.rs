//! One walk down the tree, the playout from its end, and the way back.

use std::sync::atomic::Ordering;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::tree::{Growth, Node, Proof, Selection, seen_by};
use super::{Expansion, Policy, Team, Tree};
use crate::eval::{MAX_PLY, Score};
use crate::game::{Color, Features, GameHistory, Knowledge};
use crate::search::Task;
use crate::search::filter::Sieve;

/// Plies of a playout where the game has no length of its own; then it is drawn.
const LONGEST_PLAYOUT: u32 = 300;

/// By promise, a node that has been visited n times looks at n to the power of this many of its children …
const WIDENING: f64 = 0.6;

/// … at least two; and it has no more than so many, unless `Width` says otherwise.
const WIDEST: usize = 50;

/// How a walk has ended.
enum End {
    /// In a position whose result is known: the points of White.
    Known(f64),
    /// In a position from which a playout goes on.
    Leaf,
    /// In a position that is to get its children: they are looked at first.
    Bud,
}

/// Walks down the tree, again and again.
pub(super) struct Walker<'a, G: Features + Knowledge> {
    task: &'a Task<'a, G>,
    policy: &'a dyn Policy<G>,
    expansion: Expansion,
    exploration: f64,
    /// Plies of a playout before the position is evaluated; none where it goes on to the end of the game.
    plies: Option<u32>,
    random: StdRng,
    sieve: Sieve<'a, G>,
    /// Where the walk is, and where it has been.
    position: G,
    history: GameHistory<G>,
    /// Its nodes, each with the player who made its move.
    path: Vec<(usize, Color)>,
    /// Scratch for lists of moves.
    moves: Vec<G::Move>,
    priors: Vec<f32>,
    promises: Vec<(G::Move, i32)>,
    /// Children of a bud.
    children: Vec<Node<G::Move>>,
    /// Positions visited by this walk.
    visited: u64,
    /// The deepest ply of the tree that has been reached.
    pub(super) deepest: usize,
}

impl<'a, G: Features + Knowledge> Walker<'a, G> {
    /// The walker of a thread; the first one has number 0.
    pub(super) fn new(task: &'a Task<'a, G>, policy: &'a dyn Policy<G>, number: u64) -> Walker<'a, G> {
        let options = task.options;
        Walker {
            task,
            policy,
            expansion: options.sampling.expansion::<G>(),
            exploration: options.sampling.exploration::<G>(),
            plies: options.sampling.plies::<G>(),
            random: StdRng::seed_from_u64(options.seed.wrapping_add(number)),
            sieve: Sieve::new(&options.filter, task.evaluator, options.seed),
            position: task.position.clone(),
            history: task.history.clone(),
            path: Vec::new(),
            moves: Vec::with_capacity(G::MAX_MOVES),
            priors: Vec::new(),
            promises: Vec::new(),
            children: Vec::new(),
            visited: 0,
            deepest: 0,
        }
    }

    /// Gives the root its children, of these moves: all that there are, or some.
    pub(super) fn plant(&mut self, tree: &mut Tree<G>, moves: &[G::Move], all: bool) {
        self.position.clone_from(self.task.position);
        self.moves.clear();
        self.moves.extend(moves);
        let growth = match (self.expansion, self.task.options.sampling.selection) {
            (Expansion::Promising, _) => self.list_by_promise(!all),
            (_, Selection::Puct) => self.list_by_prior(),
            _ => {
                self.children.clear();
                self.children.extend(moves.iter().map(|&mv| Node::new(mv, 0.0, 0, 0.0)));
                Growth::Complete
            }
        };
        self.hang(tree, 0, if all { growth } else { Growth::Chosen });
    }

    /// One walk down the tree and back.
    pub(super) fn walk(&mut self, team: &Team<G>) {
        self.visited = 0;
        let before = self.history.past().len();
        let end = self.go_down(&mut team.tree());
        let node = self.path.last().map_or(0, |&(node, _)| node);
        let mut growth = None;
        let points = match end {
            End::Known(points) => points,
            End::Leaf => self.playout(),
            End::Bud => {
                let (list, value) = self.bud();
                growth = Some(list);
                value
            }
        };
        self.history.truncate(before);
        let mut tree = team.tree();
        if let Some(growth) = growth
            && !tree.has_children(node)
        {
            self.hang(&mut tree, node, growth);
        }
        tree.back_up(&self.path, points);
        if self.task.options.sampling.prove && !G::HAS_CHANCE {
            tree.prove(&self.path);
        }
        team.visited.fetch_add(self.visited, Ordering::Relaxed);
        self.deepest = self.deepest.max(self.path.len() - 1);
    }

    /// Goes down from the root until something has to be looked at.
    fn go_down(&mut self, tree: &mut Tree<G>) -> End {
        self.position.clone_from(self.task.position);
        self.path.clear();
        self.path.push((0, !self.position.side_to_move()));
        tree.mark(0);
        let mut node = 0;
        let at_once =
            self.expansion == Expansion::Promising || self.task.options.sampling.selection == Selection::Puct;
        loop {
            // The root is searched even where a rule of draws has ended the game there before.
            if node != 0 {
                if let Some(points) = self.known(tree, node) {
                    return End::Known(points);
                }
                if self.path.len() > MAX_PLY {
                    return End::Leaf;
                }
            }
            let first_visit = node != 0 && tree.node(node).visits == 0;
            if at_once && !tree.has_children(node) {
                return if tree.room() > 0 { End::Bud } else { End::Leaf };
            }
            if first_visit && !at_once {
                return End::Leaf;
            }
            let grown = if at_once { None } else { self.grow(tree, node) };
            let Some(child) = grown.or_else(|| self.select(tree, node)) else { return End::Leaf };
            self.step(tree, child);
            node = child;
        }
    }

    /// The points of White in a position below the root whose result is known.
    fn known(&self, tree: &mut Tree<G>, node: usize) -> Option<f64> {
        let player = !self.position.side_to_move();
        let for_white = |points| seen_by(player, points);
        if let Some(points) = tree.node(node).proof.points() {
            return Some(for_white(points));
        }
        // With chance, the position may be another one each time.
        if !G::HAS_CHANCE && tree.has_children(node) {
            return None;
        }
        let proof = Proof::of_end(self.history.outcome(&self.position)?.winner, player);
        if !G::HAS_CHANCE && self.task.options.sampling.prove {
            tree.node_mut(node).proof = proof;
        }
        proof.points().map(for_white)
    }

    /// Gives a node the children that it is to get at this visit, if there is memory for them; a single one is returned, to go on with.
    fn grow(&mut self, tree: &mut Tree<G>, node: usize) -> Option<usize> {
        if tree.node(node).growth != Growth::Open {
            return None;
        }
        self.moves.clear();
        self.position.legal_moves(&mut self.moves);
        let mut growth = Growth::Complete;
        if self.task.options.filter.is_on() {
            let before = self.moves.len();
            let at = (self.path.len() - 1, self.position.in_check());
            self.sieve.keep(&mut self.history, &self.position, at, &mut self.moves);
            if self.moves.len() < before {
                growth = Growth::Chosen;
            }
        }
        // With chance, other moves may be legal the next time.
        let growth = if G::HAS_CHANCE { Growth::Open } else { growth };
        if tree.has_children(node) {
            self.moves.retain(|mv| tree.children(node).all(|child| tree.node(child).mv != *mv));
        }
        match self.expansion {
            Expansion::One if !self.moves.is_empty() && tree.has_room(node, 1) => {
                let mv = self.moves[self.random.random_range(0..self.moves.len())];
                if self.moves.len() == 1 {
                    tree.node_mut(node).growth = growth;
                }
                Some(tree.add(node, std::iter::once(Node::new(mv, 0.0, 0, 0.0))))
            }
            Expansion::One => None,
            _ => {
                if !self.moves.is_empty() && tree.has_room(node, self.moves.len()) {
                    tree.node_mut(node).growth = growth;
                    tree.add(node, self.moves.iter().map(|&mv| Node::new(mv, 0.0, 0, 0.0)));
                }
                None
            }
        }
    }

    /// The child of a node to go on with.
    fn select(&self, tree: &Tree<G>, node: usize) -> Option<usize> {
        let visits = f64::from(tree.node(node).visits);
        let widest = match self.expansion {
            Expansion::Promising => (visits.powf(WIDENING) as usize).max(2),
            Expansion::All | Expansion::One => usize::MAX,
        };
        let may = |mv| !G::HAS_CHANCE || self.position.is_legal(mv);
        tree.select(node, self.task.options.sampling.selection, self.exploration, widest, may)
    }

    /// Goes on to a child.
    fn step(&mut self, tree: &mut Tree<G>, child: usize) {
        self.path.push((child, self.position.side_to_move()));
        tree.mark(child);
        self.history.push(&self.position);
        let random = &mut self.random;
        let mv = self.position.sample(tree.node(child).mv, &mut || random.random());
        self.position.play(mv);
        self.visited += 1;
    }

    /// Looks at the children of the position that the walk has come to, and at what it is worth: the points of White.
    fn bud(&mut self) -> (Growth, f64) {
        if self.expansion != Expansion::Promising {
            self.moves.clear();
            self.position.legal_moves(&mut self.moves);
            return (self.list_by_prior(), self.playout());
        }
        let growth = self.list_by_promise(false);
        let value = match (self.plies, self.children.first()) {
            (Some(0), Some(best)) => seen_by(self.position.side_to_move(), best.rate()),
            _ => self.playout(),
        };
        (growth, value)
    }

    /// Lists the listed moves as children with their priors.
    fn list_by_prior(&mut self) -> Growth {
        self.priors.clear();
        self.policy.priors(&self.position, &self.moves, &mut self.priors);
        self.visited += self.moves.len() as u64;
        let children = self.moves.iter().zip(&self.priors);
        self.children.clear();
        self.children.extend(children.map(|(&mv, &prior)| Node::new(mv, prior, 0, 0.0)));
        if G::HAS_CHANCE { Growth::Open } else { Growth::Complete }
    }

    /// Lists the children that promise most, the best one first: of the listed moves, or of those that the game takes for
    /// promising.
    fn list_by_promise(&mut self, listed: bool) -> Growth {
        let (evaluator, position) = (self.task.evaluator, &self.position);
        self.promises.clear();
        if listed {
            let rated =
                self.moves.iter().map(|&mv| (mv, evaluator.evaluate_move(position, mv).to_thousandths()));
            self.promises.extend(rated);
            self.visited += self.moves.len() as u64;
        } else {
            let (stm, visited) = (position.side_to_move(), &mut self.visited);
            let mut rate = |child: &G| {
                *visited += 1;
                evaluator.evaluate_for(child, stm).to_thousandths()
            };
            position.moves_by_static_eval(i32::MAX, &mut rate, &mut self.promises);
        }
        self.promises.sort_by_key(|(_, promise)| std::cmp::Reverse(*promise));
        let width = self.task.options.width;
        self.promises.truncate(if width == 0 { WIDEST } else { width });
        self.children.clear();
        self.children.extend(self.promises.iter().map(|&(mv, promise)| {
            Node::new(mv, 0.0, 1, Score::from_thousandths(promise).win_rate(G::RESULTS))
        }));
        match self.position.count_moves() == self.children.len() {
            true if !G::HAS_CHANCE => Growth::Complete,
            _ => Growth::Chosen,
        }
    }

    /// Hangs the children that are listed below a node, as many as there is memory for.
    fn hang(&mut self, tree: &mut Tree<G>, node: usize, growth: Growth) {
        let room =
            if node == 0 && self.expansion != Expansion::Promising { usize::MAX } else { tree.room().max(1) };
        let growth = if self.children.len() > room { Growth::Chosen } else { growth };
        tree.node_mut(node).growth = growth;
        tree.add(node, self.children.drain(..).take(room));
    }

    /// The points of White after random moves: by the evaluation after some of them, or by the result.
    fn playout(&mut self) -> f64 {
        let longest = self.plies.or(G::LONGEST_GAME).unwrap_or(LONGEST_PLAYOUT);
        for _ in 0..longest {
            self.moves.clear();
            self.position.legal_moves(&mut self.moves);
            if self.moves.is_empty() {
                return points(self.position.terminal_outcome().winner);
            }
            if G::DRAW_RULES.no_progress.is_some_and(|limit| self.position.halfmove_clock() >= limit) {
                return 0.5;
            }
            let mv = self.playout_move();
            let random = &mut self.random;
            let mv = self.position.sample(mv, &mut || random.random());
            self.position.play(mv);
            self.visited += 1;
        }
        if self.plies.is_none() {
            return points(self.position.leader());
        }
        let rate = self.task.evaluator.evaluate(&self.position).win_rate(G::RESULTS);
        seen_by(self.position.side_to_move(), rate)
    }

    /// One of the listed moves: a random one, or now and then the best by evaluation.
    fn playout_move(&mut self) -> G::Move {
        let epsilon = self.task.options.sampling.epsilon;
        if epsilon < 100 && self.random.random_range(0..100) >= epsilon {
            let value = |mv: &G::Move| self.task.evaluator.evaluate_move(&self.position, *mv);
            self.visited += self.moves.len() as u64;
            if let Some(best) = self.moves.iter().copied().max_by_key(value) {
                return best;
            }
        }
        self.moves[self.random.random_range(0..self.moves.len())]
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
