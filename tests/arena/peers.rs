//! Games with third-party programs: xboard engines, and PolyGlot as an adapter for Labrys.

use crate::common::records;
use crate::common::shell::{self, succeed};

use std::path::Path;
use std::process::Command;

use labrys::arena::Termination;
use records::end;

/// The folder of games on Debian, which may not be in `PATH`.
const GAMES: &str = "/usr/games";

/// Plays two games of Labrys against an engine that speaks the xboard protocol. No player fails.
fn plays(folder: &Path, program: &str, arguments: &[&str], limits: &[&str], own_limit: &str) {
    let file = folder.join("games.pgn");
    let log = folder.join("log");
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    command.args(["match", "--engine", "name=labrys", "option.Hash=8", "timemargin=5000", own_limit]);
    command.args(["--engine", "name=peer", "proto=xboard"]).arg(format!("cmd={GAMES}/{program}"));
    // The machine may be busy, and this is not a test of clocks.
    command
        .arg("timemargin=5000")
        .args(arguments.iter().map(|argument| format!("arg={argument}")))
        .args(limits);
    command.args(["--games", "2", "--pgn-keys", "pv", "--pgnout"]).arg(&file).arg("--log").arg(&log);
    let out = succeed(shell::output(&mut command));
    assert!(!out.contains("lost"), "{program}: {out}");
    for record in records::read(&file) {
        let log = std::fs::read_to_string(&log).unwrap();
        let ended = end(&record).termination;
        assert!(
            matches!(ended, Termination::Rules | Termination::Adjudication),
            "{program}: {}\n{log}",
            end(&record).details
        );
        let of_peer = usize::from(record.players[1].name == "peer");
        let has_pv = |mv: &&labrys::arena::pgn::PgnMove| mv.comment.contains(&format!("pv={}", mv.text));
        let first = (record.opening.moves.len() + of_peer) % 2;
        assert!(record.moves.iter().skip(first).step_by(2).find(has_pv).is_some(), "{program}: its thinking");
    }
}

#[test]
#[ignore = "needs fairymax, hoichess and polyglot"]
fn fairymax_plays() {
    plays(tempfile::tempdir().unwrap().path(), "fairymax", &[], &["tc=2+0.05"], "nodes=5000");
}

#[test]
#[ignore = "needs fairymax, hoichess and polyglot"]
fn hoichess_plays() {
    // With little time it plays without a search.
    plays(tempfile::tempdir().unwrap().path(), "hoichess", &["-x"], &["tc=60", "depth=4"], "nodes=5000");
}

// Not in `.ci/run`: its two threads sometimes deadlock at the start.
#[test]
#[ignore = "needs gnuchess, which may hang: cargo test --release --test arena gnuchess -- --ignored"]
fn gnuchess_plays() {
    plays(tempfile::tempdir().unwrap().path(), "gnuchess", &["-x"], &["tc=2+0.05"], "nodes=5000");
}

#[test]
#[ignore = "needs fairymax, hoichess and polyglot"]
fn polyglot_carries_labrys_to_xboard() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("polyglot.ini");
    let (labrys, place) = (env!("CARGO_BIN_EXE_labrys"), folder.path().display());
    let text = format!(
        "[PolyGlot]\nEngineDir = {place}\nEngineCommand = {labrys}\nBook = false\nLog = false\n\
         Resign = false\n[Engine]\n"
    );
    std::fs::write(&settings, text).unwrap();
    plays(
        folder.path(),
        "polyglot",
        &[settings.to_str().unwrap()],
        &["tc=2+0.05", "option.Hash=8"],
        "tc=2+0.05",
    );
}
