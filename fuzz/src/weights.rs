//! Weights of linear evaluations.

use labrys_core::eval::{Linear, Weights};
use labrys_core::game::Knowledge;

use super::{Target, game_and_rest, seeds, with_game};

/// A file of weights: the game, then JSON. What is written is read again as the same.
pub(super) const TARGET: Target = Target {
    name: "weights",
    run,
    seeds: all_seeds,
    words: &[
        "\"game\":",
        "\"set\":",
        "\"version\":",
        "\"source\":",
        "\"weights\":",
        "\"crc32\":",
        "1e308",
        "-0",
        "NaN",
        "1e-400",
        "0.1",
        "null",
        "{}",
        "[]",
        "\\u0000",
    ],
};

fn run(data: &[u8]) {
    let Some((game, rest)) = game_and_rest(data) else { return };
    with_game!(game, parse(&String::from_utf8_lossy(rest)));
}

fn parse<G: Knowledge>(text: &str) {
    let Ok(weights) = Weights::parse::<G>(text) else { return };
    assert!(weights.values().iter().all(|value| value.is_finite()));
    let own = weights.to_json();
    let again = Weights::parse::<G>(&own).unwrap_or_else(|error| panic!("{own}: {error}"));
    assert_eq!(again.values(), weights.values());
    assert_eq!(again.to_json(), own);
    let mut linear = Linear::<G>::shipped(weights.set()).expect("weights that are shipped");
    linear.set_weights(weights).expect("weights of a set of the game");
    let breakdown = linear.breakdown(&G::start());
    assert!(!breakdown.by_feature().is_empty());
}

fn all_seeds() -> Vec<Vec<u8>> {
    let of_game = |(number, game): (u8, &str)| {
        let files = seeds::files(&format!("weights/{game}"), "json").into_iter();
        files
            .map(move |path| seeds::of_game(number, std::fs::read(path).expect("a file of weights")))
            .collect::<Vec<_>>()
    };
    (0..).zip(seeds::GAMES).flat_map(of_game).collect()
}
