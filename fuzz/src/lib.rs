//! What a fuzzer attacks: everything that Labrys reads from others. Each [`Target`] takes bytes, and panics
//! where a promise is broken: that bad input is refused, and more, such as that what is read is the same when
//! it is written and read again.
//!
//! libFuzzer drives the targets, see `fuzz_targets/`, and `tests/fuzz` of the engine runs them on their seeds
//! with some thousand mutations. Most files have checksums, which no mutation survives: the targets of such
//! files correct them first, see `repair`.

#![forbid(unsafe_code)]

use std::env;
use std::fs;
use std::path::PathBuf;

mod boards;
mod certificates;
mod checkpoints;
mod configs;
mod engines;
mod games_file;
mod lobby;
mod nets;
mod pages;
mod pgn;
mod repair;
mod samples;
mod scratch;
mod seeds;
mod tables;
mod tuc;
mod uci;
mod uci_session;
mod weights;

/// A part of Labrys that reads bytes.
pub struct Target {
    /// Its name, that of its fuzz target.
    pub name: &'static str,
    /// Hands it bytes. Panics where it breaks a promise.
    pub run: fn(&[u8]),
    /// Valid inputs, from which mutations begin.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of its language, for mutations.
    pub words: &'static [&'static str],
}

/// All targets.
pub const TARGETS: &[Target] = &[
    boards::FEN,
    boards::EPD,
    pgn::TARGET,
    weights::TARGET,
    configs::TARGET,
    nets::EVAL_NET,
    nets::POLICY_NET,
    games_file::TARGET,
    samples::TARGET,
    certificates::TARGET,
    tables::TABLE,
    tables::SYZYGY,
    checkpoints::TARGET,
    engines::TARGET,
    lobby::TARGET,
    uci::TARGET,
    uci_session::TARGET,
    pages::REQUESTS,
    pages::SAVED,
    tuc::TARGET,
];

/// The target of a name.
fn target(name: &str) -> &'static Target {
    TARGETS.iter().find(|target| target.name == name).expect("a target")
}

/// Runs the target of a name.
///
/// # Panics
/// If there is none, or if it breaks a promise.
pub fn run(name: &str, data: &[u8]) {
    (target(name).run)(data);
}

/// Writes the seeds of the target of a name into `NAME/` of the folder that the variable `LABRYS_FUZZ_CORPUS`
/// names, and its words as `NAME.dict`, a dictionary of libFuzzer. Without the variable it does nothing.
///
/// # Panics
/// If there is no such target, or if a file cannot be written.
pub fn write_seeds(name: &str) {
    let Some(folder) = env::var_os("LABRYS_FUZZ_CORPUS").map(PathBuf::from) else { return };
    let target = target(name);
    let corpus = folder.join(name);
    fs::create_dir_all(&corpus).expect("a folder for seeds");
    for (number, seed) in (0..).zip((target.seeds)()) {
        fs::write(corpus.join(format!("seed-{number:03}")), seed).expect("a file for a seed");
    }
    let escaped = |word: &&str| {
        let bytes: String = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        format!("\"{bytes}\"\n")
    };
    let words: String = target.words.iter().map(escaped).collect();
    // An empty file would be an error.
    let dictionary = format!("# The words of {name}.\n{words}");
    fs::write(folder.join(format!("{name}.dict")), dictionary).expect("a file for words");
}

/// Calls a function that is generic over the game with the game of a number.
macro_rules! with_game {
    ($number:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $number % 4 {
            0 => $function::<labrys_core::game::chess::Chess>($($argument),*),
            1 => $function::<labrys_core::game::neighbours::Neighbours>($($argument),*),
            2 => $function::<labrys_core::game::tucchess::TucChess>($($argument),*),
            _ => $function::<labrys_core::game::amazons::Amazons>($($argument),*),
        }
    };
}
use with_game;

/// The number of the game and the rest of an input: its first byte says which game.
fn game_and_rest(data: &[u8]) -> Option<(u8, &[u8])> {
    data.split_first().map(|(&number, rest)| (number, rest))
}
