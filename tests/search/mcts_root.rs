//! The root of Monte Carlo tree search: its statistics, and Gumbel root selection.

use crate::common;

use common::{Line, random_game};
use labrys::engine::Playable;
use labrys::eval::Linear;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Game, GameHistory};
use labrys::search::{
    Control, Leaf, LeafEvaluator, Limits, Listener, MctsOptions, Options, Report, RootSelection,
    RootStatistics, SearchInput, Selection, Tree, monte_carlo,
};

/// Observes the reports of a search and the statistics of its root.
struct RootListener<M> {
    reports: Vec<Report<M>>,
    roots: Vec<RootStatistics<M>>,
}

impl<M: Clone> Listener<M> for RootListener<M> {
    fn report(&mut self, report: Report<M>) {
        self.reports.push(report);
    }

    fn root(&mut self, root: &RootStatistics<M>) {
        self.roots.push(root.clone());
    }
}

/// A search with its settings.
struct Search<'a, G: Playable> {
    mcts: MctsOptions,
    limits: Limits,
    threads: usize,
    seed: u64,
    leaf_evaluator: Option<&'a dyn LeafEvaluator<G>>,
}

/// The result of a search: its move, its last report, its root.
type Found<M> = (M, Report<M>, RootStatistics<M>);

impl<G: Playable> Search<'_, G> {
    fn new(mcts: MctsOptions) -> Self {
        Search { mcts, limits: Limits::none(), threads: 1, seed: 0, leaf_evaluator: None }
    }

    /// Searches in a new tree.
    fn find(&self, line: &Line<G>) -> Found<G::Move> {
        self.find_in(&mut Tree::new(1 << 22), line)
    }

    fn find_in(&self, tree: &mut Tree<G>, (position, history): &Line<G>) -> Found<G::Move> {
        let evaluator = &Linear::shipped(0).unwrap();
        let options =
            &Options { mcts: self.mcts.clone(), seed: self.seed, multi_pv: 8, ..Options::default() };
        let input = SearchInput::new(position, history, evaluator, options, &self.limits);
        let mut listener = RootListener { reports: Vec::new(), roots: Vec::new() };
        let control = Control::default();
        let best = monte_carlo(&input, tree, self.threads, self.leaf_evaluator, &control, &mut listener);
        let RootListener { mut reports, mut roots } = listener;
        assert_eq!(roots.len(), 1, "told once");
        reports.retain(|report| report.multipv == 1);
        (best.mv.unwrap(), reports.pop().unwrap(), roots.pop().unwrap())
    }
}

fn gumbel(simulations: u32, gumbel_actions: usize) -> MctsOptions {
    let (selection, root_selection) = (Selection::Puct, RootSelection::Gumbel);
    MctsOptions { selection, root_selection, simulations, gumbel_actions, ..MctsOptions::default() }
}

fn chess(fen: &str) -> Line<Chess> {
    (Chess::from_fen(fen).unwrap(), GameHistory::new())
}

fn tucchess(fen: &str) -> Line<TucChess> {
    (TucChess::from_fen(fen).unwrap(), GameHistory::new())
}

/// White is about to win.
const WIN: &str = "k4/1P3/5/5/5/5/K3* w 0 3 9";

/// The rook mates.
const MATE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";

#[test]
fn a_search_reports_its_root() {
    for selection in [Selection::Uct, Selection::Puct] {
        let (mv, report, root) =
            Search::new(MctsOptions { selection, simulations: 500, ..MctsOptions::default() })
                .find(&tucchess(WIN));
        assert_eq!(root.moves.iter().map(|of| of.visits).sum::<u32>(), 500);
        let most = root.moves.iter().map(|of| of.visits).max().unwrap();
        assert_eq!(most, report.visits.unwrap().count);
        for of in &root.moves {
            assert_eq!(of.policy, f64::from(of.visits) / 500.0);
            assert!(of.mv != mv || of.visits == most);
        }
        assert!(root.value > 0.6 && root.value <= report.visits.unwrap().mean, "{}", root.value);
    }
    // A proven result is the value.
    let search = Search { limits: Limits::nodes(30_000), ..Search::new(MctsOptions::default()) };
    assert_eq!(search.find(&chess(MATE)).2.value, 1.0);
}

/// Numbers of visits with the number of moves that have them, in descending order.
fn histogram(visits: impl Iterator<Item = u32>) -> Vec<(u32, usize)> {
    let mut visits: Vec<_> = visits.filter(|&visits| visits > 0).collect();
    visits.sort_by_key(|&visits| std::cmp::Reverse(visits));
    visits.chunk_by(|one, other| one == other).map(|equal| (equal[0], equal.len())).collect()
}

#[test]
fn halving_spends_all_simulations_and_the_same_on_all_that_are_left() {
    fn check<G: Playable>() {
        let line = random_game::<G>(2, 4, |_, _| {});
        assert!(line.0.count_moves() >= 16);
        for (simulations, actions, expected) in [
            // 16 once, 8 twice, 4 four times, 2 eight times.
            (64, 16, &[(15, 2), (7, 2), (3, 4), (1, 8)][..]),
            (32, 16, &[(4, 4), (2, 4), (1, 8)]),
            (16, 16, &[(1, 16)]),
            // The second phase is cut short.
            (20, 16, &[(2, 4), (1, 12)]),
            // Not more moves than simulations.
            (5, 16, &[(1, 5)]),
            (100, 5, &[(41, 2), (6, 3)]),
            (30, 3, &[(13, 1), (12, 1), (5, 1)]),
            (30, 2, &[(15, 2)]),
            (30, 1, &[(30, 1)]),
        ] {
            for (batch, gumbel_noise) in [(1, 0), (1, 100), (5, 0), (16, 0), (100, 100)] {
                let mcts = MctsOptions { batch, gumbel_noise, prove: false, ..gumbel(simulations, actions) };
                let search = Search::new(mcts);
                let mut tree = Tree::new(1 << 22);
                let (mv, report, first) = search.find_in(&mut tree, &line);
                let visits = histogram(first.moves.iter().map(|of| of.visits));
                assert_eq!(visits, expected, "{simulations} {actions} {batch}");
                assert!(first.moves.iter().any(|of| of.mv == mv && 2 * of.visits > expected[0].0));
                assert_eq!(report.pv[0], mv);
                // The visits of an earlier search do not count.
                let (_, report, second) = search.find_in(&mut tree, &line);
                assert_eq!(report.visits.unwrap().simulations, 2 * simulations);
                let more = second.moves.iter().zip(&first.moves).map(|(now, then)| now.visits - then.visits);
                assert_eq!(histogram(more), expected, "{simulations} {actions} {batch}, once more");
            }
        }
    }
    check::<Neighbours>();
    check::<Chess>();
}

/// A leaf evaluator with priors by the number of the move and values by the position.
struct Marked;

fn marked_prior(number: usize, moves: usize) -> f32 {
    let weight = |number: usize| [5.0, 1.0, 7.0, 3.0, 2.0][number % 5];
    weight(number) / (0..moves).map(weight).sum::<f32>()
}

fn marked_value<G: Game>(position: &G) -> f64 {
    0.4 + 0.2 * (position.key() % 1_000) as f64 / 1_000.0
}

impl<G: Game> LeafEvaluator<G> for Marked {
    fn evaluate_leaves(&self, leaves: &mut [Leaf<G>], _: &mut dyn FnMut() -> bool) {
        for Leaf { position, moves, priors, value, .. } in leaves {
            priors.extend((0..moves.len()).map(|number| marked_prior(number, moves.len())));
            *value = marked_value(position);
        }
    }
}

#[test]
fn the_improved_policy_agrees_with_the_paper() {
    let line = random_game::<Neighbours>(2, 4, |_, _| {});
    let moves = line.0.moves();
    let mcts = MctsOptions { playout_plies: Some(0), ..gumbel(4, 4) };
    let search = Search { leaf_evaluator: Some(&Marked), ..Search::new(mcts) };
    let (best, _, root) = search.find(&line);
    assert_eq!(root.moves.iter().map(|of| of.mv).collect::<Vec<_>>(), moves);
    let prior = |number| f64::from(marked_prior(number, moves.len()));
    // The value of the move, if it has been visited.
    let value = |number: usize| {
        let mut child = line.0;
        child.play(moves[number]);
        (root.moves[number].visits > 0).then(|| 1.0 - marked_value(&child))
    };
    let visited: Vec<_> = (0..moves.len()).filter(|&number| value(number).is_some()).collect();
    assert_eq!(visited.len(), 4);
    assert!(visited.iter().all(|number| number % 5 == 2), "the largest priors: {visited:?}");
    let (priors, values) = visited.iter().fold((0.0, 0.0), |(priors, values), &number| {
        (priors + prior(number), values + prior(number) * value(number).unwrap())
    });
    let mixed_value = (marked_value(&line.0) + 4.0 * values / priors) / 5.0;
    let logit = |number| f64::ln(prior(number)) + 51.0 * value(number).unwrap_or(mixed_value);
    let sum: f64 = (0..moves.len()).map(|number| logit(number).exp()).sum();
    for (number, of) in root.moves.iter().enumerate() {
        assert!((of.policy - logit(number).exp() / sum).abs() < 1e-9, "{number}: {}", of.policy);
    }
    let expected = visited.into_iter().max_by(|&one, &other| logit(one).total_cmp(&logit(other))).unwrap();
    assert_eq!(best, moves[expected]);
    assert!((root.moves.iter().map(|of| of.policy).sum::<f64>() - 1.0).abs() < 1e-9);
    let mean = moves.iter().enumerate().filter_map(|(number, _)| value(number)).sum::<f64>() / 4.0;
    assert!((root.value - mean).abs() < 1e-9);
}

/// A leaf evaluator for which all moves and positions are the same, except for some moves.
struct Favouring(&'static [&'static str]);

impl<G: Game> LeafEvaluator<G> for Favouring {
    fn evaluate_leaves(&self, leaves: &mut [Leaf<G>], _: &mut dyn FnMut() -> bool) {
        for Leaf { position, moves, priors, value, .. } in leaves {
            let is_favoured = |&mv: &G::Move| self.0.contains(&&*position.move_text(mv));
            priors.extend(moves.iter().map(|mv| if is_favoured(mv) { 1.0 } else { 1e-6 }));
            let sum: f32 = priors.iter().sum();
            priors.iter_mut().for_each(|prior| *prior /= sum);
            *value = 0.5;
        }
    }
}

#[test]
fn a_win_gets_nearly_all_of_the_policy() {
    for (prove, batch) in [(true, 1), (false, 1), (false, 8)] {
        let mcts = MctsOptions { playout_plies: Some(0), prove, batch, ..gumbel(100, 64) };
        let search = Search { leaf_evaluator: Some(&Favouring(&[])), ..Search::new(mcts) };
        let line = chess(MATE);
        let (mv, report, root) = search.find(&line);
        assert_eq!(line.0.move_text(mv), "a1a8");
        let of = root.moves.iter().find(|of| of.mv == mv).unwrap();
        assert!(of.policy > 0.99 && report.pv[0] == mv, "{}", of.policy);
        assert!((root.moves.iter().map(|of| of.policy).sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(!prove || report.score.mate_distance() == Some(1));
    }
    // In games with chance, nothing is proven.
    for noise in [0, 100] {
        let (mv, _, root) =
            Search::new(MctsOptions { gumbel_noise: noise, ..gumbel(64, 16) }).find(&tucchess(WIN));
        assert_eq!(tucchess(WIN).0.move_text(mv), "b6a7");
        assert!(root.moves.iter().all(|of| of.mv == mv || of.policy < 0.1));
    }
}

#[test]
fn a_proven_loss_is_not_played_where_there_is_another_move() {
    // The knight guards the back rank, but the leaf evaluator prefers to leave it.
    let line = chess("r5k1/5ppp/8/8/8/1N6/5PPP/6K1 w - - 0 1");
    let favourites = Favouring(&["b3c5", "b3d4", "a8a1"]);
    let (none, some, few) = (Limits::none(), Limits::nodes(9_000), Limits::nodes(3_000));
    for (simulations, actions, batch, limits) in [
        (0, 2, 1, &some),
        (300, 2, 1, &none),
        (300, 2, 8, &none),
        // It ends before the first halving.
        (3_000, 2, 1, &few),
        (300, 16, 1, &none),
        (60, 16, 8, &none),
    ] {
        let mcts = MctsOptions { playout_plies: Some(0), batch, ..gumbel(simulations, actions) };
        let limits = limits.clone();
        let search = Search { leaf_evaluator: Some(&favourites), limits, ..Search::new(mcts.clone()) };
        let (mv, report, root) = search.find(&line);
        let text = line.0.move_text(mv);
        assert!(!["b3c5", "b3d4"].contains(&&*text), "{text}");
        assert!(report.pv[0] == mv && report.score.mate_distance().is_none());
        let visits = root.moves.iter().map(|of| of.visits);
        assert!(search.limits.nodes.is_some() || visits.sum::<u32>() == simulations);
        // Without proofs, the values agree.
        let search = Search { mcts: MctsOptions { prove: false, gumbel_actions: 16, ..mcts }, ..search };
        let text = line.0.move_text(search.find(&line).0);
        assert!(!["b3c5", "b3d4"].contains(&&*text), "{text}");
    }
    // Both moves lose.
    let line = chess("7k/8/6K1/8/8/8/8/R7 b - - 0 1");
    assert!(line.0.is_legal(Search::new(gumbel(300, 16)).find(&line).0));
}

#[test]
fn gumbel_search_repeats_itself_and_its_noise_is_seeded() {
    fn check<G: Playable>() {
        let line = random_game::<G>(2, 4, |_, _| {});
        for batch in [1, 6] {
            let mcts = MctsOptions { batch, gumbel_noise: 100, ..gumbel(60, 8) };
            let found = |seed| {
                let (mv, report, root) = Search { seed, ..Search::new(mcts.clone()) }.find(&line);
                (mv, report.nodes, report.pv, root)
            };
            assert!(found(1) == found(1));
            assert!((2..9).any(|seed| found(seed).3 != found(1).3));
        }
    }
    check::<Neighbours>();
    check::<TucChess>();
}

#[test]
fn noise_samples_moves_by_their_priors() {
    let line = random_game::<Neighbours>(2, 4, |_, _| {});
    let moves = line.0.moves();
    let played = |mcts, seed| {
        let mcts = MctsOptions { playout_plies: Some(0), ..mcts };
        let search = Search { seed, leaf_evaluator: Some(&Marked), ..Search::new(mcts) };
        let mv = search.find(&line).0;
        moves.iter().position(|&other| other == mv).unwrap()
    };
    let noisy = MctsOptions { gumbel_noise: 100, ..gumbel(1, 16) };
    let most_likely =
        (0..2_000).filter(|&seed| played(noisy.clone(), seed) % 5 == 2).count() as f32 / 2_000.0;
    let likely = (0..moves.len()).filter(|number| number % 5 == 2);
    let expected: f32 = likely.map(|number| marked_prior(number, moves.len())).sum();
    assert!((most_likely - expected).abs() < 0.04, "{most_likely} for {expected}");
    // Without noise it is always the same move, whatever the temperature.
    let hot = MctsOptions { temperature: 1_000, ..gumbel(8, 8) };
    assert!((0..20).all(|seed| played(hot.clone(), seed) == played(gumbel(8, 8), 0)));
}

#[test]
fn gumbel_search_without_a_number_of_simulations_keeps_halving() {
    let line = random_game::<Neighbours>(2, 4, |_, _| {});
    let search = Search { limits: Limits::nodes(60_000), ..Search::new(gumbel(0, 8)) };
    let (mv, report, root) = search.find(&line);
    let mut visits: Vec<_> = root.moves.iter().map(|of| of.visits).filter(|&visits| visits > 0).collect();
    visits.sort_unstable();
    let simulations = report.visits.unwrap().simulations;
    assert!(visits.len() == 8 && visits.iter().sum::<u32>() == simulations, "{visits:?}");
    // Each round visits all moves, and the best ones most.
    assert!(visits[0] * 40 > simulations && visits[7] * 5 > simulations, "{visits:?}");
    assert!(report.pv[0] == mv && report.visits.unwrap().count > visits[3]);
    let search = Search { limits: Limits::nodes(30_000), ..Search::new(gumbel(0, 16)) };
    let line = chess(MATE);
    assert_eq!(line.0.move_text(search.find(&line).0), "a1a8");
    // The shortest search has a move.
    let search = Search { limits: Limits::nodes(1), ..Search::new(gumbel(0, 16)) };
    assert!(line.0.is_legal(search.find(&line).0));
}

#[test]
fn threads_share_the_halving() {
    let line = random_game::<Neighbours>(2, 4, |_, _| {});
    for (threads, batch) in [(2, 1), (5, 4)] {
        let mcts = MctsOptions { batch, ..gumbel(500, 8) };
        let (mv, report, root) = Search { threads, ..Search::new(mcts) }.find(&line);
        let visits = root.moves.iter().map(|of| of.visits).sum::<u32>();
        assert!(visits >= 500 && report.visits.unwrap().simulations <= visits);
        assert_eq!(root.moves.iter().filter(|of| of.visits > 0).count(), 8);
        let best = root.moves.iter().find(|of| of.mv == mv).unwrap();
        assert!(best.visits >= 500 / 6, "{best:?}");
    }
}
