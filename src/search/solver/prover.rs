//! Depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
//! applications", 2002).
//!
//! It expands the most proving node, and stays below a position until its numbers exceed thresholds set by
//! its siblings; what it has left is in the table. Thresholds grow by a share ([`SLACK`]), so that the search
//! does not alternate between siblings all the time (J. Pawlewicz and Ł. Lew, "Improving depth-first
//! PN-search: 1 + ε trick", 2007).

use std::collections::HashMap;

use super::Value;
use super::numbers::{INFINITE, Numbers};
use super::table::ProofTable;
use crate::game::{Color, Game, GameHistory, ProofLeaf, Solvable};
use crate::search::{Control, Limits};

/// ε is one over this number: a child is searched until its number exceeds 1 + 1/4 of the next best one's.
const SLACK: u32 = 4;

/// Plies of a line at most: one that is longer ends the search.
const LONGEST_LINE: usize = 2_000;

/// Nodes between two looks at the clock.
const CLOCK_INTERVAL: u64 = 1 << 8;

/// A search for proofs.
pub(super) struct Prover<'a> {
    table: ProofTable,
    /// Values that are known without a search, by the keys of the game.
    known: HashMap<u64, Value>,
    limits: &'a Limits,
    control: &'a Control,
    /// Expansions: positions whose moves have been tried, each time counted.
    pub(super) nodes: u64,
    /// Positions that have been evaluated, one after each move tried.
    pub(super) evaluations: u64,
    /// Node count at which the current attempt ends.
    pause: u64,
    is_stopped: bool,
}

/// The position after a move.
struct Child<M> {
    mv: M,
    key: u64,
    numbers: Numbers,
}

impl<'a> Prover<'a> {
    pub(super) fn new(
        table: ProofTable,
        known: HashMap<u64, Value>,
        limits: &'a Limits,
        control: &'a Control,
    ) -> Prover<'a> {
        Prover { table, known, limits, control, nodes: 0, evaluations: 0, pause: 0, is_stopped: false }
    }

    /// Whether the limits or the stop flag have ended the search for good.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Whether the side to move reaches its aim, to win (`strict`) or not to lose; `None` if that is open
    /// after so many more nodes. If it does and the game is not over, a move that does it comes with the
    /// answer.
    pub(super) fn prove<G: Solvable>(
        &mut self,
        position: &G,
        strict: bool,
        nodes: u64,
    ) -> Option<(bool, Option<G::Move>)> {
        if let Some(outcome) = GameHistory::new().outcome(position) {
            return Some((reached(position, outcome.winner, strict), None));
        }
        if self.is_stopped {
            return None;
        }
        self.pause = self.nodes.saturating_add(nodes);
        let (key, _) = self.evaluate(position, strict);
        let mut best = None;
        let thresholds = Numbers { proof: INFINITE, disproof: INFINITE };
        let numbers = self.expand(position, key, strict, thresholds, 0, &mut best);
        numbers.proven().map(|reached| (reached, best.filter(|_| reached)))
    }

    /// The key of a position and its initial numbers, without the table, whose entry is prefetched.
    fn evaluate<G: Solvable>(&mut self, position: &G, strict: bool) -> (u64, Numbers) {
        self.evaluations += 1;
        let decided = |winner| Numbers::decided(reached(position, winner, strict));
        if let Some(outcome) = GameHistory::new().outcome(position) {
            return (0, decided(outcome.winner));
        }
        match position.proof_leaf() {
            ProofLeaf::Decided(winner) => (0, decided(winner)),
            ProofLeaf::Open { key, .. } if self.known.contains_key(&key) => {
                (key, decided(self.known[&key].winner(position.side_to_move())))
            }
            ProofLeaf::Open { key, numbers: [proof, disproof] } => {
                // Without draws, both aims are the same.
                let key = if strict && G::CAN_BE_DRAWN { !key } else { key };
                self.table.prefetch(key);
                (key, Numbers { proof, disproof }.clamped_open())
            }
        }
    }

    /// Searches a position until one of its numbers reaches its threshold; `best` is then the most proving
    /// move.
    fn expand<G: Solvable>(
        &mut self,
        position: &G,
        key: u64,
        strict: bool,
        thresholds: Numbers,
        ply: usize,
        best: &mut Option<G::Move>,
    ) -> Numbers {
        let start = self.nodes;
        self.nodes += 1;
        self.check_limits(ply);
        let mut children = match self.children(position, strict) {
            Ok(children) => children,
            Err(mv) => {
                *best = Some(mv);
                let numbers = Numbers::decided(true);
                self.table.store(key, numbers, 1);
                return numbers;
            }
        };
        loop {
            let numbers = combined(&children);
            let (first, second) = most_proving(&children);
            *best = first.map(|index| children[index].mv);
            let is_enough = numbers.proof >= thresholds.proof
                || numbers.disproof >= thresholds.disproof
                || self.is_stopped
                || self.nodes >= self.pause;
            let (Some(first), false) = (first, is_enough) else {
                self.table.store(key, numbers, self.nodes - start);
                return numbers;
            };
            let Child { mv, key, numbers: Numbers { proof: own, .. } } = children[first];
            let others = numbers.disproof - own.min(numbers.disproof);
            let slack = second.saturating_add(second / SLACK + 1);
            let below = Numbers {
                proof: if thresholds.disproof == INFINITE { INFINITE } else { thresholds.disproof - others },
                disproof: thresholds.proof.min(slack),
            };
            // It may have been proven below another position meanwhile.
            let proven = self.table.probe(key).filter(|numbers| numbers.proven().is_some());
            children[first].numbers = proven.unwrap_or_else(|| {
                let child = after(position, mv);
                self.expand(&child, key, !strict, below, ply + 1, &mut None)
            });
            if children[first].numbers.proven() == Some(true) {
                children.swap_remove(first);
            }
        }
    }

    /// The children that are open, each with its numbers.
    ///
    /// # Errors
    /// A move that reaches the aim, if there is one.
    fn children<G: Solvable>(&mut self, position: &G, strict: bool) -> Result<Vec<Child<G::Move>>, G::Move> {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mut children = Vec::with_capacity(moves.len());
        for mv in moves {
            let (key, numbers) = self.evaluate(&after(position, mv), !strict);
            match numbers.proven() {
                Some(false) => return Err(mv),
                Some(true) => {}
                None => children.push(Child { mv, key, numbers }),
            }
        }
        // Equivalent children are searched once.
        children.sort_by_key(|child| child.key);
        children.dedup_by_key(|child| child.key);
        for child in &mut children {
            child.numbers = self.table.probe(child.key).unwrap_or(child.numbers);
        }
        if let Some(child) = children.iter().find(|child| child.numbers.proven() == Some(false)) {
            return Err(child.mv);
        }
        children.retain(|child| child.numbers.proven().is_none());
        Ok(children)
    }

    /// Stops the search when a limit is reached.
    fn check_limits(&mut self, ply: usize) {
        let Limits { nodes, movetime, start, .. } = self.limits;
        let is_late = || movetime.is_some_and(|time| start.elapsed() >= time);
        self.is_stopped |= ply >= LONGEST_LINE
            || nodes.is_some_and(|most| self.nodes >= most)
            || self.nodes.is_multiple_of(CLOCK_INTERVAL) && (self.control.is_stopped() || is_late());
    }
}

/// Whether the side to move reaches its aim if the game ends like that.
fn reached<G: Game>(position: &G, winner: Option<Color>, strict: bool) -> bool {
    winner.map_or(!strict, |winner| winner == position.side_to_move())
}

/// The position after a move.
pub(super) fn after<G: Game>(position: &G, mv: G::Move) -> G {
    let mut child = position.clone();
    child.play(mv);
    child
}

/// The numbers of a position, from those of its children: one child has to be disproven to prove it, all have
/// to be proven to disprove it.
fn combined<M>(children: &[Child<M>]) -> Numbers {
    let proof = children.iter().map(|child| child.numbers.disproof).min().unwrap_or(INFINITE);
    let disproof = children.iter().fold(0, |sum: u32, child| sum.saturating_add(child.numbers.proof));
    match (proof, disproof) {
        (0, _) => Numbers::decided(true),
        (_, 0) => Numbers::decided(false),
        _ => Numbers { proof, disproof }.clamped_open(),
    }
}

/// The most proving child, the one with the smallest disproof number, and the disproof number of the next
/// one.
fn most_proving<M>(children: &[Child<M>]) -> (Option<usize>, u32) {
    let (mut first, mut second) = (None, INFINITE);
    let mut least = (INFINITE, INFINITE);
    for (index, Child { numbers, .. }) in children.iter().enumerate() {
        let work = (numbers.disproof, numbers.proof);
        if work < least {
            (first, second, least) = (Some(index), least.0, work);
        } else {
            second = second.min(work.0);
        }
    }
    (first, second)
}
