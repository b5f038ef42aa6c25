//! The searches of a session.
//!
//! A task per session waits for its next [`Job`] and runs it on a thread for blocking work. The number of
//! searches at a time is limited for the whole server; the others wait for their turn.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;

use super::catalogue::Level;
use super::message::SearchState;
use super::session::Session;
use crate::arena::{Rules, Variation};
use crate::engine::{Board, Engine, SearchReport};
use crate::eval::UciScore;
use crate::game::Color;
use crate::search::{Control, Limits};

/// The longest search for the evaluation of a position.
const ANALYSIS: Duration = Duration::from_secs(10);

/// The search that a session needs now, as it changes.
pub(super) type Jobs = watch::Receiver<Option<Arc<Job>>>;

/// What a search is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A move of an engine.
    Move(Level),
    /// The evaluation of the position on the board.
    Analysis,
}

/// A search to be made.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) purpose: Purpose,
    pub(super) rules: Rules,
    /// The game up to the position.
    pub(super) game: Variation,
    /// The number of the game in its session, and the node of the position.
    pub(super) number: u64,
    pub(super) node: usize,
    /// Stops the search.
    pub(super) control: Control,
}

impl Job {
    /// Whether both are for the same search.
    pub(super) fn is_same(&self, other: &Job) -> bool {
        (&self.purpose, &self.rules, &self.game, self.number, self.node)
            == (&other.purpose, &other.rules, &other.game, other.number, other.node)
    }

    /// Runs the search on an engine of the rules, and returns the best move. `report` is called with what it
    /// has found so far.
    fn run(
        &self,
        engine: &mut dyn Engine,
        report: &mut dyn FnMut(SearchState),
    ) -> Result<Option<String>, String> {
        let (options, limits) = match &self.purpose {
            Purpose::Move(level) => (level.options.as_slice(), level.limits()),
            Purpose::Analysis => {
                let limits = Limits { start: Instant::now(), movetime: Some(ANALYSIS), ..Limits::none() };
                (&[][..], limits)
            }
        };
        for (name, value) in options.iter().map(|(name, value)| (*name, value.as_str())) {
            engine.set_option(name, value).map_err(|error| error.to_string())?;
        }
        let Variation { fen, moves } = &self.game;
        engine.board_mut().set_up(Some(fen), moves).map_err(|error| error.to_string())?;
        let mut board = self.rules.board().map_err(|error| error.to_string())?;
        let mut listener = |found: &SearchReport| {
            if board.set_up(Some(fen), moves).is_ok() {
                report(self.state(found, board.as_mut()));
            }
        };
        let best = engine.search(&[], &limits, &self.control, &mut listener);
        Ok(best.map_err(|error| error.to_string())?.best)
    }

    /// What a search has found, for White and in the notation of records. `board` has the position and plays
    /// the line.
    fn state(&self, found: &SearchReport, board: &mut dyn Board) -> SearchState {
        let is_white = board.side_to_move() == Color::White;
        let score = if is_white { found.score } else { -found.score };
        let result = match (found.expected_points(), found.score) {
            (Some(points), _) => points,
            (None, UciScore::Mate(moves)) if moves > 0 => 1.0,
            (None, UciScore::Mate(_)) => 0.0,
            (None, UciScore::Centi(_)) => 0.5,
        };
        let result = if is_white { result } else { 1.0 - result };
        let line = found.pv.iter().map_while(|mv| board.play_to_san(mv).ok());
        SearchState {
            number: self.number,
            node: self.node,
            depth: found.depth,
            score: score.to_string(),
            result,
            nodes: found.nodes,
            seconds: found.time.as_secs_f64(),
            line: line.collect(),
        }
    }

    /// An engine for the job.
    fn engine(&self) -> Result<Box<dyn Engine>, String> {
        let mut engine = self.rules.engine().map_err(|error| error.to_string())?;
        engine.set_option("UCI_ShowWDL", "true").map_err(|error| error.to_string())?;
        Ok(engine)
    }
}

/// Runs the jobs of a session until it is dropped. `slots` are those of the searches of the server.
pub(super) async fn run(session: Weak<Session>, mut jobs: Jobs, slots: Arc<Semaphore>) {
    // The engine is kept while the same player of the same game thinks.
    let mut kept: Option<(Arc<Job>, Box<dyn Engine>)> = None;
    while jobs.changed().await.is_ok() {
        let Some(job) = jobs.borrow_and_update().clone() else { continue };
        // The semaphore is never closed.
        let Ok(slot) = slots.clone().acquire_owned().await else { return };
        if job.control.is_stopped() {
            continue;
        }
        let engine =
            kept.take().filter(|(last, _)| (&last.rules, &last.purpose) == (&job.rules, &job.purpose));
        let (task, listener) = (job.clone(), session.clone());
        let searched = spawn_blocking(move || {
            let _slot = slot;
            let mut engine = engine.map_or_else(|| task.engine(), |(_, engine)| Ok(engine))?;
            let best = task.run(engine.as_mut(), &mut |state| {
                if let Some(session) = listener.upgrade() {
                    session.searched(&task, state);
                }
            })?;
            Ok::<_, String>((engine, best))
        });
        // A search that fails ends with an error here, and its engine is lost.
        let searched = searched.await.unwrap_or_else(|error| Err(format!("the search has failed: {error}")));
        let Some(session) = session.upgrade() else { return };
        let best = searched.map(|(engine, best)| {
            kept = Some((job.clone(), engine));
            best
        });
        session.finished(&job, best);
    }
}
