//! Long commands that Ctrl-C or SIGTERM ends before their work is done: they fail, and say that they were
//! interrupted.

use crate::common::shell::{labrys, signal_at, succeed};

use std::process::{Command, Stdio};

/// Runs `labrys`, and sends it a signal as soon as its output contains `sign`. Returns whether it succeeded,
/// and all of its output.
fn interrupted(words: &[&str], sign: &str, name: &str) -> (bool, String) {
    let mut child = Command::new("sh")
        .args(["-c", "exec \"$0\" \"$@\" 2>&1", env!("CARGO_BIN_EXE_labrys")])
        .args(words)
        .env("LABRYS_PROGRESS", "json")
        .env("RUST_LOG", "info")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = child.stdout.take().unwrap();
    let text = signal_at(&child, out, sign, name);
    (child.wait().unwrap().success(), text)
}

#[test]
fn a_command_that_is_interrupted_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [games, tuned, net, regions, results, proof, tables] =
        ["games", "tuned.json", "net", "regions", "results", "proof", "tables"].map(path);
    succeed(labrys(&format!(
        "nnue selfplay --variant neighbours --linear --games 40 --nodes 50 --random-plies 2-4 --out {games}"
    )));
    let open = ["--variant", "amazons", "--fen", "1q2q1/q4q/6/Q4Q/1Q2Q1 w", "--moves", "b1b4,b4b3"];
    let solve = [&["solve", "--regions", &regions][..], &open].concat();
    let tune = ["linear", "tune", "--variant", "neighbours", "--epochs", "1000000", "--games", &games];
    let train = ["nnue", "train", "--variant", "neighbours", "--epochs", "1000000", "--patience", "9999"];
    let build = ["tables", "--variant", "neighbours", "--pieces", "3", "--out", &tables];
    for (words, sign, message) in [
        ([&solve[..], &["--proof", &proof]].concat(), "building", "labrys: interrupted"),
        ([&solve[..], &["--split", "1", "--results", &results]].concat(), "building", "labrys: interrupted"),
        ([&tune[..], &["--out", &tuned]].concat(), "\"done\":1", "labrys: interrupted after "),
        (
            [&train[..], &["--data", &games, "--out", &net]].concat(),
            "epoch 1: ",
            "labrys: interrupted, use --resume",
        ),
        (build.to_vec(), "longest", "labrys: interrupted; finished tables are in"),
    ] {
        for name in ["-INT", "-TERM"] {
            // What the first signal has left would be in the way of the second one.
            std::fs::remove_dir_all(&net).ok();
            let (success, out) = interrupted(&words, sign, name);
            assert!(!success && out.contains(message), "{words:?} {name}: {out}");
        }
    }
    assert!(!std::path::Path::new(&proof).exists());
}
