//! Perft of Neighbours from the start position: the bitboard generator beside a plain mailbox.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

#[path = "../tests/common/mailbox.rs"]
mod mailbox;

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, criterion_group, criterion_main};
use labrys::game::Game;
use labrys::game::neighbours::Neighbours;
use labrys::game::perft::perft;
use mailbox::Mailbox;

fn start_position(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft 6 from the start position");
    group.sample_size(10);
    let start = Neighbours::start();
    let board = Mailbox::new(&start.fen());
    let stop = AtomicBool::new(false);
    assert_eq!((perft(&start, 5, &stop), board.perft(5)), (Some(2_552_608), 2_552_608));
    group.bench_function("bitboards", |bencher| bencher.iter(|| perft(black_box(&start), 6, &stop)));
    group.bench_function("mailbox", |bencher| bencher.iter(|| black_box(&board).perft(6)));
    group.finish();
}

criterion_group!(benches, start_position);
criterion_main!(benches);
