//! A session: a game with its players, which outlives the connections to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use thiserror::Error;
use time::OffsetDateTime;
use tokio::sync::watch;

use super::catalogue::{Catalogue, Offer};
use super::game_tree::{GameError, GameTree};
use super::message::{Answer, ClockRequest, Eval, FeatureTable, Message, Request, SearchState};
use super::player::SidePlayer;
use super::saved::SavedSession;
use super::state::State;
use super::thinker::{Job, Jobs, Purpose};
use crate::arena::TimeControl;
use crate::game::quote;

/// The most lines of an analysis.
const MOST_LINES: usize = 5;

/// The greatest numbers of a clock: minutes for the game, and seconds after each move.
const LONGEST_CLOCK: (f64, f64) = (600.0, 600.0);

/// Why a request is refused.
#[derive(Debug, Error)]
pub(super) enum Refusal {
    #[error("there is no game {}", quote(.0))]
    Game(String),
    #[error("there is no player {}", quote(.0))]
    Player(String),
    #[error("there is no analyst {}", quote(.0))]
    Analyst(String),
    #[error("a clock has up to {} minutes and {} seconds a move, and one of them", LONGEST_CLOCK.0, LONGEST_CLOCK.1)]
    Clock,
    #[error("an analysis has 1 to {MOST_LINES} lines")]
    Lines,
    #[error("{0}")]
    Rules(String),
    #[error("{0}")]
    Tree(#[from] GameError),
    #[error("the position has changed meanwhile")]
    Stale,
    #[error("it is the turn of an engine")]
    NotYourTurn,
    #[error("no engine has to move")]
    NoEngine,
}

/// A session.
pub(super) struct Session {
    /// Its name, which only those know who use it.
    pub(super) id: String,
    pub(super) catalogue: Arc<Catalogue>,
    state: Mutex<State>,
    /// The latest message about the game.
    game: watch::Sender<Arc<str>>,
    /// The latest message about a search.
    search: watch::Sender<Option<Arc<str>>>,
    /// The search to be made now.
    jobs: watch::Sender<Option<Arc<Job>>>,
    /// When the time of the side to move will be over.
    deadlines: watch::Sender<Option<Instant>>,
    /// Whether the game has changed since it was saved.
    is_changed: AtomicBool,
}

/// What a connection listens to.
pub(super) struct Listener {
    pub(super) game: watch::Receiver<Arc<str>>,
    pub(super) search: watch::Receiver<Option<Arc<str>>>,
}

/// What the tasks of a session wait for.
pub(super) struct Tasks {
    pub(super) jobs: Jobs,
    pub(super) deadlines: watch::Receiver<Option<Instant>>,
}

impl Session {
    /// A session with a game of the first offer: a person against a level of medium strength.
    pub(super) fn fresh(id: String, catalogue: Arc<Catalogue>) -> Result<(Session, Tasks), Refusal> {
        let offer = catalogue.offers.first().ok_or_else(|| Refusal::Game(String::new()))?;
        let tree = GameTree::new(offer.rules(None).map_err(Refusal::Rules)?, None)?;
        let level = &offer.levels[offer.levels.len() / 2 - 1].name;
        let players = read_players(offer, &catalogue, [super::player::PERSON, level])?;
        let state = State::new(tree, players, catalogue.analysts[0].clone());
        Ok(Session::new(id, catalogue, state))
    }

    /// A session in a state. Returns what its tasks wait for, too.
    pub(super) fn new(id: String, catalogue: Arc<Catalogue>, state: State) -> (Session, Tasks) {
        let session = Session {
            id,
            catalogue,
            game: watch::Sender::new(state.to_json().into()),
            state: Mutex::new(state),
            search: watch::Sender::new(None),
            jobs: watch::Sender::new(None),
            deadlines: watch::Sender::new(None),
            is_changed: AtomicBool::new(false),
        };
        let tasks = Tasks { jobs: session.jobs.subscribe(), deadlines: session.deadlines.subscribe() };
        // Engines go on where they were.
        session.publish(&mut session.state());
        session.is_changed.store(false, Ordering::Relaxed);
        (session, tasks)
    }

    /// The first message to a connection.
    pub(super) fn welcome(&self, has_folder: bool) -> String {
        let Catalogue { offers, engines, analysts } = self.catalogue.as_ref();
        let welcome = Message::Welcome {
            version: env!("CARGO_PKG_VERSION"),
            session: &self.id,
            folder: has_folder,
            games: offers.iter().map(Offer::text).collect(),
            engines: engines.iter().map(|engine| engine.name.as_str()).collect(),
            analysts: analysts.iter().map(|analyst| analyst.name.as_str()).collect(),
        };
        welcome.to_json()
    }

    /// What is told about the session from now on, beginning with the game as it stands.
    pub(super) fn listen(&self) -> Listener {
        let mut listener = Listener { game: self.game.subscribe(), search: self.search.subscribe() };
        listener.game.mark_changed();
        listener.search.mark_changed();
        listener
    }

    /// Whether somebody is connected.
    pub(super) fn is_in_use(&self) -> bool {
        self.game.receiver_count() > 0
    }

    /// Does what a browser asks for. Returns an answer for this browser alone.
    pub(super) fn request(&self, request: Request) -> Option<String> {
        match self.execute(request) {
            Ok(answer) => answer,
            Err(refusal) => Some(error(&refusal)),
        }
    }

    /// What has to be saved, if the game has changed since the last call.
    pub(super) fn take_changes(&self) -> Option<SavedSession> {
        self.is_changed.swap(false, Ordering::Relaxed).then(|| SavedSession::new(&self.state()))
    }

    /// A panic in another thread leaves a state in which every request was executed or not.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn execute(&self, request: Request) -> Result<Option<String>, Refusal> {
        let state = &mut *self.state();
        let was_over = state.tree.end().is_some();
        state.stop_clock();
        let done = self.change(state, request);
        if let Ok(None) = done {
            state.problem = None;
            self.publish(state);
        } else if was_over || state.tree.end().is_none() {
            self.deadlines.send_replace(state.start_clock());
        } else {
            // The time was over, and the request came too late.
            self.publish(state);
        }
        done
    }

    /// Changes the state as a request says.
    fn change(&self, state: &mut State, request: Request) -> Result<Option<String>, Refusal> {
        match request {
            Request::New { game, option, fen, players, clock } => {
                let offer = self.offer(&game)?;
                let players = read_players(offer, &self.catalogue, players.each_ref().map(String::as_str))?;
                let rules = offer.rules(option.as_deref()).map_err(Refusal::Rules)?;
                let fen = fen.as_deref().map(str::trim).filter(|fen| !fen.is_empty());
                let control = clock.map(|clock| read_clock(&clock)).transpose()?;
                state.begin(GameTree::new(rules, fen)?, players, control);
            }
            Request::Load { pgn } => self.load(state, &pgn)?,
            Request::Play { node, mv } => {
                if node != state.tree.shown() {
                    return Err(Refusal::Stale);
                }
                if state.engine_to_move().is_some() {
                    return Err(Refusal::NotYourTurn);
                }
                state.play(&mv)?;
            }
            Request::Show { node } => state.tree.show(node)?,
            Request::TakeBack => {
                state.tree.take_back()?;
                while state.engine_to_move().is_some() && state.has_person() && state.tree.take_back().is_ok()
                {
                }
            }
            Request::Players { players } => {
                let offer = self.offer(&state.tree.rules().variant)?;
                state.players = read_players(offer, &self.catalogue, players.each_ref().map(String::as_str))?;
            }
            Request::Pause { on } => (state.is_paused, state.is_stepping) = (on, false),
            Request::Step => {
                (state.is_paused, state.is_stepping) = (true, true);
                if state.engine_to_move().is_none() || state.tree.end().is_some() {
                    state.is_stepping = false;
                    return Err(Refusal::NoEngine);
                }
            }
            Request::Analyse { on, lines, analyst } => {
                let lines = lines.unwrap_or(state.analysis.lines);
                if !(1..=MOST_LINES).contains(&lines) {
                    return Err(Refusal::Lines);
                }
                if let Some(name) = analyst {
                    let analyst = self.catalogue.analysts.iter().find(|analyst| analyst.name == name);
                    state.analysis.analyst = analyst.ok_or(Refusal::Analyst(name))?.clone();
                }
                (state.analysis.is_on, state.analysis.lines, state.analysis.done) = (on, lines, None);
            }
            Request::Review => state.is_reviewing = true,
            Request::Ask { node, mv } => {
                if node != state.tree.shown() || state.tree.end().is_some() {
                    return Err(Refusal::Stale);
                }
                if let Some(mv) = &mv {
                    state.tree.board().check_move(mv).map_err(GameError::from)?;
                }
                state.question = Some((node, mv));
            }
            Request::Features => return Ok(Some(features(state)?)),
            Request::Save => {
                let date = OffsetDateTime::now_utc().date();
                let date = format!("{}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day());
                let players = state.players.each_ref().map(SidePlayer::name);
                let control = state.control.map_or(String::new(), |control| control.to_string());
                let pgn = state.tree.to_pgn(players, date, &control)?;
                return Ok(Some(Message::Saved { pgn }.to_json()));
            }
        }
        Ok(None)
    }

    /// Replaces the game by the first one of a PGN text.
    fn load(&self, state: &mut State, pgn: &str) -> Result<(), Refusal> {
        let (tree, names) = GameTree::from_pgn(pgn, |game| {
            let offer = self.catalogue.offer(game).into_iter();
            let rules = offer.flat_map(|offer| offer.values().iter().map(|value| offer.rules(Some(value))));
            rules.filter_map(Result::ok).collect()
        })?;
        let offer = self.offer(&tree.rules().variant)?;
        let find = |name: String| SidePlayer::find(&name, offer, &self.catalogue);
        let players = names.map(|name| find(name).unwrap_or(SidePlayer::Person));
        state.begin(tree, players, None);
        // A game that was broken off goes on when somebody wants it to.
        state.is_paused = state.players.iter().any(|player| *player != SidePlayer::Person);
        Ok(())
    }

    fn offer(&self, game: &str) -> Result<&Offer, Refusal> {
        self.catalogue.offer(game).ok_or_else(|| Refusal::Game(game.to_owned()))
    }

    /// Starts the clock and the search that the state needs, stops a search that it does not need, and tells
    /// everybody.
    fn publish(&self, state: &mut State) {
        self.is_changed.store(true, Ordering::Relaxed);
        self.deadlines.send_replace(state.start_clock());
        let job = state.next_job();
        let is_running = match (&state.job, &job) {
            (Some(running), Some(job)) => running.is_same(job),
            (None, None) => true,
            _ => false,
        };
        if !is_running {
            if let Some(running) = &state.job {
                running.control.stop();
            }
            state.job = job.map(Arc::new);
            if let Some(job) = &state.job {
                log::debug!("session {}: {job:?}", self.id);
            }
            self.jobs.send_replace(state.job.clone());
        }
        self.game.send_replace(state.to_json().into());
    }

    /// Called when the time of the side to move is over.
    pub(super) fn time_is_over(&self) {
        let state = &mut *self.state();
        state.stop_clock();
        self.publish(state);
    }

    /// Called with what a search has found so far.
    pub(super) fn searched(&self, job: &Job, found: &SearchState) {
        let state = &mut *self.state();
        let Some(best) = found.lines.first().filter(|_| !job.control.is_stopped()) else { return };
        match &job.purpose {
            // What follows a certain move says nothing of the position.
            Purpose::Answer(about) => {
                let (about, line) = (about.clone(), best.clone());
                state.answer = Some(Answer { node: job.node, about, line });
                return;
            }
            _ if found.number != state.number => return,
            _ => state.tree.note(job.node, Eval { result: best.result, depth: found.depth }),
        }
        if job.purpose != Purpose::Review {
            self.search.send_replace(Some(Message::Search(found).to_json().into()));
        }
    }

    /// Called at the end of a search, with its move.
    pub(super) fn finished(&self, job: &Arc<Job>, best: Result<Option<String>, String>) {
        let state = &mut *self.state();
        if !state.job.as_ref().is_some_and(|running| Arc::ptr_eq(running, job)) {
            return;
        }
        state.stop_clock();
        state.job = None;
        match (&job.purpose, best) {
            (Purpose::Analysis, Ok(_)) => state.analysis.done = Some(job.node),
            (Purpose::Answer(_), Ok(_)) => state.question = None,
            (Purpose::Review, Ok(_)) => {
                // Every position gets its mark, so that the review goes on.
                state.tree.note(job.node, Eval { result: 0.5, depth: 0 });
            }
            // The time may be over by now.
            (Purpose::Move(_), Ok(Some(_))) if state.tree.end().is_some() => {}
            (Purpose::Move(_), Ok(Some(mv))) => {
                state.is_stepping = false;
                if let Err(error) = state.play(&mv) {
                    state.problem = Some(format!("the engine plays {mv}: {error}"));
                }
            }
            (_, Ok(None)) => state.problem = Some("the engine finds no move".to_owned()),
            (_, Err(error)) => state.problem = Some(error),
        }
        if let Some(problem) = &state.problem {
            // Without the pause the search would begin again and fail again.
            log::warn!("session {}: {problem}", self.id);
            (state.is_paused, state.is_stepping, state.is_reviewing) = (true, false, false);
            (state.analysis.is_on, state.question) = (false, None);
        }
        self.publish(state);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(job) = &self.state().job {
            job.control.stop();
        }
    }
}

/// The message that a request is refused.
pub(super) fn error(reason: &dyn std::fmt::Display) -> String {
    Message::Error { text: reason.to_string() }.to_json()
}

fn read_players(offer: &Offer, catalogue: &Catalogue, names: [&str; 2]) -> Result<[SidePlayer; 2], Refusal> {
    let find = |name: &str| SidePlayer::find(name, offer, catalogue).ok_or(Refusal::Player(name.to_owned()));
    Ok([find(names[0])?, find(names[1])?])
}

fn read_clock(clock: &ClockRequest) -> Result<TimeControl, Refusal> {
    let &ClockRequest { minutes, increment } = clock;
    let is_valid = (0.0..=LONGEST_CLOCK.0).contains(&minutes)
        && (0.0..=LONGEST_CLOCK.1).contains(&increment)
        && minutes + increment > 0.0;
    if !is_valid {
        return Err(Refusal::Clock);
    }
    let [time, increment] = [minutes * 60.0, increment].map(Duration::from_secs_f64);
    Ok(TimeControl { moves: None, time, increment })
}

/// The message with the features of the position on the board.
fn features(state: &State) -> Result<String, Refusal> {
    let node = state.tree.shown();
    let game = state.tree.variation(node);
    let mut engine = state.tree.rules().engine().map_err(GameError::from)?;
    engine.board_mut().set_up(Some(&game.fen), &game.moves).map_err(GameError::from)?;
    let breakdown = engine.eval_breakdown();
    let rows = breakdown.features.iter().filter(|feature| feature.value != 0.0);
    let rows = rows.map(|feature| (feature.name, feature.value, feature.weight, feature.product()));
    let table = FeatureTable { node, set: breakdown.set.name, sum: breakdown.sum(), rows: rows.collect() };
    Ok(Message::Features(table).to_json())
}
