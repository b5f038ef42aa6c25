//! The tree of a Monte Carlo search, in a fixed memory.

use crate::game::{Color, Game, GameHistory, Knowledge};
use crate::search::options::{FinalMove, MctsOptions, Selection};

/// A rank: a class, and the order within it.
pub(super) type Rank = (u8, f64);

/// Sorts by rank, best first; the sort is stable.
pub(super) fn best_first(mut ranked: Vec<(Rank, usize)>) -> Vec<usize> {
    ranked.sort_by(|(one, _), (other, _)| other.0.cmp(&one.0).then(other.1.total_cmp(&one.1)));
    ranked.into_iter().map(|(_, item)| item).collect()
}

/// How the children of a node are ranked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranking {
    final_move: FinalMove,
    /// The selection and its constant, which [`FinalMove::Uct`] ranks by.
    selection: Selection,
    exploration: f64,
}

impl Ranking {
    /// The ranking that chooses the move to play.
    pub(super) fn of<G: Knowledge>(mcts: &MctsOptions) -> Ranking {
        let (final_move, selection) = (mcts.final_move, mcts.selection);
        Ranking { final_move, selection, exploration: mcts.exploration::<G>() }
    }

    /// The ranking by visits.
    pub(super) fn by_visits() -> Ranking {
        Ranking { final_move: FinalMove::Visits, selection: Selection::Uct, exploration: 0.0 }
    }
}

/// A proven result, for the player whose move led to the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// Nothing is proven.
    Open,
    /// Won in this many plies, whatever the other player does.
    Won(u16),
    /// Lost in at most this many plies, whatever that player does.
    Lost(u16),
    /// Drawn.
    Drawn,
}

impl Proof {
    /// The proof at the end of a game.
    pub(super) fn of_end(winner: Option<Color>, player: Color) -> Proof {
        match winner {
            None => Proof::Drawn,
            Some(winner) if winner == player => Proof::Won(0),
            Some(_) => Proof::Lost(0),
        }
    }

    /// The result: 1 a win, ½ a draw; `None` if it is open.
    pub(super) fn result(self) -> Option<f64> {
        match self {
            Proof::Open => None,
            Proof::Won(_) => Some(1.0),
            Proof::Lost(_) => Some(0.0),
            Proof::Drawn => Some(0.5),
        }
    }
}

/// The result of White for a player, or that of a player for White.
pub(super) fn for_player(player: Color, result: f64) -> f64 {
    if player == Color::White { result } else { 1.0 - result }
}

/// Which children a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Children {
    /// Not all, and more may be added.
    Open,
    /// A selection of the legal moves, and no more are added.
    Selected,
    /// Fewer: those that the caller has chosen, or as many as there was memory for.
    Cut,
    /// One for each legal move.
    All,
}

/// A node of the tree: a position reached by a move.
#[derive(Clone, Debug)]
pub(super) struct Node<M> {
    pub(super) mv: M,
    /// The first of its children, and the next child of its parent; 0 where there is none.
    first: u32,
    next: u32,
    /// Visits, N.
    pub(super) visits: u32,
    /// Simulations that have gone through here and have not been backed up yet; each counts as a lost visit.
    virtual_losses: u32,
    /// Prior, P.
    pub(super) prior: f32,
    pub(super) children_kind: Children,
    pub(super) proof: Proof,
    /// Sum of the results for the player who made the move, W: 1 a win, ½ a draw.
    total: f64,
}

impl<M: Copy> Node<M> {
    /// A node with these visits and results.
    pub(super) fn new(mv: M, prior: f32, visits: u32, total: f64) -> Node<M> {
        let (children_kind, proof) = (Children::Open, Proof::Open);
        Node { mv, first: 0, next: 0, visits, virtual_losses: 0, prior, children_kind, proof, total }
    }

    /// The mean result for the player who made the move, Q; a half without visits.
    pub(super) fn mean(&self) -> f64 {
        let mean = if self.visits == 0 { 0.5 } else { self.total / f64::from(self.visits) };
        self.proof.result().unwrap_or(mean)
    }
}

/// The tree of a search. Its first node is the root; the subtree below a move that is played can be kept for
/// the next search.
#[derive(Debug)]
pub struct Tree<G: Game> {
    nodes: Vec<Node<G::Move>>,
    /// Nodes that the memory holds.
    most: usize,
    /// The position of the root, and the keys of those before it.
    root: Option<(G, Vec<u64>)>,
    /// The priors of the root's children before noise was mixed in; empty without noise.
    quiet_priors: Vec<f32>,
    /// Scratch: the new places of nodes while some are removed.
    places: Vec<u32>,
}

impl<G: Game> Tree<G> {
    /// An empty tree of this many bytes, or less if there is not enough memory.
    pub fn new(bytes: usize) -> Tree<G> {
        let (mut nodes, mut places) = (Vec::new(), Vec::new());
        let mut most = bytes / (size_of::<Node<G::Move>>() + size_of::<u32>());
        while nodes.try_reserve_exact(most).is_err() || places.try_reserve_exact(most).is_err() {
            (nodes, places) = (Vec::new(), Vec::new());
            most /= 2;
        }
        Tree { nodes, most: most.min(u32::MAX as usize), root: None, quiet_priors: Vec::new(), places }
    }

    /// Makes a position the root, with its subtree if `keep` is set, the moves since the last root are in the
    /// tree, and `is_over` does not return true.
    pub(super) fn begin(
        &mut self,
        position: &G,
        history: &GameHistory<G>,
        any: G::Move,
        keep: bool,
        is_over: &mut dyn FnMut() -> bool,
    ) {
        let is_whole = |node: &usize| match self.nodes[*node].children_kind {
            Children::Cut => false,
            // Of the moves after one outcome of chance.
            Children::Selected => !G::HAS_CHANCE,
            Children::Open | Children::All => true,
        };
        let root = if keep { self.find(position, history).filter(is_whole) } else { None };
        let quiet_priors = std::mem::take(&mut self.quiet_priors);
        match root.filter(|&root| self.reroot(root, is_over).is_some()) {
            // Each search of a position has noise of its own.
            Some(0) => self.change_root_priors(|priors| {
                priors.iter_mut().zip(quiet_priors).for_each(|(prior, quiet)| *prior = quiet);
            }),
            Some(_) => {}
            None => {
                self.nodes.clear();
                self.nodes.push(Node::new(any, 1.0, 0, 0.0));
            }
        }
        if !self.has_children(0) {
            // It may be drawn by rule, and is searched even so.
            self.nodes[0].proof = Proof::Open;
        }
        self.root = Some((position.clone(), history.past().iter().map(Game::key).collect()));
    }

    /// The node of a position whose game has passed the root.
    fn find(&self, position: &G, history: &GameHistory<G>) -> Option<usize> {
        let (root, before) = self.root.as_ref()?;
        let past = history.past();
        // Proofs count on the halfmove clock, values on all that the key of the table has.
        let is_same = |one: &G, other: &G| {
            one.same_position(other)
                && one.table_key() == other.table_key()
                && one.halfmove_clock() == other.halfmove_clock()
        };
        let same_before =
            before.len() <= past.len() && before.iter().zip(past).all(|(&key, past)| key == past.key());
        let mut line = past.get(before.len()..)?.iter().chain(std::iter::once(position));
        let same_root = is_same(line.next()?, root);
        if !same_before || !same_root {
            return None;
        }
        let (mut node, mut at) = (0, root.clone());
        for next in line {
            (node, at) = self.children(node).find_map(|child| {
                let reached = at.after(self.nodes[child].mv);
                is_same(&reached, next).then_some((child, reached))
            })?;
        }
        Some(node)
    }

    /// Makes a node the root and removes all that does not lie below it. Children come after their parents.
    /// `None` once it is over; then the tree is invalid.
    fn reroot(&mut self, root: usize, is_over: &mut dyn FnMut() -> bool) -> Option<()> {
        // A large tree takes long.
        const AT_ONCE: usize = 1 << 12;
        let mut may_go_on = |node: usize| (!node.is_multiple_of(AT_ONCE) || !is_over()).then_some(());
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        while places.len() < self.nodes.len() {
            may_go_on(places.len())?;
            places.resize((places.len() + AT_ONCE).min(self.nodes.len()), u32::MAX);
        }
        places[root] = 0;
        let mut kept = 0;
        for node in root..self.nodes.len() {
            may_go_on(node)?;
            if places[node] == u32::MAX {
                continue;
            }
            places[node] = kept;
            kept += 1;
            let mut child = self.nodes[node].first as usize;
            while child != 0 {
                places[child] = 0;
                child = self.nodes[child].next as usize;
            }
        }
        self.nodes[root].next = 0;
        let moved = |link: u32| if link == 0 { 0 } else { places[link as usize] };
        for (node, &place) in places.iter().enumerate().skip(root) {
            may_go_on(node)?;
            if place == u32::MAX {
                continue;
            }
            let Node { first, next, .. } = self.nodes[node];
            let place = place as usize;
            self.nodes.swap(place, node);
            (self.nodes[place].first, self.nodes[place].next) = (moved(first), moved(next));
        }
        self.nodes.truncate(kept as usize);
        self.places = places;
        Some(())
    }

    pub(super) fn node(&self, node: usize) -> &Node<G::Move> {
        &self.nodes[node]
    }

    pub(super) fn node_mut(&mut self, node: usize) -> &mut Node<G::Move> {
        &mut self.nodes[node]
    }

    pub(super) fn root(&self) -> &Node<G::Move> {
        &self.nodes[0]
    }

    /// The children of a node.
    pub(super) fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let mut next = self.nodes[node].first as usize;
        std::iter::from_fn(move || {
            let child = next;
            next = self.nodes.get(child)?.next as usize;
            (child != 0).then_some(child)
        })
    }

    /// Mixes noise into the priors of the root's children.
    pub(super) fn add_root_noise(&mut self, mix: impl FnOnce(&mut [f32])) {
        let mut quiet = Vec::new();
        self.change_root_priors(|priors| {
            quiet.extend_from_slice(priors);
            mix(priors);
        });
        self.quiet_priors = quiet;
    }

    /// Changes the priors of the root's children.
    fn change_root_priors(&mut self, change: impl FnOnce(&mut [f32])) {
        let children: Vec<_> = self.children(0).collect();
        let mut priors: Vec<_> = children.iter().map(|&child| self.nodes[child].prior).collect();
        change(&mut priors);
        for (child, prior) in children.into_iter().zip(priors) {
            self.nodes[child].prior = prior;
        }
    }

    pub(super) fn has_children(&self, node: usize) -> bool {
        self.nodes[node].first != 0
    }

    /// Whether there is memory for this many more nodes. The root always gets its children.
    pub(super) fn has_room(&self, parent: usize, nodes: usize) -> bool {
        parent == 0 || self.nodes.len() + nodes <= self.most
    }

    /// The number of nodes that still fit.
    pub(super) fn room(&self) -> usize {
        self.most.saturating_sub(self.nodes.len())
    }

    /// Adds children to a node, after its others; the index of the last one, 0 if there is none.
    pub(super) fn add(&mut self, parent: usize, children: impl Iterator<Item = Node<G::Move>>) -> usize {
        let mut last = self.children(parent).last();
        for child in children {
            let place = self.nodes.len();
            match last {
                None => self.nodes[parent].first = place as u32,
                Some(last) => self.nodes[last].next = place as u32,
            }
            self.nodes.push(child);
            last = Some(place);
        }
        last.unwrap_or(0)
    }

    /// Selects a child among the first `widest` of those that `may` be played; a proven loss only if there
    /// are no others.
    pub(super) fn select(
        &self,
        node: usize,
        selection: Selection,
        exploration: f64,
        widest: usize,
        may: impl Fn(G::Move) -> bool,
    ) -> Option<usize> {
        let bound = self.bound(node, selection, exploration);
        let mut best = None;
        for child in self.children(node).take(widest).filter(|&child| may(self.nodes[child].mv)) {
            let bound = bound(&self.nodes[child]);
            if best.is_none_or(|(_, highest)| bound > highest) {
                best = Some((child, bound));
            }
        }
        best.map(|(child, _)| child)
    }

    /// What the selection maximises among the children of a node; infinitely bad for a proven loss.
    fn bound(
        &self,
        parent: usize,
        selection: Selection,
        exploration: f64,
    ) -> impl Fn(&Node<G::Move>) -> f64 + use<G> {
        let parent = &self.nodes[parent];
        let all = f64::from(parent.visits.max(1));
        let (logarithm, root) = (all.ln(), all.sqrt());
        // First play urgency: a child without visits has the value of its parent.
        let unknown = 1.0 - parent.mean();
        move |child| {
            let visits = child.visits + child.virtual_losses;
            let n = f64::from(visits);
            match (child.proof, selection) {
                (Proof::Lost(_), _) => f64::NEG_INFINITY,
                (_, Selection::Uct) if visits == 0 => f64::INFINITY,
                (_, Selection::Uct) => child.total / n + 2.0 * exploration * (logarithm / n).sqrt(),
                (_, Selection::Puct) => {
                    let mean = if visits == 0 { unknown } else { child.total / n };
                    mean + exploration * f64::from(child.prior) * root / (1.0 + n)
                }
            }
        }
    }

    /// Adds a virtual loss: until the simulation is backed up, the node looks worse to others.
    pub(super) fn add_virtual_loss(&mut self, node: usize) {
        self.nodes[node].virtual_losses += 1;
    }

    /// Cancels a simulation without a result.
    pub(super) fn cancel(&mut self, path: &[(usize, Color)]) {
        for &(node, _) in path {
            self.nodes[node].virtual_losses -= 1;
        }
    }

    /// Backs up the result of White along the nodes of a simulation, each with the player who made its move.
    pub(super) fn back_up(&mut self, path: &[(usize, Color)], result: f64) {
        for &(node, player) in path {
            let node = &mut self.nodes[node];
            node.virtual_losses -= 1;
            node.visits = node.visits.saturating_add(1);
            node.total += for_player(player, result);
        }
    }

    /// Backs up the proof of the last node of a path.
    pub(super) fn back_up_proof(&mut self, path: &[(usize, Color)]) {
        for pair in path.windows(2).rev() {
            let (parent, child) = (pair[0].0, pair[1].0);
            if self.nodes[child].proof == Proof::Open || self.nodes[parent].proof != Proof::Open {
                return;
            }
            self.nodes[parent].proof = self.proof_by_children(parent);
        }
    }

    /// The proof of a node by its children.
    fn proof_by_children(&self, node: usize) -> Proof {
        let (mut shortest, mut longest) = (None, 0);
        let (mut open, mut drawn) = (self.nodes[node].children_kind != Children::All, false);
        for child in self.children(node) {
            match self.nodes[child].proof {
                Proof::Open => open = true,
                Proof::Won(plies) => shortest = Some(shortest.map_or(plies, |least: u16| least.min(plies))),
                Proof::Lost(plies) => longest = longest.max(plies),
                Proof::Drawn => drawn = true,
            }
        }
        match shortest {
            Some(plies) => Proof::Lost(plies.saturating_add(1)),
            None if open => Proof::Open,
            None if drawn => Proof::Drawn,
            None => Proof::Won(longest.saturating_add(1)),
        }
    }

    /// The visited children of a node, the best one first: proven wins, the nearest first; then by `by`; then
    /// proven losses, the farthest first.
    pub(super) fn ranked(&self, node: usize, by: Ranking) -> Vec<usize> {
        let bound = self.bound(node, by.selection, by.exploration);
        let rank = |child: usize| {
            let node = &self.nodes[child];
            match node.proof {
                Proof::Won(plies) => (2, f64::from(u16::MAX - plies)),
                Proof::Lost(plies) => (0, f64::from(plies)),
                Proof::Open | Proof::Drawn => match by.final_move {
                    FinalMove::Visits => (1, f64::from(node.visits)),
                    FinalMove::Value => (1, node.mean()),
                    FinalMove::Uct => (1, bound(node)),
                },
            }
        };
        let visited = self.children(node).filter(|&child| self.nodes[child].visits > 0);
        best_first(visited.map(|child| (rank(child), child)).collect())
    }

    /// The line of the best children from a node on, that node's move first.
    pub(super) fn line(&self, node: usize, by: Ranking) -> Vec<G::Move> {
        let mut next = Some(node);
        std::iter::from_fn(|| {
            let node = next?;
            next = self.ranked(node, by).first().copied();
            Some(self.nodes[node].mv)
        })
        .collect()
    }

    /// Whether no simulation is under way through a node.
    #[cfg(test)]
    pub(super) fn is_settled(&self, node: usize) -> bool {
        self.nodes[node].virtual_losses == 0
    }

    /// The nodes that the memory was not made for, besides the children of the root.
    #[cfg(test)]
    pub(super) fn excess(&self) -> usize {
        self.nodes.len().saturating_sub(self.most + self.children(0).count())
    }

    /// How full the memory is, in permille.
    pub(super) fn fullness(&self) -> u32 {
        (1000 * self.nodes.len() / self.most.max(self.nodes.len())) as u32
    }
}
