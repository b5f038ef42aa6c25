//! Depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
//! applications", 2002).
//!
//! It expands the most proving node, and stays below a position until its numbers exceed thresholds set by
//! its siblings; earlier results are in the table. Thresholds grow by a share ([`SLACK`]), so that the search
//! does not alternate between siblings all the time (J. Pawlewicz and Ł. Lew, "Improving depth-first
//! PN-search: 1 + ε trick", 2007).

use std::collections::HashMap;
use std::mem;
use std::ops::ControlFlow;

use super::numbers::{INFINITE, Numbers};
use super::progress::Progress;
use super::shared::SharedSearch;
use super::table::ProofTable;
use crate::{ProofLeaf, Solvable};
use labrys_core::game::{Color, EndgameTables, GameHistory, GameMove, Wdl};
use labrys_core::search::{Control, Limits};

/// ε is one over this number: a child is searched until its number exceeds 1 + 1/4 of the next best one's.
const SLACK: u64 = 4;

/// Bytes of the stack of a thread: enough for the longest line.
const STACK: usize = 1 << 25;

/// Plies of a line at most: a longer one ends the search.
const MAX_PLIES: usize = 2_000;

/// Evaluations between two polls of the clock: two nodes where each has two thousand moves.
const CLOCK_INTERVAL: u64 = 1 << 12;

/// A search for proofs.
pub(super) struct Prover<'a, G> {
    table: ProofTable<'a>,
    /// Values that are known without a search, by the keys of the game.
    known: &'a HashMap<u64, Wdl>,
    /// Endgame tables, if any.
    tables: Option<&'a dyn EndgameTables<G>>,
    limits: Limits,
    control: &'a Control,
    /// Expansions: positions whose moves have been tried, each time counted.
    pub(super) nodes: u64,
    /// Positions that have been evaluated, one after each move tried.
    pub(super) evaluations: u64,
    /// Nodes and evaluations at the last poll of the clock.
    polled: (u64, u64),
    /// Node count at which the current attempt ends.
    pause: u64,
    is_stopped: bool,
    threads: usize,
    /// The state shared with other threads.
    shared: Option<&'a SharedSearch>,
    /// The root's numbers, for the log.
    root: Numbers,
    /// The FEN of the root and the moves that are being searched below it, for the log.
    start: String,
    line: Vec<u32>,
    progress: Option<&'a Progress<'a>>,
}

/// The position after a move.
struct Child<M> {
    mv: M,
    key: u64,
    numbers: Numbers,
}

impl<'a, G: Solvable> Prover<'a, G> {
    pub(super) fn new(
        table: ProofTable<'a>,
        known: &'a HashMap<u64, Wdl>,
        limits: Limits,
        control: &'a Control,
    ) -> Prover<'a, G> {
        Prover {
            table,
            known,
            tables: None,
            limits,
            control,
            nodes: 0,
            evaluations: 0,
            polled: (0, 0),
            pause: 0,
            is_stopped: false,
            threads: 1,
            shared: None,
            root: Numbers { proof: 1, disproof: 1 },
            start: String::new(),
            line: Vec::new(),
            progress: None,
        }
    }

    /// The same with a number of threads.
    pub(super) fn with_threads(self, threads: usize) -> Prover<'a, G> {
        Prover { threads, ..self }
    }

    /// The same with endgame tables, if there are any.
    pub(super) fn with_tables(self, tables: Option<&'a dyn EndgameTables<G>>) -> Prover<'a, G> {
        Prover { tables, ..self }
    }

    /// The same with reports and checkpoints from time to time.
    pub(super) fn with_progress(self, progress: &'a Progress<'a>) -> Prover<'a, G> {
        Prover { progress: Some(progress), ..self }
    }

    /// Calls `job` with the prover without limits and reports, and with one thread: most results are in the
    /// table.
    pub(super) fn without_limits<T>(&mut self, job: impl FnOnce(&mut Self) -> T) -> T {
        let limits = mem::replace(&mut self.limits, Limits::none());
        let threads = mem::replace(&mut self.threads, 1);
        let progress = self.progress.take();
        self.is_stopped = self.control.is_stopped();
        let done = job(self);
        (self.limits, self.threads, self.progress) = (limits, threads, progress);
        self.is_stopped |= self.is_over(self.nodes);
        done
    }

    /// Whether the limits or the stop flag have ended the search for good.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Whether the side to move reaches its aim, to win (`strict`) or not to lose; `None` if that is open
    /// after `nodes` more nodes. If it does and the game is not over, returns a move for it as well.
    pub(super) fn prove(
        &mut self,
        position: &G,
        strict: bool,
        nodes: u64,
    ) -> Option<(bool, Option<G::Move>)> {
        let stm = position.side_to_move();
        if let Some(outcome) = GameHistory::new().outcome(position) {
            return Some((reached(stm, outcome.winner, strict), None));
        }
        if self.is_stopped {
            return None;
        }
        match self.threads {
            ..=1 => self.attempt(position, strict, nodes),
            threads => self.attempt_parallel(position, strict, nodes, threads),
        }
    }

    /// The same with several threads.
    fn attempt_parallel(
        &mut self,
        position: &G,
        strict: bool,
        nodes: u64,
        threads: usize,
    ) -> Option<(bool, Option<G::Move>)> {
        let shared = SharedSearch::new(self.nodes);
        let attempt = |index: usize| {
            let mut member = Prover {
                shared: Some(&shared),
                tables: self.tables,
                ..Prover::new(self.table, self.known, self.limits.clone(), self.control)
            };
            member.progress = self.progress.filter(|_| index == 0);
            let answer = member.attempt(position, strict, nodes.div_ceil(threads as u64));
            if answer.is_some() {
                shared.finish();
            }
            (answer, member.nodes, member.evaluations, member.is_stopped)
        };
        let members: Vec<_> = std::thread::scope(|scope| {
            let spawn = |index| {
                let builder = std::thread::Builder::new().stack_size(STACK);
                builder.spawn_scoped(scope, move || attempt(index)).ok()
            };
            // If a thread cannot start, the others do its work.
            let others: Vec<_> = (1..threads).filter_map(spawn).collect();
            let first = attempt(0);
            others.into_iter().filter_map(|other| other.join().ok()).chain([first]).collect()
        });
        let mut answer = None;
        for (found, nodes, evaluations, is_stopped) in members {
            answer = answer.or(found);
            self.nodes += nodes;
            self.evaluations += evaluations;
            self.is_stopped |= is_stopped && !shared.is_finished();
        }
        answer
    }

    /// An attempt of one thread.
    fn attempt(&mut self, position: &G, strict: bool, nodes: u64) -> Option<(bool, Option<G::Move>)> {
        self.pause = self.nodes.saturating_add(nodes);
        if self.progress.is_some() {
            self.start = position.fen();
        }
        let (key, _) = self.numbers(position.side_to_move(), position.proof_leaf(), strict);
        let mut best = None;
        let thresholds = Numbers { proof: INFINITE, disproof: INFINITE };
        let numbers = self.expand(position, key, strict, thresholds, 0, &mut best);
        numbers.proven().map(|reached| (reached, best.filter(|_| reached)))
    }

    /// The key of a leaf with a player to move, and its initial numbers. Prefetches its table entry.
    fn numbers(&mut self, stm: Color, leaf: ProofLeaf, strict: bool) -> (u64, Numbers) {
        self.evaluations += 1;
        match leaf {
            ProofLeaf::Decided(winner) => (0, Numbers::decided(reached(stm, winner, strict))),
            ProofLeaf::Open { key, .. } if self.known.contains_key(&key) => {
                (key, Numbers::decided(reached(stm, self.known[&key].winner(stm), strict)))
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
    fn expand(
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
        // Not at the root, which needs a move.
        if ply > 0
            && let Some(winner) = self.table_winner(position)
        {
            let numbers = Numbers::decided(reached(position.side_to_move(), winner, strict));
            self.table.store(key, numbers, 1, None);
            return numbers;
        }
        let mut children = match self.children(position, strict) {
            Ok(children) => children,
            Err(mv) => {
                *best = Some(mv);
                let numbers = Numbers::decided(true);
                self.table.store(key, numbers, 1, Some(mv.to_bits()));
                return numbers;
            }
        };
        loop {
            if self.shared.is_some() {
                self.refresh(&mut children);
            }
            let numbers = combined::<G>(&children);
            let (first, second) = self.most_proving(&children);
            *best = first.map(|index| children[index].mv);
            if ply == 0 {
                self.root = numbers;
            }
            let is_enough = numbers.proof >= thresholds.proof
                || numbers.disproof >= thresholds.disproof
                || self.is_stopped
                || self.nodes >= self.pause;
            let (Some(first), false) = (first, is_enough) else {
                self.table.store(key, numbers, self.nodes - start, best.map(GameMove::to_bits));
                return numbers;
            };
            let Child { mv, key, numbers: own } = children[first];
            let others = proof_sum(&children).saturating_sub(own.proof);
            let slack = second.saturating_add(second / SLACK + 1);
            // Above its own numbers, so that the search moves on.
            let below = Numbers {
                proof: match thresholds.disproof {
                    INFINITE => INFINITE,
                    threshold => threshold.saturating_sub(others / G::PROOF_OVERLAP).max(own.proof + 1),
                },
                disproof: thresholds.proof.min(slack).max(own.disproof + 1),
            };
            // It may have been proven below another position meanwhile.
            let proven = self.table.probe(key).filter(|numbers| numbers.proven().is_some());
            children[first].numbers = proven.unwrap_or_else(|| {
                let child = position.after(mv);
                let _inside = self.shared.map(|shared| shared.mark_busy(key));
                self.line.push(mv.to_bits());
                let numbers = self.expand(&child, key, !strict, below, ply + 1, &mut None);
                self.line.pop();
                numbers
            });
            if children[first].numbers.proven() == Some(true) {
                children.swap_remove(first);
            }
        }
    }

    /// A move by which the side to move reaches its aim, if the table has kept one: without a search of the other
    /// moves. Positions that share a key may need different moves, so that the position after it has to be
    /// proven, too, for which the work of the first proof should suffice.
    pub(super) fn kept_move(&mut self, position: &G, strict: bool) -> Option<G::Move> {
        let leaf = position.proof_leaf();
        let ProofLeaf::Open { .. } = leaf else { return None };
        let (key, _) = self.numbers(position.side_to_move(), leaf, strict);
        let (mv, nodes) = self.table.proving_move(key)?;
        let mv = G::Move::from_bits(mv);
        if !position.is_legal(mv) {
            return None;
        }
        let child = position.after(mv);
        let refuted = match GameHistory::new().outcome(&child) {
            Some(outcome) => Some(reached(child.side_to_move(), outcome.winner, !strict)),
            None => {
                let (key, numbers) = self.numbers(child.side_to_move(), child.proof_leaf(), !strict);
                let known = numbers.proven().or_else(|| self.table.probe(key)?.proven());
                known.or_else(|| self.prove(&child, !strict, nodes).map(|(reached, _)| reached))
            }
        };
        (refuted == Some(false)).then_some(mv)
    }

    /// The winner by the endgame tables, or none in a draw; `None` where they do not have the position.
    pub(super) fn table_winner(&self, position: &G) -> Option<Option<Color>> {
        Some(self.tables?.probe(position)?.winner(position.side_to_move()))
    }

    /// Updates the children from the table. Those proven to reach their aim are dropped.
    fn refresh<M>(&self, children: &mut Vec<Child<M>>) {
        for child in children.iter_mut() {
            child.numbers = self.table.probe(child.key).unwrap_or(child.numbers);
        }
        children.retain(|child| child.numbers.proven() != Some(true));
    }

    /// The most proving child, the one with the smallest disproof number, and the disproof number of the next
    /// one. Virtual numbers count for children that other threads search.
    fn most_proving<M>(&self, children: &[Child<M>]) -> (Option<usize>, u64) {
        let (mut first, mut second) = (None, INFINITE);
        let mut least = (INFINITE, INFINITE);
        for (index, Child { key, numbers, .. }) in children.iter().enumerate() {
            let disproof = match self.shared {
                Some(shared) => shared.virtual_number(*key, numbers.disproof),
                None => numbers.disproof,
            };
            let work = (disproof, numbers.proof);
            if work < least {
                (first, second, least) = (Some(index), least.0, work);
            } else {
                second = second.min(work.0);
            }
        }
        (first, second)
    }

    /// The children that are open, each with its numbers.
    ///
    /// # Errors
    /// A move that reaches the aim, if there is one.
    fn children(&mut self, position: &G, strict: bool) -> Result<Vec<Child<G::Move>>, G::Move> {
        let mut children = Vec::with_capacity(64);
        let mut refutation = None;
        let _ = position.proof_children(&mut |mv, leaf| {
            let (key, numbers) = self.numbers(!position.side_to_move(), leaf, !strict);
            match numbers.proven() {
                Some(false) => {
                    refutation = Some(mv);
                    return ControlFlow::Break(());
                }
                Some(true) => {}
                None => children.push(Child { mv, key, numbers }),
            }
            ControlFlow::Continue(())
        });
        if let Some(mv) = refutation {
            return Err(mv);
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
        let most = self.limits.nodes;
        self.is_stopped |=
            ply >= MAX_PLIES || most.is_some_and(|most| self.shared.is_none() && self.nodes >= most);
        let (nodes, evaluations) = self.polled;
        if self.evaluations - evaluations < CLOCK_INTERVAL {
            return;
        }
        self.polled = (self.nodes, self.evaluations);
        let all = self.shared.map_or(self.nodes, |shared| shared.count(self.nodes - nodes));
        self.is_stopped |= self.is_over(all) || self.shared.is_some_and(SharedSearch::is_finished);
        if let Some(progress) = self.progress {
            progress.report(self.root, (&self.start, &self.line), all, self.table);
        }
    }

    /// Whether the stop flag or a limit ends the search after `all` nodes.
    fn is_over(&self, all: u64) -> bool {
        let Limits { nodes, movetime, start, .. } = &self.limits;
        self.control.is_stopped()
            || nodes.is_some_and(|most| all >= most)
            || movetime.is_some_and(|time| start.elapsed() >= time)
    }
}

/// Whether a player to move reaches its aim with this winner.
fn reached(stm: Color, winner: Option<Color>, strict: bool) -> bool {
    winner.map_or(!strict, |winner| winner == stm)
}

/// The numbers of a position, from those of its children: one child has to be disproven to prove it, all have
/// to be proven to disprove it.
fn combined<G: Solvable>(children: &[Child<G::Move>]) -> Numbers {
    let proof = children.iter().map(|child| child.numbers.disproof).min().unwrap_or(INFINITE);
    let largest = children.iter().map(|child| child.numbers.proof).max().unwrap_or(0);
    let others = proof_sum(children).saturating_sub(largest) / G::PROOF_OVERLAP;
    let disproof = largest.saturating_add(others);
    match (proof, disproof) {
        (0, _) => Numbers::decided(true),
        (_, 0) => Numbers::decided(false),
        _ => Numbers { proof, disproof: disproof.min(INFINITE) }.clamped_open(),
    }
}

/// The sum of the proof numbers. With some sixty almost infinite numbers it would overflow.
fn proof_sum<M>(children: &[Child<M>]) -> u64 {
    children.iter().fold(0, |sum: u64, child| sum.saturating_add(child.numbers.proof))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Memory;
    use labrys_core::game::Game;
    use labrys_core::game::amazons::{Amazons, AmazonsMove};
    use labrys_core::game::chess::Chess;

    fn children<G: Solvable>(numbers: impl IntoIterator<Item = Numbers>) -> Vec<Child<G::Move>> {
        let moves = G::start().moves();
        let child = |(key, numbers)| Child { mv: moves[0], key, numbers };
        (1..).zip(numbers).map(child).collect()
    }

    #[test]
    fn the_table_keeps_a_move_that_proves() {
        let memory = Memory::new(1).unwrap();
        let (table, known, control) = (memory.table(), HashMap::new(), Control::default());
        let mut prover = Prover::new(table, &known, Limits::none(), &control);
        let position = Amazons::from_fen("1q1q1/q3q/Q3Q/1Q1Q1 w").unwrap();
        assert_eq!(prover.kept_move(&position, true), None);
        let (_, mv) = prover.prove(&position, true, u64::MAX).unwrap();
        let nodes = prover.nodes;
        assert_eq!(prover.kept_move(&position, true), mv);
        assert_eq!(prover.nodes, nodes);

        // A move of another position with the same key: illegal, or not yet known to win.
        let ProofLeaf::Open { key, .. } = position.proof_leaf() else { unreachable!() };
        let moves = position.moves();
        let loses =
            |mv: &&AmazonsMove| matches!(prover.prove(&position.after(**mv), true, 1_000), Some((true, _)));
        let losing = moves.iter().find(loses).unwrap().to_bits();
        for wrong in [0, losing] {
            table.store(key, Numbers::decided(true), 1, Some(wrong));
            assert_eq!(prover.kept_move(&position, true), None);
        }
    }

    #[test]
    fn sums_of_almost_infinite_numbers_stay_open() {
        let huge = Numbers { proof: INFINITE - 1, disproof: INFINITE - 1 };
        for count in [1, 2, 63, 64, 65, 200, 5_000] {
            let numbers = combined::<Chess>(&children::<Chess>(vec![huge; count]));
            assert_eq!(numbers, huge, "{count}");
            assert_eq!(combined::<Amazons>(&children::<Amazons>(vec![huge; count])), huge, "{count}");
        }
    }
}
