//! Searches of chess find every kind of draw. Forced mates are those of `suites/chess-mates.epd`.

use crate::common;

use common::{Line, heavy_evaluator, random_game_from};
use labrys::engine::{Engine, SearchReport, Settings, registry};
use labrys::eval::UciScore;
use labrys::game::Game;
use labrys::game::chess::Chess;
use labrys::search::{
    Bound, Control, Heuristics, Limits, Options, Report, SearchInput, SearchMode, TranspositionTable, search,
};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

fn engine() -> Box<dyn Engine> {
    registry::engine("chess", &Settings::default()).unwrap()
}

/// The score of a position after a fresh search.
fn score(engine: &mut dyn Engine, fen: &str, limits: &Limits) -> UciScore {
    engine.board_mut().set_up(Some(fen), &[]).unwrap();
    engine.new_game();
    let mut score = None;
    let best = engine.search(&[], limits, &Control::default(), &mut |report: &SearchReport| {
        if report.bound == Bound::Exact {
            score = Some(report.score);
        }
    });
    best.unwrap();
    score.unwrap()
}

#[test]
fn no_mate_is_seen_that_a_losing_capture_prevents() {
    let mut engine = engine();
    for (fen, depth) in [
        // The king goes to h8: after d8e8 the queen takes the rook, and loses nothing that a mate would not.
        ("3Rr2k/2N3pn/6P1/8/q7/8/8/2K5 w - - 1 2", 1),
        // The knight takes on f7.
        ("3n2k1/5ppp/3b2Pq/1Q6/8/8/8/3K1RN1 w - - 0 1", 1),
    ] {
        let score = score(engine.as_mut(), fen, &Limits::depth(depth));
        assert!(!matches!(score, UciScore::Mate(plies) if plies.abs() <= 3), "{fen}: {score:?}");
    }
}

/// Quiescence search tries quiet evasions, so that it, too, meets the fifty-move rule.
#[test]
fn no_mate_is_seen_beyond_the_fifty_move_rule() {
    let mut engine = engine();
    for (fen, depth) in
        [("4n3/7Q/8/8/8/k4K2/2Q5/8 w - - 98 2", 1), ("6b1/8/8/8/rk2N3/4b3/6r1/K7 w - - 95 1", 2)]
    {
        let score = score(engine.as_mut(), fen, &Limits::depth(depth));
        assert!(matches!(score, UciScore::Centi(_)), "{fen}: {score:?}");
    }
}

/// The null moves and static evaluations of a bare king say nothing of how near it is to mate.
#[test]
fn mates_of_a_bare_king_are_found_near_their_depth() {
    let mut engine = engine();
    for fen in [
        "k7/8/2K5/8/8/8/8/7R w - - 0 1",
        "k7/8/3K4/8/8/8/7R/8 w - - 0 1",
        "1R6/8/8/8/8/4K3/8/7k w - - 0 1",
        "8/8/8/7R/k1K5/8/8/8 w - - 0 1",
        "8/6K1/4R3/R7/7k/8/8/8 w - - 0 1",
    ] {
        assert_eq!(score(engine.as_mut(), fen, &Limits::depth(6)), UciScore::Mate(2), "{fen}");
    }
}

/// Few pieces on an otherwise empty board, a few plies before the fifty-move rule, after some random moves.
/// The last of them may repeat the position of an earlier one.
fn late_end_games(count: usize) -> impl Iterator<Item = Line<Chess>> {
    let mut random = StdRng::seed_from_u64(1);
    let mut positions = std::iter::from_fn(move || {
        let mut squares = ['1'; 64];
        let pieces = "QRRBNPqrrbnp".chars().collect::<Vec<_>>();
        let others = (0..random.random_range(2..6)).map(|_| *pieces.choose(&mut random).unwrap());
        for piece in others.collect::<Vec<_>>().into_iter().chain(['k', 'K']) {
            squares[random.random_range(0..64)] = piece;
        }
        let ranks: Vec<String> = squares.chunks(8).map(|rank| rank.iter().collect()).collect();
        let side = ["w", "b"].choose(&mut random).unwrap();
        let clock = random.random_range(90..96);
        Some(Chess::from_fen(&format!("{} {side} - - {clock} 99", ranks.join("/"))).ok())
    });
    let positions = std::iter::from_fn(move || positions.find_map(|position| position));
    let lines = (0..).zip(positions).map(|(seed, position)| random_game_from(position, seed, 4, |_, _| {}));
    lines.filter(|(position, history)| history.outcome(position).is_none()).take(count)
}

/// Plays the line of a mate: it is as long as the score says, and the game does not end before.
fn play_mate(line: &Line<Chess>, report: &Report<<Chess as Game>::Move>, plies: usize) {
    let (mut position, mut history) = line.clone();
    let what = format!("{:?} in {}", report.score, position.fen());
    assert_eq!(report.pv.len(), plies, "{what}");
    for &mv in &report.pv {
        assert_eq!(history.outcome(&position), None, "{what}: {}", position.fen());
        assert!(position.is_legal(mv), "{what}: {}", position.move_text(mv));
        history.push(&position);
        position.play(mv);
    }
    let end = position.outcome();
    assert!(end.is_some_and(|outcome| outcome.winner.is_some()), "{what}: {}", position.fen());
}

#[test]
fn every_mate_is_played_out_before_the_fifty_move_rule_ends_the_game() {
    let evaluator = heavy_evaluator();
    let mut mates = 0;
    for (n, line) in late_end_games(3_000).enumerate() {
        let options = Options { multi_pv: [1, 3][n / 2 % 2], ..Options::default() };
        let limits = Limits::depth(1 + n as u32 / 4 % 5);
        let input = SearchInput::new(&line.0, &line.1, &evaluator, &options, &limits);
        let table = TranspositionTable::new(1).unwrap();
        let mut heuristics: Vec<_> = (0..=n % 2).map(|_| Heuristics::new()).collect();
        let mut hear = |report: Report<_>| {
            if let Some(plies) = report.score.mate_distance().filter(|_| report.bound == Bound::Exact) {
                play_mate(&line, &report, plies);
                mates += 1;
            }
        };
        search(&input, SearchMode::Pvs, &table, &mut heuristics, &Control::default(), &mut hear);
    }
    assert!(mates > 500, "{mates}");
}

#[test]
fn a_table_of_another_selectivity_is_forgotten() {
    let fen = "r3k2B/1pp2p2/p7/4p3/1bN1Q3/5PR1/P2P2P1/R3KBN1 b Q - 0 18";
    let score_of = |before: &[(&str, &str)]| {
        let mut engine = engine();
        let mut score = None;
        for options in [before, &[("Selective", "false"), ("Width", "0"), ("MsdKeepRate", "100")]] {
            for (name, value) in options {
                engine.set_option(name, value).unwrap();
            }
            engine.board_mut().set_up(Some(fen), &[]).unwrap();
            let mut hear = |report: &SearchReport| score = Some(report.score);
            engine.search(&[], &Limits::depth(2), &Control::default(), &mut hear).unwrap();
        }
        score.unwrap()
    };
    let fresh = score_of(&[("Selective", "false")]);
    for before in [[("Selective", "true")], [("Width", "1")], [("MsdKeepRate", "20")]] {
        assert_eq!(score_of(&before), fresh, "{before:?}");
    }
}

#[test]
fn a_batch_respects_the_node_limit() {
    let mut engine = engine();
    for (name, value) in [("SearchMode", "mcts"), ("BatchSize", "512")] {
        engine.set_option(name, value).unwrap();
    }
    let best = engine.search(&[], &Limits::nodes(1_000), &Control::default(), &mut |_: &SearchReport| {});
    let nodes = best.unwrap().nodes;
    assert!((1_000..5_000).contains(&nodes), "{nodes}");
}

#[test]
fn every_draw_is_seen() {
    let mut engine = engine();
    for (what, fen, depth) in [
        ("perpetual check", "6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 1", 8),
        ("stalemate, or the last pawn is lost", "5k2/5P2/4K3/8/8/8/8/8 w - - 0 1", 2),
        ("the hundredth ply", "7k/8/8/8/8/8/8/KQ6 w - - 98 120", 3),
        ("nothing left to mate with", "8/8/8/8/4k3/8/1p6/K7 w - - 0 1", 6),
    ] {
        assert_eq!(score(engine.as_mut(), fen, &Limits::depth(depth)), UciScore::Centi(0), "{what}: {fen}");
    }
    // The same position without the draw.
    for (what, fen) in [
        ("no check", "6k1/5pp1/8/6KQ/1r6/q2b4/8/8 w - - 0 1"),
        ("a ply earlier", "7k/8/8/8/8/8/8/KQ6 w - - 80 120"),
        ("a rook more", "8/8/8/8/4k3/8/1p6/K6R w - - 0 1"),
    ] {
        assert_ne!(score(engine.as_mut(), fen, &Limits::depth(8)), UciScore::Centi(0), "{what}: {fen}");
    }
}

/// Within few nodes, the first iteration may be stopped when one line has been searched and others have not.
#[test]
fn a_proven_mate_is_not_forgotten_for_lines_that_were_not_searched() {
    let fen = "2k3K1/ppPr2N1/2Ppp3/8/b6Q/b2R4/1R6/8 w - - 0 1";
    for mode in ["mtdf", "pvs", "alphabeta"] {
        let mut engine = engine();
        for (name, value) in [("Hash", "1"), ("SearchMode", mode), ("MultiPV", "3")] {
            engine.set_option(name, value).unwrap();
        }
        engine.board_mut().set_up(Some(fen), &[]).unwrap();
        for nodes in (100..600).step_by(25) {
            engine.new_game();
            let (mut is_proven, mut last) = (false, None);
            let mut hear = |report: &SearchReport| {
                if report.multipv == 1 {
                    let is_win = matches!(report.score, UciScore::Mate(moves) if moves > 0);
                    is_proven |= is_win && report.bound != Bound::Upper;
                    last = Some(is_win);
                }
            };
            engine.search(&[], &Limits::nodes(nodes), &Control::default(), &mut hear).unwrap();
            assert!(!is_proven || last == Some(true), "{mode}, {nodes} nodes");
        }
    }
}
