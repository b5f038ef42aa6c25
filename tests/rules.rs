//! The rules of every game, by one suite, and those of Neighbours against a plain mailbox.

mod common;

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::AtomicBool;

use common::mailbox::Mailbox;
use common::{random_game, random_game_from};
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::perft::{SuiteError, parse_suite, perft};
use labrys::game::tucchess::TucChess;
use labrys::game::{Color, Ending, FenError, Game, GameHistory, GameMove, Knowledge, MoveError, Outcome};
use proptest::prelude::*;

/// Everything that holds in every position of every game.
fn check_position<G: Knowledge>(position: &G, history: &GameHistory<G>) {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    assert!(moves.len() <= G::MAX_MOVES);
    assert_eq!(moves.len(), position.count_moves());
    assert_eq!(moves.is_empty(), position.is_terminal());
    assert_eq!(position.key(), position.key_from_scratch());

    let read = G::from_fen(&position.fen()).unwrap();
    assert_eq!(read.fen(), position.fen());
    assert_eq!(read.key(), position.key());
    assert!(read.same_position(position));
    assert_eq!(read.halfmove_clock(), position.halfmove_clock());

    let mut texts = HashSet::new();
    for &mv in &moves {
        let text = position.move_text(mv);
        assert_eq!(position.parse_move(&text), Ok(mv));
        assert!(texts.insert(text), "two moves of the same text in {}", position.fen());
        assert!((1..1 << 24).contains(&mv.to_bits()));
        assert_eq!(G::Move::from_bits(mv.to_bits()), mv);
        let mut child = position.clone();
        child.play(mv);
        assert_ne!(child.key(), position.key());
        assert!(!child.same_position(position));
    }
    if moves.is_empty() {
        assert_eq!(history.outcome(position), Some(position.terminal_outcome()));
    }
    check_knowledge(position, &moves);
}

/// What a search may ask without listing the legal moves.
fn check_knowledge<G: Knowledge>(position: &G, moves: &[G::Move]) {
    let mut tactical = Vec::new();
    position.tactical_moves(&mut tactical);
    let expected: Vec<_> = moves.iter().copied().filter(|&mv| position.is_tactical(mv)).collect();
    assert_eq!(tactical, expected, "{}", position.fen());
    let mut quiet = Vec::new();
    position.quiet_moves(&mut quiet);
    let sorted =
        |moves: &mut dyn Iterator<Item = G::Move>| moves.map(GameMove::to_bits).collect::<BTreeSet<_>>();
    let expected = sorted(&mut moves.iter().copied().filter(|&mv| !position.is_tactical(mv)));
    assert_eq!(
        (quiet.len(), sorted(&mut quiet.into_iter())),
        (expected.len(), expected),
        "{}",
        position.fen()
    );
    for mv in moves {
        assert!(position.is_legal(*mv));
        assert!(position.move_kind(*mv) < G::MOVE_KINDS);
        for bit in 0..24 {
            let other = G::Move::from_bits(mv.to_bits() ^ 1 << bit);
            assert_eq!(position.is_legal(other), moves.contains(&other), "{other:?} in {}", position.fen());
        }
    }
    if let Some(passed) = position.null_move() {
        assert_eq!(passed.key(), passed.key_from_scratch());
        assert!(passed.side_to_move() != position.side_to_move() && !passed.same_position(position));
    }
}

fn check_suite<G: Game>(text: &str, deepest: u32, counts: usize) {
    let cases = parse_suite(text).unwrap();
    let mut checked = 0;
    for case in cases {
        let position = G::from_fen(&case.fen).unwrap();
        assert_eq!(position.fen(), case.fen);
        for (depth, paths) in case.counts.into_iter().filter(|&(depth, _)| depth <= deepest) {
            assert_eq!(
                perft(&position, depth, &AtomicBool::new(false)),
                Some(paths),
                "{} depth {depth}",
                case.fen
            );
            checked += 1;
        }
    }
    assert_eq!(checked, counts, "the suite has lost counts");
}

#[test]
fn neighbours_perft() {
    check_suite::<Neighbours>(include_str!("../perft/neighbours.epd"), u32::MAX, 102);
}

#[test]
fn tucchess_perft() {
    check_suite::<TucChess>(include_str!("../perft/tucchess.epd"), u32::MAX, 128);
}

#[test]
fn chess_perft() {
    check_suite::<Chess>(include_str!("../perft/chess.epd"), 4, 104);
    check_suite::<Chess>(include_str!("../perft/chess960.epd"), 4, 48);
}

#[test]
fn amazons_perft() {
    check_suite::<Amazons>(include_str!("../perft/amazons.epd"), u32::MAX, 54);
}

#[test]
fn perft_can_be_stopped() {
    assert_eq!(perft(&Neighbours::start(), 9, &AtomicBool::new(true)), None);
    assert_eq!(perft(&Neighbours::start(), 0, &AtomicBool::new(false)), Some(1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

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
        let case = parse_suite(include_str!("../perft/chess960.epd")).unwrap().swap_remove(which);
        let mut start = Chess::from_fen(&case.fen).unwrap();
        start.choose(choice);
        random_game_from(start, seed, 60, check_position);
    }

    #[test]
    fn neighbours_equals_mailbox(seed: u64) {
        random_game::<Neighbours>(seed, 200, |position, _| {
            let mailbox = Mailbox::new(&position.fen());
            let mut expected: Vec<_> = mailbox.moves(true).iter().map(|&(from, to)| square(from) + &square(to)).collect();
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let mut found: Vec<_> = moves.iter().map(|&mv| position.move_text(mv)).collect();
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{}", position.fen());
            for &mv in &moves {
                let text = position.move_text(mv);
                let path = mailbox.moves(true).into_iter().find(|&(from, to)| square(from) + &square(to) == text);
                let mut child = *position;
                child.play(mv);
                assert_eq!(Mailbox::new(&child.fen()), mailbox.play(path.unwrap()));
            }
        });
    }

    #[test]
    fn any_text_is_a_position_or_an_error(text in ".{0,80}") {
        let _ = Neighbours::from_fen(&text);
        let _ = Neighbours::start().parse_move(&text);
        let _ = TucChess::from_fen(&text);
        let _ = TucChess::start().parse_move(&text);
        let _ = Chess::from_fen(&text);
        let _ = Chess::start().parse_move(&text);
        let _ = Amazons::from_fen(&text);
        let _ = Amazons::start().parse_move(&text);
    }

    #[test]
    fn damaged_fens_are_positions_or_errors(seed: u64, at in 0usize..60, letter in "[pPwbKkQqRnh0-9/ x-]") {
        let (position, _) = random_game::<Neighbours>(seed, 60, |_, _| {});
        let mut fen = position.fen();
        let at = at % fen.len();
        fen.replace_range(at..=at, &letter);
        if let Ok(position) = Neighbours::from_fen(&fen) {
            check_position(&position, &GameHistory::new());
        }
        let (position, _) = random_game::<Chess>(seed, 60, |_, _| {});
        let mut fen = position.fen();
        fen.replace_range(at..=at, &letter);
        if let Ok(position) = Chess::from_fen(&fen) {
            random_game_from(position, seed, 5, check_position);
        }
    }
}

proptest! {
    // Every position has hundreds of moves.
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn random_amazons(seed: u64) {
        random_game::<Amazons>(seed, 200, check_position);
    }
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
        "FEN: board is missing, expected eight ranks of `P`, `p` and numbers of empty squares"
    );
    assert_eq!(error("8/8 w"), "FEN: the board has 2 ranks, expected 8");
    assert_eq!(error("8/8/8/8/8/8/8/8/8 w"), "FEN: the board has 9 ranks, expected 8");
    assert_eq!(error("ppppppppp/8/8/8/8/8/8/8 w"), "FEN: rank 8 `ppppppppp` has 9 squares, expected 8");
    assert_eq!(error("8/8/p6/8/8/8/8/8 w"), "FEN: rank 6 `p6` has 7 squares, expected 8");
    assert_eq!(
        error("8/8/99999999999999999999999/8/8/8/8/8 w").split(" has ").nth(1).unwrap(),
        format!("{} squares, expected 8", usize::MAX)
    );
    assert_eq!(error("8/8/64/8/8/8/8/8 w"), "FEN: rank 6 `64` has 64 squares, expected 8");
    assert_eq!(error("8/8/8/3k4/8/8/8/8 w"), "FEN: 'k' on rank 5 is no piece, expected `P`, `p` or a number");
    assert_eq!(error("PPPPPPPP/P7/8/8/8/8/8/8 w"), "FEN: 9 white pieces, expected at most 8");
    assert_eq!(error("8/8/8/8/8/8/8/8"), "FEN: side to move is missing, expected `w` or `b`");
    assert_eq!(error("8/8/8/8/8/8/8/8 W"), "FEN: side to move `W`: expected `w` or `b`");
    assert_eq!(
        error("8/8/8/8/8/8/8/8 w 10000 1"),
        "FEN: plies since the last capture `10000`: expected a number from 0 to 9999"
    );
    assert_eq!(error("8/8/8/8/8/8/8/8 w 0 0"), "FEN: move number `0`: expected a number from 1 to 9999");
    assert_eq!(
        error("8/8/8/8/8/8/8/8 w -1"),
        "FEN: plies since the last capture `-1`: expected a number from 0 to 9999"
    );
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
fn illegal_moves_are_told_the_rule() {
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

/// Both players can go to and fro here: two pieces next to each other, far from the others.
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
        assert_eq!(history.is_repetition(&position), occurrences > 1);
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
fn a_player_without_a_move_loses_even_then() {
    let fen = "p6p/8/8/8/8/8/8/PP6 w 99 60";
    let (position, history) = play(fen, "a1a2");
    let outcome = Outcome { winner: Some(Color::White), ending: Ending::NoMoves };
    assert_eq!(position.halfmove_clock(), 100);
    assert_eq!(history.outcome(&position), Some(outcome));
    assert_eq!(outcome.to_string(), "White wins: no legal move");
}

#[test]
fn a_capture_forgets_the_past() {
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
    assert_eq!(
        error(&format!("{start} ;D1 x")).to_string(),
        "line 1: `D1 x` is no count, expected `D<depth> <paths>`"
    );
}
