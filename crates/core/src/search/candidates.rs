//! α-β combined with Monte Carlo, the teacher "McMp" of the Amazons thesis: simulations choose the root moves
//! that a search by depth searches.

use super::deepening;
use super::input::SearchInput;
use super::limits::{Control, Limits, TimeManager};
use super::mcts::{Tree, monte_carlo};
use super::options::{MctsOptions, Options, SearchMode};
use super::ordering::Heuristics;
use super::report::{Listener, Progress, Report, RootStatistics, SearchResult};
use super::table::TranspositionTable;
use crate::eval::Evaluator;
use crate::game::Knowledge;

/// Simulations take at most one part in this many of the nodes and of the time of a search.
const SHARE: u32 = 4;

/// The size of their tree, in bytes.
const TREE_SIZE: usize = 64 << 20;

/// Searches for the best move with the search `mode` until a limit or `control` ends it, and reports to
/// `listener`: among all moves or, where [`Options::candidates`] is set, among those that simulations have
/// visited most. If these lose by force, all moves are searched.
///
/// It runs on as many threads as there are `heuristics`, at least one, each with its own. Threads share the
/// table (lazy SMP), defer moves that another one is searching, and take the result of the root, within each
/// of its windows, from the first one that has it. With one thread, the same input, mode, table and
/// heuristics, and without limits in time, the result is the same to the node.
pub fn search<G: Knowledge, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    mode: SearchMode,
    table: &TranspositionTable,
    heuristics: &mut [Heuristics<G>],
    control: &Control,
    listener: &mut dyn Listener<G::Move>,
) -> SearchResult<G::Move> {
    let count = input.options.candidates;
    if count == 0 || input.moves().len() <= count {
        return deepening::search(input, mode, table, heuristics, control, listener);
    }
    let (candidates, nodes) = candidates(input, heuristics.len(), control, listener);
    let mut part = Part { listener, nodes, hides_losses: true, is_lost: false };
    let mut deepen = |root_moves, part: &mut Part<G::Move>| {
        let left = |limit: u64| limit.saturating_sub(part.nodes).max(1);
        let (nodes, ends_when_lost) = (input.limits.nodes.map(left), part.hides_losses);
        let limits = &Limits { nodes, ends_when_lost, ..input.limits.clone() };
        let input = &SearchInput { root_moves, limits, ..*input };
        let result = deepening::search(input, mode, table, heuristics, control, part);
        part.nodes += result.nodes;
        SearchResult { nodes: part.nodes, ..result }
    };
    if !candidates.is_empty() {
        let result = deepen(Some(&candidates), &mut part);
        if !part.is_lost {
            return result;
        }
    }
    part.hides_losses = false;
    deepen(input.root_moves, &mut part)
}

/// The root moves that simulations have visited most, the most visited first, and the nodes of these
/// simulations.
fn candidates<G: Knowledge, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    threads: usize,
    control: &Control,
    listener: &mut dyn Listener<G::Move>,
) -> (Vec<G::Move>, u64) {
    let Options { candidates, candidate_simulations: simulations, mcts, .. } = input.options;
    let mcts = MctsOptions { simulations: *simulations, keep_tree: false, temperature: 0, ..mcts.clone() };
    let options = &Options { mcts, ..input.options.clone() };
    let time = TimeManager::new(input.limits, input.position.side_to_move());
    let limits = &Limits {
        start: input.limits.start,
        nodes: input.limits.nodes.map(|nodes| nodes / u64::from(SHARE)),
        movetime: time.soft.or(time.hard).map(|time| time / SHARE),
        ..Limits::none()
    };
    let mut visited = Visited { moves: Vec::new(), listener };
    let input = &SearchInput { options, limits, ..*input };
    let nodes = monte_carlo(input, &mut Tree::new(TREE_SIZE), threads, None, control, &mut visited).nodes;
    let Visited { mut moves, .. } = visited;
    moves.sort_by_key(|&(_, visits)| std::cmp::Reverse(visits));
    (moves.into_iter().take(*candidates).map(|(mv, _)| mv).collect(), nodes)
}

/// The root moves of simulations with their visits.
struct Visited<'a, M> {
    moves: Vec<(M, u32)>,
    /// Gets their progress.
    listener: &'a mut dyn Listener<M>,
}

impl<M: Copy> Listener<M> for Visited<'_, M> {
    fn report(&mut self, _: Report<M>) {}

    fn root(&mut self, root: &RootStatistics<M>) {
        self.moves = root.moves.iter().map(|entry| (entry.mv, entry.visits)).collect();
    }

    fn progress(&mut self, progress: &Progress) {
        self.listener.progress(progress);
    }
}

/// A part of a search, whose reports go to the listener of the whole.
struct Part<'a, M> {
    listener: &'a mut dyn Listener<M>,
    /// The nodes of earlier parts.
    nodes: u64,
    /// Whether a forced loss is none of the position, as other moves are left out.
    hides_losses: bool,
    /// Whether the best line of such a part loses by force.
    is_lost: bool,
}

impl<M> Listener<M> for Part<'_, M> {
    fn report(&mut self, report: Report<M>) {
        self.is_lost |= self.hides_losses && report.score.is_loss() && report.multipv == 1;
        if !(self.hides_losses && self.is_lost) {
            self.listener.report(Report { nodes: report.nodes + self.nodes, ..report });
        }
    }

    fn root_move(&mut self, depth: u32, mv: M, number: usize, progress: &Progress) {
        let nodes = progress.nodes + self.nodes;
        self.listener.root_move(depth, mv, number, &Progress { nodes, ..*progress });
    }

    fn progress(&mut self, progress: &Progress) {
        self.listener.progress(&Progress { nodes: progress.nodes + self.nodes, ..*progress });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Linear;
    use crate::game::amazons::Amazons;
    use crate::game::chess::Chess;
    use crate::game::{Game, GameHistory, GameMove};

    /// The options of a search among `candidates` moves that `simulations` choose.
    fn options(candidates: usize, simulations: u32) -> Options {
        Options { candidates, candidate_simulations: simulations, ..Options::default() }
    }

    /// The result of a search, and its reports.
    fn answer<G: Knowledge>(
        position: &G,
        options: &Options,
        limits: &Limits,
    ) -> (SearchResult<G::Move>, Vec<Report<G::Move>>) {
        let (history, evaluator) = (&GameHistory::new(), &Linear::shipped(0).unwrap());
        let input = &SearchInput::new(position, history, evaluator, options, limits);
        let table = &TranspositionTable::new(1).unwrap();
        let mut reports = Vec::new();
        let mut listener = |report: Report<G::Move>| reports.push(report);
        let (mode, control) = (SearchMode::Pvs, &Control::default());
        let result = search(input, mode, table, &mut [Heuristics::new()], control, &mut listener);
        (result, reports)
    }

    #[test]
    fn only_candidates_are_searched() {
        let (result, reports) = answer(&Amazons::start(), &options(3, 200), &Limits::nodes(20_000));
        let mut moves: Vec<_> = reports.iter().map(|report| report.pv[0].to_bits()).collect();
        assert!(moves.contains(&result.mv.unwrap().to_bits()));
        moves.sort_unstable();
        moves.dedup();
        assert!(moves.len() <= 3, "{moves:?}");
        assert!(reports.is_sorted_by_key(|report| report.nodes));
        // The nodes of the simulations count.
        assert!(reports[0].nodes > 200 && result.nodes <= 20_100, "{} {}", reports[0].nodes, result.nodes);
    }

    #[test]
    fn a_loss_of_the_candidates_is_no_loss_of_the_position() {
        // White is mated on the first rank unless the king gets air.
        let position = &Chess::from_fen("4r1k1/5ppp/8/8/8/8/PPP2PPP/6K1 w - - 0 1").unwrap();
        let (limits, evaluator) = (&Limits::depth(3), &Linear::shipped(0).unwrap());
        let is_loss = |report: &Report<_>| report.score.is_loss();
        let mut lost = 0;
        for simulations in 1..20 {
            let options = &options(1, simulations);
            let history = &GameHistory::new();
            let input = &SearchInput::new(position, history, evaluator, options, limits);
            let (chosen, _) = candidates(input, 1, &Control::default(), &mut |_: Report<_>| {});
            let table = &TranspositionTable::new(1).unwrap();
            let input = &SearchInput { root_moves: Some(&chosen), ..*input };
            let mut last = false;
            let mut note = |report: Report<_>| last = is_loss(&report);
            let (mode, control) = (SearchMode::Pvs, &Control::default());
            deepening::search(input, mode, table, &mut [Heuristics::new()], control, &mut note);
            lost += usize::from(last);
            let (result, reports) = answer(position, options, limits);
            assert!(result.mv.is_some() && !reports.iter().any(is_loss), "{simulations} simulations");
        }
        assert!(lost > 0, "no candidate has lost");
    }

    #[test]
    fn the_search_of_all_moves_has_what_lost_candidates_leave() {
        // The only move that does not lose takes the queen.
        let position = &Chess::from_fen("8/8/8/4q3/4K3/8/8/k7 w - - 0 1").unwrap();
        for simulations in 1..5 {
            let (result, reports) = answer(position, &options(1, simulations), &Limits::nodes(200_000));
            assert_eq!(position.move_text(result.mv.unwrap()), "e4e5");
            let last = reports.last().unwrap();
            assert!(last.score == crate::eval::Score::DRAW && last.depth > 10, "{simulations}: {last:?}");
        }
    }
}
