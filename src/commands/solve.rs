//! `labrys solve`.

use std::io::{self, Write};
use std::time::Duration;

use clap::value_parser;

use super::PositionArguments;
use crate::engine::{Settings, registry};
use crate::search::{Limits, Solution};

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
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut engine = registry::engine(&arguments.position.variant, &Settings::default())?;
    engine.board_mut().set_up(arguments.position.fen.as_deref(), &[])?;
    let control = super::interruptible()?;

    let limits = Limits { nodes: arguments.nodes, movetime: arguments.time, ..Limits::none() };
    let Solution { value, line, is_complete, nodes, evaluations, time } =
        engine.solve(arguments.hash as usize, &limits, &control)?;
    let mut out = io::stdout();
    if !line.is_empty() {
        writeln!(out, "line {}{}", line.join(" "), if is_complete { "" } else { " …" })?;
    }
    let value = value.map_or("unknown".to_owned(), |value| value.to_string());
    writeln!(out, "{value} {nodes} nodes {evaluations} positions {:.2} s", time.as_secs_f64())?;
    Ok(())
}
