//! The features against their definitions on a plain mailbox, and weights files.

use crate::common;
use crate::seeded;

use common::mailbox::Mailbox;
use common::random_game;
use labrys::eval::{Evaluator, Linear, Weights, WeightsError};
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Game, Knowledge};
use proptest::prelude::*;

/// The features of one player, as the thesis defines them (§4.2).
struct Naive {
    pieces: f64,
    moves: f64,
    alones: f64,
    duals: f64,
    with_one_next: f64,
    distance: f64,
    only_enemies: f64,
    threatened: f64,
}

fn naive(board: &Mailbox, stm: bool) -> Naive {
    let own = board.piece(stm);
    let pieces: Vec<usize> = (0..64).filter(|&square| board.squares[square] == own).collect();
    let count = |holds: &dyn Fn(usize) -> bool| pieces.iter().filter(|&&square| holds(square)).count() as f64;
    let lone_friend = |square: usize| match board.neighbours(square)[..] {
        [friend] if board.squares[friend] == own => Some(friend),
        _ => None,
    };
    let in_pair =
        |square: usize| lone_friend(square).is_some_and(|friend| lone_friend(friend) == Some(square));
    let enemy_targets: Vec<usize> = board.moves(!stm).iter().map(|&(_, to)| to).collect();
    let distance = |square: usize| {
        let from_middle = |coordinate: usize| (3 - coordinate as i32).max(coordinate as i32 - 4);
        f64::from(from_middle(square % 8).max(from_middle(square / 8)))
    };
    Naive {
        pieces: pieces.len() as f64 / 8.0,
        moves: board.moves(stm).len() as f64 / 64.0,
        alones: count(&|square| board.neighbours(square).is_empty()) / 8.0,
        duals: count(&in_pair) / 2.0 / 4.0,
        with_one_next: count(&|square| board.neighbours(square).len() == 1 && !in_pair(square)) / 8.0,
        distance: pieces.iter().map(|&square| distance(square)).sum::<f64>()
            / pieces.len().max(1) as f64
            / 3.0,
        only_enemies: count(&|square| {
            let neighbours = board.neighbours(square);
            !neighbours.is_empty() && neighbours.iter().all(|&near| board.squares[near] != own)
        }) / 8.0,
        threatened: count(&|square| enemy_targets.contains(&square)) / 8.0,
    }
}

/// The features of a set by name.
fn expected(position: &Neighbours, set: &str) -> Vec<f64> {
    let board = Mailbox::new(&position.fen());
    let (me, other) = (naive(&board, true), naive(&board, false));
    let quiet: usize = position.fen().split(' ').nth(2).unwrap().parse().unwrap();
    let mut values = vec![me.pieces, other.pieces, me.moves, other.moves, me.alones, other.alones];
    values.extend([me.duals, other.duals, me.with_one_next, other.with_one_next]);
    values.extend([me.distance, other.distance, me.only_enemies, other.only_enemies]);
    values.push((quiet / 10).min(10) as f64 / 10.0);
    let cross = |first: f64, second: f64| first * (1.0 - second);
    if set != "base" {
        values.extend([cross(me.threatened, other.pieces), cross(other.threatened, me.pieces)]);
    }
    match set {
        "set2" => values.extend([
            cross(me.alones, me.moves),
            cross(other.alones, other.moves),
            cross(me.only_enemies, other.pieces),
            cross(other.only_enemies, me.pieces),
        ]),
        "set3" => values.extend([
            cross(other.duals, other.pieces),
            cross(me.duals, me.pieces),
            cross(other.with_one_next, other.pieces),
            cross(me.with_one_next, me.pieces),
        ]),
        _ => {}
    }
    values
}

proptest! {
    #![proptest_config(seeded(100))]

    #[test]
    fn features_agree_with_the_paper(seed: u64) {
        random_game::<Neighbours>(seed, 200, |position, _| {
            for (index, set) in Neighbours::SETS.iter().enumerate() {
                let mut values = vec![0.0; set.features.len()];
                position.features(index, |feature, value| values[feature] += value);
                let expected = expected(position, set.name);
                assert_eq!(values.len(), expected.len());
                for ((name, value), expected) in set.features.iter().zip(&values).zip(expected) {
                    let fen = position.fen();
                    assert!((value - expected).abs() < 1e-12, "{name}: {value} for {expected} in {fen}");
                    assert!((0.0..=1.0).contains(value), "{name}: {value}");
                }
                let evaluator = Linear::<Neighbours>::shipped(index).unwrap();
                let weighed = values.iter().zip(evaluator.weights().values());
                let sum: f64 = weighed.map(|(value, weight)| value * weight).sum();
                assert!((evaluator.breakdown(position).sum() - sum).abs() < 1e-9);
                let score = evaluator.evaluate_position(position).to_thousandths();
                assert!((f64::from(score) - 1000.0 * sum).abs() <= 0.5 + 1e-6);
            }
        });
    }
}

/// The products in the rows of a table, and the sum below them.
fn products(table: &str) -> (Vec<f64>, f64) {
    let rows = table.lines().skip(1).filter(|line| !line.starts_with("set "));
    let mut products: Vec<f64> =
        rows.map(|line| line.split_whitespace().last().unwrap().parse().unwrap()).collect();
    let sum = products.pop().unwrap();
    (products, sum)
}

fn check_tables<G: Knowledge>(seed: u64) {
    for set in 0..G::SETS.len() {
        let linear = Linear::<G>::shipped(set).unwrap();
        random_game::<G>(seed, 60, |position, _| {
            let breakdown = linear.breakdown(position);
            let (features, terms) = (breakdown.by_feature(), breakdown.by_term());
            assert_eq!(products(&features).0.len(), breakdown.features.len());
            let (rows, sum) = products(&terms);
            // Each row is rounded to four digits.
            let error = (rows.iter().sum::<f64>() - sum).abs();
            assert!(error < 1e-4 * (rows.len() + 1) as f64, "{error}: {terms}");
            assert_eq!(sum, products(&features).1);
            let names: Vec<_> = terms.lines().map(|line| line.split(' ').next().unwrap()).collect();
            for feature in &breakdown.features {
                let name = G::SETS[set].split(feature.name).0;
                let rows = names.iter().filter(|&&found| found == name).count();
                assert!(rows == 1 || rows == 0 && feature.value.abs() < 1e-4, "{name}: {terms}");
            }
        });
    }
}

proptest! {
    #![proptest_config(seeded(5))]

    #[test]
    fn the_rows_of_the_tables_are_the_features_and_add_up(seed: u64) {
        check_tables::<Chess>(seed);
        check_tables::<Neighbours>(seed);
        check_tables::<TucChess>(seed);
        check_tables::<Amazons>(seed);
    }
}

/// A FEN of TUC-CHESS with the colours exchanged: ranks, pieces, points and the side to move change.
fn turned(fen: &str) -> String {
    let fields: Vec<_> = fen.split(' ').collect();
    let swap = |letter: char| match letter {
        letter if letter.is_ascii_uppercase() => letter.to_ascii_lowercase(),
        letter => letter.to_ascii_uppercase(),
    };
    let ranks: Vec<String> =
        fields[0].split('/').rev().map(|rank| rank.chars().map(swap).collect()).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    format!("{} {side} {} {} {}", ranks.join("/"), fields[3], fields[2], fields[4])
}

/// A FEN of chess with the colours exchanged.
fn turned_chess(fen: &str) -> String {
    let fields: Vec<_> = fen.split(' ').collect();
    let swap = |text: &str| -> String {
        let swapped = |letter: char| match letter.is_ascii_uppercase() {
            true => letter.to_ascii_lowercase(),
            false => letter.to_ascii_uppercase(),
        };
        text.chars().map(swapped).collect()
    };
    let ranks: Vec<String> = fields[0].split('/').rev().map(swap).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    let en_passant = fields[3].replace(['3', '6'], if fields[1] == "w" { "3" } else { "6" });
    format!("{} {side} {} {en_passant} {} {}", ranks.join("/"), swap(fields[2]), fields[4], fields[5])
}

/// A rank, mirrored.
fn mirrored(fen: &str) -> String {
    let (board, rest) = fen.split_once(' ').unwrap();
    let ranks: Vec<String> = board.split('/').map(|rank| rank.chars().rev().collect()).collect();
    format!("{} {rest}", ranks.join("/"))
}

proptest! {
    #![proptest_config(seeded(100))]

    #[test]
    fn chess_is_colour_symmetric(seed: u64) {
        random_game::<Chess>(seed, 200, |position, _| {
            for set in 0..Chess::SETS.len() {
                let evaluator = Linear::<Chess>::shipped(set).unwrap();
                let value = evaluator.evaluate_position(position).to_thousandths();
                let turned = Chess::from_fen(&turned_chess(&position.fen())).unwrap();
                // Another order of the terms may round differently.
                let other = evaluator.evaluate_position(&turned).to_thousandths();
                assert!(value.abs_diff(other) <= 1, "{value} and {other}: {}", position.fen());
            }
        });
    }

    #[test]
    fn the_weighted_sum_of_chess_features_is_right(seed: u64) {
        random_game::<Chess>(seed, 150, |position, _| {
            for (set, features) in Chess::SETS.iter().enumerate() {
                let weights: Vec<_> = (0..features.features.len()).map(|n| (n % 17) as f64 - 8.0).collect();
                let mut sum = 0.0;
                position.features(set, |index, value| sum += weights[index] * value);
                let weighed = position.weigh(set, &weights);
                assert!((sum - weighed).abs() < 1e-9, "{sum} and {weighed}: {}", position.fen());
            }
        });
    }

    #[test]
    fn tucchess_is_symmetric(seed: u64) {
        random_game::<TucChess>(seed, 120, |position, _| {
            for set in 0..TucChess::SETS.len() {
                let evaluator = Linear::<TucChess>::shipped(set).unwrap();
                let value = evaluator.evaluate_position(position);
                for fen in [turned(&position.fen()), mirrored(&position.fen())] {
                    let same = TucChess::from_fen(&fen).unwrap();
                    assert_eq!(evaluator.evaluate_position(&same), value, "{} and {fen}", position.fen());
                }
            }
        });
    }
}

#[test]
fn features_of_tucchess_by_hand() {
    let features = |set: usize, fen: &str| {
        let mut values = vec![0.0; TucChess::SETS[set].features.len()];
        TucChess::from_fen(fen).unwrap().features(set, |index, value| values[index] += value);
        values
    };
    // White: pawn b5 (three steps, a rook in its way), rook c2, king a1. Black: rook b7, pawn d5, king e4.
    let fen = "1r3/5/1P1p1/2*1k/5/2R2/K4 w 2 5.9 20";
    // The rook moves to b2, a2, d2, e2, c1, c3 and the prize on c4, behind which it does not see; Black's
    // to a7, c7, d7, e7, b6 and b5. The rook b7 attacks the pawn b5. Four of six ranks less two of six.
    let full = [-3.9, -3.9 * 0.7, 0.0, 0.0, 1.0 / 3.0, -1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
    let found = features(0, fen);
    for ((name, found), expected) in TucChess::SETS[0].features.iter().zip(&found).zip(full) {
        assert!((found - expected).abs() < 1e-12, "{name}: {found} for {expected}");
    }
    assert_eq!(features(1, fen), [2.0, 5.9, 12.0, 12.0]);
    assert_eq!(features(2, fen), [2.0, 5.9, 3.0, 3.0]);
    // The king e4 is attacked by the rook on e2.
    let found = features(0, "5/5/5/4k/5/4R/K4 b 0 0 1");
    assert_eq!((found[7], found[8], found[9]), (0.0, 0.0, 1.0));
}

#[test]
fn features_of_chess_by_hand() {
    let feature = |fen: &str, set: usize, name: &str| {
        let index = Chess::SETS[set].features.iter().position(|feature| *feature == name).expect(name);
        let mut sum = 0.0;
        let mut add = |visited, value: f64| sum += if visited == index { value } else { 0.0 };
        Chess::from_fen(fen).unwrap().features(set, &mut add);
        sum
    };
    // The start position is all middle game, bare kings are all end game, a rook each is 4 of 24.
    let taper = |fen| {
        let [middle, end] = ["tempo.middle", "tempo.end"].map(|name| feature(fen, 0, name));
        (middle / (middle + end), middle + end)
    };
    assert_eq!(taper("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").0, 1.0);
    assert_eq!(taper("4k3/8/8/8/8/8/8/4K3 w - - 0 1").0, 0.0);
    assert!((taper("r3k3/8/8/8/8/8/8/4K2R b - - 0 1").0 - 4.0 / 24.0).abs() < 1e-12);
    // All terms count more with many pawns and less with few, and by what the stronger side has.
    for (fen, scale) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0.76 * 0.35),
        ("4k3/8/8/8/8/8/b7/R3K3 b - - 0 1", 0.76 * 0.7),
        ("4k3/8/8/8/8/8/8/R3K3 b - - 0 1", 0.76),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 0.79 * 0.7),
        ("4k3/8/8/8/8/8/p7/4K2R w - - 0 1", 0.79),
        // As strong as each other: only the knight can hardly win.
        ("4k3/ppp5/8/8/8/8/8/N3K3 w - - 0 1", 0.85),
        ("4k3/pp6/8/4b3/8/3B4/PPP5/4K3 w - - 0 1", 0.91 * 0.7),
        ("4k3/pp6/8/3b4/8/3B4/PPP5/4K3 w - - 0 1", 0.91),
        ("4k3/ppp5/8/8/8/8/PPP5/4K3 w - - 0 1", 0.94 * 1.6),
        ("4k3/pppppppp/8/8/8/8/PPPPPPPP/R3K3 w - - 0 1", 1.24),
    ] {
        assert!((taper(fen).1 - scale).abs() < 1e-12, "scale {} in {fen}", taper(fen).1);
    }
    // A term of both phases, as it is before the scale. With Black to move, White's terms are negative.
    let term = |fen, name| {
        let both = ["middle", "end"].map(|phase| feature(fen, 0, &format!("{name}.{phase}")));
        both.iter().sum::<f64>() / taper(fen).1
    };
    for (fen, name, value) in [
        ("4k3/8/8/8/8/2P5/2P5/4K3 w - - 0 1", "pawn", 2.0),
        ("4k3/8/8/8/8/2P5/2P5/4K3 b - - 0 1", "pawn", -2.0),
        ("4k3/8/8/8/8/2P5/2P5/4K3 w - - 0 1", "pawn.doubled", 1.0),
        ("4k3/8/8/8/8/2P5/2P5/4K3 w - - 0 1", "pawn.isolated", 2.0),
        ("4k3/2p5/8/8/8/8/P1P5/4K3 w - - 0 1", "pawn.isolated", 1.0),
        ("4k3/2p5/8/8/8/8/P1P5/4K3 w - - 0 1", "pawn.isolated.open", 1.0),
        // No enemy pawn is in front of a2, and none but the one on c7 can stop b4.
        ("4k3/2p5/8/8/1P6/8/P7/4K3 w - - 0 1", "candidate.4", 1.0),
        ("4k3/p1p5/8/8/1P6/8/P7/4K3 w - - 0 1", "candidate.4", 0.0),
        ("4k3/8/8/8/8/2P5/2P5/4K3 w - - 0 1", "passed.3", 1.0),
        ("4k3/8/8/8/8/2P5/2P5/4K3 w - - 0 1", "passed.2", 0.0),
        ("4k3/5p2/8/8/8/8/8/4K3 w - - 0 1", "pawn.c2", -1.0),
        ("4k3/5p2/8/8/8/8/8/4K3 w - - 0 1", "king.d1", 0.0),
        ("8/8/5P2/2K5/8/8/4k3/8 w - - 0 1", "passed.ownKing.6", 3.0),
        ("8/8/5P2/1K6/8/8/4k3/8 w - - 0 1", "passed.ownKing.6", 4.0),
        ("8/8/5P2/K7/8/8/8/4k3 w - - 0 1", "passed.enemyKing.6", 5.0),
        ("8/8/5P2/2K5/8/8/4k3/8 w - - 0 1", "passed.free.6", 1.0),
        ("5k2/8/5P2/2K5/8/8/8/8 w - - 0 1", "passed.free.6", 1.0),
        ("5k2/8/5P2/2K5/8/8/8/8 w - - 0 1", "passed.safe.6", 0.0),
        ("8/8/5P2/2K5/8/8/4k3/8 w - - 0 1", "passed.clear.6", 1.0),
        ("8/5P2/8/2K5/8/8/4k1r1/8 w - - 0 1", "passed.clear.7", 1.0),
        ("6r1/5P2/8/2K5/8/8/4k3/8 w - - 0 1", "passed.clear.7", 0.0),
        ("8/8/5P2/2K5/8/8/4k1r1/5R2 w - - 0 1", "passed.behind.own", 1.0),
        ("8/8/5P2/2K5/8/8/4k1r1/5R2 w - - 0 1", "passed.behind.enemy", 0.0),
        // The knight on d5 is protected, and c- and e-file have no pawn to attack it.
        ("4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1", "knight.outpost", 0.0),
        ("4k3/8/8/3N4/4P3/8/2p5/4K3 w - - 0 1", "knight.outpost", 1.0),
        ("4k3/8/8/8/4P3/4N3/2p5/4K3 w - - 0 1", "knight.outpostNear", 2.0),
        ("4k3/8/8/8/4P3/4N3/8/4K3 w - - 0 1", "knight.behindPawn", 1.0),
        ("4k3/8/8/8/4P3/4N3/8/4K3 w - - 0 1", "knight.fromKing", 2.0),
        ("4k3/8/8/3N4/4P3/8/8/4K3 w - - 0 1", "knight.moves.8", 1.0),
        ("4k3/1p6/8/8/8/8/8/N3K3 w - - 0 1", "knight.moves.2", 1.0),
        ("4k3/8/8/8/p7/8/8/N3K3 w - - 0 1", "knight.moves.1", 1.0),
        // Each rook sees through the other one, and through the queen.
        ("4k3/8/8/Q7/8/8/8/RR2K3 w - - 0 1", "rook.moves.10", 2.0),
        ("4k3/p7/8/8/8/8/P7/RR2K2R w - - 0 1", "rook.open", 2.0),
        ("4k3/1p6/8/8/8/8/P7/RR2K2R w - - 0 1", "rook.halfOpen", 1.0),
        ("4k3/R7/8/8/8/8/8/4K2r w - - 0 1", "rook.seventh", 1.0),
        ("4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "pair.bishop", 1.0),
        ("4k3/8/4p3/4P3/8/P7/8/2B1K3 w - - 0 1", "bishop.pawns", 2.0),
        ("4k3/8/4p3/4P3/8/P7/8/2B1K3 w - - 0 1", "bishop.blockedPawns", 1.0),
        ("4k3/8/4p3/4P3/8/P7/8/2B1K3 w - - 0 1", "bishop.diagonal", 0.0),
        ("4k3/8/8/8/8/8/1B6/4K3 w - - 0 1", "bishop.diagonal", 1.0),
        ("4k3/8/4p3/4P3/8/P7/8/2B1K3 w - - 0 1", "withPawns.bishop", -3.0),
        ("4k3/8/4p3/4P3/8/P7/8/2B1K3 w - - 0 1", "withRammed.bishop", 1.0),
        ("4k3/8/2n5/1P1p4/8/8/8/3QK3 w - - 0 1", "threat.pawnMinor", 1.0),
        ("4k3/8/2n5/1P1p4/8/8/8/3QK3 w - - 0 1", "hanging.pawn", 1.0),
        ("4k3/8/2n5/1P1p4/8/8/8/3QK3 w - - 0 1", "hanging.minor", 1.0),
        ("4k3/8/2n5/8/1P1p4/8/8/4K3 w - - 0 1", "threat.push", 1.0),
        // A pawn protects the knight from the bishop, the bishop b6 from the rook.
        ("4k3/3p4/2n5/8/4B3/8/8/4K3 w - - 0 1", "threat.minorMinor", 1.0),
        ("4k3/p7/1b6/8/8/8/8/1R2K3 w - - 0 1", "threat.rookMinor", 0.0),
        ("4k3/8/1b6/8/8/8/8/1R2K3 w - - 0 1", "threat.rookMinor", 1.0),
        ("3qk3/8/8/8/8/8/8/2N1K3 w - - 0 1", "threat.knightOnQueen", 0.0),
        ("4k3/8/3q4/8/8/8/8/2N1K3 w - - 0 1", "threat.knightOnQueen", 0.0),
        // Eleven squares and two pieces against twelve squares and one.
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "space.safe", 10.0),
        ("6k1/5ppp/8/8/8/8/5PP1/6K1 w - - 0 1", "shelter.beside.a7", 1.0),
        ("6k1/5ppp/8/8/8/8/5PP1/6K1 w - - 0 1", "shelter.b1", 0.0),
        ("6k1/5ppp/8/8/8/8/5PP1/6K1 w - - 0 1", "storm.a7", -1.0),
        ("6k1/5pp1/8/8/8/7p/5PPP/6K1 w - - 0 1", "storm.blocked.a2", 1.0),
        ("4k3/8/8/8/8/8/P7/1K6 w - - 0 1", "flank.pawnless", -1.0),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "danger.0", 0.0),
        // One queen (3) attacks six squares of the ring, which nothing but the king protects (24 each), three
        // of them beside the king (7 each), and has safe checks on e1 and e3 (75): 243 units, 12 in a step.
        ("4k3/8/8/8/8/6q1/8/6K1 w - - 0 1", "danger.20", 1.0),
    ] {
        assert!((term(fen, name) - value).abs() < 1e-12, "{name} in {fen}: {}", term(fen, name));
    }
    // The paper's: the rook on e7 counts 1, the king on e1 0, Black's on a8, its own corner, 2.
    let fen = "k7/4R3/8/8/8/8/8/4K3 w - - 0 1";
    assert_eq!((feature(fen, 1, "rooks"), feature(fen, 1, "places")), (1.0, 1.0 + 0.0 - 2.0));
    assert_eq!(feature("k3R3/8/8/8/8/8/8/4K3 b - - 0 1", 1, "inCheck"), 1.0);
}

#[test]
fn the_feature_sets_agree_with_the_paper() {
    let names: Vec<_> = Neighbours::SETS.iter().map(|set| (set.name, set.features.len())).collect();
    assert_eq!(names, [("set1", 17), ("set2", 21), ("set3", 21), ("base", 15)]);
}

#[test]
fn shipped_weights_read_back_as_they_are_written() {
    check_shipped::<Neighbours>();
    check_shipped::<TucChess>();
    check_shipped::<Chess>();
    check_shipped::<Amazons>();
}

fn check_shipped<G: Knowledge>() {
    for set in 0..G::SETS.len() {
        let weights = Weights::shipped::<G>(set).unwrap();
        assert_eq!(Weights::parse::<G>(&weights.to_json()).unwrap(), weights);
        assert!(weights.to_json().contains("source"));
    }
}

#[test]
fn shipped_weights_are_read_once() {
    let [once, twice] = [(); 2].map(|()| Weights::shipped::<Chess>(0).unwrap());
    assert!(std::ptr::eq(once.values(), twice.values()));
    let other = Weights::shipped::<Chess>(1).unwrap();
    assert_eq!((other.game(), other.set(), other.set_name()), ("chess", 1, "msd"));
    assert_eq!(Weights::shipped::<Neighbours>(1).unwrap().game(), "neighbours");
}

#[test]
fn weights_of_another_game_are_rejected() {
    let mut evaluator = Linear::<Neighbours>::shipped(0).unwrap();
    let before = evaluator.weights().clone();
    let error = evaluator.set_weights(Weights::shipped::<Chess>(0).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "weights of game `chess`, expected `neighbours`");
    assert_eq!(*evaluator.weights(), before);
    evaluator.set_weights(Weights::shipped::<Neighbours>(BASE).unwrap()).unwrap();
    assert_eq!(evaluator.weights().set(), BASE);
}

/// Index of the set `base`.
const BASE: usize = 3;

fn refusal(text: &str) -> String {
    Weights::parse::<Neighbours>(text).unwrap_err().to_string()
}

#[test]
fn weights_files_are_refused_by_name() {
    let good = Weights::shipped::<Neighbours>(BASE).unwrap().to_json();
    assert!(Weights::parse::<Neighbours>(&good).is_ok());
    assert_eq!(
        refusal(&good.replace("\"base\"", "\"set4\"")),
        "weights of set `set4`, expected one of: set1, set2, set3, base"
    );
    assert_eq!(
        refusal(&good.replace("\"base\"", "\"set1\"")),
        "weight `threatsForMe*(1-piecesForOther)` is missing",
        "the file names its set"
    );
    assert_eq!(
        refusal(&good.replace("\"neighbours\"", "\"chess\"")),
        "weights of game `chess`, expected `neighbours`"
    );
    assert_eq!(
        refusal(&good.replace("\"version\": 1", "\"version\": 2")),
        "weights file: version 2, expected 1"
    );
    assert_eq!(
        refusal(&good.replace("\"dualForMe\"", "\"dualForYou\"")),
        "weight `dualForYou` is unknown in set `base`"
    );
    let missing = good.lines().filter(|line| !line.contains("alonesForMe")).collect::<Vec<_>>().join("\n");
    assert_eq!(refusal(&missing), "weight `alonesForMe` is missing");
    let double = good.replace("\"alonesForMe\"", "\"alonesForMe\": 1.0,\n\"alonesForMe\"");
    assert_eq!(refusal(&double), "weight `alonesForMe` is given twice");
    for value in ["1e999", "null", "\"NaN\"", "[1]"] {
        let bad = good.replace("\"alonesForMe\":", &format!("\"alonesForMe\": {value}, \"x\":"));
        assert_eq!(refusal(&bad), format!("weight `alonesForMe`: `{value}` is not a finite number"));
    }
    assert!(refusal(&good.replace("\"game\"", "\"name\"")).contains("name"));
    assert!(refusal("").starts_with("weights file: EOF"));
    assert!(refusal("[]").starts_with("weights file: invalid"));
}

/// Every flipped bit of a file is seen, or changes nothing. A file without a checksum is read, and says so.
#[test]
fn weights_files_have_a_checksum() {
    fn shipped<G: Knowledge>() {
        for set in 0..G::SETS.len() {
            assert!(!Weights::shipped::<G>(set).unwrap().is_unchecked(), "{}", G::SETS[set].name);
        }
    }
    shipped::<Chess>();
    shipped::<Neighbours>();
    shipped::<TucChess>();
    shipped::<Amazons>();
    let weights = Weights::shipped::<Neighbours>(BASE).unwrap();
    let good = weights.to_json();
    for bit in 0..8 * good.len() {
        let mut bytes = good.clone().into_bytes();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let Ok(text) = String::from_utf8(bytes) else { continue };
        if let Ok(read) = Weights::parse::<Neighbours>(&text) {
            assert!(read == weights && !read.is_unchecked(), "{text}");
        }
    }
    let error = refusal(&good.replace("\"source\": \"", "\"source\": \"x"));
    assert!(error.contains("damaged, or changed by hand, then leave out `crc32`"), "{error}");
    let by_hand = good.lines().filter(|line| !line.contains("crc32")).collect::<Vec<_>>().join("\n");
    let by_hand = Weights::parse::<Neighbours>(&by_hand.replace("},", "}")).unwrap();
    assert!(by_hand == weights && by_hand.is_unchecked());
}

#[test]
fn weights_change_by_value_and_by_name() {
    let weights = Weights::shipped::<Neighbours>(BASE).unwrap();
    let values: Vec<String> = (1..=15).map(|n| n.to_string()).collect();
    let changed = weights.with_values(&values).unwrap();
    assert_eq!(changed.values(), (1..=15).map(f64::from).collect::<Vec<_>>());
    let changed = weights.with_named([("alonesForMe", "-0.5"), ("piecesForMe", "1e1")]).unwrap();
    assert_eq!((changed.values()[4], changed.values()[0]), (-0.5, 10.0));
    assert_eq!(changed.values()[1..4], weights.values()[1..4]);

    assert!(matches!(
        weights.with_values(&values[1..]),
        Err(WeightsError::Count { found: 14, expected: 15, .. })
    ));
    assert!(matches!(weights.with_named([("x", "1")]), Err(WeightsError::Unknown { .. })));
    assert!(matches!(weights.with_named([("alonesForMe", "inf")]), Err(WeightsError::Value { .. })));
    let twice = weights.with_named([("alonesForMe", "1"), ("alonesForMe", "2")]);
    assert!(matches!(twice, Err(WeightsError::Duplicate { name: "alonesForMe" })));
}
