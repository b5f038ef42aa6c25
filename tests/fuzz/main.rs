//! The fuzz targets, without a fuzzer: on their seeds, on the inputs that once broke something, and on
//! mutations of both, the same ones in each run. `LABRYS_FUZZ` sets how many of each target.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

// Seeds are written by libFuzzer's programs only.
#[allow(dead_code)]
#[path = "../../fuzz/src/lib.rs"]
mod targets;

use targets::{TARGETS, Target};

/// Mutations of each target.
const MUTATIONS: usize = 150;

/// The most bytes of an input that is mutated further.
const LONGEST: usize = 1 << 14;

/// Runs a target. An input that it fails on is written to a file, for the message.
fn check(target: &Target, input: &[u8]) {
    let run = AssertUnwindSafe(|| targets::run(target.name, input));
    if catch_unwind(run).is_err() {
        let path =
            env::temp_dir().join(format!("labrys-fuzz-{}-{:08x}", target.name, crc32fast::hash(input)));
        fs::write(&path, input).unwrap();
        panic!("target {}: the input is in {}", target.name, path.display());
    }
}

/// A folder beside the targets.
fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

/// The inputs that once broke something.
fn regressions(target: &Target) -> Vec<Vec<u8>> {
    let files = match fs::read_dir(folder("regressions").join(target.name)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Vec::new(),
        files => files.unwrap(),
    };
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Changes an input in one to four places.
fn mutate(input: &mut Vec<u8>, others: &[Vec<u8>], target: &Target, random: &mut StdRng) {
    for _ in 0..random.random_range(1..=4) {
        let place = random.random_range(0..=input.len());
        let end = (place + random.random_range(0..=8)).min(input.len());
        match random.random_range(0..7) {
            0 if place < input.len() => input[place] ^= 1 << random.random_range(0..8),
            1 if place < input.len() => input[place] = *[0, 1, 0x7F, 0x80, 0xFF].choose(random).unwrap(),
            2 => drop(input.drain(place..end)),
            3 => {
                let copy = input[place..end].to_vec();
                let to = random.random_range(0..=input.len());
                drop(input.splice(to..to, copy));
            }
            4 => input.truncate(place),
            5 => {
                let other = others.choose(random).unwrap();
                let begin = random.random_range(0..=other.len());
                let end = (begin + random.random_range(0..=64)).min(other.len());
                drop(input.splice(place..place, other[begin..end].iter().copied()));
            }
            _ => {
                let word = target.words.choose(random).copied().unwrap_or_default();
                drop(input.splice(place..end, word.bytes()));
            }
        }
    }
}

/// Runs a target on its inputs and on mutations of them.
fn attack(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let mut inputs = [(target.seeds)(), regressions(target)].concat();
    assert!(!inputs.is_empty());
    inputs.iter().for_each(|input| check(target, input));
    inputs.retain(|input| input.len() <= LONGEST);
    let mutations = env::var("LABRYS_FUZZ").ok().map_or(MUTATIONS, |number| number.parse().unwrap());
    let mut random = StdRng::seed_from_u64(1);
    for _ in 0..mutations {
        let mut input = inputs.choose(&mut random).unwrap().clone();
        mutate(&mut input, &inputs, target, &mut random);
        check(target, &input);
    }
}

macro_rules! tests {
    ($($name:ident),+ $(,)?) => {
        $(#[test] fn $name() { attack(stringify!($name)); })+

        #[test]
        fn every_target_has_a_test_and_a_fuzz_target() {
            let tested = [$(stringify!($name)),+];
            assert!(TARGETS.iter().map(|target| target.name).eq(tested));
            for name in tested {
                let text = fs::read_to_string(folder("fuzz_targets").join(format!("{name}.rs"))).unwrap();
                assert!(text.contains(&format!("run(\"{name}\", data)")), "{name}");
            }
            // Inputs of another name would never run.
            for entry in fs::read_dir(folder("regressions")).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                assert!(tested.contains(&name.as_str()), "fuzz/regressions/{name}: no target");
            }
        }
    };
}

tests!(
    fen,
    epd,
    pgn,
    weights,
    config,
    eval_net,
    policy_net,
    games_file,
    samples,
    certificate,
    table,
    syzygy,
    checkpoint,
    engine,
    lobby,
    uci,
    uci_session,
    requests,
    saved_session,
    tuc,
);
