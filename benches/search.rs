//! Speed of the evaluation and of the search.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use labrys::eval::Evaluator;
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::{Features, Game, History};
use labrys::search::{Control, Heuristics, Limits, Options, SearchMode, Table, Task, search};

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

fn evaluate_all_sets<G: Features>(criterion: &mut Criterion, position: &G) {
    for (index, set) in G::SETS.iter().enumerate() {
        let evaluator = Evaluator::<G>::shipped(index).unwrap();
        criterion.bench_function(&format!("evaluation of {} with {}", G::NAME, set.name), |bencher| {
            bencher.iter(|| evaluator.evaluate(black_box(position)));
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
