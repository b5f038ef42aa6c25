//! `labrys solve`.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::value_parser;

use super::PositionArguments;
use crate::arena::parse_option;
use crate::engine::{Engine, Settings, SolveJob, SolveTask, TaskError, registry};
use crate::files;
use crate::search::{Leaves, Limits, Resources, Solution, WriteError, Written, result_line};

/// Proves that a position is a win, a loss or a draw for the side to move.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Moves to play from there
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    moves: Vec<String>,
    /// Maximum number of positions to expand for the value
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Time limit in seconds for the value
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
    #[arg(long, value_name = "FILE", conflicts_with = "assume")]
    checkpoint: Option<PathBuf>,
    /// Write a certificate of the proof, for `verify`
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// Let lines of the certificate end by a count of moves, in games that have one
    #[arg(long, requires = "proof")]
    counting: bool,
    /// Set an option of the engine, such as the folder of endgame tables
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option, conflicts_with = "split")]
    option: Vec<(String, String)>,
    /// Append the result to a file, one line with tabs, for `--assume`
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Take values of other positions from files of results and certificates
    #[arg(long, value_name = "FILE", num_args = 1..)]
    assume: Vec<PathBuf>,
    /// Solve nothing: list the positions so many plies below that have to be solved
    #[arg(long, value_name = "PLIES", value_parser = value_parser!(u8).range(1..=4))]
    #[arg(conflicts_with_all = ["nodes", "time", "proof", "results"])]
    split: Option<u8>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut engine = registry::engine(&arguments.position.variant, &Settings::default())?;
    for (name, value) in &arguments.option {
        engine.set_option(name, value).context("--option")?;
    }
    engine.board_mut().set_up(arguments.position.fen.as_deref(), &arguments.moves)?;
    match arguments.split {
        Some(plies) => print_jobs(engine.as_ref(), &engine.split(plies.into(), &arguments.assume)?),
        None => solve(engine.as_ref(), arguments),
    }
}

fn solve(engine: &dyn Engine, arguments: &Arguments) -> anyhow::Result<()> {
    for path in arguments.proof.iter().chain(&arguments.results) {
        files::check_writable(path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let control = super::interruptible()?;
    let limits = Limits { nodes: arguments.nodes, movetime: arguments.time, ..Limits::none() };
    let leaves = if arguments.counting { Leaves::Counted } else { Leaves::Searched };
    let task = SolveTask {
        resources: Resources {
            megabytes: arguments.hash as usize,
            threads: arguments.threads.into(),
            checkpoint: arguments.checkpoint.clone(),
        },
        known: &arguments.assume,
        proof: arguments.proof.as_deref().map(|path| (path, leaves)),
    };
    let mut printed = Ok(());
    let written = engine.solve(&task, &limits, &control, &mut |solution| {
        let kept = arguments.results.as_deref().map_or(Ok(()), |path| append(path, engine, &solution));
        printed = kept.and(print(&solution));
    });
    printed?;
    let told = match written {
        Err(TaskError::Write(WriteError::Stopped)) => Some("not written, it was stopped".into()),
        written => written?.map(|Written { counts, checksum }| {
            format!("{} positions, checksum {checksum:08x}", counts.positions())
        }),
    };
    if let (Some(path), Some(told)) = (&arguments.proof, told) {
        writeln!(io::stdout(), "{}: {told}", path.display())?;
    }
    Ok(())
}

fn print(solution: &Solution<String>) -> anyhow::Result<()> {
    let Solution { value, line, is_complete, nodes, evaluations, time } = solution;
    let mut out = io::stdout();
    if !line.is_empty() {
        writeln!(out, "line {}{}", line.join(" "), if *is_complete { "" } else { " …" })?;
    }
    let value = value.map_or("unknown".to_owned(), |value| value.to_string());
    writeln!(out, "{value} {nodes} nodes {evaluations} positions {:.2} s", time.as_secs_f64())?;
    Ok(())
}

/// Appends a result to a file that other processes may write, too.
fn append(path: &Path, engine: &dyn Engine, solution: &Solution<String>) -> anyhow::Result<()> {
    let Some(value) = solution.value else { return Ok(()) };
    let board = engine.board();
    let line = result_line(board.variant(), &board.fen(), value, solution.nodes);
    let file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn print_jobs(engine: &dyn Engine, jobs: &[SolveJob]) -> anyhow::Result<()> {
    let (mut out, variant) = (io::stdout().lock(), engine.board().variant());
    for SolveJob { fen, moves, difficulty } in jobs {
        writeln!(out, "{variant}\t{fen}\topen\t{difficulty}\t{}", moves.join(" "))?;
    }
    Ok(())
}
