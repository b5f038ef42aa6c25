//! `labrys bench`.

use std::io::{self, Write};
use std::time::Instant;

use anyhow::Context;

use crate::engine::{bench::bench, nodes_per_second};
use crate::search::Control;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Depth in plies, instead of each game's own
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let start = Instant::now();
    let (control, mut out, mut written) = (Control::default(), io::stdout(), Ok(()));
    let nodes = bench(arguments.depth, &control, &mut |fen, nodes| {
        written = writeln!(out, "{fen}: {nodes}");
        if written.is_err() {
            control.stop();
        }
    });
    written?;
    let nodes = nodes.context("bench was stopped")?;
    writeln!(out, "{nodes} nodes {} nps", nodes_per_second(nodes, start.elapsed()))?;
    Ok(())
}
