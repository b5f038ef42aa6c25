//! A session: a game with its players. It outlives the connections to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::catalogue::Catalogue;
use crate::execute::{Refusal, read_players};
use crate::explorer::{self, Explorer};
use crate::game_tree::GameTree;
use crate::message::{Answer, Eval, Message, SearchState, StaticEval, StaticEvalState};
use crate::player::{EnginePlayer, PERSON};
use crate::request::{Request, SlowRequest};
use crate::review::PositionReview;
use crate::saved::SavedSession;
use crate::search_runner::{Job, Jobs, Purpose, Question};
use crate::seats::{self, Role};
use crate::state::State;
use crate::static_eval::StaticEvaluator;
use labrys_core::clock::Instant;

/// A session.
pub struct Session {
    /// Its name, a secret shared by its users.
    pub id: String,
    pub(crate) catalogue: Arc<Catalogue>,
    state: Mutex<State>,
    static_evaluator: Mutex<StaticEvaluator>,
    /// The latest message about the game.
    game: watch::Sender<Arc<str>>,
    /// The latest message about a search.
    search: watch::Sender<Option<Arc<str>>>,
    /// The search to run.
    jobs: watch::Sender<Option<Arc<Job>>>,
    /// When the side to move will run out of time.
    deadlines: watch::Sender<Option<Instant>>,
    /// Whether there are unsaved changes.
    is_dirty: AtomicBool,
}

/// Optional features of a session's environment.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// Whether a folder is shown.
    pub folder: bool,
    /// Whether others can open links to the session, so that it can have seats.
    pub seats: bool,
    /// Whether there is a lobby.
    pub lobby: bool,
    /// Whether positions can be inspected.
    pub inspections: bool,
}

/// The messages for a connection.
pub struct Listener {
    /// The latest message about the game.
    pub game: watch::Receiver<Arc<str>>,
    /// The latest message about a search.
    pub search: watch::Receiver<Option<Arc<str>>>,
    /// Notifies of new engines to choose from: then the first message is due again.
    pub engines: watch::Receiver<()>,
}

/// What the background tasks of a session wait for.
pub struct Tasks {
    /// The search to run.
    pub jobs: Jobs,
    /// When the side to move will run out of time.
    pub deadlines: watch::Receiver<Option<Instant>>,
}

impl Session {
    /// A session with the first game on offer: a person against a level of medium strength.
    ///
    /// # Errors
    /// If no game is on offer.
    pub fn with_default_game(id: String, catalogue: Arc<Catalogue>) -> Result<(Session, Tasks), Refusal> {
        let offered = catalogue.games.first().ok_or_else(|| Refusal::Game(String::new()))?;
        let tree = GameTree::new(offered.rules(None).map_err(Refusal::Rules)?, None)?;
        let level = &offered.levels[offered.levels.len() / 2 - 1].name;
        let players = read_players(offered, &catalogue, [PERSON, level])?;
        let state = State::new(tree, players, catalogue.analysts[0].clone());
        Ok(Session::new(id, catalogue, state))
    }

    /// A session in the given state, with the channels of its tasks.
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
            is_dirty: AtomicBool::new(false),
        };
        let tasks = Tasks { jobs: session.jobs.subscribe(), deadlines: session.deadlines.subscribe() };
        // Starts the search that the state needs.
        session.publish(&mut session.state());
        session.is_dirty.store(false, Ordering::Relaxed);
        (session, tasks)
    }

    /// The first message to a connection.
    pub fn welcome(&self, role: Role, Features { folder, seats, lobby, inspections }: Features) -> String {
        let Catalogue { analysts, threads, hash, .. } = self.catalogue.as_ref();
        let engines = self.catalogue.engines();
        let welcome = Message::Welcome {
            version: env!("CARGO_PKG_VERSION"),
            session: (role == Role::Owner).then_some(&*self.id),
            role,
            seats,
            lobby,
            inspections,
            folder,
            games: self.catalogue.offered_games(),
            engines: engines.iter().map(|engine| engine.name.as_str()).collect(),
            missing: self.catalogue.failed_engines(),
            analysts: analysts.iter().map(|analyst| analyst.name.as_str()).collect(),
            threads: *threads,
            hash: *hash,
        };
        welcome.to_json()
    }

    /// Subscribes to the messages of the session, starting with the current ones.
    pub fn listen(&self) -> Listener {
        let mut listener = Listener {
            game: self.game.subscribe(),
            search: self.search.subscribe(),
            engines: self.catalogue.additions(),
        };
        listener.game.mark_changed();
        listener.search.mark_changed();
        listener
    }

    /// Whether anyone is connected.
    pub fn has_listeners(&self) -> bool {
        self.game.receiver_count() > 0
    }

    /// The role of a connection: without a token, the owner; `None` if no seat has the token.
    pub fn role(&self, token: Option<&str>) -> Option<Role> {
        match token {
            None => Some(Role::Owner),
            Some(token) => self.state().seats.as_ref()?.role(token),
        }
    }

    /// Counts a new connection with a token, or the end of one, and informs all listeners.
    pub fn count_connection(&self, token: &str, is_new: bool) {
        let state = &mut *self.state();
        if let Some(seats) = &mut state.seats {
            seats.count(token, is_new);
            self.game.send_replace(state.to_json().into());
        }
    }

    /// Checks whether a role may make a request, without executing it.
    ///
    /// # Errors
    /// [`Refusal::Role`] if not.
    pub fn check_slow(&self, role: Role, request: &SlowRequest) -> Result<(), Refusal> {
        let state = self.state();
        let is_shared = state.seats.is_some();
        match is_shared && !seats::allows_slow(role, request, state.is_over()) {
            true => Err(Refusal::Role(role)),
            false => Ok(()),
        }
    }

    /// Executes a request of a role. Returns the answer, if there is one to this browser alone.
    pub fn request(&self, role: Role, request: Request) -> Option<String> {
        match self.execute(role, request) {
            Ok(answer) => answer,
            Err(refusal) => Some(error(&refusal)),
        }
    }

    /// The message with the analyst's static evaluation of the current position. May block, as it may load a
    /// net.
    pub fn static_eval(&self) -> String {
        let (number, node, rules, game, options) = {
            let state = self.state();
            let (tree, node) = (&state.tree, state.tree.current());
            let options = state.analysis.analyst.options.clone();
            (state.number, node, tree.rules().clone(), tree.moves_to(node), options)
        };
        let eval =
            self.static_evaluator().evaluate(&rules, &options, &game).unwrap_or_else(StaticEval::Problem);
        Message::StaticEval(StaticEvalState { number, node, eval }).to_json()
    }

    /// Adds the games of a PGN text to the explorer, which `first` empties beforehand. Returns the answer
    /// with the number of games. May block.
    pub fn explore(&self, pgn: &str, first: bool) -> String {
        let games = explorer::parse_games(pgn);
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

    /// Frees the engine for static evaluations until the next one.
    pub fn free_engines(&self) {
        *self.static_evaluator() = StaticEvaluator::default();
    }

    /// Whether it holds an engine for static evaluations.
    pub fn holds_engine(&self) -> bool {
        self.static_evaluator().holds_engine()
    }

    /// The session to save, if it has changed since the last call.
    pub fn take_unsaved(&self) -> Option<SavedSession> {
        self.is_dirty.swap(false, Ordering::Relaxed).then(|| SavedSession::new(&self.state()))
    }

    /// Has the session saved, although no one has changed it: what was taken could not be written, or its
    /// clock runs on.
    pub fn mark_unsaved(&self) {
        self.is_dirty.store(true, Ordering::Relaxed);
    }

    /// Ignores poisoning: a panic in another thread leaves a consistent state.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn static_evaluator(&self) -> MutexGuard<'_, StaticEvaluator> {
        self.static_evaluator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn execute(&self, role: Role, request: Request) -> Result<Option<String>, Refusal> {
        let state = &mut *self.state();
        if state.seats.is_some() && !seats::allows(role, &request, state.is_over()) {
            return Err(Refusal::Role(role));
        }
        let was_over = state.tree.end().is_some();
        state.stop_clock();
        let done = self.apply(state, role, request);
        if let Ok(None) = done {
            state.problem = None;
            self.publish(state);
        } else if was_over || state.tree.end().is_none() {
            self.deadlines.send_replace(state.start_clock());
        } else {
            // The side to move had run out of time: the request came too late.
            self.publish(state);
        }
        done
    }

    /// Starts the clock, replaces the running search if the state needs another one, and sends the game to
    /// all listeners.
    pub(crate) fn publish(&self, state: &mut State) {
        self.mark_unsaved();
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
            (state.job, state.best_line) = (job.map(Arc::new), None);
            if let Some(job) = &state.job {
                log::debug!("session {}: {job:?}", self.id);
            }
            self.jobs.send_replace(state.job.clone());
        }
        self.game.send_replace(state.to_json().into());
    }

    /// Called when the side to move runs out of time.
    pub fn time_is_over(&self) {
        let state = &mut *self.state();
        state.stop_clock();
        self.publish(state);
    }

    /// Called with the progress of a search.
    pub fn on_progress(&self, job: &Job, found: &SearchState) {
        let state = &mut *self.state();
        let Some(best) = found.lines.first().filter(|_| !job.control.is_stopped()) else { return };
        match &job.purpose {
            // Judged when the search is finished.
            Purpose::Answer(Question::Try(_)) => state.best_line = Some(best.clone()),
            // Not stored as evaluation of the position: only one move was searched, or the other side's
            // moves.
            Purpose::Answer(question) => {
                let about = if let Question::After(mv) = question { Some(mv.clone()) } else { None };
                let (threat, verdict) = (*question == Question::Threat, None);
                state.answer = Some(Answer { node: job.node, about, threat, verdict, line: best.clone() });
            }
            _ if found.number != state.number => {}
            Purpose::Review => state.best_line = Some(best.clone()),
            Purpose::Move(_) | Purpose::Analysis => {
                let (result, depth, by) = (best.result, found.depth, job.by.clone());
                state.tree.store_eval(job.node, Eval { result, depth, by });
                self.search.send_replace(Some(Message::Search(found).to_json().into()));
            }
        }
    }

    /// Called at the end of a search, with its best move.
    pub fn on_finish(&self, job: &Arc<Job>, best: Result<Option<String>, String>) {
        let state = &mut *self.state();
        if !state.job.as_ref().is_some_and(|running| Arc::ptr_eq(running, job)) {
            return;
        }
        state.stop_clock();
        state.job = None;
        match (&job.purpose, best) {
            // Stopped because the last listener has left.
            (Purpose::Analysis, Ok(_)) if job.is_stopped() => state.analysis.is_on = false,
            (Purpose::Analysis, Ok(_)) => state.analysis.done = Some(job.node),
            (Purpose::Answer(question), Ok(_)) => {
                state.question = None;
                if let (Question::Try(mv), Some(line)) = (question, state.best_line.take()) {
                    state.answer_try(job.node, mv, line);
                }
            }
            // A position without a line counts as reviewed, so that the review continues.
            (Purpose::Review, Ok(_)) => {
                state.tree.nodes[job.node].reviewed = Some(PositionReview::new(state.best_line.take()));
            }
            // The engine may have run out of time.
            (Purpose::Move(_), Ok(Some(_))) if state.tree.end().is_some() => {}
            (Purpose::Move(_), Ok(Some(mv))) => {
                state.is_stepping = false;
                if let Err(error) = state.play(&mv) {
                    state.problem = Some(format!("the engine played {mv}: {error}"));
                }
            }
            (_, Ok(None)) => state.problem = Some("the engine found no move".to_owned()),
            (Purpose::Move(EnginePlayer::Named(config)), Err(error)) => {
                state.problem = Some(format!("{}: {error}", config.name));
            }
            (_, Err(error)) => state.problem = Some(error),
        }
        if let Some(problem) = &state.problem {
            // Without the pause the search would be restarted and fail again.
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

/// A random id that cannot be guessed.
pub fn random_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// The message that refuses a request.
pub fn error(reason: &dyn std::fmt::Display) -> String {
    Message::Error { text: reason.to_string() }.to_json()
}
