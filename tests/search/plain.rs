//! Searches against plain minimax, and properties of every search.

use crate::common;

use std::time::Duration;

use common::{Line, compare_searches, find, find_with, heavy_evaluator, random_lines, scores};
use labrys::engine::Playable;
use labrys::eval::{Evaluator, Linear, MAX_PLY, Score, UciScore};
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::fen::write_board;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Game, GameHistory};
use labrys::search::{
    Bound, Clock, Control, Heuristics, Limits, Options, Report, SearchInput, SearchMode, TranspositionTable,
    Tree, monte_carlo, random, search,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

type Reports = Vec<Report<<Neighbours as Game>::Move>>;

fn line(fen: &str) -> Line<Neighbours> {
    (Neighbours::from_fen(fen).unwrap(), GameHistory::new())
}

#[test]
fn all_searches_find_the_minimax_value() {
    // In a game without chance, expectiminimax is minimax.
    let modes = [SearchMode::AlphaBeta, SearchMode::Pvs, SearchMode::Mtdf, SearchMode::Expectiminimax];
    let decided = [
        compare_searches::<Neighbours>(200, 70, 4, &modes),
        compare_searches::<TucChess>(200, 60, 4, &modes[..3]),
        compare_searches::<Chess>(60, 300, 3, &modes),
    ];
    assert!(
        decided.iter().zip([6, 6, 1]).all(|(&found, least)| found >= least),
        "too few forced ends: {decided:?}"
    );
}

/// The mean over all outcomes, by the definition.
fn expectation<G: Playable>(evaluator: &Linear<G>, position: &G, depth: u32) -> f64 {
    let moves = position.moves();
    if moves.is_empty() {
        // Mate distances change scores by one step per ply, which is less than the rounding error.
        let win = f64::from(Score::WIN.to_thousandths());
        return position
            .terminal_outcome()
            .winner
            .map_or(0.0, |winner| if winner == position.side_to_move() { win } else { -win });
    }
    if depth == 0 {
        return f64::from(evaluator.evaluate_position(position).to_thousandths());
    }
    let value = |&mv: &G::Move| {
        let mut outcomes = Vec::new();
        position.outcomes(mv, &mut outcomes);
        let mean = outcomes.into_iter().map(|(mv, probability)| {
            let child = position.after(mv);
            assert_ne!(child.side_to_move(), position.side_to_move());
            -probability * expectation(evaluator, &child, depth - 1)
        });
        mean.sum::<f64>()
    };
    moves.iter().map(value).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn expectiminimax_is_the_mean_over_all_outcomes() {
    let mut with_chance = 0;
    for (n, line) in random_lines::<TucChess>(40, 40).into_iter().enumerate() {
        let evaluator = heavy_evaluator();
        // The reference implementation is slow.
        let limits = Limits::depth(if n == 0 { 3 } else { 2 });
        let (_, reports) = find(&line, SearchMode::Expectiminimax, false, 1, &limits);
        let expected: Vec<_> =
            (1..=limits.depth.unwrap()).map(|depth| expectation(&evaluator, &line.0, depth)).collect();
        // So is the search with chance nodes at all plies.
        let options = Options { selective: false, chance_plies: MAX_PLY, ..Options::default() };
        let table = TranspositionTable::new(1).unwrap();
        let (_, weighed) = find_with(&table, &line, SearchMode::Pvs, &options, &limits);
        for reports in [&reports, &weighed] {
            let scores = scores(reports);
            assert_eq!(scores.len(), expected.len());
            for (score, expected) in scores.into_iter().zip(&expected) {
                let found = f64::from(score.to_thousandths());
                assert!((found - expected).abs() < 10.0, "{found} for {expected} in {}", line.0.fen());
            }
        }
        let plain = find(&line, SearchMode::AlphaBeta, false, 1, &limits).1;
        with_chance += usize::from(plain.last().unwrap().score != reports.last().unwrap().score);
    }
    assert!(with_chance > 20, "chance changes many values: {with_chance} of 40");
}

/// Few pieces, so that searches reach the end of the game and the hundredth ply without a capture. All
/// searches of a board share a table: entries must not mislead a search at another distance from the root or
/// from the last capture. (The depth is below four, as with repetitions a value depends on the path to the
/// position, which the key does not include.)
#[test]
fn searches_with_a_common_table_find_the_alpha_beta_value() {
    let mut random = StdRng::seed_from_u64(11);
    let mut decided = 0;
    for _ in 0..200 {
        let mut squares = [None; 64];
        for piece in ['P', 'p'].repeat(3) {
            // In one corner, so that pieces have neighbours and can move.
            squares[8 * random.random_range(0..5) + random.random_range(0..5)] = Some(piece);
        }
        let board = write_board(8, 8, |file, rank| squares[8 * rank + file]);
        let mut lines = vec![line(&format!("{board} w 0 1")), line(&format!("{board} w 97 60"))];
        for mv in lines[0].0.moves() {
            let mut child = lines[0].0;
            child.play(mv);
            lines.push((child, GameHistory::new()));
        }
        let (table, limits) = (TranspositionTable::new(1).unwrap(), Limits::depth(3));
        for line in &lines {
            let (_, expected) = find(line, SearchMode::AlphaBeta, false, 1, &limits);
            let options = Options { selective: false, ..Options::default() };
            let (_, found) = find_with(&table, line, SearchMode::Pvs, &options, &limits);
            assert_eq!(scores(&found), scores(&expected), "{}", line.0.fen());
            let last = scores(&expected).last().copied();
            decided += usize::from(last.is_some_and(|score| score.mate_distance().is_some()));
        }
    }
    assert!(decided > 100, "too few positions with a forced end: {decided}");
}

#[test]
fn minimax_visits_every_path() {
    let (best, _) =
        find(&line("pppppppp/8/8/8/8/8/8/PPPPPPPP w 0 1"), SearchMode::Minimax, false, 1, &Limits::depth(3));
    // Iterations of depth 1, 2 and 3. Their nodes follow from perft.
    assert_eq!(best.nodes, (1 + 20) + (1 + 20 + 400) + (1 + 20 + 400 + 7280));
}

#[test]
fn plain_searches_are_never_selective() {
    for line in random_lines::<Neighbours>(60, 100) {
        let limits = Limits::depth(4);
        let of = |selective| scores(&find(&line, SearchMode::AlphaBeta, selective, 1, &limits).1);
        assert_eq!(of(true), of(false), "{}", line.0.fen());
    }
    let line = (Neighbours::from_fen("PP6/1P6/p7/pp1p4/8/8/8/8 w 100 60").unwrap(), GameHistory::new());
    let of = |selective| scores(&find(&line, SearchMode::AlphaBeta, selective, 1, &Limits::depth(6)).1);
    assert_eq!(of(true), of(false));
}

#[test]
fn every_search_returns_a_legal_move() {
    for (n, line) in (0..).zip(random_lines::<Neighbours>(1000, 120)) {
        let limits = Limits::nodes(1 + n % 1000);
        let mode = [SearchMode::Pvs, SearchMode::Mtdf][n as usize % 2];
        let (best, _) = find(&line, mode, true, 1 + n as usize % 3, &limits);
        let moves = line.0.moves();
        assert!(moves.contains(&best.mv.unwrap()), "{}", line.0.fen());
        // Depth 1 is finished whatever it takes, in addition to the nodes that did not suffice for it.
        let (first, _) = find(&line, mode, true, 1 + n as usize % 3, &Limits::depth(1));
        assert!(best.nodes <= (1 + n % 1000).max(2 * first.nodes), "{}", line.0.fen());
    }
}

/// Searches random positions in all modes, to a depth or stopped within an iteration, and plays every line of
/// every report.
fn check_lines<G: Playable>(count: usize, depth: u32, nodes: u64) {
    let modes = [SearchMode::Pvs, SearchMode::Mtdf, SearchMode::AlphaBeta, SearchMode::Expectiminimax];
    for (n, line) in random_lines::<G>(count, 60).into_iter().enumerate() {
        let mode = modes[n % if G::HAS_CHANCE { 4 } else { 3 }];
        let options = Options {
            selective: n / 4 % 2 == 0,
            multi_pv: [1, 2, 5][n % 3],
            chance_plies: [0, 1, 2, MAX_PLY][n / 8 % 4],
            ..Options::default()
        };
        let limits = Limits { nodes: Some(nodes * (1 + n as u64 % 7)), ..Limits::depth(depth) };
        let table = TranspositionTable::new(1).unwrap();
        let (best, reports) = find_with(&table, &line, mode, &options, &limits);
        let fen = line.0.fen();
        for report in &reports {
            let mut position = line.0.clone();
            for &mv in &report.pv {
                let text = position.move_text(mv);
                assert_eq!(position.parse_move(&text), Ok(mv), "{mode:?} {options:?}: {text} in {fen}");
                position.play(mv);
            }
        }
        let last = reports.iter().rfind(|report| report.multipv == 1).unwrap();
        assert_eq!(best.mv, last.pv.first().copied(), "{fen}");
        if let Some(&reply) = last.pv.get(1) {
            assert_eq!(best.ponder, Some(reply), "{fen}");
        }
        let child = line.0.after(best.mv.unwrap());
        assert!(best.ponder.is_none_or(|mv| child.is_legal(mv)), "{fen}");
    }
}

#[test]
fn every_line_of_every_report_is_playable() {
    check_lines::<Neighbours>(120, 7, 3_000);
    check_lines::<TucChess>(240, 6, 3_000);
    check_lines::<Chess>(120, 7, 3_000);
    check_lines::<Amazons>(30, 4, 3_000);
}

#[test]
fn several_lines_are_of_one_state() {
    for (n, line) in random_lines::<Chess>(40, 40).into_iter().enumerate() {
        let mode = [SearchMode::Pvs, SearchMode::Mtdf][n % 2];
        let limits = Limits::nodes(2_000 + 777 * n as u64);
        let (best, reports) = find(&line, mode, true, 5, &limits);
        let count = line.0.count_moves().min(5);
        // Whenever all lines are there, they are distinct, and the best is the first.
        let mut lines: Vec<Option<&Report<_>>> = vec![None; 5];
        for report in &reports {
            lines[report.multipv as usize - 1] = Some(report);
            if report.multipv as usize != count {
                continue;
            }
            let now: Vec<_> = lines.iter().flatten().collect();
            assert!(now.is_sorted_by_key(|report| std::cmp::Reverse(report.score)), "{}", line.0.fen());
            let is_new =
                |(n, report): (usize, &&&Report<_>)| now[..n].iter().all(|r| r.pv[0] != report.pv[0]);
            assert!(now.iter().enumerate().all(is_new), "{}", line.0.fen());
            assert!(now.iter().all(|report| report.bound == Bound::Exact));
        }
        assert_eq!(reports.last().map(|report| report.multipv as usize), Some(count), "a whole set");
        assert_eq!(best.mv, lines[0].map(|report| report.pv[0]), "{}", line.0.fen());
    }
}

/// Searches stopped within an iteration: their last report is that of a finished iteration, or a score
/// that was proven.
#[test]
fn an_unfinished_iteration_reports_only_what_it_has_proven() {
    let fens = [
        "8/8/2ppp3/2pkp3/2ppp3/8/4K3/3Q4 b - - 0 1",
        "3K4/5k2/R7/8/8/8/8/8 b - - 0 1",
        "4qb2/2prp1p1/3p2p1/7B/4R3/P5Pk/1PPPP1NN/7K b - - 0 1",
    ];
    let mut stopped = [0; 2];
    for (fen, mode) in fens.iter().flat_map(|fen| [(fen, SearchMode::Pvs), (fen, SearchMode::Mtdf)]) {
        let line = (Chess::from_fen(fen).unwrap(), GameHistory::new());
        for nodes in (2_000..14_000).step_by(250) {
            let (best, reports) = find(&line, mode, true, 1, &Limits::nodes(nodes));
            let (last, before) = reports.split_last().unwrap();
            assert_eq!(best.mv, last.pv.first().copied(), "{fen} {nodes}");
            assert_ne!(last.bound, Bound::Upper, "{fen} {nodes}");
            let finished = before.iter().rfind(|report| report.bound == Bound::Exact);
            let is_same = finished.is_some_and(|finished| {
                (finished.depth, finished.score, &finished.pv) == (last.depth, last.score, &last.pv)
            });
            let is_loss = last.score.is_decisive() && last.score < Score::DRAW;
            if is_loss && !is_same {
                // Only a finished iteration reports this: without the limit it reports the same.
                let (_, whole) = find(&line, mode, true, 1, &Limits::depth(last.depth));
                let whole = whole.last().unwrap();
                assert_eq!((whole.score, &whole.pv), (last.score, &last.pv), "{fen} {nodes}");
            }
            stopped[usize::from(is_same)] += 1;
        }
    }
    assert!(stopped.iter().all(|&count| count > 10), "{stopped:?}");
}

/// Searches with chance in some or all plies agree exactly: none mistakes a bound for a value.
#[test]
fn searches_with_chance_find_the_value_of_expectiminimax() {
    let mut random = StdRng::seed_from_u64(5);
    for line in random_lines::<TucChess>(24, 60) {
        // Depth 4 takes seconds where there are many moves.
        let limits = Limits::depth(match line.0.count_moves() {
            ..6 => 4,
            6..9 => 3,
            _ => 2,
        });
        let (_, expected) = find(&line, SearchMode::Expectiminimax, false, 1, &limits);
        let partly = random.random_range(1..=3);
        let mut weighed: [Option<Vec<Score>>; 2] = [Some(scores(&expected)), None];
        for mode in [SearchMode::AlphaBeta, SearchMode::Pvs, SearchMode::Mtdf] {
            for (chance_plies, expected) in [MAX_PLY, partly].into_iter().zip(&mut weighed) {
                let options = Options { selective: false, chance_plies, ..Options::default() };
                let table = TranspositionTable::new(1).unwrap();
                let (_, reports) = find_with(&table, &line, mode, &options, &limits);
                let expected = expected.get_or_insert_with(|| scores(&reports));
                assert_eq!(&scores(&reports), expected, "{mode:?} {chance_plies} {}", line.0.fen());
            }
        }
    }
}

#[test]
fn several_lines_are_the_best_ones_in_order() {
    for (n, line) in random_lines::<Neighbours>(60, 60).into_iter().enumerate() {
        let mode = [SearchMode::Pvs, SearchMode::Mtdf][n % 2];
        let (_, all) = find(&line, mode, false, 64, &Limits::depth(3));
        let lines: Vec<_> =
            all.iter().filter(|report| report.depth == 3 && report.bound == Bound::Exact).collect();
        assert_eq!(lines.len(), line.0.count_moves());
        assert!(lines.is_sorted_by_key(|report| std::cmp::Reverse(report.score)));
        let mut firsts: Vec<_> = lines.iter().map(|report| report.pv[0]).collect();
        firsts.sort_by_key(|mv| line.0.move_text(*mv));
        firsts.dedup();
        assert_eq!(firsts.len(), lines.len(), "each line begins with another move");
        // Each line has the value of its own move.
        for report in lines {
            let (mut child, mut history) = line.clone();
            history.push(&child);
            child.play(report.pv[0]);
            let (_, reports) = find(&(child, history), SearchMode::Minimax, false, 1, &Limits::depth(2));
            // A finished game has no iterations. This early, the side to move has lost.
            let value = scores(&reports).last().copied().unwrap_or(Score::mated_in(0));
            let value = match value.mate_distance() {
                None => value,
                // One ply further from the root.
                Some(plies) if value > Score::DRAW => Score::mate_in(plies + 1),
                Some(plies) => Score::mated_in(plies + 1),
            };
            assert_eq!(report.score, -value, "{}", line.0.fen());
        }
    }
}

#[test]
fn a_search_is_reproducible_to_the_node() {
    for line in random_lines::<Neighbours>(10, 60) {
        let run = || find(&line, SearchMode::Pvs, true, 1, &Limits::depth(9));
        let (first, second) = (run(), run());
        assert_eq!(first.0, second.0);
        let trace = |reports: &Reports| {
            reports.iter().map(|r| (r.depth, r.score, r.nodes, r.pv.clone())).collect::<Vec<_>>()
        };
        assert_eq!(trace(&first.1), trace(&second.1));
    }
}

/// White can leave Black without a move at once: after the capture the other piece has no neighbour.
const WIN_IN_ONE: &str = "7p/8/8/8/8/8/Pp6/8 w 0 1";

#[test]
fn wins_count_plies() {
    let win_in_one = line(WIN_IN_ONE);
    for (mode, selective) in [
        (SearchMode::Minimax, false),
        (SearchMode::AlphaBeta, false),
        (SearchMode::Pvs, false),
        (SearchMode::Pvs, true),
    ] {
        for depth in [1, 2, 5] {
            let (best, reports) = find(&win_in_one, mode, selective, 1, &Limits::depth(depth));
            assert_eq!(win_in_one.0.move_text(best.mv.unwrap()), "a2b2", "{mode:?} {depth}");
            assert_eq!(scores(&reports).last().unwrap().to_uci(), UciScore::Mate(1), "{mode:?} {depth}");
        }
    }
}

#[test]
fn a_mate_limit_ends_the_search() {
    let limits = Limits { mate: Some(1), ..Limits::none() };
    let (best, reports) = find(&line(WIN_IN_ONE), SearchMode::Pvs, true, 1, &limits);
    assert!(best.mv.is_some());
    assert_eq!(scores(&reports), [Score::mate_in(1)]);
}

/// Plays moves from the position before them.
fn play(line: &mut Line<Neighbours>, moves: &[&str]) {
    for text in moves {
        let mv = line.0.parse_move(text).unwrap();
        line.1.push(&line.0);
        line.0.play(mv);
    }
}

/// The score of a search of a position whose only root move is this one.
fn score_of(line: &Line<Neighbours>, mv: &str, mode: SearchMode, depth: u32) -> Score {
    let (evaluator, options, limits) =
        (Linear::shipped(0).unwrap(), Options::default(), Limits::depth(depth));
    let input = SearchInput {
        root_moves: Some(&[line.0.parse_move(mv).unwrap()]),
        ..SearchInput::new(&line.0, &line.1, &evaluator, &options, &limits)
    };
    let table = TranspositionTable::new(1).unwrap();
    let (mut reports, control) = (Vec::new(), Control::default());
    search(&input, mode, &table, &mut [Heuristics::new()], &control, &mut |report| reports.push(report));
    scores(&reports).pop().unwrap()
}

/// Black, to move and a piece down, can return to the first position of the game.
const SHUFFLE: [&str; 3] = ["a1a2", "a8a7", "a2a1"];

#[test]
fn a_position_of_the_game_is_drawn_at_its_second_repetition() {
    let mut game = line("p7/1p6/7p/8/8/8/8/PP6 w 4 10");
    play(&mut game, &SHUFFLE);
    assert!(!game.1.is_repetition(&game.0, 0));
    let new = (game.0, GameHistory::new());
    let modes = [SearchMode::Minimax, SearchMode::AlphaBeta, SearchMode::Pvs, SearchMode::Mtdf];
    for mode in modes {
        let once = score_of(&game, "a7a8", mode, 1);
        assert_eq!(once, score_of(&new, "a7a8", mode, 1), "{mode:?}: the opponent need not repeat");
        assert_ne!(once, Score::DRAW, "{mode:?}");
    }
    play(&mut game, &["a7a8"]);
    play(&mut game, &SHUFFLE);
    for mode in modes {
        assert_eq!(score_of(&game, "a7a8", mode, 1), Score::DRAW, "{mode:?}");
    }
}

#[test]
fn a_position_of_the_tree_is_drawn_at_its_first_repetition() {
    let moves = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8".split(' ');
    let (mut position, mut history) = (Chess::start(), GameHistory::new());
    for (ply, text) in (0..).zip(moves) {
        for root in 0..=ply {
            // The last occurrence is four plies ago.
            let is_drawn = ply >= 4 && root <= ply - 4;
            assert_eq!(history.is_repetition(&position, root), is_drawn, "root {root}, ply {ply}");
        }
        history.push(&position);
        position.play(position.parse_move(text).unwrap());
    }
    assert!(history.is_repetition(&position, 8), "the third occurrence, wherever the root is");
}

#[test]
fn a_single_repetition_of_the_game_does_not_save_a_piece() {
    // The knight hangs. Returning to b8, where it was once, does not save it.
    let text = "e2e4 b8c6 d2d4 c6b8 d4d5 b8c6 g1f3 c6b8 f3g1";
    let (mut position, mut history) = (Chess::start(), GameHistory::new());
    for text in text.split(' ') {
        history.push(&position);
        position.play(position.parse_move(text).unwrap());
    }
    let line = (position, history);
    for mode in [SearchMode::AlphaBeta, SearchMode::Pvs, SearchMode::Mtdf] {
        let (best, reports) = find(&line, mode, mode != SearchMode::AlphaBeta, 1, &Limits::depth(3));
        assert_ne!(line.0.move_text(best.mv.unwrap()), "b8c6", "{mode:?}");
        assert_ne!(scores(&reports).pop(), Some(Score::DRAW), "{mode:?}");
    }
}

#[test]
fn finished_games_have_no_best_move() {
    let (best, reports) = find(&line("8/8/8/8/8/8/8/P6p w 0 1"), SearchMode::Pvs, true, 1, &Limits::depth(3));
    assert_eq!((best.mv, reports.len()), (None, 0));
    // The game continues after a draw that could be claimed.
    let (best, _) = find(&line("pp6/8/8/8/8/8/8/PP6 w 100 60"), SearchMode::Pvs, true, 1, &Limits::depth(3));
    assert!(best.mv.is_some());
}

#[test]
fn an_only_move_is_played_at_once_on_the_clock() {
    // With two neighbours on the edges, the piece in the corner can only move diagonally.
    let line = line("8/8/8/8/8/8/p7/Pp6 w 0 1");
    assert_eq!(line.0.count_moves(), 1);
    let clock = Clock { remaining: Duration::from_secs(3600), increment: Duration::ZERO };
    // The depth limits a failing test.
    let limits = Limits { depth: Some(5), clocks: [Some(clock); 2], ..Limits::none() };
    let (best, reports) = find(&line, SearchMode::Pvs, true, 1, &limits);
    assert!(best.mv.is_some());
    assert_eq!(reports.last().unwrap().depth, 1);
    let (_, reports) = find(&line, SearchMode::Pvs, true, 1, &Limits::depth(5));
    assert_eq!(reports.last().unwrap().depth, 5);
}

#[test]
fn the_deepest_search_ends() {
    // There are hardly any moves, so that the search reaches the last ply quickly.
    let (best, reports) =
        find(&line("pp6/8/8/8/8/8/8/PP6 w 90 60"), SearchMode::Pvs, true, 1, &Limits::depth(1000));
    assert!(best.mv.is_some());
    assert_eq!(reports.last().unwrap().depth as usize, MAX_PLY);
}

#[test]
fn threads_together_find_the_minimax_value() {
    let options = Options { selective: false, ..Options::default() };
    let evaluator = &heavy_evaluator();
    for line in random_lines::<Neighbours>(30, 60) {
        let limits = &Limits::depth(4);
        let (_, minimax) = find(&line, SearchMode::Minimax, false, 1, limits);
        let (position, history) = &line;
        let input = SearchInput::new(position, history, evaluator, &options, limits);
        for mode in [SearchMode::Pvs, SearchMode::Mtdf, SearchMode::AlphaBeta] {
            let (table, control) = (TranspositionTable::new(1).unwrap(), Control::default());
            let mut found = Vec::new();
            search(&input, mode, &table, &mut vec![Heuristics::new(); 3], &control, &mut |report: Report<
                _,
            >| {
                if report.bound == Bound::Exact {
                    found.push((report.depth, report.score));
                }
            });
            // Another thread may be ahead by more than one iteration.
            assert_eq!(found.last().map(|&(depth, _)| depth), Some(4), "{mode:?} in {}", position.fen());
            let expected = scores(&minimax);
            for (depth, score) in found {
                assert_eq!(
                    score,
                    expected[depth as usize - 1],
                    "{mode:?}, depth {depth} in {}",
                    position.fen()
                );
            }
        }
    }
}

#[test]
fn threads_share_a_node_limit() {
    let position = Neighbours::start();
    let (history, evaluator) = (GameHistory::new(), Linear::shipped(0).unwrap());
    let (options, limits) = (Options::default(), Limits::nodes(100_000));
    let input = SearchInput::new(&position, &history, &evaluator, &options, &limits);
    let table = TranspositionTable::new(1).unwrap();
    for threads in [1, 2, 5] {
        let mut heuristics = vec![Heuristics::new(); threads];
        let control = Control::default();
        let mut reported = 0;
        let best =
            search(&input, SearchMode::Pvs, &table, &mut heuristics, &control, &mut |report: Report<_>| {
                assert!(report.nodes >= reported, "nodes are counted up");
                reported = report.nodes;
            });
        assert!(best.mv.is_some_and(|mv| position.is_legal(mv)));
        // Each thread may have counted nodes that it has not reported yet.
        assert!(best.nodes >= 100_000 && best.nodes <= 100_000 + 1024 * threads as u64, "{}", best.nodes);
        assert!(!control.is_stopped(), "the flag belongs to the caller");
    }
}

#[test]
fn an_external_stop_ends_all_threads() {
    let position = Neighbours::start();
    let (history, evaluator) = (GameHistory::new(), Linear::shipped(0).unwrap());
    // The nodes limit a failing test.
    let (options, limits) = (Options::default(), Limits::nodes(20_000_000));
    let input = SearchInput::new(&position, &history, &evaluator, &options, &limits);
    for threads in [1, 3] {
        for mode in [SearchMode::Pvs, SearchMode::Mtdf, SearchMode::AlphaBeta] {
            let table = TranspositionTable::new(1).unwrap();
            let mut heuristics = vec![Heuristics::new(); threads];
            let control = Control::default();
            let mut stopped_at = 0;
            let best = search(&input, mode, &table, &mut heuristics, &control, &mut |report: Report<_>| {
                if report.depth >= 5 && stopped_at == 0 {
                    control.stop();
                    stopped_at = report.nodes;
                }
            });
            assert!(best.mv.is_some_and(|mv| position.is_legal(mv)), "{mode:?}");
            assert!(stopped_at > 0 && best.nodes < stopped_at + 100_000, "{mode:?}: {}", best.nodes);
        }
    }
}

#[test]
fn random_moves_are_reproducible() {
    let evaluator = &Linear::shipped(0).unwrap();
    let (position, limits) = (&Neighbours::start(), &Limits::none());
    let legal = position.moves();
    let mut seen = std::collections::HashSet::new();
    let mut history = GameHistory::new();
    for _ in 0..10 {
        for seed in 0..40 {
            let options = &Options { seed, ..Options::default() };
            let input = SearchInput::new(position, &history, evaluator, options, limits);
            let mv = random(&input).mv.unwrap();
            assert!(legal.contains(&mv) && random(&input).mv == Some(mv));
            seen.insert(mv);
            let chosen = SearchInput { root_moves: Some(&legal[3..4]), ..input };
            assert_eq!(random(&chosen).mv, Some(legal[3]));
        }
        history.push(position);
    }
    assert_eq!(seen.len(), legal.len());
    let over = &Neighbours::from_fen("8/8/8/8/8/8/8/P6p w 0 1").unwrap();
    let (history, options) = (GameHistory::new(), Options::default());
    let input = SearchInput::new(over, &history, evaluator, &options, limits);
    assert_eq!(random(&input).mv, None);
}

#[test]
fn a_restriction_to_illegal_moves_finds_none() {
    let (position, history, evaluator) = (&Chess::start(), &GameHistory::new(), &Linear::shipped(0).unwrap());
    let illegal = Chess::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").unwrap().parse_move("a1a8").unwrap();
    let (options, limits) = (&Options::default(), &Limits::depth(3));
    for (moves, is_found) in [(&[][..], false), (&[illegal], false), (&[illegal, e2e4()], true)] {
        let input = SearchInput {
            root_moves: Some(moves),
            ..SearchInput::new(position, history, evaluator, options, limits)
        };
        let expected = is_found.then(e2e4);
        let (table, control) = (TranspositionTable::new(1).unwrap(), Control::default());
        let mut listener = |_: Report<_>| {};
        let found =
            search(&input, SearchMode::Pvs, &table, &mut [Heuristics::new()], &control, &mut listener);
        assert_eq!(found.mv, expected);
        let mut tree = Tree::new(1 << 20);
        let input = SearchInput { limits: &Limits::nodes(1_000), ..input };
        assert_eq!(monte_carlo(&input, &mut tree, 1, None, &control, &mut listener).mv, expected);
        assert_eq!(random(&input).mv, expected);
    }
}

fn e2e4() -> <Chess as Game>::Move {
    Chess::start().parse_move("e2e4").unwrap()
}
