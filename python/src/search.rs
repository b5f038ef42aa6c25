//! Searches and their results.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use labrys::engine::{BestMove, SearchReport};
use labrys::eval::UciScore;
use labrys::search::{Bound as ScoreBound, Control, Visits};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::PyTuple;

use crate::convert::value_error;
use crate::engine::forked;
use crate::line::AnyLine;
use crate::position::{Move, Position};
use crate::rule_errors::{RuleErrors, checked, is_in_call};
use crate::wait::{POLL_INTERVAL, lock};

/// A score for the side to move: hundredths of the evaluation's unit, which is a pawn in chess (`cp`), or a
/// forced end (`mate`). A better score is greater; `-score` is the score for the other side.
#[pyclass(frozen, module = "labrys", skip_from_py_object)]
#[derive(Clone, Copy)]
pub(crate) struct Score(pub(crate) UciScore);

impl Score {
    /// The rank in the order of scores.
    fn rank(self) -> i64 {
        match self.0 {
            UciScore::Centi(centi) => centi.into(),
            // Winning in fewer moves is better, losing in fewer is worse.
            UciScore::Mate(moves) if moves > 0 => i64::from(i32::MAX) * 2 - i64::from(moves),
            UciScore::Mate(moves) => -i64::from(i32::MAX) * 2 - i64::from(moves),
        }
    }
}

#[pymethods]
impl Score {
    /// Hundredths of the evaluation's unit; None for a forced end.
    #[getter]
    fn cp(&self) -> Option<i32> {
        match self.0 {
            UciScore::Centi(centi) => Some(centi),
            UciScore::Mate(_) => None,
        }
    }

    /// Moves to a forced end, negative (or 0) if the side to move loses; None without one.
    #[getter]
    fn mate(&self) -> Option<i32> {
        match self.0 {
            UciScore::Centi(_) => None,
            UciScore::Mate(moves) => Some(moves),
        }
    }

    fn __neg__(&self) -> PyResult<Score> {
        match self.0 {
            UciScore::Centi(centi) => Ok(Score(UciScore::Centi(-centi))),
            UciScore::Mate(0) => {
                Err(value_error("a mate that is on the board has no score for the other side"))
            }
            UciScore::Mate(moves) => Ok(Score(UciScore::Mate(-moves))),
        }
    }

    fn __richcmp__(&self, other: &Score, op: CompareOp) -> bool {
        op.matches(self.rank().cmp(&other.rank()))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.rank().hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("labrys.Score({})", self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("labrys._labrys")?.getattr("_score")?;
        Ok((make, (self.cp(), self.mate()).into_pyobject(py)?))
    }
}

/// Unpickles a score from centipawns or moves to mate.
#[pyfunction]
#[pyo3(signature = (cp, mate))]
pub(crate) fn _score(cp: Option<i32>, mate: Option<i32>) -> Score {
    let centi = UciScore::Centi(cp.unwrap_or_default());
    Score(mate.map_or(centi, UciScore::Mate))
}

/// A report of a search: a line with its score.
#[pyclass(frozen, module = "labrys", skip_from_py_object)]
#[derive(Clone)]
pub(crate) struct Info {
    /// The searched position.
    root: Arc<dyn AnyLine>,
    report: SearchReport,
}

/// The moves of a line from their texts.
fn line_moves(py: Python<'_>, root: &Arc<dyn AnyLine>, texts: &[String]) -> PyResult<Vec<Move>> {
    let mut line = Arc::clone(root);
    let play = |text: &String| {
        let bits = line.parse(text).map_err(value_error)?;
        line = checked(|| Arc::clone(&line).play(bits))?;
        PyResult::Ok(())
    };
    texts.iter().try_for_each(play)?;
    Position { line }.moves_from(py, root.ply())
}

#[pymethods]
impl Info {
    /// The depth of the iteration, in plies.
    #[getter]
    fn depth(&self) -> u32 {
        self.report.depth
    }

    /// The deepest ply visited.
    #[getter]
    fn seldepth(&self) -> u32 {
        self.report.seldepth
    }

    /// The number of the line, from 1 for the best.
    #[getter]
    fn multipv(&self) -> u32 {
        self.report.multipv
    }

    /// The score for the side to move.
    #[getter]
    fn score(&self) -> Score {
        Score(self.report.score)
    }

    /// Whether the score is `"exact"`, or a `"lower"` or `"upper"` bound.
    #[getter]
    fn bound(&self) -> &'static str {
        match self.report.bound {
            ScoreBound::Exact => "exact",
            ScoreBound::Lower => "lower",
            ScoreBound::Upper => "upper",
        }
    }

    /// The probabilities of a win, a draw and a loss for the side to move.
    #[getter]
    fn wdl(&self) -> Option<(f64, f64, f64)> {
        self.report.wdl.map(|wdl| wdl.map(|permille| f64::from(permille) / 1000.0).into())
    }

    /// Nodes visited so far.
    #[getter]
    fn nodes(&self) -> u64 {
        self.report.nodes
    }

    /// Seconds spent so far.
    #[getter]
    fn time(&self) -> f64 {
        self.report.time.as_secs_f64()
    }

    /// The fill level of the transposition table, from 0 to 1.
    #[getter]
    fn hashfull(&self) -> f64 {
        f64::from(self.report.hashfull) / 1000.0
    }

    /// Positions found in endgame tables so far; None without such tables.
    #[getter]
    fn tbhits(&self) -> Option<u64> {
        self.report.tbhits
    }

    /// In a Monte Carlo search: the visits of the first move and of all moves, and the mean result of the
    /// first move for the side to move, from 0 to 1.
    #[getter]
    fn visits(&self) -> Option<(u32, u32, f64)> {
        self.report.visits.map(|visits| (visits.count, visits.simulations, visits.mean))
    }

    /// The moves of the line.
    #[getter]
    fn pv(&self, py: Python<'_>) -> PyResult<Vec<Move>> {
        line_moves(py, &self.root, &self.report.pv)
    }

    fn __repr__(&self) -> String {
        let SearchReport { depth, score, nodes, pv, .. } = &self.report;
        format!("labrys.Info(depth {depth}, {score}, nodes {nodes}, pv {})", pv.join(" "))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("labrys._labrys")?.getattr("_info")?;
        let report = &self.report;
        let fields: ReportFields = (
            report.depth,
            report.seldepth,
            report.multipv,
            (self.score().cp(), self.score().mate()),
            self.bound().to_owned(),
            report.wdl,
            report.nodes,
            report.time.as_nanos() as u64,
            report.hashfull,
            report.tbhits,
            self.visits(),
            report.pv.clone(),
        );
        Ok((make, (Position { line: Arc::clone(&self.root) }, fields).into_pyobject(py)?))
    }
}

/// The pickled fields of a report: depth, seldepth, multipv, score, bound, WDL in permille, nodes,
/// nanoseconds, hashfull in permille, tbhits, visits, and the line.
type ReportFields = (
    u32,
    u32,
    u32,
    (Option<i32>, Option<i32>),
    String,
    Option<[u32; 3]>,
    u64,
    u64,
    u32,
    Option<u64>,
    Option<(u32, u32, f64)>,
    Vec<String>,
);

/// Unpickles a report of a search.
#[pyfunction]
pub(crate) fn _info(position: &Bound<'_, Position>, report: ReportFields) -> PyResult<Info> {
    let (depth, seldepth, multipv, (cp, mate), bound, wdl, nodes, nanoseconds, hashfull, tbhits, visits, pv) =
        report;
    let bound = match &*bound {
        "exact" => ScoreBound::Exact,
        "lower" => ScoreBound::Lower,
        "upper" => ScoreBound::Upper,
        unknown => return Err(value_error(format!("unknown bound `{unknown}`"))),
    };
    let report = SearchReport {
        depth,
        seldepth,
        multipv,
        score: _score(cp, mate).0,
        bound,
        wdl,
        nodes,
        time: Duration::from_nanos(nanoseconds),
        hashfull,
        tbhits,
        visits: visits.map(|(count, simulations, mean)| Visits { count, simulations, mean }),
        pv,
    };
    Ok(Info { root: Arc::clone(&position.get().line), report })
}

/// The result of a search.
#[pyclass(frozen, module = "labrys")]
pub(crate) struct SearchResult {
    root: Arc<dyn AnyLine>,
    best: BestMove,
    time: Duration,
    /// The last report of each line, the best line first.
    lines: Vec<Info>,
}

#[pymethods]
impl SearchResult {
    /// The best move; None if there is no legal move. In a game that is already drawn by the rules there may
    /// still be one.
    #[getter]
    fn r#move(&self, py: Python<'_>) -> PyResult<Option<Move>> {
        Ok(line_moves(py, &self.root, self.best.best.as_slice())?.pop())
    }

    /// The expected reply; None if unknown.
    #[getter]
    fn ponder(&self, py: Python<'_>) -> PyResult<Option<Move>> {
        let texts: Vec<_> = self.best.best.iter().chain(&self.best.ponder).cloned().collect();
        Ok(line_moves(py, &self.root, &texts)?.into_iter().nth(1))
    }

    /// The number of visited nodes.
    #[getter]
    fn nodes(&self) -> u64 {
        self.best.nodes
    }

    /// The duration in seconds.
    #[getter]
    fn time(&self) -> f64 {
        self.time.as_secs_f64()
    }

    /// The best lines, up to the number in the option `MultiPV`, the best first; empty if no search was
    /// needed.
    #[getter]
    fn lines(&self) -> Vec<Info> {
        self.lines.clone()
    }

    /// The score of the best line for the side to move; None if no search was needed.
    #[getter]
    fn score(&self) -> Option<Score> {
        self.lines.first().map(Info::score)
    }

    /// The probabilities of a win, a draw and a loss for the side to move, from the best line.
    #[getter]
    fn wdl(&self) -> Option<(f64, f64, f64)> {
        self.lines.first().and_then(Info::wdl)
    }

    /// The depth of the best line's iteration, in plies; 0 if no search was needed.
    #[getter]
    fn depth(&self) -> u32 {
        self.lines.first().map_or(0, Info::depth)
    }

    /// The moves of the best line.
    #[getter]
    fn pv(&self, py: Python<'_>) -> PyResult<Vec<Move>> {
        self.lines.first().map_or(Ok(Vec::new()), |line| line.pv(py))
    }

    fn __repr__(&self) -> String {
        let best = self.best.best.as_deref().unwrap_or("none");
        let score = self.score().map(|Score(score)| format!(", {score}")).unwrap_or_default();
        format!("labrys.SearchResult(move {best}{score}, depth {}, nodes {})", self.depth(), self.best.nodes)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("labrys._labrys")?.getattr("_result")?;
        let BestMove { best, ponder, nodes } = self.best.clone();
        let (position, time) = (Position { line: Arc::clone(&self.root) }, self.time.as_nanos() as u64);
        Ok((make, (position, best, ponder, nodes, time, self.lines()).into_pyobject(py)?))
    }
}

/// Unpickles the result of a search.
#[pyfunction]
#[pyo3(signature = (position, best, ponder, nodes, nanoseconds, lines))]
pub(crate) fn _result(
    position: &Bound<'_, Position>,
    best: Option<String>,
    ponder: Option<String>,
    nodes: u64,
    nanoseconds: u64,
    lines: Vec<Py<Info>>,
) -> SearchResult {
    SearchResult {
        root: Arc::clone(&position.get().line),
        best: BestMove { best, ponder, nodes },
        time: Duration::from_nanos(nanoseconds),
        lines: lines.iter().map(|line| line.get().clone()).collect(),
    }
}

/// An event of a search on another thread.
pub(crate) enum Event {
    /// A line.
    Report(SearchReport),
    /// The end, with the duration.
    Done(BestMove, Duration),
    /// Why there is no search.
    Refused(String),
}

/// A running search: an iterator over its reports. A `with` block stops it at its end.
///
/// >>> with engine.analyse(position) as search:
/// ...     for info in search:
/// ...         if info.depth >= 12:
/// ...             break
/// >>> search.wait().move
#[pyclass(frozen, module = "labrys")]
pub(crate) struct Search {
    root: Arc<dyn AnyLine>,
    control: Arc<Control>,
    /// The errors of the rules of a game in Python.
    errors: Arc<RuleErrors>,
    /// The process in which it runs.
    process: u32,
    state: Mutex<State>,
}

/// The events received so far.
struct State {
    receiver: Receiver<Event>,
    lines: Vec<Info>,
    result: Option<Result<Py<SearchResult>, PyErr>>,
}

impl Search {
    /// A search of a position whose events arrive at `receiver`.
    pub(crate) fn new(
        root: Arc<dyn AnyLine>,
        control: Arc<Control>,
        errors: Arc<RuleErrors>,
        receiver: Receiver<Event>,
    ) -> Search {
        let state = Mutex::new(State { receiver, lines: Vec::new(), result: None });
        Search { root, control, errors, process: std::process::id(), state }
    }

    /// Waits for the next line, if `wants_line`, or for the end. An exception of a signal handler stops the
    /// search.
    fn receive(&self, py: Python<'_>, wants_line: bool) -> PyResult<Option<Info>> {
        if self.process != std::process::id() {
            return Err(forked());
        }
        if is_in_call() && self.errors.is_of_this_thread() {
            return Err(PyRuntimeError::new_err(
                "rules in Python cannot wait for the search that calls them",
            ));
        }
        loop {
            match py.detach(|| self.poll(wants_line)) {
                Polled::Line(info) => return Ok(Some(info)),
                Polled::End => return Ok(None),
                Polled::Nothing => py.check_signals().inspect_err(|_| self.control.stop())?,
            }
        }
    }

    /// Waits for some milliseconds.
    fn poll(&self, wants_line: bool) -> Polled {
        let mut state = lock(&self.state);
        while state.result.is_none() {
            let result = match state.receiver.recv_timeout(POLL_INTERVAL) {
                Err(RecvTimeoutError::Timeout) => return Polled::Nothing,
                Err(RecvTimeoutError::Disconnected) => {
                    Err(PyRuntimeError::new_err("an error within the search, see standard error"))
                }
                Ok(Event::Refused(reason)) => Err(PyRuntimeError::new_err(reason)),
                // After an error of the rules, reports are meaningless.
                Ok(Event::Report(_)) if self.errors.is_any() => continue,
                Ok(Event::Report(report)) => {
                    let info = Info { root: Arc::clone(&self.root), report };
                    let index = info.report.multipv.max(1) as usize - 1;
                    match state.lines.get_mut(index) {
                        Some(line) => *line = info.clone(),
                        None => state.lines.push(info.clone()),
                    }
                    if wants_line {
                        return Polled::Line(info);
                    }
                    continue;
                }
                Ok(Event::Done(best, time)) => {
                    let (root, lines) = (Arc::clone(&self.root), std::mem::take(&mut state.lines));
                    let result = SearchResult { root, best, time, lines };
                    Python::attach(|py| Py::new(py, result))
                }
            };
            let raised = Python::attach(|py| self.errors.get(py));
            state.result = Some(raised.map_or(result, Err));
        }
        Polled::End
    }
}

/// The result of [`Search::poll`].
enum Polled {
    Line(Info),
    End,
    Nothing,
}

#[pymethods]
impl Search {
    /// Stops the search, which ends within some milliseconds.
    fn stop(&self) {
        self.control.stop();
    }

    /// Waits for the end of the search and returns its result. A search without limits ends only by `stop`.
    ///
    /// Raises `RuntimeError` if there was no search, and any error of the rules of a game in Python, each
    /// time it is called.
    pub(crate) fn wait(&self, py: Python<'_>) -> PyResult<Py<SearchResult>> {
        self.receive(py, false)?;
        match &lock(&self.state).result {
            Some(Ok(result)) => Ok(result.clone_ref(py)),
            Some(Err(error)) => Err(error.clone_ref(py)),
            None => Err(PyRuntimeError::new_err("the search is still running")),
        }
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Info>> {
        match self.receive(py, true)? {
            Some(info) => Ok(Some(info)),
            // The end may be an error.
            None => self.wait(py).map(|_| None),
        }
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.control.stop();
        self.receive(py, false)?;
        // An error of the rules is raised, unless another exception is already propagating.
        let is_raising = exception.get_item(0).is_ok_and(|kind| !kind.is_none());
        self.errors.get(py).filter(|_| !is_raising).map_or(Ok(()), Err)
    }
}

impl Drop for Search {
    /// Nobody can receive the result any more.
    fn drop(&mut self) {
        self.control.stop();
    }
}
