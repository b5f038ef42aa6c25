//! The interface between searches and evaluations: every search passes the state of the position that it
//! evaluates.

use crate::common;

use common::random_lines;
use labrys::engine::Playable;
use labrys::eval::{Evaluator, Scale, Score};
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Game, GameHistory};
use labrys::search::{
    Control, Expansion, Heuristics, Leaf, LeafEvaluator, Limits, MctsOptions, MsdOptions, Options, Report,
    SearchInput, SearchMode, SearchResult, Selection, StaticLeaves, TranspositionTable, Tree, monte_carlo,
    search,
};

/// An evaluation whose state is the key of the position. It refuses a state that belongs to another position,
/// and its values are independent of the game.
struct Keyed;

impl<G: Game> Evaluator<G> for Keyed {
    type State = Option<u64>;

    fn reset(&self, position: &G, state: &mut Option<u64>) {
        *state = Some(position.key());
    }

    fn update(&self, parent: &G, from: &Option<u64>, child: &G, to: &mut Option<u64>) {
        assert_eq!(*from, Some(parent.key()), "{} has another state", parent.fen());
        *to = Some(child.key());
    }

    fn evaluate(&self, position: &G, state: &Option<u64>) -> Score {
        assert_eq!(*state, Some(position.key()), "{} has another state", position.fen());
        Score::from_thousandths((position.key() % 4_001) as i32 - 2_000)
    }

    fn scale(&self) -> Scale {
        Scale::UNMEASURED
    }
}

/// Searches a position by depth.
fn find<G: Playable>(
    (position, history): &(G, GameHistory<G>),
    mode: SearchMode,
    options: &Options,
    limits: &Limits,
) -> (SearchResult<G::Move>, Score) {
    let input = SearchInput::new(position, history, &Keyed, options, limits);
    let table = TranspositionTable::new(1).unwrap();
    let mut score = Score::DRAW;
    let mut listener = |report: Report<_>| score = report.score;
    let best = search(&input, mode, &table, &mut [Heuristics::new()], &Control::default(), &mut listener);
    (best, score)
}

/// Searches a position with Monte Carlo tree search.
fn simulate<G: Playable>(
    (position, history): &(G, GameHistory<G>),
    mcts: MctsOptions,
    leaf_evaluator: Option<&dyn LeafEvaluator<G>>,
) -> SearchResult<G::Move> {
    let (options, limits) = (Options { mcts, ..Options::default() }, Limits::nodes(3_000));
    let input = SearchInput::new(position, history, &Keyed, &options, &limits);
    monte_carlo(&input, &mut Tree::new(1 << 20), 1, leaf_evaluator, &Control::default(), &mut |_: Report<
        _,
    >| {})
}

fn check<G: Playable>(depth: u32, nodes: u64) {
    for line in &random_lines::<G>(5, 30) {
        let plain = Options { selective: false, ..Options::default() };
        let limits = Limits::depth(depth);
        let (_, minimax) = find(line, SearchMode::Minimax, &plain, &limits);
        for mode in [SearchMode::Pvs, SearchMode::Mtdf, SearchMode::AlphaBeta] {
            assert_eq!(find(line, mode, &plain, &limits).1, minimax, "{mode:?} in {}", line.0.fen());
        }
        let msd = MsdOptions { keep_rate: 50, volatile_plies: 2, ..MsdOptions::default() };
        for options in [
            Options::default(),
            Options { chance_plies: 1, ..Options::default() },
            Options { msd, ..Options::default() },
        ] {
            for mode in [SearchMode::Pvs, SearchMode::Mtdf] {
                assert!(find(line, mode, &options, &Limits::nodes(nodes)).0.mv.is_some());
            }
        }
        for expansion in [Expansion::All, Expansion::One, Expansion::Evaluated] {
            let mcts =
                MctsOptions { expansion: Some(expansion), playout_plies: Some(2), ..MctsOptions::default() };
            assert!(simulate(line, mcts, None).mv.is_some());
        }
        let puct =
            MctsOptions { selection: Selection::Puct, playout_plies: Some(0), ..MctsOptions::default() };
        assert!(simulate(line, puct, None).mv.is_some());
    }
}

#[test]
fn chess_passes_states_to_child_nodes() {
    check::<Chess>(2, 3_000);
}

#[test]
fn neighbours_passes_states_to_child_nodes() {
    check::<Neighbours>(3, 3_000);
}

#[test]
fn tucchess_passes_states_to_child_nodes() {
    check::<TucChess>(3, 3_000);
}

#[test]
fn amazons_passes_states_to_child_nodes() {
    check::<Amazons>(1, 3_000);
}

/// Evaluates leaves by a static evaluation and records the sizes of the batches.
struct Batches(std::sync::Mutex<Vec<usize>>);

impl<G: Game> LeafEvaluator<G> for Batches {
    fn evaluate_leaves(&self, leaves: &mut [Leaf<G>], is_over: &mut dyn FnMut() -> bool) {
        self.0.lock().unwrap().push(leaves.len());
        for leaf in leaves.iter() {
            assert!(!leaf.moves.is_empty() && leaf.priors.is_empty(), "{}", leaf.position.fen());
        }
        StaticLeaves(&Keyed).evaluate_leaves(leaves, is_over);
        for leaf in leaves.iter() {
            assert!((leaf.priors.iter().sum::<f32>() - 1.0).abs() < 1e-3, "{:?}", leaf.priors);
            assert!((0.0..=1.0).contains(&leaf.value), "{}", leaf.value);
        }
    }
}

#[test]
fn leaves_are_evaluated_in_batches() {
    let line = (Chess::start(), GameHistory::new());
    let found = |batch| {
        let mcts = MctsOptions {
            selection: Selection::Puct,
            playout_plies: Some(0),
            batch,
            ..MctsOptions::default()
        };
        let batches = Batches(std::sync::Mutex::default());
        let best = simulate(&line, mcts.clone(), Some(&batches));
        if batch == 1 {
            // The default evaluates leaves in the same way.
            assert_eq!(best, simulate(&line, mcts, None));
        }
        batches.0.into_inner().unwrap()
    };
    assert!(found(1).iter().all(|&leaves| leaves == 1));
    let eights = found(8);
    assert!(eights.iter().all(|&leaves| leaves <= 8));
    // The root is a batch of its own. After that, few simulations share a leaf.
    let full = eights.iter().filter(|&&leaves| leaves == 8).count();
    assert!(full > eights.len() / 2, "{eights:?}");
}
