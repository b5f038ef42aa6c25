//! A session: a game with its players, which outlives the connections to it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;
use time::OffsetDateTime;
use tokio::sync::watch;

use super::catalogue::{Level, Offer};
use super::game_tree::{GameError, GameTree};
use super::message::{EndText, GameState, Message, Request, SearchState};
use super::thinker::{Job, Jobs, Purpose};
use crate::game::{Color, quote};
use crate::search::Control;

/// The name of a person among the players.
const PERSON: &str = "person";

/// Who plays a side.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SidePlayer {
    Person,
    Level(Level),
}

impl SidePlayer {
    fn name(&self) -> &str {
        match self {
            SidePlayer::Person => PERSON,
            SidePlayer::Level(level) => &level.name,
        }
    }
}

/// Why a request is refused.
#[derive(Debug, Error)]
pub(super) enum Refusal {
    #[error("the request is not understood: {0}")]
    Request(#[from] serde_json::Error),
    #[error("there is no game {}", quote(.0))]
    Game(String),
    #[error("there is no player {}", quote(.0))]
    Player(String),
    #[error("{0}")]
    Rules(String),
    #[error("{0}")]
    Tree(#[from] GameError),
    #[error("the position has changed meanwhile")]
    Stale,
    #[error("it is the turn of Labrys")]
    NotYourTurn,
}

/// A session.
pub(super) struct Session {
    /// Its name, which only those know who use it.
    pub(super) id: String,
    offers: Arc<Vec<Offer>>,
    state: Mutex<State>,
    /// The latest message about the game.
    game: watch::Sender<Arc<str>>,
    /// The latest message about a search of the position on the board.
    search: watch::Sender<Option<Arc<str>>>,
    /// The search to be made now.
    jobs: watch::Sender<Option<Arc<Job>>>,
}

struct State {
    /// The number of the game in the session.
    number: u64,
    tree: GameTree,
    /// White and Black.
    players: [SidePlayer; 2],
    is_paused: bool,
    is_analysing: bool,
    /// The search that runs or waits for its turn.
    job: Option<Arc<Job>>,
    /// The node whose analysis is finished.
    analysed: Option<usize>,
}

/// What a connection listens to.
pub(super) struct Listener {
    pub(super) game: watch::Receiver<Arc<str>>,
    pub(super) search: watch::Receiver<Option<Arc<str>>>,
}

impl Session {
    /// A session with a game of the first offer: a person against a level of medium strength. Returns its
    /// jobs, too.
    pub(super) fn new(id: String, offers: Arc<Vec<Offer>>) -> Result<(Session, Jobs), Refusal> {
        let offer = offers.first().ok_or_else(|| Refusal::Game(String::new()))?;
        let tree = GameTree::new(offer.rules(None).map_err(Refusal::Rules)?, None)?;
        let level = offer.levels[offer.levels.len() / 2 - 1].clone();
        let players = [SidePlayer::Person, SidePlayer::Level(level)];
        let (jobs, receiver) = watch::channel(None);
        let state = State {
            number: 0,
            tree,
            players,
            is_paused: false,
            is_analysing: false,
            job: None,
            analysed: None,
        };
        let game = watch::Sender::new(state.to_json().into());
        let session =
            Session { id, offers, state: Mutex::new(state), game, search: watch::Sender::new(None), jobs };
        Ok((session, receiver))
    }

    /// The first message to a connection.
    pub(super) fn welcome(&self) -> String {
        let games = self.offers.iter().map(Offer::text).collect();
        Message::Welcome { version: env!("CARGO_PKG_VERSION"), session: &self.id, games }.to_json()
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
    pub(super) fn request(&self, text: &str) -> Option<String> {
        let done = serde_json::from_str(text).map_err(Refusal::from);
        match done.and_then(|request| self.execute(request)) {
            Ok(answer) => answer,
            Err(refusal) => Some(Message::Error { text: refusal.to_string() }.to_json()),
        }
    }

    /// A panic in another thread leaves a state in which every request was executed or not.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn execute(&self, request: Request) -> Result<Option<String>, Refusal> {
        let state = &mut *self.state();
        match request {
            Request::New { game, option, fen, players } => {
                let offer = self.offer(&game)?;
                let players = read_players(offer, &players)?;
                let rules = offer.rules(option.as_deref()).map_err(Refusal::Rules)?;
                let fen = fen.as_deref().map(str::trim).filter(|fen| !fen.is_empty());
                state.begin(GameTree::new(rules, fen)?, players);
            }
            Request::Load { pgn } => {
                let values = |game: &str| {
                    let offer = self.offers.iter().find(|offer| offer.game == game);
                    let offer = offer.into_iter();
                    offer
                        .flat_map(|offer| {
                            offer.values().iter().filter_map(|value| offer.rules(Some(value)).ok())
                        })
                        .collect()
                };
                let (tree, names) = GameTree::from_pgn(&pgn, values)?;
                let offer = self.offer(&tree.rules().variant)?;
                let players = names.map(|name| offer.player(&name).unwrap_or(SidePlayer::Person));
                state.begin(tree, players);
                // A game that was broken off goes on when somebody wants it to.
                state.is_paused = state.players.iter().any(|player| *player != SidePlayer::Person);
            }
            Request::Play { node, mv } => {
                if node != state.tree.shown() {
                    return Err(Refusal::Stale);
                }
                if state.engine_to_move().is_some() {
                    return Err(Refusal::NotYourTurn);
                }
                state.tree.play(&mv, &mut rand::random)?;
            }
            Request::Show { node } => state.tree.show(node)?,
            Request::TakeBack => {
                state.tree.take_back()?;
                while state.engine_to_move().is_some() && state.has_person() && state.tree.take_back().is_ok()
                {
                }
            }
            Request::Players { players } => {
                state.players = read_players(self.offer(&state.tree.rules().variant)?, &players)?;
            }
            Request::Pause { on } => state.is_paused = on,
            Request::Analyse { on } => {
                state.is_analysing = on;
                state.analysed = None;
            }
            Request::Save => {
                let date = OffsetDateTime::now_utc().date();
                let date = format!("{}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day());
                let players = [state.players[0].name(), state.players[1].name()];
                let pgn = state.tree.to_pgn(players, date)?;
                return Ok(Some(Message::Saved { pgn }.to_json()));
            }
        }
        self.publish(state);
        Ok(None)
    }

    fn offer(&self, game: &str) -> Result<&Offer, Refusal> {
        let offer = self.offers.iter().find(|offer| offer.game == game);
        offer.ok_or_else(|| Refusal::Game(game.to_owned()))
    }

    /// Starts the search that the state needs, stops one that it does not need, and tells everybody.
    fn publish(&self, state: &mut State) {
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

    /// Called with what a search has found so far.
    pub(super) fn searched(&self, job: &Job, found: SearchState) {
        if !job.control.is_stopped() {
            self.search.send_replace(Some(Message::Search(found).to_json().into()));
        }
    }

    /// Called at the end of a search, with its move.
    pub(super) fn finished(&self, job: &Arc<Job>, best: Result<Option<String>, String>) {
        let state = &mut *self.state();
        if !state.job.as_ref().is_some_and(|running| Arc::ptr_eq(running, job)) {
            return;
        }
        state.job = None;
        match (&job.purpose, best) {
            (Purpose::Analysis, Ok(_)) => state.analysed = Some(job.node),
            (Purpose::Move(_), Ok(Some(mv))) => {
                if let Err(error) = state.tree.play(&mv, &mut rand::random) {
                    log::error!("session {}: the engine plays {mv}: {error}", self.id);
                    state.is_paused = true;
                }
            }
            // Without the pause the search would begin again and fail again.
            (_, failed) => {
                log::error!("session {}: no move: {failed:?}", self.id);
                (state.is_paused, state.is_analysing) = (true, false);
            }
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

impl State {
    /// Replaces the game.
    fn begin(&mut self, tree: GameTree, players: [SidePlayer; 2]) {
        self.number += 1;
        (self.tree, self.players) = (tree, players);
        (self.is_paused, self.analysed) = (false, None);
    }

    fn has_person(&self) -> bool {
        self.players.contains(&SidePlayer::Person)
    }

    /// The level whose turn it is, if an engine has to move now: at the end of the line, unless the game is
    /// paused.
    fn engine_to_move(&self) -> Option<&Level> {
        let stm = self.tree.board().side_to_move();
        match &self.players[stm.index()] {
            SidePlayer::Level(level) if !self.is_paused && self.tree.is_at_end() => Some(level),
            _ => None,
        }
    }

    /// The search that the position on the board needs.
    fn next_job(&self) -> Option<Job> {
        if self.tree.end().is_some() {
            return None;
        }
        let node = self.tree.shown();
        let purpose = match self.engine_to_move() {
            Some(level) => Purpose::Move(level.clone()),
            None if self.is_analysing && self.analysed != Some(node) => Purpose::Analysis,
            None => return None,
        };
        Some(Job {
            purpose,
            rules: self.tree.rules().clone(),
            game: self.tree.variation(),
            number: self.number,
            node,
            control: Control::default(),
        })
    }

    fn to_json(&self) -> String {
        let State { number, tree, players, is_paused, is_analysing, .. } = self;
        let end = tree.end();
        let state = GameState {
            number: *number,
            game: tree.board().variant(),
            option: tree.rules().option.as_ref().map(|(_, value)| value.as_str()),
            players: [players[0].name(), players[1].name()],
            paused: *is_paused,
            analysing: *is_analysing,
            thinking: end.is_none() && self.engine_to_move().is_some(),
            first_ply: tree.first_ply(),
            line: tree.line(),
            node: tree.shown(),
            ply: tree.ply(),
            last: tree.last_move(),
            fen: tree.board().fen(),
            side_to_move: tree.board().side_to_move().into(),
            moves: if end.is_some() { Vec::new() } else { tree.board().legal_moves() },
            end: end.map(|end| EndText { winner: end.winner.map(Color::into), text: end.text }),
        };
        Message::Game(state).to_json()
    }
}

impl Offer {
    /// A player of the game by name.
    fn player(&self, name: &str) -> Option<SidePlayer> {
        if name == PERSON {
            return Some(SidePlayer::Person);
        }
        self.levels.iter().find(|level| level.name == name).cloned().map(SidePlayer::Level)
    }
}

fn read_players(offer: &Offer, names: &[String; 2]) -> Result<[SidePlayer; 2], Refusal> {
    let read = |name: &String| offer.player(name).ok_or_else(|| Refusal::Player(name.clone()));
    Ok([read(&names[0])?, read(&names[1])?])
}
