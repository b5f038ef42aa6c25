//! `labrys completions` and `labrys man`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Command;
use clap_complete::Shell;

/// Prints completions of the command line for a shell.
#[derive(Debug, clap::Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

/// Writes manual pages, one for each command.
#[derive(Debug, clap::Args)]
pub(super) struct Man {
    /// The folder, created if missing
    folder: PathBuf,
}

/// Prints completions of a command line.
pub(super) fn print(arguments: &Completions, mut command: Command) -> io::Result<()> {
    // The crate panics where it cannot write.
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "labrys", &mut text);
    io::stdout().write_all(&text)
}

/// Writes the manual pages of a command line.
pub(super) fn write_pages(arguments: &Man, command: Command) -> anyhow::Result<()> {
    let write = || {
        crate::files::create_folder(&arguments.folder)?;
        clap_mangen::generate_to(command, &arguments.folder)
    };
    write().with_context(|| arguments.folder.display().to_string())
}
