//! Long work that Ctrl-C interrupts, and locks.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use labrys::search::Control;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::rule_errors::RuleErrors;

/// The interval between two checks for signals.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Locks a mutex whose value no panic leaves inconsistent.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does work on its own thread, while other Python threads can run. Ctrl-C, or any other signal whose handler
/// raises, is raised at once and stops the work through the control, without waiting for its end: rules in
/// Python or reading a pipe may take any time. An error of rules in Python stops the work, too.
///
/// # Errors
/// The errors of signal handlers and of the rules of a game in Python. `RuntimeError` if the work has
/// panicked.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Control) -> T + Send + 'static,
) -> PyResult<T> {
    let control = Arc::new(Control::default());
    let errors = RuleErrors::of_thread(Some(Arc::clone(&control)));
    let (sender, receiver) = mpsc::channel();
    let (its_errors, its_control) = (Arc::clone(&errors), Arc::clone(&control));
    let thread = move || {
        let done = its_errors.during(|| work(&its_control));
        // Without a receiver the result is not wanted any more.
        _ = sender.send(done);
    };
    let spawned = std::thread::Builder::new().name("labrys work".to_owned()).spawn(thread);
    spawned.map_err(|error| PyRuntimeError::new_err(format!("no thread for the work: {error}")))?;
    let done = py.detach(move || {
        loop {
            match receiver.recv_timeout(POLL_INTERVAL) {
                Ok(done) => return Ok(done),
                // A panic is reported on standard error and leaves no result.
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("an error within Labrys, see standard error"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    Python::attach(|py| py.check_signals()).inspect_err(|_| control.stop())?;
                }
            }
        }
    })?;
    errors.get(py).map_or(Ok(done), Err)
}
