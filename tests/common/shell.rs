//! Running commands.

use std::process::Command;

/// Runs a command; whether it succeeded, its standard output and its standard error.
pub fn output(command: &mut Command) -> (bool, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}
