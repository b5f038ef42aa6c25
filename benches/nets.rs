//! Policy/value nets: positions a second, in play on one core and in training on all of them.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use labrys::game::Knowledge;
use labrys::game::chess::Chess;
use labrys::game::tucchess::TucChess;
use labrys::learn::training::{Example, NetTrainer, TrainingSettings};
use labrys::nets::{Architecture, Net, NetConfig, Parameters};

/// Evaluates batches of the start position, with the logits of its moves.
fn evaluate<G: Knowledge>(criterion: &mut Criterion, what: &str, architecture: Architecture) {
    let position = G::start();
    let config = NetConfig { shape: position.encoding_shape(), architecture };
    let net = Net::new(&Parameters::random::<G>(config, 1).unwrap());
    let moves = position.moves();
    let mut planes = vec![0.0; config.shape.input_len()];
    position.write_planes(1, &mut planes);
    let mut group = criterion.benchmark_group(format!("{what} net of {}", G::info().name));
    group.sample_size(20);
    for batch in [1, 16, 64] {
        let planes = planes.repeat(batch);
        group.throughput(Throughput::Elements(batch as u64));
        group.bench_function(BenchmarkId::new("batch", batch), |bencher| {
            bencher.iter(|| {
                let outputs = net.evaluate(black_box(&planes));
                let indices = || moves.iter().flat_map(|&mv| position.policy_indices(mv));
                let total = |n: usize| -> f32 { indices().map(|index| outputs.logit(n, index)).sum() };
                (0..batch).map(|n| outputs.value(n) + total(n)).sum::<f32>()
            });
        });
    }
    group.finish();
}

/// Learns from batches of the start position.
fn train<G: Knowledge>(criterion: &mut Criterion, what: &str, architecture: Architecture) {
    const BATCH: usize = 64;
    let position = G::start();
    let config = NetConfig { shape: position.encoding_shape(), architecture };
    let mut trainer = NetTrainer::new(Parameters::random::<G>(config, 1).unwrap());
    let moves = position.moves();
    let mut planes = vec![0.0; config.shape.input_len()];
    position.write_planes(1, &mut planes);
    let indices = moves.iter().flat_map(|&mv| position.policy_indices(mv)).map(|index| index as u32);
    let policy = vec![1.0 / moves.len() as f32; moves.len()];
    let example = Example { planes, indices: indices.collect(), policy, value: 0.5 };
    let mut group = criterion.benchmark_group(format!("training {what} net of {}", G::info().name));
    group.sample_size(20).throughput(Throughput::Elements(BATCH as u64));
    group.bench_function(BenchmarkId::new("batch", BATCH), |bencher| {
        bencher.iter(|| trainer.step(&TrainingSettings::default(), &[&example; BATCH], 0).unwrap());
    });
    group.finish();
}

fn nets(criterion: &mut Criterion) {
    let paper = Architecture::Paper { channels: 64, dense: [512, 512] };
    evaluate::<Chess>(criterion, "the paper's", paper);
    let small = Architecture::Residual { channels: 32, blocks: 3, hidden: 64 };
    evaluate::<Chess>(criterion, "a small residual", small);
    evaluate::<TucChess>(criterion, "a small residual", small);
    train::<Chess>(criterion, "the paper's", paper);
    train::<TucChess>(criterion, "a small residual", small);
}

criterion_group!(benches, nets);
criterion_main!(benches);
