//! A decision against a reference.

use labrys_core::engine::GameState;
use labrys_core::eval::{Evaluator, Score};
use labrys_core::game::Knowledge;
use labrys_core::search::{Claim, Control, ReferenceNode};
use labrys_solver::Solvable;

use crate::truth::Truth;

/// What the reference says of a decision.
#[derive(Clone, Debug)]
pub(crate) struct Judgement<M> {
    pub(crate) is_right: bool,
    /// The value by the reference, where the claim is wrong; else perhaps only a bound of it.
    pub(crate) value: Score,
    /// How far the truth is from the claim, 0 where it is right.
    pub(crate) cost: Score,
    /// The move that was missed, where the claim was about moves.
    pub(crate) missed: Option<M>,
    /// Nodes that it takes the reference to answer the question of the decision.
    pub(crate) nodes: u64,
}

/// A reference with the game whose tree is inspected.
pub(crate) struct Judge<'a, 'c, G: Knowledge, E> {
    pub(crate) truth: Truth<'a, G, E>,
    pub(crate) root: &'c GameState<G>,
    pub(crate) control: &'c Control,
}

impl<G: Solvable + Knowledge, E: Evaluator<G>> Judge<'_, '_, G, E> {
    /// Checks a claim about a node or some of its moves. `None` where the reference has no answer.
    pub(crate) fn judge(
        &mut self,
        node: &ReferenceNode<G::Move>,
        claim: Claim,
    ) -> Option<Judgement<G::Move>> {
        match claim {
            Claim::AtMost(bound) => {
                let (value, nodes) = self.value(node, [bound, bound + Score::STEP])?;
                if value <= bound {
                    return Some(Judgement::right(value, nodes));
                }
                let (missed, value) = match node.moves.is_empty() {
                    true => (None, self.exact(node, value, [bound, Score::INFINITE])?),
                    false => self.best_move(node, bound)?,
                };
                Some(Judgement { is_right: false, value, cost: value - bound, missed, nodes })
            }
            Claim::AtLeast(bound) => {
                let (value, nodes) = self.value(node, [bound - Score::STEP, bound])?;
                if value >= bound {
                    return Some(Judgement::right(value, nodes));
                }
                let value = self.exact(node, value, [-Score::INFINITE, bound])?;
                Some(Judgement { is_right: false, value, cost: bound - value, missed: None, nodes })
            }
            Claim::HasBest => {
                let (kept, nodes) = self.value(node, [-Score::INFINITE, Score::INFINITE])?;
                let dropped = self.others(node)?;
                // No moves would stand for all of them.
                if dropped.moves.is_empty() {
                    return Some(Judgement::right(kept, nodes));
                }
                let (value, nodes) = self.value(&dropped, [kept, kept + Score::STEP])?;
                if value <= kept {
                    return Some(Judgement::right(kept, nodes));
                }
                let (missed, value) = self.best_move(&dropped, kept)?;
                Some(Judgement { is_right: false, value, cost: value - kept, missed, nodes })
            }
        }
    }

    /// The value of a node, see [`Truth::value`].
    pub(crate) fn value(
        &mut self,
        node: &ReferenceNode<G::Move>,
        window: [Score; 2],
    ) -> Option<(Score, u64)> {
        self.truth.value(self.root, node, window, self.control)
    }

    /// The exact value of a node, a bound of which is known.
    fn exact(&mut self, node: &ReferenceNode<G::Move>, value: Score, window: [Score; 2]) -> Option<Score> {
        match self.truth.ignores_window() {
            true => Some(value),
            false => self.value(node, window).map(|(value, _)| value),
        }
    }

    /// The first of the best moves of a node that are better than `least`, with its value.
    pub(crate) fn best_move(
        &mut self,
        node: &ReferenceNode<G::Move>,
        least: Score,
    ) -> Option<(Option<G::Move>, Score)> {
        let (mut best, mut value) = (None, least);
        for &mv in &node.moves {
            let single = ReferenceNode { moves: vec![mv], ..node.clone() };
            let (found, _) = self.value(&single, [value, Score::INFINITE])?;
            if found > value {
                (best, value) = (Some(mv), found);
            }
        }
        Some((best, value))
    }

    /// The legal moves of a node that are not among its moves.
    pub(crate) fn others(&self, node: &ReferenceNode<G::Move>) -> Option<ReferenceNode<G::Move>> {
        let mut moves = crate::truth::game(self.root, &node.path)?.position().moves();
        moves.retain(|mv| !node.moves.contains(mv));
        Some(ReferenceNode { moves, ..node.clone() })
    }
}

impl<M> Judgement<M> {
    fn right(value: Score, nodes: u64) -> Judgement<M> {
        Judgement { is_right: true, value, cost: Score::DRAW, missed: None, nodes }
    }
}
