//! Searches and what they find.

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

/// A score for the side to move: hundredths of the evaluation's unit, a pawn in chess (`cp`), or a forced end
/// (`mate`). Scores are ordered, the better the greater; `-score` is that of the other side.
#[pyclass(frozen, module = "labrys", skip_from_py_object)]
#[derive(Clone, Copy)]
pub(crate) struct Score(pub(crate) UciScore);

impl Score {
    /// A number that orders scores.
    fn rank(self) -> i64 {
        match self.0 {
            UciScore::Centi(centi) => centi.into(),
            // A nearer mate is better, or worse, than a farther one.
            UciScore::Mate(moves) if moves > 0 => i64::from(i32::MAX) * 2 - i64::from(moves),
            UciScore::Mate(moves) => -i64::from(i32::MAX) * 2 - i64::from(moves),
        }
    }
}

#[pymethods]
impl Score {
    /// Hundredths of the evaluation's unit; None for a forced mate.
    #[getter]
    fn cp(&self) -> Option<i32> {
        match self.0 {
            UciScore::Centi(centi) => Some(centi),
            UciScore::Mate(_) => None,
        }
    }

    /// Moves to the end that is forced, negative (or 0) if the side to move loses; None without one.
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

/// The score of centipawns, or of moves to a mate: what a pickle calls.
#[pyfunction]
#[pyo3(signature = (cp, mate))]
pub(crate) fn _score(cp: Option<i32>, mate: Option<i32>) -> Score {
    let centi = UciScore::Centi(cp.unwrap_or_default());
    Score(mate.map_or(centi, UciScore::Mate))
}

/// A step of a search: a line with its score.
#[pyclass(frozen, module = "labrys", skip_from_py_object)]
#[derive(Clone)]
pub(crate) struct Info {
    /// The position that is searched.
    root: Arc<dyn AnyLine>,
    report: SearchReport,
}

/// The moves of a line in text.
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
    /// Depth of the iteration, in plies.
    #[getter]
    fn depth(&self) -> u32 {
        self.report.depth
    }

    /// The deepest ply visited.
    #[getter]
    fn seldepth(&self) -> u32 {
        self.report.seldepth
    }

    /// Number of the line among several, from 1.
    #[getter]
    fn multipv(&self) -> u32 {
        self.report.multipv
    }

    /// The score for the side to move.
    #[getter]
    fn score(&self) -> Score {
        Score(self.report.score)
    }

    /// What the score is: `"exact"`, or a `"lower"` or `"upper"` bound of the value.
    #[getter]
    fn bound(&self) -> &'static str {
        match self.report.bound {
            ScoreBound::Exact => "exact",
            ScoreBound::Lower => "lower",
            ScoreBound::Upper => "upper",
        }
    }

    /// The probabilities of a win, a draw and a loss of the side to move.
    #[getter]
    fn wdl(&self) -> Option<(f64, f64, f64)> {
        self.report.wdl.map(|wdl| wdl.map(|permille| f64::from(permille) / 1000.0).into())
    }

    /// Nodes visited so far.
    #[getter]
    fn nodes(&self) -> u64 {
        self.report.nodes
    }

    /// Seconds so far.
    #[getter]
    fn time(&self) -> f64 {
        self.report.time.as_secs_f64()
    }

    /// How full the transposition table is, from 0 to 1.
    #[getter]
    fn hashfull(&self) -> f64 {
        f64::from(self.report.hashfull) / 1000.0
    }

    /// Positions found in endgame tables so far; None without such tables.
    #[getter]
    fn tbhits(&self) -> Option<u64> {
        self.report.tbhits
    }

    /// In a Monte Carlo search: the visits of the first move, of all moves, and the mean result of the first
    /// move for the side to move, from 0 to 1.
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

/// What a pickle has of a report: depth, seldepth, multipv, score, bound, permille of results, nodes,
/// nanoseconds, permille of the table, hits of endgame tables, visits, and the line.
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

/// The step of a search of a position: what a pickle calls.
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

/// What a search has found.
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
    /// The best move; None where no move is legal. A game may have been drawn before, by its rules.
    #[getter]
    fn r#move(&self, py: Python<'_>) -> PyResult<Option<Move>> {
        Ok(line_moves(py, &self.root, self.best.best.as_slice())?.pop())
    }

    /// The reply that is expected; None where none is known.
    #[getter]
    fn ponder(&self, py: Python<'_>) -> PyResult<Option<Move>> {
        let texts: Vec<_> = self.best.best.iter().chain(&self.best.ponder).cloned().collect();
        Ok(line_moves(py, &self.root, &texts)?.into_iter().nth(1))
    }

    /// Nodes visited.
    #[getter]
    fn nodes(&self) -> u64 {
        self.best.nodes
    }

    /// Seconds that it took.
    #[getter]
    fn time(&self) -> f64 {
        self.time.as_secs_f64()
    }

    /// The lines that were found, as many as the option `MultiPV` says, the best first; empty if no search
    /// was needed.
    #[getter]
    fn lines(&self) -> Vec<Info> {
        self.lines.clone()
    }

    /// The score of the best line for the side to move; None if no search was needed.
    #[getter]
    fn score(&self) -> Option<Score> {
        self.lines.first().map(Info::score)
    }

    /// The probabilities of a win, a draw and a loss of the side to move, by the best line.
    #[getter]
    fn wdl(&self) -> Option<(f64, f64, f64)> {
        self.lines.first().and_then(Info::wdl)
    }

    /// Depth of the best line's iteration, in plies; 0 if no search was needed.
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

/// What a search of a position has found: what a pickle calls.
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

/// What a search on another thread tells.
pub(crate) enum Event {
    /// A line.
    Report(SearchReport),
    /// The end, with the time that it took.
    Done(BestMove, Duration),
    /// Why there is no search.
    Refused(String),
}

/// A search that runs: an iterator of what it finds. `with` stops it at the end of the block.
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
    /// What the rules of a game in Python raise.
    errors: Arc<RuleErrors>,
    /// The process that it runs in.
    process: u32,
    state: Mutex<State>,
}

/// How far somebody has listened.
struct State {
    receiver: Receiver<Event>,
    lines: Vec<Info>,
    result: Option<Result<Py<SearchResult>, PyErr>>,
}

impl Search {
    /// The search of a position that tells `receiver`.
    pub(crate) fn new(
        root: Arc<dyn AnyLine>,
        control: Arc<Control>,
        errors: Arc<RuleErrors>,
        receiver: Receiver<Event>,
    ) -> Search {
        let state = Mutex::new(State { receiver, lines: Vec::new(), result: None });
        Search { root, control, errors, process: std::process::id(), state }
    }

    /// Listens until there is a line, where one is `wanted`, or to the end. A signal whose handler raises
    /// stops the search.
    fn listen(&self, py: Python<'_>, wanted: bool) -> PyResult<Option<Info>> {
        if self.process != std::process::id() {
            return Err(forked());
        }
        if is_in_call() && self.errors.is_of_this_thread() {
            return Err(PyRuntimeError::new_err("rules in Python cannot wait for the search that asks them"));
        }
        loop {
            let info = py.detach(|| self.listen_a_while(wanted));
            match info {
                Listened::Line(info) => return Ok(Some(info)),
                Listened::End => return Ok(None),
                Listened::Nothing => py.check_signals().inspect_err(|_| self.control.stop())?,
            }
        }
    }

    fn listen_a_while(&self, wanted: bool) -> Listened {
        let mut state = lock(&self.state);
        while state.result.is_none() {
            let result = match state.receiver.recv_timeout(POLL_INTERVAL) {
                Err(RecvTimeoutError::Timeout) => return Listened::Nothing,
                Err(RecvTimeoutError::Disconnected) => {
                    Err(PyRuntimeError::new_err("an error within the search, see standard error"))
                }
                Ok(Event::Refused(reason)) => Err(PyRuntimeError::new_err(reason)),
                // What a search finds after an error of the rules means nothing.
                Ok(Event::Report(_)) if self.errors.is_any() => continue,
                Ok(Event::Report(report)) => {
                    let info = Info { root: Arc::clone(&self.root), report };
                    let place = info.report.multipv.max(1) as usize - 1;
                    match state.lines.get_mut(place) {
                        Some(line) => *line = info.clone(),
                        None => state.lines.push(info.clone()),
                    }
                    if wanted {
                        return Listened::Line(info);
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
        Listened::End
    }
}

/// What [`Search::listen_a_while`] has heard.
enum Listened {
    Line(Info),
    End,
    Nothing,
}

#[pymethods]
impl Search {
    /// Ends the search as soon as it can, at most some milliseconds later.
    fn stop(&self) {
        self.control.stop();
    }

    /// Waits for the end of the search; what it has found. A search without limits ends by `stop` only.
    ///
    /// Raises `RuntimeError` if there was no search, and what the rules of a game in Python have raised, each
    /// time that it is called.
    pub(crate) fn wait(&self, py: Python<'_>) -> PyResult<Py<SearchResult>> {
        self.listen(py, false)?;
        match &lock(&self.state).result {
            Some(Ok(result)) => Ok(result.clone_ref(py)),
            Some(Err(error)) => Err(error.clone_ref(py)),
            None => Err(PyRuntimeError::new_err("the search goes on")),
        }
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Info>> {
        match self.listen(py, true)? {
            Some(info) => Ok(Some(info)),
            // An error is not the end.
            None => self.wait(py).map(|_| None),
        }
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.control.stop();
        self.listen(py, false)?;
        // An error of the rules is not passed over, but stays behind one that is on its way already.
        let is_raising = exception.get_item(0).is_ok_and(|kind| !kind.is_none());
        self.errors.get(py).filter(|_| !is_raising).map_or(Ok(()), Err)
    }
}

impl Drop for Search {
    /// Nobody listens any more.
    fn drop(&mut self) {
        self.control.stop();
    }
}
