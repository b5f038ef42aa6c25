//! The features of Amazons, compared with their definitions on a plain grid.

use crate::common;
use crate::seeded;

use std::collections::{BTreeSet, HashMap};

use common::grid::{Grid, Square, name, random_fen};
use labrys::eval::{Evaluator, Linear};
use labrys::game::amazons::Amazons;
use labrys::game::{Game, Knowledge, each_input, plane_and_bit};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

/// The features of a set by name.
fn features(position: &Amazons, set: usize) -> HashMap<&'static str, f64> {
    let names = Amazons::SETS[set].features;
    let mut values = HashMap::new();
    position.features(set, |index, value| {
        assert!(values.insert(names[index], value).is_none(), "{} twice", names[index]);
    });
    values
}

/// A term of the set `territory`: the sum of its three phases.
fn measure(values: &HashMap<&str, f64>, name: &str) -> f64 {
    ["Early", "Middle", "Late"].into_iter().map(|phase| values[format!("{name}{phase}").as_str()]).sum()
}

/// The letters of the side to move and of the opponent.
fn letters(grid: &Grid) -> [char; 2] {
    if grid.stm == 'Q' { ['Q', 'q'] } else { ['q', 'Q'] }
}

/// The squares of a region without arrows around a square, amazons included.
fn region(grid: &Grid, square: Square) -> Vec<Square> {
    let mut found = vec![square];
    let mut next = 0;
    while next < found.len() {
        let (file, rank) = found[next];
        next += 1;
        for (east, north) in (-1..=1).flat_map(|east| (-1..=1).map(move |north| (east, north))) {
            let square = (file + east, rank + north);
            if grid.at(square).is_some_and(|letter| letter != '*') && !found.contains(&square) {
                found.push(square);
            }
        }
    }
    found
}

/// The longest sequence of moves of one player while the other one passes. Each position is visited once.
fn longest(grid: &Grid, known: &mut HashMap<Vec<Vec<char>>, u32>) -> u32 {
    if let Some(&moves) = known.get(&grid.rows) {
        return moves;
    }
    let moves =
        grid.moves().into_iter().map(|(_, after)| 1 + longest(&Grid { stm: grid.stm, ..after }, known));
    let moves = moves.max().unwrap_or(0);
    known.insert(grid.rows.clone(), moves);
    moves
}

/// The empty squares and the moves in the regions that only this player can enter, and whether there are no
/// other regions.
struct Own {
    squares: f64,
    moves: f64,
    contested: bool,
}

fn own_regions(grid: &Grid, letter: char, other: char) -> Own {
    let mut own = Own { squares: 0.0, moves: 0.0, contested: false };
    let mut seen: Vec<Square> = Vec::new();
    for square in grid.all(letter) {
        if seen.contains(&square) {
            continue;
        }
        let region = region(grid, square);
        seen.extend(&region);
        let empty = region.iter().filter(|square| grid.at(**square) == Some('.')).count();
        if region.iter().any(|square| grid.at(*square) == Some(other)) {
            own.contested |= empty > 0;
            continue;
        }
        let mut alone = grid.clone();
        alone.stm = letter;
        for square in grid.squares() {
            if !region.contains(&square) {
                alone.rows[square.1 as usize][square.0 as usize] = '*';
            }
        }
        own.squares += empty as f64;
        own.moves += f64::from(longest(&alone, &mut HashMap::new()));
    }
    own
}

/// All features of `territory`, from their definitions.
fn expected(grid: &Grid) -> (HashMap<String, f64>, [Own; 2]) {
    let [me, other] = letters(grid);
    let queen = [me, other].map(|letter| grid.distances(letter, 99));
    let king = [me, other].map(|letter| grid.distances(letter, 1));
    let own = [own_regions(grid, me, other), own_regions(grid, other, me)];
    let lost = own.iter().map(|own| own.squares - own.moves).collect::<Vec<_>>();
    let (mut t1, mut t2, mut c1, mut c2, mut ties, mut contact) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    let nearer = |mine: Option<u32>, theirs: Option<u32>| {
        let far = u32::MAX;
        f64::from(theirs.unwrap_or(far).cmp(&mine.unwrap_or(far)) as i8)
    };
    for ((&(_, mine), &(_, theirs)), (&(_, my_steps), &(_, their_steps))) in
        queen[0].iter().zip(&queen[1]).zip(king[0].iter().zip(&king[1]))
    {
        t1 += nearer(mine, theirs);
        t2 += nearer(my_steps, their_steps);
        let power = |distance: Option<u32>| distance.map_or(0.0, |distance| 0.5f64.powi(distance as i32));
        c1 += 2.0 * (power(mine) - power(theirs));
        c2 += match (my_steps, their_steps) {
            (None, None) => 0.0,
            (None, _) => -1.0,
            (_, None) => 1.0,
            (Some(mine), Some(theirs)) => ((f64::from(theirs) - f64::from(mine)) / 6.0).clamp(-1.0, 1.0),
        };
        if let (Some(mine), Some(theirs)) = (mine, theirs) {
            ties += f64::from(u8::from(mine == theirs));
            contact += 0.5f64.powi(mine.abs_diff(theirs).min(3) as i32);
        }
    }
    t1 += lost[1] - lost[0];
    t2 += lost[1] - lost[0];

    let neighbours = |square: Square| grid.reach(square, 1).len().min(7) as f64;
    let side = |letter: char, other_reaches: &[(Square, Option<u32>)]| {
        let (mut sum, mut enclosed) = (0.0, 0.0);
        for amazon in grid.all(letter) {
            let mut mobility = 0.0;
            for square in grid.reach(amazon, 99) {
                let steps = (square.0 - amazon.0).abs().max((square.1 - amazon.1).abs());
                let reached = other_reaches.iter().any(|(other, far)| *other == square && far.is_some());
                if reached {
                    mobility += 0.5f64.powi(steps.min(3)) * neighbours(square);
                }
            }
            sum += mobility;
            enclosed += (1.0 - mobility / 10.0).max(0.0);
        }
        (sum, enclosed)
    };
    let (mine, theirs) = (side(me, &queen[1]), side(other, &queen[0]));

    let contested = contact / grid.squares().len() as f64;
    let early = ((contested - 0.2) / 0.3).clamp(0.0, 1.0);
    let late = (1.0 - contested / 0.2).clamp(0.0, 1.0);
    let mut values = HashMap::new();
    for (name, value) in [
        ("t1", t1 / 10.0),
        ("t2", t2 / 10.0),
        ("c1", c1 / 10.0),
        ("c2", c2 / 10.0),
        ("mobility", (mine.0 - theirs.0) / 10.0),
        ("enclosed", mine.1 - theirs.1),
        ("ties", ties / 10.0),
        ("tempo", 1.0),
    ] {
        for (phase, share) in [("Early", early), ("Middle", 1.0 - early - late), ("Late", late)] {
            values.insert(format!("{name}{phase}"), share * value);
        }
    }
    let open = own[0].contested || own[1].contested || own[0].squares + own[1].squares == 0.0;
    let settled = match (open, own[0].moves > own[1].moves) {
        (true, _) => 0.0,
        (false, true) => 1.0,
        (false, false) => -1.0,
    };
    values.insert("settled".to_owned(), settled);
    (values, own)
}

proptest! {
    #![proptest_config(seeded(1500))]

    #[test]
    fn features_agree_with_their_definitions(seed: u64) {
        let fen = random_fen(&mut StdRng::seed_from_u64(seed));
        let position = Amazons::from_fen(&fen).unwrap();
        let grid = Grid::new(&fen);
        // The oracle is slow, as it visits all sequences of moves.
        let [me, other] = letters(&grid);
        let small = grid.all(me).into_iter().chain(grid.all(other)).all(|square| {
            let region = region(&grid, square);
            let letters: Vec<_> = region.iter().filter_map(|square| grid.at(*square)).collect();
            let empty = letters.iter().filter(|letter| **letter == '.').count();
            empty <= 7 || (letters.contains(&'Q') && letters.contains(&'q'))
        });
        prop_assume!(small);
        let (expected, _) = expected(&grid);
        let found = features(&position, 0);
        prop_assert_eq!(found.len(), expected.len());
        for (name, value) in found {
            let expected = expected[name];
            prop_assert!((value - expected).abs() < 1e-9, "{name}: {value} for {expected} in {fen}");
        }

        let found = features(&position, 1);
        for (letter, who) in [(me, "Me"), (other, "Other")] {
            let amazons = grid.all(letter);
            let sum = |steps| {
                let squares = amazons.iter().map(|square| grid.reach(*square, steps).len());
                squares.sum::<usize>() as f64 / 10.0
            };
            prop_assert_eq!(found[format!("movesFor{who}").as_str()], sum(99));
            prop_assert_eq!(found[format!("freeFor{who}").as_str()], sum(1));
        }
    }

    #[test]
    fn evaluations_are_symmetric(seed: u64) {
        let fen = random_fen(&mut StdRng::seed_from_u64(seed));
        let (board, rest) = fen.split_once(' ').unwrap();
        let rows: Vec<&str> = board.split('/').collect();
        let swap = |letter: char| match letter {
            'Q' => 'q',
            'q' => 'Q',
            letter => letter,
        };
        // (Runs of ten and more squares would be read backwards, too.)
        prop_assume!(!board.contains("10") && !board.contains("11"));
        let mirrored = rows.iter().map(|row| row.chars().rev().collect()).collect::<Vec<String>>().join("/");
        let turned: String = rows.iter().rev().copied().collect::<Vec<_>>().join("/");
        let swapped: String = board.chars().map(swap).collect();
        let other_side = if rest.starts_with('w') { "b" } else { "w" };
        let same =
            [format!("{mirrored} {rest}"), format!("{turned} {rest}"), format!("{swapped} {other_side}")];
        let position = Amazons::from_fen(&fen).unwrap();
        for set in 0..Amazons::SETS.len() {
            let evaluator = Linear::<Amazons>::shipped(set).unwrap();
            for other in &same {
                let other = Amazons::from_fen(other).unwrap();
                let values = [other, position].map(|position| evaluator.evaluate_position(&position));
                prop_assert_eq!(values[0], values[1], "{} and {}", fen, other.fen());
            }
        }
    }
}

#[test]
fn regions_are_counted_in_moves() {
    let settled = |fen: &str| features(&Amazons::from_fen(fen).unwrap(), 0)["settled"];
    let t1 = |fen: &str| 10.0 * measure(&features(&Amazons::from_fen(fen).unwrap(), 0), "t1");
    // Three squares in a row against two: all can be filled.
    let fen = "Q3/****/q2* w";
    assert_eq!((t1(fen), settled(fen)), (1.0, 1.0));
    assert_eq!(settled("Q3/****/q2* b"), -1.0);
    // Equal numbers: the side to move runs out first.
    assert_eq!(settled("Q2*/****/q2* w"), -1.0);
    assert_eq!(settled("Q2*/****/q2* b"), -1.0);
    // From the middle of a row of three, the amazon moves to one end and shoots at the square that it has
    // left. Both ends are filled.
    assert_eq!(t1("1Q1*/****/q2* w"), 0.0);
    // A fork with three prongs of one square: whichever the amazon enters, it shoots back and stays.
    let fork = "*1*1*/**Q**/**1**/*****/q3* w";
    let grid = Grid::new(fork);
    let moves = own_regions(&grid, 'Q', 'q').moves;
    assert!(moves < 3.0, "a defective territory: {moves}");
    assert_eq!(t1(fork), moves - 3.0);
    assert_eq!(settled(fork), -1.0);
    // An amazon at the border lets the opponent in when it moves.
    assert_eq!(settled("Q1*/*Q*/q1* w"), 0.0);
}

#[test]
fn a_position_of_the_opening_has_all_of_its_contact_early() {
    let start = features(&Amazons::start(), 0);
    assert_eq!((start["tempoEarly"], start["tempoMiddle"], start["tempoLate"]), (1.0, 0.0, 0.0));
    for name in ["t1", "t2", "c1", "c2", "mobility", "enclosed"] {
        assert_eq!(measure(&start, name), 0.0, "{name}");
    }
}

/// The inputs of a net for a position, by name, from the definition.
fn inputs_by_definition(grid: &Grid) -> BTreeSet<String> {
    let mut inputs = BTreeSet::new();
    for letter in ['Q', 'q', '*'] {
        inputs.extend(grid.all(letter).into_iter().map(|square| format!("{letter} {}", name(square))));
    }
    let [queens, kings] = [99, 1].map(|steps| {
        let [white, black] = ['Q', 'q'].map(|letter| grid.distances(letter, steps));
        white.into_iter().zip(black).map(|((square, white), (_, black))| (square, [white, black]))
    });
    for (square, distances) in queens {
        let [white, black] =
            distances.map(|distance| distance.map_or("-", |d| ["1", "2", "3"][d.min(3) as usize - 1]));
        inputs.insert(format!("{white}:{black} {}", name(square)));
    }
    for (square, distances) in kings {
        let [white, black] = distances.map(|distance| distance.unwrap_or(999));
        let lead = match i64::from(black) - i64::from(white) {
            0 => continue,
            1 => "K",
            2.. => "KK",
            -1 => "k",
            _ => "kk",
        };
        inputs.insert(format!("{lead} {}", name(square)));
    }
    inputs
}

#[test]
fn inputs_of_nets_are_amazons_arrows_and_distances() {
    let mut random = StdRng::seed_from_u64(11);
    for _ in 0..300 {
        let fen = random_fen(&mut random);
        let position = Amazons::from_fen(&fen).unwrap();
        let mut inputs = BTreeSet::new();
        each_input(position.input_planes(), |input| {
            let (plane, bit) = plane_and_bit(input);
            assert!(inputs.insert(position.input_name(plane, bit)), "{fen}");
        });
        assert_eq!(inputs, inputs_by_definition(&Grid::new(&fen)), "{fen}");
    }
}
