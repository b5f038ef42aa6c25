//! The moves of the root.

use super::window::Bound;
use crate::eval::Score;

/// A line from the root on, with its score.
#[derive(Clone, Debug)]
pub(super) struct Line<M> {
    /// Depth of the iteration, in plies.
    pub(super) depth: i32,
    pub(super) score: Score,
    /// The bound type of the score.
    pub(super) bound: Bound,
    /// The moves, at least one.
    pub(super) pv: Vec<M>,
}

/// A root move with its statistics.
#[derive(Clone, Debug)]
pub(super) struct RootMove<M> {
    pub(super) mv: M,
    /// Its score in this iteration; `-INFINITE` where it is not known, or only known not to be the best.
    pub(super) score: Score,
    /// Its last known score of earlier iterations; `-INFINITE` where it has none.
    pub(super) previous: Score,
    /// Nodes of its search so far.
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
    /// Whether the first principal variation has fallen below the window that its last score suggests.
    pub(super) has_fallen: bool,
    /// The best root move above α in this iteration, finished or not. Moves that have not been searched may
    /// be better.
    proven: Option<(Score, Bound, Vec<M>)>,
}

impl<M: Copy + Eq> Root<M> {
    /// Root moves without statistics.
    pub(super) fn new(moves: impl IntoIterator<Item = M>) -> Root<M> {
        let unknown = -Score::INFINITE;
        let moves = moves.into_iter();
        let moves =
            moves.map(|mv| RootMove { mv, score: unknown, previous: unknown, nodes: 0, pv: vec![mv] });
        Root { moves: moves.collect(), pv_index: 0, has_fallen: false, proven: None }
    }

    /// Begins an iteration: the scores become those of the previous one.
    pub(super) fn new_iteration(&mut self) {
        (self.has_fallen, self.proven) = (false, None);
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

    /// The same, mutable.
    pub(super) fn current_mut(&mut self) -> &mut RootMove<M> {
        &mut self.moves[self.pv_index]
    }

    /// The moves that are to be searched, in their order.
    pub(super) fn open_moves(&self) -> impl Iterator<Item = M> {
        self.moves[self.pv_index..].iter().map(|entry| entry.mv)
    }

    /// Records the result and the nodes of the move just searched: a new best move gets its score and line,
    /// any other is only known to be worse.
    pub(super) fn note(&mut self, mv: M, score: Option<(Score, Bound)>, pv: &Vec<M>, nodes: u64) {
        let Some(entry) = self.moves.iter_mut().find(|entry| entry.mv == mv) else { return };
        entry.nodes += nodes;
        entry.score = score.map_or(-Score::INFINITE, |(score, _)| score);
        let Some((score, bound)) = score else { return };
        entry.pv.clone_from(pv);
        if self.pv_index == 0 && bound != Bound::Upper {
            self.proven = Some((score, bound, pv.clone()));
        }
    }

    /// Records the result of a search of the root, which may be that of another thread.
    pub(super) fn note_score(&mut self, score: Score, bound: Bound) {
        if self.pv_index == 0 && bound != Bound::Upper {
            self.proven = Some((score, bound, self.moves[0].pv.clone()));
        }
    }

    /// The result of an unfinished iteration of `depth` plies: its best move above α, unless that loses, as
    /// other moves may not. If the score has fallen below the window or below the `last` score, it is a
    /// bound, as the other moves may be better.
    pub(super) fn take_partial(&mut self, depth: i32, last: Option<Score>) -> Option<Line<M>> {
        let (score, bound, pv) = self.proven.take()?;
        let has_fallen = self.has_fallen || last.is_some_and(|last| score < last);
        let bound = if has_fallen { Bound::Lower } else { bound };
        (!score.is_loss()).then_some(Line { depth, score, bound, pv })
    }

    /// Clears the scores of an unfinished iteration, some of which are bounds.
    pub(super) fn clear_scores(&mut self) {
        self.moves.iter_mut().for_each(|entry| entry.score = -Score::INFINITE);
    }

    /// The first lines, of an iteration of `depth` plies that is finished.
    pub(super) fn lines(&self, depth: i32, count: usize) -> Vec<Line<M>> {
        let line = |entry: &RootMove<M>| Line {
            depth,
            score: entry.score,
            bound: Bound::Exact,
            pv: entry.pv.clone(),
        };
        self.moves[..count].iter().map(line).collect()
    }

    /// Sorts the moves with a principal variation by their scores, the current one included: a later one may
    /// be better. The sort is stable.
    pub(super) fn sort_finished(&mut self) {
        self.moves[..=self.pv_index].sort_by_cached_key(|entry| std::cmp::Reverse(entry.score));
    }

    /// Puts the best of the moves without a principal variation first, the others in the order of their last
    /// scores. The sort is stable.
    pub(super) fn sort(&mut self) {
        self.moves[self.pv_index..].sort_by_cached_key(|entry| std::cmp::Reverse(entry.score));
    }
}
