//! Running commands.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command};

/// Whether a command succeeded, its standard output and its standard error.
pub type Output = (bool, String, String);

/// Runs a command.
pub fn output(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// Runs `labrys` with arguments that contain no spaces.
pub fn labrys(words: &str) -> Output {
    output(Command::new(env!("CARGO_BIN_EXE_labrys")).args(words.split_whitespace()))
}

/// The same where no file may grow beyond this many blocks of 512 or 1024 bytes, as on a full disk.
#[cfg(unix)]
pub fn labrys_within(blocks: u32, words: &str) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    output(shell.args(["-c", &script, env!("CARGO_BIN_EXE_labrys")]).args(words.split_whitespace()))
}

/// Sends a signal, such as `-INT`, to a process.
#[track_caller]
pub fn signal(process: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &process.id().to_string()]).status().unwrap().success());
}

/// Reads the output of a process until it contains `sign`, sends the process a signal, and reads the rest.
/// Returns all of the output.
#[track_caller]
pub fn signal_at(process: &Child, output: impl Read, sign: &str, name: &str) -> String {
    let mut output = BufReader::new(output);
    let mut text = String::new();
    while !text.contains(sign) {
        assert!(output.read_line(&mut text).unwrap() > 0, "no {sign:?}: {text}");
    }
    signal(process, name);
    output.read_to_string(&mut text).unwrap();
    text
}

/// Says that something is left out, past the test runner, which keeps what tests print.
pub fn not_tested(what: &str) {
    _ = writeln!(io::stderr(), "NOT TESTED: {what}");
}

/// The standard output of a command that succeeds.
#[track_caller]
pub fn succeed((success, out, error): Output) -> String {
    assert!(success, "{out}{error}");
    out
}

/// Checks that a command fails with an error that contains `message`.
#[track_caller]
pub fn assert_fails((success, out, error): Output, message: &str) {
    assert!(!success && error.contains(message), "expected {message:?}: {out}{error}");
}
