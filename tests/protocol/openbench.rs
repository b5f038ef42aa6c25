//! Building and benchmarking the binary like the client of OpenBench (github.com/AndyGrant/OpenBench).

use crate::common::shell::{self, succeed};

use std::path::Path;
use std::process::Command;

use labrys::eval::nnue::EvalNet;
use labrys::game::Game;
use labrys::game::chess::Chess;

/// Nodes and nodes per second, as the client finds them: the last line with a number before the word.
/// Anything but letters and digits is a space.
fn parse(output: &str) -> (u64, u64) {
    assert!(output.is_ascii());
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { ' ' };
    let find = |unit: &str| {
        output.trim().lines().rev().find_map(|line| {
            let line: String = line.chars().map(plain).collect();
            let words: Vec<_> = line.split_whitespace().collect();
            words.windows(2).find(|pair| pair[1] == unit).and_then(|pair| pair[0].parse().ok())
        })
    };
    (find("nodes").expect("nodes"), find("nps").expect("nps"))
}

/// Standard output of a command that succeeds.
fn output(command: &mut Command) -> String {
    succeed(shell::output(command))
}

#[test]
fn the_client_finds_nodes_and_speed() {
    let bench = output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(["bench", "--depth", "2"]));
    let last = bench.lines().last().unwrap();
    let (nodes, nps) = parse(&bench);
    assert_eq!(last, format!("{nodes} nodes {nps} nps"));
    assert!(nodes > 0 && nps > 0);
}

#[test]
#[ignore = "builds the last commit twice: cargo test --release --test protocol openbench -- --ignored"]
fn the_client_builds_it_with_a_net_of_its_own() {
    let (folder, root) = (tempfile::tempdir().unwrap(), Path::new(env!("CARGO_MANIFEST_DIR")));
    let archive = Command::new("git").args(["archive", "HEAD"]).current_dir(root).output().unwrap();
    let tar = folder.path().join("tar");
    std::fs::write(&tar, archive.stdout).unwrap();
    output(Command::new("tar").arg("-xf").arg(&tar).current_dir(folder.path()));
    let net = EvalNet::random(&Chess::start(), 32, 1, 9);
    let [path, bad] = ["0123abcd", "bad"].map(|name| folder.path().join(name));
    labrys::learn::save_eval_net::<Chess>(&net, &path).unwrap();
    std::fs::write(&bad, "no net").unwrap();
    let make = |net: &Path| {
        let mut command = Command::new("make");
        command.args(["-j", "EXE=Labrys-0123ABCD", "CC=cargo"]).arg(format!("EVALFILE={}", net.display()));
        command.current_dir(folder.path());
        command
    };
    let refused = make(&bad).output().unwrap();
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && error.contains("bad: not an evaluation net of chess"), "{error}");

    output(&mut make(&path));
    let binary = folder.path().join("Labrys-0123ABCD");
    let version = output(Command::new(&binary).arg("--version"));
    assert!(version.contains(&format!("net of chess: {:08x}", net.checksum())), "{version}");
    let [first, second] = [0, 1].map(|_| parse(&output(Command::new(&binary).arg("bench"))).0);
    assert_eq!(first, second);
    let shipped = include_str!("../../bench.signature").lines().last().unwrap();
    assert_ne!(format!("total {first}"), shipped, "another net searches other nodes");
    let options = "printf 'uci\nquit\n' | ./Labrys-0123ABCD";
    let options = output(Command::new("sh").args(["-c", options]).current_dir(folder.path()));
    for name in ["Hash", "Threads"] {
        assert!(options.contains(&format!("option name {name} type spin ")), "{options}");
    }
}
