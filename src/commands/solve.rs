//! `labrys solve`.

mod manifest;

use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use crate::commands::shared::PositionArguments;
use crate::commands::shared::suggest;
use crate::commands::shared::values::{duration, whole};
use crate::engine::Settings;
use crate::files;
use crate::game::counted;
use crate::search::Limits;
use crate::solver::{
    self, Leaves, ProofEngine, Resources, Solution, SolveJob, SolveTask, SplitEvent, TaskError, WriteError,
    Written, result_line,
};

/// Proves that a position is a win, a loss or a draw for the side to move.
#[derive(Debug, clap::Args)]
pub(super) struct SolveArguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Moves to play from there
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    moves: Vec<String>,
    /// Maximum number of positions to expand for the value
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    nodes: Option<u64>,
    /// Time limit in seconds for the value
    #[arg(long, value_name = "S", value_parser = duration)]
    time: Option<Duration>,
    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = whole::<u32>(..))]
    #[arg(value_parser = whole::<u32>(1..=32_768))]
    hash: u32,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(..))]
    #[arg(value_parser = whole::<u16>(1..=256))]
    threads: u16,
    /// Save the transposition table to a file, and resume from it
    #[arg(long, value_name = "FILE", conflicts_with = "assume")]
    checkpoint: Option<PathBuf>,
    /// Write a certificate of the proof, for `verify`; with `--split`, one for each position, to a folder
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// Append a line about each certificate to a file: its name and size, what it proves, program and command
    #[arg(long, value_name = "FILE", requires = "proof")]
    manifest: Option<PathBuf>,
    /// Let lines of the certificate end with a count of moves, in games that support it
    #[arg(long, requires = "proof")]
    counting: bool,
    /// Set an option of the engine, such as the folder of endgame tables
    #[arg(long, value_name = "NAME=VALUE", hide_possible_values = true, value_parser = suggest::option(), conflicts_with = "split")]
    option: Vec<(String, String)>,
    /// Use tables of small regions, in games whose board divides into regions: those in this folder, which
    /// are built if missing
    #[arg(long, value_name = "DIR")]
    regions: Option<PathBuf>,
    /// Append the result to a file as a tab-separated line, for `--assume`
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Use the values of other positions from files of results and certificates
    #[arg(long, value_name = "FILE", num_args = 1..)]
    assume: Vec<PathBuf>,
    /// List the positions this many plies ahead that have to be solved; with `--results`, solve each of them
    #[arg(long, value_name = "PLIES", value_parser = whole::<u8>(1..=4))]
    split: Option<u8>,
}

pub(super) fn run(arguments: &SolveArguments) -> anyhow::Result<()> {
    let mut engine = solver::engine(&arguments.position.variant, &Settings::default())?;
    for (name, value) in &arguments.option {
        engine.engine_mut().set_option(name, value).context("--option")?;
    }
    arguments.position.set_up(engine.engine_mut().board_mut(), &arguments.moves)?;
    match (arguments.split, &arguments.results) {
        (Some(plies), Some(path)) => solve_split(engine.as_ref(), plies.into(), path, arguments),
        (Some(plies), None) => {
            let for_solving = [
                ("--nodes", arguments.nodes.is_some()),
                ("--time", arguments.time.is_some()),
                ("--proof", arguments.proof.is_some()),
                ("--regions", arguments.regions.is_some()),
                ("--checkpoint", arguments.checkpoint.is_some()),
            ];
            if let Some((option, _)) = for_solving.iter().find(|(_, is_given)| *is_given) {
                bail!("{option}: with --split, it needs --results, since nothing is solved otherwise");
            }
            print_jobs(engine.as_ref(), &engine.split(plies.into(), &arguments.assume)?)
        }
        (None, _) => solve(engine.as_ref(), arguments),
    }
}

impl SolveArguments {
    fn limits(&self) -> Limits {
        Limits { nodes: self.nodes, movetime: self.time, ..Limits::none() }
    }

    /// Checks the files that lines will be appended to.
    fn check_lists(&self, engine: &dyn ProofEngine) -> anyhow::Result<()> {
        if let Some(path) = &self.results
            && is_list(path)?
        {
            engine.check_results(path)?;
        }
        match &self.manifest {
            Some(path) if is_list(path)? => check_manifest(path),
            _ => Ok(()),
        }
    }

    fn task(&self) -> SolveTask<'_> {
        let leaves = if self.counting { Leaves::Counted } else { Leaves::Searched };
        SolveTask {
            resources: Resources {
                megabytes: self.hash as usize,
                threads: self.threads.into(),
                checkpoint: self.checkpoint.clone(),
            },
            known: &self.assume,
            regions: self.regions.as_deref(),
            proof: self.proof.as_deref().map(|path| (path, leaves)),
        }
    }
}

fn solve(engine: &dyn ProofEngine, arguments: &SolveArguments) -> anyhow::Result<()> {
    let _claim = arguments.proof.as_deref().map(crate::commands::shared::claim).transpose()?;
    arguments.check_lists(engine)?;
    let control = crate::commands::shared::interruptible()?;
    let (board, mut printed, mut is_solved) = (engine.engine().board(), Ok(()), false);
    let written = engine.solve(&arguments.task(), &arguments.limits(), &control, &mut |solution| {
        let fen = board.fen();
        let kept = arguments.results.as_deref().map_or(Ok(()), |path| append(path, engine, &fen, &solution));
        printed = kept.and(print(&solution));
        is_solved = solution.value.is_some();
    });
    let written = match written {
        Err(TaskError::Write(WriteError::Stopped)) => Some(None),
        written => written?.map(Some),
    };
    if let (Some(path), Some(written)) = (&arguments.proof, written) {
        report_certificate(path, written, arguments)?;
    }
    printed?;
    let is_complete = is_solved && !matches!(written, Some(None));
    ensure!(is_complete || !control.is_stopped(), "interrupted");
    Ok(())
}

/// Prints a line about a certificate, and appends one to the manifest.
fn report_certificate(
    path: &Path,
    written: Option<Written>,
    arguments: &SolveArguments,
) -> anyhow::Result<()> {
    if let (Some(manifest), Some(_)) = (&arguments.manifest, written) {
        append_line(manifest, &manifest::line(path)?)?;
    }
    print_certificate(path, written)
}

/// Prints a line about a certificate, written or not.
fn print_certificate(path: &Path, written: Option<Written>) -> anyhow::Result<()> {
    let outcome = match written {
        Some(Written { counts, checksum }) => {
            format!("{}, checksum {checksum:08x}", counted(counts.positions(), "position"))
        }
        None => "not written, it was stopped".to_owned(),
    };
    Ok(writeln!(io::stdout(), "{}: {outcome}", path.display())?)
}

/// Solves the positions that the proof is split into, and appends their results to a file.
fn solve_split(
    engine: &dyn ProofEngine,
    plies: usize,
    path: &Path,
    arguments: &SolveArguments,
) -> anyhow::Result<()> {
    // The manifest may be in this folder.
    if let Some(folder) = &arguments.proof {
        files::create_folder(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    arguments.check_lists(engine)?;
    let control = crate::commands::shared::interruptible()?;
    // Whether the certificates of all solved positions are written.
    let (mut printed, mut solved, mut is_complete) = (Ok(()), 0, true);
    let mut each = |event: SplitEvent| {
        printed = match event {
            SplitEvent::Solved(job, solution) => {
                solved += 1;
                append(path, engine, &job.fen, &solution)
                    .and_then(|()| Ok(writeln!(io::stdout(), "moves {}", job.moves.join(" "))?))
                    .and_then(|()| print(&solution))
            }
            SplitEvent::Certified(file, written) => {
                is_complete &= written.is_some();
                report_certificate(&file, written, arguments)
            }
        };
        if printed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let jobs = engine.solve_split(plies, &arguments.task(), &arguments.limits(), &control, &mut each)?;
    printed?;
    writeln!(io::stdout(), "{solved} of {} solved", counted(jobs, "position"))?;
    ensure!(is_complete && solved == jobs || !control.is_stopped(), "interrupted");
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

/// Appends the result of a position to a file.
fn append(
    path: &Path,
    engine: &dyn ProofEngine,
    fen: &str,
    solution: &Solution<String>,
) -> anyhow::Result<()> {
    let Some(value) = solution.value else { return Ok(()) };
    append_line(path, &result_line(engine.engine().board().variant(), fen, value, solution.nodes))
}

/// Fields of a line of `--manifest`.
const MANIFEST_FIELDS: usize = 9;

/// Whether a file that lines will be appended to has some already. It has to be writable.
fn is_list(path: &Path) -> anyhow::Result<bool> {
    files::check_writable(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(!files::is_stream(path) && path.exists())
}

/// Checks that each line of a file has as many fields as those of a manifest.
fn check_manifest(path: &Path) -> anyhow::Result<()> {
    let text = labrys_support::text::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let is_of_list = |line: &str| {
        line.trim().is_empty() || line.starts_with('#') || line.split('\t').count() == MANIFEST_FIELDS
    };
    if let Some((_, number)) = text.lines().zip(1..).find(|(line, _)| !is_of_list(line)) {
        bail!("{}: line {number}: a file of something else, or a damaged one", path.display());
    }
    Ok(())
}

/// Appends a line to a file that other processes may write, too. A last line without its end gets one.
fn append_line(path: &Path, line: &str) -> anyhow::Result<()> {
    let append = || {
        let is_file = !files::is_stream(path);
        let mut file = OpenOptions::new().create(true).append(true).read(is_file).open(path)?;
        let mut last = [b'\n'];
        if is_file && file.metadata()?.len() > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        let end = if last == [b'\n'] { "" } else { "\n" };
        file.write_all(format!("{end}{line}").as_bytes())
    };
    append().with_context(|| format!("cannot write {}", path.display()))
}

fn print_jobs(engine: &dyn ProofEngine, jobs: &[SolveJob]) -> anyhow::Result<()> {
    let (mut out, variant) = (io::stdout().lock(), engine.engine().board().variant());
    for SolveJob { fen, moves, difficulty } in jobs {
        writeln!(out, "{variant}\t{fen}\topen\t{difficulty}\t{}", moves.join(" "))?;
    }
    Ok(())
}
