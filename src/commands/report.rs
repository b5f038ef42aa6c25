//! `labrys report`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use crate::arena::pgn::ReplayError;
use crate::arena::report::text::SideBySide;
use crate::arena::report::{GameFacts, Report, VariantReport, html};
use crate::commands::games::replay::SelfPlayRecords;
use crate::commands::shared::records::{self, Strictness, warn_of_repeats};
use crate::commands::shared::typed::commands;
use crate::commands::shared::{claim, interruptible, names, suggest};
use crate::files::write_atomically;
use crate::game::counted;
use crate::learn::nnue::games::read_header;
use crate::search::Control;

#[derive(Debug, clap::Args)]
pub(super) struct ReportArguments {
    /// PGN files, and files of self-play games
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Count the games of this variant only [default: each with a column of its own]
    #[arg(long, value_parser = suggest::game())]
    variant: Option<String>,
    /// Print the statistics as JSON
    #[arg(long)]
    json: bool,
    /// Write them to a page with charts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    strictness: Strictness,
}

pub(super) fn run(arguments: &ReportArguments) -> anyhow::Result<()> {
    let _claim = arguments.html.as_deref().map(claim).transpose()?;
    let control = interruptible()?;
    let (mut report, mut refused) = (Report::default(), 0);
    for (path, file) in arguments.files.iter().zip(0..) {
        refused += match read_header(path)? {
            Some(header) => {
                if let Some(variant) = arguments.variant.as_deref().filter(|&name| name != header.game) {
                    bail!("{}: self-play games of {}, expected {variant}", path.display(), header.game);
                }
                let mut add = |facts: &GameFacts| report.add(file, facts);
                commands(&header.game)?.self_play_records(SelfPlayRecords { path, add: &mut add })?;
                0
            }
            None => arguments.add_records(path, file, &mut report, &control)?,
        };
    }
    let variants = report.variants();
    ensure!(variants.iter().any(|of| of.games > 0), "{}: no finished game", names(&arguments.files));
    print(arguments, &variants)?;
    for of in &variants {
        warn_of_repeats(of.games, of.distinct);
    }
    match refused {
        0 => Ok(()),
        refused => bail!("{} left out", counted(refused, "game")),
    }
}

/// Prints the statistics, and writes their page.
fn print(arguments: &ReportArguments, variants: &[VariantReport]) -> anyhow::Result<()> {
    match arguments.json {
        true => writeln!(io::stdout(), "{}", serde_json::to_string_pretty(variants)?)?,
        false => write!(io::stdout(), "{}", SideBySide(variants))?,
    }
    if let Some(path) = &arguments.html {
        let page = html::page(variants).context("--html")?;
        write_atomically(path, page).with_context(|| format!("--html {}", path.display()))?;
    }
    Ok(())
}

impl ReportArguments {
    /// Adds the games of a PGN file. Returns the number of those that cannot be read.
    fn add_records(
        &self,
        path: &Path,
        file: usize,
        report: &mut Report,
        control: &Control,
    ) -> anyhow::Result<u64> {
        let mut records = records::open(path, self.strictness, control)?;
        let variant = self.variant.as_deref();
        while let Some(game) = records.next()? {
            match GameFacts::new(&game, variant, records.number()) {
                Ok(facts) => report.add(file, &facts),
                // Those of other variants were not asked for.
                Err(ReplayError::OtherVariant { .. }) => {}
                Err(error) => records.refuse(&game, variant, error.into())?,
            }
        }
        Ok(records.refused())
    }
}
