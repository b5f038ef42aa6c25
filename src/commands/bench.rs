//! `labrys bench`.

use std::io::{self, Write};
use std::time::Instant;

use anyhow::Context;

use crate::commands::shared::interruptible;
use crate::commands::shared::values::whole;
use crate::engine::bench::bench;
use crate::protocol::text;

#[derive(Debug, clap::Args)]
pub(super) struct BenchArguments {
    /// Search depth in plies [default: that of each game]
    #[arg(long, value_parser = whole::<u32>(1..=100))]
    depth: Option<u32>,
}

pub(super) fn run(arguments: &BenchArguments) -> anyhow::Result<()> {
    let start = Instant::now();
    let (control, mut out, mut written) = (interruptible()?, io::stdout(), Ok(()));
    let signature = bench(arguments.depth, &control, &mut |fen, nodes| {
        written = writeln!(out, "{fen}: {nodes}");
        if written.is_err() {
            control.stop();
        }
    });
    written?;
    let signature = signature.context("interrupted")?;
    writeln!(out, "{}", text::bench(&signature, start.elapsed()))?;
    Ok(())
}
