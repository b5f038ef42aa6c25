//! `labrys man`.

use std::path::PathBuf;

use anyhow::Context;
use clap::Command;

/// Writes manual pages, one for each command.
#[derive(Debug, clap::Args)]
pub(super) struct ManArguments {
    /// The folder, created if missing
    folder: PathBuf,
}

/// Writes the manual pages of a command line.
pub(super) fn run(arguments: &ManArguments, command: Command) -> anyhow::Result<()> {
    let write = || {
        crate::files::create_folder(&arguments.folder)?;
        clap_mangen::generate_to(command, &arguments.folder)
    };
    write().with_context(|| arguments.folder.display().to_string())
}
