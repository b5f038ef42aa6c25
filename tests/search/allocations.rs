//! Allocations of searches after their start.

use allocation_counter::measure;
use labrys::engine::Playable;
use labrys::eval::Linear;
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Game, GameHistory};
use labrys::search::{
    Control, Expansion, Heuristics, Limits, MctsOptions, Options, Report, SearchInput, SearchMode,
    TranspositionTable, Tree, monte_carlo, search,
};

/// Allocations and simulations of a search.
fn cost<G: Playable>(options: &Options, nodes: u64) -> (u64, u32) {
    let (position, history) = (&G::start(), &GameHistory::new());
    let evaluator = &Linear::shipped(0).unwrap();
    let limits = &Limits::nodes(nodes);
    let input = SearchInput::new(position, history, evaluator, options, limits);
    let mut simulations = 0;
    let mut listener = |report: Report<_>| simulations = report.visits.map_or(0, |visits| visits.simulations);
    let mut tree = Tree::new(1 << 20);
    let cost = measure(|| {
        monte_carlo(&input, &mut tree, 1, None, &Control::default(), &mut listener);
    });
    (cost.count_total, simulations)
}

/// Ten times as many simulations allocate hardly more: only for a few reports.
fn check<G: Playable>(mcts: MctsOptions, nodes: u64) {
    let options = Options { mcts: mcts.clone(), ..Options::default() };
    let (few, few_simulations) = cost::<G>(&options, nodes);
    let (many, many_simulations) = cost::<G>(&options, 10 * nodes);
    assert!(
        many_simulations > few_simulations + 500,
        "{} {mcts:?}: {few_simulations} and {many_simulations} simulations",
        G::info().name
    );
    assert!(many < few + 250, "{} {mcts:?}: {few} and {many} allocations", G::info().name);
}

#[test]
fn simulations_allocate_nothing() {
    let cut =
        MctsOptions { playout_plies: Some(2), expansion: Some(Expansion::All), ..MctsOptions::default() };
    let one = MctsOptions { expansion: Some(Expansion::One), ..MctsOptions::default() };
    check::<Neighbours>(MctsOptions::default(), 200_000);
    check::<Neighbours>(cut.clone(), 20_000);
    check::<Neighbours>(one.clone(), 200_000);
    check::<Chess>(MctsOptions::default(), 300_000);
    check::<Chess>(cut.clone(), 20_000);
    check::<TucChess>(MctsOptions::default(), 200_000);
    check::<TucChess>(one, 200_000);
    check::<TucChess>(cut, 20_000);
    check::<Amazons>(MctsOptions::default(), 300_000);
}

#[test]
fn chance_plies_cost_nothing_without_chance() {
    let (position, history) = (&Chess::start(), &GameHistory::new());
    let (evaluator, limits) = (&Linear::shipped(0).unwrap(), &Limits::depth(5));
    let allocations = |chance_plies| {
        let options = &Options { chance_plies, ..Options::default() };
        let input = SearchInput::new(position, history, evaluator, options, limits);
        let (table, mut heuristics) = (TranspositionTable::new(1).unwrap(), [Heuristics::new()]);
        let cost = measure(|| {
            let control = Control::default();
            search(&input, SearchMode::Pvs, &table, &mut heuristics, &control, &mut |_: Report<_>| {});
        });
        cost.count_total
    };
    // The first search allocates the tables that all searches share.
    allocations(0);
    assert_eq!(allocations(64), allocations(0));
}
