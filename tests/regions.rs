//! Tables of small regions of Amazons: their folder, and proofs that use them. All proofs of a process use
//! the tables that it has opened, so these tests have a process of their own.

#[path = "common/mod.rs"]
mod common;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use labrys::game::Wdl;
use labrys::game::amazons::Amazons;
use labrys::search::{Control, Limits};
use labrys::solver::{Solvable, solve};

use common::minimax::end_games;

/// Two plies from the start of 5×5.
const FEN: &str = "1q3/qQ2q/1*1*1/Q2qQ/3Q1 w - - 2 2";

/// Runs `labrys`: success, standard output, standard error.
fn labrys(command: &str, arguments: &[&str], folder: Option<&Path>) -> (bool, String, String) {
    let mut labrys = Command::new(env!("CARGO_BIN_EXE_labrys"));
    labrys.arg(command).args(arguments);
    if let Some(folder) = folder {
        labrys.arg("--regions").arg(folder);
    }
    let output = labrys.output().unwrap();
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.success(), out, error)
}

/// The value of the position and the nodes of its proof.
fn proof(folder: Option<&Path>) -> (String, u64) {
    let (success, out, error) = labrys("solve", &["--variant", "amazons", "--fen", FEN], folder);
    assert!(success, "{error}");
    let words: Vec<_> = out.lines().last().unwrap().split(' ').collect();
    (words[0].to_owned(), words[1].parse().unwrap())
}

/// End games are solved as by minimax.
fn check_end_games() {
    for (fen, position, expected) in end_games(8, 6..=14, 20_000).take(60) {
        let solution = solve(&position, 16, &Limits::nodes(1_000_000), &Control::default()).unwrap();
        let expected = if expected > 0 { Wdl::Win } else { Wdl::Loss };
        assert_eq!(solution.value, Some(expected), "{fen}");
    }
}

#[test]
fn proofs_use_the_tables_of_a_folder() {
    let parent = tempfile::tempdir().unwrap();
    let [folder, certificate] = ["new/regions", "certificate"].map(|name| parent.path().join(name));
    // What is stopped at once builds nothing.
    assert!(!Amazons::open_regions(&folder, 1, &AtomicBool::new(true)).unwrap());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);

    assert!(Amazons::open_regions(&folder, 2, &AtomicBool::new(false)).unwrap());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 4);
    check_end_games();

    let (value, nodes) = proof(None);
    let read = proof(Some(&folder));
    assert!(read.0 == value && read.1 < nodes, "{read:?} instead of {nodes} nodes");

    // A certificate rests on the rules alone.
    let path = certificate.to_str().unwrap();
    let arguments = ["--variant", "amazons", "--fen", FEN, "--counting", "--proof", path];
    let (success, _, error) = labrys("solve", &arguments, Some(&folder));
    assert!(success, "{error}");
    let (success, out, error) = labrys("verify", &[path], None);
    assert!(success && out.starts_with(&value), "{out}{error}");

    let table = folder.join("amazons-regions-7.table");
    let mut bytes = fs::read(&table).unwrap();
    for (cut, problem) in [(0, "the checksum of a block is wrong"), (1, "it ends too early")] {
        *bytes.last_mut().unwrap() ^= 1;
        bytes.truncate(bytes.len() - cut);
        fs::write(&table, &bytes).unwrap();
        let (success, out, error) = labrys("solve", &["--variant", "amazons"], Some(&folder));
        assert!(!success && out.is_empty(), "{out}");
        assert!(error.contains("amazons-regions-7.table`") && error.contains(problem), "{error}");
        assert_eq!(fs::read(&table).unwrap(), bytes);
    }
}

#[test]
fn folders_that_cannot_be_used_are_named() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "").unwrap();
    for (variant, message) in [
        ("amazons", format!("`{}`", file.display())),
        ("chess", "chess has no tables of regions".to_owned()),
        ("neighbours", "neighbours has no tables of regions".to_owned()),
    ] {
        let (success, _, error) = labrys("solve", &["--variant", variant], Some(&file));
        assert!(!success && error.contains(&message), "{variant}: {error}");
    }
    let (success, _, error) = labrys("solve", &["--variant", "amazons", "--split", "1"], Some(&file));
    assert!(!success && error.contains("--regions: with --split, it needs --results"), "{error}");
}
