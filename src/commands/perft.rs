//! `labrys perft`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, bail, ensure};

use crate::commands::shared::values::whole;
use crate::commands::shared::{PositionArguments, interruptible};
use crate::engine::{Board, registry};
use crate::game::{counted, perft::parse_suite};
use crate::protocol::text;

#[derive(Debug, clap::Args)]
pub(super) struct PerftArguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Depth in plies; with --suite, the maximum depth
    #[arg(long, value_parser = whole::<u32>(1..=64), required_unless_present = "suite")]
    depth: Option<u32>,
    /// Print the count of each root move
    #[arg(long)]
    divide: bool,
    /// A file of positions with expected counts, `<fen> ;D1 n ;D2 n …`; fails if a count differs
    #[arg(long, conflicts_with_all = ["fen", "divide"])]
    suite: Option<PathBuf>,
}

pub(super) fn run(arguments: &PerftArguments) -> anyhow::Result<()> {
    let mut board = registry::board(&arguments.position.variant)?;
    match &arguments.suite {
        Some(path) => run_suite(board.as_mut(), path, arguments.depth),
        None => {
            arguments.position.set_up(board.as_mut(), &[])?;
            // Without a suite a depth is required.
            count(board.as_ref(), arguments.depth.unwrap_or(1), arguments.divide)
        }
    }
}

/// Counts one position.
fn count(board: &dyn Board, depth: u32, divide: bool) -> anyhow::Result<()> {
    let start = Instant::now();
    let (control, mut out, mut written) = (interruptible()?, io::stdout(), Ok(()));
    let nodes = board.perft(depth, &control, &mut |mv, nodes| {
        if divide && written.is_ok() {
            written = writeln!(out, "{mv}: {nodes}");
        }
    });
    written?;
    let nodes = nodes.context("interrupted")?;
    writeln!(out, "{}", text::speed(nodes, start.elapsed()))?;
    Ok(())
}

/// Counts every position of a suite to each of its depths and compares the counts.
fn run_suite(board: &mut dyn Board, path: &Path, deepest: Option<u32>) -> anyhow::Result<()> {
    let name = path.display();
    let text = labrys_support::text::read(path).with_context(|| format!("cannot read {name}"))?;
    let cases = parse_suite(&text).with_context(|| format!("suite {name}"))?;
    ensure!(!cases.is_empty(), "suite {name}: no position in it");
    let (start, control, mut out) = (Instant::now(), interruptible()?, io::stdout());
    let (mut total, mut counts, mut wrong) = (0, 0, 0);
    for case in &cases {
        board.set_up(Some(&case.fen), &[]).with_context(|| format!("suite {name}, line {}", case.line))?;
        let mut comparisons = Vec::new();
        for &(depth, expected) in
            case.counts.iter().filter(|(depth, _)| deepest.is_none_or(|most| *depth <= most))
        {
            let nodes = board.perft(depth, &control, &mut |_, _| {}).context("interrupted")?;
            total += nodes;
            counts += 1;
            wrong += usize::from(nodes != expected);
            comparisons.push(match nodes == expected {
                true => format!("D{depth} {nodes}"),
                false => format!("D{depth} {nodes} WRONG, expected {expected}"),
            });
        }
        writeln!(out, "{}: {}", case.fen, comparisons.join(", "))?;
    }
    let least = cases.iter().flat_map(|case| &case.counts).map(|&(depth, _)| depth).min();
    if let (0, Some(least)) = (counts, least) {
        bail!("suite {name}: nothing to count, the least depth is {least}");
    }
    writeln!(out, "{}, {}, {wrong} wrong", counted(cases.len(), "position"), counted(counts, "count"))?;
    writeln!(out, "{}", text::speed(total, start.elapsed()))?;
    if wrong > 0 {
        bail!("suite {name}: {wrong} of {} wrong", counted(counts, "count"));
    }
    Ok(())
}
