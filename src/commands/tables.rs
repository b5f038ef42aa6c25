//! `labrys tables`.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use crate::commands::shared::progress::Progress;
use crate::commands::shared::suggest;
use crate::commands::shared::typed::commands;
use crate::commands::shared::values::whole;
use crate::commands::shared::{interruptible, threads};
use crate::engine::Playable;
use crate::engine::registry;
use crate::files::{Claim, create_folder};
use crate::game::{Endgames, EndgamesVisitor};
use crate::solver::{TableSummary, TablesListener, TablesRequest, build_tables};

/// The time between checkpoints of tables that take hours.
const CHECKPOINT: Duration = Duration::from_secs(600);

/// Builds endgame tables by retrograde analysis. Existing tables in the folder are checked and kept.
#[derive(Debug, clap::Args)]
pub(super) struct TablesArguments {
    /// The game
    #[arg(long, default_value_t = default_game().to_owned(), value_parser = suggest::game())]
    variant: String,
    /// Maximum number of pieces of a player
    #[arg(long, value_name = "N", value_parser = whole::<u8>(1..))]
    pieces: u8,
    /// Maximum number of pieces of both players together [default: twice that number]
    #[arg(long, value_name = "N", value_parser = whole::<u8>(2..))]
    total: Option<u8>,
    /// Folder for the tables
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Maximum memory for tables, in MiB
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = whole::<u32>(..))]
    memory: u32,
    /// Number of threads [default: the number of cores]
    #[arg(long, value_parser = whole::<NonZeroUsize>(..))]
    threads: Option<NonZeroUsize>,
}

pub(super) fn run(arguments: &TablesArguments) -> anyhow::Result<()> {
    commands(&arguments.variant)?.tables(arguments)
}

/// The first game whose tables can be built.
fn default_game() -> &'static str {
    let has_tables = |name: &&str| commands(name).is_ok_and(|game| game.has_tables());
    registry::names().into_iter().find(has_tables).unwrap_or(registry::default_name())
}

/// Whether a game has endgame tables that can be built.
pub(super) fn has_tables<G: Playable>() -> bool {
    struct Nothing;

    impl EndgamesVisitor for Nothing {
        type Output = ();

        fn visit<E: Endgames>(self, _: &E) {}
    }

    G::visit_endgames(Nothing).is_some()
}

impl TablesArguments {
    pub(in crate::commands) fn run_typed<G: Playable>(&self) -> anyhow::Result<()> {
        let Some(built) = G::visit_endgames(self) else {
            bail!("{} has no endgame tables that can be built", G::info().name);
        };
        built
    }
}

impl EndgamesVisitor for &TablesArguments {
    type Output = anyhow::Result<()>;

    fn visit<E: Endgames>(self, endgames: &E) -> anyhow::Result<()> {
        let pieces = usize::from(self.pieces);
        let request = TablesRequest {
            pieces,
            total: self.total.map_or(2 * pieces, usize::from),
            threads: threads(self.threads),
            memory: u64::from(self.memory) << 20,
            checkpoint: CHECKPOINT,
        };
        create_folder(&self.out).with_context(|| format!("`{}`", self.out.display()))?;
        let _claim = Claim::folder(&self.out).with_context(|| format!("`{}`", self.out.display()))?;
        let control = interruptible()?;
        let mut out = io::stdout();
        writeln!(out, "table  positions       wins     losses      draws  longest  position")?;
        let mut output = Output { progress: None, printed: Ok(()) };
        let built = build_tables(endgames, &self.out, request, control.stop_flag(), &mut output);
        output.finish();
        let built = built?;
        output.printed?;
        ensure!(built.is_some(), "interrupted; finished tables are in `{}`", self.out.display());
        Ok(())
    }
}

/// Prints the progress and the tables.
struct Output {
    /// The progress of some materials.
    progress: Option<(String, Progress)>,
    /// The first error of printing, which does not stop the building.
    printed: io::Result<()>,
}

impl Output {
    fn finish(&mut self) {
        if let Some((_, progress)) = self.progress.take() {
            progress.finish();
        }
    }
}

impl TablesListener for Output {
    fn progress(&mut self, materials: &str, distance: u8, decided: u64, positions: u64) {
        if self.progress.as_ref().is_none_or(|(of, _)| of != materials) {
            self.finish();
        }
        let new = || (materials.to_owned(), Progress::new("positions", 0, Some(positions)));
        let (_, progress) = self.progress.get_or_insert_with(new);
        progress.update(decided, || format!("{materials}, distance {distance}"));
    }

    fn table(&mut self, summary: &TableSummary, is_new: bool) {
        self.finish();
        let TableSummary { material, positions, wins, losses, longest, example } = summary;
        let draws = positions - wins - losses;
        let old = if is_new { "" } else { " (kept)" };
        if self.printed.is_ok() {
            self.printed = writeln!(
                io::stdout(),
                "{material:5} {positions:10} {wins:10} {losses:10} {draws:10} {longest:8}  {example}{old}"
            );
        }
    }
}
