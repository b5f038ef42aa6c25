//! The rules of Amazons on boards of many sizes, against a plain grid.

use crate::common;

use std::collections::BTreeMap;

use common::grid::{Grid, name, random_fen};
use labrys::game::amazons::Amazons;
use labrys::game::{Color, Ending, FenError, Game, GameMove, MoveError, Outcome};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn moves_equal_those_of_the_grid(seed: u64) {
        let mut random = StdRng::seed_from_u64(seed);
        let fen = random_fen(&mut random);
        let mut position = Amazons::from_fen(&fen).unwrap();
        prop_assert_eq!(position.fen(), fen);
        for _ in 0..4 {
            let grid = Grid::new(&position.fen());
            let expected: BTreeMap<String, Grid> = grid
                .moves()
                .into_iter()
                .map(|(squares, after)| {
                    let [from, to, arrow] = squares.map(name);
                    (format!("{from}{to},{to}{arrow}"), after)
                })
                .collect();
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            prop_assert_eq!(moves.len(), expected.len());
            prop_assert_eq!(position.count_moves(), expected.len());
            prop_assert_eq!(position.is_terminal(), expected.is_empty());
            prop_assert!(moves.len() <= Amazons::MAX_MOVES);
            for &mv in &moves {
                let text = position.move_text(mv);
                prop_assert_eq!(position.parse_move(&text), Ok(mv));
                prop_assert_eq!(<Amazons as Game>::Move::from_bits(mv.to_bits()), mv);
                prop_assert!((1..1 << 21).contains(&mv.to_bits()));
                let child = position.after(mv);
                prop_assert_eq!(&Grid::new(&child.fen()), &expected[&text]);
                prop_assert_eq!(child.key(), child.key_from_scratch());
            }
            if moves.is_empty() {
                let winner = Some(!position.side_to_move());
                prop_assert_eq!(position.outcome(), Some(Outcome { winner, ending: Ending::NoMoves }));
                break;
            }
            position.play(moves[random.random_range(0..moves.len())]);
        }
    }

    #[test]
    fn any_three_squares_are_a_move_or_an_error(seed: u64) {
        let mut random = StdRng::seed_from_u64(seed);
        let position = Amazons::from_fen(&random_fen(&mut random)).unwrap();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        for _ in 0..1000 {
            let mv = <Amazons as Game>::Move::from_bits(random.next_u32());
            let read = position.parse_move(&position.move_text(mv));
            prop_assert_eq!(read == Ok(mv), moves.contains(&mv));
            // Moves of the table may belong to other positions and must not panic.
            let child = position.after(mv);
            let _ = (child.count_moves(), child.is_terminal());
        }
    }

    #[test]
    fn damaged_fens_are_positions_or_errors(seed: u64, at in 0usize..60, letter in "[qQ*0-9/ wb-]") {
        let mut fen = random_fen(&mut StdRng::seed_from_u64(seed));
        let at = at % fen.len();
        fen.replace_range(at..=at, &letter);
        if let Ok(position) = Amazons::from_fen(&fen) {
            prop_assert_eq!(Amazons::from_fen(&position.fen()).unwrap().fen(), position.fen());
            prop_assert_eq!(position.count_moves(), Grid::new(&position.fen()).moves().len());
        }
    }
}

#[test]
fn the_boards_have_their_start_positions() {
    let option = Amazons::OPTION.unwrap();
    assert_eq!(option.name, "AmazonsBoard");
    assert_eq!(option.choices[..5], ["10x10", "8x8", "6x6", "5x5", "5x4"]);
    for (choice, name) in option.choices.iter().enumerate() {
        let position = Amazons::start_with(choice);
        let fen = position.fen();
        let grid = Grid::new(&fen);
        assert_eq!(format!("{}x{}", grid.rows[0].len(), grid.rows.len()), *name);
        assert_eq!(position.side_to_move(), Color::White);
        assert_eq!(grid.all('Q').len(), grid.all('q').len());
        assert!(fen.ends_with(" w - - 0 1") && !fen.contains('*'), "{fen}");
        // Rotating the board by 180 degrees exchanges the players.
        let board = fen.split(' ').next().unwrap();
        let turned: String = board.chars().rev().collect::<String>().replace("01", "10");
        let swapped: String = turned
            .chars()
            .map(|letter| {
                if letter == 'q' {
                    'Q'
                } else if letter == 'Q' {
                    'q'
                } else {
                    letter
                }
            })
            .collect();
        assert_eq!(swapped, board);
    }
    assert_eq!(Amazons::start().fen(), "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1");
}

#[test]
fn positions_of_different_boards_differ() {
    let [wide, high] = ["Q3q/5 w", "Q3/3q/4 w"].map(|fen| Amazons::from_fen(fen).unwrap());
    let [small, large] = ["Qq/2 w", "Qq1/3 w"].map(|fen| Amazons::from_fen(fen).unwrap());
    for (one, other) in [(wide, high), (small, large)] {
        assert_ne!(one.key(), other.key());
        assert!(!one.same_position(&other));
    }
}

#[test]
fn what_comes_after_the_side_to_move_may_be_missing() {
    for fen in ["Q2/3/2q b", "Q2/3/2q b -", "Q2/3/2q b - -", "Q2/3/2q b - - 0"] {
        assert_eq!(Amazons::from_fen(fen).unwrap().fen(), "Q2/3/2q b - - 0 1");
    }
}

#[test]
fn fens_are_refused_with_a_reason() {
    for (fen, message) in [
        ("", "board is missing"),
        ("Q10q/12 w", "FEN: 12 files, expected at most 11"),
        ("Q/1/1/1/1/1/1/1/1/1/1/q w", "FEN: 12 ranks, expected at most 11"),
        ("Q8q/10/9 w", "rank 1 `9` has 9 squares, expected 10"),
        ("Q8q/11 w", "rank 1 `11` has 11 squares, expected 10"),
        ("99999999999999999999999/Q w", "files, expected at most 11"),
        ("10/10 w", "a white amazon is missing, expected at least one `Q`"),
        ("Q9/10 w", "a black amazon is missing, expected at least one `q`"),
        ("/ w", "a white amazon is missing"),
        ("QQQQQ/QQQQ1/qqqqq w", "FEN: 9 white amazons, expected at most 8"),
        ("qqqqq/qqqq1/QQQQQ w", "FEN: 9 black amazons, expected at most 8"),
        ("Q1q/1x1 w", "'x' on rank 1 is no piece, expected `Q`, `q`, `*` or a number"),
        ("Q1q/3[*] w - - 0 1", "pieces in hand `[*]`: expected nothing"),
        ("Q1q/3[] w - - 0 1", "pieces in hand `[]`: expected nothing"),
        ("Q1q/3", "side to move is missing"),
        ("Q1q/3 x", "side to move `x`"),
        ("Q1q/3 w KQkq", "third field `KQkq`: expected `-`"),
        ("Q1q/3 w - e3", "fourth field `e3`: expected `-`"),
        ("Q1q/3 w - - -1", "plies `-1`: expected a number from 0 to 9999"),
        ("Q1q/3 w - - 0 -1", "move number `-1`: expected a number from 0 to 9999"),
        ("Q1q/3 w - - 0 1 1", "`1` after the last field"),
    ] {
        let error: FenError = Amazons::from_fen(fen).unwrap_err();
        assert!(error.to_string().contains(message), "{fen}: {error}");
    }
}

#[test]
fn illegal_moves_are_told_the_rule() {
    // Arrows on c3 and b5, amazons on a1, e1 (White) and e5 (Black).
    let position = Amazons::from_fen("1*2q/5/2*2/5/Q3Q w - - 0 1").unwrap();
    for (text, message) in [
        ("a1a3", "`a1a3` is no move: expected a comma and the move of the arrow after it"),
        ("a1a3,", "is no move: expected the moves of the amazon and of its arrow, as in `d1d7,d7g7`"),
        ("a1a3,a3", "is no move"),
        ("a1a3a3a4", "is no move"),
        ("a1a3,a3a4,a4a5", "is no move"),
        ("a1a03,a3a4", "is no move"),
        ("a1a12,a12a4", "is no move"),
        ("é1a3,a3a4", "is no move"),
        ("a1a3,a3l3", "is no move"),
        ("a1a6,a6a5", "a6 is not on the board of 5 files and 5 ranks"),
        ("a1f1,f1a1", "f1 is not on the board"),
        ("a2a3,a3a4", "White, to move, has no amazon on a2"),
        ("e5e4,e4e3", "White, to move, has no amazon on e5"),
        ("a1a3,a1a2", "the arrow has to start from a3, where the amazon goes, not from a1"),
        ("a1b3,b3b4", "the amazon has to go in a straight line, a1 to b3 is none"),
        ("a1a1,a1a2", "the amazon has to go in a straight line, a1 to a1 is none"),
        ("a1d4,d4d3", "the amazon cannot go from a1 to d4, c3 is not empty"),
        ("a1c3,c3c4", "the amazon cannot go from a1 to c3, c3 is not empty"),
        ("a1e1,e1e2", "the amazon cannot go from a1 to e1, e1 is not empty"),
        ("a1a3,a3e3", "the arrow cannot go from a3 to e3, c3 is not empty"),
        ("a1a3,a3b5", "the arrow has to go in a straight line, a3 to b5 is none"),
        ("a1a3,a3a3", "the arrow has to go in a straight line, a3 to a3 is none"),
        ("e1e4,e4e5", "the arrow cannot go from e4 to e5, e5 is not empty"),
    ] {
        let error = position.parse_move(text).unwrap_err();
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
    assert!(matches!(position.parse_move("a1a2"), Err(MoveError::Syntax { .. })));
    // Through the square that the amazon has left, and onto it.
    for text in ["a1b1,b1a1", "e1c1,c1e1", "a1a5,a5a1"] {
        assert!(position.parse_move(text).is_ok(), "{text}");
    }
}

#[test]
fn squares_of_the_largest_board_have_two_digits() {
    let fen = "q10/11/11/11/11/11/11/11/11/11/10Q w - - 0 1";
    let mut position = Amazons::from_fen(fen).unwrap();
    let mv = position.parse_move("k1k11,k11b11").unwrap();
    assert_eq!(position.move_text(mv), "k1k11,k11b11");
    position.play(mv);
    assert_eq!(position.fen(), "q*8Q/11/11/11/11/11/11/11/11/11/11 b - - 1 1");
    assert_eq!(position.count_moves(), Grid::new(&position.fen()).moves().len());
}
