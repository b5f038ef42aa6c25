//! Engines.
//!
//! - `access`: who uses an engine: one thread at a time;
//! - `begin`: how a search begins;
//! - `changes`: options and weights that were set, for copies;
//! - `option`, `evaluation`: what Python sees of them.

mod access;
mod begin;
mod changes;
mod evaluation;
mod option;

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
use begin::{Asked, begin, set_up};
use changes::{Change, Changes, PickledChange};
pub(crate) use evaluation::{_evaluation, Evaluation};
pub(crate) use option::EngineOption;
use option::value_repr;

/// What [`Engine::changes`] begin with: probabilities are part of all reports.
const SHOW_WDL: &str = "UCI_ShowWDL";

/// An engine: a game, options, an evaluation and the memory of its searches.
///
/// >>> engine = labrys.Engine("chess", hash=64, threads=2)
/// >>> engine.search(nodes=100_000).move
///
/// The game is its name or a `labrys.Game`, by default chess. Options are those of the protocol, in any case,
/// with `_` for a space.
///
/// Several threads may use an engine: one searches, the others wait. While an analysis runs, other calls of
/// the thread that has begun it are a `RuntimeError`, and so are calls by the rules that a search asks, and
/// by a process that was forked while a search ran.
#[pyclass(frozen, module = "labrys")]
pub(crate) struct Engine {
    game: Game,
    access: Arc<Access>,
    /// The options that have been set, and the last weights, for a copy.
    changes: Mutex<Changes>,
}

impl Engine {
    /// The position that is asked about, by default the start position.
    fn root(&self, position: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<dyn AnyLine>> {
        match position {
            Some(position) => position_of(Some(&self.game), position),
            None => checked(|| self.game.rules.start(self.game.choice)),
        }
    }

    /// Does something with the engine at a position.
    fn at<T: Send>(
        &self,
        py: Python<'_>,
        root: &Arc<dyn AnyLine>,
        work: impl FnOnce(&mut dyn engine::Engine) -> T + Send,
    ) -> PyResult<T> {
        self.access.with(py, |engine| set_up(engine, root).map(|()| work(engine)))?.map_err(value_error)
    }

    /// Begins a search.
    fn begin(
        &self,
        position: Option<&Bound<'_, PyAny>>,
        asked: &Asked<'_, '_>,
        endless: bool,
    ) -> PyResult<Search> {
        let root = self.root(position)?;
        let limits = asked.limits(&root)?;
        if limits == (Limits { start: limits.start, ..Limits::none() }) && !endless {
            return Err(value_error("search: expected a limit, one of: time, nodes, depth, mate, clock"));
        }
        let moves = asked.moves(&root)?;
        begin(&self.access, root, limits, moves)
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

    /// Makes a change, which a copy is to have, too. Returns what else has changed, in words.
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

    /// The game that it plays.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// Its options with their values, by their names in the protocol: a new dictionary.
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
                // The engine has that of the last position.
                option.value = Some((*value).to_owned());
            }
            options.set_item(name, option)?;
        }
        Ok(options)
    }

    /// Sets options, such as `engine.set(hash=64, multipv=3)`. If one is refused, none is set.
    ///
    /// Raises `ValueError` if there is no such option, or it does not take the value; `OSError`, such as
    /// `FileNotFoundError`, for a file that cannot be read.
    #[pyo3(signature = (**options))]
    fn set(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let Some(options) = options.filter(|options| !options.is_empty()) else { return Ok(()) };
        // Of several, a copy has to take them all first.
        // The lock is given back before others of Python's threads run.
        let changes = lock(&self.changes).clone();
        let copy = (options.len() > 1).then(|| Engine::after(py, &self.game, changes));
        for engine in copy.transpose()?.iter().chain([self]) {
            for (name, value) in options {
                engine.set_option(py, name.extract()?, Some(&value))?;
            }
        }
        Ok(())
    }

    /// Sets an option by its name; presses a button. Returns what else has changed, in words.
    ///
    /// Raises `ValueError` if there is no such option, or it does not take the value; `OSError`, such as
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

    /// The weights of the linear evaluation by the names of the features, in units of the evaluation: a copy,
    /// which cannot be changed. Set a dictionary of some or all of them, the name of a weights file, or None
    /// for the shipped ones; from then on the engine plays by the linear evaluation.
    ///
    /// >>> engine.weights = {"piecesForMe": 10.0}
    ///
    /// Raises `ValueError` for weights that the engine does not have; `OSError`, such as `FileNotFoundError`,
    /// for a file that cannot be read.
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

    /// Replaces some or all weights by name, all by those of a weights file, or by the shipped ones (None),
    /// and plays by them.
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

    /// Searches a position, by default the start position, to the first of some limits: `time` in seconds,
    /// `nodes`, `depth` in plies, a forced win in `mate` moves of the side to move, the time and the
    /// increment of a `clock`, both in seconds. `moves` are the only first moves that are searched, at least
    /// one; None stands for all.
    ///
    /// Ctrl-C stops it. Raises `ValueError` without a limit, and for illegal moves; `RuntimeError` if the
    /// engine cannot be used here, see `Engine`; and what the rules of a game in Python raise.
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
        self.begin(position, &Asked { time, nodes, depth, mate, clock, moves }, false)?.wait(py)
    }

    /// Begins a search with the arguments of `search`, and goes on at once: an iterator of what it finds.
    /// Without limits it runs until it is stopped. Other calls of this thread are a `RuntimeError` until it
    /// ends.
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
        self.begin(position, &Asked { time, nodes, depth, mate, clock, moves }, true)
    }

    /// Stops the searches of this engine, from any thread.
    fn stop(&self) {
        self.access.stop();
    }

    /// Forgets what earlier searches have found.
    fn new_game(&self, py: Python<'_>) -> PyResult<()> {
        self.access.with(py, |engine| engine.new_game())
    }

    /// The static evaluation of a position, by default the start position, for the side to move and without
    /// any search.
    #[pyo3(signature = (position = None))]
    fn evaluate(&self, py: Python<'_>, position: Option<&Bound<'_, PyAny>>) -> PyResult<Evaluation> {
        let root = self.root(position)?;
        self.at(py, &root, |engine| Evaluation::of(engine))
    }

    /// The legal moves of a position, by default the start position, with the probabilities (1 in sum) that a
    /// policy/value net gives them before any search, the most probable first; None unless searches use such
    /// a net.
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

    /// The call that makes it, but for its weights.
    fn __repr__(&self) -> String {
        let mut fields = vec![self.game.plain_repr()];
        let changes = lock(&self.changes).clone();
        let options: Vec<_> = changes.options().filter(|&(name, _)| name != SHOW_WDL).collect();
        for (place, &(name, value)) in options.iter().enumerate() {
            // The last value counts.
            if options[place + 1..].iter().all(|&(later, _)| later != name) {
                fields.push(format!("{}={}", name.replace(' ', "_"), value_repr(value)));
            }
        }
        format!("labrys.Engine({})", fields.join(", "))
    }

    /// A copy has the options and the weights, not the memory of searches.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("labrys._labrys")?.getattr("_engine")?;
        let changes = lock(&self.changes).clone().pickled();
        Ok((make, (self.game.clone(), changes).into_pyobject(py)?))
    }
}

/// The engine of a game after some changes: what a pickle calls.
#[pyfunction]
pub(crate) fn _engine(
    py: Python<'_>,
    game: &Bound<'_, Game>,
    changes: Vec<PickledChange>,
) -> PyResult<Engine> {
    Engine::after(py, game.get(), Changes::unpickled(changes)?)
}
