//! The moves of the root.

use crate::eval::Score;

/// A root move with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove<M> {
    pub(super) mv: M,
    /// Its score in this iteration; `-INFINITE` where it is not known, or only known not to be the best.
    pub(super) score: Score,
    /// Its last known score of earlier iterations; `-INFINITE` where it has none.
    pub(super) previous: Score,
    /// Nodes that its search has taken so far.
    pub(super) nodes: u64,
    /// The line that begins with it.
    pub(super) pv: Vec<M>,
}

/// The root moves of an iteration, the best first.
#[derive(Clone, Debug)]
pub(super) struct Root<M> {
    pub(super) moves: Vec<RootMove<M>>,
    /// Index of the principal variation that is being searched: the moves before it have theirs already.
    pub(super) pv_index: usize,
}

impl<M: Copy + Eq> Root<M> {
    /// Root moves of which nothing is known.
    pub(super) fn new(moves: impl IntoIterator<Item = M>) -> Root<M> {
        let unknown = -Score::INFINITE;
        let moves = moves.into_iter();
        let moves =
            moves.map(|mv| RootMove { mv, score: unknown, previous: unknown, nodes: 0, pv: vec![mv] });
        Root { moves: moves.collect(), pv_index: 0 }
    }

    /// Begins an iteration: the scores become those of the previous one.
    pub(super) fn new_iteration(&mut self) {
        for entry in &mut self.moves {
            if entry.score > -Score::INFINITE {
                entry.previous = std::mem::replace(&mut entry.score, -Score::INFINITE);
            }
        }
    }

    /// The first move of the principal variation that is being searched.
    pub(super) fn current(&self) -> &RootMove<M> {
        &self.moves[self.pv_index]
    }

    /// The same, to change it.
    pub(super) fn current_mut(&mut self) -> &mut RootMove<M> {
        &mut self.moves[self.pv_index]
    }

    /// The moves that are to be searched, in their order.
    pub(super) fn open_moves(&self) -> impl Iterator<Item = M> {
        self.moves[self.pv_index..].iter().map(|entry| entry.mv)
    }

    /// Notes the result of the move that has just been searched, and the nodes that it took: a new best move
    /// gets its score and line, any other is only known to be worse.
    pub(super) fn note(&mut self, mv: M, score: Option<Score>, pv: &Vec<M>, nodes: u64) {
        if let Some(entry) = self.moves.iter_mut().find(|entry| entry.mv == mv) {
            entry.nodes += nodes;
            entry.score = score.unwrap_or(-Score::INFINITE);
            if score.is_some() {
                entry.pv.clone_from(pv);
            }
        }
    }

    /// Forgets the scores of this iteration of the moves that have no principal variation yet.
    pub(super) fn forget_scores(&mut self) {
        self.moves[self.pv_index..].iter_mut().for_each(|entry| entry.score = -Score::INFINITE);
    }

    /// Sorts the moves with a principal variation by their scores, the current one included: a later one may
    /// turn out to be better. The sort is stable.
    pub(super) fn sort_finished(&mut self) {
        self.moves[..=self.pv_index].sort_by_key(|entry| std::cmp::Reverse(entry.score));
    }

    /// Puts the best of the moves without a principal variation first, the others in the order of their last
    /// scores. The sort is stable.
    pub(super) fn sort(&mut self) {
        self.moves[self.pv_index..].sort_by_key(|entry| std::cmp::Reverse(entry.score));
    }
}
