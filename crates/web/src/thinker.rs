//! The searches of a session.
//!
//! A task per session waits for its next [`Job`] and runs it on a thread for blocking work. The number of
//! searches at a time is limited for the whole server; the others wait for their turn.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;

use super::message::{LineState, SearchState};
use super::player::EnginePlayer;
use super::session::Session;
use labrys_arena::{Rules, TextPlayer, Variation};
use labrys_core::engine::{Board, Engine, SearchReport};
use labrys_core::eval::UciScore;
use labrys_core::game::Color;
use labrys_core::search::{Bound, Clock, Control, Limits};
use labrys_protocol::engine_log::EngineLog;

/// The longest search for the evaluation of a position.
const ANALYSIS: Duration = Duration::from_secs(10);

/// The time for an answer to a question.
const ANSWER: Duration = Duration::from_millis(700);

/// The time for each position of a game that is reviewed.
const REVIEW: Duration = Duration::from_millis(200);

/// Engines that a session keeps: those of both players.
const KEPT: usize = 2;

/// The moves of a line that are told.
const LONGEST_LINE: usize = 16;

/// The search that a session needs now, as it changes.
pub(super) type Jobs = watch::Receiver<Option<Arc<Job>>>;

/// What a search is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A move of an engine.
    Move(EnginePlayer),
    /// A move to play, or what follows a move.
    Answer(Option<String>),
    /// The evaluation of a position of the line.
    Review,
    /// The evaluation of the position on the board.
    Analysis,
}

/// A search to be made.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) purpose: Purpose,
    /// Options of the search of Labrys.
    pub(super) options: Vec<(String, String)>,
    pub(super) rules: Rules,
    /// The game up to the position.
    pub(super) game: Variation,
    /// The clocks of White and Black.
    pub(super) clocks: [Option<Clock>; 2],
    /// The number of the game in its session, and the node of the position.
    pub(super) number: u64,
    pub(super) node: usize,
    /// Stops the search.
    pub(super) control: Control,
}

/// What searches.
enum Searcher {
    /// Labrys, with its options.
    Labrys(Box<dyn Engine>, Vec<(String, String)>),
    /// An engine of the command line.
    Named(Box<dyn TextPlayer>, EnginePlayer),
}

impl Job {
    /// Whether both are for the same search. Clocks run on and make no difference.
    pub(super) fn is_same(&self, other: &Job) -> bool {
        (&self.purpose, &self.options, &self.rules, &self.game, self.number, self.node)
            == (&other.purpose, &other.options, &other.rules, &other.game, other.number, other.node)
    }

    /// The limits of the search from now on.
    fn limits(&self) -> Limits {
        let fixed = |time| Limits { start: Instant::now(), movetime: Some(time), ..Limits::none() };
        match &self.purpose {
            Purpose::Move(player) => player.limits(self.clocks),
            Purpose::Answer(_) => fixed(ANSWER),
            Purpose::Review => fixed(REVIEW),
            Purpose::Analysis => fixed(ANALYSIS),
        }
    }

    /// Whether a searcher of a game can make the search.
    fn suits(&self, rules: &Rules, searcher: &Searcher) -> bool {
        let suits = match (&self.purpose, searcher) {
            (Purpose::Move(player @ EnginePlayer::Named(_)), Searcher::Named(_, own)) => player == own,
            (Purpose::Move(EnginePlayer::Named(_)), _) | (_, Searcher::Named(..)) => false,
            (_, Searcher::Labrys(_, options)) => *options == self.options,
        };
        suits && *rules == self.rules
    }

    /// What can make the search.
    fn searcher(&self) -> Result<Searcher, String> {
        if let Purpose::Move(player @ EnginePlayer::Named(config)) = &self.purpose {
            let engine = config.setup.text_player(&self.rules, &EngineLog::default());
            return Ok(Searcher::Named(engine, player.clone()));
        }
        Ok(Searcher::Labrys(labrys(&self.rules, &self.options)?, self.options.clone()))
    }

    /// Runs the search, and returns the best move. `report` is called with what it has found so far.
    fn run(
        &self,
        searcher: &mut Searcher,
        report: &mut dyn FnMut(&SearchState),
    ) -> Result<Option<String>, String> {
        match searcher {
            Searcher::Labrys(engine, _) => self.run_labrys(engine.as_mut(), report),
            Searcher::Named(engine, _) => {
                let start = Instant::now();
                let reply = engine.think(&self.game, &self.limits(), &self.control);
                let reply = reply.map_err(|error| error.to_string())?;
                let mut board = self.board()?;
                let score = reply.score.map(|score| (score, expected_points(score)));
                if let Some(line) = score.map(|score| line(board.as_mut(), score, &reply.pv)) {
                    report(&SearchState {
                        number: self.number,
                        node: self.node,
                        depth: reply.depth.unwrap_or(0),
                        nodes: reply.nodes.unwrap_or(0),
                        seconds: start.elapsed().as_secs_f64(),
                        lines: vec![line],
                    });
                }
                Ok(Some(reply.mv))
            }
        }
    }

    /// The board in the position.
    fn board(&self) -> Result<Box<dyn Board>, String> {
        let mut board = self.rules.board().map_err(|error| error.to_string())?;
        board.set_up(Some(&self.game.fen), &self.game.moves).map_err(|error| error.to_string())?;
        Ok(board)
    }

    fn run_labrys(
        &self,
        engine: &mut dyn Engine,
        report: &mut dyn FnMut(&SearchState),
    ) -> Result<Option<String>, String> {
        let Variation { fen, moves } = &self.game;
        engine.board_mut().set_up(Some(fen), moves).map_err(|error| error.to_string())?;
        engine.check_net().map_err(|error| error.to_string())?;
        let mut board = self.board()?;
        let root_moves = match &self.purpose {
            Purpose::Answer(Some(mv)) => std::slice::from_ref(mv),
            _ => &[],
        };
        let mut found = SearchState {
            number: self.number,
            node: self.node,
            depth: 0,
            nodes: 0,
            seconds: 0.0,
            lines: Vec::new(),
        };
        let mut listener = |next: &SearchReport| {
            if board.set_up(Some(fen), moves).is_err() {
                return;
            }
            (found.nodes, found.seconds) = (next.nodes, next.time.as_secs_f64());
            // Scores that are bounds are passed over: what is shown and noted is exact.
            if next.bound == Bound::Exact {
                let points = next.expected_points().unwrap_or_else(|| expected_points(next.score));
                let mut line = line(board.as_mut(), (next.score, points), &next.pv);
                line.visits = next.visits.map(|visits| {
                    (f64::from(visits.count) / f64::from(visits.simulations.max(1)), visits.mean)
                });
                found.see(next.multipv as usize, next.depth, line);
            }
            report(&found);
        };
        let best = engine.search(root_moves, &self.limits(), &self.control, &mut listener);
        Ok(best.map_err(|error| error.to_string())?.best)
    }
}

impl SearchState {
    /// Notes a line, whose number is from 1, with an exact score.
    fn see(&mut self, number: usize, depth: u32, line: LineState) {
        let index = number.saturating_sub(1);
        match self.lines.get_mut(index) {
            Some(old) => *old = line,
            None => self.lines.push(line),
        }
        self.depth = depth;
    }
}

/// Labrys with options.
pub(super) fn labrys(rules: &Rules, options: &[(String, String)]) -> Result<Box<dyn Engine>, String> {
    let mut engine = rules.engine().map_err(|error| error.to_string())?;
    let shown = [("UCI_ShowWDL".to_owned(), "true".to_owned())];
    for (name, value) in shown.iter().chain(options) {
        engine.set_option(name, value).map_err(|error| error.to_string())?;
    }
    Ok(engine)
}

/// A line of the side to move, with its score and its expected points, for White and in the notation of
/// records. `board` has the position and plays the line.
fn line(board: &mut dyn Board, (score, points): (UciScore, f64), pv: &[String]) -> LineState {
    let is_white = board.side_to_move() == Color::White;
    LineState {
        mv: pv.first().cloned().unwrap_or_default(),
        score: if is_white { score } else { -score }.to_string(),
        result: if is_white { points } else { 1.0 - points },
        line: pv.iter().take(LONGEST_LINE).map_while(|mv| board.play_to_san(mv).ok()).collect(),
        visits: None,
    }
}

/// The expected points of a score whose engine does not tell them, by the formula of Elo: 400 centipawns are
/// ten to one.
fn expected_points(score: UciScore) -> f64 {
    match score {
        UciScore::Mate(moves) if moves > 0 => 1.0,
        UciScore::Mate(_) => 0.0,
        UciScore::Centi(centi) => 1.0 / (1.0 + 10_f64.powf(-f64::from(centi) / 400.0)),
    }
}

/// Runs the jobs of a session until it is dropped. `slots` are those of the searches of the server.
pub(super) async fn run(session: Weak<Session>, mut jobs: Jobs, slots: Arc<Semaphore>) {
    // What has searched is kept for the next search that it can make, the last one at the end.
    let mut kept: Vec<(Rules, Searcher)> = Vec::new();
    while jobs.changed().await.is_ok() {
        let Some(job) = jobs.borrow_and_update().clone() else { continue };
        // The semaphore is never closed.
        let Ok(slot) = slots.clone().acquire_owned().await else { return };
        if job.control.is_stopped() {
            continue;
        }
        let index = kept.iter().position(|(rules, searcher)| job.suits(rules, searcher));
        let last = index.map(|index| kept.remove(index).1);
        let (task, listener) = (job.clone(), session.clone());
        let searched = spawn_blocking(move || {
            let _slot = slot;
            let mut searcher = last.map_or_else(|| task.searcher(), Ok)?;
            let best = task.run(&mut searcher, &mut |state| {
                if let Some(session) = listener.upgrade() {
                    session.searched(&task, state);
                }
            })?;
            Ok::<_, String>((searcher, best))
        });
        // A search that fails ends with an error here, and its engine is lost.
        let searched = searched.await.unwrap_or_else(|error| Err(format!("the search has failed: {error}")));
        let Some(session) = session.upgrade() else { return };
        let best = searched.map(|(searcher, best)| {
            kept.push((job.rules.clone(), searcher));
            if kept.len() > KEPT {
                kept.remove(0);
            }
            best
        });
        session.finished(&job, best);
    }
}
