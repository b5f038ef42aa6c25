//! The errors that rules in Python raise. The traits for games have no errors, so an error cannot be
//! returned: it is recorded here, stops the search in which it occurred, and is raised by the call from
//! Python.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use labrys::search::Control;
use pyo3::prelude::*;

use crate::wait::lock;

thread_local! {
    /// Collects the errors of this thread.
    static COLLECTOR: RefCell<Option<Arc<RuleErrors>>> = const { RefCell::new(None) };

    /// The depth of nested calls of rules on this thread.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// The running searches: the additional threads of a search have no collector.
static SEARCHES: Mutex<Vec<Weak<RuleErrors>>> = Mutex::new(Vec::new());

/// Whether an error of the rules ends the process: the command line cannot raise it, and a proof or a match
/// would continue with a wrong result.
static ENDS_PROCESS: AtomicBool = AtomicBool::new(false);

/// From now on, an error of the rules ends the process.
pub(crate) fn end_process_on_errors() {
    ENDS_PROCESS.store(true, Ordering::Relaxed);
}

/// The errors of some work.
#[derive(Default)]
pub(crate) struct RuleErrors {
    /// The first one.
    first: Mutex<Option<PyErr>>,
    /// Stops the work at an error.
    control: Option<Arc<Control>>,
    /// The game, for a search that may have several threads.
    game: Option<&'static str>,
}

impl RuleErrors {
    /// The errors of work on one thread, which a control stops, if there is one.
    pub(crate) fn of_thread(control: Option<Arc<Control>>) -> Arc<RuleErrors> {
        Arc::new(RuleErrors { control, ..RuleErrors::default() })
    }

    /// The errors of a search, on all of its threads.
    pub(crate) fn of_search(game: &'static str, control: Arc<Control>) -> Arc<RuleErrors> {
        let errors = RuleErrors { control: Some(control), game: Some(game), ..RuleErrors::default() };
        let errors = Arc::new(errors);
        let mut searches = lock(&SEARCHES);
        searches.retain(|known| known.strong_count() > 0);
        searches.push(Arc::downgrade(&errors));
        errors
    }

    /// Does work on this thread and collects its errors.
    pub(crate) fn during<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        let before = COLLECTOR.replace(Some(Arc::clone(self)));
        let done = work();
        COLLECTOR.set(before);
        done
    }

    /// The first error, if there is one.
    pub(crate) fn get(&self, py: Python<'_>) -> Option<PyErr> {
        lock(&self.first).as_ref().map(|error| error.clone_ref(py))
    }

    /// Whether there is an error.
    pub(crate) fn is_any(&self) -> bool {
        lock(&self.first).is_some()
    }

    /// Whether it collects the errors of this thread.
    pub(crate) fn is_of_this_thread(&self) -> bool {
        COLLECTOR.with_borrow(|own| own.as_ref().is_some_and(|own| std::ptr::eq(&**own, self)))
    }

    fn note(&self, error: PyErr) {
        let mut first = lock(&self.first);
        let later = if first.is_none() {
            *first = Some(error);
            None
        } else {
            Some(error)
        };
        drop(first);
        // Dropping it may run Python code, so not under the lock.
        drop(later);
        if let Some(control) = &self.control {
            control.stop();
        }
    }
}

/// Does work on this thread that may call rules.
///
/// # Errors
/// The first one that the rules have raised.
pub(crate) fn checked<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    let errors = RuleErrors::of_thread(None);
    let done = errors.during(work);
    let first = lock(&errors.first).take();
    first.map_or(Ok(done), Err)
}

/// Calls rules.
pub(crate) fn call<T>(rules: impl FnOnce() -> T) -> T {
    CALLS.set(CALLS.get() + 1);
    let done = rules();
    CALLS.set(CALLS.get() - 1);
    done
}

/// Whether this thread is in a call of rules.
pub(crate) fn is_in_call() -> bool {
    CALLS.get() > 0
}

/// Records an error of the rules of a game.
pub(crate) fn note(py: Python<'_>, game: &str, error: PyErr) {
    if ENDS_PROCESS.load(Ordering::Relaxed) {
        error.print(py);
        std::process::exit(1);
    }
    if let Some(collector) = COLLECTOR.with_borrow(Option::clone) {
        return collector.note(error);
    }
    let searches: Vec<_> = lock(&SEARCHES).iter().filter_map(Weak::upgrade).collect();
    let searches = searches.iter().filter(|search| search.game == Some(game));
    searches.for_each(|search| search.note(error.clone_ref(py)));
}
