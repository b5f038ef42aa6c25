//! A session: a game with its players, which outlives the connections to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::catalogue::Catalogue;
use crate::execute::{Refusal, read_players};
use crate::explorer::{self, Explorer};
use crate::game_tree::GameTree;
use crate::message::{Answer, Eval, Message, SearchState, StaticEval, StaticEvalState};
use crate::player::{EnginePlayer, PERSON};
use crate::request::Request;
use crate::review::Reviewed;
use crate::saved::SavedSession;
use crate::state::State;
use crate::static_eval::StaticEvaluator;
use crate::thinker::{Job, Jobs, Purpose, Question};
use labrys_core::clock::Instant;

/// A session.
pub struct Session {
    /// Its name, which only those know who use it.
    pub id: String,
    pub(crate) catalogue: Arc<Catalogue>,
    state: Mutex<State>,
    static_evaluator: Mutex<StaticEvaluator>,
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
pub struct Listener {
    /// Messages about the game.
    pub game: watch::Receiver<Arc<str>>,
    /// Messages about its searches.
    pub search: watch::Receiver<Option<Arc<str>>>,
}

/// What the tasks of a session wait for.
pub struct Tasks {
    /// The search to be made now.
    pub jobs: Jobs,
    /// When the time of the side to move will be over.
    pub deadlines: watch::Receiver<Option<Instant>>,
}

impl Session {
    /// A session with a game of the first offer: a person against a level of medium strength.
    ///
    /// # Errors
    /// If there is nothing on offer.
    pub fn fresh(id: String, catalogue: Arc<Catalogue>) -> Result<(Session, Tasks), Refusal> {
        let offer = catalogue.offers.first().ok_or_else(|| Refusal::Game(String::new()))?;
        let tree = GameTree::new(offer.rules(None).map_err(Refusal::Rules)?, None)?;
        let level = &offer.levels[offer.levels.len() / 2 - 1].name;
        let players = read_players(offer, &catalogue, [PERSON, level])?;
        let state = State::new(tree, players, catalogue.analysts[0].clone());
        Ok(Session::new(id, catalogue, state))
    }

    /// A session in a state. Returns what its tasks wait for, too.
    pub fn new(id: String, catalogue: Arc<Catalogue>, state: State) -> (Session, Tasks) {
        let session = Session {
            id,
            catalogue,
            game: watch::Sender::new(state.to_json().into()),
            state: Mutex::new(state),
            static_evaluator: Mutex::default(),
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
    pub fn welcome(&self, has_folder: bool) -> String {
        let Catalogue { engines, analysts, threads, hash, .. } = self.catalogue.as_ref();
        let welcome = Message::Welcome {
            version: env!("CARGO_PKG_VERSION"),
            session: &self.id,
            folder: has_folder,
            games: self.catalogue.offers(),
            engines: engines.iter().map(|engine| engine.name.as_str()).collect(),
            missing: self.catalogue.missing(),
            analysts: analysts.iter().map(|analyst| analyst.name.as_str()).collect(),
            threads: *threads,
            hash: *hash,
        };
        welcome.to_json()
    }

    /// What is told about the session from now on, beginning with the game as it stands.
    pub fn listen(&self) -> Listener {
        let mut listener = Listener { game: self.game.subscribe(), search: self.search.subscribe() };
        listener.game.mark_changed();
        listener.search.mark_changed();
        listener
    }

    /// Whether somebody is connected.
    pub fn is_in_use(&self) -> bool {
        self.game.receiver_count() > 0
    }

    /// Does what a browser asks for. Returns an answer for this browser alone.
    pub fn request(&self, request: Request) -> Option<String> {
        match self.execute(request) {
            Ok(answer) => answer,
            Err(refusal) => Some(error(&refusal)),
        }
    }

    /// The message with the analyst's static evaluation of the position on the board. It may take a while.
    pub fn static_eval(&self) -> String {
        let (number, node, rules, game, options) = {
            let state = self.state();
            let (tree, node) = (&state.tree, state.tree.shown());
            let options = state.analysis.analyst.options.clone();
            (state.number, node, tree.rules().clone(), tree.variation(node), options)
        };
        let mut evaluator = self.static_evaluator.lock().unwrap_or_else(PoisonError::into_inner);
        let eval = evaluator.evaluate(&rules, &options, &game).unwrap_or_else(StaticEval::Problem);
        Message::StaticEval(StaticEvalState { number, node, eval }).to_json()
    }

    /// Explores the games of a PGN text, too, or with `first` in place of those before. It may take a while.
    /// Returns the answer: how many games there are.
    pub fn explore(&self, pgn: &str, first: bool) -> String {
        let games = explorer::read(pgn);
        let state = &mut *self.state();
        if first {
            state.explorer = None;
        }
        if !games.is_empty() {
            state.explorer.get_or_insert_default().add(games);
        }
        let [games, left_out] = state.explorer.as_ref().map_or([0, 0], Explorer::counts);
        self.game.send_replace(state.to_json().into());
        Message::Explored { games, left_out }.to_json()
    }

    /// Frees the engine of static evaluations. The next one makes another.
    pub fn free_engines(&self) {
        *self.static_evaluator.lock().unwrap_or_else(PoisonError::into_inner) = StaticEvaluator::default();
    }

    /// Whether it keeps an engine for static evaluations.
    pub fn holds_engine(&self) -> bool {
        self.static_evaluator.lock().unwrap_or_else(PoisonError::into_inner).holds_engine()
    }

    /// What has to be saved, if the game has changed since the last call.
    pub fn take_changes(&self) -> Option<SavedSession> {
        self.is_changed.swap(false, Ordering::Relaxed).then(|| SavedSession::new(&self.state()))
    }

    /// A panic in another thread leaves a state in which every request was executed or not.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
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
            (state.job, state.found) = (job.map(Arc::new), None);
            if let Some(job) = &state.job {
                log::debug!("session {}: {job:?}", self.id);
            }
            self.jobs.send_replace(state.job.clone());
        }
        self.game.send_replace(state.to_json().into());
    }

    /// Called when the time of the side to move is over.
    pub fn time_is_over(&self) {
        let state = &mut *self.state();
        state.stop_clock();
        self.publish(state);
    }

    /// Called with what a search has found so far.
    pub fn searched(&self, job: &Job, found: &SearchState) {
        let state = &mut *self.state();
        let Some(best) = found.lines.first().filter(|_| !job.control.is_stopped()) else { return };
        match &job.purpose {
            // They count when the search is at its end.
            Purpose::Answer(Question::Try(_)) => state.found = Some(best.clone()),
            // What follows a certain move says nothing of the position, nor does a threat.
            Purpose::Answer(question) => {
                let about = if let Question::After(mv) = question { Some(mv.clone()) } else { None };
                let (threat, verdict) = (*question == Question::Threat, None);
                state.answer = Some(Answer { node: job.node, about, threat, verdict, line: best.clone() });
            }
            _ if found.number != state.number => {}
            Purpose::Review => state.found = Some(best.clone()),
            Purpose::Move(_) | Purpose::Analysis => {
                let (result, depth, by) = (best.result, found.depth, job.by.clone());
                state.tree.note(job.node, Eval { result, depth, by });
                self.search.send_replace(Some(Message::Search(found).to_json().into()));
            }
        }
    }

    /// Called at the end of a search, with its move.
    pub fn finished(&self, job: &Arc<Job>, best: Result<Option<String>, String>) {
        let state = &mut *self.state();
        if !state.job.as_ref().is_some_and(|running| Arc::ptr_eq(running, job)) {
            return;
        }
        state.stop_clock();
        state.job = None;
        match (&job.purpose, best) {
            // Nobody has looked at it any more.
            (Purpose::Analysis, Ok(_)) if job.is_stopped() => state.analysis.is_on = false,
            (Purpose::Analysis, Ok(_)) => state.analysis.done = Some(job.node),
            (Purpose::Answer(question), Ok(_)) => {
                state.question = None;
                if let (Question::Try(mv), Some(line)) = (question, state.found.take()) {
                    state.judge(job.node, mv, line);
                }
            }
            // A position in which nothing is found counts as reviewed, so that the review goes on.
            (Purpose::Review, Ok(_)) => {
                state.tree.nodes[job.node].reviewed = Some(Reviewed::new(state.found.take()));
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
            (Purpose::Move(EnginePlayer::Named(config)), Err(error)) => {
                state.problem = Some(format!("{}: {error}", config.name));
            }
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
pub fn error(reason: &dyn std::fmt::Display) -> String {
    Message::Error { text: reason.to_string() }.to_json()
}
