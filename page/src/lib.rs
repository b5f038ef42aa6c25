//! Labrys in a browser, as WebAssembly: a game with its players, and the engines that search for it.
//! `make page` builds the page around it; the workers in `assets/` run the two.

#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::sync::Arc;

use js_sys::Function;
use labrys_core::clock::Instant;
use labrys_core::search::Control;
use labrys_session::{
    AnyRequest, Catalogue, Features, Job, Listener, Role, SavedSession, SearchRunner, SearchState, Session,
    SlowRequest, Tasks, error, read,
};
use wasm_bindgen::prelude::*;

/// The name of the only session.
const NAME: &str = "";

/// The maximum MiB of the table of an analysis. The engines of two searches are kept.
const HASH: usize = 256;

/// A game played on the page, with its players and clocks. Its requests and answers are the WebSocket
/// messages of `labrys serve`.
#[wasm_bindgen]
pub struct Game {
    session: Session,
    tasks: Tasks,
    listener: Listener,
    /// The search to run.
    job: Option<Arc<Job>>,
}

#[wasm_bindgen]
impl Game {
    /// Restores the game from `saved`, or starts a new one if it is missing or cannot be read. An analysis
    /// has at most `threads` threads.
    #[wasm_bindgen(constructor)]
    pub fn new(saved: Option<String>, threads: usize) -> Result<Game, JsError> {
        let catalogue = Arc::new(Catalogue::new(&[]).with_limits(threads, HASH));
        let state = saved
            .and_then(|saved| SavedSession::from_text(&saved).ok())
            .and_then(|saved| saved.restore(&catalogue).ok());
        let (session, tasks) = match state {
            Some(state) => Session::new(NAME.to_owned(), catalogue, state),
            None => Session::with_default_game(NAME.to_owned(), catalogue)?,
        };
        let listener = session.listen();
        let mut game = Game { session, tasks, listener, job: None };
        game.tasks.jobs.mark_changed();
        Ok(game)
    }

    /// The first message to the page.
    pub fn welcome(&self) -> String {
        let features = Features { folder: false, seats: false, lobby: false, inspections: false };
        self.session.welcome(Role::Owner, features)
    }

    /// Executes a request of the page. Returns the answer if there is one to this request alone.
    pub fn request(&self, text: &str) -> Option<String> {
        match read(text) {
            Ok(AnyRequest::Quick(request)) => self.session.request(Role::Owner, request),
            Ok(AnyRequest::Slow(SlowRequest::StaticEval {})) => Some(self.session.static_eval()),
            Ok(AnyRequest::Slow(SlowRequest::Explore { pgn, first })) => {
                Some(self.session.explore(&pgn, first))
            }
            Ok(AnyRequest::Slow(_)) => Some(error(&"no folder is open")),
            Err(problem) => Some(error(&format!("invalid request: {problem}"))),
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

    /// Whether the search to run has changed, perhaps to none. If so, the previous one must be stopped.
    pub fn take_job(&mut self) -> bool {
        let has_changed = self.tasks.jobs.has_changed().unwrap_or(false);
        if has_changed {
            self.job.clone_from(&self.tasks.jobs.borrow_and_update());
        }
        has_changed
    }

    /// The search to run, for [`Searcher`].
    pub fn search(&self) -> Option<String> {
        let search = self.job.as_ref()?.search()?;
        serde_json::to_string(&search).ok()
    }

    /// The threads of the search to run.
    pub fn threads(&self) -> usize {
        self.job.as_ref().and_then(|job| job.search()).map_or(1, |search| search.threads())
    }

    /// Records the progress of the search.
    pub fn on_progress(&self, found: &str) -> Result<(), JsError> {
        let found: SearchState = serde_json::from_str(found)?;
        if let Some(job) = &self.job {
            self.session.on_progress(job, &found);
        }
        Ok(())
    }

    /// Records the end of the search: its best move, if it has found one, or an error.
    pub fn on_finish(&mut self, best: Option<String>, problem: Option<String>) {
        if let Some(job) = self.job.take() {
            self.session.on_finish(&job, problem.map_or(Ok(best), Err));
        }
    }

    /// Milliseconds until the side to move runs out of time, if a clock is running.
    pub fn time_left(&self) -> Option<f64> {
        let deadline = (*self.tasks.deadlines.borrow())?;
        Some(deadline.saturating_duration_since(Instant::now()).as_secs_f64() * 1000.0)
    }

    /// Records that the side to move has run out of time.
    pub fn out_of_time(&self) {
        self.session.time_is_over();
    }

    /// The state to save, if the game has changed since the last call.
    pub fn save(&self) -> Option<String> {
        self.session.take_unsaved()?.to_text().ok()
    }
}

thread_local! {
    /// Tells whether the search that runs has been stopped.
    static IS_STOPPED: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Searches for a game, with the engines of its last searches.
#[wasm_bindgen]
pub struct Searcher(SearchRunner);

#[wasm_bindgen]
impl Searcher {
    /// A searcher without engines yet, for searches on up to `threads` threads: this one and workers that
    /// [`serve`]. While it searches, it polls `is_stopped`.
    #[wasm_bindgen(constructor)]
    pub fn new(threads: usize, is_stopped: Function) -> Result<Searcher, JsError> {
        IS_STOPPED.set(Some(is_stopped));
        #[cfg(target_feature = "atomics")]
        labrys_core::workers::prepare(threads.saturating_sub(1))?;
        #[cfg(not(target_feature = "atomics"))]
        let _ = threads;
        Ok(Searcher(SearchRunner::default()))
    }

    /// Runs a search and returns its best move, if it has found one. `report` is called with its progress.
    pub fn search(&mut self, search: &str, report: &Function) -> Result<Option<String>, JsError> {
        let search = serde_json::from_str(search)?;
        let mut tell = |found: &SearchState| {
            if let Ok(found) = serde_json::to_string(found) {
                // An error in the page's callback does not affect the search.
                let _ = report.call1(&JsValue::NULL, &found.into());
            }
        };
        let best = self.0.search(&search, &Control::default().with_poll(poll), &mut tell);
        best.map_err(|problem| JsError::new(&problem))
    }
}

/// Stops a search when JavaScript says so.
fn poll(control: &Control) {
    // The workers that serve are not told; they end with the search.
    let is_stopped = IS_STOPPED.with_borrow(|is_stopped| is_stopped.as_ref()?.call0(&JsValue::NULL).ok());
    if is_stopped.is_some_and(|answer| answer.is_truthy()) {
        control.stop();
    }
}

/// Serves as a thread of the searches of a [`Searcher`], for ever. A program without threads returns at once.
#[wasm_bindgen]
pub fn serve() {
    #[cfg(target_feature = "atomics")]
    labrys_core::workers::serve();
}
