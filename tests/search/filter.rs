//! Minimax selective deepening: move ratings, which moves are kept, and that all searches keep the same.

use crate::common;

use common::{Line, find_with, random_lines};
use labrys::engine::{Playable, SearchReport, Settings, registry};
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Game, GameHistory, Knowledge, MsdTerms};
use labrys::search::{Bound, Control, Limits, MsdOptions, Options, SearchMode, TranspositionTable};

const WINS: i32 = i32::MAX;
const GOOD: i32 = 100_000;
const REPEATS: i32 = i32::MIN;

/// The rating of a move at the end of a game that begins with a FEN.
fn rating(fen: &str, before: &[&str], mv: &str, terms: &MsdTerms) -> i32 {
    let (mut position, mut history) = (Chess::from_fen(fen).unwrap(), GameHistory::new());
    for text in before {
        history.push(&position);
        position.play(position.parse_move(text).unwrap());
    }
    history.push(&position);
    let moves = [position.parse_move(mv).unwrap()];
    let mut ratings = Vec::new();
    let mut rate = |_: &Chess| panic!("chess asks for no evaluation");
    position.msd_ratings(&moves, terms, &history, &mut rate, &mut ratings);
    assert_eq!(ratings.len(), 1);
    ratings[0]
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn move_ratings_agree_with_the_paper() {
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"];
    for (fen, before, mv, expected) in [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", &[][..], "a1a8", WINS),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", &[], "e4d5", GOOD),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", &[], "e5d6", GOOD),
        ("4k3/8/8/8/8/5b2/8/3RK3 w - - 0 1", &[], "d1d2", GOOD),
        // From an attacked square to another one.
        ("4k3/8/8/8/8/5b2/8/3RK3 w - - 0 1", &[], "d1d5", -GOOD),
        ("4k3/8/4p3/8/8/2N5/8/4K3 w - - 0 1", &[], "c3d5", -GOOD),
        (START, &shuffle, "f6g8", REPEATS),
        (START, &shuffle[..3], "f6g8", 60 * 2 - 60 * 4 + 40 * 3),
        // 30 moves instead of 20, 19, 22.
        (START, &[], "e2e3", 60 * 10 + 40),
        (START, &[], "a2a3", -60 + 40),
        (START, &[], "g1f3", 60 * 2 + 40 * 3),
        // The rook's square is attacked, the king's is not: 14 moves instead of 15.
        ("4k3/8/8/3b4/8/8/8/4K2R w K - 0 1", &[], "e1g1", -60),
        // Not to a queen.
        ("3r4/2P5/8/8/8/8/7k/K7 w - - 0 1", &[], "c7d8n", GOOD),
        // A check gains no moves.
        ("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", &[], "a1a4", 40 * 9),
    ] {
        assert_eq!(rating(fen, before, mv, &MsdTerms::default()), expected, "{mv} in {fen}");
    }
}

#[test]
fn each_term_can_be_switched_off_and_weighed_by_phase() {
    let terms = MsdTerms::default;
    let mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    assert_eq!(rating(mate, &[], "a1a8", &MsdTerms { win: false, ..terms() }), 40 * 5);
    let capture = "4k3/8/8/3p4/8/2N5/8/4K3 w - - 0 1";
    let off = MsdTerms { capture: false, ..terms() };
    assert_eq!((rating(capture, &[], "c3d5", &terms()), rating(capture, &[], "c3d5", &off)), (GOOD, 40 * 3));
    let escape = "4k3/8/8/8/8/5b2/8/3RK3 w - - 0 1";
    assert!(rating(escape, &[], "d1d2", &MsdTerms { escape: false, ..terms() }) < GOOD);
    let exposed = "4k3/8/4p3/8/8/2N5/8/4K3 w - - 0 1";
    assert!(rating(exposed, &[], "c3d5", &MsdTerms { exposure: false, ..terms() }) > -GOOD);
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"];
    let off = MsdTerms { repetition: false, ..terms() };
    assert!(rating(START, &shuffle, "f6g8", &off) > REPEATS);
    // Only pawns are left: the end game weights, and this move gains no moves.
    let by_phase = MsdTerms { gamma: 1, gamma_end: Some(70), theta_end: Some(0), ..terms() };
    assert_eq!(rating("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &[], "e2e3", &by_phase), 70);
    assert_eq!(rating(START, &[], "e2e3", &by_phase), 60 * 10 + 1);
}

#[test]
fn terms_add_up_with_their_weights() {
    let sum = MsdTerms {
        sum: true,
        capture_weight: 30,
        escape_weight: -7,
        exposure_weight: -200,
        ..MsdTerms::default()
    };
    // A defended pawn, by an attacked knight.
    let taken = "4k3/4p3/3p1p2/8/4N3/8/8/4K3 w - - 0 1";
    let gains =
        rating(taken, &[], "e4d6", &MsdTerms { capture_weight: 0, exposure_weight: 0, ..sum.clone() });
    assert_eq!(rating(taken, &[], "e4d6", &sum), 100 * (30 - 200) + gains);
    let off = MsdTerms { exposure: false, ..sum.clone() };
    assert_eq!(rating(taken, &[], "e4d6", &off), 100 * 30 + gains);
    let escape = "4k3/8/8/8/8/5b2/8/3RK3 w - - 0 1";
    let without = MsdTerms { escape: false, ..sum.clone() };
    assert_eq!(rating(escape, &[], "d1d2", &sum), rating(escape, &[], "d1d2", &without) - 700);
    // A mate and the last repetition decide alone.
    assert_eq!(rating("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", &[], "a1a8", &sum), WINS);
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"];
    assert_eq!(rating(START, &shuffle, "f6g8", &sum), REPEATS);
    // By the paper the weight of the first term that applies is the rating.
    let first = MsdTerms { sum: false, ..sum };
    assert_eq!(rating(taken, &[], "e4d6", &first), 3_000);
}

/// A full search of `depth` plies through a filter.
fn filtered<G: Playable>(
    line: &Line<G>,
    mode: SearchMode,
    depth: u32,
    filter: &MsdOptions,
    seed: u64,
) -> (Vec<labrys::eval::Score>, u64) {
    let options = Options { selective: false, msd: filter.clone(), seed, ..Options::default() };
    let table = TranspositionTable::new(1).unwrap();
    let (best, reports) = find_with(&table, line, mode, &options, &Limits::depth(depth));
    let exact = reports.iter().filter(|report| report.bound == Bound::Exact).map(|report| report.score);
    (exact.collect(), best.nodes)
}

/// Checks that all searches agree under a filter. Returns the number of positions whose score differs from
/// that of the full search.
fn changed<G: Playable>(count: usize, depth: u32, filter: &MsdOptions, modes: &[SearchMode]) -> usize {
    let lines = random_lines::<G>(count, 60);
    let differs = |line: &&Line<G>| {
        let (expected, _) = filtered(line, SearchMode::Minimax, depth, filter, 1);
        assert_eq!(expected.len(), depth as usize);
        for &mode in modes {
            assert_eq!(filtered(line, mode, depth, filter, 1).0, expected, "{mode:?} in {}", line.0.fen());
        }
        expected != filtered(line, SearchMode::Minimax, depth, &MsdOptions::default(), 1).0
    };
    lines.iter().filter(differs).count()
}

#[test]
fn all_searches_keep_the_same_moves() {
    // With repetition a rating depends on the path to the position, which the key does not include.
    let terms = MsdTerms { repetition: false, ..MsdTerms::default() };
    let filter = MsdOptions { keep_rate: 40, terms, ..MsdOptions::default() };
    let modes = [SearchMode::AlphaBeta, SearchMode::Expectiminimax, SearchMode::Pvs, SearchMode::Mtdf];
    let found = [
        changed::<Chess>(20, 3, &filter, &modes),
        changed::<Neighbours>(60, 4, &filter, &modes),
        changed::<TucChess>(60, 4, &filter, &[modes[0], modes[2], modes[3]]),
    ];
    assert!(found.iter().zip([10, 10, 20]).all(|(&found, least)| found >= least), "{found:?}");
}

#[test]
fn chance_plies_and_msd_change_the_search() {
    let modes = [SearchMode::AlphaBeta, SearchMode::Pvs, SearchMode::Mtdf];
    // See above.
    let terms = MsdTerms { repetition: false, ..MsdTerms::default() };
    for filter in [
        MsdOptions { keep_rate: 90, keep_fall: 30, terms: terms.clone(), ..MsdOptions::default() },
        MsdOptions { keep_rate: 30, volatile_keep_rate: 90, terms, ..MsdOptions::default() },
        MsdOptions { volatile_plies: 2, ..MsdOptions::default() },
    ] {
        let found = changed::<Chess>(10, 3, &filter, &modes);
        assert!(found >= 2, "{found} with {filter:?}");
    }
}

#[test]
fn the_maximum_number_of_moves_fits() {
    let start = (Chess::start(), GameHistory::new());
    // The root and its children, of which there are 20.
    for (keep_rate, kept) in [(100, 20), (99, 20), (50, 10), (35, 7), (31, 7), (1, 1)] {
        let filter = MsdOptions { keep_rate, ..MsdOptions::default() };
        assert_eq!(filtered(&start, SearchMode::Minimax, 1, &filter, 1).1, 1 + kept, "{keep_rate} %");
    }
    // In the second ply 20 points less: 2 and 1 of 20, where the tree of the first ply has been searched
    // before.
    let falling = MsdOptions { keep_rate: 10, keep_fall: 5, ..MsdOptions::default() };
    assert_eq!(filtered(&start, SearchMode::Minimax, 2, &falling, 1).1, (1 + 2) + (1 + 2 + 2));
}

/// The seed decides which of equal moves are kept, so that the scores of another one do not count.
#[test]
fn a_seed_is_that_of_a_new_engine() {
    let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    let score = |seeds: &[&str]| {
        let mut engine = registry::engine("chess", &Settings::default()).unwrap();
        engine.board_mut().set_up(Some(fen), &[]).unwrap();
        for (option, value) in [("Selective", "false"), ("MsdKeepRate", "20")] {
            engine.set_option(option, value).unwrap();
        }
        let mut last = None;
        for seed in seeds {
            engine.set_option("Seed", seed).unwrap();
            let listener = &mut |report: &SearchReport| last = Some(report.score);
            engine.search(&[], &Limits::depth(5), &Control::default(), listener).unwrap();
        }
        last.unwrap()
    };
    for seed in ["2", "3"] {
        assert_eq!(score(&["0", seed]), score(&[seed]), "{seed}");
    }
}

#[test]
fn ties_are_broken_by_the_seed() {
    let start = (Chess::start(), GameHistory::new());
    let filter = MsdOptions { keep_rate: 50, ..MsdOptions::default() };
    let nodes: Vec<_> =
        (0..20).map(|seed| filtered(&start, SearchMode::AlphaBeta, 3, &filter, seed).1).collect();
    assert_eq!(nodes[3], filtered(&start, SearchMode::AlphaBeta, 3, &filter, 3).1);
    assert!(nodes.iter().any(|&n| n != nodes[0]), "{nodes:?}");
}

#[test]
fn without_iterations_only_the_last_depth_is_searched() {
    let start = (Chess::start(), GameHistory::new());
    let options = Options { iterative: false, ..Options::default() };
    let table = TranspositionTable::new(1).unwrap();
    let (best, reports) = find_with(&table, &start, SearchMode::AlphaBeta, &options, &Limits::depth(3));
    assert!(best.mv.is_some());
    assert_eq!(reports.iter().map(|report| report.depth).collect::<Vec<_>>(), [3]);
    // Without a depth, iterations are always used.
    let (best, _) = find_with(&table, &start, SearchMode::AlphaBeta, &options, &Limits::nodes(1_000));
    assert!(best.mv.is_some());
}

#[test]
fn equal_root_moves_are_played_at_random() {
    // Bare kings: every move draws.
    let position = Chess::from_fen("8/8/3k4/8/8/3K4/8/8 w - - 0 1").unwrap();
    let line = (position, GameHistory::new());
    let table = TranspositionTable::new(1).unwrap();
    let mut played = std::collections::HashSet::new();
    for seed in 0..200 {
        let msd = MsdOptions { random_root: true, ..MsdOptions::default() };
        let options = Options { msd, seed, iterative: false, ..Options::default() };
        let (best, _) = find_with(&table, &line, SearchMode::AlphaBeta, &options, &Limits::depth(2));
        played.insert(line.0.move_text(best.mv.unwrap()));
    }
    assert!(played.len() >= 5, "{played:?}");
}
