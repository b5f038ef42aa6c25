//! The options of a search.

use super::constants::EngineConstants;
use super::msd::MsdOptions;
use crate::game::Knowledge;

/// The constant C in `Q + 2 C √(ln N / n)` (report on TUC-CHESS, §MCTS: 1/√2).
const EXPLORATION: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The constant C with children by static evaluation, which is much less noisy than a game of random moves.
const EXPLORATION_EVALUATED: f64 = 0.2;

/// The kind of search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`search`](super::search), by iterative deepening.
    Deepening(SearchMode),
    /// [`monte_carlo`](super::monte_carlo).
    MonteCarlo,
    /// [`random`](super::random).
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

/// The options of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether moves may be extended, reduced or pruned. Without it the value of an iteration is the minimax
    /// value of its depth.
    pub selective: bool,
    /// How many of the best root moves get a principal variation of their own, at least 1.
    pub multi_pv: usize,
    /// At nodes of fewer plies than this from the root, the value of a move is the mean over all outcomes of
    /// chance. Elsewhere a chance event counts by its mean outcome.
    pub chance_plies: usize,
    /// With `selective`, moves of a node below the root that are searched at most; 0: all of them.
    pub width: usize,
    /// Root moves that a search by depth searches: those that Monte Carlo simulations visit most; 0: all of
    /// them.
    pub candidates: usize,
    /// Simulations that choose them, unless a quarter of the nodes or of the time is over before.
    pub candidate_simulations: u32,
    /// Options of Monte Carlo tree search.
    pub mcts: MctsOptions,
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
            candidates: 0,
            candidate_simulations: 1_000,
            mcts: MctsOptions::default(),
            msd: MsdOptions::default(),
            iterative: true,
            seed: 0,
            constants: EngineConstants::DEFAULT,
        }
    }
}

/// Which children a node of the tree gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// All of them at its second visit.
    All,
    /// One more at each further visit, in random order.
    One,
    /// Those with the best static evaluations at the first visit, in their order, each with one virtual visit
    /// (progressive widening).
    Evaluated,
}

/// How the next child is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// UCT: the largest `Q + 2 C √(ln N / n)`.
    Uct,
    /// PUCT: the largest `Q + C P √N / (1 + n)`.
    Puct,
}

/// How a child of the root is selected, with [`Selection::Puct`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootSelection {
    /// As at every node.
    Puct,
    /// By Gumbel noise and sequential halving, which also choose the move to play.
    Gumbel,
}

/// How the move to play is chosen in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalMove {
    /// The move with the most visits.
    Visits,
    /// The move with the best mean result.
    Value,
    /// The move that the selection rates highest, as one more simulation would choose it: the rule of the
    /// report on TUC-CHESS.
    Uct,
}

/// Which priors are mixed with noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoiseAt {
    /// Those of the root, as in AlphaZero.
    Root,
    /// Those of every node that is expanded, as in the chess-zero paper.
    Leaves,
}

/// Options of Monte Carlo tree search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MctsOptions {
    /// How the next child is selected.
    pub selection: Selection,
    /// The constant C of the selection, in thousandths; `None`: the default of the expansion.
    pub exploration: Option<u32>,
    /// Which children a node gets; `None`: by static evaluation where playouts are cut, all of them
    /// elsewhere. PUCT always gives a node all of them at its first visit.
    pub expansion: Option<Expansion>,
    /// Plies of a playout before the position is evaluated; `None`: as the game has it.
    pub playout_plies: Option<u32>,
    /// ε, in percent: the share of random moves in a playout; the others are the best by static evaluation.
    pub epsilon: u32,
    /// How a child of the root is selected, with `Selection::Puct`.
    pub root_selection: RootSelection,
    /// The number of root moves that `RootSelection::Gumbel` considers, at least 1.
    pub gumbel_actions: usize,
    /// The scale of its noise, in percent; 0: no noise.
    pub gumbel_noise: u32,
    /// How the move to play is chosen in the end.
    pub final_move: FinalMove,
    /// Whether the next search keeps the subtree below the moves that have been played.
    pub keep_tree: bool,
    /// Whether proven results are backed up, in games without chance.
    pub prove: bool,
    /// The batch size: leaves that a thread evaluates together, at least 1.
    pub batch: usize,
    /// Simulations of a search; 0: as many as the limits allow.
    pub simulations: u32,
    /// Which priors are mixed with noise, with `Selection::Puct`.
    pub noise_at: NoiseAt,
    /// The share of noise in a prior, in percent; 0: no noise.
    pub noise_weight: u32,
    /// The parameter α of the Dirichlet distribution of the noise, in thousandths.
    pub noise_alpha: u32,
    /// The temperature of the first moves, in hundredths; 0: the best move is played.
    pub temperature: u32,
    /// The number of moves of each player with temperature, from the first position of the history on.
    pub temperature_moves: usize,
}

impl Default for MctsOptions {
    fn default() -> Self {
        MctsOptions {
            selection: Selection::Uct,
            exploration: None,
            expansion: None,
            playout_plies: None,
            epsilon: 100,
            root_selection: RootSelection::Puct,
            gumbel_actions: 16,
            gumbel_noise: 0,
            final_move: FinalMove::Visits,
            keep_tree: true,
            prove: true,
            batch: 1,
            simulations: 0,
            noise_at: NoiseAt::Root,
            noise_weight: 0,
            noise_alpha: 300,
            temperature: 0,
            temperature_moves: 15,
        }
    }
}

impl MctsOptions {
    /// Whether simulations use the evaluation, and not random playouts to the end.
    pub(crate) fn evaluates<G: Knowledge>(&self) -> bool {
        self.plies::<G>().is_some()
            || self.epsilon < 100
            || self.selection == Selection::Puct
            || self.expansion::<G>() == Expansion::Evaluated
    }

    /// Plies of a playout before the position is evaluated; `None` for playouts to the end of the game.
    pub(super) fn plies<G: Knowledge>(&self) -> Option<u32> {
        self.playout_plies.or(G::PLAYOUT_PLIES)
    }

    /// Which children a node gets in a game.
    pub(super) fn expansion<G: Knowledge>(&self) -> Expansion {
        let default = if self.plies::<G>().is_some() { Expansion::Evaluated } else { Expansion::All };
        match self.selection {
            Selection::Uct => self.expansion.unwrap_or(default),
            Selection::Puct => Expansion::All,
        }
    }

    /// The constant of the selection in a game.
    pub(super) fn exploration<G: Knowledge>(&self) -> f64 {
        match (self.exploration, self.expansion::<G>()) {
            (Some(thousandths), _) => f64::from(thousandths) / 1000.0,
            (None, Expansion::Evaluated) => EXPLORATION_EVALUATED,
            (None, Expansion::All | Expansion::One) => EXPLORATION,
        }
    }

    /// Whether the root has a schedule by Gumbel noise, which chooses the move to play as well.
    pub(super) fn is_by_gumbel(&self) -> bool {
        self.selection == Selection::Puct && self.root_selection == RootSelection::Gumbel
    }
}
