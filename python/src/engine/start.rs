//! Starting a search.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use labrys::engine::{self, SearchReport};
use labrys::search::{Clock, Control, Limits};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::access::Access;
use crate::convert::{Count, elements, move_of, value_error};
use crate::line::AnyLine;
use crate::rule_errors::RuleErrors;
use crate::search::{Event, Search};

/// The arguments of a search.
pub(super) struct SearchArguments<'a, 'py> {
    pub(super) time: Option<f64>,
    pub(super) nodes: Option<Count<u64>>,
    pub(super) depth: Option<Count<u32>>,
    pub(super) mate: Option<Count<u32>>,
    pub(super) clock: Option<(f64, f64)>,
    pub(super) moves: Option<&'a Bound<'py, PyAny>>,
}

impl SearchArguments<'_, '_> {
    /// The limits.
    pub(super) fn limits(&self, root: &Arc<dyn AnyLine>) -> PyResult<Limits> {
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

    /// The first moves to search; empty for all.
    pub(super) fn moves(&self, root: &Arc<dyn AnyLine>) -> PyResult<Vec<String>> {
        let Some(moves) = self.moves else { return Ok(Vec::new()) };
        let moves = elements("moves", moves)?.map(|mv| Ok(root.move_text(move_of(root, &mv?)?)));
        let moves: Vec<String> = moves.collect::<PyResult<_>>()?;
        if moves.is_empty() {
            return Err(value_error("moves: expected at least one move, or None for all legal moves"));
        }
        Ok(moves)
    }
}

/// A time in seconds.
fn seconds(name: &str, seconds: f64) -> PyResult<Duration> {
    let time = labrys::arena::seconds(&seconds.to_string());
    time.ok_or_else(|| value_error(format!("{name}: expected seconds, from 0 to 1000000, not {seconds}")))
}

/// Starts the search of a position on its own thread.
///
/// # Errors
/// Those of [`Access::check`].
pub(super) fn start_search(
    access: &Arc<Access>,
    root: Arc<dyn AnyLine>,
    limits: Limits,
    moves: Vec<String>,
) -> PyResult<Search> {
    access.check()?;
    let control = Arc::new(Control::default());
    let token = access.register(&control);
    let errors = RuleErrors::of_search(root.game().info().name, Arc::clone(&control));
    let (sender, receiver) = mpsc::channel();
    let search = Search::new(Arc::clone(&root), Arc::clone(&control), Arc::clone(&errors), receiver);
    let access = Arc::clone(access);
    let think = move || {
        let event = errors.during(|| {
            // A search can also be stopped while it waits for another one.
            let stopped = "the search was stopped before it began: another one was running";
            #[expect(clippy::result_large_err, reason = "events are sent by value, and this one only once")]
            let wait = || if control.is_stopped() { Err(Event::Refused(stopped.to_owned())) } else { Ok(()) };
            let mut engine = match access.enter(wait) {
                Ok(engine) => engine,
                Err(refused) => return refused,
            };
            let start = Instant::now();
            if let Err(reason) = set_up(engine.as_mut(), &root) {
                return Event::Refused(reason);
            }
            // Without a receiver, the control has already been stopped.
            let mut tell = |report: &SearchReport| _ = sender.send(Event::Report(report.clone()));
            match engine.search(&moves, &Limits { start, ..limits }, &control, &mut tell) {
                Ok(best) => Event::Done(best, start.elapsed()),
                Err(error) => Event::Refused(error.to_string()),
            }
        });
        drop(token);
        _ = sender.send(event);
    };
    let spawned = std::thread::Builder::new().name("labrys search".to_owned()).spawn(think);
    spawned.map_err(|error| PyRuntimeError::new_err(format!("no thread for the search: {error}")))?;
    Ok(search)
}

/// Sets a position up, with the option of its game.
pub(super) fn set_up(engine: &mut dyn engine::Engine, root: &Arc<dyn AnyLine>) -> Result<(), String> {
    let positions = Arc::clone(root).positions();
    let texts = positions.iter().zip(root.moves()).map(|(line, mv)| line.move_text(mv));
    let moves: Vec<_> = texts.collect();
    let board = engine.board_mut();
    if let Some(option) = root.game().info().option {
        board.set_option(option.name, option.choices[root.choice()]).map_err(|error| error.to_string())?;
    }
    board.set_up(Some(&positions[0].fen()), &moves).map_err(|error| error.to_string())
}
