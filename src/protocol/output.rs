//! Output, line by line, from several threads.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// The one place where the protocol writes. Every line goes out at once and whole.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Sink>>);

struct Sink {
    to: Box<dyn Write + Send>,
    /// Writing has failed: the reader has closed its end.
    broken: bool,
}

impl Output {
    pub(super) fn new(to: impl Write + Send + 'static) -> Output {
        Output(Arc::new(Mutex::new(Sink { to: Box::new(to), broken: false })))
    }

    /// Writes a text and a line end. A failure is remembered, see [`Output::is_broken`].
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

    /// Reports bad input.
    pub(super) fn error(&self, error: impl std::fmt::Display) {
        self.line(&error_line(error));
    }

    /// Whether a line could not be written.
    pub(super) fn is_broken(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).broken
    }
}

/// The line that reports bad input.
pub(super) fn error_line(error: impl std::fmt::Display) -> String {
    format!("info string error: {error}")
}
