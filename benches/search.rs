//! Speed of the evaluation and of the search.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use labrys::eval::Evaluator;
use labrys::game::neighbours::Neighbours;
use labrys::game::{Features, Game, History};
use labrys::search::{Control, Heuristics, Limits, Options, SearchMode, Table, Task, search};

/// A position of the middle game.
const MIDDLE: &str = "pp2p2p/2p2p2/8/1p6/2P3P1/4P2p/P1P5/3P1PP1 b 27 14";

fn evaluation(criterion: &mut Criterion) {
    let position = Neighbours::from_fen(MIDDLE).unwrap();
    for (index, set) in Neighbours::SETS.iter().enumerate() {
        let evaluator = Evaluator::<Neighbours>::shipped(index).unwrap();
        criterion.bench_function(&format!("evaluation with {}", set.name), |bencher| {
            bencher.iter(|| evaluator.evaluate(black_box(&position)));
        });
    }
}

fn depth(criterion: &mut Criterion) {
    let position = Neighbours::from_fen(MIDDLE).unwrap();
    let (history, evaluator) = (History::new(), Evaluator::shipped(0).unwrap());
    let mut group = criterion.benchmark_group("depth 10 of a middle game position");
    group.sample_size(20);
    for selective in [true, false] {
        let task = Task {
            position: &position,
            history: &history,
            evaluator: &evaluator,
            root_moves: &[],
            options: &Options { selective, ..Options::default() },
            limits: &Limits::depth(if selective { 10 } else { 6 }),
        };
        let name = if selective { "selective" } else { "full width, depth 6 only" };
        group.bench_function(name, |bencher| {
            let fresh = || (Table::new(16).unwrap(), [Heuristics::new()]);
            let run = |(table, mut heuristics): (Table, [Heuristics<Neighbours>; 1])| {
                search(&task, SearchMode::Pvs, &table, &mut heuristics, &Control::default(), &mut |_| {})
            };
            bencher.iter_batched(fresh, run, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, evaluation, depth);
criterion_main!(benches);
