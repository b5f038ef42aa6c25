//! Pondering in matches, with a scripted engine, and games that endgame tables decide.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::common::shell::{output, succeed};

/// Runs a match of two games between a scripted engine that ponders and one that does not. Returns the result,
/// and the lines that the first engine got.
fn against(folder: &TempDir, behaviour: &str, keys: &str) -> (Value, Vec<String>) {
    let script: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "common", "mock_ponder.sh"].iter().collect();
    let log = folder.path().join(behaviour);
    let engine = |name: &str, behaviour: &str| {
        format!("--engine name={name} cmd=sh arg={} arg={behaviour}", script.display())
    };
    let words = format!(
        "match {} ponder=on {keys} {} --each tc=60+30 --games 2 --random-plies 0 --max-moves 4 --json \
         --log {}",
        engine("one", behaviour),
        engine("two", "none"),
        log.display()
    );
    let text = succeed(output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(words.split_whitespace())));
    let log = std::fs::read_to_string(log).unwrap();
    let lines = log.lines().filter_map(|line| line.split_once(" one[")?.1.split_once("] < "));
    (serde_json::from_str(&text).unwrap(), lines.map(|(_, line)| line.to_owned()).collect())
}

/// The time that a line of `go` gives a player.
fn clock(line: &str, name: &str) -> u64 {
    line.split(' ').skip_while(|word| *word != name).nth(1).unwrap().parse().unwrap()
}

#[test]
fn an_engine_ponders_on_the_reply_that_it_expects() {
    let folder = tempdir().unwrap();
    let (result, lines) = against(&folder, "good", "");
    assert_eq!(result["pairings"][0]["draws"], 2, "{result}");
    assert_eq!(
        lines.iter().filter(|line| *line == "setoption name Ponder value true").count(),
        2,
        "{lines:?}"
    );
    // From the first search on, without what keeps the engine in step.
    let said: Vec<_> =
        lines.iter().filter(|line| *line != "isready" && !line.starts_with("setoption")).collect();
    let words = |line: &str| match line.strip_prefix("position fen ") {
        Some(position) => position.split_once(" moves ").map_or("-", |(_, moves)| moves).to_owned(),
        None if line.starts_with("go ") => line.split(" wtime").next().unwrap().to_owned(),
        None => line.to_owned(),
    };
    let said: Vec<_> = said.into_iter().map(|line| words(line)).collect();
    let game = said.split(|line| line == "ucinewgame").nth(1).unwrap();
    assert_eq!(
        game,
        [
            "-",
            "go",
            "g1f3 g8f6",
            "go ponder",
            "ponderhit",
            "g1f3 g8f6 f3g1 a7a6",
            "go ponder",
            "stop",
            "g1f3 g8f6 f3g1 f6g8",
            "go",
            "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6",
            "go ponder",
            "ponderhit",
            "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 a7a6",
            "go ponder",
            "stop",
        ]
    );
    // The clocks are those after its move: its own has the increment, which is longer than any slow move.
    let first = lines.iter().find(|line| line.starts_with("go ponder")).unwrap();
    assert!(first.contains(" winc 30000 ") && first.ends_with("binc 30000"), "{first}");
    let [own, other] = ["wtime", "btime"].map(|name| clock(first, name));
    assert!((90_001..=120_000).contains(&own) && other == 90_000, "{first}");
}

#[test]
fn an_engine_that_fails_while_it_ponders_loses() {
    let folder = tempdir().unwrap();
    for (behaviour, kind) in [("crash", "crash"), ("deaf", "stall")] {
        let (result, _) = against(&folder, behaviour, "");
        assert_eq!(result["players"][0]["forfeits"][kind], 2, "{behaviour}: {result}");
    }
    let (result, _) = against(&folder, "early", "");
    assert_eq!(result["pairings"][0]["draws"], 2, "an answer before its time counts: {result}");
}

#[test]
fn an_engine_that_cannot_ponder_is_refused() {
    let folder = tempdir().unwrap();
    let script: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "common", "mock_ponder.sh"].iter().collect();
    let words = format!(
        "match --engine cmd=sh arg={} arg=none ponder=on nodes=1 --engine nodes=1 --games 2 --pgnout {}",
        script.display(),
        folder.path().join("games").display()
    );
    let (success, _, error) =
        output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(words.split_whitespace()));
    assert!(!success && error.contains("no option `Ponder`"), "{error}");
}

/// Labrys itself, in both games of a pair, with hits and misses.
#[test]
fn labrys_ponders() {
    let folder = tempdir().unwrap();
    let log = folder.path().join("log");
    let words = format!(
        "match --engine cmd={} ponder=on tc=5+0.01 --engine name=other nodes=300 --games 2 --max-moves 12 --json \
         --log {}",
        env!("CARGO_BIN_EXE_labrys"),
        log.display()
    );
    let text = succeed(output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(words.split_whitespace())));
    let result: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(result["games_played"], 2, "{result}");
    for player in 0..2 {
        let forfeits = result["players"][player]["forfeits"].as_object().unwrap();
        assert!(forfeits.values().all(|count| *count == 0), "{result}");
    }
    let log = std::fs::read_to_string(log).unwrap();
    let count = |text: &str| log.lines().filter(|line| line.contains(text)).count();
    // A process is told to stop before it has to quit.
    let (begun, ended) = (count("< go ponder"), count("< ponderhit") + count("< stop") - count("< quit"));
    assert!(begun > 4 && begun == ended, "{begun} {ended}");
}

/// A game ends as soon as the tables have its position, and they have their say on it.
#[test]
fn tables_decide_games() {
    let folder = tempdir().unwrap();
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy");
    let (openings, games) = (folder.path().join("openings"), folder.path().join("games"));
    // The only legal move captures the queen.
    std::fs::write(&openings, "7k/8/8/8/8/8/1q6/K5R1 w - - 0 1\n").unwrap();
    let run = |tables: &str, out: &str| {
        let words = format!(
            "match --engine name=a nodes=9 --engine name=b nodes=9 --games 2 --openings {} --tb {tables} {out}",
            openings.display()
        );
        output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(words.split_whitespace()))
    };
    succeed(run(tables.to_str().unwrap(), &format!("--pgnout {}", games.display())));
    let records = std::fs::read_to_string(&games).unwrap();
    assert_eq!(records.matches("White wins: endgame tables").count(), 2, "{records}");
    assert_eq!(records.matches("1. Kxb2").count(), 2, "{records}");
    for bad in ["/no/such/folder", folder.path().to_str().unwrap()] {
        let (success, _, error) = run(bad, "");
        assert!(!success && error.contains("endgame tables") && error.contains(bad), "{error}");
    }
}
