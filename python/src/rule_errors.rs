//! The errors that rules in Python raise, on their way to whoever asked for the work. The games of Labrys
//! cannot fail, so that an error cannot go the way of a result: it is noted here and raised by the call,
//! while searches that it comes from are stopped.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use labrys::search::Control;
use pyo3::prelude::*;

use crate::wait::lock;

thread_local! {
    /// Who hears of the errors of this thread.
    static LISTENER: RefCell<Option<Arc<RuleErrors>>> = const { RefCell::new(None) };

    /// How many calls of rules, one within the other, this thread is in.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// The searches that run: a search may have threads of its own, which have no listener.
static SEARCHES: Mutex<Vec<Weak<RuleErrors>>> = Mutex::new(Vec::new());

/// Whether rules that fail end the process: in the command line nobody could be told, and a proof or a match
/// would go on with a result that is none.
static ENDS_PROCESS: AtomicBool = AtomicBool::new(false);

/// From now on, rules that fail end the process.
pub(crate) fn end_process_on_errors() {
    ENDS_PROCESS.store(true, Ordering::Relaxed);
}

/// The errors of some work.
#[derive(Default)]
pub(crate) struct RuleErrors {
    /// The first one.
    first: Mutex<Option<PyErr>>,
    /// What stops the work.
    control: Option<Arc<Control>>,
    /// The game, of a search that may have several threads.
    game: Option<&'static str>,
}

impl RuleErrors {
    /// The errors of work on one thread, which is stopped by a control, if there is one.
    pub(crate) fn of_thread(control: Option<Arc<Control>>) -> Arc<RuleErrors> {
        Arc::new(RuleErrors { control, ..RuleErrors::default() })
    }

    /// The errors of a search of a game, with all of its threads.
    pub(crate) fn of_search(game: &'static str, control: Arc<Control>) -> Arc<RuleErrors> {
        let errors = RuleErrors { control: Some(control), game: Some(game), ..RuleErrors::default() };
        let errors = Arc::new(errors);
        let mut searches = lock(&SEARCHES);
        searches.retain(|known| known.strong_count() > 0);
        searches.push(Arc::downgrade(&errors));
        errors
    }

    /// Does work on this thread, and hears of its errors.
    pub(crate) fn during<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        let before = LISTENER.replace(Some(Arc::clone(self)));
        let done = work();
        LISTENER.set(before);
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

    /// Whether this thread does this work.
    pub(crate) fn is_of_this_thread(&self) -> bool {
        LISTENER.with_borrow(|own| own.as_ref().is_some_and(|own| std::ptr::eq(&**own, self)))
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
        // What it holds may run Python: not under the lock.
        drop(later);
        if let Some(control) = &self.control {
            control.stop();
        }
    }
}

/// Does work on this thread in which rules may be asked.
///
/// # Errors
/// The first one that they have raised.
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

/// Notes an error of the rules of a game.
pub(crate) fn note(py: Python<'_>, game: &str, error: PyErr) {
    if ENDS_PROCESS.load(Ordering::Relaxed) {
        error.print(py);
        std::process::exit(1);
    }
    if let Some(listener) = LISTENER.with_borrow(Option::clone) {
        return listener.note(error);
    }
    let searches: Vec<_> = lock(&SEARCHES).iter().filter_map(Weak::upgrade).collect();
    let searches = searches.iter().filter(|search| search.game == Some(game));
    searches.for_each(|search| search.note(error.clone_ref(py)));
}
