//! Helpers of several tests: random positions, a search in one call, an engine process.
#![allow(dead_code, reason = "each binary uses a part")]

pub mod bench;
#[path = "../../examples/breakthrough/game.rs"]
pub mod breakthrough;
pub mod engines;
pub mod flip;
pub mod grid;
pub mod mailbox;
pub mod minimax;
pub mod net;
pub mod port;
pub mod process;
pub mod records;
pub mod shell;
pub mod suite;

use labrys::engine::Playable;
use labrys::eval::{Linear, Score};
use labrys::game::amazons::Amazons;
use labrys::game::{Game, GameHistory, Knowledge};
use labrys::search::{
    Bound, Control, Heuristics, Limits, Options, Report, SearchInput, SearchMode, SearchResult,
    TranspositionTable, Tree, monte_carlo, search,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A position with its history.
pub type Line<G> = (G, GameHistory<G>);

/// Plays `plies` random moves from the start, or fewer if the game ends. `at` is called with every position.
pub fn random_game<G: Game>(seed: u64, plies: usize, at: impl FnMut(&G, &GameHistory<G>)) -> Line<G> {
    random_game_from(G::start(), seed, plies, at)
}

/// The same from another position.
pub fn random_game_from<G: Game>(
    mut position: G,
    seed: u64,
    plies: usize,
    mut at: impl FnMut(&G, &GameHistory<G>),
) -> Line<G> {
    let (mut random, mut history) = (StdRng::seed_from_u64(seed), GameHistory::new());
    at(&position, &history);
    for _ in 0..plies {
        let moves = position.moves();
        if moves.is_empty() {
            break;
        }
        history.push(&position);
        position.play(moves[random.random_range(0..moves.len())]);
        at(&position, &history);
    }
    (position, history)
}

/// The start positions of Amazons on the usual boards, and on some whose sides are odd or very different. All
/// boards together would take long.
pub fn amazons_starts() -> impl Iterator<Item = Amazons> {
    let choices = Amazons::info().option.unwrap().choices.iter().enumerate();
    let chosen =
        choices.filter(|(choice, name)| *choice < 12 || ["3x3", "3x11", "7x7", "11x3"].contains(name));
    chosen.map(|(choice, _)| Amazons::start_with(choice))
}

/// Positions that are not terminal, after 1 to `most` random plies.
pub fn random_lines<G: Game>(count: usize, most: usize) -> Vec<Line<G>> {
    let mut random = StdRng::seed_from_u64(count as u64);
    let mut lines = Vec::new();
    for seed in 0.. {
        if lines.len() == count {
            break;
        }
        let (position, history) = random_game::<G>(seed, random.random_range(1..=most), |_, _| {});
        if history.outcome(&position).is_none() {
            lines.push((position, history));
        }
    }
    lines
}

/// A search with a small fresh table and unusual weights. Returns its reports as well.
pub fn find<G: Playable>(
    line: &Line<G>,
    mode: SearchMode,
    selective: bool,
    multi_pv: usize,
    limits: &Limits,
) -> (SearchResult<G::Move>, Vec<Report<G::Move>>) {
    let options = Options { selective, multi_pv, ..Options::default() };
    find_with(&TranspositionTable::new(1).unwrap(), line, mode, &options, limits)
}

/// An evaluation in which every feature has a weight other than 0. Shipped weights may be 0.
pub fn heavy_evaluator<G: Knowledge>() -> Linear<G> {
    let mut evaluator = Linear::shipped(0).unwrap();
    let weights = evaluator.weights().values().iter().enumerate();
    let values: Vec<_> =
        weights.map(|(n, weight)| (weight + 0.1 * ((n + 1) % 6) as f64).to_string()).collect();
    evaluator.set_weights(evaluator.weights().with_values(&values).unwrap()).unwrap();
    evaluator
}

/// A search with a table that may hold results of other searches.
pub fn find_with<G: Playable>(
    table: &TranspositionTable,
    (position, history): &Line<G>,
    mode: SearchMode,
    options: &Options,
    limits: &Limits,
) -> (SearchResult<G::Move>, Vec<Report<G::Move>>) {
    let evaluator = heavy_evaluator();
    let input = SearchInput::new(position, history, &evaluator, options, limits);
    let mut reports = Vec::new();
    let best = search(&input, mode, table, &mut [Heuristics::new()], &Control::default(), &mut |report| {
        reports.push(report)
    });
    (best, reports)
}

/// The scores of the finished iterations, best lines only.
pub fn scores<M>(reports: &[Report<M>]) -> Vec<Score> {
    let exact = reports.iter().filter(|report| report.bound == Bound::Exact && report.multipv == 1);
    exact.map(|report| report.score).collect()
}

/// Compares the scores of every iteration. Returns the number of positions with a mate score.
pub fn compare_searches<G: Playable>(
    count: usize,
    most_plies: usize,
    depth: u32,
    modes: &[SearchMode],
) -> usize {
    let mut decided = 0;
    for line in random_lines::<G>(count, most_plies) {
        let limits = Limits::depth(depth);
        let (_, minimax) = find(&line, SearchMode::Minimax, false, 1, &limits);
        let expected = scores(&minimax);
        assert_eq!(expected.len(), depth as usize);
        for &mode in modes {
            let (_, reports) = find(&line, mode, false, 1, &limits);
            assert_eq!(scores(&reports), expected, "{mode:?} in {}", line.0.fen());
        }
        decided += usize::from(expected[expected.len() - 1].mate_distance().is_some());
    }
    decided
}

/// A Monte Carlo search in a new tree of `bytes`, with the shipped weights.
pub fn sample<G: Playable>(
    line: &Line<G>,
    options: &Options,
    limits: &Limits,
    bytes: usize,
) -> (SearchResult<G::Move>, Vec<Report<G::Move>>) {
    sample_in(&mut Tree::new(bytes), line, options, limits)
}

/// A Monte Carlo search in a tree that may hold results of earlier searches.
pub fn sample_in<G: Playable>(
    tree: &mut Tree<G>,
    (position, history): &Line<G>,
    options: &Options,
    limits: &Limits,
) -> (SearchResult<G::Move>, Vec<Report<G::Move>>) {
    let evaluator = &Linear::shipped(0).unwrap();
    let input = SearchInput::new(position, history, evaluator, options, limits);
    let mut reports = Vec::new();
    let control = Control::default();
    (monte_carlo(&input, tree, 1, None, &control, &mut |report| reports.push(report)), reports)
}
