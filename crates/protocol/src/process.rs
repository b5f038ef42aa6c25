//! Child processes.

use std::convert::Infallible;
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::input::Lines;
use labrys_core::clock::Instant;
use labrys_core::game::quote_path;

/// The interval at which a wait checks whether a process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The time for a process to end by itself before it is killed.
pub const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// The time for the last lines of a process to be logged.
const COPY_TIMEOUT: Duration = Duration::from_millis(200);

/// The command line and environment of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// A path, or a name that is searched in `PATH`.
    pub program: PathBuf,
    /// The arguments.
    pub arguments: Vec<String>,
    /// The working directory; by default that of this process.
    pub folder: Option<PathBuf>,
    /// The file to which standard error is appended; by default the log, level `info`.
    pub stderr: Option<PathBuf>,
}

impl fmt::Display for Launch {
    /// The program and its arguments, and its working directory if it has one of its own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.program.display())?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {argument}"))?;
        self.folder.iter().try_for_each(|folder| write!(f, ", dir={}", folder.display()))
    }
}

/// An error in starting a program.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The program could not be started.
    #[error("cannot start {}: {error}", quote_path(.program))]
    Start {
        /// The program.
        program: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The file for its standard error cannot be written.
    #[error("cannot write {}: {error}", quote_path(.path))]
    Log {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

/// A running program. It is killed when dropped.
pub struct Process {
    child: Child,
    name: String,
    /// Ends of the copies of its output into the log: no message comes.
    copies: Vec<Receiver<Infallible>>,
}

impl Process {
    /// Starts a program. Returns it with its standard input and output.
    ///
    /// # Errors
    /// [`LaunchError`] names the program or the file.
    pub fn start(launch: &Launch) -> Result<(Process, ChildStdin, ChildStdout), LaunchError> {
        let log = launch.stderr.as_ref().map(|path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.map_err(|error| LaunchError::Log { path: path.clone(), error })
        });
        let log = log.transpose()?;
        let mut command = Command::new(&launch.program);
        command.args(&launch.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // The process writes to the file itself, so that nothing is lost if this process ends first.
        command.stderr(log.map_or_else(Stdio::piped, Stdio::from));
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        // Ctrl-C at the terminal must only reach the arena, which then ends its engines itself.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let failed = |error| LaunchError::Start { program: launch.program.clone(), error };
        let mut child = command.spawn().map_err(failed)?;
        let missing = || failed(io::Error::other("no pipe"));
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let name = launch.program.display().to_string();
        let errors = child.stderr.take();
        let mut process = Process { child, name, copies: Vec::new() };
        if let Some(errors) = errors {
            process.log_lines("standard error", errors);
        }
        Ok((process, input, output))
    }

    /// Copies an output of the process line by line into the log, level `info`, on a thread.
    pub fn log_lines(&mut self, output_name: &str, output: impl Read + Send + 'static) {
        let (title, (sender, end)) =
            (format!("{output_name} of {}", self.name), mpsc::channel::<Infallible>());
        self.copies.push(end);
        thread::spawn(move || {
            let _sender = sender;
            copy_lines(output, &title);
        });
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The exit status of the process, if it has ended.
    pub fn status(&mut self) -> Option<ExitStatus> {
        // Its number stays taken up to the drop, which kills its group.
        #[cfg(unix)]
        return ended(&self.child);
        #[cfg(not(unix))]
        self.child.try_wait().ok().flatten()
    }

    /// Waits for its end, for [`EXIT_TIMEOUT`] at most. `meanwhile` is called at intervals.
    pub fn wait(&mut self, mut meanwhile: impl FnMut()) -> Option<ExitStatus> {
        let end = Instant::now() + EXIT_TIMEOUT;
        loop {
            let status = self.status();
            if status.is_some() || Instant::now() >= end {
                return status;
            }
            meanwhile();
            thread::sleep(POLL_INTERVAL);
        }
    }
}

/// The exit status of a process that has ended, without the end of its entry in the table of processes.
#[cfg(unix)]
fn ended(child: &Child) -> Option<ExitStatus> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    use std::os::unix::process::ExitStatusExt;

    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(Pid::from_child(child)), options).ok()??;
    let code = status.exit_status().map(|code| code << 8);
    let core_dumped = if status.dumped() { 0x80 } else { 0 };
    let raw = code.or_else(|| Some(status.terminating_signal()? | core_dumped))?;
    Some(ExitStatus::from_raw(raw))
}

impl Drop for Process {
    fn drop(&mut self) {
        // A script may have started the engine, or the engine others: all are in the group of the first one.
        #[cfg(unix)]
        {
            let group = rustix::process::Pid::from_child(&self.child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        if let Err(error) = self.child.wait() {
            log::warn!("{}: {error}", self.name);
        }
        // Its last lines. A program that it has started may still write more.
        for copy in &self.copies {
            let _ = copy.recv_timeout(COPY_TIMEOUT);
        }
    }
}

/// Copies lines into the log.
fn copy_lines(output: impl Read, title: &str) {
    let mut output = Lines::new(BufReader::new(output));
    loop {
        match output.next() {
            Ok(Some(Ok(line))) => log::info!("{title}: {line}"),
            Ok(Some(Err(error))) => log::info!("{title}: {error}"),
            Ok(None) => return,
            Err(error) => return log::warn!("{title}: {error}"),
        }
    }
}
