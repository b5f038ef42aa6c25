//! Engines.
//!
//! - `access`: exclusive access of one thread at a time;
//! - `start`: starting a search;
//! - `changes`: options and weights that were set, for copies;
//! - `option`, `evaluation`: the Python classes for these.

mod access;
mod changes;
mod evaluation;
mod option;
mod start;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use labrys::engine::{self, OptionKind, OptionSpec, Settings, SideEffect, WeightsSource, registry};
use labrys::game::MoveError;
use labrys::search::Limits;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{Count, file_error, position_of, value_error};
use crate::games::{Game, is_named, value_text};
use crate::line::AnyLine;
use crate::position::{Move, Position};
use crate::rule_errors::checked;
use crate::search::{Search, SearchResult};
use crate::wait::{interruptible, lock};
use access::Access;
pub(crate) use access::forked;
use changes::{Change, Changes, PickledChange};
pub(crate) use evaluation::{_evaluation, Evaluation};
pub(crate) use option::EngineOption;
use option::value_repr;
use start::{SearchArguments, set_up, start_search};

/// The first of [`Engine::changes`]: all reports include the probabilities.
const SHOW_WDL: &str = "UCI_ShowWDL";

/// An engine: a game, options, an evaluation and a transposition table.
///
/// >>> engine = labrys.Engine("chess", hash=64, threads=2)
/// >>> engine.search(nodes=100_000).move
///
/// The game is a name or a `labrys.Game`, by default chess. Options are those of the protocol, in any case,
/// with `_` for a space.
///
/// Several threads may share an engine: one searches, the others wait. While an analysis runs, other calls by
/// the thread that started it raise `RuntimeError`, as do calls by the rules that a search calls, and by a
/// process that was forked during a search.
#[pyclass(frozen, module = "labrys")]
pub(crate) struct Engine {
    game: Game,
    access: Arc<Access>,
    /// The options that have been set, and the last weights, to repeat on a copy.
    changes: Mutex<Changes>,
}

impl Engine {
    /// The position of an argument, by default the start position.
    fn root(&self, position: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<dyn AnyLine>> {
        match position {
            Some(position) => position_of(Some(&self.game), position),
            None => checked(|| self.game.rules.start(self.game.choice)),
        }
    }

    /// Sets a position up and calls `work` with the engine.
    fn at<T: Send>(
        &self,
        py: Python<'_>,
        root: &Arc<dyn AnyLine>,
        work: impl FnOnce(&mut dyn engine::Engine) -> T + Send,
    ) -> PyResult<T> {
        self.access.with(py, |engine| set_up(engine, root).map(|()| work(engine)))?.map_err(value_error)
    }

    /// Starts a search.
    fn start(
        &self,
        position: Option<&Bound<'_, PyAny>>,
        arguments: &SearchArguments<'_, '_>,
        endless: bool,
    ) -> PyResult<Search> {
        let root = self.root(position)?;
        let limits = arguments.limits(&root)?;
        if limits == (Limits { start: limits.start, ..Limits::none() }) && !endless {
            return Err(value_error("search: expected a limit, one of: time, nodes, depth, mate, clock"));
        }
        let moves = arguments.moves(&root)?;
        start_search(&self.access, root, limits, moves)
    }

    /// An engine after some changes.
    fn after(py: Python<'_>, game: &Game, changes: Changes) -> PyResult<Engine> {
        let engine = registry::engine(game.variant(), &Settings::default()).map_err(value_error)?;
        let (game, access) = (game.clone(), Arc::new(Access::new(engine)));
        let engine = Engine { game, access, changes: Mutex::default() };
        for change in changes {
            engine.change(py, change)?;
        }
        Ok(engine)
    }

    /// Makes a change and records it for copies. Returns messages about side effects.
    fn change(&self, py: Python<'_>, change: Change) -> PyResult<Vec<String>> {
        let (reads_file, made) = match &change {
            Change::Option(name, value) => {
                let option = self.option(py, name)?;
                let is_text = option.is_some_and(|option| option.kind == OptionKind::Text);
                (is_text && !value.is_empty(), change.clone())
            }
            Change::Weights(source) => (matches!(source, WeightsSource::File(_)), change.clone()),
        };
        let make = move |engine: &mut dyn engine::Engine| -> PyResult<Vec<SideEffect>> {
            match &made {
                Change::Option(name, value) => engine.set_option(name, value).map_err(file_error),
                Change::Weights(source) => engine.set_weights(source).map_err(file_error),
            }
        };
        let effects = if reads_file {
            self.access.check()?;
            let access = Arc::clone(&self.access);
            interruptible(py, move |control| {
                let stopped = || value_error("stopped");
                let mut engine =
                    access.enter(|| if control.is_stopped() { Err(stopped()) } else { Ok(()) })?;
                make(engine.as_mut())
            })??
        } else {
            self.access.with(py, make)??
        };
        lock(&self.changes).add(change);
        Ok(effects.into_iter().map(|effect| effect.to_string()).collect())
    }

    /// One of its options, by any of its names.
    fn option(&self, py: Python<'_>, name: &str) -> PyResult<Option<OptionSpec>> {
        let variant = self.game.variant();
        self.access.with(py, |engine| {
            engine.options().into_iter().find(|option| is_named(option.name, name, variant))
        })
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (game = None, **options))]
    fn new(
        py: Python<'_>,
        game: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Engine> {
        let game = match game {
            None => Game::of_name(registry::default_name())?,
            Some(game) => match game.cast::<Game>() {
                Ok(game) => game.get().clone(),
                Err(_) => match game.extract::<&str>() {
                    Ok(name) => Game::of_name(name)?,
                    Err(_) => {
                        let found = game.get_type().name()?;
                        let text = format!("game: expected a labrys.Game or its name, not {found}");
                        return Err(PyTypeError::new_err(text));
                    }
                },
            },
        };
        let mut changes = Changes::default();
        changes.add(Change::Option(SHOW_WDL.to_owned(), "true".to_owned()));
        let engine = Engine::after(py, &game, changes)?;
        engine.set(py, options)?;
        Ok(engine)
    }

    /// The game of the engine.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// The options with their values, by their names in the protocol: a new dictionary.
    ///
    /// >>> engine.options["Hash"].value
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = self.access.with(py, |engine| {
            let options = engine.options().into_iter();
            let options = options.map(|spec| EngineOption { value: engine.option_value(spec.name), spec });
            options.collect::<Vec<_>>()
        })?;
        let options = PyDict::new(py);
        let board: BTreeMap<_, _> = self.game.value().into_iter().collect();
        for mut option in found {
            let name = option.spec.name;
            if option.spec.kind == OptionKind::Text {
                option.value = Some(lock(&self.changes).text(name));
            } else if let Some(value) = board.get(name) {
                // The engine itself has the value of the last position.
                option.value = Some((*value).to_owned());
            }
            options.set_item(name, option)?;
        }
        Ok(options)
    }

    /// Sets options, such as `engine.set(hash=64, multipv=3)`: all of them, or none if one is rejected.
    ///
    /// Raises `ValueError` if there is no such option, or it does not accept the value; `OSError`, such as
    /// `FileNotFoundError`, for a file that cannot be read.
    #[pyo3(signature = (**options))]
    fn set(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let Some(options) = options.filter(|options| !options.is_empty()) else { return Ok(()) };
        // Several options are tried on another engine first: none depends on what has been set before.
        let other = (options.len() > 1).then(|| Engine::after(py, &self.game, Changes::default()));
        for engine in other.transpose()?.iter().chain([self]) {
            for (name, value) in options {
                engine.set_option(py, name.extract()?, Some(&value))?;
            }
        }
        Ok(())
    }

    /// Sets an option by name, or presses a button. Returns messages about side effects.
    ///
    /// Raises `ValueError` if there is no such option, or it does not accept the value; `OSError`, such as
    /// `FileNotFoundError`, for a file that cannot be read.
    #[pyo3(signature = (name, value = None))]
    fn set_option(
        &self,
        py: Python<'_>,
        name: &str,
        value: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<String>> {
        let value = value.map(|value| value_text(name, value)).transpose()?.unwrap_or_default();
        let name = self.option(py, name)?.map_or(name, |option| option.name);
        if self.game.rules.info().option.is_some_and(|own| own.name == name) {
            let game = self.game.variant();
            return Err(value_error(format!(
                "option {name} is one of the game: labrys.Game(\"{game}\", {name}=…)"
            )));
        }
        self.change(py, Change::Option(name.to_owned(), value))
    }

    /// The weights of the linear evaluation by the names of the features, in units of the evaluation: a
    /// read-only copy. Assign a dictionary of some or all of them, the name of a weights file, or None for
    /// the shipped weights; from then on the engine uses the linear evaluation.
    ///
    /// >>> engine.weights = {"piecesForMe": 10.0}
    ///
    /// Raises `ValueError` for unknown weights; `OSError`, such as `FileNotFoundError`, for a file that
    /// cannot be read.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (set, values) =
            self.access.with(py, |engine| (engine.weights().set(), engine.weights().values().to_vec()))?;
        let weights = PyDict::new(py);
        for (name, value) in self.game.rules.feature_sets()[set].features.iter().zip(values) {
            weights.set_item(name, value)?;
        }
        py.import("labrys._weights")?.getattr("Weights")?.call1((weights,))
    }

    /// Sets some or all weights by name, or replaces all by those of a weights file or by the shipped ones
    /// (None), and uses the linear evaluation.
    #[setter]
    fn set_weights(&self, py: Python<'_>, weights: &Bound<'_, PyAny>) -> PyResult<()> {
        let source = if weights.is_none() {
            WeightsSource::Default
        } else if let Ok(path) = weights.extract::<PathBuf>() {
            WeightsSource::File(path.to_string_lossy().into_owned())
        } else {
            if !weights.hasattr("items")? {
                let found = weights.get_type().name()?;
                let text = format!("weights: expected a dict, the name of a file or None, not {found}");
                return Err(PyTypeError::new_err(text));
            }
            let weights: BTreeMap<String, f64> =
                PyDict::from_sequence(&weights.call_method0("items")?)?.extract()?;
            let weights = weights.into_iter().map(|(name, value)| (name, value.to_string()));
            WeightsSource::Named(weights.collect())
        };
        self.change(py, Change::Weights(source)).map(drop)
    }

    /// Searches a position, by default the start position, up to the first of several limits: `time` in
    /// seconds, `nodes`, `depth` in plies, a forced win in `mate` moves of the side to move, the time and the
    /// increment of a `clock`, both in seconds. `moves` restricts the search to these first moves, at least
    /// one; None stands for all.
    ///
    /// Ctrl-C stops it. Raises `ValueError` without a limit, and for illegal moves; `RuntimeError` if the
    /// engine cannot be used here, see `Engine`; and the errors of the rules of a game in Python.
    #[pyo3(signature = (position = None, *, time = None, nodes = None, depth = None, mate = None,
        clock = None, moves = None))]
    #[expect(clippy::too_many_arguments)]
    fn search(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
        nodes: Option<Count<u64>>,
        depth: Option<Count<u32>>,
        mate: Option<Count<u32>>,
        clock: Option<(f64, f64)>,
        moves: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<SearchResult>> {
        self.start(position, &SearchArguments { time, nodes, depth, mate, clock, moves }, false)?.wait(py)
    }

    /// Starts a search with the arguments of `search` and returns at once: an iterator over its reports.
    /// Without limits it runs until it is stopped. Until it ends, other calls by this thread raise
    /// `RuntimeError`.
    #[pyo3(signature = (position = None, *, time = None, nodes = None, depth = None, mate = None,
        clock = None, moves = None))]
    #[expect(clippy::too_many_arguments)]
    fn analyse(
        &self,
        position: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
        nodes: Option<Count<u64>>,
        depth: Option<Count<u32>>,
        mate: Option<Count<u32>>,
        clock: Option<(f64, f64)>,
        moves: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Search> {
        self.start(position, &SearchArguments { time, nodes, depth, mate, clock, moves }, true)
    }

    /// Stops the searches of this engine, from any thread.
    fn stop(&self) {
        self.access.stop();
    }

    /// Clears the results of earlier searches.
    fn new_game(&self, py: Python<'_>) -> PyResult<()> {
        self.access.with(py, |engine| engine.new_game())
    }

    /// The static evaluation of a position, by default the start position, for the side to move, without a
    /// search.
    #[pyo3(signature = (position = None))]
    fn evaluate(&self, py: Python<'_>, position: Option<&Bound<'_, PyAny>>) -> PyResult<Evaluation> {
        let root = self.root(position)?;
        self.at(py, &root, |engine| Evaluation::of(engine))
    }

    /// The legal moves in a position, by default the start position, with their probabilities by the
    /// policy/value net without a search, which sum to 1, the most probable first; None unless searches use
    /// such a net.
    #[pyo3(signature = (position = None))]
    fn policy(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Vec<(Move, f32)>>> {
        let root = self.root(position)?;
        let Some(policy) = self.at(py, &root, |engine| engine.policy_breakdown())? else { return Ok(None) };
        let shared = Py::new(py, Position { line: Arc::clone(&root) })?;
        let moves = policy.moves.into_iter().map(|prior| {
            let bits = root.parse(&prior.mv)?;
            Ok((Move::of(Arc::clone(&root), bits, shared.clone_ref(py)), prior.prior))
        });
        Ok(Some(moves.collect::<Result<_, MoveError>>().map_err(value_error)?))
    }

    /// The call that creates it, but for its weights.
    fn __repr__(&self) -> String {
        let mut fields = vec![self.game.plain_repr()];
        let changes = lock(&self.changes).clone();
        let options: Vec<_> = changes.options().filter(|&(name, _)| name != SHOW_WDL).collect();
        for (place, &(name, value)) in options.iter().enumerate() {
            // Only the last value is shown.
            if options[place + 1..].iter().all(|&(later, _)| later != name) {
                fields.push(format!("{}={}", name.replace(' ', "_"), value_repr(value)));
            }
        }
        format!("labrys.Engine({})", fields.join(", "))
    }

    /// A copy has the options and the weights, but not the transposition table. It reads their files again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("labrys._labrys")?.getattr("_engine")?;
        let changes = lock(&self.changes).clone().pickled();
        Ok((make, (self.game.clone(), changes).into_pyobject(py)?))
    }
}

/// Unpickles an engine of a game from its changes.
#[pyfunction]
pub(crate) fn _engine(
    py: Python<'_>,
    game: &Bound<'_, Game>,
    changes: Vec<PickledChange>,
) -> PyResult<Engine> {
    Engine::after(py, game.get(), Changes::unpickled(changes)?)
}
