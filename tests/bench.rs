//! The signature of the search.

use labrys::engine::bench::bench;
use labrys::search::Control;

/// Nodes of `labrys bench`. A change of search behaviour changes this number knowingly, and its commit
/// says `bench: N`.
const SIGNATURE: &str = include_str!("../bench.signature");

#[test]
fn the_signature_holds() {
    let nodes = bench(None, &Control::default(), &mut |_, _| {});
    assert_eq!(nodes, Some(SIGNATURE.trim().parse().unwrap()));
}

#[test]
fn a_bench_can_be_stopped() {
    let control = Control::default();
    control.stop();
    assert_eq!(bench(None, &control, &mut |_, _| {}), None);
}
