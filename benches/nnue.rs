//! Speed of evaluations by nets, and of chess searches with them beside the linear evaluation.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use std::cell::RefCell;
use std::hint::black_box;

use criterion::{BatchSize, Bencher, Criterion, Throughput, criterion_group, criterion_main};
use labrys::eval::nnue::{Accumulators, EvalNet, NetEvaluator};
use labrys::eval::{Evaluator, Linear};
use labrys::game::chess::Chess;
use labrys::game::{Game, GameHistory};
use labrys::search::{
    Control, Heuristics, Limits, Options, SearchInput, SearchMode, TranspositionTable, search,
};

/// Neurons of a perspective.
const SIZES: [usize; 2] = [128, 256];

fn random(hidden: usize) -> NetEvaluator<Chess> {
    NetEvaluator::new(EvalNet::random(&Chess::start(), hidden, 1, 1))
}

/// An evaluation of a child, with the state of its parent: for all moves of a position in turn.
fn evaluations(criterion: &mut Criterion) {
    let position = Chess::from_fen(Chess::info().bench.fens[3]).unwrap();
    let moves = position.moves();
    let children: Vec<_> = moves.into_iter().map(|mv| position.after(mv)).collect();
    let mut group = criterion.benchmark_group("evaluations of chess");
    group.throughput(Throughput::Elements(children.len() as u64));
    let classical = Linear::<Chess>::shipped(0).unwrap();
    group.bench_function("classical", |bencher| {
        bencher.iter(|| children.iter().map(|child| classical.evaluate(black_box(child), &())).max());
    });
    for hidden in SIZES {
        let evaluator = random(hidden);
        let [mut state, mut scratch] = [(); 2].map(|()| Accumulators::default());
        evaluator.reset(&position, &mut state);
        group.bench_function(format!("net of {hidden}, updated"), |bencher| {
            bencher.iter(|| {
                let score = |child| {
                    evaluator.update(&position, &state, black_box(child), &mut scratch);
                    evaluator.evaluate(child, &scratch)
                };
                children.iter().map(score).max()
            });
        });
        group.bench_function(format!("net of {hidden}, from scratch"), |bencher| {
            bencher.iter(|| {
                let score = |child| {
                    evaluator.reset(black_box(child), &mut scratch);
                    evaluator.evaluate(child, &scratch)
                };
                children.iter().map(score).max()
            });
        });
    }
    group.finish();
}

/// Searches of the bench positions with a limit of nodes.
fn searches(criterion: &mut Criterion) {
    const NODES: u64 = 50_000;
    let positions: Vec<_> =
        Chess::info().bench.fens.iter().map(|fen| Chess::from_fen(fen).unwrap()).collect();
    let mut group = criterion.benchmark_group("searches of chess");
    group.throughput(Throughput::Elements(NODES * positions.len() as u64)).sample_size(10);
    group.bench_function("classical", |bencher| {
        run(bencher, &positions, &Linear::shipped(0).unwrap(), NODES);
    });
    for hidden in SIZES {
        let evaluator = random(hidden);
        group.bench_function(format!("net of {hidden}"), |bencher| {
            run(bencher, &positions, &evaluator, NODES);
        });
    }
    group.finish();
}

/// Times a search of each position. To make a table, and to clear it, takes as long as thousands of
/// evaluations, so that neither is timed.
fn run<E: Evaluator<Chess>>(bencher: &mut Bencher, positions: &[Chess], evaluator: &E, nodes: u64) {
    let (history, options, limits) = (&GameHistory::new(), &Options::default(), &Limits::nodes(nodes));
    let tables = positions.iter().map(|_| TranspositionTable::new(16).unwrap());
    let tables: RefCell<Vec<_>> = RefCell::new(tables.collect());
    let set_up = || {
        tables.borrow_mut().iter_mut().for_each(TranspositionTable::clear);
        positions.iter().map(|_| [Heuristics::new()]).collect()
    };
    let searches = |heuristics: &mut Vec<[Heuristics<Chess>; 1]>| {
        for ((position, table), heuristics) in positions.iter().zip(&*tables.borrow()).zip(heuristics) {
            let input = SearchInput::new(position, history, evaluator, options, limits);
            search(&input, SearchMode::Pvs, table, heuristics, &Control::default(), &mut |_| {});
        }
    };
    bencher.iter_batched_ref(set_up, searches, BatchSize::PerIteration);
}

criterion_group!(benches, evaluations, searches);
criterion_main!(benches);
