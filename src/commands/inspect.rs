//! `labrys inspect`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::commands::shared::progress::Progress;
use crate::commands::shared::values::whole;
use crate::commands::shared::{PositionArguments, claim, interruptible, suggest, version};
use crate::files::write_atomically;
use crate::game::{counted, quote};
use crate::inspect::{Inspection, ReferenceKind, StartPosition, Task, View, inspect, read_positions};

/// Checks each step by which a search saves nodes on a guess, and says what it misses.
#[derive(Debug, clap::Args)]
pub(super) struct InspectArguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Moves to play from there
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    moves: Vec<String>,
    /// Inspect the positions of a file, one in each line, in FEN or EPD
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves"])]
    positions: Option<PathBuf>,
    /// Inspect a position of each of N self-play games, at a random ply
    #[arg(long, value_name = "N", conflicts_with_all = ["fen", "moves", "positions"])]
    #[arg(value_parser = whole::<u32>(1..=100_000))]
    selfplay: Option<u32>,
    /// Depth of the searches in plies
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=64))]
    depth: u32,
    /// What decisions are checked against: `minimax` of the same depth, `solve`, `tables`, or `nodes=N`, a
    /// search of so many nodes
    #[arg(long, value_name = "WHICH", default_value = "minimax")]
    reference: String,
    /// What is looked at: `searches` side by side, `search`, the `filter` of minimax selective deepening, the
    /// `priors` of a policy/value net [default: all but priors, and these with NetFile]
    #[arg(long, value_name = "VIEW", num_args = 1..)]
    view: Vec<String>,
    /// Set an option of the engine; may be given several times
    #[arg(long, value_name = "NAME=VALUE", hide_possible_values = true, value_parser = suggest::option())]
    option: Vec<(String, String)>,
    /// Decisions of each step and depth of a position that are checked at most, drawn at random
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole::<u32>(1..))]
    samples: u32,
    /// Nodes after which the check of a decision is given up
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = whole::<u64>(1..))]
    budget: u64,
    /// The seed of the samples and of self-play
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(..))]
    seed: u64,
    /// Print everything as JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the tables as CSV
    #[arg(long)]
    csv: bool,
    /// Write the checked decisions to a file as training data, a line of JSON each
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write a page to a file: the tables, and the tree with the board beside it
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(super) fn run(arguments: &InspectArguments) -> anyhow::Result<()> {
    let task = arguments.task()?;
    let outputs = [&arguments.out, &arguments.html].into_iter().flatten();
    let _claims = outputs.map(|path| claim(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let control = interruptible()?;
    let count = task.positions.len() + task.selfplay;
    let mut progress = Progress::new("positions", 0, Some(count as u64));
    let inspection = inspect(&task, &control, &mut |done| progress.update(done as u64, String::new));
    progress.finish();
    // With the commit, which only the program knows.
    let inspection = Inspection { version: version::short(), ..inspection? };
    let mut out = io::stdout().lock();
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&inspection)?)?;
    } else if arguments.csv {
        write!(out, "{}", inspection.csv())?;
    } else {
        write!(out, "{inspection}")?;
    }
    // An incomplete inspection leaves the files of a complete one as they are.
    match inspection.complete {
        true => arguments.write(&inspection),
        false => bail!("interrupted after {} of {}", inspection.positions.len(), counted(count, "position")),
    }
}

impl InspectArguments {
    fn task(&self) -> anyhow::Result<Task> {
        let variant = self.position.variant.clone();
        let positions = match &self.positions {
            None if self.selfplay.is_some() => Vec::new(),
            None => vec![StartPosition { fen: self.position.fen.clone(), moves: self.moves.clone() }],
            Some(path) => {
                let name = path.display();
                let text = labrys_support::text::read(path).with_context(|| format!("cannot read {name}"))?;
                read_positions(&variant, &text).with_context(|| format!("positions {name}"))?
            }
        };
        Ok(Task {
            variant,
            options: self.option.clone(),
            positions,
            selfplay: self.selfplay.unwrap_or(0) as usize,
            depth: self.depth,
            reference: self.reference.parse::<ReferenceKind>().context("--reference")?,
            views: self.views()?,
            samples: self.samples as usize,
            budget: self.budget,
            seed: self.seed,
            values: self.out.is_some(),
        })
    }

    fn views(&self) -> anyhow::Result<Vec<View>> {
        if self.view.is_empty() {
            let has_net = self.option.iter().any(|(name, _)| name.eq_ignore_ascii_case("NetFile"));
            let is_shown = |view: &View| *view != View::Priors || has_net;
            return Ok(View::ALL.into_iter().filter(is_shown).collect());
        }
        let view = |name: &String| {
            let names: Vec<_> = View::ALL.into_iter().map(View::name).collect();
            let view = View::ALL.into_iter().find(|view| view.name() == name);
            let expected = || format!("--view {}: expected one of: {}", quote(name), names.join(", "));
            view.with_context(expected)
        };
        self.view.iter().map(view).collect()
    }

    /// Writes the files.
    fn write(&self, inspection: &Inspection) -> anyhow::Result<()> {
        let write = |path: &Path, content: String| {
            write_atomically(path, content).with_context(|| format!("cannot write {}", path.display()))
        };
        if let Some(path) = &self.out {
            write(path, inspection.training_data()?)?;
        }
        if let Some(path) = &self.html {
            write(path, inspection.page()?)?;
        }
        Ok(())
    }
}
