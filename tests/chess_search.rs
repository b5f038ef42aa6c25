//! What a search of chess has to see: forced mates, and every kind of draw.

use labrys::engine::{Engine, SearchReport, Settings, registry};
use labrys::eval::UciScore;
use labrys::search::{Bound, Control, Limits};

fn engine() -> Box<dyn Engine> {
    registry::engine("chess", &Settings::default()).unwrap()
}

/// The score of a position after a fresh search, which ends when the score is the `wanted` one.
fn score(engine: &mut dyn Engine, fen: &str, limits: &Limits, wanted: Option<UciScore>) -> UciScore {
    engine.board_mut().set_up(Some(fen), &[]).unwrap();
    engine.new_game();
    let (control, mut score) = (Control::default(), None);
    let best = engine.search(&[], limits, &control, &mut |report: &SearchReport| {
        if report.bound == Bound::Exact {
            score = Some(report.score);
        }
        if score.is_some() && score == wanted {
            control.stop();
        }
    });
    best.unwrap();
    score.unwrap()
}

/// A mate, and in how many moves.
fn mates() -> Vec<(&'static str, i32)> {
    let lines = include_str!("mates.epd").lines().filter(|line| !line.starts_with('#'));
    let mates = lines.map(|line| {
        let (fen, dm) = line.split_once("; dm ").unwrap();
        (fen, dm.strip_suffix(';').unwrap().parse().unwrap())
    });
    mates.collect()
}

#[test]
fn mates_in_two_and_three_are_found() {
    let mut engine = engine();
    let count = |moves| mates().iter().filter(|(_, dm)| *dm == moves).count();
    assert_eq!((count(2), count(3)), (24, 24));
    for (fen, dm) in mates() {
        let mate = UciScore::Mate(dm);
        // Asked for the mate: the search ends when it has it. The nodes end the test where it is not found: one mate
        // takes 3.6 million, the others less than half a million.
        let asked = Limits { mate: Some(dm as u32), nodes: Some(5_000_000), ..Limits::none() };
        assert_eq!(score(engine.as_mut(), fen, &asked, None), mate, "go mate {dm}: {fen}");
        // In a search like any other.
        let usual = Limits { nodes: Some(5_000_000), ..Limits::none() };
        assert_eq!(score(engine.as_mut(), fen, &usual, Some(mate)), mate, "go nodes: {fen}");
    }
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
        assert_eq!(
            score(engine.as_mut(), fen, &Limits::depth(depth), None),
            UciScore::Centi(0),
            "{what}: {fen}"
        );
    }
    // The same without the draw.
    for (what, fen) in [
        ("no check", "6k1/5pp1/8/6KQ/1r6/q2b4/8/8 w - - 0 1"),
        ("a ply earlier", "7k/8/8/8/8/8/8/KQ6 w - - 80 120"),
        ("a rook more", "8/8/8/8/4k3/8/1p6/K6R w - - 0 1"),
    ] {
        assert_ne!(score(engine.as_mut(), fen, &Limits::depth(8), None), UciScore::Centi(0), "{what}: {fen}");
    }
}
