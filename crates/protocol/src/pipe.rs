//! Line-based communication with an engine in a child process or over TCP.
//!
//! A thread reads its output into a bounded queue, and every wait has a deadline. So neither silence nor a
//! flood of lines blocks this process; an engine that writes too much blocks on its pipe, unless it ponders.

use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::process::ExitStatus;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::agents::AgentFault;
use super::engine_log::{EngineLog, Speaker};
use super::input::Lines;
use super::line_queue::{LineReceiver, LineSender, OutputLine, line_queue};
use super::process::LaunchError;
use super::transport::{Peer, Transport};
use labrys_core::clock::Instant;
use labrys_core::game::quote;
use labrys_core::search::Control;

/// The interval at which a wait checks for an interrupt.
pub const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The time for an answer to the command to stop before the engine is killed.
pub const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// An error of an engine in a child process or over TCP.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The program could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The process has ended, or has closed its output.
    #[error("the engine has ended{}", .status.map_or(String::new(), |status| format!(" ({status})")))]
    Gone {
        /// Its exit status, if known.
        status: Option<ExitStatus>,
    },
    /// There is no connection to an engine over TCP.
    #[error("cannot connect to {}: {error}", quote(.address))]
    Connect {
        /// The address.
        address: String,
        /// The error of the system.
        error: io::Error,
    },
    /// The connection has ended.
    #[error("the connection to {} has ended", quote(.address))]
    Closed {
        /// The address.
        address: String,
    },
    /// The connection of an agent was closed here.
    #[error("the connection has ended: {0}")]
    Fault(AgentFault),
    /// An answer did not come in time.
    #[error("no `{expected}` within {} s", .waited.as_secs_f64())]
    Silent {
        /// The first word of the answer.
        expected: &'static str,
        /// The time waited.
        waited: Duration,
    },
    /// The output is not text.
    #[error("{0}")]
    Garbage(String),
    /// The engine does not have the option.
    #[error("no option {}, the engine has: {known}", quote(.name))]
    UnknownOption {
        /// The name requested.
        name: String,
        /// The options of the engine.
        known: String,
    },
    /// The engine plays from the start position only, and another one is requested.
    #[error("the engine sets up no positions (setboard=0), so games have to begin at the start position")]
    StartOnly,
    /// The engine has refused a line.
    #[error("the engine reports: {0}")]
    Refused(String),
    /// The wait was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// An engine with its input and its lines of output. On drop, `quit_lines` are sent; then a process that does
/// not exit is killed, and a connection is closed.
pub struct Pipe {
    peer: Peer,
    input: Box<dyn Write + Send>,
    lines: LineReceiver,
    log: EngineLog,
    quit_lines: &'static [&'static str],
}

impl Pipe {
    /// Starts a program or connects to it, within `timeout`. `log` records all lines; `quit_lines` are the
    /// lines that end the program.
    ///
    /// # Errors
    /// [`ClientError`] if it does not start, or cannot be connected to.
    pub fn open(
        transport: &Transport,
        log: &EngineLog,
        timeout: Duration,
        quit_lines: &'static [&'static str],
    ) -> Result<Pipe, ClientError> {
        let (peer, input, output) = Peer::open(transport, timeout)?;
        let log = log.of_process(peer.id());
        let (longest, most) = peer.input_limits();
        let (sender, lines) = line_queue(most);
        let (reader_log, output) = (log.clone(), Lines::with_max(BufReader::new(output), longest));
        thread::spawn(move || read_output(output, &sender, &reader_log));
        Ok(Pipe { peer, input, lines, log, quit_lines })
    }

    /// Writes on a thread of its own from now on, so that an engine that reads nothing blocks nobody.
    pub fn queue_input(&mut self) {
        let (sender, texts) = mpsc::channel::<Vec<u8>>();
        let mut input = std::mem::replace(&mut self.input, Box::new(QueuedInput(sender)));
        // An engine that has ended is noticed by its output.
        thread::spawn(move || texts.iter().try_for_each(|text| input.write_all(&text)));
    }

    /// Ends the input: the engine reads the end of its file.
    pub fn close_input(&mut self) {
        self.peer.close_input();
        self.input = Box::new(io::sink());
    }

    /// Tells an agent why its connection is closed, and closes it. Engines that were started from here need no
    /// such word.
    pub(super) fn refuse(&self, reason: impl fmt::Display) {
        self.peer.refuse(reason);
    }

    /// The number of the child process; `None` of a connection.
    pub fn process_id(&self) -> Option<u32> {
        matches!(self.peer, Peer::Process(_)).then(|| self.peer.id())
    }

    /// Waits for the end of the process, for `timeout` at most, and discards its lines. Returns its exit
    /// status.
    pub fn wait_for_exit(&mut self, timeout: Duration, control: &Control) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            let status = self.peer.wait_for_exit(|| self.lines.waiting().for_each(drop));
            if status.is_some() || start.elapsed() >= timeout || control.is_stopped() {
                return status;
            }
        }
    }

    /// The next line with its time of arrival, `None` if there is none within `timeout`.
    ///
    /// # Errors
    /// [`ClientError`] if the engine has ended, or the line is no text.
    pub fn next_line(
        &mut self,
        timeout: Duration,
        control: &Control,
    ) -> Result<Option<(String, Instant)>, ClientError> {
        match self.wait("", timeout, control, |line| Some(line.to_owned())) {
            Err(ClientError::Silent { .. }) => Ok(None),
            read => read.map(Some),
        }
    }

    /// Writes a line, which may contain further ones.
    ///
    /// # Errors
    /// [`ClientError`] if the engine has ended.
    pub fn send(&mut self, line: &str) -> Result<(), ClientError> {
        self.write(line).map_err(|_| self.peer.closed_error())
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        self.log.write(Speaker::Arena, line);
        self.input.write_all(format!("{line}\n").as_bytes())
    }

    /// Discards the lines received so far; `each` gets them. Their number is limited, as a flood may be
    /// endless.
    pub(super) fn drain(&mut self, mut each: impl FnMut(&str)) {
        self.lines.waiting().filter_map(|line| line.text.ok()).for_each(|text| each(&text));
    }

    /// Whether `info` lines make room for later lines from now on, where nobody reads them for a while: the
    /// engine would wait in the midst of its search.
    pub(super) fn drop_reports(&self, drops: bool) {
        self.lines.drop_reports(drops);
    }

    /// Reads lines until `take` returns a value for one, for `timeout` at most. Returns it with the time at
    /// which that line arrived. `expected` is the first word of the line, for the error.
    pub(super) fn wait<T>(
        &mut self,
        expected: &'static str,
        timeout: Duration,
        control: &Control,
        mut take: impl FnMut(&str) -> Option<T>,
    ) -> Result<(T, Instant), ClientError> {
        let start = Instant::now();
        loop {
            let left = timeout.saturating_sub(start.elapsed());
            if control.is_stopped() {
                return Err(ClientError::Interrupted);
            }
            let line = match self.lines.next(left.min(POLL_INTERVAL)) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) if !left.is_zero() => continue,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(ClientError::Silent { expected, waited: timeout });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.peer.closed_error()),
            };
            let text = line.text.map_err(|error| ClientError::Garbage(error.to_string()))?;
            if let Some(taken) = take(&text) {
                return Ok((taken, line.arrived));
            }
            // Check the time after other lines as well, in a flood of them.
            if left.is_zero() {
                return Err(ClientError::Silent { expected, waited: timeout });
            }
        }
    }
}

/// The input of an engine behind a queue.
struct QueuedInput(mpsc::Sender<Vec<u8>>);

impl Write for QueuedInput {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let closed = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.send(text.to_vec()).map(|()| text.len()).map_err(closed)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // A failed write does not matter: the process is killed or the connection closed anyway.
        let lines = if self.peer.has_to_quit() { self.quit_lines } else { &[] };
        for line in lines {
            let _ = self.write(line);
        }
        // An engine that is writing can only end if its output is read.
        self.peer.wait_for_exit(|| self.lines.waiting().for_each(drop));
    }
}

/// Whether a line has names or free text, which are in whatever encoding they were written.
fn is_text(line: &str) -> bool {
    let mut words = line.split_whitespace();
    match words.next() {
        Some("id" | "feature" | "option" | "#" | "telluser" | "tellusererror" | "Error") => true,
        Some("info") => words.any(|word| word == "string"),
        _ => false,
    }
}

/// Logs and queues lines until the output ends or the pipe is dropped.
fn read_output(mut output: Lines<impl BufRead>, lines: &LineSender, log: &EngineLog) {
    loop {
        match output.next() {
            Ok(Some(text)) => {
                let arrived = Instant::now();
                let text =
                    text.or_else(|error| if is_text(&error.text) { error.lossy() } else { Err(error) });
                match &text {
                    Ok(text) => log.write(Speaker::Engine, text),
                    Err(error) => log.write(Speaker::Engine, &format!("({error})")),
                }
                if !lines.send(OutputLine { text, arrived }) {
                    return;
                }
            }
            Ok(None) => return,
            Err(error) => return log::warn!("output of an engine: {error}"),
        }
    }
}
