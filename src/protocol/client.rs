//! A UCI client, which drives an engine that runs as a child process.
//!
//! A thread reads the output of the engine into a bounded queue, and every wait has a deadline. So neither
//! silence nor a flood of lines can block this process; an engine that writes too much blocks on its pipe.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::info::Info;
use super::input::{LineError, read_line};
use super::process::{Launch, LaunchError, Process};
use crate::game::quote;
use crate::search::{Control, Limits};

/// The length of the queue, in lines.
const QUEUE: usize = 1024;

/// The interval at which a wait checks for an interrupt.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The time for an answer to `stop` before the engine is killed.
pub(super) const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// An error of an engine.
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
    /// The engine has refused a line.
    #[error("the engine reports: {0}")]
    Refused(String),
    /// The wait was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// An option that an engine has announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    /// Its name.
    pub name: String,
    /// The words of a list (`var …`); empty for other types.
    pub words: Vec<String>,
}

/// The answer to `go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The move, as the engine wrote it; empty if it wrote none.
    pub best: String,
    /// The last `info` of the engine about its first line.
    pub info: Info,
    /// Time from `go` to the answer.
    pub elapsed: Duration,
}

/// A line of output and its time of arrival.
struct OutputLine {
    text: Result<String, LineError>,
    arrived: Instant,
}

/// A running engine. Dropping the client sends `quit`, and kills the engine if it does not end.
pub struct Client {
    process: Process,
    input: ChildStdin,
    lines: Receiver<OutputLine>,
    /// The engine's `id name`.
    pub name: String,
    /// The options that it has announced.
    pub options: Vec<Announced>,
}

impl Client {
    /// Starts an engine and waits for its `uciok`, for `patience` at most.
    ///
    /// # Errors
    /// [`ClientError`] if it does not start, ends, or does not answer in time.
    pub fn start(launch: &Launch, patience: Duration, control: &Control) -> Result<Client, ClientError> {
        let (process, input, output) = Process::start(launch)?;
        let (sender, lines) = mpsc::sync_channel(QUEUE);
        thread::spawn(move || read_output(BufReader::new(output), &sender));
        let name = launch.program.display().to_string();
        let mut client = Client { process, input, lines, name, options: Vec::new() };
        client.shake_hands(patience, control)?;
        Ok(client)
    }

    /// Sends `uci` and reads name and options.
    fn shake_hands(&mut self, patience: Duration, control: &Control) -> Result<(), ClientError> {
        self.send("uci")?;
        let (mut name, mut options) = (None, Vec::new());
        self.wait("uciok", patience, control, |line| {
            if let Some(text) = line.strip_prefix("id name ") {
                name = Some(text.trim().to_owned());
            } else if let Some(text) = line.strip_prefix("option name ") {
                options.push(read_option(text));
            }
        })?;
        self.options = options;
        self.name = name.unwrap_or_else(|| self.name.clone());
        Ok(())
    }

    /// An announced option by name; case does not matter.
    pub fn option(&self, name: &str) -> Option<&Announced> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Sets an option, `value` being empty for a button.
    ///
    /// # Errors
    /// [`ClientError::UnknownOption`] if the engine has not announced it.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), ClientError> {
        let Some(option) = self.option(name) else {
            let known: Vec<_> = self.options.iter().map(|option| option.name.as_str()).collect();
            return Err(ClientError::UnknownOption { name: name.to_owned(), known: known.join(", ") });
        };
        let line = match value {
            "" => format!("setoption name {}", option.name),
            value => format!("setoption name {} value {value}", option.name),
        };
        self.send(&line)
    }

    /// Sends `isready` and waits for `readyok`.
    ///
    /// # Errors
    /// [`ClientError`]; a line `info string error…` before `readyok` means that an earlier line was refused.
    pub fn sync(&mut self, patience: Duration, control: &Control) -> Result<(), ClientError> {
        self.send("isready")?;
        let mut refused = None;
        self.wait("readyok", patience, control, |line| {
            if let Some(text) = line.strip_prefix("info string error") {
                refused.get_or_insert(text.trim_start_matches(':').trim().to_owned());
            }
        })?;
        refused.map_or(Ok(()), |text| Err(ClientError::Refused(text)))
    }

    /// Sends `ucinewgame` and waits until the engine is ready.
    ///
    /// # Errors
    /// [`ClientError`] if it ends or does not answer in time.
    pub fn new_game(&mut self, patience: Duration, control: &Control) -> Result<(), ClientError> {
        self.send("ucinewgame")?;
        self.sync(patience, control)
    }

    /// Lets the engine search a position, given as a `position` line. After `patience` it is told to stop; an
    /// answer after that still counts, with the time it took.
    ///
    /// # Errors
    /// [`ClientError`] if it ends, or does not answer `stop` in time.
    pub fn go(
        &mut self,
        position: &str,
        limits: &Limits,
        patience: Duration,
        control: &Control,
    ) -> Result<Answer, ClientError> {
        // Drop earlier output. There is a limit, as a flood may be endless.
        self.lines.try_iter().take(QUEUE).for_each(drop);
        self.send(position)?;
        let start = Instant::now();
        self.send(&go_line(limits))?;
        let mut info = Info::default();
        let mut listen = |line: &str| info.update(line);
        let mut found = self.wait("bestmove", patience, control, &mut listen);
        if let Err(ClientError::Silent { expected, waited }) = found {
            self.send("stop")?;
            found = self.wait("bestmove", STOP_TIMEOUT, control, &mut listen).map_err(|error| match error {
                ClientError::Silent { .. } => ClientError::Silent { expected, waited },
                error => error,
            });
        }
        let (line, arrived) = found?;
        let best = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        Ok(Answer { best, info, elapsed: arrived - start })
    }

    fn send(&mut self, line: &str) -> Result<(), ClientError> {
        log::debug!("{} < {line}", self.name);
        let sent = self.input.write_all(format!("{line}\n").as_bytes());
        sent.map_err(|_| self.gone())
    }

    /// Reads lines up to the one whose first word is `expected`; `other` gets the lines before it.
    fn wait(
        &mut self,
        expected: &'static str,
        patience: Duration,
        control: &Control,
        mut other: impl FnMut(&str),
    ) -> Result<(String, Instant), ClientError> {
        let start = Instant::now();
        loop {
            let left = patience.saturating_sub(start.elapsed());
            if control.is_stopped() {
                return Err(ClientError::Interrupted);
            }
            let line = match self.lines.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) if !left.is_zero() => continue,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(ClientError::Silent { expected, waited: patience });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
            };
            let text = line.text.map_err(|error| ClientError::Garbage(error.to_string()))?;
            log::debug!("{} > {text}", self.name);
            if text.split_whitespace().next() == Some(expected) {
                return Ok((text, line.arrived));
            }
            // Check the time after other lines as well, as there may be a flood of them.
            if left.is_zero() {
                return Err(ClientError::Silent { expected, waited: patience });
            }
            other(&text);
        }
    }

    /// Waits for the process to end, and returns the error with its exit status.
    fn gone(&mut self) -> ClientError {
        ClientError::Gone { status: self.process.wait(|| ()) }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A failed write does not matter: the process is killed if it does not end.
        let _ = self.input.write_all(b"stop\nquit\n");
        // An engine that is writing can only end if its output is read.
        self.process.wait(|| self.lines.try_iter().take(QUEUE).for_each(drop));
    }
}

/// Queues lines until the output ends or the client is dropped.
fn read_output(mut output: impl BufRead, lines: &SyncSender<OutputLine>) {
    loop {
        match read_line(&mut output) {
            Ok(Some(text)) => {
                if lines.send(OutputLine { text, arrived: Instant::now() }).is_err() {
                    return;
                }
            }
            Ok(None) => return,
            Err(error) => return log::warn!("output of an engine: {error}"),
        }
    }
}

/// Reads `<name> type <type> …`. The name may contain spaces.
fn read_option(text: &str) -> Announced {
    let (name, rest) = text.split_once(" type ").unwrap_or((text, ""));
    let words = rest.split(" var ").skip(1).map(|word| word.trim().to_owned());
    Announced { name: name.trim().to_owned(), words: words.collect() }
}

/// The `go` line for these limits.
fn go_line(limits: &Limits) -> String {
    let milliseconds = |time: Duration| time.as_millis() as u64;
    let mut words = vec!["go".to_owned()];
    let mut add = |name: &str, value: Option<u64>| words.extend(value.map(|value| format!("{name} {value}")));
    for (clock, [time, increment]) in limits.clocks.iter().zip([["wtime", "winc"], ["btime", "binc"]]) {
        add(time, clock.map(|clock| milliseconds(clock.remaining)));
        add(increment, clock.map(|clock| milliseconds(clock.increment)));
    }
    add("movestogo", limits.moves_to_go.map(u64::from));
    add("movetime", limits.movetime.map(milliseconds));
    add("depth", limits.depth.map(u64::from));
    add("nodes", limits.nodes);
    add("mate", limits.mate.map(u64::from));
    if limits.is_endless() {
        words.push("infinite".to_owned());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Command, parse};
    use crate::search::Clock;

    #[test]
    fn the_engine_reads_what_the_client_asks() {
        let clock = |remaining| Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(100),
        };
        let start = Instant::now();
        for limits in [
            Limits { start, ..Limits::none() },
            Limits { start, ..Limits::depth(7) },
            Limits { start, ..Limits::nodes(12_345) },
            Limits { start, movetime: Some(Duration::from_millis(250)), mate: Some(3), ..Limits::none() },
            Limits {
                start,
                clocks: [Some(clock(60_000)), Some(clock(59_000))],
                moves_to_go: Some(12),
                ..Limits::none()
            },
        ] {
            let line = go_line(&limits);
            let Ok(Some(Command::Go(go))) = parse(&line) else { panic!("{line}") };
            assert_eq!(Limits { start, ..go.limits }, limits, "{line}");
            assert_eq!(go.infinite, limits.is_endless(), "{line}");
        }
    }

    #[test]
    fn announced_options_have_names_with_spaces_and_words() {
        let option = read_option("Move Overhead type spin default 10 min 0 max 5000");
        assert_eq!(option, Announced { name: "Move Overhead".into(), words: vec![] });
        let option = read_option("UCI_Variant type combo default chess var chess var amazons");
        assert_eq!(option.words, ["chess", "amazons"]);
    }
}
