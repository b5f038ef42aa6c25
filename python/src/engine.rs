//! Engines.

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use labrys::engine::{self, EvaluationInUse, OptionKind, OptionSpec, Settings, WeightsSource, registry};
use labrys::search::{Clock, Control, Limits};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{Count, move_of, position_of, value_error};
use crate::games::{Game, is_named, value_text};
use crate::line::AnyLine;
use crate::position::Move;
use crate::python_game::{PYTHON_FEATURES, check_rules};
use crate::search::{Event, Search, SearchResult};
use crate::wait::POLL_INTERVAL;

/// An option of an engine.
#[pyclass(frozen, module = "labrys", name = "Option")]
pub(crate) struct EngineOption(OptionSpec);

#[pymethods]
impl EngineOption {
    /// Its name in the protocol.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name
    }

    /// Its kind: `"check"`, `"spin"`, `"combo"`, `"string"` or `"button"`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.kind {
            OptionKind::Check { .. } => "check",
            OptionKind::Spin { .. } => "spin",
            OptionKind::Combo { .. } => "combo",
            OptionKind::Text => "string",
            OptionKind::Button => "button",
        }
    }

    /// Its default: a truth value, a number or a text; None for a button.
    #[getter]
    fn default<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match self.0.kind {
            OptionKind::Check { default } => Some(default.into_pyobject(py)?.to_owned().into_any()),
            OptionKind::Spin { default, .. } => Some(default.into_pyobject(py)?.into_any()),
            OptionKind::Combo { default, .. } => Some(default.into_pyobject(py)?.into_any()),
            OptionKind::Text => Some("".into_pyobject(py)?.into_any()),
            OptionKind::Button => None,
        })
    }

    /// The least value of a number.
    #[getter]
    fn min(&self) -> Option<i64> {
        match self.0.kind {
            OptionKind::Spin { min, .. } => Some(min),
            _ => None,
        }
    }

    /// The greatest value of a number.
    #[getter]
    fn max(&self) -> Option<i64> {
        match self.0.kind {
            OptionKind::Spin { max, .. } => Some(max),
            _ => None,
        }
    }

    /// The words of which it takes one.
    #[getter]
    fn values(&self) -> Vec<&'static str> {
        match &self.0.kind {
            OptionKind::Combo { values, .. } => values.clone(),
            _ => Vec::new(),
        }
    }

    fn __repr__(&self) -> String {
        let OptionSpec { name, kind, .. } = &self.0;
        format!("labrys.Option({name}: {kind:?})")
    }
}

/// The static evaluation of a position for the side to move.
#[pyclass(frozen, module = "labrys")]
pub(crate) struct Evaluation {
    /// What evaluates positions in searches: `"linear"`, `"net"`, `"policy"` or `"none"`.
    #[pyo3(get)]
    kind: &'static str,
    /// The value, in units of the evaluation; of a policy/value net the expected result, from 0 to 1.
    #[pyo3(get)]
    value: f64,
    /// Of a linear evaluation: value and weight of each feature.
    #[pyo3(get)]
    features: BTreeMap<String, (f64, f64)>,
    /// Of an evaluation net: what each input, such as `P e4`, contributes to the value for White.
    #[pyo3(get)]
    inputs: Vec<(String, f64)>,
}

#[pymethods]
impl Evaluation {
    fn __float__(&self) -> f64 {
        self.value
    }

    fn __repr__(&self) -> String {
        format!("labrys.Evaluation({} {:.4})", self.kind, self.value)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("labrys._labrys")?.getattr("_evaluation")?;
        let fields = (self.kind, self.value, self.features.clone(), self.inputs.clone());
        Ok((make, fields.into_pyobject(py)?))
    }
}

/// The evaluation of some numbers: what a pickle calls.
#[pyfunction]
pub(crate) fn _evaluation(
    kind: &str,
    value: f64,
    features: BTreeMap<String, (f64, f64)>,
    inputs: Vec<(String, f64)>,
) -> PyResult<Evaluation> {
    let known = ["none", "linear", "net", "policy"].into_iter().find(|&known| known == kind);
    let kind = known.ok_or_else(|| value_error(format!("unknown kind of evaluation `{kind}`")))?;
    Ok(Evaluation { kind, value, features, inputs })
}

/// An engine: a game, options, an evaluation and the memory of its searches.
///
/// >>> engine = labrys.Engine("chess", hash=64, threads=2)
/// >>> engine.search(nodes=100_000).move
///
/// Options are those of the protocol, in any case, with `_` for a space. Several threads may use an engine:
/// one searches, the others wait.
#[pyclass(frozen, module = "labrys")]
pub(crate) struct Engine {
    game: Game,
    engine: Arc<Mutex<Box<dyn engine::Engine>>>,
    /// The searches that run or wait.
    running: Mutex<Vec<Arc<Control>>>,
    /// The options that have been set, and the last weights, for a copy.
    changes: Mutex<Vec<Change>>,
}

/// A change of an engine.
#[derive(Clone)]
enum Change {
    Option(String, String),
    Weights(WeightsSource),
}

impl Change {
    /// Whether it may change the weights.
    fn is_of_weights(&self) -> bool {
        match self {
            Change::Option(name, _) => matches!(&**name, "FeatureSet" | "WeightsFile"),
            Change::Weights(_) => true,
        }
    }
}

/// Locks a mutex that no panic leaves in between.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    /// Does something with the engine when no search runs.
    ///
    /// # Errors
    /// What the handler of a signal raises in the meantime.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        mut work: impl FnMut(&mut dyn engine::Engine) -> T + Send,
    ) -> PyResult<T> {
        loop {
            let done = py.detach(|| match self.engine.try_lock() {
                Ok(mut engine) => Some(work(engine.as_mut())),
                Err(TryLockError::Poisoned(engine)) => Some(work(engine.into_inner().as_mut())),
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(POLL_INTERVAL / 10);
                    None
                }
            });
            match done {
                Some(done) => return check_rules().map(|()| done),
                None => py.check_signals()?,
            }
        }
    }

    /// The position that is asked about, by default the start position.
    fn root(&self, position: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<dyn AnyLine>> {
        match position {
            Some(position) => position_of(Some(&self.game), position),
            None => Ok(self.game.rules.start(self.game.choice)),
        }
    }

    /// Does something with the engine at a position.
    fn at<T: Send>(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
        mut work: impl FnMut(&mut dyn engine::Engine, &Arc<dyn AnyLine>) -> T + Send,
    ) -> PyResult<T> {
        let root = self.root(position)?;
        self.with(py, |engine| set_up(engine, &root).map(|()| work(engine, &root)))?.map_err(value_error)
    }

    /// Begins a search.
    fn begin(&self, asked: Asked<'_, '_>, endless: bool) -> PyResult<Search> {
        let root = self.root(asked.position)?;
        let limits = asked.limits(&root)?;
        if limits == (Limits { start: limits.start, ..Limits::none() }) && !endless {
            return Err(value_error("search: expected a limit, one of: time, nodes, depth, mate, clock"));
        }
        let moves = asked.moves.map(|moves| moves.try_iter()).transpose()?.into_iter().flatten();
        let moves = moves.map(|mv| Ok(root.move_text(move_of(&root, &mv?)?)));
        let moves: Vec<String> = moves.collect::<PyResult<_>>()?;

        let control = Arc::new(Control::default());
        let mut running = lock(&self.running);
        running.retain(|control| Arc::strong_count(control) > 1);
        running.push(Arc::clone(&control));
        let (sender, receiver) = mpsc::channel();
        let search = Search::new(Arc::clone(&root), Arc::clone(&control), receiver);
        let engine = Arc::clone(&self.engine);
        let think = move || {
            // A search that waits for another one can be stopped, too.
            let mut engine = loop {
                match engine.try_lock() {
                    Ok(engine) => break engine,
                    Err(TryLockError::Poisoned(engine)) => break engine.into_inner(),
                    Err(TryLockError::WouldBlock) if control.is_stopped() => {
                        let reason = "the search was stopped before it began: another one was running";
                        _ = sender.send(Event::Refused(reason.to_owned()));
                        return;
                    }
                    Err(TryLockError::WouldBlock) => std::thread::sleep(POLL_INTERVAL / 10),
                }
            };
            let start = Instant::now();
            let limits = Limits { start, ..limits };
            // Where nobody listens any more, the control has been stopped.
            let event = match set_up(engine.as_mut(), &root) {
                Err(reason) => Event::Refused(reason),
                Ok(()) => {
                    let mut tell = |report: &engine::SearchReport| {
                        _ = sender.send(Event::Report(report.clone()));
                    };
                    match engine.search(&moves, &limits, &control, &mut tell) {
                        Ok(best) => Event::Done(best, start.elapsed()),
                        Err(error) => Event::Refused(error.to_string()),
                    }
                }
            };
            drop(engine);
            _ = sender.send(event);
        };
        let spawned = std::thread::Builder::new().name("labrys search".to_owned()).spawn(think);
        spawned.map_err(|error| PyRuntimeError::new_err(format!("no thread for the search: {error}")))?;
        Ok(search)
    }

    /// An engine after some changes.
    fn after(py: Python<'_>, game: &Game, changes: Vec<Change>) -> PyResult<Engine> {
        let engine = registry::engine(game.variant(), &Settings::default()).map_err(value_error)?;
        let (game, engine) = (game.clone(), Arc::new(Mutex::new(engine)));
        let engine = Engine { game, engine, running: Mutex::default(), changes: Mutex::default() };
        for change in changes {
            engine.change(py, change)?;
        }
        Ok(engine)
    }

    /// Makes a change, which a copy is to have, too. Returns what else has changed, in words.
    fn change(&self, py: Python<'_>, change: Change) -> PyResult<Vec<String>> {
        let effects = self.with(py, |engine| match &change {
            Change::Option(name, value) => engine.set_option(name, value).map_err(value_error),
            Change::Weights(source) => engine.set_weights(source).map_err(value_error),
        })??;
        self.note(change);
        Ok(effects.into_iter().map(|effect| effect.to_string()).collect())
    }

    /// Notes a change that a copy is to have.
    fn note(&self, change: Change) {
        let mut changes = lock(&self.changes);
        match (&change, changes.last()) {
            (Change::Option(name, _), _) => {
                // What stands before weights stays: a feature set that came after them would replace them.
                let weights = changes.iter().rposition(Change::is_of_weights);
                let later = changes.split_off(weights.map_or(0, |place| place + 1));
                let is_other = |known: &Change| !matches!(known, Change::Option(other, _) if other == name);
                changes.extend(later.into_iter().filter(is_other));
            }
            // Whoever learns sets the same weights again and again.
            (
                Change::Weights(WeightsSource::Named(pairs)),
                Some(Change::Weights(WeightsSource::Named(known))),
            ) if pairs.iter().map(|(name, _)| name).eq(known.iter().map(|(name, _)| name)) => {
                changes.pop();
            }
            (Change::Weights(_), _) => {}
        }
        changes.push(change);
    }

    /// The name in the protocol of one of its options.
    fn option_name(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        let variant = self.game.variant();
        let found = self.with(py, |engine| {
            engine.options().into_iter().find(|option| is_named(option.name, name, variant))
        })?;
        Ok(found.map_or(name.to_owned(), |option| option.name.to_owned()))
    }
}

/// Sets a position up, under the game's option of its game.
fn set_up(engine: &mut dyn engine::Engine, root: &Arc<dyn AnyLine>) -> Result<(), String> {
    let positions = Arc::clone(root).positions();
    let texts = positions.iter().zip(root.moves()).map(|(line, mv)| line.move_text(mv));
    let moves: Vec<_> = texts.collect();
    let board = engine.board_mut();
    if let Some(option) = root.game().info().option {
        board.set_option(option.name, option.choices[root.choice()]).map_err(|error| error.to_string())?;
    }
    board.set_up(Some(&positions[0].fen()), &moves).map_err(|error| error.to_string())
}

/// The arguments of a search.
struct Asked<'a, 'py> {
    position: Option<&'a Bound<'py, PyAny>>,
    time: Option<f64>,
    nodes: Option<Count<u64>>,
    depth: Option<Count<u32>>,
    mate: Option<Count<u32>>,
    clock: Option<(f64, f64)>,
    moves: Option<&'a Bound<'py, PyAny>>,
}

impl Asked<'_, '_> {
    /// The limits.
    fn limits(&self, root: &Arc<dyn AnyLine>) -> PyResult<Limits> {
        let nodes = self.nodes.as_ref().map(|nodes| nodes.0);
        let [depth, mate] = [&self.depth, &self.mate].map(|count| count.as_ref().map(|count| count.0));
        let counts = [("nodes", nodes), ("depth", depth.map(u64::from)), ("mate", mate.map(u64::from))];
        for (name, number) in counts {
            if number == Some(0) {
                return Err(value_error(format!("{name}: expected a number from 1 on, not 0")));
            }
        }
        let movetime = self.time.map(|time| seconds("time", time)).transpose()?;
        let mut clocks = [None, None];
        if let Some((remaining, increment)) = self.clock {
            let clock =
                Clock { remaining: seconds("clock", remaining)?, increment: seconds("clock", increment)? };
            clocks[root.side_to_move().index()] = Some(clock);
        }
        Ok(Limits { nodes, depth, mate, movetime, clocks, ..Limits::none() })
    }
}

/// A time in seconds.
fn seconds(name: &str, seconds: f64) -> PyResult<Duration> {
    let time = labrys::arena::seconds(&seconds.to_string());
    time.ok_or_else(|| value_error(format!("{name}: expected seconds, from 0 to 1000000, not {seconds}")))
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
                Err(_) => Game::of_name(game.extract()?)?,
            },
        };
        let mut changes = vec![Change::Option("UCI_ShowWDL".to_owned(), "true".to_owned())];
        // The one feature of games in Python is an evaluation as it is.
        if game.rules.feature_sets()[0].name == PYTHON_FEATURES {
            let weight = ("evaluation".to_owned(), "1".to_owned());
            changes.push(Change::Weights(WeightsSource::Named(vec![weight])));
        }
        let engine = Engine::after(py, &game, changes)?;
        engine.set(py, options)?;
        Ok(engine)
    }

    /// The game that it plays.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// Its options, by their names in the protocol.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let options = PyDict::new(py);
        for option in self.with(py, |engine| engine.options())? {
            options.set_item(option.name, EngineOption(option))?;
        }
        Ok(options)
    }

    /// Sets options, such as `engine.set(hash=64, multipv=3)`. If one is refused, none is set.
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
    /// Raises `ValueError` if there is no such option, or it does not take the value.
    #[pyo3(signature = (name, value = None))]
    fn set_option(
        &self,
        py: Python<'_>,
        name: &str,
        value: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<String>> {
        let value = value.map(|value| value_text(name, value)).transpose()?.unwrap_or_default();
        let name = self.option_name(py, name)?;
        if self.game.rules.info().option.is_some_and(|own| own.name == name) {
            let game = self.game.variant();
            return Err(value_error(format!(
                "option {name} is one of the game: labrys.Game(\"{game}\", {name}=…)"
            )));
        }
        self.change(py, Change::Option(name, value))
    }

    /// The weights of the linear evaluation, by the names of the features.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (names, values) = self.with(py, |engine| {
            let names = engine.eval_breakdown().set.features;
            (names, engine.weights().values().to_vec())
        })?;
        let weights = PyDict::new(py);
        for (name, value) in names.iter().zip(values) {
            weights.set_item(name, value)?;
        }
        Ok(weights)
    }

    /// Replaces some or all weights by name, all by those of a weights file, or by the shipped ones (None),
    /// and plays by them.
    #[setter]
    fn set_weights(&self, py: Python<'_>, weights: &Bound<'_, PyAny>) -> PyResult<()> {
        let source = if weights.is_none() {
            WeightsSource::Default
        } else if let Ok(path) = weights.extract::<std::path::PathBuf>() {
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
    /// `nodes`, `depth` in plies, a forced win in `mate` moves, the time and the increment of a `clock` in
    /// seconds. `moves` are the only ones that are searched.
    ///
    /// Ctrl-C stops it.
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
        self.begin(Asked { position, time, nodes, depth, mate, clock, moves }, false)?.wait(py)
    }

    /// Begins a search with the arguments of `search`, and goes on at once: an iterator of what it finds.
    /// Without limits it runs until it is stopped.
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
        self.begin(Asked { position, time, nodes, depth, mate, clock, moves }, true)
    }

    /// Stops the searches of this engine, from any thread.
    fn stop(&self) {
        lock(&self.running).iter().for_each(|control| control.stop());
    }

    /// Forgets what earlier searches have found.
    fn new_game(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |engine| engine.new_game())
    }

    /// The static evaluation of a position, without any search.
    #[pyo3(signature = (position = None))]
    fn evaluate(&self, py: Python<'_>, position: Option<&Bound<'_, PyAny>>) -> PyResult<Evaluation> {
        self.at(py, position, |engine, _| {
            let none =
                || Evaluation { kind: "none", value: 0.0, features: BTreeMap::new(), inputs: Vec::new() };
            match engine.evaluation_in_use() {
                EvaluationInUse::Nothing => none(),
                EvaluationInUse::Linear => {
                    let breakdown = engine.eval_breakdown();
                    let features = breakdown.features.iter();
                    let features =
                        features.map(|feature| (feature.name.to_owned(), (feature.value, feature.weight)));
                    Evaluation {
                        kind: "linear",
                        value: breakdown.sum(),
                        features: features.collect(),
                        ..none()
                    }
                }
                EvaluationInUse::Net => engine.net_breakdown().map_or_else(none, |net| {
                    let inputs = net.inputs.into_iter().map(|input| (input.name, input.contribution));
                    Evaluation { kind: "net", value: net.value, inputs: inputs.collect(), ..none() }
                }),
                EvaluationInUse::PolicyNet => engine
                    .policy_breakdown()
                    .map_or_else(none, |policy| Evaluation { kind: "policy", value: policy.value, ..none() }),
            }
        })
    }

    /// The legal moves of a position with what a policy/value net makes of them before any search, the most
    /// probable first; None unless searches use such a net.
    #[pyo3(signature = (position = None))]
    fn policy(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Vec<(Move, f32)>>> {
        let moves = self.at(py, position, |engine, root| {
            let policy = engine.policy_breakdown()?;
            let moves = policy.moves.into_iter().map(|prior| {
                let bits = root.parse(&prior.mv)?;
                Ok((Move { line: Arc::clone(root), bits }, prior.prior))
            });
            Some(moves.collect::<Result<Vec<_>, labrys::game::MoveError>>())
        })?;
        moves.transpose().map_err(value_error)
    }

    fn __repr__(&self) -> String {
        let changes = lock(&self.changes);
        let options = changes.iter().filter_map(|change| match change {
            Change::Option(name, value) if name != "UCI_ShowWDL" => Some(format!(", {name}={value}")),
            _ => None,
        });
        format!("labrys.Engine(\"{}\"{})", self.game.variant(), options.collect::<String>())
    }

    /// A copy has the options and the weights, not the memory of searches.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("labrys._labrys")?.getattr("_engine")?;
        let changes = lock(&self.changes).clone();
        let changes = changes.into_iter().map(|change| match change {
            Change::Option(name, value) => ("option".to_owned(), vec![(name, value)]),
            Change::Weights(WeightsSource::Named(pairs)) => ("weights".to_owned(), pairs),
            Change::Weights(WeightsSource::File(path)) => {
                ("weights file".to_owned(), vec![(path, String::new())])
            }
            Change::Weights(_) => ("shipped weights".to_owned(), Vec::new()),
        });
        let changes: Vec<_> = changes.collect();
        Ok((make, (self.game.clone(), changes).into_pyobject(py)?))
    }
}

/// The engine of a game after some changes: what a pickle calls.
#[pyfunction]
pub(crate) fn _engine(
    py: Python<'_>,
    game: &Bound<'_, Game>,
    changes: Vec<(String, Vec<(String, String)>)>,
) -> PyResult<Engine> {
    let changes = changes.into_iter().map(|(kind, pairs)| match (&*kind, pairs.first().cloned()) {
        ("option", Some((name, value))) => Ok(Change::Option(name, value)),
        ("weights", _) => Ok(Change::Weights(WeightsSource::Named(pairs))),
        ("weights file", Some((path, _))) => Ok(Change::Weights(WeightsSource::File(path))),
        ("shipped weights", _) => Ok(Change::Weights(WeightsSource::Default)),
        _ => Err(PyKeyError::new_err(kind)),
    });
    Engine::after(py, game.get(), changes.collect::<PyResult<_>>()?)
}
