//! Monte Carlo tree search: moves, proofs, and the tree that it keeps.

use crate::common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::minimax::end_games;
use common::{Line, find, random_game, random_lines, sample, sample_in};
use labrys::engine::Playable;
use labrys::eval::{Evaluator, Linear, Scale, Score};
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Game, GameHistory};
use labrys::search::{
    Clock, Control, Expansion, FinalMove, Heuristics, Leaf, LeafEvaluator, Limits, MctsOptions, MsdOptions,
    Options, Report, RootSelection, SearchInput, SearchMode, Selection, StaticLeaves, TranspositionTable,
    Tree, Visits, monte_carlo, search,
};

fn seeded(seed: u64) -> Options {
    Options { seed, ..Options::default() }
}

fn with(mcts: MctsOptions) -> Options {
    Options { mcts, ..Options::default() }
}

fn expanding(expansion: Expansion) -> Options {
    with(MctsOptions { expansion: Some(expansion), ..MctsOptions::default() })
}

const EXPANSIONS: [Expansion; 3] = [Expansion::All, Expansion::One, Expansion::Evaluated];

#[test]
fn monte_carlo_search_finds_what_decides_the_game() {
    for (fen, best) in [
        // The capture of the king wins by points, that of the pawn beside it does not.
        ("k4/1P3/5/5/5/5/K3* w 0 3 9", "b6a7"),
        // The capture of the king draws, that of the rook leaves bare kings and a loss.
        ("k1r2/1P3/5/5/5/5/K4 w 0 9 9", "b6a7"),
        ("5/5/5/3k1/R1r2/5/K4 w 3 3 9", "a3c3"),
    ] {
        let line = (TucChess::from_fen(fen).unwrap(), GameHistory::new());
        let (found, reports) = sample(&line, &Options::default(), &Limits::nodes(100_000), 1 << 20);
        assert_eq!(line.0.move_text(found.mv.unwrap()), best, "{fen}");
        let last = reports.last().unwrap();
        assert!(last.pv[0] == found.mv.unwrap() && last.depth as usize == last.pv.len());
        assert!((100_000..100_500).contains(&last.nodes) && last.nodes == found.nodes);
    }
}

#[test]
fn monte_carlo_search_is_seeded_and_keeps_to_its_memory_and_limits() {
    let line = (Neighbours::start(), GameHistory::new());
    let nodes =
        |reports: &[Report<_>]| reports.iter().map(|report| (report.nodes, report.score)).collect::<Vec<_>>();
    let limits = Limits::nodes(30_000);
    let (best, reports) = sample(&line, &seeded(7), &limits, 1 << 20);
    let (again, same) = sample(&line, &seeded(7), &limits, 1 << 20);
    assert_eq!((again, nodes(&same)), (best, nodes(&reports)));
    assert_ne!(nodes(&sample(&line, &seeded(8), &limits, 1 << 20).1), nodes(&reports));
    // The smallest tree holds the moves of the root.
    let (best, reports) = sample(&line, &seeded(7), &limits, 0);
    assert!(best.mv.is_some() && reports.iter().all(|report| report.seldepth <= 1));
    // The tree is full and does not grow.
    let (_, reports) = sample(&line, &seeded(7), &Limits::nodes(300_000), 4096);
    assert!(reports.iter().all(|report| report.hashfull <= 1000) && reports.last().unwrap().hashfull > 500);
    let (_, reports) = sample(&line, &seeded(7), &Limits::depth(3), 1 << 20);
    assert!(reports.last().unwrap().depth >= 3);
    // The game is over.
    let over = (TucChess::from_fen("5/5/5/5/R4/5/K4 b 8 0 9").unwrap(), GameHistory::new());
    assert_eq!(sample(&over, &seeded(7), &limits, 1 << 20).0.mv, None);
}

#[test]
fn monte_carlo_with_evaluation_repeats_itself_and_keeps_to_its_memory_and_limits() {
    let line = (Amazons::start(), GameHistory::new());
    let scores = |reports: &[Report<<Amazons as Game>::Move>]| {
        reports.iter().map(|report| (report.nodes, report.score)).collect::<Vec<_>>()
    };
    let options = Options::default();
    let limits = Limits::nodes(30_000);
    let (best, reports) = sample(&line, &options, &limits, 1 << 20);
    let (again, same) = sample(&line, &options, &limits, 1 << 20);
    assert_eq!((best, scores(&reports)), (again, scores(&same)));
    assert!((30_000..31_000).contains(&best.nodes));
    // The tree is full and does not grow.
    let (best, reports) = sample(&line, &options, &limits, 10_000);
    assert!(best.mv.is_some() && reports.iter().all(|report| report.hashfull <= 1000));
    assert!(reports.last().unwrap().hashfull > 500);
    // The smallest tree still gives a move.
    let (best, _) = sample(&line, &options, &limits, 0);
    assert!(best.mv.is_some_and(|mv| line.0.is_legal(mv)));
    // The widest node has `Width` moves. In the smallest tree that is the root only.
    let narrow = Options { width: 1, ..Options::default() };
    let (_, reports) = sample(&line, &narrow, &limits, 1 << 20);
    assert!(reports.last().unwrap().depth > 20, "one move leads to the next");
}

#[test]
fn end_games_are_proved_as_by_minimax_and_by_the_other_search() {
    let mut wins = 0;
    let end_games = end_games(8, 4..=8, 500).filter(|(_, position, _)| !position.is_terminal());
    for (fen, position, value) in end_games.take(40) {
        let line = (position, GameHistory::new());
        let is_right = |reports: &[Report<_>]| {
            let score = reports.last().unwrap().score;
            score.mate_distance().is_some() && (score > Score::DRAW) == (value > 0)
        };
        for expansion in [Expansion::All, Expansion::One] {
            let (_, reports) = sample(&line, &expanding(expansion), &Limits::nodes(2_000_000), 1 << 25);
            assert!(is_right(&reports), "{expansion:?}: {:?} in {fen}", reports.last().unwrap().score);
        }
        let (_, reports) = find(&line, SearchMode::Pvs, false, 1, &Limits::depth(10));
        assert!(is_right(&reports), "pvs in {fen}");
        wins += u32::from(value > 0);
    }
    assert!((8..32).contains(&wins), "{wins} wins");
}

#[test]
fn a_proven_mate_is_as_long_as_it_says() {
    // Mates in one and two, and a loss in one.
    for (fen, plies) in [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1),
        ("7k/8/5K2/8/8/8/8/R7 w - - 0 1", 3),
        ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", 2),
    ] {
        let line = (Chess::from_fen(fen).unwrap(), GameHistory::new());
        let (_, reports) = sample(&line, &expanding(Expansion::All), &Limits::nodes(3_000_000), 1 << 24);
        let report = reports.last().unwrap();
        assert!(
            report.score.mate_distance().is_some_and(|found| found >= plies),
            "{:?} in {fen}",
            report.score
        );
        assert_eq!(report.score > Score::DRAW, plies % 2 == 1, "{fen}");
        assert!(report.nodes < 3_000_000, "the proof ends the search: {fen}");
        let without = MctsOptions { prove: false, expansion: Some(Expansion::All), ..MctsOptions::default() };
        let (_, reports) = sample(&line, &with(without), &Limits::nodes(50_000), 1 << 24);
        assert_eq!(reports.last().unwrap().score.mate_distance(), None);
    }
}

#[test]
fn all_ways_to_search_find_a_mate() {
    let line = (Chess::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").unwrap(), GameHistory::new());
    for expansion in EXPANSIONS {
        for selection in [Selection::Uct, Selection::Puct] {
            for (playout_plies, epsilon) in [(None, 100), (Some(0), 100), (Some(4), 100), (Some(4), 20)] {
                for prove in [true, false] {
                    let mcts = MctsOptions {
                        expansion: Some(expansion),
                        selection,
                        playout_plies,
                        epsilon,
                        prove,
                        ..MctsOptions::default()
                    };
                    let (best, _) = sample(&line, &with(mcts.clone()), &Limits::nodes(30_000), 1 << 22);
                    let best = line.0.move_text(best.mv.unwrap());
                    assert_eq!(best, "a1a8", "{mcts:?}");
                }
            }
        }
    }
}

#[test]
fn every_expansion_keeps_to_its_memory_in_every_game() {
    fn check<G: Playable>() {
        for line in random_lines::<G>(4, 40) {
            for expansion in EXPANSIONS {
                let (best, reports) = sample(&line, &expanding(expansion), &Limits::nodes(40_000), 20_000);
                assert!(best.mv.is_some_and(|mv| line.0.is_legal(mv)), "{}", line.0.fen());
                assert!(reports.iter().all(|report| report.hashfull <= 1000));
            }
        }
    }
    check::<Neighbours>();
    check::<Chess>();
    check::<TucChess>();
    check::<Amazons>();
}

/// The position and history after some more moves.
fn play_on<G: Game>((position, history): &Line<G>, moves: &[G::Move]) -> Line<G> {
    let (mut position, mut history) = (position.clone(), history.clone());
    for &mv in moves {
        history.push(&position);
        position.play(mv);
    }
    (position, history)
}

#[test]
fn the_subtree_below_played_moves_is_kept() {
    for expansion in EXPANSIONS {
        let line = random_game::<Neighbours>(3, 6, |_, _| {});
        let options = expanding(expansion);
        let mut tree = Tree::new(1 << 24);
        let limits = Limits::nodes(200_000);
        let (_, reports) = sample_in(&mut tree, &line, &options, &limits);
        let played = &reports.last().unwrap().pv[..2];
        let later = play_on(&line, played);
        let simulations = |reports: &[Report<_>]| reports[0].visits.unwrap().simulations;
        // With the same tree, with a new one, and with that of another game.
        let (best, kept) = sample_in(&mut tree, &later, &options, &limits);
        let (_, fresh) = sample(&later, &options, &limits, 1 << 24);
        let other = play_on(&random_game::<Neighbours>(4, 6, |_, _| {}), &[]);
        let mut strange = Tree::new(1 << 24);
        sample_in(&mut strange, &other, &options, &limits);
        let (_, forgotten) = sample_in(&mut strange, &later, &options, &limits);
        assert!(
            simulations(&kept) > 10 * simulations(&fresh),
            "{expansion:?}: {} {}",
            simulations(&kept),
            simulations(&fresh)
        );
        assert_eq!(simulations(&forgotten), simulations(&fresh));
        assert!(best.mv.is_some_and(|mv| later.0.is_legal(mv)));
        let line_is_legal = kept.iter().all(|report| {
            let mut position = later.0;
            report.pv.iter().all(|&mv| {
                let legal = position.is_legal(mv);
                position.play(mv);
                legal
            })
        });
        assert!(line_is_legal, "{expansion:?}");
        let off = MctsOptions { keep_tree: false, ..options.mcts.clone() };
        sample_in(&mut tree, &line, &with(off.clone()), &limits);
        assert_eq!(simulations(&sample_in(&mut tree, &later, &with(off), &limits).1), simulations(&fresh));
    }
}

/// The best move of a Monte Carlo search in a tree that holds an earlier one, and its last score.
fn best_in(tree: &mut Tree<Chess>, line: &Line<Chess>) -> (String, Score, u64) {
    let options = expanding(Expansion::All);
    let (best, reports) = sample_in(tree, line, &options, &Limits::nodes(100_000));
    (line.0.move_text(best.mv.unwrap()), reports.last().unwrap().score, best.nodes)
}

#[test]
fn a_tree_among_some_moves_is_not_kept() {
    let (position, history) =
        (Chess::from_fen("7k/8/5K2/8/8/8/8/6R1 w - - 0 1").unwrap(), GameHistory::new());
    let moves = [position.parse_move("g1g2").unwrap()];
    let (evaluator, options) = (Linear::shipped(0).unwrap(), expanding(Expansion::All));
    let limits = Limits::nodes(10_000);
    let mut input = SearchInput::new(&position, &history, &evaluator, &options, &limits);
    input.root_moves = Some(&moves);
    let mut tree = Tree::new(1 << 24);
    let best = monte_carlo(&input, &mut tree, 1, None, &Control::default(), &mut |_: Report<_>| {});
    assert_eq!(best.mv, Some(moves[0]));
    let (best, score, _) = best_in(&mut tree, &(position, history));
    assert_eq!((best.as_str(), score), ("f6f7", Score::mate_in(3)));
}

#[test]
fn proofs_are_not_kept_for_another_halfmove_clock() {
    let at = |clock| {
        let fen = format!("7k/8/5K2/8/8/8/8/6R1 w - - {clock} 80");
        (Chess::from_fen(&fen).unwrap(), GameHistory::new())
    };
    let mut tree = Tree::new(1 << 24);
    for (clock, expected) in [(0, Score::mate_in(3)), (98, Score::DRAW), (97, Score::mate_in(3))] {
        assert_eq!(best_in(&mut tree, &at(clock)).1, expected, "{clock}");
    }
}

#[test]
fn a_kept_position_is_searched_after_a_draw_by_rule() {
    // The hundredth ply without progress, and the third time that the position is there.
    for (clock, moves) in [(98, "b4a4 d1e1"), (0, "b4a4 d1e1 a4b4 e1d1 b4a4 d1e1 a4b4 e1d1")] {
        let fen = format!("6k1/5ppp/8/8/1q6/8/5PPP/3R2K1 b - - {clock} 60");
        let mut line = (Chess::from_fen(&fen).unwrap(), GameHistory::new());
        let mut tree = Tree::new(1 << 26);
        for pair in moves.split(' ').collect::<Vec<_>>().chunks(2) {
            let (_, _, nodes) = best_in(&mut tree, &line);
            assert!(nodes >= 100_000, "{clock}");
            for mv in pair {
                line = play_on(&line, &[line.0.parse_move(mv).unwrap()]);
            }
        }
        assert!(line.1.outcome(&line.0).is_some_and(|outcome| outcome.winner.is_none()), "{clock}");
        let (_, _, nodes) = best_in(&mut tree, &line);
        assert!(nodes >= 100_000, "{clock}: {nodes}");
    }
}

/// A search of a position with these options: its best move, and its last report.
fn last_of<G: Playable>(fen: &str, options: &Options, limits: &Limits) -> (String, Report<G::Move>, u64) {
    let line: Line<G> = (G::from_fen(fen).unwrap(), GameHistory::new());
    let (best, reports) = sample(&line, options, limits, 1 << 20);
    (line.0.move_text(best.mv.unwrap()), reports.into_iter().last().unwrap(), best.nodes)
}

#[test]
fn a_move_that_loses_is_not_played_where_others_are_open() {
    let puct = with(MctsOptions { selection: Selection::Puct, ..MctsOptions::default() });
    for nodes in 1..60 {
        let fen = "8/5P2/4p3/8/1pP5/6p1/1P1p4/8 w 95 60";
        let (best, report, _) = last_of::<Neighbours>(fen, &puct, &Limits::nodes(nodes));
        assert!(
            best != "f7e6" || report.score.mate_distance().is_none(),
            "{nodes}: {best} {:?}",
            report.score
        );
    }
    // Of two candidates, both lose, and the move that wins is none.
    let narrow = Options { width: 2, ..expanding(Expansion::Evaluated) };
    let (_, report, _) = last_of::<Amazons>("***2/1**q1/***Q*/*2** w - - 0 1", &narrow, &Limits::nodes(300));
    assert_eq!(report.score.mate_distance(), None, "{:?}", report.score);
}

#[test]
fn a_search_by_depth_ends_where_its_line_does() {
    let depth = Limits::depth(5);
    // The capture of the king, a draw by the clock, a mate, and a full tree.
    let (_, report, _) = last_of::<TucChess>("k4/R4/5/5/5/5/4K w 0 0 1", &Options::default(), &depth);
    assert_eq!(report.pv.len(), 1);
    let fen = "3p4/8/3P4/1ppP4/8/8/8/8 b 98 60";
    assert!(last_of::<Neighbours>(fen, &Options::default(), &depth).1.pv.len() < 5);
    let unproven = with(MctsOptions { prove: false, ..MctsOptions::default() });
    assert!(last_of::<Chess>("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1", &unproven, &depth).1.pv.len() < 5);
    let line = (Chess::start(), GameHistory::new());
    let (_, reports) = sample(&line, &Options::default(), &Limits::depth(40), 1 << 16);
    assert!(reports.last().unwrap().hashfull > 900);
}

#[test]
fn threads_share_the_node_limit() {
    let line = (Chess::start(), GameHistory::new());
    let mcts = MctsOptions { selection: Selection::Puct, playout_plies: Some(0), ..MctsOptions::default() };
    let (options, evaluator, limits) = (with(mcts), Linear::shipped(0).unwrap(), Limits::nodes(100));
    for _ in 0..20 {
        let input = SearchInput::new(&line.0, &line.1, &evaluator, &options, &limits);
        let mut tree = Tree::new(1 << 20);
        let best = monte_carlo(&input, &mut tree, 4, None, &Control::default(), &mut |_: Report<_>| {});
        assert!(best.nodes < 600, "{}", best.nodes);
    }
}

#[test]
fn a_single_move_is_played_at_once_on_the_clock() {
    let clock = Some(Clock { remaining: Duration::from_secs(60), increment: Duration::ZERO });
    let limits = Limits { clocks: [clock; 2], ..Limits::none() };
    let (best, _, nodes) = last_of::<Chess>("6k1/8/8/8/8/8/r7/7K w - - 0 1", &Options::default(), &limits);
    assert!(best == "h1g1" && nodes < 10_000, "{best}: {nodes}");
}

/// An evaluation that stops the search at one of its calls, and counts those that follow.
struct Stopping<'a, G: Game> {
    evaluator: Linear<G>,
    at: u64,
    control: &'a Control,
    calls: AtomicU64,
}

impl<G: Playable> Evaluator<G> for Stopping<'_, G> {
    type State = ();

    fn reset(&self, position: &G, state: &mut ()) {
        self.evaluator.reset(position, state);
    }

    fn update(&self, parent: &G, from: &(), child: &G, to: &mut ()) {
        self.evaluator.update(parent, from, child, to);
    }

    fn evaluate(&self, position: &G, state: &()) -> Score {
        if self.calls.fetch_add(1, Ordering::Relaxed) == self.at {
            self.control.stop();
        }
        self.evaluator.evaluate(position, state)
    }

    fn scale(&self) -> Scale {
        self.evaluator.scale()
    }
}

/// Positions that a search evaluates after it has been stopped, the most for several places to stop it.
fn late_evaluations(
    options: &Options,
    search: impl Fn(&SearchInput<Amazons, Stopping<Amazons>>, &Control),
) -> u64 {
    let (position, history) = (&Amazons::start(), &GameHistory::new());
    let late = [50, 4_000, 9_000].map(|at| {
        let control = Control::default();
        let evaluator = Linear::shipped(0).unwrap();
        let evaluator = &Stopping { evaluator, at, control: &control, calls: AtomicU64::new(0) };
        let limits = &Limits::none();
        search(&SearchInput::new(position, history, evaluator, options, limits), &control);
        evaluator.calls.load(Ordering::Relaxed) - at
    });
    late.into_iter().max().unwrap()
}

/// The moves of Amazons at its start, which the MSD filter rates and which may have to be looked at once to
/// have an answer, and the steps in which an end is noticed.
const SOON: u64 = 2 * 2_176 + 200;

#[test]
fn a_stopped_simulation_ends_at_once() {
    let puct = MctsOptions { selection: Selection::Puct, ..MctsOptions::default() };
    let gumbel = MctsOptions { root_selection: RootSelection::Gumbel, ..puct.clone() };
    for mcts in [
        MctsOptions { batch: 512, ..puct.clone() },
        MctsOptions { batch: 512, ..gumbel },
        MctsOptions { batch: 512, ..MctsOptions::default() },
        MctsOptions { playout_plies: Some(1_000), epsilon: 0, ..puct },
        MctsOptions { playout_plies: Some(1_000), epsilon: 0, batch: 512, ..MctsOptions::default() },
        MctsOptions {
            playout_plies: Some(1_000),
            epsilon: 50,
            expansion: Some(Expansion::One),
            ..MctsOptions::default()
        },
    ] {
        let msd = MsdOptions { keep_rate: 50, ..MsdOptions::default() };
        for options in [with(mcts.clone()), Options { msd, ..with(mcts.clone()) }] {
            for threads in [1, 4] {
                let late = late_evaluations(&options, |input, control| {
                    let mut tree = Tree::new(1 << 22);
                    let best = monte_carlo(input, &mut tree, threads, None, control, &mut |_: Report<_>| {});
                    assert!(best.mv.is_some_and(|mv| input.position.is_legal(mv)));
                });
                assert!(late < SOON, "{late} evaluations after the end: {options:?}");
            }
        }
    }
    // Random playouts evaluate nothing on their way.
    let control = Control::default();
    control.stop();
    let options = with(MctsOptions { playout_plies: Some(1_000), batch: 512, ..MctsOptions::default() });
    let (position, history, evaluator) = (Amazons::start(), GameHistory::new(), Linear::shipped(0).unwrap());
    let limits = Limits::none();
    let input = SearchInput::new(&position, &history, &evaluator, &options, &limits);
    let best = monte_carlo(&input, &mut Tree::new(1 << 22), 1, None, &control, &mut |_: Report<_>| {});
    assert!(best.mv.is_some() && best.nodes < SOON, "{}", best.nodes);
}

#[test]
fn a_stopped_search_by_depth_ends_at_once() {
    let msd = MsdOptions { keep_rate: 50, volatile_plies: 2, ..MsdOptions::default() };
    for selective in [true, false] {
        for options in [Options::default(), Options { msd: msd.clone(), ..Options::default() }] {
            let options = Options { selective, ..options };
            for mode in [
                SearchMode::Pvs,
                SearchMode::Mtdf,
                SearchMode::AlphaBeta,
                SearchMode::Minimax,
                SearchMode::Expectiminimax,
            ] {
                for threads in [1, 4] {
                    let late = late_evaluations(&options, |input, control| {
                        let table = TranspositionTable::new(1).unwrap();
                        let mut heuristics = vec![Heuristics::new(); threads];
                        let best = search(input, mode, &table, &mut heuristics, control, &mut |_| {});
                        assert!(best.mv.is_some_and(|mv| input.position.is_legal(mv)));
                    });
                    // Depth 1 may have to be finished, which takes as many.
                    assert!(late < 2 * SOON, "{late} evaluations after the end: {mode:?}, {options:?}");
                }
            }
        }
    }
}

/// A leaf evaluator that prefers the last move and gives all positions the same value.
struct Last;

impl LeafEvaluator<Neighbours> for Last {
    fn evaluate_leaves(&self, leaves: &mut [Leaf<Neighbours>], _: &mut dyn FnMut() -> bool) {
        for Leaf { moves, priors, value, .. } in leaves {
            priors.resize(moves.len(), 0.0);
            *priors.last_mut().unwrap() = 1.0;
            *value = 0.5;
        }
    }
}

#[test]
fn priors_come_from_the_leaf_evaluator() {
    let (position, history) = &random_game::<Neighbours>(1, 4, |_, _| {});
    let moves = position.moves();
    let evaluator = &Linear::shipped(0).unwrap();
    let mcts = MctsOptions { selection: Selection::Puct, exploration: Some(5_000), ..MctsOptions::default() };
    let (options, limits) = (&with(mcts), &Limits::nodes(100_000));
    let input = SearchInput::new(position, history, evaluator, options, limits);
    let found = |leaf_evaluator: Option<&dyn LeafEvaluator<Neighbours>>| {
        let mut reports = Vec::new();
        let control = Control::default();
        let mut listener = |report| reports.push(report);
        monte_carlo(&input, &mut Tree::new(1 << 22), 1, leaf_evaluator, &control, &mut listener);
        let report: Report<_> = reports.pop().unwrap();
        (report.pv[0], report.visits.unwrap())
    };
    let (mv, visits) = found(Some(&Last));
    assert_eq!(Some(&mv), moves.last());
    assert!(f64::from(visits.count) > 0.9 * f64::from(visits.simulations), "{visits:?}");
    let (_, spread) = found(None);
    assert!(f64::from(spread.count) < 0.9 * f64::from(spread.simulations), "{spread:?}");
    // Those of the evaluation are shares, the larger the better the move.
    let (occurrences, priors) = (1, Vec::new());
    let mut leaves = [Leaf { position: *position, occurrences, moves: moves.clone(), priors, value: 0.0 }];
    StaticLeaves(evaluator).evaluate_leaves(&mut leaves, &mut || false);
    let [Leaf { priors, value, .. }] = leaves;
    let score = evaluator.evaluate_position(position);
    assert!((0.0..=1.0).contains(&value) && (value > 0.5) == (score > Score::DRAW), "{value} for {score:?}");
    assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-4 && priors.len() == moves.len());
    let value = |mv: &<Neighbours as Game>::Move| {
        let mut child = *position;
        child.play(*mv);
        evaluator.evaluate_for(&child, position.side_to_move())
    };
    let best = moves.iter().map(value).max().unwrap();
    let likely = (0..moves.len()).max_by(|&one, &other| priors[one].total_cmp(&priors[other])).unwrap();
    assert_eq!(value(&moves[likely]), best);
}

#[test]
fn lines_are_processed_in_order() {
    let line = random_game::<Neighbours>(2, 8, |_, _| {});
    for by in [FinalMove::Visits, FinalMove::Value, FinalMove::Uct] {
        let mcts = MctsOptions { final_move: by, exploration: Some(700), ..MctsOptions::default() };
        let options = Options { multi_pv: 5, ..with(mcts) };
        let (best, reports) = sample(&line, &options, &Limits::nodes(100_000), 1 << 22);
        let last = &reports[reports.len() - 5..];
        assert_eq!(last.iter().map(|report| report.multipv).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(best.mv, Some(last[0].pv[0]));
        for pair in last.windows(2) {
            let (one, other) = (pair[0].visits.unwrap(), pair[1].visits.unwrap());
            // UCB1, with a constant of 0.7.
            let bound = |Visits { count, simulations, mean }: Visits| {
                mean + 1.4 * (f64::from(simulations).ln() / f64::from(count)).sqrt()
            };
            match by {
                FinalMove::Visits => assert!(one.count >= other.count),
                FinalMove::Value => assert!(one.mean >= other.mean),
                FinalMove::Uct => assert!(bound(one) >= bound(other) - 1e-9),
            }
        }
    }
}

#[test]
fn greedy_playouts_change_the_search() {
    let line = random_game::<Neighbours>(2, 8, |_, _| {});
    let nodes = |epsilon| {
        let mcts = MctsOptions { epsilon, ..MctsOptions::default() };
        let (_, reports) = sample(&line, &with(mcts), &Limits::nodes(100_000), 1 << 22);
        reports.last().unwrap().visits.unwrap()
    };
    // A greedy move evaluates all moves.
    assert!(
        nodes(100).simulations > 3 * nodes(50).simulations && nodes(50).simulations > nodes(0).simulations
    );
}

#[test]
fn threads_share_the_tree() {
    let (position, history) = &random_game::<Neighbours>(2, 8, |_, _| {});
    let evaluator = &Linear::shipped(0).unwrap();
    let (options, limits) = (&Options { multi_pv: 256, ..Options::default() }, &Limits::nodes(300_000));
    let input = SearchInput::new(position, history, evaluator, options, limits);
    for threads in [1, 2, 5] {
        let mut reports: Vec<Report<_>> = Vec::new();
        let control = Control::default();
        let mut tree = Tree::new(1 << 22);
        let best =
            monte_carlo(&input, &mut tree, threads, None, &control, &mut |report| reports.push(report));
        assert!(best.mv.is_some_and(|mv| position.is_legal(mv)) && best.nodes >= 300_000);
        let last = reports.iter().rposition(|report| report.multipv == 1).unwrap();
        let visits = reports[last..].iter().map(|report| report.visits.unwrap());
        let simulations = reports[last].visits.unwrap().simulations;
        // Each simulation passes through a move of the root.
        assert_eq!(visits.map(|visits| visits.count).sum::<u32>(), simulations);
    }
}
