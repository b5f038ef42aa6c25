//! Searches of Amazons, which prune most of the moves.

use crate::common;

use common::grid::random_fen;
use common::{Line, find, sample};
use labrys::game::amazons::Amazons;
use labrys::game::{Color, Game, GameHistory, Knowledge};
use labrys::search::{Bound, Limits, MctsOptions, Options, Report, SearchMode};
use rand::SeedableRng;
use rand::rngs::StdRng;

type Move = <Amazons as Game>::Move;

fn line(fen: &str) -> Line<Amazons> {
    (Amazons::from_fen(fen).unwrap(), GameHistory::new())
}

/// Random positions that are not terminal and have at most `most` moves.
fn lines(count: usize, moves: usize) -> Vec<Line<Amazons>> {
    let mut random = StdRng::seed_from_u64(7);
    let fens = std::iter::repeat_with(|| random_fen(&mut random));
    fens.map(|fen| line(&fen))
        .filter(|line| (1..=moves).contains(&line.0.count_moves()))
        .take(count)
        .collect()
}

#[test]
fn the_full_width_search_finds_the_minimax_value() {
    for line in lines(40, 50) {
        let exact = |mode| {
            let (_, reports) = find(&line, mode, false, 1, &Limits::depth(3));
            let exact = reports.iter().filter(|report: &&Report<Move>| report.bound == Bound::Exact);
            exact.map(|report| report.score).collect::<Vec<_>>()
        };
        assert_eq!(exact(SearchMode::Pvs), exact(SearchMode::Minimax), "{}", line.0.fen());
    }
}

#[test]
fn candidate_moves_are_legal_and_evaluated_for_the_side_to_move() {
    for (position, _) in lines(200, 2000) {
        let (legal, mut candidates) = (position.moves(), Vec::new());
        let stm = position.side_to_move();
        let mut evaluated = 0;
        let mut static_eval = |child: &Amazons| {
            assert_ne!(child.side_to_move(), stm);
            evaluated += 1;
            child.count_moves() as i32
        };
        position.moves_by_static_eval(3, &mut static_eval, &mut candidates);
        assert!(!candidates.is_empty() && candidates.len() <= legal.len());
        assert!(evaluated >= candidates.len());
        let mut seen = std::collections::HashSet::new();
        for (mv, eval) in candidates {
            assert!(legal.contains(&mv) && seen.insert(mv));
            let child = position.after(mv);
            assert_eq!(eval, child.count_moves() as i32);
        }
    }
}

#[test]
fn passing_is_for_positions_in_contact() {
    let passed = Amazons::from_fen("Q3/4/3q w - - 4 3").unwrap().null_move().unwrap();
    assert_eq!(passed.side_to_move(), Color::Black);
    assert_eq!(passed.key(), passed.key_from_scratch());
    assert!(passed.same_position(&Amazons::from_fen("Q3/4/3q b - - 4 3").unwrap()));
    assert_eq!(Amazons::from_fen("Q3/****/3q w - - 4 3").unwrap().null_move(), None);
}

#[test]
fn a_node_limit_is_kept_to_a_list_of_moves() {
    // At most 16 amazon moves with 40 arrows each, and the amazon moves themselves.
    let list = 16 * 40 + 160;
    for limit in [1_000, 10_000, 50_000] {
        let (best, _) =
            find(&(Amazons::start(), GameHistory::new()), SearchMode::Pvs, true, 1, &Limits::nodes(limit));
        assert!(best.mv.is_some() && (limit..limit + list).contains(&best.nodes), "{}", best.nodes);
    }
}

/// White has more room than Black, who is walled in.
const RACE: &str = "3q*/*****/**1**/*****/2Q2 w - - 0 1";

#[test]
fn both_searches_win_a_race() {
    let line = line(RACE);
    let (best, reports) = find(&line, SearchMode::Pvs, true, 1, &Limits::depth(9));
    assert!(best.mv.is_some() && reports.last().unwrap().score > labrys::eval::Score::DRAW);
    for plies in [None, Some(0), Some(3), Some(200)] {
        let mcts = MctsOptions { playout_plies: plies, ..MctsOptions::default() };
        let options = Options { mcts, ..Options::default() };
        let (best, reports) = sample(&line, &options, &Limits::nodes(20_000), 1 << 20);
        let report = reports.last().unwrap();
        assert!(
            best.mv.is_some() && report.score > labrys::eval::Score::DRAW,
            "{plies:?} {:?}",
            report.score
        );
    }
}
