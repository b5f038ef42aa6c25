//! The rules of all games in the positions of the perft suites, in a moment. The tests of the program count
//! the suites to their full depth and play random games.

use std::sync::atomic::AtomicBool;

use super::amazons::Amazons;
use super::chess::Chess;
use super::neighbours::Neighbours;
use super::perft::{parse_suite, perft};
use super::tucchess::TucChess;
use super::{Game, GameMove};

/// Paths of the largest counts.
const PATHS: u64 = 3_000;

/// Plies of the line that is played from each position.
const PLIES: usize = 40;

/// Moves of a position whose properties are checked.
const MOVES: usize = 20;

/// Bits of a move.
const BITS: u32 = 24;

/// Checks the smaller counts of a suite, and a line from each of its positions.
fn check_suite<G: Game>(suite: &str) {
    for case in parse_suite(suite).unwrap() {
        let position = G::from_fen(&case.fen).unwrap();
        for (depth, paths) in case.counts.into_iter().filter(|&(_, paths)| paths <= PATHS) {
            let found = perft(&position, depth, &AtomicBool::new(false));
            assert_eq!(found, Some(paths), "{} depth {depth}", case.fen);
        }
        check_line(position);
    }
}

/// Plays moves that follow from the positions alone.
fn check_line<G: Game>(mut position: G) {
    for _ in 0..PLIES {
        let moves = position.moves();
        check_position(&position, &moves);
        if moves.is_empty() {
            return;
        }
        let mv = moves[position.key() as usize % moves.len()];
        check_neighbours_of(&position, mv, &moves);
        position.play(mv);
    }
}

fn check_position<G: Game>(position: &G, moves: &[G::Move]) {
    let fen = position.fen();
    assert_eq!((position.count_moves(), position.is_terminal()), (moves.len(), moves.is_empty()), "{fen}");
    assert!(moves.len() <= G::MAX_MOVES && position.key() == position.key_from_scratch(), "{fen}");
    let read = G::from_fen(&fen).unwrap();
    assert_eq!(read.fen(), fen);
    assert!(read.same_position(position), "{fen}");
    let counters = |position: &G| (position.key(), position.table_key(), position.halfmove_clock());
    assert_eq!(counters(&read), counters(position), "{fen}");
    for &mv in moves.iter().step_by(moves.len() / MOVES + 1) {
        assert!((1..1 << BITS).contains(&mv.to_bits()) && position.is_legal(mv), "{mv:?} in {fen}");
        assert_eq!(G::Move::from_bits(mv.to_bits()), mv);
        let child = position.after(mv);
        assert_ne!(child.side_to_move(), position.side_to_move(), "{fen}");
        assert!(child.key() != position.key() && !child.same_position(position), "{fen}");
    }
}

/// Checks which moves that differ in one bit are legal.
fn check_neighbours_of<G: Game>(position: &G, mv: G::Move, moves: &[G::Move]) {
    for bit in 0..BITS {
        let other = G::Move::from_bits(mv.to_bits() ^ 1 << bit);
        assert_eq!(position.is_legal(other), moves.contains(&other), "{other:?} in {}", position.fen());
    }
}

#[test]
fn rules_of_neighbours() {
    check_suite::<Neighbours>(include_str!("../../../../perft/neighbours.epd"));
}

#[test]
fn rules_of_tucchess() {
    check_suite::<TucChess>(include_str!("../../../../perft/tucchess.epd"));
}

#[test]
fn rules_of_chess() {
    check_suite::<Chess>(include_str!("../../../../perft/chess.epd"));
    check_suite::<Chess>(include_str!("../../../../perft/chess960.epd"));
}

#[test]
fn rules_of_amazons() {
    check_suite::<Amazons>(include_str!("../../../../perft/amazons.epd"));
}

#[test]
fn parts_of_a_position_count_towards_its_identity() {
    fn all_differ<G: Game>(fens: &[&str]) {
        let positions: Vec<_> = fens.iter().map(|fen| G::from_fen(fen).unwrap()).collect();
        for (at, one) in positions.iter().enumerate() {
            for other in &positions[at + 1..] {
                assert!(!one.same_position(other) && one.key() != other.key(), "{one:?} {other:?}");
            }
        }
    }
    all_differ::<Neighbours>(&[
        "pp6/8/8/8/8/8/8/PP6 w 0 1",
        "pp6/8/8/8/8/8/8/PP6 b 0 1",
        "pp6/8/8/8/8/8/8/P1P5 w 0 1",
        "p1p5/8/8/8/8/8/8/PP6 w 0 1",
    ]);
    all_differ::<TucChess>(&[
        "k4/5/5/5/R4/5/K4 w 0 0 1",
        "k4/5/5/5/R4/5/K4 b 0 0 1",
        "k4/5/5/5/P4/5/K4 w 0 0 1",
        "k4/5/5/5/r4/5/K4 w 0 0 1",
        "k4/5/5/*4/R4/5/K4 w 0 0 1",
    ]);
    all_differ::<Chess>(&[
        "4k3/8/8/4pP2/8/8/8/R3K2R w KQ e6 0 1",
        "4k3/8/8/4pP2/8/8/8/R3K2R w KQ - 0 1",
        "4k3/8/8/4pP2/8/8/8/R3K2R b KQ - 0 1",
        "4k3/8/8/4pP2/8/8/8/R3K2R w K - 0 1",
        "4k3/8/8/4pP2/8/8/8/R3K2Q w Q - 0 1",
        "4k3/8/8/4pp2/8/8/8/R3K2R w KQ - 0 1",
    ]);
    all_differ::<Amazons>(&[
        "1q2/4/4/2Q1 w - - 0 1",
        "1q2/4/4/2Q1 b - - 0 1",
        "q3/4/4/2Q1 w - - 0 1",
        "1q2/4/4/1Q2 w - - 0 1",
        "1q2/4/3*/2Q1 w - - 0 1",
        "1q3/5/5/2Q2 w - - 0 1",
    ]);
}

#[test]
fn counters_stop_at_their_maximum() {
    fn after_the_first_move<G: Game>(fen: &str) -> String {
        let position = G::from_fen(fen).unwrap();
        let moves = position.moves();
        let fen = position.after(moves[0]).fen();
        fen.split(' ').skip(2).collect::<Vec<_>>().join(" ")
    }
    let neighbours = after_the_first_move::<Neighbours>;
    assert_eq!(neighbours("pp6/8/8/8/8/8/8/PP6 b 9998 9998"), "9999 9999");
    assert_eq!(neighbours("pp6/8/8/8/8/8/8/PP6 b 9999 9999"), "9999 9999");
    assert_eq!(neighbours("pp6/8/8/8/8/8/8/PP6 w 7 7"), "8 7");
    let chess = after_the_first_move::<Chess>;
    assert_eq!(chess("4k3/8/8/8/8/8/8/4K3 b - - 9998 9998"), "- - 9999 9999");
    assert_eq!(chess("4k3/8/8/8/8/8/8/4K3 b - - 9999 9999"), "- - 9999 9999");
    assert_eq!(chess("4k3/8/8/8/8/8/8/4K3 w - - 7 7"), "- - 8 7");
    let amazons = after_the_first_move::<Amazons>;
    assert_eq!(amazons("1q2/4/4/2Q1 b - - 9998 9998"), "- - 9999 9999");
    assert_eq!(amazons("1q2/4/4/2Q1 b - - 9999 9999"), "- - 9999 9999");
    assert_eq!(amazons("1q2/4/4/2Q1 w - - 7 7"), "- - 8 7");
    let tucchess = after_the_first_move::<TucChess>;
    assert_eq!(tucchess("k4/p4/5/5/5/P4/K4 b 3 4 9998"), "3 4 9999");
    assert_eq!(tucchess("k4/p4/5/5/5/P4/K4 b 3 4 9999"), "3 4 9999");
    assert_eq!(tucchess("k4/p4/5/5/5/P4/K4 w 3 4 7"), "3 4 7");
}

#[test]
fn the_table_keeps_apart_what_a_value_depends_on() {
    /// What counters add to the key, which is the same on both boards.
    fn added<G: Game>(boards: [&str; 2], counters: &str) -> u64 {
        let [one, other] = boards.map(|board| {
            let position = G::from_fen(&format!("{board} {counters}")).unwrap();
            position.table_key() ^ position.key()
        });
        assert_eq!(one, other, "{counters}");
        one
    }
    let boards = ["4k3/8/8/8/8/8/4P3/4K3 w - -", "3k4/8/8/2q5/8/8/4P3/4K3 b - -"];
    let chess = |clock: usize| added::<Chess>(boards, &format!("{clock} 80"));
    assert_eq!([0, 50, 79].map(chess), [0; 3]);
    assert!(chess(80) != 0 && chess(80) != chess(81) && chess(98) != chess(99));
    assert_eq!(chess(99), chess(150));
    let boards = ["pp6/8/8/8/8/8/8/PP6 w", "pp6/8/8/8/8/8/8/1PP5 b"];
    let neighbours = |clock: usize| added::<Neighbours>(boards, &format!("{clock} 80"));
    assert!(neighbours(0) != neighbours(1) && neighbours(99) != neighbours(100));
    assert_eq!(neighbours(100), neighbours(150));
    let boards = ["k4/5/5/5/R4/5/K4 w", "k4/5/5/5/1R3/5/K4 w"];
    let tucchess = |points: &str| added::<TucChess>(boards, &format!("{points} 1"));
    assert_eq!(tucchess("0 0"), tucchess("3 3"));
    assert!(tucchess("0 0") != tucchess("1 0") && tucchess("1 0") != tucchess("0 1"));
}

#[test]
fn chess_is_dead_without_the_pieces_to_mate() {
    for (rank, is_dead) in [
        ("8", true),
        ("1n6", true),
        ("B7", true),
        // On squares of one colour, and of both.
        ("B1b5", true),
        ("BB6", false),
        ("N1N5", false),
        ("Nb6", false),
        ("P7", false),
        ("r7", false),
        ("Q7", false),
    ] {
        let position = Chess::from_fen(&format!("4k3/8/8/8/8/{rank}/8/4K3 w - - 0 1")).unwrap();
        assert_eq!(position.is_dead(), is_dead, "{rank}");
    }
}
