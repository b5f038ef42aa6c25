//! The rules of TUC-CHESS by example, and its chance events.

use labrys::game::tucchess::TucChess;
use labrys::game::{Color, Ending, FenError, Game, GameMove, Knowledge, MoveError, Outcome};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn position(fen: &str) -> TucChess {
    let position = TucChess::from_fen(fen).unwrap();
    assert_eq!(position.fen(), fen);
    position
}

/// The position after some moves.
fn after(fen: &str, moves: &str) -> TucChess {
    moves.split_whitespace().fold(position(fen), |mut position, text| {
        let mv = position.parse_move(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(position.move_text(mv), text);
        assert_eq!(<TucChess as Game>::Move::from_bits(mv.to_bits()), mv);
        position.play(mv);
        assert_eq!(position.key(), position.key_from_scratch());
        position
    })
}

/// The moves of a piece on a square, in alphabetical order.
fn moves_from(fen: &str, square: &str) -> Vec<String> {
    let position = position(fen);
    let moves = position.moves();
    let mut texts: Vec<_> = moves.iter().map(|&mv| position.move_text(mv)).collect();
    texts.retain(|text| text.starts_with(square));
    texts.sort();
    texts.iter().map(|text| text[2..].to_owned()).collect()
}

#[test]
fn pieces_move_by_the_rules() {
    // A rook goes three squares; pieces stop it, and so do prizes, on which it may land.
    assert_eq!(moves_from("k4/5/5/5/R4/5/K4 w 0 0 1", "a3"), ["a2", "a4", "a5", "a6", "b3", "c3", "d3"]);
    assert_eq!(moves_from("k4/5/*4/5/R1p2/5/K4 w 0 0 1", "a3"), ["a2", "a4", "a5", "b3", "c3"]);
    assert_eq!(moves_from("k4/5/5/P4/R*3/K4/5 w 0 0 1", "a3"), ["b3"]);
    // A king goes one square, also onto an attacked one.
    assert_eq!(moves_from("k4/5/5/r1*2/2K2/3P1/5 w 0 0 1", "c3"), ["b3", "c2", "c4", "d3"]);
    // A pawn goes forward, also onto a prize, and captures diagonally, but no prizes.
    assert_eq!(moves_from("k4/5/5/p*p2/1P3/5/K4 w 0 0 1", "b3"), ["a4", "b4", "c4"]);
    assert_eq!(moves_from("k4/5/5/*p*2/1P3/5/K4 w 0 0 1", "b3"), [""; 0]);
    assert_eq!(moves_from("k4/4p/3PR/5/5/5/K4 b 0 0 1", "e6"), ["d5"]);
}

#[test]
fn points_are_counted() {
    for (fen, mv, expected) in [
        ("k4/5/5/p4/1P3/5/K4 w 0 0 1", "b3a4", "k4/5/5/P4/5/5/K4 b 1 0 1"),
        ("k4/5/5/r4/1P3/5/K4 w 0 2 1", "b3a4", "k4/5/5/P4/5/5/K4 b 3 2 1"),
        ("k4/5/5/P4/1p3/5/K4 b 5 2 7", "b3b2", "k4/5/5/P4/5/1p3/K4 w 5 2 8"),
        // A pawn leaves the board for a point, also with a capture.
        ("2k2/P4/5/5/5/5/K4 w 0 0 1", "a6a7", "2k2/5/5/5/5/5/K4 b 1 0 1"),
        ("1rk2/P4/5/5/5/5/K4 w 0 0 1", "a6b7", "2k2/5/5/5/5/5/K4 b 4 0 1"),
        ("2k2/5/5/5/5/p4/1R1K1 b 0 0 1", "a2b1", "2k2/5/5/5/5/5/3K1 w 0 4 2"),
        ("*1k2/P4/5/5/5/5/K4 w 0 0 1", "a6a7=1", "2k2/5/5/5/5/5/K4 b 2 0 1"),
        // A prize with a value, and one that counts by its mean.
        ("k4/5/5/5/R*3/5/K4 w 0 0 1", "a3b3=1", "k4/5/5/5/1R3/5/K4 b 1 0 1"),
        ("k4/5/5/5/R*3/5/K4 w 0 0 1", "a3b3=0", "k4/5/5/5/1R3/5/K4 b 0 0 1"),
        ("k4/5/5/5/R*3/5/K4 w 0 0 1", "a3b3", "k4/5/5/5/1R3/5/K4 b 0.9 0 1"),
        ("k4/5/5/5/R*3/5/K4 w 0 0 1", "a3b3=1+a3", "k4/5/5/5/*R3/5/K4 b 1 0 1"),
        ("k4/5/5/5/R*3/5/K4 w 0.9 0 1", "a3a4+e7", "k3*/5/5/R4/1*3/5/K4 b 0.9 0 1"),
    ] {
        assert_eq!(after(fen, mv).fen(), expected, "{mv}");
    }
}

#[test]
fn the_game_ends_by_kings_or_stalemate_and_points_decide() {
    let ended = |winner, ending| Some(Outcome { winner, ending });
    let [white, black] = Color::BOTH.map(Some);
    for (fen, mv, outcome) in [
        ("k4/1P3/5/5/5/5/K4 w 0 0 1", "b6a7", ended(white, Ending::KingCaptured)),
        ("k4/1P3/5/5/5/5/K4 w 0 9 1", "b6a7", ended(None, Ending::KingCaptured)),
        ("k4/1P3/5/5/5/5/K4 w 0 12 1", "b6a7", ended(black, Ending::KingCaptured)),
        ("k4/2P2/5/5/5/5/K4 w 3 1 1", "c6c7", ended(white, Ending::BareKings)),
        ("k4/5/5/5/5/1p3/K4 w 3 5 1", "a1b1", None),
        ("k4/2P2/5/5/5/5/K4 w 0 0 1", "a1a2", None),
        // Black's only king is walled in by pawns that cannot move.
        ("kp3/pP3/P4/5/5/5/K4 w 2 2 1", "a1a2", ended(None, Ending::NoMoves)),
        ("kp3/pP3/P4/5/5/5/K4 w 2 3 1", "a1a2", ended(black, Ending::NoMoves)),
    ] {
        assert_eq!(after(fen, mv).outcome(), outcome, "{fen} {mv}");
    }
    let captured = position("5/5/5/R4/5/5/K4 b 3 4 9");
    assert_eq!(captured.outcome(), ended(black, Ending::KingCaptured));
}

#[test]
fn errors_of_illegal_moves_name_the_rule() {
    let fen = "k4/5/*4/p4/R4/1P3/K4 w 0 0 1";
    for (text, message) in [
        ("a3", "`a3` is no move: expected two squares"),
        ("a3a9", "is no move"),
        ("a3f3", "is no move"),
        ("a3a4=2", "is no move"),
        ("a3a4+", "is no move"),
        ("é3a4", "is no move"),
        ("c3c4", "White, to move, has no piece on c3"),
        ("a4a3", "White, to move, has no piece on a4"),
        ("a1a1", "White has a piece of its own on a1"),
        ("a3a5", "the rook on a3 goes up to three squares"),
        ("b2b4", "the pawn on b2 steps forward"),
        ("b2a3", "piece of its own on a3"),
        ("a1b2", "piece of its own on b2"),
        ("a1b3", "the king on a1 goes one square"),
        ("a3a4=1", "there is no prize on a4"),
        ("a3b3+a4", "a new prize cannot appear on a4"),
        ("a3b3+a5", "a new prize cannot appear on a5"),
        ("a3b3+b3", "a new prize cannot appear on b3"),
    ] {
        let error = position(fen).parse_move(text).unwrap_err();
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
    let over = position("5/5/5/5/R4/5/K4 w 8 0 9");
    assert!(matches!(over.parse_move("a3a4"), Err(MoveError::Illegal { .. })));
}

#[test]
fn move_heuristics_capture_and_save_kings() {
    let left = |fen: &str| {
        let position = position(fen);
        let moves = position.rules_of_thumb().unwrap();
        moves.iter().map(|&mv| position.move_text(mv)).collect::<Vec<_>>()
    };
    // The king, not the rook.
    assert_eq!(left("kr3/1P3/P4/5/5/5/K4 w 0 0 1"), ["b6a7"]);
    // Out of the rook's way, or into it with the pawn, or the rook is taken.
    let mut saves = left("k4/5/5/r4/5/1P3/K3R w 0 0 1");
    saves.sort();
    assert_eq!(saves, ["a1b1"], "a2 is attacked, too");
    let mut saves = left("k4/5/5/r4/1P3/5/K4 w 0 0 1");
    saves.sort();
    assert_eq!(saves, ["a1b1", "b3a4"]);
    // No move saves the king, so all are allowed. Captures come first, of rooks before pawns.
    assert_eq!(left("k4/5/p1r2/1P3/5/5/K4 w 0 0 1")[..2], ["b4c5", "b4a5"]);
}

/// The two "singular extensions" of the report: a normal search finds the same moves.
#[test]
fn a_search_captures_and_saves_kings_without_special_rules() {
    let mut engine =
        labrys::engine::registry::engine("tucchess", &labrys::engine::Settings::default()).unwrap();
    let mut best = |fen: &str| {
        engine.board_mut().set_up(Some(fen), &[]).unwrap();
        let limits = labrys::search::Limits::depth(6);
        engine
            .search(
                &[],
                &limits,
                &labrys::search::Control::default(),
                &mut |_: &labrys::engine::SearchReport| {},
            )
            .unwrap()
            .best
            .unwrap()
    };
    assert_eq!(best("kr3/1P3/P4/5/5/5/K4 w 0 0 1"), "b6a7");
    assert_eq!(best("k4/5/5/r4/5/1P3/K3R w 3 3 1"), "a1b1");
}

#[test]
fn fens_are_refused_with_a_reason() {
    for (fen, message) in [
        ("", "missing board"),
        ("prkrp/ppppp/5/*****/5/PPPPP w", "6 ranks, expected 7"),
        ("prkrp/ppppp/6/*****/5/PPPPP/PRKRP w", "rank 5 `6` has 6 squares, expected 5"),
        ("prkqp/ppppp/5/*****/5/PPPPP/PRKRP w", "'q' on rank 7 is no piece"),
        ("prkrP/ppppp/5/*****/5/PPPPP/PRKRP w", "'P' on rank 7 is no piece, expected no pawn there"),
        ("prkrp/ppppp/5/***r*/5/PPPPP/PRKRP w", "3 black rooks, expected at most 2"),
        ("prkrp/ppppp/5/**K**/5/PPPPP/PRKRP w", "2 white kings, expected at most 1"),
        ("prkrp/ppppp/5/*****/5/PPPPP/PRKRP x", "side to move `x`"),
        ("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w -1", "points of White `-1`"),
        ("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 nan", "points of Black `nan`"),
        ("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 -1", "move number `-1`"),
        ("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 1 x", "`x` after the last field"),
    ] {
        let error: FenError = TucChess::from_fen(fen).unwrap_err();
        assert!(error.to_string().contains(message), "{fen}: {error}");
    }
    let start = TucChess::from_fen("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w").unwrap();
    assert_eq!(start.fen(), TucChess::start().fen());
    let start = TucChess::from_fen("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 0").unwrap();
    assert_eq!(start.fen(), TucChess::start().fen(), "move number 0 stands for 1");
}

#[test]
fn chance_outcomes_follow_their_probabilities() {
    let start = position("k4/5/5/5/R*3/5/K4 w 0 0 1");
    let mv = start.parse_move("a3b3").unwrap();
    let mut random = StdRng::seed_from_u64(1);
    let mut uniform = || random.random::<f64>();
    let (draws, mut points, mut appeared, mut squares) = (20_000, 0, 0, std::collections::BTreeMap::new());
    for _ in 0..draws {
        let drawn = start.move_text(start.sample(mv, &mut uniform));
        assert_eq!(start.move_text(start.parse_move(&drawn).unwrap()), drawn, "legal with its outcome");
        assert!(drawn.starts_with("a3b3=0") || drawn.starts_with("a3b3=1"), "{drawn}");
        points += usize::from(drawn.contains("=1"));
        if let Some((_, square)) = drawn.split_once('+') {
            appeared += 1;
            *squares.entry(square.to_owned()).or_insert(0) += 1;
        }
    }
    let near = |count: usize, probability: f64| {
        let (mean, n) = (probability * f64::from(draws), f64::from(draws));
        (count as f64 - mean).abs() < 4.0 * (n * probability * (1.0 - probability)).sqrt()
    };
    assert!(near(points, 0.9), "{points}");
    assert!(near(appeared, 0.1), "{appeared}");
    // 35 squares less two kings and the rook: where the prize was there may be none, where the rook was
    // there may.
    assert_eq!(squares.len(), 32);
    assert!(squares.values().all(|&count| near(count, 0.1 / 32.0)), "{squares:?}");
    assert!(!squares.contains_key("b3") && squares.contains_key("a3"));

    // All listed outcomes are sampled, and no others.
    let mut outcomes = Vec::new();
    start.outcomes(mv, &mut outcomes);
    assert_eq!(outcomes.len(), 2 * (1 + 32));
    let sum: f64 = outcomes.iter().map(|(_, probability)| probability).sum();
    assert!((sum - 1.0).abs() < 1e-12);
    for &(outcome, _) in &outcomes {
        assert_eq!(start.parse_move(&start.move_text(outcome)), Ok(outcome));
    }

    let quiet = start.parse_move("a3a4").unwrap();
    let drawn = start.sample(quiet, &mut || 0.99);
    assert_eq!(drawn, quiet, "nothing to say");
    // The very last square.
    let mut numbers = [0.5, 0.0, 1.0 - f64::EPSILON / 2.0].into_iter();
    assert_eq!(start.move_text(start.sample(mv, &mut || numbers.next().unwrap())), "a3b3=1+e7");
}
