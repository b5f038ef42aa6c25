//! Speed of evaluations by nets, and of chess searches with them beside the linear evaluation.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
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
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
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
        let evaluator = Linear::shipped(0).unwrap();
        bencher.iter(|| positions.iter().for_each(|position| run(position, &evaluator, NODES)));
    });
    for hidden in SIZES {
        let evaluator = random(hidden);
        group.bench_function(format!("net of {hidden}"), |bencher| {
            bencher.iter(|| positions.iter().for_each(|position| run(position, &evaluator, NODES)));
        });
    }
    group.finish();
}

fn run<E: Evaluator<Chess>>(position: &Chess, evaluator: &E, nodes: u64) {
    let (history, options, limits) = (&GameHistory::new(), &Options::default(), &Limits::nodes(nodes));
    let input = SearchInput::new(position, history, evaluator, options, limits);
    let table = TranspositionTable::new(16).unwrap();
    search(&input, SearchMode::Pvs, &table, &mut [Heuristics::new()], &Control::default(), &mut |_| {});
}

criterion_group!(benches, evaluations, searches);
criterion_main!(benches);
