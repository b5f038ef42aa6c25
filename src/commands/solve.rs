//! `labrys solve`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::value_parser;

use super::PositionArguments;
use crate::engine::{Settings, registry};
use crate::search::{Limits, Resources, Solution};

/// Proves that a position is a win, a loss or a draw for the side to move.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Maximum number of positions to expand
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Time limit in seconds
    #[arg(long, value_name = "S", value_parser = super::parse_seconds)]
    time: Option<Duration>,
    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 256)]
    #[arg(value_parser = value_parser!(u32).range(1..=32_768))]
    hash: u32,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Keep the table in a file, and go on with it
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut engine = registry::engine(&arguments.position.variant, &Settings::default())?;
    engine.board_mut().set_up(arguments.position.fen.as_deref(), &[])?;
    let control = super::interruptible()?;

    let limits = Limits { nodes: arguments.nodes, movetime: arguments.time, ..Limits::none() };
    let resources = Resources {
        megabytes: arguments.hash as usize,
        threads: arguments.threads.into(),
        checkpoint: arguments.checkpoint.clone(),
    };
    let Solution { value, line, is_complete, nodes, evaluations, time } =
        engine.solve(resources, &limits, &control)?;
    let mut out = io::stdout();
    if !line.is_empty() {
        writeln!(out, "line {}{}", line.join(" "), if is_complete { "" } else { " …" })?;
    }
    let value = value.map_or("unknown".to_owned(), |value| value.to_string());
    writeln!(out, "{value} {nodes} nodes {evaluations} positions {:.2} s", time.as_secs_f64())?;
    Ok(())
}
