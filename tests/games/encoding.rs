//! Encodings for policy/value nets: planes of positions, indices of moves.

use crate::common;

use std::collections::BTreeSet;

use common::breakthrough::Breakthrough;
use common::flip::flipped;
use common::{amazons_starts, random_game, random_game_from};
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Color, Game, GameHistory, Knowledge, PlaneSelection};

fn planes<G: Knowledge>(position: &G, occurrences: usize) -> Vec<f32> {
    let mut planes = vec![0.0; position.encoding_shape().input_len()];
    position.write_planes(occurrences, &mut planes);
    planes
}

/// The indices of all legal moves, in their order.
fn all_indices<G: Knowledge>(position: &G) -> Vec<Vec<usize>> {
    position.moves().into_iter().map(|mv| position.policy_indices(mv).collect()).collect()
}

fn check_position<G: Knowledge>(position: &G, history: &GameHistory<G>) {
    let (fen, shape) = (position.fen(), position.encoding_shape());
    let occurrences = history.occurrences(position);
    let seen = planes(position, occurrences);
    assert!(seen.iter().all(|value| value.abs() <= 5.0), "{fen}");
    assert_eq!(planes(&G::from_fen(&fen).unwrap(), occurrences), seen, "{fen}");

    let indices = all_indices(position);
    let distinct: BTreeSet<_> = indices.iter().collect();
    assert_eq!(distinct.len(), indices.len(), "{fen}");
    assert!(indices.iter().all(|indices| !indices.is_empty()), "{fen}");
    assert!(indices.iter().flatten().all(|&index| index < shape.policy_len()), "{fen}");

    let mirror = flipped(position);
    assert_eq!(mirror.encoding_shape(), shape);
    // Only chess has a plane that names the side to move.
    let named = if G::info().name == "chess" { 12 * 64..13 * 64 } else { 0..0 };
    for (index, (one, other)) in seen.iter().zip(planes(&mirror, occurrences)).enumerate() {
        let expected = if named.contains(&index) { 1.0 - one } else { *one };
        assert_eq!(other, expected, "{index} of {fen}");
    }
    let mirrored = all_indices(&mirror);
    assert_eq!(mirrored.iter().collect::<BTreeSet<_>>(), distinct, "{fen}");

    let moves = position.moves();
    if let Some(&mv) = moves.first() {
        let mut outcomes = Vec::new();
        position.outcomes(mv, &mut outcomes);
        for (outcome, _) in outcomes {
            assert!(position.policy_indices(outcome).eq(position.policy_indices(mv)), "{outcome:?} in {fen}");
        }
    }
}

#[test]
fn chess_is_encoded() {
    (0..40).for_each(|seed| drop(random_game::<Chess>(seed, 200, check_position)));
    // Promotions to the left, ahead and to the right, and castling in Chess960 to where the king may go.
    for fen in ["1r1r4/P1P1P2k/8/8/8/8/p3p2p/K1N2R2 w - - 0 1", "4k3/8/8/8/8/8/8/5KRR w G - 0 1"] {
        let start = Chess::from_fen(fen).unwrap();
        (0..10).for_each(|seed| drop(random_game_from(start.clone(), seed, 20, check_position)));
    }
    assert_eq!(Chess::start().encoding_shape().input_len(), 16 * 64);
}

#[test]
fn neighbours_is_encoded() {
    (0..40).for_each(|seed| drop(random_game::<Neighbours>(seed, 200, check_position)));
    assert_eq!(Neighbours::start().encoding_shape().policy_len(), 8 * 64);
}

#[test]
fn tucchess_is_encoded() {
    (0..40).for_each(|seed| drop(random_game::<TucChess>(seed, 140, check_position)));
}

#[test]
fn amazons_is_encoded_on_boards_of_many_sizes() {
    for start in amazons_starts() {
        random_game_from(start, 3, 200, check_position);
    }
    for fen in ["q9Q/11/11/11/11/11/11/11/11/11/11 w - - 0 1", "qQ w - - 0 1", "q/1/Q w - - 0 1"] {
        random_game_from(Amazons::from_fen(fen).unwrap(), 3, 10, check_position);
    }
}

#[test]
fn planes_are_from_the_perspective_of_the_side_to_move() {
    let position = Chess::from_fen("4k3/8/8/8/8/8/7P/R3K3 b Q - 30 20").unwrap();
    let seen = planes(&position, 3);
    let squares = |plane: usize| {
        let plane = &seen[64 * plane..][..64];
        (0..64).filter(|&square| plane[square] != 0.0).collect::<Vec<_>>()
    };
    assert_eq!((squares(5), squares(6), squares(9), squares(11)), (vec![4], vec![55], vec![56], vec![60]));
    assert_eq!([12, 13, 14, 15].map(|plane| seen[64 * plane]), [0.0, 0.2, 0.3, 1.0]);

    let position = TucChess::from_fen("4k/5/5/*4/5/5/K4 b 2 7 36").unwrap();
    let seen = planes(&position, 1);
    assert_eq!((seen[2 * 35 + 4], seen[5 * 35 + 30], seen[6 * 35 + 15]), (1.0, 1.0, 1.0));
    assert_eq!((seen[7 * 35], seen[8 * 35]), (0.5, 36.0 / 70.0));
    assert_eq!(position.side_to_move(), Color::Black);
}

#[test]
fn a_game_needs_no_encoding() {
    assert_eq!((Breakthrough::ENCODING_VERSION, Breakthrough::start().encoding_shape().input_len()), (0, 0));
}

fn check_groups<G: Knowledge>() {
    let (start, groups) = (common::random_game::<G>(3, 10, |_, _| ()).0, G::PLANE_GROUPS);
    let (shape, seen) = (start.encoding_shape(), planes(&start, 2));
    assert_eq!(groups.iter().map(|group| group.planes).sum::<usize>(), shape.input_planes);
    let select = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        PlaneSelection::new(groups, &names)
    };
    let written = |selection: PlaneSelection| {
        let shape = shape.select(selection);
        let mut planes = vec![0.0; shape.input_len()];
        shape.write_planes(&start, 2, &mut planes);
        planes
    };
    let mut all = Vec::new();
    for group in groups {
        let found = written(select(&[group.name]).unwrap());
        assert_eq!(found.len(), group.planes * shape.squares());
        all.extend(found);
    }
    assert_eq!((&all, &written(PlaneSelection::ALL)), (&seen, &seen));
    // The planes stay in the order of the encoding.
    let (first, last) = (groups[0].name, groups[groups.len() - 1].name);
    let both = select(&[last, first]).unwrap();
    if groups.len() > 2 {
        assert_eq!(both.names().unwrap(), [first, last]);
        let squares = |group: usize| groups[group].planes * shape.squares();
        let expected = [&seen[..squares(0)], &seen[seen.len() - squares(groups.len() - 1)..]].concat();
        assert_eq!(written(both), expected);
    } else {
        assert_eq!(both, PlaneSelection::ALL);
    }

    let refused = |names: &[&str]| select(names).unwrap_err().to_string();
    assert!(refused(&[first, "x"]).starts_with(&format!("unknown planes `x`, expected `{first}`, ")));
    assert_eq!(refused(&[first, first]), format!("the planes `{first}` are named twice"));
    assert!(refused(&[]).starts_with(&format!("no planes, expected some of `{first}`")));
}

#[test]
fn some_groups_of_planes_can_be_selected() {
    check_groups::<Chess>();
    check_groups::<Neighbours>();
    check_groups::<TucChess>();
    check_groups::<Amazons>();
    let refused = PlaneSelection::new(Breakthrough::PLANE_GROUPS, &["board".to_owned()]).unwrap_err();
    assert!(refused.to_string().ends_with("`board`, expected all, as this game has no groups of planes"));
}

/// The squares of the board in a FEN, rank by rank from the top.
fn squares_of(board: &str) -> Vec<Vec<char>> {
    let rank = |rank: &str| {
        let (mut squares, mut empty) = (Vec::new(), 0);
        for letter in rank.chars() {
            match letter.to_digit(10) {
                Some(digit) => empty = 10 * empty + digit as usize,
                None => {
                    squares.extend(std::iter::repeat_n('1', std::mem::take(&mut empty)));
                    squares.push(letter);
                }
            }
        }
        squares.extend(std::iter::repeat_n('1', empty));
        squares
    };
    board.split('/').map(rank).collect()
}

/// The inverse of [`squares_of`].
fn board_of(squares: &[Vec<char>]) -> String {
    let run = |run: &[char]| match run[0] {
        '1' => run.len().to_string(),
        _ => run.iter().collect(),
    };
    let rank = |rank: &Vec<char>| rank.chunk_by(|one, other| one == other).map(run).collect::<String>();
    squares.iter().map(rank).collect::<Vec<_>>().join("/")
}

/// The position under a symmetry by its number, from the perspective of the side to move: files mirrored,
/// ranks mirrored, both, and the same with files and ranks exchanged.
fn turned<G: Knowledge>(position: &G, number: usize) -> G {
    let fen = position.fen();
    let (board, rest) = fen.split_once(' ').unwrap();
    let mut squares = squares_of(board);
    // From the bottom, as that player sees it.
    let is_white = position.side_to_move() == Color::White;
    if is_white {
        squares.reverse();
    }
    if number & 1 != 0 {
        squares.iter_mut().for_each(|rank| rank.reverse());
    }
    if number & 2 != 0 {
        squares.reverse();
    }
    if number & 4 != 0 {
        let files = 0..squares[0].len();
        squares = files.map(|file| squares.iter().map(|rank| rank[file]).collect()).collect();
    }
    if is_white {
        squares.reverse();
    }
    G::from_fen(&format!("{} {rest}", board_of(&squares))).unwrap()
}

fn check_symmetries<G: Knowledge>(position: &G, history: &GameHistory<G>) {
    let occurrences = history.occurrences(position);
    let (seen, indices) = (planes(position, occurrences), all_indices(position));
    for (number, symmetry) in position.symmetries().iter().enumerate() {
        let other = turned(position, number);
        assert_eq!(symmetry.planes(&seen), planes(&other, occurrences), "{number} of {}", position.fen());
        let image = |indices: &Vec<usize>| indices.iter().map(|&index| symmetry.index(index)).collect();
        let expected: BTreeSet<Vec<usize>> = indices.iter().map(image).collect();
        assert_eq!(expected, all_indices(&other).into_iter().collect(), "{number} of {}", position.fen());
    }
}

#[test]
fn symmetries_transform_planes_and_moves_like_the_board() {
    (0..10).for_each(|seed| drop(random_game::<Neighbours>(seed, 100, check_symmetries)));
    (0..10).for_each(|seed| drop(random_game::<TucChess>(seed, 100, check_symmetries)));
    for start in amazons_starts() {
        random_game_from(start, 5, 60, check_symmetries);
    }
    (0..3).for_each(|seed| drop(random_game::<Chess>(seed, 60, check_symmetries)));
}

#[test]
fn games_have_the_symmetries_of_their_rules() {
    fn count<G: Knowledge>(position: &G) -> usize {
        let (all, shape) = (position.symmetries(), position.encoding_shape());
        for symmetry in &all {
            let images: BTreeSet<_> = (0..shape.policy_len()).map(|index| symmetry.index(index)).collect();
            assert_eq!(images.len(), shape.policy_len());
        }
        all.len()
    }
    fn is_even<G: Knowledge>(start: &G) -> bool {
        start.symmetries()[1].planes(&planes(start, 1)) == planes(start, 1)
    }
    assert_eq!((count(&Chess::start()), count(&TucChess::start()), count(&Neighbours::start())), (1, 2, 8));
    assert_eq!(count(&Amazons::start()), 8);
    assert_eq!(count(&Amazons::from_fen("q3/4/3Q w - - 0 1").unwrap()), 4);
    assert!(is_even(&TucChess::start()) && is_even(&Neighbours::start()) && is_even(&Amazons::start()));
}
