//! The options of an engine that do more than change its settings, and how all of them are set.

use std::path::{Path, PathBuf};

use super::super::book::OpeningBook;
use super::super::options::{Getter, OPPONENT, Row, RowKind, SetResult, find, settings_rows};
use super::super::{
    Board, Engine, EvaluationKind, GameState, OptionError, OptionGroup, OptionSpec, Playable, Settings,
    SideEffect, WeightsSource,
};
use super::GameEngine;
use super::nets::EvalNetInPlay;
use crate::eval::nnue::{EvalNet, NetEvaluator};
use crate::eval::{Linear, Weights, WeightsError};
use crate::game::TableOptions;
use crate::search::{NetLeaves, Options};

/// Sets a number among the options of endgame tables.
type SetNumber = fn(&mut TableOptions, i64);

impl<G: Playable> GameEngine<G> {
    /// The options that do more than change the settings.
    fn own_rows() -> Vec<Row<GameEngine<G>>> {
        use OptionGroup::{Evaluation, General, MonteCarlo};
        let sets = G::SETS.iter().map(|set| set.name).collect();
        let row = |name, group, kind| Row { name, group, kind, value: Box::new(|_: &GameEngine<G>| None) };
        let set_name = |engine: &GameEngine<G>| Some(engine.weights().set_name().to_owned());
        let mut rows = vec![
            row(
                "Clear Hash",
                General,
                RowKind::Button { press: |engine: &mut GameEngine<G>| engine.memory.clear() },
            ),
            // Accepted without effect.
            row(OPPONENT, General, RowKind::Text { set: |_, _| Ok(Vec::new()) }),
            row("EvalFile", Evaluation, RowKind::Path { set: GameEngine::load_eval_net }),
            Row {
                value: Box::new(set_name),
                ..row(
                    "FeatureSet",
                    Evaluation,
                    RowKind::Combo {
                        values: sets,
                        description: None,
                        default: 0,
                        set: GameEngine::select_set,
                    },
                )
            },
            row("WeightsFile", Evaluation, RowKind::Path { set: GameEngine::load_weights }),
            row("NetFile", MonteCarlo, RowKind::Path { set: GameEngine::load_net }),
        ];
        rows.extend(Self::rows_of_game());
        rows
    }

    /// The options for endgame tables and opening books, if the game has any.
    fn rows_of_game() -> Vec<Row<GameEngine<G>>> {
        let row = |name, kind, value| Row { name, group: OptionGroup::General, kind, value };
        let none = || -> Getter<GameEngine<G>> { Box::new(|_| None) };
        let path = G::TABLES_OPTION
            .map(|name| row(name, RowKind::Path { set: GameEngine::<G>::open_tables }, none()));
        let mut rows: Vec<_> = path.into_iter().collect();
        if G::TABLES_HAVE_OPTIONS {
            rows.extend(Self::table_rows());
        }
        if G::HAS_BOOKS {
            let own_book = |engine: &mut GameEngine<G>, on| engine.own_book = on;
            rows.extend([
                row(
                    "OwnBook",
                    RowKind::Check { default: false, set: own_book },
                    Box::new(|engine: &GameEngine<G>| Some(engine.own_book.to_string())),
                ),
                row("BookFile", RowKind::Path { set: GameEngine::open_book }, none()),
            ]);
        }
        rows
    }

    /// The options of how endgame tables are used.
    fn table_rows() -> [Row<GameEngine<G>>; 3] {
        let default = TableOptions::default();
        let spin =
            |name, default: i64, (min, max): (i64, i64), set: SetNumber, get: fn(&TableOptions) -> i64| Row {
                name,
                group: OptionGroup::General,
                kind: RowKind::Spin {
                    default,
                    min,
                    max,
                    set: Box::new(move |engine: &mut GameEngine<G>, value| {
                        engine.change_table_options(|options| set(options, value));
                    }),
                },
                value: Box::new(move |engine: &GameEngine<G>| Some(get(&engine.table_options).to_string())),
            };
        let most = i64::from(TableOptions::MAX_MEN);
        [
            Row {
                name: "Syzygy50MoveRule",
                group: OptionGroup::General,
                kind: RowKind::Check {
                    default: default.progress_rule,
                    set: |engine: &mut GameEngine<G>, on| {
                        engine.change_table_options(|options| options.progress_rule = on);
                    },
                },
                value: Box::new(|engine: &GameEngine<G>| {
                    Some(engine.table_options.progress_rule.to_string())
                }),
            },
            spin(
                "SyzygyProbeDepth",
                default.min_depth.into(),
                (1, 100),
                |options, value| options.min_depth = value as i32,
                |options| options.min_depth.into(),
            ),
            spin(
                "SyzygyProbeLimit",
                default.max_men.into(),
                (0, most),
                |options, value| options.max_men = value as u32,
                |options| options.max_men.into(),
            ),
        ]
    }

    /// Changes how endgame tables are used.
    fn change_table_options(&mut self, change: impl FnOnce(&mut TableOptions)) {
        let before = self.table_options;
        change(&mut self.table_options);
        if self.table_options != before {
            self.apply_table_options();
        }
    }

    /// Uses the tables as the options say.
    fn apply_table_options(&mut self) {
        if let Some(tables) = &self.tables {
            self.tables = tables.with_options(self.table_options).or_else(|| self.tables.take());
        }
        // The transposition table may hold results that other options have led to.
        self.memory.clear();
    }

    /// The options that not every game has.
    pub(in super::super) fn options_of_game() -> Vec<OptionSpec> {
        let common = settings_rows(&[]);
        let rows = settings_rows(G::info().strengths).into_iter();
        let rows = rows.filter(|row| find(&common, row.name).is_none());
        let own = Self::rows_of_game().into_iter().map(|row| row.spec());
        let own = own.chain(GameState::<G>::own_row().map(|row| row.spec()));
        rows.map(|row| row.spec()).chain(own).collect()
    }

    /// The options, those of the board among them.
    pub(super) fn specs(&self) -> Vec<OptionSpec> {
        let settings = settings_rows(G::info().strengths);
        let own = Self::own_rows();
        let specs = settings.iter().map(Row::spec).chain(own.iter().map(Row::spec));
        let mut options: Vec<_> = specs.chain(self.play.option()).collect();
        options.sort_by_key(|option| option.group);
        options
    }

    /// The value of an option, see [`Engine::option_value`].
    pub(super) fn value(&self, name: &str) -> Option<String> {
        match find(&settings_rows(G::info().strengths), name) {
            Some(row) => row.value(&self.settings),
            None => match find(&Self::own_rows(), name) {
                Some(row) => row.value(self),
                None => self.play.option_value(name),
            },
        }
    }

    /// Sets an option, see [`Engine::set_option`].
    pub(super) fn set(&mut self, name: &str, value: &str) -> SetResult {
        let mut side_effects = Vec::new();
        if let Some(row) = find(&settings_rows(G::info().strengths), name) {
            let mut settings = self.settings.clone();
            row.set(&mut settings, value)?;
            self.change_settings(settings)?;
        } else if let Some(row) = find(&Self::own_rows(), name) {
            side_effects = row.set(self, value)?;
        } else {
            self.play.set_option(name, value)?;
        }
        self.memory.clear_tree();
        Ok(side_effects)
    }

    /// Replaces the weights, see [`Engine::set_weights`].
    pub(super) fn replace_weights(
        &mut self,
        source: &WeightsSource,
    ) -> Result<Vec<SideEffect>, WeightsError> {
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
        let unchecked = weights.is_unchecked().then_some(SideEffect::Unchecked);
        self.linear.set_weights(weights)?;
        let evaluation = self.select_evaluation(EvaluationKind::Linear);
        Ok(feature_set.into_iter().chain(evaluation).chain(unchecked).collect())
    }

    /// Changes the settings, and the table with its size.
    fn change_settings(&mut self, settings: Settings) -> Result<(), OptionError> {
        if settings.hash != self.settings.hash {
            self.memory.resize(settings.hash)?;
        }
        let old = std::mem::replace(&mut self.settings, settings);
        let evaluation = |settings: &Settings| (settings.evaluation, settings.is_limited());
        let search = |settings: &Settings| {
            let Options { selective, width, chance_plies, msd, constants, seed, .. } =
                settings.search.clone();
            // Moves that are rated equal are kept at random.
            let seed = msd.is_on().then_some(seed);
            (selective, width, chance_plies, msd, constants, seed)
        };
        if evaluation(&old) != evaluation(&self.settings) || search(&old) != search(&self.settings) {
            // The scores in the table are those of another evaluation, or of a search among other moves.
            self.memory.clear();
        }
        Ok(())
    }

    /// Selects a kind of evaluation whose parameters have been loaded, and clears the scores in the table.
    fn select_evaluation(&mut self, kind: EvaluationKind) -> Option<SideEffect> {
        self.memory.clear();
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

    /// Loads weights and plays by them. Without a file the shipped ones are loaded, and the kind of
    /// evaluation stays: GUIs may send all defaults.
    fn load_weights(&mut self, path: Option<&str>) -> SetResult {
        if let Some(path) = path {
            return Ok(self.set_weights(&WeightsSource::File(path.to_owned()))?);
        }
        let shipped = Linear::shipped(self.weights().set())?;
        if shipped.weights() != self.weights() {
            self.linear = shipped;
            self.memory.clear();
        }
        Ok(Vec::new())
    }

    /// Loads an evaluation net and plays by it. Without a file the shipped one is loaded, if there is one, and
    /// the kind of evaluation stays.
    fn load_eval_net(&mut self, path: Option<&str>) -> SetResult {
        let Some(path) = path.map(PathBuf::from) else {
            if self.eval_net.as_ref().is_some_and(|net| net.path.is_some()) {
                self.eval_net = EvalNetInPlay::shipped();
                self.memory.clear();
            }
            return Ok(Vec::new());
        };
        let evaluator = NetEvaluator::new(EvalNet::load::<G>(&path)?);
        self.eval_net = Some(EvalNetInPlay { evaluator, path: Some(path) });
        Ok(self.select_evaluation(EvaluationKind::Net).into_iter().collect())
    }

    /// Loads a policy/value net; none without a file.
    fn load_net(&mut self, path: Option<&str>) -> SetResult {
        self.net = path.map(|path| NetLeaves::load::<G>(Path::new(path))).transpose()?;
        Ok(Vec::new())
    }

    /// Opens endgame tables; none without a folder.
    fn open_tables(&mut self, path: Option<&str>) -> SetResult {
        let name = G::TABLES_OPTION.unwrap_or_default();
        match path {
            None if self.tables.is_none() => return Ok(Vec::new()),
            None => self.tables = None,
            Some(path) => {
                G::open_tables(&mut self.tables, path)
                    .map_err(|error| OptionError::Tables { name, error })?;
            }
        }
        // The transposition table may hold results from the tables, or evaluations of positions in them: it is
        // cleared.
        self.apply_table_options();
        Ok(Vec::new())
    }

    /// Opens an opening book; none without a file.
    fn open_book(&mut self, path: Option<&str>) -> SetResult {
        self.book = path.map(|path| OpeningBook::read(Path::new(path))).transpose()?;
        Ok(Vec::new())
    }
}
