//! Searches of chess find every kind of draw. Forced mates are those of `suites/chess-mates.epd`.

use labrys::engine::{Engine, SearchReport, Settings, registry};
use labrys::eval::UciScore;
use labrys::search::{Bound, Control, Limits};

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
