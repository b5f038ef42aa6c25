//! Endgame tables of Neighbours in the engine and on the command line.
//!
//! `late_wins_are_not_lost` needs tables of three pieces a side, see `experiments/tables.md`.

use crate::common;
use crate::common::shell::{self, assert_fails, succeed};

use std::path::Path;
use std::process::Command;

use common::process::Process;
use labrys::engine::{Engine, SearchReport, Settings, registry};
use labrys::game::{Color, Wdl};
use labrys::search::{Control, Limits};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tempfile::TempDir;

/// Runs `labrys tables` for a folder: success, standard output, standard error.
fn run(folder: &Path, words: &str) -> (bool, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    command.arg("tables").args(words.split_whitespace()).arg("--out").arg(folder);
    shell::output(&mut command)
}

/// A folder with the tables of two pieces a side.
fn tables() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    succeed(run(folder.path(), "--variant neighbours --pieces 2"));
    folder
}

#[test]
fn the_command_builds_what_is_missing() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("new/tables");
    let (success, out, _) = run(&folder, "--variant neighbours --pieces 2 --total 3 --threads 1");
    assert!(success);
    let lines: Vec<_> = out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    assert_eq!(lines[1][..6], ["1v1", "518", "56", "462", "0", "1"]);
    assert_eq!(lines[2][..6], ["1v2", "15722", "2936", "12709", "77", "7"]);
    assert_eq!(lines[3][..6], ["2v1", "15722", "4450", "11246", "26", "6"]);
    assert_eq!(lines.len(), 4);
    let (_, again, _) = run(&folder, "--variant neighbours --pieces 2");
    assert_eq!(again.lines().filter(|line| line.ends_with(" (kept)")).count(), 3, "{again}");
    assert_eq!(again.lines().count(), 5);
    std::fs::write(parent.path().join("file"), "").unwrap();
    let file = parent.path().join("file");
    for (folder, words, expected) in [
        (&folder, "--variant chess --pieces 2", "chess has no endgame tables that can be built"),
        (&folder, "--variant go --pieces 2", "unknown variant `go`"),
        (&folder, "--variant neighbours --pieces 9", "no tables with 9 pieces a side"),
        (&folder, "--variant neighbours --pieces 3 --memory 1", "need 21 MiB of memory, and may have 1"),
        (&file, "--variant neighbours --pieces 1", &format!("`{}`", file.display())),
    ] {
        assert_fails(run(folder, words), expected);
    }
}

#[test]
fn the_engine_uses_tables() {
    let folder = tables();
    let path = folder.path().display();
    let mut engine = Process::neighbours();
    let is_table = |line: &&String| line.starts_with("tables: ");
    let won = "position fen 8/8/8/3p4/3P4/8/6p1/7P w 0 1";
    engine.send(won);
    assert_eq!(engine.ask("eval").iter().find(is_table), None);
    assert_eq!(engine.ask(&format!("setoption name TablePath value {path}")), [""; 0]);
    assert_eq!(engine.ask("eval").iter().find(is_table).unwrap(), "tables: win, distance 13");
    engine.send("position fen 8/8/8/3p4/3P4/8/6p1/7P w 88 60");
    assert_eq!(
        engine.ask("eval").iter().find(is_table).unwrap(),
        "tables: draw (win, too late for the 100-ply rule, distance 13)"
    );

    // Thirteen plies are not seen at depth 1.
    engine.send(&format!("{won}\ngo depth 1"));
    let info = engine.until("bestmove").into_iter().rfind(|line| line.contains(" score ")).unwrap();
    assert!(info.contains(" score cp 20000 ") && info.contains(" tbhits "), "{info}");
    // Three against two: a capture leads to the tables.
    engine.send("position fen 8/8/8/3p4/3P4/8/6p1/P6P w 0 1\ngo depth 3");
    let info = engine.until("bestmove").into_iter().rfind(|line| line.contains(" score ")).unwrap();
    assert!(info.contains(" tbhits ") && !info.contains(" tbhits 0 "), "{info}");

    let missing = folder.path().join("missing");
    let answer = engine.ask(&format!("setoption name TablePath value {}", missing.display()));
    let error = format!("info string error: option TablePath: `{}`: ", missing.display());
    assert!(answer.len() == 1 && answer[0].starts_with(&error), "{answer:?}");
    engine.send(won);
    assert!(engine.ask("eval").iter().any(|line| line.starts_with("tables: ")), "the tables stay");
    assert_eq!(engine.ask("setoption name TablePath value <empty>"), [""; 0]);
    assert_eq!(engine.ask("eval").iter().find(is_table), None);
}

#[test]
fn the_solver_uses_tables() {
    let folder = tables();
    let solve = |fen: &str, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        command.args(["solve", "--variant", "neighbours", "--fen", fen]).args(words);
        let (success, out, error) = shell::output(&mut command);
        assert!(success == error.is_empty(), "{error}");
        let last = out.lines().last().unwrap_or(&error);
        let words: Vec<_> = last.split(' ').map(str::to_owned).collect();
        (words[0].clone(), words[1].parse().unwrap_or(0_u64), out + &error)
    };
    let option = format!("TablePath={}", folder.path().display());
    // The clock decides: the win takes thirteen plies. The others lead to the tables by a capture.
    for (fen, expected) in [
        ("8/8/8/3p4/3P4/8/6p1/7P w 84 60", "win"),
        ("8/8/8/3p4/3P4/8/6p1/7P w 88 60", "draw"),
        ("8/8/8/3p4/3P4/8/6p1/P6P w 90 60", "draw"),
        ("8/8/8/3p4/3P4/8/6p1/P6P w 84 60", "win"),
        ("8/8/8/3p4/3P4/8/P5p1/7P b 84 60", "draw"),
    ] {
        let (value, nodes, _) = solve(fen, &[]);
        let (with, fewer, _) = solve(fen, &["--option", &option]);
        assert_eq!((&*value, &*with), (expected, expected), "{fen}");
        assert!(fewer < nodes, "{fen}: {fewer} nodes with tables, {nodes} without");
    }
    let proof = folder.path().join("proof").display().to_string();
    let (_, _, told) = solve("8/8/8/3p4/3P4/8/6p1/7P w 84 60", &["--option", &option, "--proof", &proof]);
    assert!(told.contains("a certificate rests on the rules alone"), "{told}");
    let (_, _, told) = solve("8/8/8/3p4/3P4/8/6p1/7P w 84 60", &["--option", "TablePth=x"]);
    assert!(told.contains("--option: unknown option `TablePth`"), "{told}");
}

/// An engine with a small table, and with endgame tables if there is a folder.
fn engine(folder: Option<&Path>) -> Box<dyn Engine> {
    let mut engine = registry::engine("neighbours", &Settings::default()).unwrap();
    engine.set_option("Hash", "4").unwrap();
    if let Some(folder) = folder {
        engine.set_option("TablePath", folder.to_str().unwrap()).unwrap();
    }
    engine
}

/// The best move of a search with a number of nodes.
fn best(engine: &mut dyn Engine, nodes: u64) -> String {
    let limits = Limits { nodes: Some(nodes), ..Limits::none() };
    let best = engine.search(&[], &limits, &Control::default(), &mut |_: &SearchReport| ()).unwrap();
    best.best.unwrap()
}

/// The pieces of White and of Black.
fn pieces(engine: &dyn Engine) -> [usize; 2] {
    let fen = engine.board().fen();
    let board = fen.split(' ').next().unwrap();
    ['P', 'p'].map(|piece| board.matches(piece).count())
}

/// The position of a game after some random moves and a quick search, as soon as no side has more than so
/// many pieces; `None` if the game ends before.
fn late_position(engine: &mut dyn Engine, random: &mut StdRng, most: usize) -> Option<String> {
    engine.board_mut().set_up(None, &[]).unwrap();
    engine.new_game();
    for ply in 0.. {
        if engine.board().outcome().is_some() {
            return None;
        }
        if pieces(engine).into_iter().all(|count| count <= most) {
            break;
        }
        let moves = engine.board().legal_moves();
        let mv = match ply {
            0..10 => moves[random.random_range(0..moves.len())].clone(),
            _ => best(engine, 200),
        };
        engine.board_mut().play(&mv).unwrap();
    }
    Some(engine.board().fen())
}

#[test]
fn wins_are_played_to_their_end() {
    let folder = tables();
    let (mut with, mut without) = (engine(Some(folder.path())), engine(None));
    let fen = "8/8/8/3p4/3P4/8/6p1/7P w 0 1";
    for clock in [0, 87] {
        let fen = fen.replace("w 0", &format!("w {clock}"));
        let [one, other] = play(&fen, with.as_mut(), without.as_mut(), Color::White, 100);
        assert_eq!((one.points, one.lost_wins, other.lost_wins), (Wdl::Win, 0, 0));
    }
}

/// How a game went for one of the engines.
struct Played {
    points: Wdl,
    /// 1 if the engine had a win by the tables, and did not win.
    lost_wins: u32,
}

/// Plays a game from a position: how it went for the engine with tables, which plays `color`, and for the
/// one without.
fn play(fen: &str, with: &mut dyn Engine, without: &mut dyn Engine, color: Color, nodes: u64) -> [Played; 2] {
    let mut had_win = [false; 2];
    let begin = |engine: &mut dyn Engine| {
        engine.board_mut().set_up(Some(fen), &[]).unwrap();
        engine.new_game();
    };
    begin(with);
    begin(without);
    let winner = loop {
        if let Some(outcome) = with.board().outcome() {
            break outcome.winner;
        }
        let is_with = with.board().side_to_move() == color;
        match with.table_breakdown().map(|tables| tables.result) {
            Some(Wdl::Win) => had_win[usize::from(!is_with)] = true,
            Some(Wdl::Loss) => had_win[usize::from(is_with)] = true,
            _ => (),
        }
        let mv = if is_with { best(with, nodes) } else { best(without, nodes) };
        with.board_mut().play(&mv).unwrap();
        without.board_mut().play(&mv).unwrap();
    };
    let points = Wdl::of(winner, color);
    let [one, other] = had_win;
    let lost = |had: bool, points: Wdl| u32::from(had && points != Wdl::Win);
    [
        Played { points, lost_wins: lost(one, points) },
        Played { points: !points, lost_wins: lost(other, !points) },
    ]
}

#[test]
#[ignore = "needs minutes and tables: TABLES=… cargo test --release --test solver late_wins -- --ignored"]
fn late_wins_are_not_lost() {
    let folder = std::env::var("TABLES").expect("TABLES names a folder");
    let (mut with, mut without) = (engine(Some(Path::new(&folder))), engine(None));
    let mut random = StdRng::seed_from_u64(1);
    let late = std::iter::repeat_with(|| late_position(without.as_mut(), &mut random, 4));
    let fens: Vec<_> = { late }.flatten().take(400).collect();
    let (mut score, mut lost_wins) = ([0; 3], [0; 2]);
    for (fen, color) in fens.iter().flat_map(|fen| Color::BOTH.map(|color| (fen, color))) {
        let played = play(fen, with.as_mut(), without.as_mut(), color, 500);
        score[played[0].points as usize] += 1;
        for (sum, played) in lost_wins.iter_mut().zip(played) {
            *sum += played.lost_wins;
        }
    }
    let [losses, draws, wins] = score;
    println!("with tables: {wins} wins, {draws} draws, {losses} losses");
    println!("lost wins with tables {}, without {}", lost_wins[0], lost_wins[1]);
    assert_eq!(lost_wins[0], 0);
}
