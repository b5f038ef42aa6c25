//! The common test suite of all games, and Neighbours against a plain mailbox implementation.

use crate::common;
use crate::seeded;

use std::sync::atomic::AtomicBool;

use common::mailbox::Mailbox;
use common::suite::{check_damaged_fens, check_damaged_moves, check_perft, check_position};
use common::{random_game, random_game_from};
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::perft::{SuiteError, parse_suite, perft};
use labrys::game::tucchess::TucChess;
use labrys::game::{Color, Ending, FenError, Game, GameHistory, MoveError, Outcome};
use proptest::prelude::*;

#[test]
fn neighbours_perft() {
    check_perft::<Neighbours>(include_str!("../../perft/neighbours.epd"), u32::MAX, 102);
}

#[test]
fn tucchess_perft() {
    check_perft::<TucChess>(include_str!("../../perft/tucchess.epd"), u32::MAX, 128);
}

#[test]
fn chess_perft() {
    check_perft::<Chess>(include_str!("../../perft/chess.epd"), 4, 104);
    check_perft::<Chess>(include_str!("../../perft/chess960.epd"), 4, 48);
}

#[test]
fn amazons_perft() {
    check_perft::<Amazons>(include_str!("../../perft/amazons.epd"), u32::MAX, 54);
}

#[test]
fn perft_can_be_stopped() {
    assert_eq!(perft(&Neighbours::start(), 9, &AtomicBool::new(true)), None);
    assert_eq!(perft(&Neighbours::start(), 0, &AtomicBool::new(false)), Some(1));
}

proptest! {
    #![proptest_config(seeded(200))]

    #[test]
    fn random_neighbours(seed: u64) {
        random_game::<Neighbours>(seed, 200, check_position);
    }

    #[test]
    fn random_tucchess(seed: u64) {
        random_game::<TucChess>(seed, 200, check_position);
    }

    #[test]
    fn random_chess(seed: u64) {
        random_game::<Chess>(seed, 250, check_position);
    }

    #[test]
    fn random_chess960(seed: u64, which in 0usize..12, choice in 0usize..2) {
        let case = parse_suite(include_str!("../../perft/chess960.epd")).unwrap().swap_remove(which);
        let mut start = Chess::from_fen(&case.fen).unwrap();
        start.choose(choice);
        random_game_from(start, seed, 60, check_position);
    }

    #[test]
    fn neighbours_agrees_with_a_mailbox_implementation(seed: u64) {
        random_game::<Neighbours>(seed, 200, |position, _| {
            let mailbox = Mailbox::new(&position.fen());
            let text = |(from, to)| square(from) + &square(to);
            let mut expected: Vec<_> = mailbox.moves(true).into_iter().map(text).collect();
            let moves = position.moves();
            let mut found: Vec<_> = moves.iter().map(|&mv| position.move_text(mv)).collect();
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{}", position.fen());
            for &mv in &moves {
                let found = position.move_text(mv);
                let path = mailbox.moves(true).into_iter().find(|&path| text(path) == found);
                let mut child = *position;
                child.play(mv);
                assert_eq!(Mailbox::new(&child.fen()), mailbox.play(path.unwrap()));
            }
        });
    }
}

proptest! {
    // Every position has hundreds of moves.
    #![proptest_config(seeded(8))]

    #[test]
    fn random_amazons(seed: u64) {
        random_game::<Amazons>(seed, 200, check_position);
    }
}

#[test]
fn damaged_fens_are_positions_or_errors_that_name_the_field() {
    let board = ["ranks", "squares", "piece", "side to move", "the last field"];
    let with = |fields: &[&'static str]| [&board, fields].concat();
    check_damaged_fens::<Neighbours>(3_000, &with(&["halfmove clock", "move number"]));
    check_damaged_fens::<TucChess>(
        3_000,
        &with(&["too many", "points of White", "points of Black", "move number"]),
    );
    check_damaged_fens::<Chess>(
        3_000,
        &with(&[
            "white king",
            "too many",
            "castling rights",
            "en passant square",
            "halfmove clock",
            "move number",
        ]),
    );
    check_damaged_fens::<Amazons>(
        500,
        &[
            "squares",
            "piece",
            "side to move",
            "the last field",
            "third field",
            "fourth field",
            "plies",
            "move number",
        ],
    );
}

#[test]
fn damaged_moves_are_legal_or_quoted() {
    check_damaged_moves::<Neighbours>(3_000, &[]);
    check_damaged_moves::<TucChess>(3_000, &[]);
    check_damaged_moves::<Chess>(3_000, &["e1h1", "e1a1", "e8h8", "e8a8"]);
    check_damaged_moves::<Amazons>(3_000, &[]);
}

/// The name of a square.
fn square(index: usize) -> String {
    format!("{}{}", char::from(b'a' + (index % 8) as u8), index / 8 + 1)
}

#[test]
fn fens_are_refused_with_a_reason() {
    let error = |fen: &str| Neighbours::from_fen(fen).unwrap_err().to_string();
    assert_eq!(
        error(""),
        "FEN: missing board, expected eight ranks of `P`, `p` and numbers of empty squares"
    );
    assert_eq!(error("8/8 w"), "FEN: the board has 2 ranks, expected 8");
    assert_eq!(error("8/8/8/8/8/8/8/8/8 w"), "FEN: the board has 9 ranks, expected 8");
    assert_eq!(error("ppppppppp/8/8/8/8/8/8/8 w"), "FEN: rank 8 `ppppppppp` has 9 squares, expected 8");
    assert_eq!(error("8/8/p6/8/8/8/8/8 w"), "FEN: rank 6 `p6` has 7 squares, expected 8");
    assert_eq!(
        error("8/8/99999999999999999999999/8/8/8/8/8 w").split(" has ").nth(1).unwrap(),
        "207 squares, expected 8",
        "digits count one by one"
    );
    assert_eq!(error("8/8/64/8/8/8/8/8 w"), "FEN: rank 6 `64` has 10 squares, expected 8");
    assert_eq!(error("8/8/8/3k4/8/8/8/8 w"), "FEN: 'k' on rank 5 is no piece, expected `P`, `p` or a number");
    assert_eq!(error("PPPPPPPP/P7/8/8/8/8/8/8 w"), "FEN: 9 white pieces, expected at most 8");
    assert_eq!(error("8/8/8/8/8/8/8/8"), "FEN: missing side to move, expected `w` or `b`");
    assert_eq!(error("8/8/8/8/8/8/8/8 W"), "FEN: side to move `W`: expected `w` or `b`");
    assert_eq!(
        error("8/8/8/8/8/8/8/8 w 10000 1"),
        "FEN: halfmove clock `10000`: expected a number from 0 to 9999"
    );
    assert_eq!(
        error("8/8/8/8/8/8/8/8 w 0 10000"),
        "FEN: move number `10000`: expected a number from 0 to 9999"
    );
    assert_eq!(Neighbours::from_fen("pp6/8/8/8/8/8/8/PP6 b 3 0").unwrap().fen(), "pp6/8/8/8/8/8/8/PP6 b 3 1");
    assert_eq!(error("8/8/8/8/8/8/8/8 w -1"), "FEN: halfmove clock `-1`: expected a number from 0 to 9999");
    assert_eq!(error("8/8/8/8/8/8/8/8 w 0 1 x"), "FEN: `x` after the last field");
    let chess = Neighbours::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(matches!(chess, Err(FenError::Piece { letter: 'r', rank: 8, .. })));
}

#[test]
fn counters_may_be_missing() {
    let position = Neighbours::from_fen("pppppppp/8/8/8/8/8/8/PPPPPPPP b").unwrap();
    assert_eq!(position.fen(), "pppppppp/8/8/8/8/8/8/PPPPPPPP b 0 1");
}

#[test]
fn errors_of_illegal_moves_name_the_rule() {
    let position = Neighbours::from_fen("7p/8/8/2p5/8/1PP5/P7/7P w 0 1").unwrap();
    let error = |text: &str| position.parse_move(text).unwrap_err().to_string();
    assert!(matches!(position.parse_move("b3b9"), Err(MoveError::Syntax { .. })));
    assert_eq!(error("e2e4x"), "`e2e4x` is no move: expected two squares, as in `e1e3`");
    assert_eq!(error("c5c6"), "`c5c6` is not legal: White, to move, has no piece on c5");
    assert_eq!(error("a2b3"), "`a2b3` is not legal: White has a piece of its own on b3");
    assert_eq!(error("h1h2"), "`h1h2` is not legal: the piece on h1 has no neighbour and cannot move");
    assert_eq!(
        error("b3b4"),
        "`b3b4` is not legal: the piece on b3 must move exactly 2 in a straight line over empty squares"
    );
}

/// Plays moves from a FEN.
fn play(fen: &str, moves: &str) -> (Neighbours, GameHistory<Neighbours>) {
    let (mut position, mut history) = (Neighbours::from_fen(fen).unwrap(), GameHistory::new());
    for text in moves.split_whitespace() {
        let mv = position.parse_move(text).unwrap();
        history.push(&position);
        position.play(mv);
    }
    (position, history)
}

/// Both players can repeat moves here: two pieces stand next to each other, far from the others.
const SHUFFLE: &str = "pp6/8/8/8/8/8/8/PP6 w 0 1";

#[test]
fn the_third_occurrence_draws() {
    let cycle = "a1a2 a8a7 a2a1 a7a8 ";
    let draw = Some(Outcome { winner: None, ending: Ending::Repetition });
    for (moves, occurrences, outcome) in [
        (String::new(), 1, None),
        (cycle.to_owned(), 2, None),
        (cycle.repeat(2), 3, draw),
        (cycle.repeat(2) + "a1a2", 3, draw),
    ] {
        let (position, history) = play(SHUFFLE, &moves);
        assert_eq!(history.occurrences(&position), occurrences, "{moves}");
        assert_eq!(history.is_repetition(&position, 0), occurrences > 1);
        assert_eq!(history.outcome(&position), outcome, "{moves}");
    }
}

#[test]
fn a_hundred_plies_without_capture_draw() {
    let (position, history) = play("pp6/8/8/8/8/8/8/PP6 w 98 60", "a1a2");
    assert_eq!(history.outcome(&position), None);
    let (position, history) = play("pp6/8/8/8/8/8/8/PP6 w 98 60", "a1a2 a8a7");
    assert_eq!(history.outcome(&position), Some(Outcome { winner: None, ending: Ending::NoProgress }));
}

#[test]
fn a_player_without_a_move_loses_despite_the_counter() {
    let fen = "p6p/8/8/8/8/8/8/PP6 w 99 60";
    let (position, history) = play(fen, "a1a2");
    let outcome = Outcome { winner: Some(Color::White), ending: Ending::NoMoves };
    assert_eq!(position.halfmove_clock(), 100);
    assert_eq!(history.outcome(&position), Some(outcome));
    assert_eq!(outcome.to_string(), "White wins: no legal move");
}

#[test]
fn a_capture_clears_the_history() {
    let (position, _) = play(SHUFFLE, "a1a2 a8a7 a2a1");
    assert_eq!(position.halfmove_clock(), 3);
    let (position, history) = play("pp6/8/8/8/8/8/1p6/P5PP w 40 30", "a1b2 a8a7 g1g2 a7a8 g2g1");
    assert_eq!(position.fen(), "pp6/8/8/8/8/8/1P6/6PP b 4 32");
    assert_eq!(history.occurrences(&position), 2, "this is the position after the capture");
}

#[test]
fn suites_are_refused_with_their_line() {
    let start = "pppppppp/8/8/8/8/8/8/PPPPPPPP w 0 1";
    let error = |text: &str| parse_suite(text).unwrap_err();
    assert_eq!(
        error(&format!("# a comment\n\n{start} ;D1")),
        SuiteError::Count { line: 3, found: "D1".to_owned() }
    );
    assert_eq!(error(start), SuiteError::Empty { line: 1 });
    assert_eq!(error(&format!("{start} ;")), SuiteError::Empty { line: 1 });
    // With a semicolon behind the counts, too, or only there.
    for counts in
        [" ;D1 20 ;D2 400;", " D1 20; D2 400;", ";D1 20;;D2\t400; ", " D1 20; D2 400", " ;d1 20 ;d2 400"]
    {
        let case = parse_suite(&format!("{start}{counts}\n")).unwrap().remove(0);
        assert_eq!((case.fen.as_str(), case.counts), (start, vec![(1, 20), (2, 400)]), "{counts}");
    }
    assert_eq!(
        error(&format!("{start} ;D1 x")).to_string(),
        "line 1: `D1 x` is no count, expected `D<depth> <paths>`"
    );
}
