//! Comparison with python-chess: notation, records, and play through its engine module. The tests need Python
//! with the package `chess`; `.ci/run` installs it and runs them.

use crate::common::shell::{self, labrys, succeed};

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use labrys::engine::{Board, registry};

/// Runs a script of `tests/python` and returns what it prints.
fn python(script: &str, arguments: &[&str]) -> String {
    succeed(shell::output(&mut command(script, arguments)))
}

fn command(script: &str, arguments: &[&str]) -> Command {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python").join(script);
    let mut command = Command::new("python3");
    command.arg(path).args(arguments);
    command
}

/// FENs as Labrys writes them: castling rights have several forms.
fn normal<'a>(fens: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut board = registry::board("chess").unwrap();
    let fens = fens.map(|fen| {
        board.set_up(Some(fen), &[]).unwrap();
        board.fen()
    });
    fens.collect()
}

/// The final positions of the games of a file.
fn replayed(path: &Path) -> Vec<String> {
    let out = succeed(labrys(&format!("games replay --strict {}", path.display())));
    normal(out.lines().filter_map(|line| line.strip_prefix("Fen: ")))
}

#[test]
#[ignore = "needs python-chess"]
fn san_agrees_with_python_chess() {
    let mut script = command("san.py", &["20000"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut boards = [false, true].map(|chess960| {
        let mut board = registry::board("chess").unwrap();
        board.set_option("UCI_Chess960", &chess960.to_string()).unwrap();
        board
    });
    let mut positions = 0;
    for line in BufReader::new(script.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let mut words = line.split('\t');
        let board: &mut Box<dyn Board> = &mut boards[usize::from(words.next() == Some("true"))];
        let fen = words.next();
        board.set_up(fen, &[]).unwrap();
        let moves: Vec<_> = words.map(|word| word.split_once(' ').unwrap()).collect();
        assert_eq!(moves.len(), board.legal_moves().len(), "{fen:?}");
        for (uci, san) in moves {
            assert_eq!(board.san(uci).as_deref(), Ok(san), "{fen:?} {uci}");
            assert_eq!(board.play_san(san).as_deref(), Ok(uci), "{fen:?} {san}");
            board.set_up(fen, &[]).unwrap();
        }
        positions += 1;
    }
    assert!(script.wait().unwrap().success());
    assert_eq!(positions, 20_000);
}

#[test]
#[ignore = "needs python-chess"]
fn games_of_python_chess_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let fens = python("games.py", &["1000", path.to_str().unwrap()]);
    assert_eq!(replayed(&path), normal(fens.lines()));
    assert_eq!(fens.lines().count(), 1000);
}

#[test]
#[ignore = "needs python-chess"]
fn python_chess_reads_our_games() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.epd");
    let openings = "nrbbqnkr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQNKR w HBhb - 0 1\n\
                    rkbbnnqr/pppppppp/8/8/8/8/PPPPPPPP/RKBBNNQR w HAha - 0 1 moves e2e4\n";
    std::fs::write(&book, openings).unwrap();
    let chess960 = format!("--option UCI_Chess960=true --openings {}", book.display());
    for (name, words) in [("standard.pgn", ""), ("960.pgn", chess960.as_str())] {
        let path = folder.path().join(name);
        succeed(labrys(&format!(
            "match --engine name=a --engine name=b --each nodes=200 option.Hash=1 --games 20 {words} --pgnout {}",
            path.display()
        )));
        let fens = python("final_fens.py", &[path.to_str().unwrap()]);
        assert_eq!((normal(fens.lines()), fens.lines().count()), (replayed(&path), 20), "{name}");
    }
}

#[test]
#[ignore = "needs python-chess"]
fn games_continue_if_nobody_claims_a_draw() {
    let out = python("play.py", &[env!("CARGO_BIN_EXE_labrys"), "40"]);
    assert!(out.starts_with("40 "), "{out}");
    assert!(out.contains("FIVEFOLD_REPETITION") || out.contains("SEVENTYFIVE_MOVES"), "{out}");
}
