//! The reference of another search's decisions: any of its nodes, searched without any of its selectivity.

use super::input::SearchInput;
use super::limits::{Control, Deadline, TimeManager};
use super::msd::MsdOptions;
use super::observer::{Decision, Observer, Step};
use super::options::{Options, SearchMode};
use super::ordering::Heuristics;
use super::pvs::Inherited;
use super::root::Root;
use super::searcher::Searcher;
use super::table::TranspositionTable;
use super::threads::SharedState;
use super::window::Window;
use crate::eval::{Evaluator, Score};
use crate::game::Knowledge;

/// Forbids all steps that save nodes on a guess.
struct FullWidth;

impl<M> Observer<M> for FullWidth {
    fn allows(&self, _step: Step) -> bool {
        false
    }

    fn decided(&mut self, _decision: &Decision<M>) {}
}

/// A node of a search, and the question that is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<M> {
    /// The moves from the root to it; `None` is a null move.
    pub path: Vec<Option<M>>,
    /// The best of these moves is asked for; the value of the node itself if there are none.
    pub moves: Vec<M>,
    /// Plies of the search, from the node on, or after the moves.
    pub depth: i32,
    /// Depth of the iteration, which limits the extensions.
    pub iteration: usize,
}

/// Searches nodes of the tree of another search to the same depth, but full width: with the same evaluation,
/// the same draws by the history of the tree, and the same horizon (quiescence search and check extensions,
/// where the other search has them), without any other step that saves nodes on a guess.
///
/// Its table is kept from one node to the next, but no node takes a score of another depth, and nothing
/// corrects the evaluation.
pub struct Reference<'a, G: Knowledge, E> {
    input: SearchInput<'a, G, E>,
    options: Options,
    mode: SearchMode,
    table: TranspositionTable,
    heuristics: Heuristics<G>,
}

impl<'a, G: Knowledge, E: Evaluator<G>> Reference<'a, G, E> {
    /// The reference of a search with this input and mode. `None` if there is no memory for a table of this
    /// many MiB.
    pub fn new(
        input: SearchInput<'a, G, E>,
        mode: SearchMode,
        megabytes: usize,
    ) -> Option<Reference<'a, G, E>> {
        let all = MsdOptions { keep_rate: 100, keep_fall: 0, ..input.options.msd.clone() };
        let options = Options { msd: all, ..input.options.clone() };
        let mode = if mode == SearchMode::Mtdf { SearchMode::Pvs } else { mode };
        let (table, heuristics) = (TranspositionTable::new(megabytes)?, Heuristics::new());
        Some(Reference { input, options, mode, table, heuristics })
    }

    /// The value of a node for its side to move, or of the best of the moves that are asked for: exact where
    /// it lies between `low` and `high`, a bound of it otherwise; and the nodes of the search. `None` where
    /// the limits of the input, or `control`, have ended it.
    pub fn value(
        &mut self,
        node: &Node<G::Move>,
        [low, high]: [Score; 2],
        control: &Control,
    ) -> Option<(Score, u64)> {
        let Reference { input, options, mode, table, heuristics } = self;
        let input = SearchInput { options, ..*input };
        let time = TimeManager::default();
        let shared = SharedState::new(Deadline::new(control, input.limits.start, time), 1);
        let root = Root::new(input.moves());
        let mut searcher = Searcher::new(&input, *mode, root, table, heuristics, &shared, (None, FullWidth));
        searcher.iteration = node.iteration;
        for (ply, &mv) in node.path.iter().enumerate() {
            match mv {
                Some(mv) => searcher.play(ply, mv),
                None => {
                    let passed = searcher.position(ply).null_move()?;
                    searcher.play_null_move(ply, passed);
                }
            }
        }
        let ply = node.path.len();
        let mut window = Window { alpha: low, beta: high };
        let score = if node.moves.is_empty() {
            searcher.full(node.depth, window, ply)
        } else {
            let mut best = -Score::INFINITE;
            for &mv in &node.moves {
                let search = |searcher: &mut Searcher<G, E, FullWidth>, depth, window, ply| {
                    searcher.full(depth, window, ply)
                };
                best = best.max(searcher.search_move(ply, mv, node.depth, window, search));
                window.alpha = window.alpha.max(best);
                if window.alpha >= window.beta || searcher.is_stopped() {
                    break;
                }
            }
            best
        };
        (!searcher.is_stopped()).then(|| (score, searcher.budget.own_nodes()))
    }
}

impl<G: Knowledge, E: Evaluator<G>> Searcher<'_, G, E, FullWidth> {
    /// The value of the position at `ply`.
    fn full(&mut self, depth: i32, window: Window, ply: usize) -> Score {
        match self.mode {
            SearchMode::Pvs | SearchMode::Mtdf => self.pvs(depth, window, ply, Inherited::default()),
            _ => self.full_width(depth, window, ply),
        }
    }
}
