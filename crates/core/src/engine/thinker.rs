//! The typed core of an engine: a search with its options, tables and evaluation, without a game in play.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::options::{self, MOST_THREADS, Row, RowKind, SetResult};
use super::strength::Level;
use super::{
    EvaluationInUse, EvaluationKind, OptionError, OptionGroup, OptionSpec, Play, Settings, SideEffect,
    TableBreakdown, WeightsSource,
};
use crate::eval::nnue::{EvalNet, NetBreakdown, NetEvaluator};
use crate::eval::{EvalBreakdown, Evaluator, Linear, Scale, Weights, WeightsError};
use crate::game::{
    Encoding, EndgameTables, Features, Game, InputShape, Inputs, Searchable, SharedTables, mixed,
};
use crate::nets::{NetError, NetProblem};
use crate::search::{
    Best, Control, Delays, Heuristics, Leaf, LeafEvaluator, Limits, Listener, Method, NetLeaves, SearchInput,
    Selection, TableRoot, TranspositionTable, Tree, monte_carlo, random, search,
};

/// A game that an engine can play: all traits that it requires. [`playable`](crate::playable) implements it.
pub trait Playable: Searchable + Features + Encoding + Inputs {
    /// A thinker with the shipped evaluation net, if there is one, and the default feature set with its shipped
    /// weights.
    ///
    /// Generic code is compiled in each crate that uses it, and the searches are by far the most of it: behind
    /// this function of the game they are compiled once, in the crate of the game.
    fn thinker(settings: &Settings) -> Box<dyn Thinker<Self>>;
}

/// Compiles the searches of games, so that engines can play them: implements
/// [`Playable`](crate::engine::Playable).
#[macro_export]
macro_rules! playable {
    ($($game:ty),+ $(,)?) => {$(
        impl $crate::engine::Playable for $game {
            fn thinker(settings: &$crate::engine::Settings) -> Box<dyn $crate::engine::Thinker<Self>> {
                Box::new($crate::engine::GameThinker::new(settings))
            }
        }
    )+};
}

/// A search of the game `G` with its options, tables and evaluation.
pub trait Thinker<G: Game>: Debug + Send {
    /// The values of the options.
    fn settings(&self) -> &Settings;

    /// The scale of the evaluation of a position.
    fn scale(&self, position: &G) -> Scale;

    /// The evaluation that searches of a position use.
    fn evaluation_in_use(&self, position: &G) -> EvaluationInUse;

    /// The evaluation of a position in words, with a checksum of its numbers, for records.
    fn evaluation_name(&self, position: &G) -> String;

    /// The value of a position by the evaluation net, if there is one for its board.
    fn net_breakdown(&self, position: &G) -> Option<NetBreakdown>;

    /// The endgame tables, if any.
    fn tables(&self) -> Option<&dyn EndgameTables<G>>;

    /// What the endgame tables say of a position; `None` where they do not have it.
    fn table_breakdown(&self, position: &G) -> Option<TableBreakdown>;

    /// What the policy/value net that searches use says of the position of a game before any search; `None`
    /// without one for its board.
    fn judgement(&self, game: &Play<G>) -> Option<Leaf<G>>;

    /// The options.
    fn options(&self) -> Vec<OptionSpec>;

    /// Sets an option. Returns what else has changed.
    ///
    /// # Errors
    /// [`OptionError`] names the option or the value.
    fn set_option(&mut self, name: &str, value: &str) -> SetResult;

    /// Sets the seed of everything random in a search.
    fn set_seed(&mut self, seed: u64);

    /// Replaces the policy/value net by one that is in memory already.
    fn set_net(&mut self, net: NetLeaves);

    /// Checks that the nets that searches use, if any, are for the board of a position.
    ///
    /// # Errors
    /// [`NetError`] names both boards.
    fn check_board(&self, position: &G) -> Result<(), NetError>;

    /// The weights in use.
    fn weights(&self) -> &Weights;

    /// Replaces the weights, and plays by them. Returns what else has changed: a weights file selects its
    /// feature set.
    ///
    /// # Errors
    /// [`WeightsError`] names the weight.
    fn set_weights(&mut self, source: &WeightsSource) -> Result<Vec<SideEffect>, WeightsError>;

    /// Clears the data of earlier searches and prepares for a search.
    fn new_game(&mut self);

    /// Drops the tree, as the options under which it was built have changed.
    fn forget_tree(&mut self);

    /// Searches for the best move in a game among `root_moves`, or among all legal moves if there are none.
    /// There is none where no move is legal. A net for which [`Thinker::check_board`] fails is passed over. The
    /// options for overhead and strength limit the search as well.
    fn think(
        &mut self,
        game: &Play<G>,
        root_moves: Option<&[G::Move]>,
        limits: &Limits,
        control: &Control,
        listener: &mut dyn Listener<G::Move>,
    ) -> Best<G::Move>;

    /// The linear evaluation of a position, feature by feature.
    fn eval_breakdown(&self, position: &G) -> EvalBreakdown;
}

/// [`Thinker`] for the game `G`.
#[derive(Debug)]
pub struct GameThinker<G: Game> {
    settings: Settings,
    linear: Linear<G>,
    /// The evaluation net, if there is one.
    eval_net: Option<EvalNetInPlay<G>>,
    /// The policy/value net of Monte Carlo searches by priors.
    net: Option<NetLeaves>,
    /// The endgame tables, if any.
    tables: Option<SharedTables<G>>,
    memory: Memory<G>,
}

/// An evaluation net and where it comes from.
#[derive(Debug)]
struct EvalNetInPlay<G> {
    evaluator: NetEvaluator<G>,
    /// The file that was asked for; `None` for the shipped net, which steps back on boards that it is not
    /// for.
    path: Option<PathBuf>,
}

impl<G: Playable> EvalNetInPlay<G> {
    /// The shipped net, if there is one.
    fn shipped() -> Option<EvalNetInPlay<G>> {
        let net = EvalNet::shipped::<G>()?;
        Some(EvalNetInPlay { evaluator: NetEvaluator::new(net), path: None })
    }
}

/// The evaluation net that searches of a position use, if any.
fn eval_net_in_use<'a, G: Playable>(
    settings: &Settings,
    eval_net: Option<&'a EvalNetInPlay<G>>,
    position: &G,
) -> Option<&'a EvalNetInPlay<G>> {
    let is_asked_for = settings.evaluation == EvaluationKind::Net;
    eval_net.filter(|net| is_asked_for && net.evaluator.fits(position))
}

/// The data that searches keep from one move to the next. It is allocated for the first game or search, so
/// that the engine starts at once.
#[derive(Debug)]
struct Memory<G: Game> {
    /// The transposition table of searches by depth.
    table: Option<TranspositionTable>,
    /// The tree of Monte Carlo searches. It has as much memory as the table. Only one of them exists at a
    /// time.
    tree: Option<Tree<G>>,
    /// The histories of each thread of a search by depth; empty before the first search.
    heuristics: Vec<Heuristics<G>>,
    /// What searches on a clock have learned of this machine.
    delays: Delays,
}

impl<G: Playable> GameThinker<G> {
    /// A thinker with the shipped evaluation net, if there is one, and the default feature set with its
    /// shipped weights.
    pub fn new(settings: &Settings) -> GameThinker<G> {
        GameThinker {
            settings: settings.clone(),
            linear: Linear::shipped(0).expect("a test reads all shipped weights"),
            eval_net: EvalNetInPlay::shipped(),
            net: None,
            tables: None,
            memory: Memory { table: None, tree: None, heuristics: Vec::new(), delays: Delays::default() },
        }
    }

    /// The evaluation net that searches of a position use, if any.
    fn eval_net_in_use(&self, position: &G) -> Option<&EvalNetInPlay<G>> {
        eval_net_in_use(&self.settings, self.eval_net.as_ref(), position)
    }

    /// The options that change nothing but the settings.
    fn settings_rows(&self) -> Vec<Row<Settings>> {
        options::rows(G::STRENGTHS)
    }

    /// The options that do more than change the settings.
    fn own_rows() -> Vec<Row<GameThinker<G>>> {
        use OptionGroup::{Evaluation, General, MonteCarlo};
        let sets = G::SETS.iter().map(|set| set.name).collect();
        let row = |name, group, kind| Row { name, group, kind };
        let mut rows = vec![
            row("Clear Hash", General, RowKind::Button { press: GameThinker::forget }),
            // Accepted without effect.
            row("UCI_Opponent", General, RowKind::Text { set: |_, _| Ok(Vec::new()) }),
            row("EvalFile", Evaluation, RowKind::Text { set: GameThinker::load_eval_net }),
            row(
                "FeatureSet",
                Evaluation,
                RowKind::Combo { values: sets, in_words: None, default: 0, set: GameThinker::select_set },
            ),
            row("WeightsFile", Evaluation, RowKind::Text { set: GameThinker::load_weights }),
            row("NetFile", MonteCarlo, RowKind::Text { set: GameThinker::load_net }),
        ];
        rows.extend(Self::tables_row());
        rows
    }

    /// The option for endgame tables, if the game has any.
    fn tables_row() -> Option<Row<GameThinker<G>>> {
        let kind = RowKind::Text { set: GameThinker::open_tables };
        G::TABLES_OPTION.map(|name| Row { name, group: OptionGroup::General, kind })
    }

    /// The options that not every game has.
    pub(super) fn options_of_game() -> Vec<OptionSpec> {
        let common = options::rows(&[]);
        let rows = options::rows(G::STRENGTHS).into_iter();
        let rows = rows.filter(|row| options::find(&common, row.name).is_none());
        rows.map(|row| row.spec()).chain(Self::tables_row().map(|row| row.spec())).collect()
    }

    /// Changes the settings, and the table with its size.
    fn change_settings(&mut self, settings: Settings) -> Result<(), OptionError> {
        if settings.hash != self.settings.hash {
            self.memory.resize(settings.hash)?;
        }
        let old = std::mem::replace(&mut self.settings, settings);
        let evaluation = |settings: &Settings| (settings.evaluation, settings.limit_strength);
        if evaluation(&old) != evaluation(&self.settings) {
            // The scores in the table are those of another evaluation.
            self.forget();
        }
        Ok(())
    }

    /// Selects a kind of evaluation, of which new numbers have been loaded. The scores in the table are those
    /// of others.
    fn select_evaluation(&mut self, kind: EvaluationKind) -> Option<SideEffect> {
        self.forget();
        let old = std::mem::replace(&mut self.settings.evaluation, kind);
        (old != kind && self.eval_net.is_some()).then(|| SideEffect::Evaluation { kind: kind.name() })
    }

    /// Selects a feature set. Weights of that set stay; those of another are replaced by the shipped ones.
    fn select_set(&mut self, set: usize) -> SetResult {
        let old = self.weights();
        if old.set() == set {
            return Ok(Vec::new());
        }
        let was_shipped = *old == Weights::shipped::<G>(old.set())?;
        self.linear = Linear::shipped(set)?;
        let weights = (!was_shipped).then_some(SideEffect::Weights { set: G::SETS[set].name });
        Ok(weights.into_iter().chain(self.select_evaluation(EvaluationKind::Linear)).collect())
    }

    /// Loads weights and plays by them. Without a path the shipped ones are loaded, and the kind of
    /// evaluation stays: GUIs that send all defaults mean nothing by them.
    fn load_weights(&mut self, path: &str) -> SetResult {
        match path {
            "" | "<empty>" => {
                self.linear = Linear::shipped(self.weights().set())?;
                self.forget();
                Ok(Vec::new())
            }
            path => Ok(self.set_weights(&WeightsSource::File(path.to_owned()))?),
        }
    }

    /// Loads an evaluation net and plays by it. Without a path the shipped one is loaded, if there is one,
    /// and the kind of evaluation stays.
    fn load_eval_net(&mut self, path: &str) -> SetResult {
        if let "" | "<empty>" = path {
            self.eval_net = EvalNetInPlay::shipped();
            self.forget();
            return Ok(Vec::new());
        }
        let path = PathBuf::from(path);
        let evaluator = NetEvaluator::new(EvalNet::load::<G>(&path)?);
        self.eval_net = Some(EvalNetInPlay { evaluator, path: Some(path) });
        Ok(self.select_evaluation(EvaluationKind::Net).into_iter().collect())
    }

    /// Loads a policy/value net; none without a path.
    fn load_net(&mut self, path: &str) -> SetResult {
        self.net = match path {
            "" | "<empty>" => None,
            path => Some(NetLeaves::load::<G>(Path::new(path))?),
        };
        Ok(Vec::new())
    }

    /// Opens endgame tables; none without a path.
    fn open_tables(&mut self, path: &str) -> SetResult {
        match path {
            "" | "<empty>" => self.tables = None,
            path => G::open_tables(&mut self.tables, path)
                .map_err(|error| OptionError::Tables { name: G::TABLES_OPTION.unwrap_or_default(), error })?,
        }
        // The transposition table has results of the tables, or evaluations of positions that they have.
        self.forget();
        Ok(Vec::new())
    }

    /// The net that searches use, if any.
    fn net_in_use(&self) -> Option<&NetLeaves> {
        let Settings { method, search, .. } = &self.settings;
        let is_used = *method == Method::MonteCarlo && search.sampling.selection == Selection::Puct;
        self.net.as_ref().filter(|_| is_used)
    }

    /// Clears the data of earlier searches.
    fn forget(&mut self) {
        let Memory { table, tree, heuristics, .. } = &mut self.memory;
        // Clearing takes as long as a quick search, and a table that no search has used is empty.
        if let Some(table) = table.as_mut().filter(|_| !heuristics.is_empty()) {
            table.clear();
        }
        *tree = None;
        heuristics.clear();
    }
}

impl<G: Playable> Thinker<G> for GameThinker<G> {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn scale(&self, position: &G) -> Scale {
        self.eval_net_in_use(position).map_or_else(|| self.linear.scale(), |net| net.evaluator.scale())
    }

    fn evaluation_in_use(&self, position: &G) -> EvaluationInUse {
        let Settings { method, search, .. } = &self.settings;
        let is_asked = match method {
            Method::Deepening(_) => true,
            Method::MonteCarlo => search.sampling.evaluates::<G>() || search.msd.is_on(),
            Method::Random => false,
        };
        if !is_asked {
            EvaluationInUse::Nothing
        } else if self.net_in_use().is_some_and(|net| net.check_board(position).is_ok()) {
            EvaluationInUse::PolicyNet
        } else if self.eval_net_in_use(position).is_some() {
            EvaluationInUse::Net
        } else {
            EvaluationInUse::Linear
        }
    }

    fn evaluation_name(&self, position: &G) -> String {
        match self.eval_net_in_use(position) {
            Some(net) => format!("net {:08x}", net.evaluator.net().checksum()),
            None => {
                let weights = self.weights();
                let bytes: Vec<u8> = weights.values().iter().flat_map(|value| value.to_le_bytes()).collect();
                format!("linear {} {:08x}", weights.set_name(), crc32fast::hash(&bytes))
            }
        }
    }

    fn net_breakdown(&self, position: &G) -> Option<NetBreakdown> {
        let fitting = self.eval_net.as_ref().filter(|net| net.evaluator.fits(position));
        fitting.map(|net| net.evaluator.breakdown(position))
    }

    fn tables(&self) -> Option<&dyn EndgameTables<G>> {
        self.tables.as_deref()
    }

    fn table_breakdown(&self, position: &G) -> Option<TableBreakdown> {
        let tables = self.tables.as_ref()?;
        Some(TableBreakdown { result: tables.probe(position)?, distance: tables.distance(position) })
    }

    fn judgement(&self, game: &Play<G>) -> Option<Leaf<G>> {
        let net = self.net_in_use().filter(|net| net.check_board(game.position()).is_ok())?;
        let mut leaves = [Leaf::new(game.position(), game.history())];
        net.evaluate_leaves(&mut leaves, &mut || false);
        let [leaf] = leaves;
        Some(leaf)
    }

    fn options(&self) -> Vec<OptionSpec> {
        let (settings, own) = (self.settings_rows(), Self::own_rows());
        let mut options: Vec<_> = settings.iter().map(Row::spec).chain(own.iter().map(Row::spec)).collect();
        options.sort_by_key(|option| option.group);
        options
    }

    fn set_option(&mut self, name: &str, value: &str) -> SetResult {
        let mut side_effects = Vec::new();
        if let Some(row) = options::find(&self.settings_rows(), name) {
            let mut settings = self.settings.clone();
            row.set(&mut settings, value)?;
            self.change_settings(settings)?;
        } else if let Some(row) = options::find(&Self::own_rows(), name) {
            side_effects = row.set(self, value)?;
        } else {
            return Err(OptionError::Unknown { name: name.to_owned() });
        }
        self.forget_tree();
        Ok(side_effects)
    }

    fn set_seed(&mut self, seed: u64) {
        self.settings.search.seed = seed;
    }

    fn set_net(&mut self, net: NetLeaves) {
        self.net = Some(net);
        self.forget_tree();
    }

    fn check_board(&self, position: &G) -> Result<(), NetError> {
        if let Some(EvalNetInPlay { evaluator, path: Some(path) }) = &self.eval_net
            && self.settings.evaluation == EvaluationKind::Net
            && !evaluator.fits(position)
        {
            let [net, board] = [evaluator.sizes().inputs, position.input_shape()]
                .map(|InputShape { files, ranks, .. }| (files, ranks));
            return Err(NetError::new(path, NetProblem::Board { net, board }));
        }
        self.net_in_use().map_or(Ok(()), |net| net.check_board(position))
    }

    fn weights(&self) -> &Weights {
        self.linear.weights()
    }

    fn set_weights(&mut self, source: &WeightsSource) -> Result<Vec<SideEffect>, WeightsError> {
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
        let feature_set = (weights.set() != old.set()).then_some(SideEffect::FeatureSet { set });
        self.linear.set_weights(weights)?;
        Ok(feature_set.into_iter().chain(self.select_evaluation(EvaluationKind::Linear)).collect())
    }

    fn new_game(&mut self) {
        self.forget();
        // Allocate the table now, so that the first move does not lose time by it.
        if let Method::Deepening(_) = self.settings.method {
            self.memory.table(&self.settings);
        }
    }

    fn forget_tree(&mut self) {
        self.memory.tree = None;
    }

    fn think(
        &mut self,
        game: &Play<G>,
        root_moves: Option<&[G::Move]>,
        limits: &Limits,
        control: &Control,
        listener: &mut dyn Listener<G::Move>,
    ) -> Best<G::Move> {
        let GameThinker { settings, linear, eval_net, net, tables, memory } = self;
        let (position, history, options) = (game.position(), game.history(), &settings.search);
        let net = net.as_ref().filter(|net| net.check_board(position).is_ok());
        // The levels of strength were measured without tables. A search for a mate is not content with a win,
        // and any move is any move.
        let is_without =
            settings.limit_strength || limits.mate.is_some() || settings.method == Method::Random;
        let tables = tables.as_deref().filter(|_| !is_without);
        // The kind of evaluation is chosen once per search.
        match eval_net_in_use(settings, eval_net.as_ref(), position) {
            Some(EvalNetInPlay { evaluator, .. }) => {
                let input = SearchInput { position, history, evaluator, root_moves, tables, options, limits };
                memory.search(settings, input, net, control, listener)
            }
            None => {
                let evaluator = &*linear;
                let input = SearchInput { position, history, evaluator, root_moves, tables, options, limits };
                memory.search(settings, input, net, control, listener)
            }
        }
    }

    fn eval_breakdown(&self, position: &G) -> EvalBreakdown {
        self.linear.breakdown(position)
    }
}

impl<G: Playable> Memory<G> {
    /// Searches for the best move with the current settings.
    fn search<E: Evaluator<G>>(
        &mut self,
        settings: &Settings,
        input: SearchInput<G, E>,
        net: Option<&NetLeaves>,
        control: &Control,
        listener: &mut dyn Listener<G::Move>,
    ) -> Best<G::Move> {
        let SearchInput { position, history, limits, .. } = input;
        let level = settings.limit_strength.then(|| Level::of(G::STRENGTHS, settings.elo)).flatten();
        let nodes = limits.nodes.into_iter().chain(level.map(|level| level.nodes)).min();
        let overhead = Duration::from_millis(settings.move_overhead);
        let (stm, plies) = (position.side_to_move(), history.past().len());
        let limits = Limits { overhead, nodes, ..limits.clone() };
        let limits = &self.delays.begin(&limits, stm, plies, limits.start.elapsed());
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
        let number = position.key() ^ mixed(settings.search.seed ^ mixed(history.past().len() as u64));
        if level.is_some_and(|level| level.errs(number)) {
            return random(&input);
        }
        let best = match TableRoot::of(&input) {
            None => self.run(settings, input, net, control, listener),
            Some(root) => self.run(settings, root.narrow(input), net, control, &mut root.listener(listener)),
        };
        self.delays.end(limits.start.elapsed(), control.setup(), control.longest_gap());
        best
    }

    /// Makes the table anew, of another size. The old one is freed first: there may not be room for both. Where
    /// there is no room, the next search makes one of the old size.
    fn resize(&mut self, megabytes: usize) -> Result<(), OptionError> {
        (self.table, self.tree) = (None, None);
        self.table = Some(TranspositionTable::new(megabytes).ok_or(OptionError::Memory { megabytes })?);
        Ok(())
    }

    /// Searches for the best move by the method of the settings.
    fn run<E: Evaluator<G>>(
        &mut self,
        settings: &Settings,
        input: SearchInput<G, E>,
        net: Option<&NetLeaves>,
        control: &Control,
        listener: &mut dyn Listener<G::Move>,
    ) -> Best<G::Move> {
        let threads = settings.threads.min(MOST_THREADS);
        match settings.method {
            Method::Deepening(mode) => {
                self.tree = None;
                self.heuristics.resize_with(threads, Heuristics::new);
                self.table(settings);
                let Memory { table: Some(table), heuristics, .. } = self else {
                    unreachable!("the table has just been made");
                };
                search(&input, mode, table, heuristics, control, listener)
            }
            Method::MonteCarlo => {
                self.table = None;
                let tree = self.tree.get_or_insert_with(|| Tree::new(settings.hash << 20));
                let Some(net) = net.filter(|_| input.options.sampling.selection == Selection::Puct) else {
                    return monte_carlo(&input, tree, threads, None, control, listener);
                };
                net.set_cache(settings.net_cache << 20);
                // The value of a leaf is the net's, unless playouts are asked for.
                let mut options = input.options.clone();
                options.sampling.playout_plies.get_or_insert(0);
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
