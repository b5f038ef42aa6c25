//! `labrys openings`.

use std::collections::HashSet;
use std::fmt::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context, bail};

use super::progress::Progress;
use super::{RulesArguments, interruptible, parse_plies};
use crate::arena::Openings;
use crate::engine::{Engine, SearchReport};
use crate::eval::UciScore;
use crate::files::{check_writable, write_atomically};
use crate::search::{Control, Limits};

/// Lines that are tried for each opening that is asked for.
const ATTEMPTS: u64 = 1000;

/// Finds balanced openings: random moves that leave neither side better off, as the search sees it.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    rules: RulesArguments,
    /// Openings to find
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    count: u64,
    /// Random moves of an opening, N or N-M
    #[arg(long, value_name = "N", default_value = "6-9", value_parser = parse_plies)]
    random_plies: RangeInclusive<usize>,
    /// Nodes that each is searched with
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// The score is within ± so many hundredths
    #[arg(long, default_value_t = 50, value_name = "CP", value_parser = clap::value_parser!(i32).range(0..))]
    within: i32,
    /// What the random moves depend on
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the openings go
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    check_writable(&arguments.out).with_context(|| arguments.out.display().to_string())?;
    let mut engine = arguments.rules.rules()?.engine()?;
    let lines = Openings::Random { seed: arguments.seed, plies: arguments.random_plies.clone() };
    let limits = Limits { nodes: Some(arguments.nodes), ..Limits::none() };
    let control = interruptible()?;

    let mut progress = Progress::new("openings", 0, Some(arguments.count));
    let (mut judged, mut found, mut text) = (HashSet::new(), 0, String::new());
    let attempts = arguments.count.saturating_mul(ATTEMPTS);
    let mut number = 0;
    while found < arguments.count {
        if number == attempts {
            bail!("found only {found} of {} openings in {attempts} lines", arguments.count);
        }
        let line = lines.get(number, engine.board_mut())?;
        number += 1;
        progress.update(found, || format!("in {number} lines"));
        engine.board_mut().set_up(Some(&line.fen), &line.moves)?;
        let fen = engine.board().fen();
        if !judged.insert(fen.clone()) {
            continue;
        }
        let score = judge(engine.as_mut(), &limits, &control)?;
        if let Some(UciScore::Centi(score)) = score
            && score.abs() <= arguments.within
        {
            writeln!(text, "{fen}; ce {score};")?;
            found += 1;
        }
    }
    progress.finish();
    write_atomically(&arguments.out, &text).with_context(|| arguments.out.display().to_string())?;
    println!("{found} openings within {} cp, of {number} lines", arguments.within);
    Ok(())
}

/// What a search makes of the position on the board.
fn judge(engine: &mut dyn Engine, limits: &Limits, control: &Control) -> anyhow::Result<Option<UciScore>> {
    engine.new_game();
    let mut score = None;
    engine.search(&[], limits, control, &mut |report: &SearchReport| score = Some(report.score))?;
    match control.is_stopped() {
        true => bail!("interrupted, nothing written"),
        false => Ok(score),
    }
}
