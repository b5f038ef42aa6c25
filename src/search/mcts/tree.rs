//! The tree of a Monte Carlo search: positions reached by moves, in a fixed memory.

use crate::game::{Color, Game, GameHistory};

/// A result that has been proved, for the player whose move led to the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// Nothing is known for certain.
    Open,
    /// Won in so many plies from here, whatever the other player does.
    Won(u16),
    /// Lost in so many plies at most, whatever that player does.
    Lost(u16),
    Drawn,
}

impl Proof {
    /// The proof that lies in the end of a game.
    pub(super) fn of_end(winner: Option<Color>, player: Color) -> Proof {
        match winner {
            None => Proof::Drawn,
            Some(winner) if winner == player => Proof::Won(0),
            Some(_) => Proof::Lost(0),
        }
    }

    /// What it is worth: 1 a win, ½ a draw; nothing if nothing is known.
    pub(super) fn points(self) -> Option<f64> {
        match self {
            Proof::Open => None,
            Proof::Won(_) => Some(1.0),
            Proof::Lost(_) => Some(0.0),
            Proof::Drawn => Some(0.5),
        }
    }
}

/// The points of White for a player, or those of a player for White.
pub(super) fn seen_by(player: Color, points: f64) -> f64 {
    if player == Color::White { points } else { 1.0 - points }
}

/// How many children a position has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// There may be more of them.
    Open,
    /// There will be no more, though there are more moves.
    Chosen,
    /// Each legal move has one.
    Complete,
}

/// A position of the tree, reached by a move.
#[derive(Clone, Debug)]
pub(super) struct Node<M> {
    pub(super) mv: M,
    /// The first of its children, and the next child of its parent; 0 where there is none.
    first: u32,
    next: u32,
    pub(super) visits: u32,
    /// Walks that have come through here and have not returned yet. They count as lost (virtual loss).
    pending: u32,
    /// The share of the visits that a policy gives it.
    prior: f32,
    pub(super) growth: Growth,
    pub(super) proof: Proof,
    /// Sum of the results for the player who made the move: 1 a win, ½ a draw.
    points: f64,
}

impl<M: Copy> Node<M> {
    /// A position that has been visited so often, with these results.
    pub(super) fn new(mv: M, prior: f32, visits: u32, points: f64) -> Node<M> {
        let (growth, proof) = (Growth::Open, Proof::Open);
        Node { mv, first: 0, next: 0, visits, pending: 0, prior, growth, proof, points }
    }

    /// The mean result for the player who made the move; a half where there is none.
    pub(super) fn rate(&self) -> f64 {
        let mean = if self.visits == 0 { 0.5 } else { self.points / f64::from(self.visits) };
        self.proof.points().unwrap_or(mean)
    }
}

/// How the next child is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The largest upper bound, `mean + 2 C √(ln N / n)`.
    Uct,
    /// The largest sum of mean and prior, `mean + C P √N / (1 + n)`.
    Puct,
}

/// The moves that a move is chosen by in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalMove {
    /// The one that has been visited most.
    Visits,
    /// The one with the best mean result.
    Value,
}

/// The positions that a search has looked at. The first one, the root, is the position that it began with; what lies below
/// a move that is played can be kept for the next search.
#[derive(Debug)]
pub struct Tree<G: Game> {
    nodes: Vec<Node<G::Move>>,
    /// Nodes that the memory holds.
    most: usize,
    /// The position of the root, and the keys of those before it.
    root: Option<(G, Vec<u64>)>,
    /// The new places of nodes while some are thrown away.
    places: Vec<u32>,
}

impl<G: Game> Tree<G> {
    /// An empty tree in so many bytes, less where there is no memory.
    pub fn new(bytes: usize) -> Tree<G> {
        let (mut nodes, mut places) = (Vec::new(), Vec::new());
        let mut most = bytes / (size_of::<Node<G::Move>>() + size_of::<u32>());
        while nodes.try_reserve_exact(most).is_err() || places.try_reserve_exact(most).is_err() {
            (nodes, places) = (Vec::new(), Vec::new());
            most /= 2;
        }
        Tree { nodes, most: most.min(u32::MAX as usize), root: None, places }
    }

    /// Makes a position the root: with what is known of it where the moves since the last root are in the tree, and `keep` allows
    /// it.
    pub(super) fn begin(&mut self, position: &G, history: &GameHistory<G>, any: G::Move, keep: bool) {
        let root = if keep { self.find(position, history) } else { None };
        match root {
            Some(node) => self.reroot(node),
            None => {
                self.nodes.clear();
                self.nodes.push(Node::new(any, 1.0, 0, 0.0));
            }
        }
        self.root = Some((position.clone(), history.past().iter().map(Game::key).collect()));
    }

    /// The node of a position whose game has come through the root.
    fn find(&self, position: &G, history: &GameHistory<G>) -> Option<usize> {
        let (root, before) = self.root.as_ref()?;
        let past = history.past();
        let same_before =
            before.len() <= past.len() && before.iter().zip(past).all(|(&key, past)| key == past.key());
        let mut line = past.get(before.len()..)?.iter().chain(std::iter::once(position));
        let same_root = line.next()?.same_position(root);
        if !same_before || !same_root {
            return None;
        }
        let (mut node, mut at) = (0, root.clone());
        for next in line {
            (node, at) = self.children(node).find_map(|child| {
                let mut reached = at.clone();
                reached.play(self.nodes[child].mv);
                reached.same_position(next).then_some((child, reached))
            })?;
        }
        Some(node)
    }

    /// Throws away all that does not lie below a node, which becomes the root. (Children lie behind their parents.)
    fn reroot(&mut self, root: usize) {
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        places.resize(self.nodes.len(), u32::MAX);
        places[root] = 0;
        let mut kept = 0;
        for node in root..self.nodes.len() {
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
        for (node, &place) in places.iter().enumerate().skip(root).filter(|(_, place)| **place != u32::MAX) {
            let Node { first, next, .. } = self.nodes[node];
            let place = place as usize;
            self.nodes.swap(place, node);
            (self.nodes[place].first, self.nodes[place].next) = (moved(first), moved(next));
        }
        self.nodes.truncate(kept as usize);
        self.places = places;
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

    pub(super) fn has_children(&self, node: usize) -> bool {
        self.nodes[node].first != 0
    }

    /// Whether there is memory for so many more nodes. (The moves of the root have their place, whatever the memory.)
    pub(super) fn has_room(&self, parent: usize, nodes: usize) -> bool {
        parent == 0 || self.nodes.len() + nodes <= self.most
    }

    /// Nodes that there is memory for.
    pub(super) fn room(&self) -> usize {
        self.most.saturating_sub(self.nodes.len())
    }

    /// Gives a node children behind those that it has, in their order; the place of the last one, 0 if there is none.
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

    /// The child to go on with, among the first `widest` of those that `may` be played: none that is known to lose, while there
    /// are others.
    pub(super) fn select(
        &self,
        node: usize,
        selection: Selection,
        exploration: f64,
        widest: usize,
        may: impl Fn(G::Move) -> bool,
    ) -> Option<usize> {
        let parent = &self.nodes[node];
        let all = f64::from(parent.visits.max(1));
        let (logarithm, root) = (all.ln(), all.sqrt());
        // What a child is worth that nobody has visited: as much as its parent.
        let unknown = 1.0 - parent.rate();
        let bound = |child: &Node<G::Move>| {
            let visits = child.visits + child.pending;
            let n = f64::from(visits);
            match (child.proof, selection) {
                (Proof::Lost(_), _) => f64::NEG_INFINITY,
                (_, Selection::Uct) if visits == 0 => f64::INFINITY,
                (_, Selection::Uct) => child.points / n + 2.0 * exploration * (logarithm / n).sqrt(),
                (_, Selection::Puct) => {
                    let mean = if visits == 0 { unknown } else { child.points / n };
                    mean + exploration * f64::from(child.prior) * root / (1.0 + n)
                }
            }
        };
        let mut best = None;
        for child in self.children(node).take(widest).filter(|&child| may(self.nodes[child].mv)) {
            let bound = bound(&self.nodes[child]);
            if best.is_none_or(|(_, highest)| bound > highest) {
                best = Some((child, bound));
            }
        }
        best.map(|(child, _)| child)
    }

    /// A walk comes through a node: until it returns, others think that it loses.
    pub(super) fn mark(&mut self, node: usize) {
        self.nodes[node].pending += 1;
    }

    /// A walk returns with the points of White to the nodes that it has come through, each with the player who made its move.
    pub(super) fn back_up(&mut self, path: &[(usize, Color)], points: f64) {
        for &(node, player) in path {
            let node = &mut self.nodes[node];
            node.pending -= 1;
            node.visits = node.visits.saturating_add(1);
            node.points += seen_by(player, points);
        }
    }

    /// Draws from what is proved of the last node of a path what is proved of those before it.
    pub(super) fn prove(&mut self, path: &[(usize, Color)]) {
        for pair in path.windows(2).rev() {
            let (parent, child) = (pair[0].0, pair[1].0);
            if self.nodes[child].proof == Proof::Open || self.nodes[parent].proof != Proof::Open {
                return;
            }
            self.nodes[parent].proof = self.proof_by_children(parent);
        }
    }

    /// What the children of a node prove of it.
    fn proof_by_children(&self, node: usize) -> Proof {
        let (mut shortest, mut longest) = (None, 0);
        let (mut open, mut drawn) = (self.nodes[node].growth != Growth::Complete, false);
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

    /// The children of a node that have been visited, the best one first: proven wins, the nearest first; then by `by`; then
    /// proven losses, the farthest first.
    pub(super) fn ranked(&self, node: usize, by: FinalMove) -> Vec<usize> {
        let mut children: Vec<_> =
            self.children(node).filter(|&child| self.nodes[child].visits > 0).collect();
        let rank = |child: &usize| {
            let node = &self.nodes[*child];
            match node.proof {
                Proof::Won(plies) => (2, f64::from(u16::MAX - plies)),
                Proof::Lost(plies) => (0, f64::from(plies)),
                Proof::Open | Proof::Drawn => match by {
                    FinalMove::Visits => (1, f64::from(node.visits)),
                    FinalMove::Value => (1, node.rate()),
                },
            }
        };
        children.sort_by(|one, other| {
            let (one, other) = (rank(one), rank(other));
            other.0.cmp(&one.0).then(other.1.total_cmp(&one.1))
        });
        children
    }

    /// The line of the best children from a node on, that node's move first.
    pub(super) fn line(&self, node: usize, by: FinalMove) -> Vec<G::Move> {
        let mut next = Some(node);
        std::iter::from_fn(|| {
            let node = next?;
            next = self.ranked(node, by).first().copied();
            Some(self.nodes[node].mv)
        })
        .collect()
    }

    /// Whether no walk is under way through a node.
    #[cfg(test)]
    pub(super) fn is_settled(&self, node: usize) -> bool {
        self.nodes[node].pending == 0
    }

    /// How full the memory is, in permille.
    pub(super) fn fullness(&self) -> u32 {
        (1000 * self.nodes.len() / self.most.max(self.nodes.len())) as u32
    }
}
