//! Labrys in a browser, as WebAssembly: a game with its players, and what searches for it. `make page` builds
//! the page around it; `assets/` has the workers that run the two.

#![forbid(unsafe_code)]

use std::sync::Arc;

use js_sys::Function;
use labrys_core::clock::Instant;
use labrys_core::search::Control;
use labrys_session::{
    AnyRequest, Catalogue, Job, Listener, SavedSession, SearchState, Session, SlowRequest, Tasks, Thinker,
    error, read,
};
use wasm_bindgen::prelude::*;

/// The name of the session. There is only one.
const NAME: &str = "";

/// A game that people play on the page, with its players and clocks. What it is asked and what it tells are
/// the messages of the WebSocket of `labrys serve`.
#[wasm_bindgen]
pub struct Game {
    session: Session,
    tasks: Tasks,
    listener: Listener,
    /// The search to be made.
    job: Option<Arc<Job>>,
}

#[wasm_bindgen]
impl Game {
    /// The game that was saved as `saved`, or a new one where there is none that can be read.
    #[wasm_bindgen(constructor)]
    pub fn new(saved: Option<String>) -> Result<Game, JsError> {
        let catalogue = Arc::new(Catalogue::new(&[]));
        let state = saved
            .and_then(|saved| SavedSession::from_text(&saved).ok())
            .and_then(|saved| saved.restore(&catalogue).ok());
        let (session, tasks) = match state {
            Some(state) => Session::new(NAME.to_owned(), catalogue, state),
            None => Session::fresh(NAME.to_owned(), catalogue)?,
        };
        let listener = session.listen();
        let mut game = Game { session, tasks, listener, job: None };
        game.tasks.jobs.mark_changed();
        Ok(game)
    }

    /// The first message to the page.
    pub fn welcome(&self) -> String {
        self.session.welcome(false)
    }

    /// Does what the page asks for. Returns the answer, if it is one for this request alone.
    pub fn request(&self, text: &str) -> Option<String> {
        match read(text) {
            Ok(AnyRequest::Quick(request)) => self.session.request(request),
            Ok(AnyRequest::Slow(SlowRequest::StaticEval {})) => Some(self.session.static_eval()),
            Ok(AnyRequest::Slow(SlowRequest::Explore { pgn, first })) => {
                Some(self.session.explore(&pgn, first))
            }
            Ok(AnyRequest::Slow(_)) => Some(error(&"no folder is open")),
            Err(problem) => Some(error(&format!("the request is not understood: {problem}"))),
        }
    }

    /// The messages since the last call.
    pub fn messages(&mut self) -> Vec<String> {
        let mut messages = Vec::new();
        if self.listener.game.has_changed().unwrap_or(false) {
            messages.push(self.listener.game.borrow_and_update().to_string());
        }
        if self.listener.search.has_changed().unwrap_or(false) {
            messages.extend(self.listener.search.borrow_and_update().as_deref().map(str::to_owned));
        }
        messages
    }

    /// Whether there is another search to be made than before, or none any more. Then the one before has to
    /// end.
    pub fn take_job(&mut self) -> bool {
        let has_changed = self.tasks.jobs.has_changed().unwrap_or(false);
        if has_changed {
            self.job.clone_from(&self.tasks.jobs.borrow_and_update());
        }
        has_changed
    }

    /// The search to be made, for [`Searcher`].
    pub fn search(&self) -> Option<String> {
        let search = self.job.as_ref()?.search()?;
        serde_json::to_string(&search).ok()
    }

    /// Notes what the search has found so far.
    pub fn searched(&self, found: &str) -> Result<(), JsError> {
        let found: SearchState = serde_json::from_str(found)?;
        if let Some(job) = &self.job {
            self.session.searched(job, &found);
        }
        Ok(())
    }

    /// Notes the end of the search with its move, if it has found one, or with a problem.
    pub fn finished(&mut self, best: Option<String>, problem: Option<String>) {
        if let Some(job) = self.job.take() {
            self.session.finished(&job, problem.map_or(Ok(best), Err));
        }
    }

    /// Milliseconds until the time of the side to move is over, where a clock runs.
    pub fn time_left(&self) -> Option<f64> {
        let deadline = (*self.tasks.deadlines.borrow())?;
        Some(deadline.saturating_duration_since(Instant::now()).as_secs_f64() * 1000.0)
    }

    /// Notes that the time of the side to move is over.
    pub fn time_is_over(&self) {
        self.session.time_is_over();
    }

    /// What has to be saved, if the game has changed since the last call.
    pub fn save(&self) -> Option<String> {
        self.session.take_changes()?.to_text().ok()
    }
}

/// What searches for a game: the engines of its last searches.
#[wasm_bindgen]
#[derive(Default)]
pub struct Searcher(Thinker);

#[wasm_bindgen]
impl Searcher {
    /// One without engines.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Searcher {
        Searcher::default()
    }

    /// Makes a search, and returns its move, if it has found one. `report` is called with what it has found so
    /// far.
    pub fn search(&mut self, search: &str, report: &Function) -> Result<Option<String>, JsError> {
        let search = serde_json::from_str(search)?;
        let mut tell = |found: &SearchState| {
            if let Ok(found) = serde_json::to_string(found) {
                // What the page makes of it is not the search's business.
                let _ = report.call1(&JsValue::NULL, &found.into());
            }
        };
        let best = self.0.search(&search, &Control::default(), &mut tell);
        best.map_err(|problem| JsError::new(&problem))
    }
}
