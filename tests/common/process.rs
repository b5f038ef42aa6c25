//! The engine as a process, driven over its protocol.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

/// A running engine.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts the engine.
    pub fn start() -> Process {
        Process::of(env!("CARGO_BIN_EXE_labrys"), &[])
    }

    /// Starts a program that is, or becomes, the engine.
    pub fn of(program: &str, arguments: &[&str]) -> Process {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Process { child, input, output }
    }

    /// Starts the engine to play Neighbours.
    pub fn neighbours() -> Process {
        let mut engine = Process::start();
        engine.send("setoption name UCI_Variant value neighbours");
        engine
    }

    /// The processor time that its threads have had, where the system tells it as Linux does.
    pub fn processor_time(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // Behind the name, which may be anything, in hundredths of a second: as a user, and in the system.
        let times = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
        let hundredths: u64 = times.map(|time| time.parse::<u64>().unwrap()).sum();
        Some(Duration::from_millis(10 * hundredths))
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Sends lines.
    pub fn send(&mut self, lines: &str) {
        self.send_bytes(format!("{lines}\n").as_bytes());
    }

    /// The next line; `None` at the end of the output.
    pub fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).unwrap();
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// The lines up to the first one that begins with `word`, that one last.
    pub fn until(&mut self, word: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.line().unwrap_or_else(|| panic!("the output ends before {word}: {lines:?}"));
            let last = line.starts_with(word);
            lines.push(line);
            if last {
                return lines;
            }
        }
    }

    /// Sends lines and returns everything that is answered before the next `readyok`.
    pub fn ask(&mut self, lines: &str) -> Vec<String> {
        self.send(lines);
        self.send("isready");
        let mut answer = self.until("readyok");
        answer.pop();
        answer
    }

    /// Ends the input and returns the rest of the output with the exit status.
    pub fn finish(mut self) -> (Vec<String>, ExitStatus) {
        drop(self.input.take());
        let rest = std::iter::from_fn(|| self.line()).collect();
        (rest, self.child.wait().unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
