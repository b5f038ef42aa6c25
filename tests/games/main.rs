//! The games: rules, notation, features, inputs and encodings.

mod amazons;
mod amazons_eval;
mod breakthrough;
mod chess;
mod encoding;
mod eval;
mod inputs;
mod rules;
mod tucchess;

#[path = "../common/mod.rs"]
mod common;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// This many cases of a property, the same ones in each run.
fn seeded(cases: u32) -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::with_cases(cases) }
}
