//! Simulations: down the tree, expansion or playout at the leaf, and the way back up.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::gumbel::{Gumbel, SearchTree};
use super::leaves::{Leaf, LeafEvaluator};
use super::noise::{Noise, random_of};
use super::tree::{Children, Node, Proof, Tree, for_player};
use crate::eval::{Evaluator, MAX_PLY, Scale, Score};
use crate::game::{Color, GameHistory, Knowledge, Wdl};
use crate::search::input::SearchInput;
use crate::search::limits::{ClockPoller, Deadline};
use crate::search::msd::MsdFilter;
use crate::search::options::{Expansion, NoiseAt, Selection};
use crate::sync::{Mutex, MutexGuard, PoisonError};

/// Plies of a playout to the end in games without a longest game; then it counts as drawn.
const MAX_PLAYOUT: u32 = 300;

/// Progressive widening: a node with n visits selects from n to the power of this of its children, at least
/// two.
const WIDENING: f64 = 0.6;

/// Children of a node that are sorted by static evaluation, at most, unless `Width` says otherwise.
const WIDEST: usize = 50;

/// What the threads of a search share.
pub(super) struct SharedTree<'a, G: Knowledge> {
    pub(super) tree: Mutex<SearchTree<'a, G>>,
    /// When the search ends, and whether it has.
    pub(super) deadline: &'a Deadline<'a>,
}

impl<'a, G: Knowledge> SharedTree<'a, G> {
    pub(super) fn lock(&self) -> MutexGuard<'_, SearchTree<'a, G>> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a simulation leaves the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// At a leaf that is not expanded: a playout follows.
    Playout,
    /// At a leaf that is to be expanded.
    Expand,
}

/// A simulation that has left the tree and has not been backed up yet.
struct Pending<G> {
    exit: Exit,
    position: G,
    /// The occurrences of the position, if it is to be expanded.
    occurrences: usize,
    /// The nodes of its path, each with the player who made its move.
    path: Vec<(usize, Color)>,
}

/// A thread that runs simulations.
pub(super) struct Simulator<'a, G: Knowledge, E: Evaluator<G>> {
    input: &'a SearchInput<'a, G, E>,
    scale: Scale,
    leaf_evaluator: &'a dyn LeafEvaluator<G>,
    /// Polled often, as nearly every step of a simulation may take long.
    poller: ClockPoller<'a>,
    expansion: Expansion,
    exploration: f64,
    /// Plies of a playout before the position is evaluated; `None` for playouts to the end of the game.
    playout_plies: Option<u32>,
    random: StdRng,
    noise: Option<Noise>,
    filter: MsdFilter<'a, E>,
    /// The position of the current simulation, and those before it.
    position: G,
    history: GameHistory<G>,
    /// The nodes of the current simulation, each with the player who made its move.
    path: Vec<(usize, Color)>,
    /// The simulations of a batch; the first `waiting` of them are to be finished.
    pending: Vec<Pending<G>>,
    waiting: usize,
    /// Leaves of a batch, reused.
    leaves: Vec<Leaf<G>>,
    /// Scratch: moves, moves with static evaluations, children of a leaf.
    moves: Vec<G::Move>,
    rated: Vec<(G::Move, i32)>,
    children: Vec<Node<G::Move>>,
    /// Positions visited since they were last added to the shared count.
    nodes: u64,
    /// The deepest ply of the tree that has been reached.
    pub(super) seldepth: usize,
}

impl<'a, G: Knowledge, E: Evaluator<G>> Simulator<'a, G, E> {
    /// The simulator of a thread; the first one has number 0.
    pub(super) fn new(
        input: &'a SearchInput<'a, G, E>,
        leaf_evaluator: &'a dyn LeafEvaluator<G>,
        number: u64,
        deadline: &'a Deadline<'a>,
    ) -> Simulator<'a, G, E> {
        let options = input.options;
        Simulator {
            input,
            scale: input.evaluator.scale(),
            leaf_evaluator,
            poller: deadline.poller(),
            expansion: options.mcts.expansion::<G>(),
            exploration: options.mcts.exploration::<G>(),
            playout_plies: options.mcts.plies::<G>(),
            random: StdRng::seed_from_u64(options.seed.wrapping_add(number)),
            noise: Noise::new(&options.mcts, random_of(input, number)),
            filter: MsdFilter::new(&options.msd, input.evaluator, options.seed),
            position: input.position.clone(),
            history: input.history.clone(),
            path: Vec::new(),
            pending: Vec::new(),
            waiting: 0,
            leaves: Vec::new(),
            moves: Vec::with_capacity(G::MAX_MOVES),
            rated: Vec::new(),
            children: Vec::new(),
            nodes: 0,
            seldepth: 0,
        }
    }

    /// Expands the root with these moves: all legal ones, or some. Without time it gets no children.
    pub(super) fn expand_root(&mut self, tree: &mut Tree<G>, moves: &[G::Move], all: bool) {
        self.position.clone_from(self.input.position);
        self.moves.clear();
        self.moves.extend(moves);
        let kind = match (self.expansion, self.input.options.mcts.selection) {
            (Expansion::Evaluated, _) => self.list_by_static_eval(!all),
            (_, Selection::Puct) => {
                self.add_leaf(0, self.history.occurrences(&self.position));
                self.evaluate_leaves(1);
                if self.poller.is_over() {
                    return;
                }
                self.list_by_prior(0)
            }
            _ => {
                self.children.clear();
                self.children.extend(moves.iter().map(|&mv| Node::new(mv, 0.0, 0, 0.0)));
                Children::All
            }
        };
        if !self.poller.is_over() {
            self.attach(tree, 0, if all { kind } else { Children::Cut });
        }
    }

    /// The value of the root by the leaf evaluator: the expected result for the side to move.
    pub(super) fn value_of_root(&mut self, moves: &[G::Move]) -> f64 {
        self.position.clone_from(self.input.position);
        self.moves.clear();
        self.moves.extend(moves);
        self.nodes += moves.len() as u64;
        self.add_leaf(0, self.history.occurrences(&self.position));
        self.evaluate_leaves(1);
        self.leaves[0].value
    }

    /// Mixes noise into the priors of the root, if there is any.
    pub(super) fn add_root_noise(&mut self, tree: &mut Tree<G>) {
        if let Some(noise) = self.noise.as_mut().filter(|noise| noise.at == NoiseAt::Root) {
            tree.add_root_noise(|priors| noise.mix(priors));
        }
    }

    /// Runs a batch of at most `at_most` simulations, and returns their number. Those that the end of the
    /// search or its node limit interrupts are cancelled. `meanwhile` is called after each of them.
    pub(super) fn simulate(
        &mut self,
        shared: &SharedTree<G>,
        at_most: usize,
        meanwhile: &mut dyn FnMut(),
    ) -> u64 {
        let batch = self.input.options.mcts.batch.clamp(1, at_most.max(1));
        let mut begun = 0;
        self.waiting = 0;
        {
            let SearchTree { tree, gumbel } = &mut *shared.lock();
            while begun < batch && !self.poller.is_over() && !(begun > 0 && self.is_spent(shared)) {
                self.descend(tree, gumbel.as_mut());
                shared.deadline.add_nodes(std::mem::take(&mut self.nodes));
                begun += 1;
            }
        }
        let expanded = self.prepare_leaves();
        self.evaluate_leaves(expanded);
        let finished = self.finish(shared, meanwhile);
        if finished < self.waiting {
            let tree = &mut *shared.lock().tree;
            self.pending[finished..self.waiting].iter().for_each(|pending| tree.cancel(&pending.path));
        }
        shared.deadline.add_nodes(std::mem::take(&mut self.nodes));
        (begun - (self.waiting - finished)) as u64
    }

    /// Whether the node limit is reached.
    pub(super) fn is_spent(&self, shared: &SharedTree<G>) -> bool {
        self.input.limits.nodes.is_some_and(|limit| shared.deadline.nodes() >= limit)
    }

    /// Finishes the pending simulations, whose leaves have been evaluated, and returns their number. All but
    /// the first one are skipped once the search is over.
    fn finish(&mut self, shared: &SharedTree<G>, meanwhile: &mut dyn FnMut()) -> usize {
        let mut leaf = 0;
        for index in 0..self.waiting {
            if self.poller.is_over() || index > 0 && self.is_spent(shared) {
                return index;
            }
            std::mem::swap(&mut self.position, &mut self.pending[index].position);
            let mut kind = None;
            let result = match (self.pending[index].exit, self.expansion) {
                (Exit::Playout, _) => self.playout(),
                (Exit::Expand, Expansion::Evaluated) => {
                    kind = Some(self.list_by_static_eval(false));
                    match (self.playout_plies, self.children.first()) {
                        (Some(0), Some(best)) => for_player(self.position.side_to_move(), best.mean()),
                        _ => self.playout(),
                    }
                }
                (Exit::Expand, _) => {
                    kind = Some(self.list_by_prior(leaf));
                    leaf += 1;
                    match self.playout_plies {
                        Some(0) => for_player(self.position.side_to_move(), self.leaves[leaf - 1].value),
                        _ => self.playout(),
                    }
                }
            };
            if self.poller.is_over() {
                return index;
            }
            let path = std::mem::take(&mut self.pending[index].path);
            {
                let tree = &mut *shared.lock().tree;
                if let (Some(kind), Some(&(node, _))) = (kind, path.last())
                    && !tree.has_children(node)
                {
                    self.attach(tree, node, kind);
                }
                self.back_up(tree, &path, result);
            }
            self.pending[index].path = path;
            shared.deadline.add_nodes(std::mem::take(&mut self.nodes));
            meanwhile();
        }
        self.waiting
    }

    /// Descends from the root to a leaf, and adds a pending simulation. A known result is backed up at once.
    fn descend(&mut self, tree: &mut Tree<G>, gumbel: Option<&mut Gumbel>) {
        let before = self.history.past().len();
        let exit = self.select_leaf(tree, gumbel);
        let occurrences = if exit == Ok(Exit::Expand) { self.history.occurrences(&self.position) } else { 1 };
        self.history.truncate(before);
        match exit {
            Ok(exit) => {
                if self.waiting == self.pending.len() {
                    let position = self.position.clone();
                    self.pending.push(Pending { exit, position, occurrences, path: Vec::new() });
                }
                let pending = &mut self.pending[self.waiting];
                pending.exit = exit;
                pending.occurrences = occurrences;
                pending.position.clone_from(&self.position);
                pending.path.clone_from(&self.path);
                self.waiting += 1;
            }
            Err(result) => {
                let path = std::mem::take(&mut self.path);
                self.back_up(tree, &path, result);
                self.path = path;
            }
        }
    }

    /// Backs up the result of White along a path.
    fn back_up(&mut self, tree: &mut Tree<G>, path: &[(usize, Color)], result: f64) {
        tree.back_up(path, result);
        if self.input.options.mcts.prove && !G::HAS_CHANCE {
            tree.back_up_proof(path);
        }
        self.seldepth = self.seldepth.max(path.len() - 1);
    }

    /// Selects child after child until the tree ends.
    ///
    /// # Errors
    /// The result of White, where it is known.
    fn select_leaf(&mut self, tree: &mut Tree<G>, mut gumbel: Option<&mut Gumbel>) -> Result<Exit, f64> {
        self.position.clone_from(self.input.position);
        self.path.clear();
        self.path.push((0, !self.position.side_to_move()));
        tree.add_virtual_loss(0);
        let mut node = 0;
        let expands_at_once =
            self.expansion == Expansion::Evaluated || self.input.options.mcts.selection == Selection::Puct;
        loop {
            // The root is searched even after a draw by rule.
            if node != 0 {
                if let Some(result) = self.known_result(tree, node) {
                    return Err(result);
                }
                if self.path.len() > MAX_PLY {
                    return Ok(Exit::Playout);
                }
            }
            if self.poller.is_over() {
                return Ok(Exit::Playout);
            }
            let is_first_visit = node != 0 && tree.node(node).visits == 0;
            if expands_at_once && !tree.has_children(node) {
                return Ok(if tree.room() > 0 { Exit::Expand } else { Exit::Playout });
            }
            if is_first_visit && !expands_at_once {
                return Ok(Exit::Playout);
            }
            let added = if expands_at_once { None } else { self.add_children(tree, node) };
            let scheduled = gumbel.take().and_then(|gumbel| gumbel.next(tree));
            let Some(child) = scheduled.or(added).or_else(|| self.select_child(tree, node)) else {
                return Ok(Exit::Playout);
            };
            self.step(tree, child);
            node = child;
        }
    }

    /// The result of White in a position below the root, where it is known.
    fn known_result(&self, tree: &mut Tree<G>, node: usize) -> Option<f64> {
        let player = !self.position.side_to_move();
        if let Some(result) = tree.node(node).proof.result() {
            return Some(for_player(player, result));
        }
        // With chance, the position may differ each time.
        if !G::HAS_CHANCE && tree.has_children(node) {
            return None;
        }
        let Some(outcome) = self.history.outcome(&self.position) else {
            // A repetition within the tree is no draw of the game, so it is no proof, which a later search
            // would keep.
            let is_drawn = self.history.is_repetition(&self.position, self.input.history.past().len());
            return is_drawn.then_some(0.5);
        };
        let proof = Proof::of_end(outcome.winner, player);
        if !G::HAS_CHANCE && self.input.options.mcts.prove {
            tree.node_mut(node).proof = proof;
        }
        proof.result().map(|result| for_player(player, result))
    }

    /// Adds the children of a node at this visit, if there is memory for them. Returns a single one, to
    /// continue with.
    fn add_children(&mut self, tree: &mut Tree<G>, node: usize) -> Option<usize> {
        if tree.node(node).children_kind != Children::Open {
            return None;
        }
        self.moves.clear();
        self.position.legal_moves(&mut self.moves);
        let mut kind = Children::All;
        if self.input.options.msd.is_on() {
            let before = self.moves.len();
            let (ply, volatile) = (self.path.len() - 1, self.position.in_check());
            let mut state = E::State::default();
            self.input.evaluator.reset(&self.position, &mut state);
            let (filter, poller) = (&mut self.filter, &mut self.poller);
            let (history, moves) = (&mut self.history, &mut self.moves);
            filter.keep(history, &self.position, &state, ply, volatile, moves, &mut || poller.is_over());
            if self.poller.is_over() {
                return None;
            }
            if self.moves.len() < before {
                kind = Children::Selected;
            }
        }
        // With chance, other moves may be legal at the next visit.
        let kind = if G::HAS_CHANCE { Children::Open } else { kind };
        if tree.has_children(node) {
            self.moves.retain(|mv| tree.children(node).all(|child| tree.node(child).mv != *mv));
        }
        match self.expansion {
            Expansion::One if !self.moves.is_empty() && tree.has_room(node, 1) => {
                let mv = self.moves[self.random.random_range(0..self.moves.len())];
                if self.moves.len() == 1 {
                    tree.node_mut(node).children_kind = kind;
                }
                Some(tree.add(node, std::iter::once(Node::new(mv, 0.0, 0, 0.0))))
            }
            Expansion::One => None,
            _ => {
                if !self.moves.is_empty() && tree.has_room(node, self.moves.len()) {
                    tree.node_mut(node).children_kind = kind;
                    tree.add(node, self.moves.iter().map(|&mv| Node::new(mv, 0.0, 0, 0.0)));
                }
                None
            }
        }
    }

    /// The child of a node to continue with.
    fn select_child(&self, tree: &Tree<G>, node: usize) -> Option<usize> {
        let visits = f64::from(tree.node(node).visits);
        let widest = match self.expansion {
            Expansion::Evaluated => (visits.powf(WIDENING) as usize).max(2),
            Expansion::All | Expansion::One => usize::MAX,
        };
        let may = |mv| !G::HAS_CHANCE || self.position.is_legal(mv);
        tree.select(node, self.input.options.mcts.selection, self.exploration, widest, may)
    }

    /// Moves to a child.
    fn step(&mut self, tree: &mut Tree<G>, child: usize) {
        self.path.push((child, self.position.side_to_move()));
        tree.add_virtual_loss(child);
        self.history.push(&self.position);
        self.play(tree.node(child).mv);
    }

    /// Plays a move; an outcome of chance is sampled.
    fn play(&mut self, mv: G::Move) {
        let random = &mut self.random;
        let mv = self.position.sample(mv, &mut || random.random());
        self.position.play(mv);
        self.nodes += 1;
    }

    /// Turns the pending simulations to expand into leaves, and returns their number.
    fn prepare_leaves(&mut self) -> usize {
        if self.expansion == Expansion::Evaluated {
            return 0;
        }
        let mut leaves = 0;
        for index in 0..self.waiting {
            if self.poller.is_over() {
                break;
            }
            if self.pending[index].exit == Exit::Expand {
                std::mem::swap(&mut self.position, &mut self.pending[index].position);
                self.moves.clear();
                self.position.legal_moves(&mut self.moves);
                self.add_leaf(leaves, self.pending[index].occurrences);
                std::mem::swap(&mut self.position, &mut self.pending[index].position);
                leaves += 1;
            }
        }
        leaves
    }

    /// Adds a leaf with the current position and the listed moves.
    fn add_leaf(&mut self, index: usize, occurrences: usize) {
        if index == self.leaves.len() {
            let (position, moves, priors) = (self.position.clone(), Vec::new(), Vec::new());
            self.leaves.push(Leaf { position, occurrences, moves, priors, value: 0.5 });
        }
        let leaf = &mut self.leaves[index];
        leaf.occurrences = occurrences;
        leaf.position.clone_from(&self.position);
        leaf.moves.clone_from(&self.moves);
        leaf.priors.clear();
    }

    /// Evaluates the first leaves.
    fn evaluate_leaves(&mut self, leaves: usize) {
        if leaves > 0 {
            let poller = &mut self.poller;
            self.leaf_evaluator.evaluate_leaves(&mut self.leaves[..leaves], &mut || poller.is_over());
        }
    }

    /// Lists the children of an evaluated leaf, with their priors.
    fn list_by_prior(&mut self, leaf: usize) -> Children {
        let Leaf { moves, priors, .. } = &mut self.leaves[leaf];
        if let Some(noise) = self.noise.as_mut().filter(|noise| noise.at == NoiseAt::Leaves) {
            noise.mix(priors);
        }
        self.nodes += moves.len() as u64;
        self.children.clear();
        self.children.extend(moves.iter().zip(&*priors).map(|(&mv, &prior)| Node::new(mv, prior, 0, 0.0)));
        if G::HAS_CHANCE { Children::Open } else { Children::All }
    }

    /// Lists the children with the best static evaluations, the best one first: of the listed moves, or of
    /// the candidate moves of the game.
    fn list_by_static_eval(&mut self, listed: bool) -> Children {
        let (evaluator, position) = (self.input.evaluator, &self.position);
        let (stm, nodes, poller) = (position.side_to_move(), &mut self.nodes, &mut self.poller);
        let [mut state, mut scratch] = [E::State::default(), E::State::default()];
        evaluator.reset(position, &mut state);
        let mut static_eval = |child: &G| {
            // The list is not used then.
            if poller.is_over() {
                return 0;
            }
            *nodes += 1;
            evaluator.evaluate_child(position, &state, child, &mut scratch, stm).to_thousandths()
        };
        self.rated.clear();
        if listed {
            self.rated.extend(self.moves.iter().map(|&mv| {
                let child = position.after(mv);
                (mv, static_eval(&child))
            }));
        } else {
            position.moves_by_static_eval(i32::MAX, &mut static_eval, &mut self.rated);
        }
        self.rated.sort_by_key(|(_, static_eval)| std::cmp::Reverse(*static_eval));
        let width = self.input.options.width;
        self.rated.truncate(if width == 0 { WIDEST } else { width });
        self.children.clear();
        self.children.extend(self.rated.iter().map(|&(mv, static_eval)| {
            Node::new(mv, 0.0, 1, Score::from_thousandths(static_eval).win_rate(self.scale.wdl))
        }));
        match self.position.count_moves() == self.children.len() {
            true if !G::HAS_CHANCE => Children::All,
            _ => Children::Selected,
        }
    }

    /// Attaches the listed children to a node, as many as there is memory for: one at least to the root, which
    /// has all of them unless they are evaluated. A leaf that got none is evaluated again.
    fn attach(&mut self, tree: &mut Tree<G>, node: usize, kind: Children) {
        let room = match node {
            0 if self.expansion != Expansion::Evaluated => usize::MAX,
            0 => tree.room().max(1),
            _ => tree.room(),
        };
        if room == 0 {
            return;
        }
        let kind = if self.children.len() > room { Children::Cut } else { kind };
        tree.node_mut(node).children_kind = kind;
        tree.add(node, self.children.drain(..).take(room));
    }

    /// The result of White after a playout: by the evaluation after some plies, or at the end of the game.
    fn playout(&mut self) -> f64 {
        let longest = self.playout_plies.or(G::LONGEST_GAME).unwrap_or(MAX_PLAYOUT);
        for _ in 0..longest {
            if self.poller.is_over() {
                // The result is not used then.
                break;
            }
            self.moves.clear();
            self.position.legal_moves(&mut self.moves);
            if self.moves.is_empty() {
                return Wdl::of(self.position.terminal_outcome().winner, Color::White).value();
            }
            if G::DRAW_RULES.no_progress.is_some_and(|limit| self.position.halfmove_clock() >= limit) {
                return 0.5;
            }
            let mv = self.playout_move();
            self.play(mv);
        }
        if self.playout_plies.is_none() {
            return Wdl::of(self.position.leader(), Color::White).value();
        }
        let static_eval = self.input.evaluator.evaluate_position(&self.position);
        for_player(self.position.side_to_move(), static_eval.win_rate(self.scale.wdl))
    }

    /// One of the listed moves: a random one, or the best by static evaluation (ε-greedy).
    fn playout_move(&mut self) -> G::Move {
        let epsilon = self.input.options.mcts.epsilon;
        if epsilon < 100 && self.random.random_range(0..100) >= epsilon {
            let (evaluator, position) = (self.input.evaluator, &self.position);
            let [mut state, mut scratch] = [E::State::default(), E::State::default()];
            evaluator.reset(position, &mut state);
            let poller = &mut self.poller;
            let best = self.moves.iter().copied().take_while(|_| !poller.is_over()).max_by_key(|&mv| {
                let child = position.after(mv);
                evaluator.evaluate_child(position, &state, &child, &mut scratch, position.side_to_move())
            });
            self.nodes += self.moves.len() as u64;
            if let Some(best) = best {
                return best;
            }
        }
        self.moves[self.random.random_range(0..self.moves.len())]
    }
}
