//! Endgame tables of chess: results, use in searches, and invalid files.

use crate::common;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::process::Process;
use labrys::engine::{Engine, SearchReport, Settings, registry};
use labrys::eval::UciScore;
use labrys::game::chess::{Chess, ChessMove};
use labrys::game::{
    Color, EndgameTables, Game, GameHistory, Knowledge, SharedTables, TableMoves, TableOptions, TablesError,
    Wdl,
};
use labrys::search::{Control, Limits};
use labrys::solver::{KnownValues, Solver, with_solver};

/// The tables of three men.
const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");

/// A tablebase win `ply` plies from the root.
fn tb_win_in(ply: i32) -> UciScore {
    UciScore::Centi(20_000 - ply)
}

fn tables() -> SharedTables<Chess> {
    let mut tables = None;
    Chess::open_tables(&mut tables, TABLES).unwrap();
    tables.unwrap()
}

fn engine() -> Box<dyn Engine> {
    let mut engine = registry::engine("chess", &Settings::default()).unwrap();
    engine.set_option("SyzygyPath", TABLES).unwrap();
    engine
}

/// The best of some moves of a position, or of all, with the last report of the search.
fn search(engine: &mut dyn Engine, moves: &[&str], depth: u32) -> (String, SearchReport) {
    let moves: Vec<_> = moves.iter().map(|&mv| mv.to_owned()).collect();
    let mut last = None;
    let listener = &mut |report: &SearchReport| last = Some(report.clone());
    let best = engine.search(&moves, &Limits::depth(depth), &Control::default(), listener).unwrap();
    (best.best.unwrap(), last.unwrap())
}

/// All positions of king and pawn on the files a to d against king.
fn king_and_pawn() -> Vec<Chess> {
    let mut positions = Vec::new();
    for (white, black) in (0..64).flat_map(|white| (0..64).map(move |black| (white, black))) {
        for pawn in (8..56).filter(|pawn| pawn % 8 < 4 && *pawn != white && *pawn != black) {
            for stm in ["w", "b"] {
                let man = |square| match square {
                    _ if square == white => "K",
                    _ if square == black => "k",
                    _ if square == pawn => "P",
                    _ => "1",
                };
                let rank = |rank: usize| (8 * rank..8 * rank + 8).map(man).collect::<String>();
                let board: Vec<_> = (0..8).rev().map(rank).collect();
                let empty =
                    |board: String, count: usize| board.replace(&"1".repeat(count), &count.to_string());
                let board = (2..=8).rev().fold(board.join("/"), empty);
                positions.extend(Chess::from_fen(&format!("{board} {stm} - - 0 1")));
            }
        }
    }
    positions
}

fn children(position: &Chess) -> impl Iterator<Item = Chess> {
    position.moves().into_iter().map(|mv| position.after(mv))
}

/// Whether White wins a position that king and pawn against king lead to at once.
fn is_won_ending(position: &Chess) -> bool {
    match position.outcome() {
        Some(outcome) => outcome.winner == Some(Color::White),
        // A knight or a bishop cannot win, a queen or a rook wins unless it is lost.
        None => !position.is_dead() && children(position).all(|child| !child.is_dead()),
    }
}

#[test]
fn the_tables_of_king_and_pawn_agree_with_retrograde_analysis() {
    let positions = king_and_pawn();
    let index: HashMap<_, _> = positions.iter().zip(0..).map(|(position, n)| (position.key(), n)).collect();
    let is_won = |child: &Chess, wins: &[bool]| match index.get(&child.key()) {
        Some(&n) => wins[n],
        None => is_won_ending(child),
    };
    let mut wins = vec![false; positions.len()];
    let mut count = 0;
    loop {
        for (n, position) in positions.iter().enumerate().filter(|(_, position)| !position.is_terminal()) {
            wins[n] = wins[n]
                || match position.side_to_move() {
                    Color::White => children(position).any(|child| is_won(&child, &wins)),
                    Color::Black => children(position).all(|child| is_won(&child, &wins)),
                };
        }
        let before = std::mem::replace(&mut count, wins.iter().filter(|&&win| win).count());
        if before == count {
            break;
        }
    }
    assert_eq!(count, 111_282, "the wins that Stockfish counts");
    let tables = tables();
    for (position, win) in positions.iter().zip(wins) {
        let expected = match position.side_to_move() {
            _ if !win => Wdl::Draw,
            Color::White => Wdl::Win,
            Color::Black => Wdl::Loss,
        };
        assert_eq!(tables.probe(position), Some(expected), "{}", position.fen());
    }
}

#[test]
fn positions_with_castling_or_a_running_clock_have_no_result() {
    let tables = tables();
    let probe = |fen| tables.probe(&Chess::from_fen(fen).unwrap());
    assert_eq!(probe("4k3/8/8/8/8/8/8/4K2R w - - 0 1"), Some(Wdl::Win));
    assert_eq!(probe("4k2r/8/8/8/8/8/8/4K3 w - - 0 1"), Some(Wdl::Loss));
    assert_eq!(probe("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), None, "castling");
    assert_eq!(probe("4k3/8/8/8/8/8/8/4K2R w - - 1 1"), None, "the clock runs");
    assert_eq!(probe("4k3/8/8/8/8/8/8/3QK2R w - - 0 1"), None, "four men");
}

#[test]
fn results_of_the_tables_are_seen_at_depth_one() {
    let mut engine = engine();
    for (fen, best, score) in [
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", None, tb_win_in(0)),
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", None, -tb_win_in(0)),
        // Who has the opposition?
        ("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1", None, -tb_win_in(0)),
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", None, UciScore::Centi(0)),
        ("8/8/4k3/8/3K4/4P3/8/8 w - - 0 1", Some("d4e4"), tb_win_in(0)),
        ("3k4/8/3PK3/8/8/8/8/8 b - - 0 1", Some("d8e8"), UciScore::Centi(0)),
        ("k7/8/1K6/P7/8/8/8/8 w - - 0 1", None, UciScore::Centi(0)),
        // A queen would be stalemate.
        ("8/k1P5/2K5/8/8/8/8/8 w - - 0 1", None, tb_win_in(0)),
        // The win takes longer than the fifty-move rule allows.
        ("8/8/8/3k4/8/8/8/KQ6 w - - 90 100", None, UciScore::Centi(0)),
    ] {
        engine.board_mut().set_up(Some(fen), &[]).unwrap();
        let (mv, report) = search(engine.as_mut(), &[], 1);
        assert_eq!(report.score, score, "{fen}");
        assert!(report.tbhits > Some(0), "{fen}");
        assert!(best.is_none_or(|best| best == mv), "{fen}: {mv}");
    }
}

/// In a Monte Carlo search, too, the expected result is that of the tables, not that of the simulations.
#[test]
fn the_expected_result_of_a_position_in_the_tables_is_certain() {
    let mut engine = engine();
    for (name, value) in [("SearchMode", "mcts"), ("PlayoutPlies", "0"), ("UCI_ShowWDL", "true")] {
        engine.set_option(name, value).unwrap();
    }
    engine.board_mut().set_up(Some("8/8/3k4/8/3PK3/8/8/8 w - - 0 1"), &[]).unwrap();
    let mut last = None;
    let listener = &mut |report: &SearchReport| last = Some(report.clone());
    engine.search(&[], &Limits::nodes(2_000), &Control::default(), listener).unwrap();
    let report = last.unwrap();
    assert_eq!((report.score, report.visits.unwrap().mean), (UciScore::Centi(0), 0.5));
    let [win, _, loss] = report.wdl.unwrap();
    assert_eq!(win, loss);
}

#[test]
fn a_win_is_played_to_its_end_within_the_fifty_move_rule() {
    let mut engine = engine();
    for fen in [
        "8/8/8/3k4/8/8/8/KQ6 w - - 0 1",
        "8/8/8/3k4/8/8/8/KR6 w - - 0 1",
        "8/8/8/3k4/8/8/8/KR6 w - - 68 80",
        "8/8/8/3k4/8/8/8/KQ6 w - - 82 90",
        "8/8/8/4k3/8/8/3KP3/8 w - - 60 80",
    ] {
        let mut moves = Vec::new();
        engine.board_mut().set_up(Some(fen), &[]).unwrap();
        while engine.board().outcome().is_none() {
            moves.push(search(engine.as_mut(), &[], 2).0);
            engine.board_mut().set_up(Some(fen), &moves).unwrap();
        }
        let outcome = engine.board().outcome().unwrap();
        assert_eq!(outcome.winner, Some(Color::White), "{fen}: {outcome} after {moves:?}");
    }
}

#[test]
fn captures_into_the_tables_are_looked_up() {
    let mut engine = engine();
    let mut best = |fen, moves: &[&str]| {
        engine.board_mut().set_up(Some(fen), &[]).unwrap();
        engine.new_game();
        let (mv, report) = search(engine.as_mut(), moves, 3);
        (mv, report.score, report.tbhits > Some(0))
    };
    let (mv, score, is_hit) = best("6k1/3p4/4K3/4P3/8/8/8/8 w - - 0 1", &[]);
    assert_eq!((mv.as_str(), score, is_hit), ("e6d7", tb_win_in(1), true));
    let (_, score, is_hit) = best("8/8/8/8/3k4/4p3/3P4/6K1 w - - 0 1", &["d2e3"]);
    assert_eq!((score, is_hit), (UciScore::Centi(0), true), "Kxe3 draws");
    let (_, score, _) = best("7k/Q5p1/6K1/8/8/8/8/8 w - - 0 1", &["a7g7", "a7a6"]);
    assert_eq!(score, UciScore::Mate(1), "a mate is better than the tables");
}

/// `SyzygyProbeLimit` counts everywhere, `SyzygyProbeDepth` below the root.
#[test]
fn tables_are_probed_within_their_options() {
    let mut engine = engine();
    let mut hits = |name: &str, value: &str, fen: &str| {
        engine.set_option(name, value).unwrap();
        engine.board_mut().set_up(Some(fen), &[]).unwrap();
        search(engine.as_mut(), &[], 4).1.tbhits.unwrap_or(0)
    };
    let (in_tables, near_tables) = ("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "8/8/8/8/3k4/4p3/3P4/6K1 w - - 0 1");
    assert!(hits("SyzygyProbeLimit", "3", in_tables) > 0);
    let free = hits("SyzygyProbeDepth", "1", near_tables);
    let some = hits("SyzygyProbeDepth", "3", near_tables);
    assert!(some < free && some > 0, "{some} of {free}");
    assert_eq!(hits("SyzygyProbeDepth", "100", near_tables), 0);
    assert!(hits("SyzygyProbeDepth", "100", in_tables) > 0, "the root");
    assert_eq!(hits("SyzygyProbeLimit", "2", in_tables), 0);
    // New tables have the same options.
    assert_eq!(hits("SyzygyPath", TABLES, in_tables), 0);
    assert!(hits("SyzygyProbeLimit", "7", in_tables) > 0);
    let error = engine.set_option("SyzygyProbeLimit", "8").unwrap_err().to_string();
    assert_eq!(error, "option SyzygyProbeLimit: `8` is not a whole number from 0 to 7");
}

/// The answer of the engine to a path.
fn set_path(engine: &mut Process, path: &str) -> Vec<String> {
    engine.ask(&format!("setoption name SyzygyPath value {path}"))
}

/// Whether the engine has tables.
fn has_tables(engine: &mut Process) -> bool {
    engine.send("position fen 8/8/8/3k4/8/8/8/KQ6 w - - 0 1\ngo depth 1");
    engine.until("bestmove").iter().any(|line| line.contains(" tbhits "))
}

/// Copies tables into a new folder.
fn copy(to: &Path, names: &[&str]) -> String {
    fs::create_dir(to).unwrap();
    for file in names.iter().flat_map(|name| ["rtbw", "rtbz"].map(|extension| format!("{name}.{extension}")))
    {
        fs::copy(Path::new(TABLES).join(&file), to.join(&file)).unwrap();
    }
    to.to_str().unwrap().to_owned()
}

#[test]
fn missing_and_damaged_tables_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut engine = Process::start();
    assert!(!has_tables(&mut engine));
    assert_eq!(set_path(&mut engine, TABLES), [""; 0]);
    assert!(has_tables(&mut engine));

    let missing = path("missing").display().to_string();
    let empty = copy(&path("empty"), &[]);
    let incomplete = copy(&path("incomplete"), &["KPvK"]);
    let good = copy(&path("good"), &["KQvK"]);
    let damaged = |name: &str, file: &str, damage: &dyn Fn(&mut Vec<u8>)| {
        let folder = copy(&path(name), &["KQvK", "KRvK"]);
        let file = format!("{folder}/{file}");
        let mut bytes = fs::read(&file).unwrap();
        damage(&mut bytes);
        fs::write(&file, bytes).unwrap();
        (folder, format!("`{file}`: damaged table, "))
    };
    let tables = [
        damaged("nothing", "KRvK.rtbw", &|bytes| bytes.clear()),
        damaged("short", "KRvK.rtbw", &|bytes| bytes.truncate(150)),
        damaged("cut", "KRvK.rtbz", &|bytes| bytes.truncate(64 * 20)),
        damaged("shorter", "KRvK.rtbz", &|bytes| bytes.truncate(64 * 20 + 16)),
        damaged("long", "KRvK.rtbz", &|bytes| bytes.push(0)),
        damaged("magic", "KQvK.rtbw", &|bytes| bytes[1] ^= 1),
        // The only result of one side.
        damaged("result", "KQvK.rtbw", &|bytes| bytes[11] = 13),
        damaged("header", "KRvK.rtbz", &|bytes| bytes[14..18].fill(0xFF)),
        damaged("codes", "KRvK.rtbz", &|bytes| bytes[18] = 0),
        damaged("pawns", "KRvK.rtbw", &|bytes| bytes[4] ^= 2),
        damaged("kind", "KQvK.rtbz", &|bytes| {
            *bytes = fs::read(Path::new(TABLES).join("KQvK.rtbw")).unwrap();
        }),
    ];
    let others = [
        (missing.clone(), format!("`{missing}`: ")),
        (empty.clone(), format!("`{empty}`: no endgame tables")),
        (format!("{good}:{empty}"), format!("`{empty}`: no endgame tables")),
        (":".to_owned(), "`:`: no endgame tables".to_owned()),
        (incomplete, "table KPvK needs K".to_owned()),
    ];
    for (path, error) in tables.into_iter().chain(others) {
        let answer = set_path(&mut engine, &path);
        assert_eq!(answer.len(), 1, "{path}: {answer:?}");
        let start = format!("info string error: option SyzygyPath: {error}");
        assert!(answer[0].starts_with(&start), "{path}: {answer:?}");
        assert!(has_tables(&mut engine), "{path}");
    }

    for path in ["<empty>", ""] {
        assert_eq!(set_path(&mut engine, path), [""; 0]);
        assert!(!has_tables(&mut engine));
    }
}

#[test]
fn several_folders_make_one_set_of_tables() {
    let folder = tempfile::tempdir().unwrap();
    let one = copy(&folder.path().join("one"), &["KQvK", "KRvK"]);
    let two = copy(&folder.path().join("two"), &["KPvK", "KBvK", "KNvK"]);
    let mut engine = Process::start();
    let mut is_pawn_known = |path: &str| {
        assert_eq!(set_path(&mut engine, path), [""; 0]);
        engine.send("position fen 4k3/8/4K3/4P3/8/8/8/8 w - - 0 1\ngo depth 1");
        engine.until("bestmove").iter().any(|line| line.contains(" tbhits ") && !line.contains(" tbhits 0 "))
    };
    assert!(!is_pawn_known(&one));
    assert!(is_pawn_known(&format!("{one}:{two}")));
    assert!(!is_pawn_known(&one));
    assert!(is_pawn_known(&format!("{two}:{one}")));
    // Results without distances.
    for folder in [&one, &two] {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let distances = files.filter(|path| path.extension().unwrap() == "rtbz");
        distances.for_each(|path| fs::remove_file(path).unwrap());
    }
    let path = &format!("{one}:{two}");
    assert!((0..3).all(|_| is_pawn_known(path)));
}

#[test]
fn a_process_has_one_set_of_tables() {
    let folder = tempfile::tempdir().unwrap();
    let other = copy(&folder.path().join("other"), &["KQvK"]);
    let _held = tables();
    let mut second = None;
    assert!(matches!(Chess::open_tables(&mut second, &other), Err(TablesError::InUse)));
    assert!(second.is_none());
    Chess::open_tables(&mut second, TABLES).unwrap();
    assert!(matches!(Chess::open_tables(&mut second, &other), Err(TablesError::InUse)));
    assert!(second.is_some(), "the tables stay");
}

/// Tables in which White wins, but not within fifty moves.
#[derive(Debug)]
struct Cursed(TableOptions);

impl EndgameTables<Chess> for Cursed {
    fn probe(&self, position: &Chess) -> Option<Wdl> {
        let white_to_move = position.side_to_move() == Color::White;
        Some(match (self.0.progress_rule, white_to_move) {
            (true, _) => Wdl::Draw,
            (false, true) => Wdl::Win,
            (false, false) => Wdl::Loss,
        })
    }

    fn options(&self) -> TableOptions {
        self.0
    }

    fn with_options(&self, options: TableOptions) -> Option<SharedTables<Chess>> {
        Some(Arc::new(Cursed(options)))
    }

    fn best_moves(
        &self,
        _: &Chess,
        _: &GameHistory<Chess>,
        _: &[ChessMove],
    ) -> Option<TableMoves<ChessMove>> {
        None
    }
}

/// Results are those of the rules, and may be kept in files.
#[test]
fn proofs_count_the_fifty_move_rule_whatever_searches_do() {
    let position = Chess::from_fen("8/8/8/8/8/2k5/8/K6R w - - 0 1").unwrap();
    let (known, control) = (KnownValues::new(), Control::default());
    for progress_rule in [true, false] {
        let tables = Cursed(TableOptions { progress_rule, ..TableOptions::default() });
        let solve = |solver: &mut Solver<Chess>| solver.solve().unwrap().value;
        let limits = Limits::none();
        let value =
            with_solver(&position, &known, Some(&tables), &1.into(), &limits, &control, solve).unwrap();
        assert_eq!(value, Some(Wdl::Draw), "progress rule: {progress_rule}");
    }
}

#[test]
fn games_without_tables_have_no_option_for_them() {
    let mut engine = registry::engine("neighbours", &Settings::default()).unwrap();
    assert!(engine.options().iter().all(|option| option.name != "SyzygyPath"));
    let error = engine.set_option("SyzygyPath", TABLES).unwrap_err().to_string();
    assert_eq!(error, "unknown option `SyzygyPath`");
}
