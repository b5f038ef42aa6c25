//! How a move is found.
//!
//! A search takes a [`SearchInput`] (a position with its history, an evaluation, options, limits) and a
//! [`Control`] that can stop it, and reports to a [`Listener`]; it neither reads input nor prints.
//!
//! Searches by depth:
//! - `deepening`: [`search`], iterative deepening with aspiration windows and several principal variations;
//! - `pvs`: principal variation search, with `pruning`: bounds of whole nodes, and `reductions`: how deeply a
//!   move is searched; `quiescence`: its last plies; `mtdf`: MTD(f) over the same nodes;
//! - `reference`: minimax, α-β and expectiminimax as in the textbook, the yardstick of `pvs`; `expectation`:
//!   nodes whose outcome is chance's;
//! - `searcher`: the state of one thread, with `stack`: what it keeps for each ply, `root`: the moves of the
//!   root, `budget`: when it has to stop, `shared`: what the threads of a search share, `progress`: how far it
//!   has come;
//! - `deadline`: the end of a search for all of its threads; `helpers`: how threads come to help;
//! - `ordering`: the move picker; `heuristics`: killers, histories and corrections of the evaluation;
//!   `msd`: minimax selective deepening;
//! - `tablebase`: endgame tables in a search, and at its root ([`TableRoot`]);
//! - `table`: the [`TranspositionTable`]; `time`: the [`TimeManager`]; `limits`; `window`;
//! - `constants`: the table of the [`Constants`] that matches tune.
//!
//! Other searches:
//! - `mcts`: Monte Carlo tree search ([`monte_carlo`]);
//! - [`random`]: any legal move, for comparison.

mod budget;
mod constants;
mod deadline;
mod deepening;
mod expectation;
mod helpers;
mod heuristics;
mod limits;
mod margins;
mod mcts;
mod msd;
mod mtdf;
mod node;
mod ordering;
mod progress;
mod pruning;
mod pvs;
mod quiescence;
mod reductions;
mod reference;
mod root;
mod searcher;
mod shared;
mod stack;
mod table;
mod tablebase;
mod time;
mod window;

pub use constants::{Constant, Constants, EngineConstants};
pub use deepening::{Best, Listener, Report, RootMoveStatistics, RootStatistics, Visits, search};
pub use heuristics::Heuristics;
pub use limits::{Clock, Control, Limits};
pub use mcts::{
    Expansion, FinalMove, Leaf, LeafEvaluator, NetLeaves, NoiseAt, RootSelection, Sampling, Selection,
    StaticLeaves, Tree, monte_carlo,
};
pub use msd::MsdOptions;
pub use progress::Progress;
pub use table::{Bound, TranspositionTable, TtEntry};
pub use tablebase::TableRoot;
pub use time::{Delays, TimeManager};

use self::msd::MsdFilter;
use crate::eval::{Evaluator, Score};
use crate::game::{EndgameTables, GameHistory, Points, Searchable, mixed};

/// How a move is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`search`], by iterative deepening.
    Deepening(SearchMode),
    /// [`monte_carlo`].
    MonteCarlo,
    /// [`random`].
    Random,
}

/// Which search is deepened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchMode {
    /// Principal variation search with a transposition table.
    #[default]
    Pvs,
    /// MTD(f) over the same table.
    Mtdf,
    /// Plain α-β without table, tactical moves first.
    AlphaBeta,
    /// Plain minimax.
    Minimax,
    /// Expectiminimax: all outcomes of chance, in games that have chance.
    Expectiminimax,
}

/// How a search goes about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether moves may be extended, reduced or pruned. Without it the value of an iteration is the minimax
    /// value of its depth.
    pub selective: bool,
    /// How many of the best root moves get a principal variation of their own, at least 1.
    pub multi_pv: usize,
    /// At nodes of fewer plies than this from the root, a move is worth the mean over all outcomes of chance.
    /// At the others a chance event is counted by its mean.
    pub chance_plies: usize,
    /// With `selective`, moves of a node below the root that are searched at most; 0: all of them.
    pub width: usize,
    /// Options of Monte Carlo tree search.
    pub sampling: Sampling,
    /// Minimax selective deepening.
    pub msd: MsdOptions,
    /// Whether a search with a depth begins with shallower iterations.
    pub iterative: bool,
    /// The seed of everything random.
    pub seed: u64,
    /// The constants of searches by depth.
    pub constants: EngineConstants,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            selective: true,
            multi_pv: 1,
            chance_plies: 0,
            width: 0,
            sampling: Sampling::default(),
            msd: MsdOptions::default(),
            iterative: true,
            seed: 0,
            constants: EngineConstants::DEFAULT,
        }
    }
}

/// What is to be searched, and how.
#[derive(Debug)]
pub struct SearchInput<'a, G: Searchable, E> {
    /// The position to find a move in.
    pub position: &'a G,
    /// The positions before it.
    pub history: &'a GameHistory<G>,
    /// The static evaluation.
    pub evaluator: &'a E,
    /// The moves to choose from, in the order in which they are to be tried; `None`: all legal ones. Moves
    /// that are not legal are left out, so that an empty choice finds no move.
    pub root_moves: Option<&'a [G::Move]>,
    /// Endgame tables that a principal variation search probes.
    pub tables: Option<&'a dyn EndgameTables<G>>,
    /// How to go about it.
    pub options: &'a Options,
    /// When to stop.
    pub limits: &'a Limits,
}

impl<G: Searchable, E> Clone for SearchInput<'_, G, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Searchable, E> Copy for SearchInput<'_, G, E> {}

impl<'a, G: Searchable, E> SearchInput<'a, G, E> {
    /// A search among all legal moves, without endgame tables.
    pub fn new(
        position: &'a G,
        history: &'a GameHistory<G>,
        evaluator: &'a E,
        options: &'a Options,
        limits: &'a Limits,
    ) -> SearchInput<'a, G, E> {
        SearchInput { position, history, evaluator, root_moves: None, tables: None, options, limits }
    }
}

impl<G: Searchable, E: Evaluator<G>> SearchInput<'_, G, E> {
    /// The root moves: those of the caller, or those that the MSD filter keeps. A draw by repetition, by the
    /// halfmove clock or for lack of material leaves them: a client may play on until somebody claims it.
    fn moves(&self) -> Vec<G::Move> {
        let mut moves = Vec::new();
        self.position.legal_moves(&mut moves);
        if let Some(chosen) = self.root_moves {
            return chosen.iter().filter(|mv| moves.contains(mv)).copied().collect();
        }
        let Options { msd, seed, .. } = self.options;
        if msd.is_on() {
            let mut filter = MsdFilter::new(msd, self.evaluator, *seed);
            let mut state = E::State::default();
            self.evaluator.reset(self.position, &mut state);
            let volatile = self.position.in_check();
            let history = &mut self.history.clone();
            filter.keep(history, self.position, &state, 0, volatile, &mut moves, &mut || false);
        }
        moves
    }

    /// Whether the root moves of a search by depth are sorted by the static evaluation behind them.
    fn sorts_root_by_static_eval(&self) -> bool {
        G::ORDERS_BY_STATIC_EVAL && self.options.selective && self.root_moves.is_none()
    }

    /// The best of some root moves by the positions behind them alone, with its score; `None` without moves.
    /// Once `is_late` says so, the moves that are left are not looked at.
    fn best_at_once(&self, moves: &[G::Move], is_late: &mut dyn FnMut() -> bool) -> Option<(G::Move, Score)> {
        let (evaluator, position, stm) = (self.evaluator, self.position, self.position.side_to_move());
        let [mut state, mut scratch] = [E::State::default(), E::State::default()];
        evaluator.reset(position, &mut state);
        let score = |&mv: &G::Move| {
            let child = position.after(mv);
            match child.outcome() {
                None => evaluator.evaluate_child(position, &state, &child, &mut scratch, stm),
                Some(outcome) => match Points::of(outcome.winner, stm) {
                    Points::Win => Score::won_in(1),
                    Points::Draw => Score::DRAW,
                    Points::Loss => Score::lost_in(1),
                },
            }
        };
        // Of equals, the first.
        let mut number = 0;
        let in_time = moves.iter().take_while(|_| {
            number += 1;
            number == 1 || !is_late()
        });
        let scores: Vec<_> = in_time.map(score).collect();
        let best = *scores.iter().max()?;
        moves.iter().copied().zip(scores).find(|&(_, score)| score == best)
    }
}

/// Any of the root moves, by the seed, the position and the number of positions before it.
pub fn random<G: Searchable, E: Evaluator<G>>(input: &SearchInput<G, E>) -> Best<G::Move> {
    let moves = input.moves();
    let plies = input.history.past().len() as u64;
    let number = mixed(input.options.seed ^ mixed(plies)) ^ input.position.key();
    let mv = moves.get(mixed(number).checked_rem(moves.len() as u64).unwrap_or(0) as usize).copied();
    Best { mv, ponder: None, nodes: moves.len() as u64 }
}
