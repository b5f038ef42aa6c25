//! The solver against plain minimax and known results, and its command.

use crate::common;
use crate::common::shell::{self, assert_fails};

use std::collections::HashMap;
use std::process::Command;
use std::time::Duration;

use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::{Color, Game, GameHistory, Wdl};
use labrys::search::{Control, Limits};
use labrys::solver::{ProofLeaf, Solvable};
use labrys::solver::{Solution, solve};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use common::grid::random_fen;
use common::minimax::{Plain, empty_squares, end_games, result};

/// The result of Neighbours for the side to move with all draws of the rules, within `plies` plies. There is
/// no table, as a result may depend on the path.
fn neighbours(
    position: &Neighbours,
    history: &mut GameHistory<Neighbours>,
    plies: u32,
    plain: &mut Plain<()>,
) -> Option<i32> {
    plain.nodes = plain.nodes.checked_sub(1)?;
    if let Some(outcome) = history.outcome(position) {
        return Some(
            outcome.winner.map_or(0, |winner| if winner == position.side_to_move() { 1 } else { -1 }),
        );
    }
    let plies = plies.checked_sub(1)?;
    let moves = position.moves();
    history.push(position);
    let mut best = Some(-1);
    for mv in moves {
        let mut child = *position;
        child.play(mv);
        let value = neighbours(&child, history, plies, plain).map(|value| -value);
        if value == Some(1) {
            best = value;
            break;
        }
        best = best.zip(value).map(|(best, value)| best.max(value));
    }
    history.pop();
    best
}

fn number(value: Wdl) -> i32 {
    match value {
        Wdl::Win => 1,
        Wdl::Draw => 0,
        Wdl::Loss => -1,
    }
}

fn solved<G: Solvable>(fen: &str, nodes: u64) -> Solution<G::Move> {
    let position = G::from_fen(fen).unwrap();
    let solution = solve(&position, 16, &Limits::nodes(nodes), &Control::default()).unwrap();
    if let Some(value @ (Wdl::Win | Wdl::Loss)) = solution.value {
        check_line(&position, &solution, value);
    }
    solution
}

/// Plays the line of a solution.
fn check_line<G: Game>(start: &G, solution: &Solution<G::Move>, value: Wdl) {
    let (mut position, mut history) = (start.clone(), GameHistory::new());
    for &mv in &solution.line {
        assert!(history.outcome(&position).is_none() && position.is_legal(mv), "{}", start.fen());
        history.push(&position);
        position.play(mv);
    }
    if solution.is_complete {
        let winner = if value == Wdl::Win { start.side_to_move() } else { !start.side_to_move() };
        assert_eq!(history.outcome(&position).unwrap().winner, Some(winner), "{}", start.fen());
    }
}

#[test]
fn end_games_of_amazons_are_solved_as_by_minimax() {
    let (mut large, mut wins) = (0, 0);
    for (fen, _, expected) in end_games(5, 6..=14, 20_000).take(250) {
        let solution = solved::<Amazons>(&fen, 1_000_000);
        assert_eq!(solution.value.map(number), Some(expected), "{fen}");
        assert!(solution.is_complete, "{fen}");
        large += u32::from(empty_squares(&fen) >= 11);
        wins += u32::from(expected > 0);
    }
    assert!(large >= 20 && (60..190).contains(&wins), "{large} large ones, {wins} wins");
}

#[test]
fn certain_results_are_right_and_equal_keys_have_equal_results() {
    let mut random = StdRng::seed_from_u64(6);
    let (mut certain, mut shared) = ([0; 2], 0);
    let mut results = HashMap::new();
    for _ in 0..16_000 {
        let fen = random_fen(&mut random);
        // Smaller ones are certain.
        if empty_squares(&fen) > 10 {
            continue;
        }
        let position = Amazons::from_fen(&fen).unwrap();
        let Some(expected) = result(&position, &mut Plain::new(20_000)) else { continue };
        match position.proof_leaf() {
            ProofLeaf::Decided(winner) => {
                assert_eq!(winner == Some(position.side_to_move()), expected > 0, "{fen}");
                certain[usize::from(expected > 0)] += 1;
            }
            ProofLeaf::Open { key, .. } => {
                let (before, other) = results.entry(key).or_insert((expected, fen.clone()));
                assert_eq!(*before, expected, "{fen} and {other}");
                shared += u32::from(*other != fen);
            }
        }
    }
    assert!(certain.iter().all(|&count| count > 100) && shared > 20, "{certain:?} certain, {shared} shared");
}

#[test]
fn a_guard_of_two_squares_cannot_fill_both() {
    // White's amazon blocks the black one from a3 and c1, but only while it does not move.
    let fen = "***1/1*q*/*Q**/**1* w";
    let position = Amazons::from_fen(fen).unwrap();
    assert_eq!(result(&position, &mut Plain::new(1_000)), Some(-1));
    assert_ne!(position.proof_leaf(), ProofLeaf::Decided(Some(Color::White)));
    assert_eq!(solved::<Amazons>(fen, 1_000).value, Some(Wdl::Loss));
}

#[test]
fn keys_are_invariant_under_symmetries() {
    let key = |fen: &str| match Amazons::from_fen(fen).unwrap().proof_leaf() {
        ProofLeaf::Open { key, .. } => key,
        ProofLeaf::Decided(_) => panic!("{fen}"),
    };
    let first = key("1q*2/4Q/2*2/q3Q w");
    let same = [
        "2*q1/Q4/2*2/Q3q w",
        "q3Q/2*2/4Q/1q*2 w",
        "Q3q/2*2/Q4/2*q1 w",
        "3q/q3/*1*1/4/1Q1Q w",
        "q3/3q/1*1*/4/Q1Q1 w",
        "1Q*2/4q/2*2/Q3q b",
    ];
    for fen in same {
        assert_eq!(key(fen), first, "{fen}");
    }
    // An independent region may lie anywhere, and blocked squares do not matter.
    assert_eq!(key("1q*2/4Q/2*2/q3Q/***** w"), first);
    assert_eq!(key("******/*1q*2/*4Q/*2*2/*q3Q/******/q***** w"), first);
    for other in ["1q*2/4Q/2*2/q3Q b", "1q*2/4Q/2*2/Q3q w", "1q*1*/4Q/2*2/q3Q w", "1q*2/4Q/2*2/q3Q/****Q w"] {
        assert_ne!(key(other), first, "{other}");
    }
}

#[test]
fn known_results_take_a_small_share_of_the_plain_nodes() {
    // A plain boolean search with a hash map takes 100,159 and 53,449,813 nodes.
    for (fen, expected, most) in
        [("1qq1/q2q/Q2Q/1QQ1 w", Wdl::Loss, 10_015), ("1q1q1/q3q/Q3Q/1Q1Q1 w", Wdl::Win, 20_000)]
    {
        let solution = solved::<Amazons>(fen, most);
        assert_eq!(solution.value, Some(expected), "{fen}: {} nodes", solution.nodes);
        assert!(solution.is_complete, "{fen}");
    }
}

#[test]
fn end_games_of_neighbours_are_solved_as_by_minimax() {
    let mut random = StdRng::seed_from_u64(7);
    let mut compared = HashMap::new();
    for _ in 0..1_000 {
        let mut board = ['.'; 64];
        for _ in 0..random.random_range(3..8) {
            // Close together, so that pieces have neighbours and can move.
            let square = random.random_range(2..6) * 8 + random.random_range(2..6);
            board[square] = if random.random_bool(0.5) { 'P' } else { 'p' };
        }
        let rows: Vec<String> = board.chunks(8).map(|row| row.iter().collect()).collect();
        let mut fen = rows.join("/");
        for run in (1..=8).rev() {
            fen = fen.replace(&".".repeat(run), &run.to_string());
        }
        let position = Neighbours::from_fen(&format!("{fen} w {} 60", random.random_range(95..100))).unwrap();
        let plain = neighbours(&position, &mut GameHistory::new(), 6, &mut Plain::new(3_000));
        let Some(expected) = plain else { continue };
        let solution = solved::<Neighbours>(&position.fen(), 5_000);
        assert!(solution.value.is_none_or(|value| number(value) == expected), "{}", position.fen());
        if solution.value.is_some() {
            *compared.entry(expected).or_insert(0) += 1;
        }
    }
    assert!([-1, 0, 1].iter().all(|value| compared.get(value) > Some(&10)), "{compared:?}");
}

#[test]
fn chess_has_wins_losses_and_draws() {
    for (fen, value, plies) in [
        // Mates in one, in two and in three.
        ("k7/8/1K6/8/8/8/8/7R w - - 0 1", Wdl::Win, Some(1)),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", Wdl::Win, Some(3)),
        ("8/8/8/8/8/5k2/6q1/7K w - - 0 1", Wdl::Loss, Some(0)),
        ("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", Wdl::Loss, None),
        // Stalemate, now and after the only move.
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Wdl::Draw, None),
        ("8/8/8/8/8/k7/p7/K7 w - - 0 1", Wdl::Draw, None),
        // The move that draws by lack of progress may mate as well; one ply later it is too late.
        ("k7/8/1K6/8/8/8/8/7R w - - 99 80", Wdl::Win, Some(1)),
        ("1k6/8/1K6/8/8/8/8/7R b - - 98 80", Wdl::Draw, None),
        ("1k6/8/1K6/8/8/8/8/7R b - - 97 80", Wdl::Draw, None),
        // Nobody can win any more.
        ("8/8/8/3k4/8/3K4/8/6N1 w - - 0 80", Wdl::Draw, None),
    ] {
        let solution = solved::<Chess>(fen, 100_000);
        assert_eq!(solution.value, Some(value), "{fen}");
        if let Some(plies) = plies {
            assert_eq!(solution.line.len(), plies, "{fen}");
        }
    }
}

#[test]
fn without_nodes_there_is_no_winner_line_or_proof() {
    let start = solved::<Chess>("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 3_000);
    assert_eq!((start.value, start.line.len()), (None, 0));
    assert!(start.nodes <= 3_000, "{}", start.nodes);
    let control = Control::default();
    control.stop();
    let position = Amazons::start();
    assert_eq!(solve(&position, 1, &Limits::none(), &control).unwrap().value, None);
    let late = Limits { movetime: Some(Duration::ZERO), ..Limits::none() };
    let cut = solve(&position, 1, &late, &Control::default()).unwrap();
    // The start position has 2,176 moves: the clock is looked at every few positions.
    assert!(cut.value.is_none() && cut.evaluations < 20_000, "{}", cut.evaluations);
}

#[test]
fn a_small_table_gives_the_same_answer() {
    // A table that is far too small for all positions.
    let position = Amazons::from_fen("1q1q1/q3q/Q3Q/1Q1Q1 b").unwrap();
    let small = solve(&position, 1, &Limits::none(), &Control::default()).unwrap();
    assert_eq!((small.value, small.is_complete), (Some(Wdl::Win), true), "the board is symmetric");
}

fn labrys(arguments: &[&str]) -> (bool, String, String) {
    shell::output(Command::new(env!("CARGO_BIN_EXE_labrys")).arg("solve").args(arguments))
}

#[test]
fn the_command_prints_the_line_and_the_result_last() {
    let (success, out, error) = labrys(&["--variant", "amazons", "--fen", "1qq1/q2q/Q2Q/1QQ1 w"]);
    let lines: Vec<_> = out.lines().collect();
    assert!(success && error.is_empty(), "{error}");
    assert!(lines.len() == 2 && lines[0].starts_with("line ") && lines[1].starts_with("loss "), "{out}");

    let (success, out, _) = labrys(&["--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]);
    assert!(success && out.starts_with("draw ") && out.lines().count() == 1, "{out}");
    let (success, out, _) = labrys(&["--variant", "amazons", "--nodes", "100", "--hash", "1"]);
    assert!(success && out.starts_with("unknown "), "{out}");
    let (success, out, _) = labrys(&["--variant", "neighbours", "--time", "0.1"]);
    assert!(success && out.starts_with("unknown "), "{out}");
}

#[test]
fn unsolvable_positions_are_named() {
    for (arguments, message) in [
        (&["--variant", "tucchess"][..], "tucchess is a game of chance"),
        (&["--variant", "go"], "unknown variant `go`"),
        (&["--variant", "amazons", "--fen", "1q1/Q w"], "rank 1 `Q` has 1 square"),
        (&["--fen", "8/8"], "the board has 2 ranks"),
        (&["--nodes", "0"], "--nodes `0`: expected a whole number, 1 or more"),
        (&["--time", "soon"], "expected seconds"),
        (&["--hash", "0"], "--hash `0`: expected a whole number from 1 to 32768"),
        (&["--depth", "3"], "unknown argument `--depth`"),
    ] {
        assert_fails(labrys(arguments), message);
    }
}
