//! Inputs for efficiently updatable nets.

use crate::common;

use std::collections::BTreeSet;

use common::breakthrough::Breakthrough;
use common::flip::{flipped, mirrored};
use common::{amazons_starts, random_game_from};
use labrys::engine::Playable;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{
    Color, Game, GameHistory, Knowledge, Perspective, each_changed_input, each_input, plane_and_bit,
};

/// The inputs from a perspective.
fn seen<G: Knowledge>(position: &G, perspective: Perspective) -> BTreeSet<usize> {
    let mut indices = BTreeSet::new();
    each_input(position.input_planes(), |input| {
        let (plane, bit) = plane_and_bit(input);
        let index = G::input_index(position.input_shape(), perspective, plane, bit).unwrap();
        assert!(index < position.input_shape().inputs, "{}", position.fen());
        assert!(indices.insert(index), "index {index} twice in {}", position.fen());
    });
    indices
}

/// The inputs of a player.
fn inputs<G: Knowledge>(position: &G, player: Color) -> BTreeSet<usize> {
    seen(position, position.perspective(player))
}

fn check_position<G: Knowledge>(position: &G) {
    let (flip, mirror) = (flipped(position), mirrored(position));
    for player in Color::BOTH {
        let own = inputs(position, player);
        assert_eq!(inputs(&flip, !player), own, "{}", position.fen());
        let perspective = position.perspective(player);
        assert!(perspective.bucket < G::BUCKETS);
        assert_eq!(flip.perspective(!player).bucket, perspective.bucket, "{}", position.fen());
        assert_eq!(mirror.perspective(player).bucket, perspective.bucket, "{}", position.fen());
        let other_way = Perspective { mirrored: !perspective.mirrored, ..perspective };
        match G::MIRRORS {
            true => assert_eq!(seen(&mirror, other_way), own, "{}", position.fen()),
            false => assert_eq!(inputs(&mirror, player), own, "{}", position.fen()),
        }
    }
    let index = position.output_bucket(4);
    assert!(index < 4 && position.output_bucket(1) == 0);
}

/// The inputs of `child` from those of `parent` by the changes alone.
fn check_changes<G: Knowledge>(parent: &G, child: &G) {
    for player in Color::BOTH {
        let perspective = child.perspective(player);
        let mut updated = seen(parent, perspective);
        each_changed_input(&parent.input_planes(), &child.input_planes(), |input, is_added| {
            let (plane, bit) = plane_and_bit(input);
            let index = G::input_index(child.input_shape(), perspective, plane, bit).unwrap();
            let has_changed = if is_added { updated.insert(index) } else { updated.remove(&index) };
            assert!(has_changed, "{plane} {bit} from {} to {}", parent.fen(), child.fen());
        });
        assert_eq!(updated, inputs(child, player), "from {} to {}", parent.fen(), child.fen());
    }
}

fn check_from<G: Playable>(start: &G, plies: usize) {
    for seed in 0..10 {
        random_game_from(start.clone(), seed, plies, |position, history: &GameHistory<G>| {
            check_position(position);
            if let Some(parent) = history.past().last() {
                check_changes(parent, position);
            }
            if let Some(passed) = position.null_move() {
                check_changes(position, &passed);
            }
        });
    }
}

#[test]
fn chess() {
    check_from(&Chess::start(), 120);
}

#[test]
fn neighbours() {
    check_from(&Neighbours::start(), 100);
}

#[test]
fn tucchess() {
    check_from(&TucChess::start(), 100);
    // Chance outcomes change prizes and points.
    let position = TucChess::from_fen("pr2p/1*k1p/p2**/K1p1*/P2pP/rR3/P3P b 1 6 20").unwrap();
    let moves = position.moves();
    let mut outcomes = Vec::new();
    moves.into_iter().for_each(|mv| position.outcomes(mv, &mut outcomes));
    for (outcome, _) in outcomes {
        let child = position.after(outcome);
        check_changes(&position, &child);
    }
}

#[test]
fn amazons() {
    for start in amazons_starts() {
        check_from(&start, 40);
    }
}

#[test]
fn a_lead_is_encoded_in_levels() {
    let levels = |points: &str, player| {
        let position =
            TucChess::from_fen(&format!("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w {points} 1")).unwrap();
        inputs(&position, player).into_iter().filter(|index| *index >= 7 * 35).collect::<Vec<_>>()
    };
    for (points, own, other) in
        [("0 0", 0, 0), ("0.1 0", 1, 0), ("0.9 0", 2, 0), ("1 2", 0, 2), ("9 6.5", 4, 0)]
    {
        let first = 7 * 35;
        let expected: Vec<_> = (first..first + own).chain(first + 24..first + 24 + other).collect();
        assert_eq!(levels(points, Color::White), expected, "{points}");
    }
    assert_eq!(levels("99 0", Color::White).len(), 24);
}

#[test]
fn a_game_without_inputs_has_none() {
    let start = Breakthrough::start();
    assert_eq!((Breakthrough::INPUTS_VERSION, start.input_shape().inputs), (0, 0));
    each_input(start.input_planes(), |_| panic!("there are none"));
}
