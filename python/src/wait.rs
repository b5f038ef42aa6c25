//! Long work that Ctrl-C interrupts.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use labrys::search::Control;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How long a signal waits at most until Python is asked about it.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Does work on a thread of its own, while other threads of Python run. Ctrl-C, or any other signal whose
/// handler raises, stops it by the control, and is raised when it has ended.
///
/// # Errors
/// What the handler of a signal has raised. `RuntimeError` if the work has panicked.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    control: &Control,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (sender, receiver) = mpsc::channel();
    let (raised, done) = py.detach(move || {
        std::thread::scope(move |scope| {
            let (mut raised, mut done) = (None, None);
            // If nobody waits any more, nobody wants the result.
            let thread = scope.spawn(move || _ = sender.send(work()));
            loop {
                match receiver.recv_timeout(POLL_INTERVAL) {
                    Ok(result) => done = Some(result),
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            control.stop();
                            raised = Some(error);
                        }
                    }
                }
            }
            // A panic is said on standard error and leaves no result.
            _ = thread.join();
            (raised, done)
        })
    });
    match (raised, done) {
        (Some(error), _) => Err(error),
        (None, Some(result)) => Ok(result),
        _ => Err(PyRuntimeError::new_err("an error within Labrys, see standard error")),
    }
}
