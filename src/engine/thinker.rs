//! The engine of one game without the game in play and without text: a search with its options, its memory
//! and its evaluation.

use std::path::Path;
use std::time::Duration;

use super::options::{self, Row, RowKind, SetResult};
use super::{EvaluationKind, OptionError, OptionSpec, Play, Settings, SideEffect, WeightsSource};
use crate::eval::{Evaluator, Linear, Weights, WeightsError};
use crate::game::{Game, Playable, Searchable};
use crate::search::{
    Best, Control, Heuristics, Limits, Listener, Method, SearchInput, TranspositionTable, Tree, monte_carlo,
    random, search,
};

/// A search of the game `G` with its options, its memory and its evaluation.
#[derive(Debug)]
pub struct Thinker<G: Game> {
    settings: Settings,
    linear: Linear<G>,
    memory: Memory<G>,
}

/// What searches keep from one move to the next. It is made for the first game or search, so that a start costs
/// nothing.
#[derive(Debug)]
struct Memory<G: Game> {
    /// The table of searches by depth.
    table: Option<TranspositionTable>,
    /// The tree of Monte Carlo searches. It has as much memory as the table, and there is one or the other.
    tree: Option<Tree<G>>,
    /// One for each thread of a search by depth; empty before the first one.
    heuristics: Vec<Heuristics<G>>,
}

impl<G: Playable> Thinker<G> {
    /// A thinker with the default feature set and its shipped weights.
    pub fn new(settings: &Settings) -> Thinker<G> {
        Thinker {
            settings: settings.clone(),
            linear: Linear::shipped(0).expect("a test reads all shipped weights"),
            memory: Memory { table: None, tree: None, heuristics: Vec::new() },
        }
    }

    /// The values of the options.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The linear evaluation.
    pub fn linear(&self) -> &Linear<G> {
        &self.linear
    }

    /// The options.
    pub fn options(&self) -> Vec<OptionSpec> {
        let (settings, own) = (self.settings_rows(), Self::own_rows());
        settings.iter().map(Row::spec).chain(own.iter().map(Row::spec)).collect()
    }

    /// Sets an option. What it has changed besides is returned, if anything.
    ///
    /// # Errors
    /// [`OptionError`] names the option or the value.
    pub fn set_option(&mut self, name: &str, value: &str) -> SetResult {
        let mut side_effect = None;
        if let Some(row) = options::find(&self.settings_rows(), name) {
            let mut settings = self.settings.clone();
            row.set(&mut settings, value)?;
            self.change_settings(settings)?;
        } else if let Some(row) = options::find(&Self::own_rows(), name) {
            side_effect = row.set(self, value)?;
        } else {
            return Err(OptionError::Unknown { name: name.to_owned() });
        }
        self.forget_tree();
        Ok(side_effect)
    }

    /// The options that change nothing but the settings.
    fn settings_rows(&self) -> Vec<Row<Settings>> {
        options::rows(self.linear.scale().strengths)
    }

    /// The options that do more than change the settings.
    fn own_rows() -> Vec<Row<Thinker<G>>> {
        let sets = G::SETS.iter().map(|set| set.name).collect();
        vec![
            Row { name: "Clear Hash", kind: RowKind::Button { press: Thinker::forget } },
            Row {
                name: "FeatureSet",
                kind: RowKind::Combo { values: sets, default: 0, set: Thinker::select_set },
            },
            Row { name: "WeightsFile", kind: RowKind::Text { set: Thinker::load_weights } },
        ]
    }

    /// Changes the settings, and the table with its size.
    fn change_settings(&mut self, settings: Settings) -> Result<(), OptionError> {
        if settings.hash != self.settings.hash {
            let table = TranspositionTable::new(settings.hash);
            self.memory.table = Some(table.ok_or(OptionError::Memory { megabytes: settings.hash })?);
        }
        self.settings = settings;
        Ok(())
    }

    /// Sets the seed of everything random in a search.
    pub fn set_seed(&mut self, seed: u64) {
        self.settings.search.seed = seed;
    }

    /// Selects a feature set. Weights of that set stay; those of another are replaced by the shipped ones.
    fn select_set(&mut self, set: usize) -> SetResult {
        let old = self.weights();
        if old.set() == set {
            return Ok(None);
        }
        let was_shipped = *old == Weights::shipped::<G>(old.set())?;
        self.linear = Linear::shipped(set)?;
        self.forget();
        Ok((!was_shipped).then_some(SideEffect::Weights { set: G::SETS[set].name }))
    }

    /// Loads weights, the shipped ones without a path.
    fn load_weights(&mut self, path: &str) -> SetResult {
        let source = match path {
            "" | "<empty>" => WeightsSource::Default,
            path => WeightsSource::File(path.to_owned()),
        };
        Ok(self.set_weights(&source)?)
    }

    /// The weights in use.
    pub fn weights(&self) -> &Weights {
        self.linear.weights()
    }

    /// Replaces the weights. A weights file selects its feature set, which is returned as a side effect where it
    /// was another one.
    ///
    /// # Errors
    /// [`WeightsError`] names the weight.
    pub fn set_weights(&mut self, source: &WeightsSource) -> Result<Option<SideEffect>, WeightsError> {
        let old = self.weights();
        let weights = match source {
            WeightsSource::Values(values) => old.with_values(values)?,
            WeightsSource::Named(pairs) => {
                old.with_named(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())))?
            }
            WeightsSource::File(path) => Weights::load::<G>(Path::new(path))?,
            WeightsSource::Default => Weights::shipped::<G>(old.set())?,
        };
        let set = weights.set_name();
        let side_effect = (weights.set() != old.set()).then_some(SideEffect::FeatureSet { set });
        self.linear.set_weights(weights)?;
        // The scores in the table are those of other weights.
        self.forget();
        Ok(side_effect)
    }

    /// Forgets what was learned in earlier searches and gets ready for one.
    pub fn new_game(&mut self) {
        self.forget();
        // Making the table takes time, which should not be that of the first move.
        if let Method::Deepening(_) = self.settings.method {
            self.memory.table(&self.settings);
        }
    }

    /// Forgets what was learned in earlier searches.
    fn forget(&mut self) {
        let Memory { table, tree, heuristics } = &mut self.memory;
        // A table that no search has used is empty, and clearing it takes as long as a quick search.
        if let Some(table) = table.as_mut().filter(|_| !heuristics.is_empty()) {
            table.clear();
        }
        *tree = None;
        heuristics.clear();
    }

    /// Forgets the tree, which belongs to the options that it has grown under.
    pub(super) fn forget_tree(&mut self) {
        self.memory.tree = None;
    }

    /// Looks for the best move in a game, among `root_moves`, or all legal moves where there are none. No move is
    /// found where there is no legal one; a draw by the rules of the game's history is played on. The options limit the search, too: overhead and strength.
    pub fn think(
        &mut self,
        game: &Play<G>,
        root_moves: Option<&[G::Move]>,
        limits: &Limits,
        control: &Control,
        listener: &mut dyn Listener<G::Move>,
    ) -> Best<G::Move> {
        let Thinker { settings, linear, memory } = self;
        let (position, history, options) = (game.position(), game.history(), &settings.search);
        // The kind of evaluation is chosen here, once a search.
        match settings.evaluation {
            EvaluationKind::Linear => {
                let input =
                    SearchInput { position, history, evaluator: &*linear, root_moves, options, limits };
                memory.search(settings, input, control, listener)
            }
        }
    }
}

impl<G: Searchable> Memory<G> {
    /// Looks for the best move, under the settings.
    fn search<E: Evaluator<G>>(
        &mut self,
        settings: &Settings,
        input: SearchInput<G, E>,
        control: &Control,
        listener: &mut dyn Listener<G::Move>,
    ) -> Best<G::Move> {
        let SearchInput { position, evaluator, limits, .. } = input;
        let enough = match settings.limit_strength {
            true => options::nodes_for(evaluator.scale().strengths, settings.elo),
            false => None,
        };
        let nodes = limits.nodes.into_iter().chain(enough).min();
        let overhead = Duration::from_millis(settings.move_overhead);
        let limits = &Limits { overhead, nodes, ..limits.clone() };
        let mut chosen = Vec::new();
        let root_moves = match settings.rules_of_thumb && input.root_moves.is_none() {
            true => {
                position.legal_moves(&mut chosen);
                position.rules_of_thumb(&mut chosen);
                Some(chosen.as_slice())
            }
            false => input.root_moves,
        };
        let input = SearchInput { root_moves, limits, ..input };
        match settings.method {
            Method::Deepening(mode) => {
                self.tree = None;
                self.heuristics.resize_with(settings.threads, Heuristics::new);
                self.table(settings);
                let Memory { table: Some(table), heuristics, .. } = self else {
                    unreachable!("the table has just been made");
                };
                search(&input, mode, table, heuristics, control, listener)
            }
            Method::MonteCarlo => {
                self.table = None;
                let tree = self.tree.get_or_insert_with(|| Tree::new(settings.hash << 20));
                monte_carlo(&input, tree, settings.threads, None, control, listener)
            }
            Method::Random => random(&input),
        }
    }

    /// Makes the table if it is not there yet.
    fn table(&mut self, settings: &Settings) {
        // The size was tried when it was set; the default size is small.
        self.table.get_or_insert_with(|| {
            TranspositionTable::new(settings.hash).or_else(|| TranspositionTable::new(1)).expect("1 MiB")
        });
    }
}
