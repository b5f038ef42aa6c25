//! Monte Carlo tree search: UCT (L. Kocsis and C. Szepesvári, 2006) or PUCT, with playouts or with
//! evaluation.
//!
//! A simulation selects its way down the tree, expands a leaf, plays out the game (rollout), and backs up the
//! result. Playouts go to the end of the game, or end after some plies, where the static evaluation gives the
//! expected result (J. Kloetzer, H. Iida and B. Bouzy, "The Monte-Carlo approach in Amazons", 2007). Proven
//! results are backed up, too (M. Winands, Y. Björnsson and J.-T. Saito, "Monte-Carlo tree search solver",
//! 2008).
//!
//! Chance is sampled anew in each simulation, and nodes do not distinguish outcomes (open loop). The tree has
//! as much memory as the transposition table; when that is used up, leaves are not expanded any more. Threads
//! share the tree, which is locked on the way down and on the way up, not during playouts and evaluations. A
//! thread can collect a batch of leaves, by virtual loss, that are evaluated together.
//!
//! - `tree`: nodes, selection, proofs; `simulation`: simulations and playouts;
//! - `gumbel`: the root by Gumbel noise and sequential halving;
//! - `leaves`: priors and values, by the static evaluation or a net; `noise`: noise and temperature.

mod gumbel;
mod leaves;
mod noise;
mod simulation;
mod tree;

use gumbel::{Gumbel, SearchTree};
pub use leaves::{Leaf, LeafEvaluator, NetLeaves, StaticLeaves};
use noise::sample_child;
use simulation::{SharedTree, Simulator};
pub use tree::Tree;
use tree::{Proof, Ranking};

use super::input::SearchInput;
use super::limits::{Control, Deadline, GRACE, ProgressTimer, TimeManager};
use super::options::{Expansion, Selection};
use super::report::{Listener, Progress, Report, RootMoveStatistics, RootStatistics, SearchResult, Visits};
use super::threads::with_helpers;
use super::window::Bound;
use crate::eval::{Evaluator, MAX_PLY, Score};
use crate::game::{Game, Knowledge, Scale};
use crate::sync::Mutex;

/// Searches for the best move until a limit or `control` ends the search, or until the result is proven.
/// Nodes are positions of the tree and of playouts; the depth is the length of the principal variation.
/// Priors and values of PUCT come from `leaf_evaluator`, from the static evaluation where there is none.
///
/// With the same arguments, the same tree, one thread and without limits in time, the result is the same to
/// the node.
pub fn monte_carlo<G: Knowledge, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    tree: &mut Tree<G>,
    threads: usize,
    leaf_evaluator: Option<&dyn LeafEvaluator<G>>,
    control: &Control,
    listener: &mut dyn Listener<G::Move>,
) -> SearchResult<G::Move> {
    let moves = input.moves();
    let Some(&any) = moves.first() else { return SearchResult::none() };
    let mcts = &input.options.mcts;
    let default = StaticLeaves(input.evaluator);
    let leaf_evaluator = leaf_evaluator.unwrap_or(&default);
    let time = TimeManager::new(input.limits, input.position.side_to_move());
    let enough = time.soft.into_iter().chain(time.hard).min();
    let plays_at_once = || moves.len() == 1 && time.is_on_clock() && !control.is_pondering();
    let time = TimeManager { soft: None, hard: enough };
    let deadline = &Deadline::new(control, input.limits.start, time);
    let all = input.root_moves.is_none() && !input.options.msd.is_on();
    let mut poller = deadline.poller();
    tree.begin(input.position, input.history, any, mcts.keep_tree && all, &mut || poller.is_over());
    let mut simulator = Simulator::new(input, leaf_evaluator, 0, deadline);
    if !tree.has_children(0) {
        simulator.expand_root(tree, &moves, all);
    }
    simulator.add_root_noise(tree);
    let gumbel = mcts.is_by_gumbel().then(|| Gumbel::new(input, tree, simulator.value_of_root(&moves)));
    let tree = Mutex::new(SearchTree { tree, gumbel });
    let shared = &SharedTree { tree, deadline };
    let helpers = (1..threads as u64).map(|number| {
        move |is_ready: &dyn Fn()| {
            let mut simulator = Simulator::new(input, leaf_evaluator, number, deadline);
            is_ready();
            while !deadline.is_over() && !simulator.is_spent(shared) {
                simulator.simulate(shared, usize::MAX, &mut || ());
            }
        }
    });
    with_helpers(helpers, deadline, || {
        run(input, &mut simulator, shared, &moves, &plays_at_once, listener);
        deadline.end();
    });
    // The helpers have ended: this is what the answer rests on.
    report(input, &simulator, shared, &moves, listener);
    let best = answer(input, shared, &moves, listener);
    listener.root(&root_statistics(&shared.lock(), best.mv));
    // The time until all threads have ended.
    deadline.poll();
    best
}

/// Runs simulations until there is a reason to stop, and reports.
fn run<G: Knowledge, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    simulator: &mut Simulator<G, E>,
    shared: &SharedTree<G>,
    moves: &[G::Move],
    plays_at_once: &dyn Fn() -> bool,
    listener: &mut dyn Listener<G::Move>,
) {
    let most = match input.options.mcts.simulations {
        0 => u64::MAX,
        most => u64::from(most),
    };
    let (mut simulations, mut next_report) = (0, 1);
    let mut progress_timer = ProgressTimer::new();
    while !shared.deadline.is_over() && shared.lock().tree.root().proof == Proof::Open {
        let before = simulations;
        let phase = shared.lock().gumbel.as_ref().map_or(u64::MAX, Gumbel::left_in_phase);
        let left = most.saturating_sub(simulations).min(phase);
        let mut tick = || {
            if progress_timer.is_due() {
                let (nodes, time) = (shared.deadline.nodes(), input.limits.start.elapsed());
                let hashfull = shared.lock().tree.fullness();
                listener.progress(&Progress { nodes, time, hashfull, tbhits: None });
            }
        };
        simulations += simulator.simulate(shared, usize::try_from(left).unwrap_or(usize::MAX), &mut tick);
        if shared.deadline.is_over() {
            break;
        }
        if let SearchTree { tree, gumbel: Some(gumbel) } = &mut *shared.lock() {
            gumbel.spend(tree, simulations - before);
        }
        let mut deep_enough = false;
        if simulations >= next_report {
            while next_report <= simulations {
                next_report *= 2;
            }
            report(input, simulator, shared, moves, listener);
            progress_timer.restart();
            deep_enough =
                input.limits.depth.is_some_and(|depth| is_deep(input, &shared.lock(), depth as usize));
        }
        let nodes = shared.deadline.nodes();
        if deep_enough
            || plays_at_once()
            || simulations >= most
            || input.limits.nodes.is_some_and(|limit| nodes >= limit)
            || shared.lock().tree.root().visits == u32::MAX
        {
            break;
        }
    }
}

/// Whether the best line has so many plies, or cannot get them: it ends the game, or the tree is full.
fn is_deep<G: Knowledge, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    searched: &SearchTree<G>,
    plies: usize,
) -> bool {
    let line = best_pv(input, searched);
    let (mut position, mut history) = (input.position.clone(), input.history.clone());
    let root = history.past().len();
    for &mv in &line {
        history.push(&position);
        position.play(mv);
    }
    let is_end = || history.outcome(&position).is_some() || history.is_repetition(&position, root);
    line.len() >= plies || !line.is_empty() && is_end() || searched.tree.room() < G::MAX_MOVES
}

/// The moves that are not proven to lose, where the best one is: a proof about some moves is none about the
/// position.
fn open_moves<G: Knowledge, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    searched: &SearchTree<G>,
    moves: &[G::Move],
) -> Option<Vec<G::Move>> {
    let is_lost = |child: usize| matches!(searched.tree.node(child).proof, Proof::Lost(_));
    let ranked = searched.ranked(Ranking::of::<G>(&input.options.mcts));
    ranked.first().filter(|&&best| is_lost(best))?;
    let lost: Vec<_> = searched.tree.children(0).filter(|&child| is_lost(child)).collect();
    let is_open = |mv: &G::Move| lost.iter().all(|&child| searched.tree.node(child).mv != *mv);
    let open: Vec<_> = moves.iter().copied().filter(is_open).collect();
    (!open.is_empty()).then_some(open)
}

/// The result of a search that is over.
fn answer<G: Knowledge, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    shared: &SharedTree<G>,
    moves: &[G::Move],
    listener: &mut dyn Listener<G::Move>,
) -> SearchResult<G::Move> {
    let nodes = shared.deadline.nodes();
    let searched = shared.lock();
    let open = open_moves(input, &searched, moves);
    let is_unknown = open.is_some() || has_too_few_simulations(input, &searched);
    let moves = open.as_deref().unwrap_or(moves);
    if is_unknown
        && let Some((mv, score)) = input.best_by_static_eval(moves, &mut shared.deadline.grace(GRACE))
    {
        let (time, visits) = (input.limits.start.elapsed(), None);
        let nodes = nodes + moves.len() as u64;
        let (depth, seldepth, multipv, bound, hashfull) = (1, 1, 1, Bound::Exact, 0);
        let (tbhits, pv) = (None, vec![mv]);
        listener.report(Report {
            depth,
            seldepth,
            multipv,
            score,
            bound,
            nodes,
            time,
            hashfull,
            tbhits,
            visits,
            pv,
        });
        return SearchResult { mv: Some(mv), ponder: None, nodes };
    }
    let drawn =
        sample_child(input, searched.tree).map(|child| searched.tree.line(child, Ranking::by_visits()));
    let pv = drawn.unwrap_or_else(|| best_pv(input, &searched));
    SearchResult { mv: pv.first().copied(), ponder: pv.get(1).copied(), nodes }
}

/// Whether there are too few simulations for a best move by visits: none, or fewer than moves if neither
/// priors nor evaluations guide the first ones.
fn has_too_few_simulations<G: Knowledge, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    searched: &SearchTree<G>,
) -> bool {
    let (mcts, tree) = (&input.options.mcts, &searched.tree);
    let ranked = tree.ranked(0, Ranking::of::<G>(mcts));
    let Some(&best) = ranked.first() else { return true };
    let is_led = mcts.selection == Selection::Puct || mcts.expansion::<G>() == Expansion::Evaluated;
    let is_proven = matches!(tree.node(best).proof, Proof::Won(_));
    !is_led && !is_proven && ranked.len() < tree.children(0).count()
}

/// The line of the best moves.
fn best_pv<G: Knowledge, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    searched: &SearchTree<G>,
) -> Vec<G::Move> {
    let by = Ranking::of::<G>(&input.options.mcts);
    searched.ranked(by).first().map_or_else(Vec::new, |&best| searched.tree.line(best, by))
}

/// Reports the best moves, but not that all lose while others are open.
fn report<G: Knowledge, E: Evaluator<G>>(
    input: &SearchInput<G, E>,
    simulator: &Simulator<G, E>,
    shared: &SharedTree<G>,
    moves: &[G::Move],
    listener: &mut dyn Listener<G::Move>,
) {
    let searched = shared.lock();
    if open_moves(input, &searched, moves).is_some() {
        return;
    }
    let (tree, by) = (&searched.tree, Ranking::of::<G>(&input.options.mcts));
    for (child, number) in searched.ranked(by).into_iter().take(input.options.multi_pv).zip(1..) {
        let pv = tree.line(child, by);
        let node = tree.node(child);
        let score = match node.proof {
            // A unit of the evaluation is taken as 100 Elo.
            Proof::Open => Score::from_win_rate(node.mean(), Scale::UNMEASURED.wdl),
            Proof::Drawn => Score::DRAW,
            Proof::Won(plies) => Score::mate_in((usize::from(plies) + 1).min(MAX_PLY)),
            Proof::Lost(plies) => Score::mated_in((usize::from(plies) + 1).min(MAX_PLY)),
        };
        listener.report(Report {
            depth: pv.len() as u32,
            // The line may end with a move that no simulation has reached.
            seldepth: simulator.seldepth.max(pv.len()) as u32,
            multipv: number,
            score,
            bound: Bound::Exact,
            nodes: shared.deadline.nodes(),
            time: input.limits.start.elapsed(),
            hashfull: tree.fullness(),
            tbhits: None,
            visits: Some(Visits { count: node.visits, simulations: tree.root().visits, mean: node.mean() }),
            pv,
        });
    }
}

/// The statistics of the root of a search that plays `best`.
fn root_statistics<G: Game>(searched: &SearchTree<G>, best: Option<G::Move>) -> RootStatistics<G::Move> {
    let SearchTree { tree, gumbel } = searched;
    let visits: Vec<_> = tree.children(0).map(|child| tree.node(child).visits).collect();
    let all: f64 = visits.iter().copied().map(f64::from).sum();
    let policy = match gumbel {
        Some(gumbel) => gumbel.policy(tree),
        None => visits.iter().map(|&visits| f64::from(visits) / all).collect(),
    };
    let statistics = tree
        .children(0)
        .zip(visits)
        .zip(policy)
        .map(|((child, visits), policy)| RootMoveStatistics { mv: tree.node(child).mv, visits, policy });
    let moves = match all > 0.0 {
        true => statistics.collect(),
        false => best.into_iter().map(|mv| RootMoveStatistics { mv, visits: 0, policy: 1.0 }).collect(),
    };
    RootStatistics { moves, value: 1.0 - tree.root().mean() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Linear;
    use crate::game::amazons::Amazons;
    use crate::game::neighbours::Neighbours;
    use crate::game::{Game, GameHistory};
    use crate::search::{Limits, MctsOptions, Options, RootSelection};

    #[test]
    fn noise_of_an_earlier_search_does_not_stay() {
        let (position, history) = (&Neighbours::start(), &GameHistory::new());
        let moves = position.moves();
        let mut tree: Tree<Neighbours> = Tree::new(1 << 16);
        let priors = |tree: &Tree<Neighbours>| {
            tree.children(0).map(|child| tree.node(child).prior).collect::<Vec<_>>()
        };
        tree.begin(position, history, moves[0], true, &mut || false);
        tree.add(0, moves.iter().map(|&mv| super::tree::Node::new(mv, 0.25, 1, 0.5)));
        let quiet = priors(&tree);
        tree.add_root_noise(|priors| priors.fill(0.5));
        assert_ne!(priors(&tree), quiet);
        tree.begin(position, history, moves[0], true, &mut || false);
        assert_eq!(priors(&tree), quiet);
    }

    #[test]
    fn a_tree_of_candidate_moves_is_kept() {
        let (position, history) = (&Amazons::start(), &GameHistory::new());
        let evaluator = &Linear::shipped(0).unwrap();
        let mcts = MctsOptions { expansion: Some(Expansion::Evaluated), ..MctsOptions::default() };
        let options = &Options { mcts, ..Options::default() };
        let mut tree = Tree::new(1 << 22);
        let mut search = |root_moves: Option<&[_]>| {
            let limits = &Limits::nodes(20_000);
            let mut input = SearchInput::new(position, history, evaluator, options, limits);
            input.root_moves = root_moves;
            monte_carlo(&input, &mut tree, 1, None, &Control::default(), &mut |_: Report<_>| {});
            tree.root().visits
        };
        let first = search(None);
        assert!(search(None) > first, "the second search goes on");
        // Not if the caller has chosen the moves.
        let chosen = search(Some(&position.moves()[..5]));
        assert!(chosen <= 2 * first && search(None) <= 2 * first);
    }

    #[test]
    fn all_simulations_are_backed_up() {
        let (position, history) = (&Neighbours::start(), &GameHistory::new());
        let evaluator = &Linear::shipped(0).unwrap();
        let limits = &Limits::nodes(200_000);
        for (expansion, batch, selection) in [
            (Expansion::All, 1, Selection::Uct),
            (Expansion::One, 1, Selection::Uct),
            (Expansion::All, 4, Selection::Uct),
            (Expansion::All, 4, Selection::Puct),
        ] {
            let root_selection = RootSelection::Gumbel;
            let expansion = Some(expansion);
            let mcts = MctsOptions { expansion, batch, selection, root_selection, ..MctsOptions::default() };
            let options = &Options { mcts, ..Options::default() };
            let input = SearchInput::new(position, history, evaluator, options, limits);
            let mut tree = Tree::new(1 << 20);
            for _ in 0..2 {
                // The second search reuses the tree of the first.
                monte_carlo(&input, &mut tree, 3, None, &Control::default(), &mut |_: Report<_>| {});
                assert_eq!(tree.excess(), 0, "{expansion:?}");
                let mut nodes = vec![0];
                while let Some(node) = nodes.pop() {
                    nodes.extend(tree.children(node));
                    assert!(tree.is_settled(node), "{expansion:?}");
                    let below: u32 = tree.children(node).map(|child| tree.node(child).visits).sum();
                    assert!(below <= tree.node(node).visits);
                    // Only the first visits, one of each thread's batch at most, and those without memory end
                    // here.
                    let ended = tree.node(node).visits - below;
                    assert!(
                        ended <= 3 * batch as u32 || tree.room() < 64 || !tree.has_children(node),
                        "{expansion:?} {selection:?} {ended}"
                    );
                }
            }
        }
    }
}

/// The tree of two threads in all orders of their steps, see `make loom`.
#[cfg(all(test, loom))]
mod orders {
    use loom::thread;

    use super::*;
    use crate::clock::Instant;
    use crate::eval::Linear;
    use crate::game::neighbours::Neighbours;
    use crate::game::{GameHistory, GameMove};
    use crate::search::{Limits, MctsOptions, Options};
    use crate::sync::in_all_orders;

    type Input = SearchInput<'static, Neighbours, Linear<Neighbours>>;

    /// Simulations of each thread.
    const SIMULATIONS: u32 = 2;

    /// The input of a search. It lives on: threads of loom borrow nothing.
    fn input(selection: Selection) -> &'static Input {
        let mcts = MctsOptions {
            expansion: Some(Expansion::All),
            selection,
            playout_plies: Some(0),
            ..MctsOptions::default()
        };
        let options = Box::leak(Box::new(Options { mcts, ..Options::default() }));
        let (position, history) = (Neighbours::start(), GameHistory::new());
        let (position, history) = (Box::leak(Box::new(position)), Box::leak(Box::new(history)));
        let evaluator = Box::leak(Box::new(Linear::shipped(0).unwrap()));
        Box::leak(Box::new(SearchInput::new(
            position,
            history,
            evaluator,
            options,
            Box::leak(Box::new(Limits::none())),
        )))
    }

    /// Two threads simulate below a single move, so that they meet; `stop` ends them at any time.
    fn simulate(input: &'static Input, stop: bool) {
        let control: &Control = Box::leak(Box::default());
        let deadline: &Deadline =
            Box::leak(Box::new(Deadline::new(control, Instant::now(), TimeManager::default())));
        let leaves: &StaticLeaves<_> = Box::leak(Box::new(StaticLeaves(input.evaluator)));
        let moves = input.moves();
        let tree = Box::leak(Box::new(Tree::new(1 << 14)));
        tree.begin(input.position, input.history, moves[0], false, &mut || false);
        Simulator::new(input, leaves, 0, deadline).expand_root(tree, &moves[..1], false);
        let tree = Mutex::new(SearchTree { tree, gumbel: None });
        let shared: &SharedTree<Neighbours> = Box::leak(Box::new(SharedTree { tree, deadline }));
        let work = move |number| {
            let mut simulator = Simulator::new(input, leaves, number, deadline);
            (0..SIMULATIONS).map(|_| simulator.simulate(shared, 1, &mut || ()) as u32).sum::<u32>()
        };
        let other = thread::spawn(move || work(1));
        if stop {
            control.stop();
        }
        let finished = work(0) + other.join().unwrap();
        assert!(stop || finished == 2 * SIMULATIONS);

        let tree = &*shared.lock().tree;
        assert_eq!(tree.root().visits, finished, "each simulation is backed up once");
        let mut nodes = vec![0];
        while let Some(node) = nodes.pop() {
            let children: Vec<_> = tree.children(node).collect();
            assert!(tree.is_settled(node), "no virtual loss is left");
            let mut moves: Vec<_> = children.iter().map(|&child| tree.node(child).mv.to_bits()).collect();
            moves.sort_unstable();
            moves.dedup();
            assert_eq!(moves.len(), children.len(), "no node is expanded twice");
            assert!(
                children.iter().map(|&child| tree.node(child).visits).sum::<u32>() <= tree.node(node).visits
            );
            nodes.extend(children);
        }
    }

    #[test]
    fn all_simulations_are_backed_up_once_and_no_node_is_expanded_twice() {
        for selection in [Selection::Puct, Selection::Uct] {
            let input = input(selection);
            in_all_orders(2, move || simulate(input, false));
        }
    }

    #[test]
    fn simulations_that_are_stopped_leave_no_trace() {
        let input = input(Selection::Puct);
        in_all_orders(2, move || simulate(input, true));
    }
}
