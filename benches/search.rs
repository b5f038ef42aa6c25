//! Speed of the evaluation and of the search.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use labrys::engine::Playable;
use labrys::eval::{Evaluator, Linear};
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::{Game, GameHistory, Knowledge, MsdTerms};
use labrys::search::{
    Control, Expansion, Heuristics, Limits, MctsOptions, Options, Report, SearchInput, SearchMode,
    TranspositionTable, Tree, monte_carlo, search,
};

/// A position of the middle game of chess.
const MIDDLE_OF_CHESS: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

/// A position of the middle game of Neighbours.
const MIDDLE: &str = "pp2p2p/2p2p2/8/1p6/2P3P1/4P2p/P1P5/3P1PP1 b 27 14";

/// A position of the middle game of Amazons.
const MIDDLE_OF_AMAZONS: &str =
    "*3*2*2/2*4q1*/2*1***3/*2q1**3/*1*1*q3*/1Qq**Q*3/1*3***2/*1*Q**1*1*/1*2**1*1*/2*5*Q w - - 36 19";

fn evaluation(criterion: &mut Criterion) {
    evaluate_all_sets(criterion, &Chess::from_fen(MIDDLE_OF_CHESS).unwrap());
    evaluate_all_sets(criterion, &Neighbours::from_fen(MIDDLE).unwrap());
    evaluate_all_sets(criterion, &Amazons::from_fen(MIDDLE_OF_AMAZONS).unwrap());
}

fn evaluate_all_sets<G: Knowledge>(criterion: &mut Criterion, position: &G) {
    for (index, set) in G::SETS.iter().enumerate() {
        let evaluator = Linear::<G>::shipped(index).unwrap();
        criterion.bench_function(&format!("evaluation of {} with {}", G::info().name, set.name), |bencher| {
            bencher.iter(|| evaluator.evaluate_position(black_box(position)));
        });
    }
}

/// The MSD ratings of all moves of a position.
fn msd_ratings(criterion: &mut Criterion) {
    // 40 moves.
    let position =
        Chess::from_fen("r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 6").unwrap();
    let (moves, mut ratings) = (position.moves(), Vec::new());
    let (terms, history) = (MsdTerms::default(), GameHistory::new());
    criterion.bench_function(&format!("MSD ratings of {} moves of chess", moves.len()), |bencher| {
        bencher.iter(|| {
            ratings.clear();
            position.msd_ratings(black_box(&moves), &terms, &history, &mut |_: &Chess| 0, &mut ratings);
            ratings.len()
        });
    });
}

fn simulations(criterion: &mut Criterion) {
    let cut =
        MctsOptions { playout_plies: Some(0), expansion: Some(Expansion::All), ..MctsOptions::default() };
    simulate::<Chess>(criterion, "evaluated leaves", cut);
    simulate::<Neighbours>(criterion, "full playouts", MctsOptions::default());
}

/// Simulations from the start position, as many as a hundred thousand nodes allow.
fn simulate<G: Playable>(criterion: &mut Criterion, what: &str, mcts: MctsOptions) {
    let (position, history, evaluator) = (G::start(), GameHistory::new(), Linear::shipped(0).unwrap());
    let (options, limits) = (Options { mcts, ..Options::default() }, Limits::nodes(100_000));
    let input = SearchInput::new(&position, &history, &evaluator, &options, &limits);
    let run = |tree: &mut Tree<G>| {
        let mut simulations = 0;
        let mut listener =
            |report: Report<_>| simulations = report.visits.map_or(0, |visits| visits.simulations);
        monte_carlo(&input, tree, 1, None, &Control::default(), &mut listener);
        simulations
    };
    let simulations = run(&mut Tree::new(1 << 24));
    let mut group = criterion.benchmark_group("Monte Carlo search");
    group.throughput(Throughput::Elements(u64::from(simulations))).sample_size(20);
    group.bench_function(format!("{what} of {}", G::info().name), |bencher| {
        bencher.iter_batched_ref(|| Tree::new(1 << 24), run, BatchSize::PerIteration);
    });
    group.finish();
}

fn depth(criterion: &mut Criterion) {
    let position = Neighbours::from_fen(MIDDLE).unwrap();
    let (history, evaluator) = (GameHistory::new(), Linear::shipped(0).unwrap());
    let mut group = criterion.benchmark_group("depth 10 of a middle game position");
    group.sample_size(20);
    for selective in [true, false] {
        let options = Options { selective, ..Options::default() };
        let limits = Limits::depth(if selective { 10 } else { 6 });
        let input = SearchInput::new(&position, &history, &evaluator, &options, &limits);
        let name = if selective { "selective" } else { "full width, depth 6 only" };
        group.bench_function(name, |bencher| {
            let fresh = || (TranspositionTable::new(16).unwrap(), [Heuristics::new()]);
            let run = |(table, heuristics): &mut (TranspositionTable, [Heuristics<Neighbours>; 1])| {
                search(&input, SearchMode::Pvs, table, heuristics, &Control::default(), &mut |_| {})
            };
            // To free the table is not timed.
            bencher.iter_batched_ref(fresh, run, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, evaluation, msd_ratings, simulations, depth);
criterion_main!(benches);
