//! The data that searches keep from one move to the next.

use super::super::options::MAX_THREADS;
use super::super::{OptionError, Playable, Settings};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::search::{
    Control, Delays, Heuristics, Listener, Method, NetLeaves, SearchInput, SearchResult, Selection,
    TranspositionTable, Tree, monte_carlo, random, search,
};

/// The data that searches keep from one move to the next. It is allocated for the first game or search, so
/// that the engine starts at once.
#[derive(Debug)]
pub(super) struct Memory<G: Game> {
    /// The transposition table of searches by depth.
    table: Option<TranspositionTable>,
    /// The tree of Monte Carlo searches. It has as much memory as the table. Only one of them exists at a
    /// time.
    tree: Option<Tree<G>>,
    /// The histories of each thread of a search by depth.
    heuristics: Vec<Heuristics<G>>,
    /// Whether a search has used the table and the histories.
    is_used: bool,
    /// Delays measured on the clock.
    pub(super) delays: Delays,
}

impl<G: Game> Default for Memory<G> {
    fn default() -> Memory<G> {
        Memory { table: None, tree: None, heuristics: Vec::new(), is_used: false, delays: Delays::default() }
    }
}

impl<G: Playable> Memory<G> {
    /// Clears the data of earlier searches.
    pub(super) fn clear(&mut self) {
        // Clearing takes as long as a quick search, and a table that no search has used is empty.
        if std::mem::take(&mut self.is_used) {
            self.table.iter_mut().for_each(TranspositionTable::clear);
            self.heuristics.iter_mut().for_each(Heuristics::clear);
        }
        self.tree = None;
    }

    /// Allocates what a search by depth needs and writes to it, so that the first move does not lose time by it.
    pub(super) fn prepare(&mut self, settings: &Settings) {
        self.table(settings);
        let old = self.heuristics.len();
        self.histories(settings).iter_mut().skip(old).for_each(Heuristics::clear);
    }

    /// The histories of the threads.
    fn histories(&mut self, settings: &Settings) -> &mut [Heuristics<G>] {
        self.heuristics.resize_with(settings.threads.min(MAX_THREADS), Heuristics::new);
        &mut self.heuristics
    }

    /// Drops the tree, as the options under which it was built have changed.
    pub(super) fn clear_tree(&mut self) {
        self.tree = None;
    }

    /// Replaces the table by one of another size. The old one is freed first, as there may not be memory for
    /// both. If there is no memory, the next search allocates one of the old size.
    pub(super) fn resize(&mut self, megabytes: usize) -> Result<(), OptionError> {
        (self.table, self.tree) = (None, None);
        self.table = Some(TranspositionTable::new(megabytes).ok_or(OptionError::Memory { megabytes })?);
        Ok(())
    }

    /// Searches for the best move by the method of the settings.
    pub(super) fn run<E: Evaluator<G>>(
        &mut self,
        settings: &Settings,
        input: SearchInput<G, E>,
        net: Option<&NetLeaves>,
        control: &Control,
        listener: &mut dyn Listener<G::Move>,
    ) -> SearchResult<G::Move> {
        let threads = settings.threads.min(MAX_THREADS);
        match settings.method {
            Method::Deepening(mode) => {
                self.tree = None;
                self.histories(settings);
                self.table(settings);
                self.is_used = true;
                let Memory { table: Some(table), heuristics, .. } = self else {
                    unreachable!("the table has just been made");
                };
                search(&input, mode, table, heuristics, control, listener)
            }
            Method::MonteCarlo => {
                self.table = None;
                let tree = self.tree.get_or_insert_with(|| Tree::new(settings.hash << 20));
                let Some(net) = net.filter(|_| input.options.mcts.selection == Selection::Puct) else {
                    return monte_carlo(&input, tree, threads, None, control, listener);
                };
                net.set_cache(settings.net_cache << 20);
                // The value of a leaf is the net's, unless playouts are requested.
                let mut options = input.options.clone();
                options.mcts.playout_plies.get_or_insert(0);
                let input = SearchInput { options: &options, ..input };
                monte_carlo(&input, tree, threads, Some(net), control, listener)
            }
            Method::Random => random(&input),
        }
    }

    /// Allocates the table if it does not exist yet.
    fn table(&mut self, settings: &Settings) {
        // Setting the size has already allocated a table of this size once.
        self.table.get_or_insert_with(|| {
            TranspositionTable::new(settings.hash).or_else(|| TranspositionTable::new(1)).expect("1 MiB")
        });
    }
}
