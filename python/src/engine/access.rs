//! Exclusive access to an engine.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};
use std::thread::ThreadId;

use labrys::engine;
use labrys::search::Control;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::rule_errors::{checked, is_in_call};
use crate::wait::{POLL_INTERVAL, lock};

/// An engine that one thread uses at a time.
pub(super) struct Access {
    engine: Mutex<Box<dyn engine::Engine>>,
    /// The last process that has used it.
    process: AtomicU32,
    /// The running and waiting searches, and some that have ended.
    searches: Mutex<Vec<RunningSearch>>,
}

/// A running or waiting search.
struct RunningSearch {
    control: Arc<Control>,
    /// The thread that has started it, and its process.
    thread: ThreadId,
    process: u32,
    /// Dead when the search has ended.
    token: Weak<SearchToken>,
}

/// Owned by a search until it ends.
pub(super) struct SearchToken;

/// An engine that this thread may use.
pub(super) type Guard<'a> = MutexGuard<'a, Box<dyn engine::Engine>>;

impl Access {
    pub(super) fn new(engine: Box<dyn engine::Engine>) -> Access {
        let process = AtomicU32::new(std::process::id());
        Access { engine: Mutex::new(engine), process, searches: Mutex::default() }
    }

    /// Waits for the engine. While it is in use, `check` is polled for whether to keep waiting.
    ///
    /// # Errors
    /// Those of `check`.
    pub(super) fn enter<E>(&self, mut check: impl FnMut() -> Result<(), E>) -> Result<Guard<'_>, E> {
        loop {
            if let Some(guard) = self.try_enter() {
                return Ok(guard);
            }
            check()?;
            std::thread::sleep(POLL_INTERVAL / 10);
        }
    }

    /// The engine, if it is not in use.
    fn try_enter(&self) -> Option<Guard<'_>> {
        let guard = match self.engine.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.process.store(std::process::id(), Ordering::Relaxed);
        Some(guard)
    }

    /// Calls `work` with the engine once no other thread uses it.
    ///
    /// # Errors
    /// Those of [`Access::check`], of signal handlers in the meantime, and of rules in Python.
    pub(super) fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn engine::Engine) -> T + Send,
    ) -> PyResult<T> {
        self.check()?;
        py.detach(|| {
            let wait = || Python::attach(|py| self.check_wait().and_then(|()| py.check_signals()));
            let mut engine = self.enter(wait)?;
            checked(|| work(engine.as_mut()))
        })
    }

    /// Checks that this thread may wait for the engine: it would wait forever for an analysis that it has to
    /// stop itself.
    ///
    /// # Errors
    /// `RuntimeError` says why it may not.
    pub(super) fn check(&self) -> PyResult<()> {
        let (thread, process) = (std::thread::current().id(), std::process::id());
        let mut searches = lock(&self.searches);
        searches.retain(|search| search.token.strong_count() > 0);
        // A search that ran when the process was forked never ends in the child.
        if searches.iter().any(|search| search.process != process) {
            return Err(forked());
        }
        if searches.iter().any(|search| search.thread == thread && !search.control.is_stopped()) {
            return Err(PyRuntimeError::new_err(
                "an analysis of this engine runs, started by this thread: stop it first, by its `stop` or at \
                 the end of its `with` block",
            ));
        }
        drop(searches);
        if self.try_enter().is_none() { self.check_wait() } else { Ok(()) }
    }

    /// Checks that the engine, which is in use, will be released eventually.
    fn check_wait(&self) -> PyResult<()> {
        if self.process.load(Ordering::Relaxed) != std::process::id() {
            return Err(forked());
        }
        if is_in_call() {
            return Err(PyRuntimeError::new_err(
                "rules in Python cannot use a busy engine: it may be waiting for these rules",
            ));
        }
        Ok(())
    }

    /// Registers a search that this thread starts. It owns the token until it ends.
    pub(super) fn register(&self, control: &Arc<Control>) -> Arc<SearchToken> {
        let token = Arc::new(SearchToken);
        let (thread, process) = (std::thread::current().id(), std::process::id());
        let search =
            RunningSearch { control: Arc::clone(control), thread, process, token: Arc::downgrade(&token) };
        lock(&self.searches).push(search);
        token
    }

    /// Stops all searches.
    pub(super) fn stop(&self) {
        lock(&self.searches).iter().for_each(|search| search.control.stop());
    }
}

/// Why an engine cannot be used in this process.
pub(crate) fn forked() -> PyErr {
    PyRuntimeError::new_err(
        "this process was forked during a search, which does not exist here: create another engine, or start \
         processes by `spawn`",
    )
}
