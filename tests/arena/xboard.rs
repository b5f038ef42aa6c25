//! Engines that speak the xboard protocol as players, played by a script.

use crate::common::records;
use crate::common::shell;

use std::path::{Path, PathBuf};
use std::process::Command;

use labrys::arena::Termination;
use labrys::arena::pgn::PgnGame;
use records::end;

/// Moves after which Black mates by d8h4.
const BOOK: &str = "f2f3 e7e5 g2g4";

/// The position after these moves.
const BOOK_FEN: &str = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2";

/// The results of a match against the mock.
struct Played {
    success: bool,
    error: String,
    records: Vec<PgnGame>,
    /// The lines that the mock has read, with those of the check before the match, pings without
    /// their number.
    heard: String,
}

/// Plays two games of the mock (White first) against Labrys from the opening `book`.
fn against_mock(behaviour: &str, book: &str, words: &str) -> Played {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("book"), book).unwrap();
    let script: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "common", "mock_xboard.sh"].iter().collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    command.args(["match", "--engine", "name=mock", "proto=xboard", "cmd=sh"]);
    command.args(
        [script.as_path(), Path::new(behaviour), &path("heard")]
            .map(|word| format!("arg={}", word.display())),
    );
    command.args(words.split_whitespace().map(|word| word.replace('~', " ")));
    command.args(["--engine", "name=good", "depth=3", "option.Hash=1", "--games", "2", "--pgnout"]);
    command.arg(path("games.pgn")).arg("--openings").arg(path("book"));
    let (success, _, error) = shell::output(&mut command);
    let games = path("games.pgn");
    let records = if games.exists() { records::read(&games) } else { Vec::new() };
    let heard = std::fs::read_to_string(path("heard")).unwrap_or_default();
    let is_counted = |line: &str| line.starts_with("ping ");
    let heard: String = heard
        .lines()
        .map(|line| if is_counted(line) { "ping\n".into() } else { format!("{line}\n") })
        .collect();
    Played { success, error, records, heard }
}

#[test]
fn a_move_named_twice_counts_once() {
    let Played { success, error, records, .. } = against_mock("twice", "g1f3 g8f6", "st=5 --max-moves 2");
    assert!(success && records.len() == 2, "{error}");
    for record in &records {
        assert_eq!(end(record).termination, Termination::Adjudication, "{:?}", end(record));
    }
}

#[test]
fn an_engine_plays_in_each_dialect_of_the_protocol() {
    let moves = "usermove f2f3\nusermove e7e5\nusermove g2g4\n";
    for (behaviour, book, words, told) in [
        (
            "plain",
            BOOK,
            "tc=40/61+0.5",
            format!("force\neasy\npost\nping\n{moves}ping\nlevel 40 1:01 0.5\ntime 6150\ngo\nforce\n"),
        ),
        ("plain", BOOK_FEN, "st=2", format!("setboard {BOOK_FEN}\nping\nst 2\ngo\n")),
        ("slow", BOOK, "depth=4", format!("{moves}ping\nlevel 0 60 0\nsd 4\ngo\n")),
        ("old", BOOK, "tc=60", "post\nf2f3\ne7e5\ng2g4\nlevel 0 1:00 0\ntime 6000\ngo\n".into()),
        ("san", BOOK, "tc=60", "ping\nf3\ne5\ng4\nping\n".into()),
        ("once", BOOK, "tc=60", "quit\nxboard\nprotover 2\n".into()),
        (
            "options",
            BOOK,
            "tc=60 option.Hash=16 option.style~of~play=wild",
            "memory 16\noption Style Of Play=wild\nping\n".into(),
        ),
    ] {
        let Played { success, error, records, heard } = against_mock(behaviour, book, words);
        assert!(success, "{behaviour}: {error}");
        assert!(heard.starts_with("xboard\nprotover 2\n"), "{heard}");
        assert!(heard.contains(&told), "{behaviour}: {heard}");
        assert_eq!(records.len(), 2, "{behaviour}");
        for record in records {
            assert_eq!(end(&record).details, "Black wins: checkmate", "{behaviour}");
            assert_eq!(end(&record).termination, Termination::Rules);
            let comment = &record.moves.last().unwrap().comment;
            if record.players[1].name == "mock" && behaviour == "plain" {
                assert!(comment.starts_with("+M1/2 "), "{comment}");
            }
        }
    }
}

#[test]
fn an_engine_that_resigns_or_refuses_loses() {
    for (behaviour, termination, details) in [
        ("resign", Termination::Adjudication, "Black resigns"),
        ("claim", Termination::Adjudication, "Black resigns"),
        (
            "refuse",
            Termination::Illegal,
            "Black sends invalid output: the engine reports: Illegal move (no pawn",
        ),
        ("stall", Termination::Crash, "Black crashes: the engine has ended (exit status: 3)"),
    ] {
        let Played { success, error, records, .. } = against_mock(behaviour, BOOK, "tc=0.5");
        assert!(success, "{behaviour}: {error}");
        let lost = records.iter().find(|record| record.players[1].name == "mock").unwrap();
        assert_eq!(end(lost).termination, termination, "{behaviour}");
        assert!(end(lost).details.starts_with(details), "{behaviour}: {}", end(lost).details);
    }
}

#[test]
fn an_engine_that_cannot_play_is_named_before_the_first_game() {
    for (behaviour, book, words, message) in [
        ("atomic", BOOK, "", "engine `mock`: the engine does not play `normal`, it plays: atomic"),
        (
            "plain",
            BOOK,
            "--option UCI_Chess960=true",
            "does not play `fischerandom`, it plays: atomic, normal",
        ),
        ("plain", "", "--variant neighbours", "does not play `neighbours`, it plays: atomic, normal"),
        ("start", BOOK_FEN, "", "engine `mock`: the engine sets up no positions (setboard=0)"),
        ("options", BOOK, "option.Threads=2", "no option `Threads`, the engine has: Style Of Play, Hash"),
        ("options", BOOK, "option.Style~Of~Play=no", "the engine reports: Error (bad value): option Style"),
        ("plain", BOOK, "nodes=5", "--engine 1: unknown key `nodes`"),
    ] {
        let book = if book.is_empty() { "e1e3 e8e6" } else { book };
        let Played { success, error, records, .. } = against_mock(behaviour, book, &format!("tc=60 {words}"));
        assert!(!success && records.is_empty() && error.contains(message), "{behaviour}: {error}");
    }
}
