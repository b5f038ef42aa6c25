//! Line-by-line output from several threads.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::engine_log::{EngineLog, Speaker};

/// The output of the protocol. Lines are written whole and flushed at once.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Sink>>);

struct Sink {
    to: Box<dyn Write + Send>,
    /// The log of all lines.
    log: EngineLog,
    /// A write has failed: the output is closed.
    broken: bool,
}

impl Output {
    pub(super) fn new(to: impl Write + Send + 'static) -> Output {
        Output(Arc::new(Mutex::new(Sink { to: Box::new(to), log: EngineLog::default(), broken: false })))
    }

    fn sink(&self) -> MutexGuard<'_, Sink> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs all further lines.
    pub(super) fn set_log(&self, log: EngineLog) {
        self.sink().log = log;
    }

    /// Logs a line of input. Returns the first error of writing the log, which then ends.
    pub(super) fn log_input(&self, text: &str) -> Option<io::Error> {
        let mut sink = self.sink();
        sink.log.write(Speaker::Arena, text);
        let error = sink.log.take_error();
        if error.is_some() {
            sink.log = EngineLog::default();
        }
        error
    }

    /// Writes a line. A failure is reported by [`Output::is_broken`].
    pub(super) fn line(&self, text: &str) {
        let mut sink = self.sink();
        if !sink.broken {
            text.lines().for_each(|line| sink.log.write(Speaker::Engine, line));
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
        self.sink().broken
    }
}

/// The line that reports an error in the input.
pub(super) fn error_line(error: impl std::fmt::Display) -> String {
    format!("info string error: {error}")
}
