//! The command `suite`, and the suites in `suites/`: their claims and what the engine solves of them.

use crate::common::shell::{self, assert_fails, signal_at, succeed};

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use labrys::engine::suite::{Goal, SuitePosition, read};
use labrys::engine::{Engine, Settings};
use labrys::game::epd::Epd;
use labrys::game::tucchess::TucChess;
use labrys::game::{Color, Game, Wdl};
use labrys::search::{Control, Limits};
use labrys::solver::{self, SolveTask};
use serde_json::Value as Json;

/// The shipped suites: file, game, nodes that are enough to solve all positions.
const SUITES: [(&str, &str, u64); 5] = [
    ("chess-mates.epd", "chess", 5_000_000),
    ("chess-tactics.epd", "chess", 500_000),
    ("neighbours.epd", "neighbours", 10_000),
    ("tucchess.epd", "tucchess", 20_000),
    ("amazons.epd", "amazons", 20_000),
];

/// Three positions with a mate in one. Two of them ask for it, the third for any other move.
const SMALL: &str = "\
# a comment

6k1/5ppp/8/8/8/8/8/4R2K w - - bm Re8#; id \"back rank\";
6k1/5ppp/8/8/8/8/8/4R2K w - - am e1e8;
k7/2Q5/1K6/8/8/8/8/8 w - - dm 1; c0 \"Kc6=7, Kb5=3\";
";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("suites")
}

/// Runs `labrys suite` on a file.
fn suite(file: &Path, arguments: &[&str]) -> (bool, String, String) {
    let mut labrys = Command::new(env!("CARGO_BIN_EXE_labrys"));
    shell::output(labrys.arg("suite").arg(file).args(arguments))
}

/// Runs `labrys suite` on a text, with 1,000 nodes per position.
fn suite_of(text: impl AsRef<[u8]>, arguments: &[&str]) -> (bool, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.epd");
    fs::write(&file, text).unwrap();
    suite(&file, &[&["--nodes", "1000"], arguments].concat())
}

fn json(out: &str) -> Json {
    serde_json::from_str(out).unwrap()
}

/// The positions of a shipped suite.
fn positions(file: &str, engine: &mut dyn Engine) -> Vec<SuitePosition> {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    read(&text, engine.board_mut()).into_iter().map(Result::unwrap).collect()
}

#[test]
fn the_engine_solves_every_shipped_suite() {
    let listed = SUITES.map(|(file, ..)| file.to_owned());
    let files =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(files.collect::<BTreeSet<_>>(), listed.into());
    for (file, variant, nodes) in SUITES {
        let nodes = nodes.to_string();
        let arguments = ["--variant", variant, "--nodes", &nodes, "--strict", "--json"];
        let out = succeed(suite(&folder().join(file), &arguments));
        let report = json(&out);
        let positions = report["positions"].as_array().unwrap();
        assert!(positions.len() >= 15, "{file}");
        for position in positions {
            assert_eq!(position["solved"], true, "{file}: {position}");
            // A shorter mate than Stockfish's would be wrong.
            if let Some(moves) = position["expected"].as_str().unwrap().strip_prefix("dm ") {
                assert_eq!(position["score"], format!("mate {moves}"), "{file}: {position}");
            }
        }
    }
}

#[test]
fn the_winning_moves_of_the_suites_are_complete() {
    for variant in ["neighbours", "amazons"] {
        let mut prover = solver::engine(variant, &Settings::default()).unwrap();
        for SuitePosition { fen, goal, .. } in positions(&format!("{variant}.epd"), prover.engine_mut()) {
            prover.engine_mut().board_mut().set_up(Some(&fen), &[]).unwrap();
            let mut winning = prover.engine().board().legal_moves();
            winning.retain(|mv| {
                prover.engine_mut().board_mut().set_up(Some(&fen), std::slice::from_ref(mv)).unwrap();
                let task = SolveTask { resources: 16.into(), known: &[], regions: None, proof: None };
                let mut solution = None;
                let mut keep = |found| solution = Some(found);
                prover.solve(&task, &Limits::none(), &Control::default(), &mut keep).unwrap();
                let solution = solution.unwrap();
                solution.value == Some(Wdl::Loss)
            });
            let Goal::Best(moves) = goal else { panic!("{fen}: {goal:?}") };
            assert_eq!(BTreeSet::from_iter(winning), BTreeSet::from_iter(moves), "{fen}");
        }
    }
}

/// Whether `player` wins within `plies` plies, whatever chance brings.
fn wins(position: &TucChess, player: Color, plies: u32) -> bool {
    if let Some(outcome) = position.outcome() {
        return outcome.winner == Some(player);
    }
    if plies == 0 {
        return false;
    }
    let moves = position.moves();
    match position.side_to_move() == player {
        true => moves.into_iter().any(|mv| wins_by(position, mv, player, plies)),
        false => moves.into_iter().all(|mv| wins_by(position, mv, player, plies)),
    }
}

/// Whether `player` wins within `plies` plies, of which the move is the first.
fn wins_by(position: &TucChess, mv: <TucChess as Game>::Move, player: Color, plies: u32) -> bool {
    let mut outcomes = Vec::new();
    position.outcomes(mv, &mut outcomes);
    outcomes.iter().all(|&(mv, _)| {
        let mut child = *position;
        child.play(mv);
        wins(&child, player, plies - 1)
    })
}

#[test]
fn the_certain_wins_are_complete() {
    let text = fs::read_to_string(folder().join("tucchess.epd")).unwrap();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let epd = Epd::parse(line, |fen| TucChess::from_fen(fen).map(drop)).unwrap();
        let position = TucChess::from_fen(&epd.fen).unwrap();
        let plies: u32 = epd.operand("acd").unwrap().parse().unwrap();
        let mut winning = position.moves();
        winning.retain(|&mv| wins_by(&position, mv, position.side_to_move(), plies));
        let winning = winning.into_iter().map(|mv| position.move_text(mv));
        assert_eq!(
            winning.collect::<BTreeSet<_>>(),
            epd.operands("bm").unwrap().iter().cloned().collect(),
            "{line}"
        );
    }
}

#[test]
fn each_position_has_its_line_and_the_sums_follow() {
    let (success, out, error) = suite_of(SMALL, &[]);
    assert!(success && error.is_empty(), "{error}");
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 5, "{out}");
    assert!(lines[0].starts_with("back rank: bm Re8#, found Re8# (mate 1): ok, depth 1, "), "{out}");
    assert!(lines[1].starts_with("line 4: am Re8#, found Re8# (mate 1): WRONG, depth "), "{out}");
    assert!(lines[2].starts_with("line 5: dm 1, found Q"), "{out}");
    assert_eq!(lines[3], "2 of 3 solved, 0 of 7 points");
    assert!(lines[4].contains(" nodes ") && lines[4].ends_with(" s"), "{out}");
    // With a node limit, all but the time is reproducible.
    let without_time = |out: &str| {
        let lines = out.lines().map(|line| line.rsplit_once(", ").map_or("", |(line, _)| line).to_owned());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(without_time(&suite_of(SMALL, &[]).1), without_time(&out));
}

#[test]
fn the_result_is_written_as_json() {
    let (success, out, _) = suite_of(format!("{SMALL}7k/8/8/8/8/8/8/K7 w - -\n"), &["--json"]);
    let report = json(&out);
    assert!(success && report["complete"] == true);
    assert_eq!((&report["solved"], &report["left_out"]), (&2.into(), &1.into()));
    assert_eq!((&report["points"], &report["most_points"]), (&0.into(), &7.into()));
    let first = &report["positions"][0];
    assert_eq!(
        (&first["id"], &first["line"], &first["solved"]),
        (&"back rank".into(), &3.into(), &true.into())
    );
    assert_eq!((&first["found"], &first["score"]), (&"Re8#".into(), &"mate 1".into()));
    assert_eq!(first["fen"], "6k1/5ppp/8/8/8/8/8/4R2K w - -");
    let nodes = report["positions"].as_array().unwrap().iter().map(|row| row["nodes"].as_u64().unwrap());
    assert!(nodes.sum::<u64>() <= report["nodes"].as_u64().unwrap());
}

#[test]
fn bad_lines_are_left_out_unless_the_reading_is_strict() {
    let text = format!("{SMALL}6k1/8/8/8/8/8/8/K7 w - - id \"cut\n6k1/8/8/8/8/8/8/4R2K w - - bm Qe8;\n");
    let (success, out, error) = suite_of(&text, &["--require", "2"]);
    assert!(success && out.contains("2 of 3 solved, 0 of 7 points, 2 left out"), "{out}");
    for message in ["line 6: nothing to find, expected one of the operations", "line 7: bm: `Qe8`"] {
        assert!(error.contains(message), "{error}");
    }
    let (success, out, error) = suite_of(&text, &["--strict"]);
    assert!(!success && out.is_empty() && error.contains("test.epd, line 6: nothing to find"), "{error}");
    // A file from another system: Latin-1, a byte order mark, CRLF.
    let foreign = b"\xef\xbb\xbf6k1/5ppp/8/8/8/8/8/4R2K w - - bm Re8; id \"M\xfcller\";\r\n";
    assert!(suite_of(foreign, &["--strict", "--require", "1"]).0);
    // With old line ends, in UTF-16, and with an unclosed string.
    let line = "6k1/5ppp/8/8/8/8/8/4R2K w - - bm Re8; id \"M\u{fc}ller\r";
    let utf16: Vec<u8> = format!("\u{feff}{line}{line}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for text in [line.repeat(2).as_bytes(), &utf16] {
        let (success, out, error) = suite_of(text, &["--strict", "--require", "2"]);
        assert!(success && out.contains("M\u{fc}ller"), "{out}{error}");
    }
}

#[test]
fn too_few_solutions_are_a_failure() {
    assert!(suite_of(SMALL, &["--require", "2"]).0);
    let (success, out, error) = suite_of(SMALL, &["--require", "3"]);
    assert!(!success && out.contains("2 of 3 solved"), "{out}");
    assert!(error.contains("test.epd: 2 solved, 3 required"), "{error}");
}

#[test]
fn a_suite_of_another_game_is_recognized() {
    let (success, out, error) = suite(&folder().join("amazons.epd"), &["--nodes", "1"]);
    assert!(!success && out.is_empty() && error.contains("looks like variant `amazons`"), "{error}");
}

#[test]
fn the_engine_has_its_options() {
    let out = succeed(suite_of(SMALL, &["--option", "SearchMode=random", "--option", "Hash=1"]));
    assert!(out.contains(" of 3 solved"), "{out}");
    assert!(!out.contains("mate 1"), "a search without scores: {out}");
    let castling = "4k3/8/8/8/8/8/8/4K2R w K - am O-O;";
    let of_960 = suite_of(castling, &["--option", "UCI_Chess960=true", "--option", "Seed=1"]);
    assert!(of_960.0 && of_960.1.contains("am O-O"), "{}", of_960.2);
}

#[test]
fn errors_name_the_argument_or_the_file() {
    let mates = folder().join("chess-mates.epd");
    for (arguments, message) in [
        (&[][..], "missing --movetime S, --nodes N or --depth N"),
        (&["--depth", "0"], "--depth `0`: expected a whole number from 1 to 128"),
        (&["--movetime", "x"], "expected seconds"),
        (&["--depth", "1", "--variant", "go"], "unknown variant `go`"),
        (&["--depth", "1", "--option", "Hush=1"], "unknown option `Hush`"),
        (&["--depth", "1", "--variant", "tucchess"], "chess-mates.epd: no position in it"),
    ] {
        assert_fails(suite(&mates, arguments), message);
    }
    assert_fails(suite(Path::new("/no/such/file"), &["--depth", "1"]), "cannot read /no/such/file");
}

/// Ctrl-C ends the running search and prints the results so far.
#[cfg(unix)]
#[test]
fn an_interrupted_suite_prints_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.epd");
    // The mate ends the first search; the second would take an hour.
    fs::write(&file, "6k1/5ppp/8/8/8/8/8/4R2K w - - dm 1;\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;\n").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_labrys"))
        .arg("suite")
        .arg(&file)
        .args(["--movetime", "3600"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let out = child.stdout.take().unwrap();
    let told = signal_at(&child, out, "ok", "-INT");
    assert!(told.contains("\n1 of 1 solved"), "{told}");
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("interrupted after 1 of 2 positions"), "{error}");
}
