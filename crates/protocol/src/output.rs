//! Line-by-line output from several threads.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// The output of the protocol. Lines are written whole and flushed at once.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Sink>>);

struct Sink {
    to: Box<dyn Write + Send>,
    /// A write has failed: the output is closed.
    broken: bool,
}

impl Output {
    pub(super) fn new(to: impl Write + Send + 'static) -> Output {
        Output(Arc::new(Mutex::new(Sink { to: Box::new(to), broken: false })))
    }

    /// Writes a line. A failure is reported by [`Output::is_broken`].
    pub(super) fn line(&self, text: &str) {
        let mut sink = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !sink.broken {
            let written = sink.to.write_all(format!("{text}\n").as_bytes()).and_then(|()| sink.to.flush());
            if let Err(error) = written {
                log::debug!("output is closed: {error}");
                sink.broken = true;
            }
        }
    }

    /// Reports an error in the input.
    pub(super) fn error(&self, error: impl std::fmt::Display) {
        self.line(&error_line(error));
    }

    /// Whether a line could not be written.
    pub(super) fn is_broken(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).broken
    }
}

/// The line that reports an error in the input.
pub(super) fn error_line(error: impl std::fmt::Display) -> String {
    format!("info string error: {error}")
}
