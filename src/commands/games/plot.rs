//! `labrys games plot`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::arena::pgn::PgnGame;
use crate::arena::plot;
use crate::commands::games::replay::replay;
use crate::commands::shared::records::{self, Strictness};
use crate::commands::shared::{claim, interruptible};
use crate::files::write_atomically;
use crate::game::counted;

#[derive(Debug, clap::Args)]
pub(in crate::commands) struct GamesPlotArguments {
    /// The PGN file
    file: PathBuf,
    /// Output file, in SVG [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    strictness: Strictness,
}

pub(in crate::commands) fn run(arguments: &GamesPlotArguments) -> anyhow::Result<()> {
    let _claim = arguments.out.as_deref().map(claim).transpose()?;
    let control = interruptible()?;
    let mut records = records::open(&arguments.file, arguments.strictness, &control)?;
    let mut games = Vec::new();
    while let Some(game) = records.next()? {
        match replay(&game, None) {
            Ok(_) => games.push(PgnGame { moves: Vec::new(), ..game }),
            Err(error) => records.refuse(&game, None, error)?,
        }
    }
    let (names, results, others) = plot::results(games);
    let svg =
        plot::score_over_games(&names, &results).with_context(|| arguments.file.display().to_string())?;
    match &arguments.out {
        Some(path) => write_atomically(path, &svg).with_context(|| path.display().to_string())?,
        None => io::stdout().write_all(svg.as_bytes())?,
    }
    match records.refused() + others {
        0 => Ok(()),
        refused => bail!("{}: {} left out", arguments.file.display(), counted(refused, "game")),
    }
}
