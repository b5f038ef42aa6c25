//! The signature of the search.

use labrys::engine::bench::bench;
use labrys::search::Control;

/// The nodes of `labrys bench`, for each game and in total. Only a deliberate change of search behaviour
/// changes them; its commit says `bench: N`.
const SIGNATURE: &str = include_str!("../../bench.signature");

#[test]
fn the_bench_signature_holds() {
    let signature = bench(None, &Control::default(), &mut |_, _| {}).unwrap();
    let games = signature.games.iter().map(|(game, nodes)| format!("{game} {nodes}\n"));
    assert_eq!(games.collect::<String>() + &format!("total {}\n", signature.total()), SIGNATURE);
}

#[test]
fn a_bench_can_be_stopped() {
    let control = Control::default();
    control.stop();
    assert_eq!(bench(None, &control, &mut |_, _| {}), None);
}
