//! `labrys plot`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;

use crate::arena::{pgn_file, plot};
use crate::files::write_atomically;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The PGN file
    file: PathBuf,
    /// Output file, in SVG [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let records = pgn_file::read(&arguments.file)?;
    let (names, results) = plot::results(&records);
    let svg =
        plot::score_over_games(&names, &results).with_context(|| arguments.file.display().to_string())?;
    match &arguments.out {
        Some(path) => write_atomically(path, &svg).with_context(|| path.display().to_string()),
        None => Ok(io::stdout().write_all(svg.as_bytes())?),
    }
}
