//! Running the searches of a session: [`Job`], [`Search`], [`SearchRunner`].

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::message::{LineState, SearchState};
use crate::player::EnginePlayer;
use labrys_arena::{Rules, TextPlayer, Variation};
use labrys_core::clock::Instant;
use labrys_core::engine::{Board, Engine, SearchReport};
use labrys_core::eval::UciScore;
use labrys_core::game::Color;
use labrys_core::search::{Bound, Clock, Control, Limits};
use labrys_protocol::engine_log::EngineLog;

/// The time for an answer to a question.
const ANSWER_TIME: Duration = Duration::from_millis(700);

/// The time for each position of a game that is reviewed.
const REVIEW_TIME: Duration = Duration::from_millis(200);

/// The number of engines to keep: those of both players.
const MAX_ENGINES: usize = 2;

/// The maximum number of moves of a line.
const MAX_PV: usize = 16;

/// The search to run, as it changes.
pub type Jobs = watch::Receiver<Option<Arc<Job>>>;

/// A question about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// A move to play.
    Hint,
    /// The continuation after a move.
    After(String),
    /// Whether a move is good enough, compared with the review.
    Try(String),
    /// The best move of the opponent if it were to move.
    Threat,
}

/// The purpose of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// An engine's move.
    Move(EnginePlayer),
    /// The answer to a question.
    Answer(Question),
    /// The review of a position of the line.
    Review,
    /// The analysis of the current position.
    Analysis,
}

/// A search to run.
#[derive(Debug)]
pub struct Job {
    pub(crate) purpose: Purpose,
    /// The name of the player or analyst.
    pub(crate) by: String,
    /// Engine options, if Labrys searches.
    pub(crate) options: Vec<(String, String)>,
    pub(crate) rules: Rules,
    /// The moves up to the position.
    pub(crate) game: Variation,
    /// The clocks of White and Black.
    pub(crate) clocks: [Option<Clock>; 2],
    /// The maximum depth of an analysis.
    pub(crate) depth: Option<u32>,
    /// The number of the game in its session, and the node of the position.
    pub(crate) number: u64,
    pub(crate) node: usize,
    /// Stops the search.
    pub(crate) control: Control,
}

/// A search of Labrys, serialisable so that another thread can run it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Search {
    /// The game, and the name and value of its option.
    variant: String,
    option: Option<(String, String)>,
    /// Engine options.
    options: Vec<(String, String)>,
    /// The start position and the moves after it.
    fen: String,
    moves: Vec<String>,
    /// The moves to search (`searchmoves`); empty for all.
    root_moves: Vec<String>,
    depth: Option<u32>,
    move_time: Option<Duration>,
    /// Remaining time and increment of White and Black.
    clocks: [Option<[Duration; 2]>; 2],
    number: u64,
    node: usize,
}

/// Runs the searches of a session, and keeps their engines for the next ones.
#[derive(Default)]
pub struct SearchRunner {
    /// The most recently used last.
    kept: Vec<KeptEngine>,
}

/// An engine, set up for a game.
struct KeptEngine {
    rules: Rules,
    engine: EngineKind,
}

enum EngineKind {
    /// Labrys, with its options.
    Labrys(Box<dyn Engine>, Vec<(String, String)>),
    /// An engine of the command line.
    Named(Box<dyn TextPlayer>, EnginePlayer),
}

impl Job {
    /// Whether both are the same search. Clocks are not compared, as they are running.
    pub(crate) fn is_same(&self, other: &Job) -> bool {
        (&self.purpose, &self.options, &self.rules, &self.game, self.depth, self.number, self.node)
            == (
                &other.purpose,
                &other.options,
                &other.rules,
                &other.game,
                other.depth,
                other.number,
                other.node,
            )
    }

    /// Whether the search runs until it is stopped.
    pub fn is_endless(&self) -> bool {
        self.purpose == Purpose::Analysis
    }

    /// Stops the search.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// Whether the search has been stopped.
    pub fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    /// The limits of the search if it starts now.
    fn limits(&self) -> Limits {
        let fixed = |time| Limits { start: Instant::now(), movetime: Some(time), ..Limits::none() };
        match &self.purpose {
            Purpose::Move(player) => player.limits(self.clocks),
            Purpose::Answer(_) => fixed(ANSWER_TIME),
            Purpose::Review => fixed(REVIEW_TIME),
            Purpose::Analysis => Limits { depth: self.depth, ..Limits::none() },
        }
    }

    /// The search, if Labrys is to run it; `None` for other engines.
    pub fn search(&self) -> Option<Search> {
        if let Purpose::Move(EnginePlayer::Named(_)) = self.purpose {
            return None;
        }
        let limits = self.limits();
        Some(Search {
            variant: self.rules.variant.clone(),
            option: self.rules.option.clone(),
            options: self.options.clone(),
            fen: self.game.fen.clone(),
            moves: self.game.moves.clone(),
            root_moves: match &self.purpose {
                Purpose::Answer(Question::After(mv) | Question::Try(mv)) => vec![mv.clone()],
                _ => Vec::new(),
            },
            depth: limits.depth,
            move_time: limits.movetime,
            clocks: limits.clocks.map(|clock| clock.map(|clock| [clock.remaining, clock.increment])),
            number: self.number,
            node: self.node,
        })
    }
}

impl SearchRunner {
    /// Whether any engines are kept.
    pub fn holds_engines(&self) -> bool {
        !self.kept.is_empty()
    }

    /// Runs a job and returns the best move. `report` is called with its progress.
    ///
    /// # Errors
    /// A message if the engine fails.
    pub fn run(&mut self, job: &Job, report: &mut dyn FnMut(&SearchState)) -> Result<Option<String>, String> {
        match &job.purpose {
            Purpose::Move(player @ EnginePlayer::Named(_)) => self.ask_engine(job, player, report),
            _ => match job.search() {
                Some(search) => self.search(&search, &job.control, report),
                None => Ok(None),
            },
        }
    }

    /// Runs a search of Labrys and returns the best move. `report` is called with its progress.
    ///
    /// # Errors
    /// A message if the engine fails.
    pub fn search(
        &mut self,
        search: &Search,
        control: &Control,
        report: &mut dyn FnMut(&SearchState),
    ) -> Result<Option<String>, String> {
        let message = |error: &dyn std::fmt::Display| error.to_string();
        let rules = Rules::new(&search.variant, search.option.clone()).map_err(|error| message(&error))?;
        let kept = self.take(
            &rules,
            |engine| matches!(engine, EngineKind::Labrys(_, options) if *options == search.options),
        );
        let mut engine = match kept {
            Some(EngineKind::Labrys(engine, _)) => engine,
            _ => labrys(&rules, &search.options)?,
        };
        let best = search.run(&rules, engine.as_mut(), control, report)?;
        self.keep(rules, EngineKind::Labrys(engine, search.options.clone()));
        Ok(best)
    }

    /// Runs the search of an engine of the command line.
    fn ask_engine(
        &mut self,
        job: &Job,
        player: &EnginePlayer,
        report: &mut dyn FnMut(&SearchState),
    ) -> Result<Option<String>, String> {
        let EnginePlayer::Named(config) = player else { return Ok(None) };
        let kept =
            self.take(&job.rules, |engine| matches!(engine, EngineKind::Named(_, own) if own == player));
        let mut engine = match kept {
            Some(EngineKind::Named(engine, _)) => engine,
            _ => config.setup.text_player(&job.rules, &EngineLog::default()),
        };
        let start = Instant::now();
        let reply =
            engine.think(&job.game, &job.limits(), &job.control).map_err(|error| error.to_string())?;
        let mut board = job.rules.board().map_err(|error| error.to_string())?;
        board.set_up(Some(&job.game.fen), &job.game.moves).map_err(|error| error.to_string())?;
        let score = reply.score.map(|score| (score, expected_points(score)));
        if let Some(line) = score.map(|score| line(board.as_mut(), score, &reply.pv)) {
            report(&SearchState {
                number: job.number,
                node: job.node,
                depth: reply.depth.unwrap_or(0),
                nodes: reply.nodes.unwrap_or(0),
                seconds: start.elapsed().as_secs_f64(),
                lines: vec![line],
            });
        }
        self.keep(job.rules.clone(), EngineKind::Named(engine, player.clone()));
        Ok(Some(reply.mv))
    }

    /// Takes a suitable engine out of those kept, so that a failed search drops it.
    fn take(&mut self, rules: &Rules, suits: impl Fn(&EngineKind) -> bool) -> Option<EngineKind> {
        let index = self.kept.iter().position(|kept| kept.rules == *rules && suits(&kept.engine))?;
        Some(self.kept.remove(index).engine)
    }

    fn keep(&mut self, rules: Rules, engine: EngineKind) {
        self.kept.push(KeptEngine { rules, engine });
        if self.kept.len() > MAX_ENGINES {
            self.kept.remove(0);
        }
    }
}

impl Search {
    /// The threads of the search.
    pub fn threads(&self) -> usize {
        let threads = self.options.iter().find(|(name, _)| name == "Threads");
        threads.and_then(|(_, value)| value.parse().ok()).unwrap_or(1)
    }

    /// The limits of the search if it starts now.
    fn limits(&self) -> Limits {
        let clock = |[remaining, increment]: [Duration; 2]| Clock { remaining, increment };
        Limits {
            depth: self.depth,
            movetime: self.move_time,
            clocks: self.clocks.map(|times| times.map(clock)),
            ..Limits::none()
        }
    }

    fn run(
        &self,
        rules: &Rules,
        engine: &mut dyn Engine,
        control: &Control,
        report: &mut dyn FnMut(&SearchState),
    ) -> Result<Option<String>, String> {
        let Search { fen, moves, .. } = self;
        engine.board_mut().set_up(Some(fen), moves).map_err(|error| error.to_string())?;
        engine.check_net().map_err(|error| error.to_string())?;
        let mut board = rules.board().map_err(|error| error.to_string())?;
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
            // Bounds are skipped: only exact scores are shown and stored.
            if next.bound == Bound::Exact {
                let points = next.expected_points().unwrap_or_else(|| expected_points(next.score));
                let mut line = line(board.as_mut(), (next.score, points), &next.pv);
                line.visits = next.visits.map(|visits| {
                    (f64::from(visits.count) / f64::from(visits.simulations.max(1)), visits.mean)
                });
                found.set_line(next.multipv as usize, next.depth, line);
            }
            report(&found);
        };
        let best = engine.search(&self.root_moves, &self.limits(), control, &mut listener);
        Ok(best.map_err(|error| error.to_string())?.best)
    }
}

impl SearchState {
    /// Sets line `number`, counted from 1.
    fn set_line(&mut self, number: usize, depth: u32, line: LineState) {
        let index = number.saturating_sub(1);
        match self.lines.get_mut(index) {
            Some(old) => *old = line,
            None => self.lines.push(line),
        }
        self.depth = depth;
    }
}

/// A Labrys engine with the given options.
pub(crate) fn labrys(rules: &Rules, options: &[(String, String)]) -> Result<Box<dyn Engine>, String> {
    let mut engine = rules.engine().map_err(|error| error.to_string())?;
    let shown = [("UCI_ShowWDL".to_owned(), "true".to_owned())];
    for (name, value) in shown.iter().chain(options) {
        engine.set_option(name, value).map_err(|error| error.to_string())?;
    }
    Ok(engine)
}

/// Converts a PV: score and expected points to White's point of view, moves to SAN. Plays the line on
/// `board`.
fn line(board: &mut dyn Board, (score, points): (UciScore, f64), pv: &[String]) -> LineState {
    let is_white = board.side_to_move() == Color::White;
    let (mut line, mut boards) = (Vec::new(), Vec::new());
    for mv in pv.iter().take(MAX_PV) {
        let Ok(text) = board.play_to_san(mv) else { break };
        line.push(text);
        boards.push(board.fen().split(' ').next().unwrap_or_default().to_owned());
    }
    LineState {
        moves: pv[..line.len()].to_vec(),
        boards,
        mv: pv.first().cloned().unwrap_or_default(),
        score: if is_white { score } else { -score }.to_string(),
        result: if is_white { points } else { 1.0 - points },
        line,
        visits: None,
    }
}

/// The expected points of a score, by the logistic formula of Elo with 400 centipawns for odds of ten to one;
/// for engines that do not report WDL.
fn expected_points(score: UciScore) -> f64 {
    match score {
        UciScore::Mate(moves) if moves > 0 => 1.0,
        UciScore::Mate(_) => 0.0,
        UciScore::Centi(centi) => 1.0 / (1.0 + 10_f64.powf(-f64::from(centi) / 400.0)),
    }
}
