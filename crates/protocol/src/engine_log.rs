//! A log of the protocol: every line that an engine and the program that drives it write to each other.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use time::OffsetDateTime;

/// The log of one engine: kept by the arena, or by the engine itself. The default is none.
#[derive(Clone, Debug, Default)]
pub struct EngineLog {
    /// The file, which the engines of a match share.
    file: Option<Arc<Mutex<LogFile>>>,
    /// The name of the engine.
    name: String,
}

#[derive(Debug)]
struct LogFile {
    file: File,
    /// The first error of writing it.
    error: Option<io::Error>,
}

/// The author of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The program that drives the engine.
    Arena,
    /// The engine.
    Engine,
}

impl EngineLog {
    /// A log that is appended to a file, for engines that [`EngineLog::named`] gives a name.
    ///
    /// # Errors
    /// The error of the system if the file cannot be written.
    pub fn append(path: &Path) -> io::Result<EngineLog> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let file = LogFile { file, error: None };
        Ok(EngineLog { file: Some(Arc::new(Mutex::new(file))), name: String::new() })
    }

    /// The same log for an engine of this name.
    pub fn named(&self, name: &str) -> EngineLog {
        EngineLog { file: self.file.clone(), name: name.to_owned() }
    }

    /// The same log for one process of the engine, so that those of concurrent games can be told apart.
    pub fn of_process(&self, id: u32) -> EngineLog {
        self.named(&format!("{}[{id}]", self.name))
    }

    /// The first error of writing it, which is then forgotten.
    pub fn take_error(&self) -> Option<io::Error> {
        self.file.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner).error.take()
    }

    /// Writes a line with the time, unbuffered. If that fails, the match continues without log; see
    /// [`EngineLog::take_error`].
    pub fn write(&self, speaker: Speaker, text: &str) {
        let Some(file) = &self.file else { return };
        let now = OffsetDateTime::now_utc();
        let (hour, minute, second, milli) = now.time().as_hms_milli();
        let (date, name) = (now.date(), &self.name);
        let arrow = match speaker {
            Speaker::Arena => '<',
            Speaker::Engine => '>',
        };
        let line = format!("{date} {hour:02}:{minute:02}:{second:02}.{milli:03} {name} {arrow} {text}\n");
        let LogFile { file, error } = &mut *file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(failed) = file.write_all(line.as_bytes()) {
            log::warn!("cannot write the log: {failed}");
            error.get_or_insert(failed);
        }
    }
}
