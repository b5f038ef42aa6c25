//! `labrys openings`.

use std::collections::HashSet;
use std::fmt::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context, ensure};

use crate::arena::Openings;
use crate::commands::shared::progress::Progress;
use crate::commands::shared::values::{plies, whole};
use crate::commands::shared::{RulesArguments, interruptible};
use crate::engine::{Engine, SearchReport};
use crate::eval::UciScore;
use crate::files::write_atomically;
use crate::game::counted;
use crate::search::{Bound, Control, Limits};

/// Maximum number of random openings tried for each one to find.
const ATTEMPTS: u64 = 1000;

/// Finds balanced openings: random moves after which the search score is near 0.
#[derive(Debug, clap::Args)]
pub(super) struct OpeningsArguments {
    #[command(flatten)]
    rules: RulesArguments,
    /// Number of openings to find
    #[arg(long, default_value_t = 100, value_parser = whole::<u64>(1..=1_000_000))]
    count: u64,
    /// Length of an opening in plies, N or N-M
    #[arg(long, value_name = "N", default_value = "6-9", value_parser = plies)]
    random_plies: RangeInclusive<usize>,
    /// Nodes to search for each opening
    #[arg(long, default_value_t = 20_000, value_parser = whole::<u64>(1..))]
    nodes: u64,
    /// Largest absolute score of a balanced opening, in hundredths
    #[arg(long, default_value_t = 50, value_name = "CP", value_parser = whole::<i32>(0..))]
    within: i32,
    /// Seed of the random moves
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(..))]
    seed: u64,
    /// Output file, in EPD
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(arguments: &OpeningsArguments) -> anyhow::Result<()> {
    let _claim = crate::commands::shared::claim(&arguments.out)?;
    let mut engine = arguments.rules.rules()?.engine()?;
    let lines = Openings::Random { seed: arguments.seed, plies: arguments.random_plies.clone() };
    let limits = Limits { nodes: Some(arguments.nodes), ..Limits::none() };
    let control = interruptible()?;

    let mut progress = Progress::new("openings", 0, Some(arguments.count));
    let (mut searched, mut found, mut text) = (HashSet::new(), 0, String::new());
    let attempts = arguments.count.saturating_mul(ATTEMPTS);
    let mut number = 0;
    let mut find = || -> anyhow::Result<()> {
        while found < arguments.count {
            ensure!(number < attempts, "no more in {}", counted(attempts, "line"));
            let line = lines.get(number, engine.board_mut(), &control)?;
            number += 1;
            progress.update(found, || format!("in {}", counted(number, "line")));
            engine.board_mut().set_up(Some(&line.fen), &line.moves)?;
            let fen = engine.board().fen();
            let is_new = searched.insert(fen.clone());
            let score = if is_new { search_score(engine.as_mut(), &limits, &control)? } else { None };
            ensure!(!control.is_stopped(), "interrupted");
            if let Some(UciScore::Centi(score)) = score
                && score.abs() <= arguments.within
            {
                writeln!(text, "{fen}; ce {score};")?;
                found += 1;
                log::debug!("opening {found}: {fen}");
            }
        }
        Ok(())
    };
    let done = find();
    progress.finish();
    let (out, count) = (arguments.out.display(), arguments.count);
    if found == 0 {
        return done.context("found no opening, nothing written");
    }
    // Openings found so far are kept, even if the search for more fails, but not in the place of a whole book.
    let is_kept = done.is_ok() || !arguments.out.is_file();
    if is_kept {
        write_atomically(&arguments.out, &text).with_context(|| out.to_string())?;
    }
    done.with_context(|| {
        let place = if is_kept { format!("in {out}") } else { format!("and {out} is as it was") };
        format!("found only {found} of {}, {place}", counted(count, "opening"))
    })?;
    print_line!(
        "{} within {} cp, of {}",
        counted(found, "opening"),
        arguments.within,
        counted(number, "line")
    )?;
    Ok(())
}

/// Searches the position on the board and returns its score: the last one that is more than a bound.
fn search_score(
    engine: &mut dyn Engine,
    limits: &Limits,
    control: &Control,
) -> anyhow::Result<Option<UciScore>> {
    engine.new_game();
    let mut score = None;
    engine.search(&[], limits, control, &mut |report: &SearchReport| {
        if report.bound == Bound::Exact {
            score = Some(report.score);
        }
    })?;
    Ok(score)
}
