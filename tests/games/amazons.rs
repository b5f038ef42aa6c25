//! The rules of Amazons on boards of many sizes, against a plain grid.

use crate::common;
use crate::seeded;

use std::collections::{BTreeMap, BTreeSet};

use common::grid::{Grid, Square, name, random_fen};
use labrys::engine::{Board, Engine, EvaluationInUse, SearchReport, Settings, registry};
use labrys::game::amazons::Amazons;
use labrys::game::{Ending, FenError, Game, GameMove, MoveError, Outcome};
use labrys::search::{Control, Limits};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

proptest! {
    #![proptest_config(seeded(300))]

    #[test]
    fn moves_agree_with_the_grid(seed: u64) {
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
            let moves = position.moves();
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
        let moves = position.moves();
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

/// The boards of the first versions, with their start positions.
const OLD_STARTS: [(&str, &str); 12] = [
    ("10x10", "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3"),
    ("8x8", "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2"),
    ("6x6", "2q3/5q/6/6/Q5/3Q2"),
    ("5x5", "1q1q1/q3q/5/Q3Q/1Q1Q1"),
    ("5x4", "1q1q1/q3q/Q3Q/1Q1Q1"),
    ("4x5", "1q2/3q/4/Q3/2Q1"),
    ("4x4", "1qq1/q2q/Q2Q/1QQ1"),
    ("6x4", "1q2q1/q4q/Q4Q/1Q2Q1"),
    ("5x6", "1q1q1/q3q/5/5/Q3Q/1Q1Q1"),
    ("4x6", "1qq1/q2q/4/4/Q2Q/1QQ1"),
    ("4x7", "1qq1/q2q/4/4/4/Q2Q/1QQ1"),
    ("6x5", "1q2q1/q4q/6/Q4Q/1Q2Q1"),
];

/// The boards on which the two players' amazons are images of each other by rotation alone.
const ROTATED: [&str; 2] = ["6x6", "4x5"];

/// The start position on a board, by its name.
fn board_of(name: &str) -> Box<dyn Board> {
    let mut board = registry::board("amazons").unwrap();
    board.set_option("AmazonsBoard", name).unwrap();
    board
}

/// All boards: files, ranks and name.
fn all_boards() -> impl Iterator<Item = (i32, i32, String)> {
    (3..=11).flat_map(|files| (3..=11).map(move |ranks| (files, ranks, format!("{files}x{ranks}"))))
}

#[test]
fn the_option_lists_every_board_once_with_the_usual_ones_first() {
    let option = Amazons::info().option.unwrap();
    assert_eq!(option.name, "AmazonsBoard");
    assert_eq!(option.choices[..OLD_STARTS.len()], OLD_STARTS.map(|(name, _)| name));
    let mut names: Vec<_> = all_boards().map(|(.., name)| name).collect();
    let mut choices = option.choices.to_vec();
    names.sort_unstable();
    choices.sort_unstable();
    assert_eq!(choices, names);
}

#[test]
fn the_old_start_positions_stay() {
    assert_eq!(Amazons::start().fen(), format!("{} w - - 0 1", OLD_STARTS[0].1));
    for (choice, (name, start)) in OLD_STARTS.into_iter().enumerate() {
        assert_eq!(board_of(name).fen(), format!("{start} w - - 0 1"), "{name}");
        assert_eq!(Amazons::start_with(choice).fen(), board_of(name).fen());
    }
}

#[test]
fn start_positions_follow_the_rule() {
    for (name, start) in [
        ("3x3", "q1q/3/Q1Q"),
        ("3x4", "q1q/3/3/Q1Q"),
        ("3x11", "q1q/3/3/3/3/3/3/3/3/3/Q1Q"),
        ("4x3", "1qq1/4/1QQ1"),
        ("11x3", "3q3q3/11/3Q3Q3"),
        ("4x11", "1qq1/4/4/q2q/4/4/4/Q2Q/4/4/1QQ1"),
        ("7x4", "2q1q2/q5q/Q5Q/2Q1Q2"),
        ("7x7", "2q1q2/7/q5q/7/Q5Q/7/2Q1Q2"),
        ("9x9", "2q3q2/9/q7q/9/9/9/Q7Q/9/2Q3Q2"),
        ("11x11", "3q3q3/11/11/q9q/11/11/11/Q9Q/11/11/3Q3Q3"),
    ] {
        assert_eq!(board_of(name).fen(), format!("{start} w - - 0 1"));
    }
}

#[test]
fn every_board_has_a_fair_start_position() {
    for (files, ranks, name) in all_boards() {
        let fen = board_of(&name).fen();
        let position = Amazons::from_fen(&fen).unwrap();
        assert_eq!(position.fen(), fen);
        assert_eq!(position.size(), (files as usize, ranks as usize), "{name}");
        assert!(fen.ends_with(" w - - 0 1") && !fen.contains('*'), "{fen}");
        for fen in [fen.clone(), fen.replace(" w ", " b ")] {
            assert!(Amazons::from_fen(&fen).unwrap().count_moves() > 0, "{fen}");
        }

        let grid = Grid::new(&fen);
        let [white, black] = ['Q', 'q'].map(|letter| BTreeSet::from_iter(grid.all(letter)));
        let is_small = files == 3 || ranks == 3 || ROTATED.contains(&&*name);
        assert_eq!(white.len(), if is_small { 2 } else { 4 }, "{name}");
        let image = |of: &BTreeSet<Square>, mirrored: bool, turned: bool| -> BTreeSet<Square> {
            let image = |&(file, rank): &Square| {
                let file = if mirrored { files - 1 - file } else { file };
                (file, if turned { ranks - 1 - rank } else { rank })
            };
            of.iter().map(image).collect()
        };
        assert_eq!(image(&white, true, true), black, "rotated, {name}");
        if !ROTATED.contains(&&*name) {
            assert_eq!(image(&white, false, true), black, "upside down, {name}");
            assert_eq!(image(&white, true, false), white, "mirrored, {name}");
        }

        // White has the lower half. With four ranks, the halves touch.
        assert!(white.iter().all(|(_, rank)| 2 * rank < ranks - 1), "{name}");
        let is_near = |one: &Square, other: &Square| one.0.abs_diff(other.0).max(one.1.abs_diff(other.1)) < 2;
        let touches = white.iter().any(|one| black.iter().any(|other| is_near(one, other)));
        assert_eq!(touches, ranks == 4 && files > 3, "{name}");
    }
}

#[test]
fn digits_add_up_in_all_ranks_of_small_boards() {
    for fen in ["11111111/8/8/q7/7Q/8/8/8 w", "44/8/8/q7/7Q/8/8/8 w", "8/11111111/44/q7/7Q/8/8/8 w"] {
        assert_eq!(Amazons::from_fen(fen).unwrap().fen(), "8/8/8/q7/7Q/8/8/8 w - - 0 1", "{fen}");
    }
    assert_eq!(Amazons::from_fen("10/10/q9/9Q w").unwrap().size(), (10, 4));
    let error = Amazons::from_fen("12/q11/11Q w").unwrap_err().to_string();
    assert!(error.contains("12"), "{error}");
}

#[test]
fn other_boards_are_refused_with_the_range() {
    let mut board = board_of("7x7");
    let fen = board.fen();
    for name in ["2x2", "12x12", "2x7", "7x12", "7", "7x", "x7", "07x7", "7x07", "7x7x7", "7 x 7", "7×7", ""]
    {
        let error = board.set_option("AmazonsBoard", name).unwrap_err().to_string();
        let expected = "is not a board from 3x3 to 11x11, files x ranks";
        assert_eq!(error, format!("option AmazonsBoard: `{name}` {expected}"));
        assert_eq!(board.fen(), fen);
    }
    // The values of an option are not case-sensitive.
    board.set_option("amazonsboard", "9X9").unwrap();
    assert_eq!(board.fen(), board_of("9x9").fen());
}

/// Searches the position of an engine. Returns the best move.
fn best_move(engine: &mut dyn Engine, nodes: u64) -> Option<String> {
    let limits = Limits::nodes(nodes);
    let best = engine.search(&[], &limits, &Control::default(), &mut |_: &SearchReport| {}).unwrap();
    best.best
}

#[test]
fn every_search_finds_a_move_on_boards_of_every_shape() {
    let settings = Settings { hash: 1, ..Settings::default() };
    for name in ["3x3", "3x11", "7x7", "11x3", "11x11", "8x8"] {
        for mode in ["pvs", "mcts"] {
            let mut engine = registry::engine("amazons", &settings).unwrap();
            engine.set_option("AmazonsBoard", name).unwrap();
            engine.set_option("SearchMode", mode).unwrap();
            // The shipped net is for 8×8. Elsewhere the engine evaluates by features.
            engine.check_net().unwrap();
            let has_net = name == "8x8";
            let expected = if has_net { EvaluationInUse::Net } else { EvaluationInUse::Linear };
            assert_eq!(engine.evaluation_in_use(), expected, "{name}");
            assert_eq!(engine.net_breakdown().is_some(), has_net, "{name}");
            let best = best_move(engine.as_mut(), 2_000).unwrap();
            assert!(engine.board().legal_moves().contains(&best), "{name} {mode}: {best}");
        }
    }
}

#[test]
fn games_on_narrow_boards_are_played_to_their_end() {
    for name in ["3x3", "3x11", "11x3", "4x9"] {
        let mut engine = registry::engine("amazons", &Settings { hash: 1, ..Settings::default() }).unwrap();
        engine.set_option("AmazonsBoard", name).unwrap();
        let mut plies = 0;
        while let Some(best) = best_move(engine.as_mut(), 100) {
            engine.board_mut().play(&best).unwrap();
            plies += 1;
        }
        let fen = engine.board().fen();
        assert!(engine.board().outcome().unwrap().winner.is_some() && plies > 1, "{fen}");
        // Every move leaves an arrow.
        assert_eq!(fen.matches('*').count(), plies, "{fen}");
    }
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
fn fields_after_the_side_to_move_are_optional() {
    for fen in ["Q2/3/2q b", "Q2/3/2q b -", "Q2/3/2q b - -", "Q2/3/2q b - - 0", "Q2/111/02q/ b bm a1a2;"] {
        assert_eq!(Amazons::from_fen(fen).unwrap().fen(), "Q2/3/2q b - - 0 1");
    }
}

#[test]
fn fens_are_refused_with_a_reason() {
    for (fen, message) in [
        ("", "missing board"),
        ("Q10q/12 w", "FEN: 12 files, expected at most 11"),
        ("Q/1/1/1/1/1/1/1/1/1/1/q w", "FEN: 12 ranks, expected at most 11"),
        ("Q8q/10/9 w", "rank 1 `9` has 9 squares, expected 10"),
        ("Q8q/11 w", "rank 1 `11` has 11 squares, expected 10"),
        ("99999999999999999999999/Q w", "files, expected at most 11"),
        ("10/10 w", "missing white amazon, expected at least one `Q`"),
        ("Q9/10 w", "missing black amazon, expected at least one `q`"),
        ("/ w", "missing white amazon"),
        ("QQQQQ/QQQQ1/qqqqq w", "FEN: 9 white amazons, expected at most 8"),
        ("qqqqq/qqqq1/QQQQQ w", "FEN: 9 black amazons, expected at most 8"),
        ("Q1q/1x1 w", "'x' on rank 1 is no piece, expected `Q`, `q`, `*` or a number"),
        ("Q1q/3[*] w - - 0 1", "pieces in hand `[*]`: expected nothing"),
        ("Q1q/3[] w - - 0 1", "pieces in hand `[]`: expected nothing"),
        ("Q1q/3", "missing side to move"),
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
fn errors_of_illegal_moves_name_the_rule() {
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
