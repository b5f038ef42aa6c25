//! What a search leaves out, shown to an observer: each cut, reduction and filter at the moment at which it
//! is made. The observer of ordinary searches, [`Unobserved`], costs nothing: the compiler leaves the hooks
//! out.

use super::ordering::MovePicker;
use super::pvs::Node;
use super::searcher::Searcher;
use crate::eval::{Evaluator, Score};
use crate::game::Knowledge;

/// A step of a search that saves nodes on a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// What searches of other depths have left counts: scores in the table, corrections of the evaluation.
    /// That is no guess, and it is never shown to an observer.
    Memory,
    /// A node is a ply shallower, as the opponent has gained much by a reduced move.
    Hindsight,
    /// A node far below α is searched for tactical moves alone.
    Razoring,
    /// A node far above β is not searched.
    ReverseFutility,
    /// A node above β even after a null move is not searched further.
    NullMove,
    /// A tactical move found far above β by a shallower search refutes a node.
    ProbCut,
    /// A node without a table move is a ply shallower.
    InternalReduction,
    /// Several moves above β in a shallower search refute a node.
    MultiCut,
    /// Moves that the game does not count among its candidates are not searched.
    Candidates,
    /// The moves after the first ones, by the option `Width`.
    Width,
    /// The quiet moves after the first ones.
    LateMoves,
    /// A quiet move whose node is far below α.
    Futility,
    /// A quiet move that has failed often.
    History,
    /// A move that loses by exchange.
    Exchange,
    /// A late move is searched less deeply.
    LateReduction,
    /// Minimax selective deepening keeps the best rated moves.
    Filter,
}

impl Step {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Step::Memory => "memory",
            Step::Hindsight => "hindsight reduction",
            Step::Razoring => "razoring",
            Step::ReverseFutility => "reverse futility pruning",
            Step::NullMove => "null move pruning",
            Step::ProbCut => "ProbCut",
            Step::InternalReduction => "internal reduction",
            Step::MultiCut => "multi-cut",
            Step::Candidates => "candidate moves",
            Step::Width => "width",
            Step::LateMoves => "late move pruning",
            Step::Futility => "futility pruning",
            Step::History => "history pruning",
            Step::Exchange => "SEE pruning",
            Step::LateReduction => "late move reduction",
            Step::Filter => "MSD filter",
        }
    }
}

/// What a step takes for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No value is above this one.
    AtMost(Score),
    /// The value is this one at least.
    AtLeast(Score),
    /// The best move of the node is among the moves of the decision.
    HasBest,
}

/// A step applied at a node: what it claims of the node, or of some of its moves.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a, M> {
    /// The step.
    pub step: Step,
    /// The moves from the root to the node; `None` is a null move.
    pub path: &'a [Option<M>],
    /// Depth of the iteration, in plies.
    pub iteration: usize,
    /// The moves of the node that the claim is about: each of them. Empty: it is about the node itself.
    pub moves: &'a [M],
    /// Plies that the node would have been searched, or that would have been left after the moves.
    pub depth: i32,
    /// What is claimed, for the side to move at the node.
    pub claim: Claim,
    /// The plies of the search that the claim rests on, where a search has tested it: from the node on, after
    /// the null move, or after the moves.
    pub tested: Option<i32>,
    /// The terms of the formula that decided, with the share of each, where there are several.
    pub terms: &'a [(&'static str, i32)],
}

/// Sees what a search leaves out.
pub trait Observer<M> {
    /// Whether there is anything to be shown; constant, so that the compiler can leave out the hooks.
    const IS_ON: bool = true;

    /// Whether the search may use a step.
    fn allows(&self, _step: Step) -> bool {
        true
    }

    /// A step has been applied.
    fn decided(&mut self, decision: &Decision<M>);
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl<M> Observer<M> for Unobserved {
    const IS_ON: bool = false;

    fn decided(&mut self, _decision: &Decision<M>) {}
}

impl<M, O: Observer<M>> Observer<M> for &mut O {
    const IS_ON: bool = O::IS_ON;

    fn allows(&self, step: Step) -> bool {
        (**self).allows(step)
    }

    fn decided(&mut self, decision: &Decision<M>) {
        (**self).decided(decision);
    }
}

/// A decision without the line that leads to it.
pub(super) struct Local<'a, M> {
    pub(super) step: Step,
    pub(super) moves: &'a [M],
    pub(super) depth: i32,
    pub(super) claim: Claim,
    pub(super) tested: Option<i32>,
    pub(super) terms: &'a [(&'static str, i32)],
}

impl<G: Knowledge, E: Evaluator<G>, O: Observer<G::Move>> Searcher<'_, G, E, O> {
    /// Whether the search is selective and may use a step.
    #[inline(always)]
    pub(super) fn uses(&self, step: Step) -> bool {
        self.selective && (!O::IS_ON || self.observer.allows(step))
    }

    /// Shows the observer a step at the node at `ply`.
    #[inline(always)]
    pub(super) fn show(&mut self, ply: usize, decision: Local<G::Move>) {
        if O::IS_ON && !self.is_stopped() {
            let Local { step, moves, depth, claim, tested, terms } = decision;
            let path: Vec<_> = self.stack[..ply].iter().map(|entry| entry.mv).collect();
            let (path, iteration) = (&path[..], self.iteration);
            self.observer.decided(&Decision { step, path, iteration, moves, depth, claim, tested, terms });
        }
    }

    /// Shows a step that is about a node, and the plies of the search that it rests on.
    #[inline(always)]
    pub(super) fn show_node(
        &mut self,
        step: Step,
        node: &Node<G::Move>,
        claim: Claim,
        tested: impl Into<Option<i32>>,
    ) {
        let (depth, tested) = (node.depth, tested.into());
        self.show(node.ply, Local { step, moves: &[], depth, claim, tested, terms: &[] });
    }

    /// Shows a step by which a move of a node is not searched.
    #[inline(always)]
    pub(super) fn show_pruned(&mut self, step: Step, node: &Node<G::Move>, mv: G::Move, alpha: Score) {
        let (depth, claim) = (node.depth - 1, Claim::AtMost(alpha));
        self.show(node.ply, Local { step, moves: &[mv], depth, claim, tested: None, terms: &[] });
    }

    /// Shows a step by which a node leaves out the moves that its picker has not given, and for which
    /// `is_out` holds. The last `unsearched` of those given count as left out as well.
    pub(super) fn show_rest(
        &mut self,
        step: Step,
        node: &Node<G::Move>,
        picker: &MovePicker<G::Move>,
        unsearched: usize,
        alpha: Score,
        is_out: impl Fn(&G, G::Move) -> bool,
    ) {
        if !O::IS_ON {
            return;
        }
        let position = self.position(node.ply);
        let mut moves = position.moves();
        let given = picker.picked();
        let given = &given[..given.len().saturating_sub(unsearched)];
        let kept = self.kept(node.ply);
        moves.retain(|&mv| {
            let is_kept = kept.is_none_or(|kept| kept.contains(&mv));
            Some(mv) != node.excluded && is_kept && !given.contains(&mv) && is_out(position, mv)
        });
        if !moves.is_empty() {
            let (depth, claim) = (node.depth - 1, Claim::AtMost(alpha));
            self.show(node.ply, Local { step, moves: &moves, depth, claim, tested: None, terms: &[] });
        }
    }

    /// Shows the moves of the position at `ply` that the MSD filter keeps, with `depth` plies left at it.
    #[inline(always)]
    pub(super) fn show_filter(&mut self, ply: usize, moves: &[G::Move], depth: i32) {
        let local = Local {
            step: Step::Filter,
            moves,
            depth: depth - 1,
            claim: Claim::HasBest,
            tested: None,
            terms: &[],
        };
        if O::IS_ON && moves.len() < self.position(ply).count_moves() {
            self.show(ply, local);
        }
    }
}
