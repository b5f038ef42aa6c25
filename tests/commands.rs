//! The subcommands `perft` and `bench`, and the errors of the command line.

mod common;
#[path = "common/shell.rs"]
mod shell;

use std::process::Command;

use common::bench;

fn labrys(arguments: &[&str]) -> (bool, String, String) {
    shell::output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(arguments))
}

#[test]
fn perft_counts_a_position() {
    let (success, out, _) = labrys(&["perft", "--variant", "neighbours", "--depth", "4"]);
    assert!(success && out.starts_with("132496 nodes "), "{out}");
    let fen = "p1p1p2P/7p/1p2p3/6p1/p2P4/2P5/4P1P1/P1P3P1 b 37 19";
    let (success, out, _) =
        labrys(&["perft", "--variant", "neighbours", "--fen", fen, "--depth", "3", "--divide"]);
    assert!(success);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 6, "five moves and the sum: {out}");
    let sum: u64 =
        lines[..5].iter().map(|line| line.split(": ").nth(1).unwrap().parse::<u64>().unwrap()).sum();
    assert_eq!(sum, 1146);
    assert!(lines[5].starts_with("1146 nodes "));
}

#[test]
fn perft_checks_a_suite() {
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/perft/neighbours.epd");
    let (success, out, _) = labrys(&["perft", "--variant", "neighbours", "--suite", suite, "--depth", "3"]);
    assert!(success && out.contains("25 positions, 75 counts, 0 wrong"), "{out}");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.epd");
    std::fs::write(&path, "pppppppp/8/8/8/8/8/8/PPPPPPPP w 0 1 ;D1 20 ;D2 401").unwrap();
    let (success, out, error) =
        labrys(&["perft", "--variant", "neighbours", "--suite", path.to_str().unwrap()]);
    assert!(!success && out.contains("D2 400 WRONG, expected 401"), "{out}");
    assert!(error.contains("1 of 2 counts are wrong"), "{error}");

    std::fs::write(&path, "\nppp w ;D1 20").unwrap();
    let (success, _, error) =
        labrys(&["perft", "--variant", "neighbours", "--suite", path.to_str().unwrap()]);
    assert!(!success && error.contains("line 2") && error.contains("the board has 1 ranks"), "{error}");
}

#[test]
fn a_position_of_another_game_is_recognised() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/perft");
    let games = ["chess", "neighbours", "tucchess", "amazons"];
    for game in games {
        let suite = format!("{folder}/{game}.epd");
        let text = std::fs::read_to_string(&suite).unwrap();
        let line = text.lines().find(|line| line.contains(';')).unwrap();
        let fen = line.split(';').next().unwrap().trim();
        let hint = format!("; looks like variant `{game}`");
        for other in games.into_iter().filter(|&other| other != game) {
            for arguments in [
                &["perft", "--variant", other, "--suite", &suite][..],
                &["perft", "--variant", other, "--depth", "1", "--fen", fen],
                &["solve", "--variant", other, "--fen", fen],
            ] {
                let (success, _, error) = labrys(arguments);
                assert!(!success && error.contains(&hint), "{arguments:?}: {error}");
            }
        }
    }
    let (success, _, error) = labrys(&["solve", "--fen", "8/8"]);
    assert!(!success && !error.contains("looks like"), "{error}");
}

#[test]
fn wrong_arguments_are_named() {
    for (arguments, message) in [
        (&["perft"][..], "--depth"),
        (&["perft", "--depth", "0"], "0 is not in 1..=64"),
        (&["perft", "--depth", "2", "--variant", "go"], "unknown variant `go`"),
        (&["perft", "--depth", "2", "--fen", "8/8"], "the board has 2 ranks"),
        (&["perft", "--suite", "/no/such/file"], "cannot read /no/such/file"),
        (&["bench", "--depth", "x"], "invalid value 'x'"),
        (&["play"], "unrecognized subcommand 'play'"),
    ] {
        let (success, _, error) = labrys(arguments);
        assert!(!success && error.contains(message), "{arguments:?}: {error}");
    }
}

#[cfg(not(feature = "tuning"))]
#[test]
fn spsa_says_which_build_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let (success, _, error) =
        labrys(&["spsa", "--iterations", "1", "--each", "nodes=9", "--out", out.to_str().unwrap()]);
    assert!(!success && error.contains("cargo build --release --features tuning"), "{error}");
    assert!(!out.exists());
}

#[test]
fn bench_ends_with_the_signature_of_each_game() {
    let (success, out, _) = labrys(&["bench", "--depth", "3"]);
    assert!(success);
    bench::check(&out.lines().map(str::to_owned).collect::<Vec<_>>());
}
