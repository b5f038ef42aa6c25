//! `labrys nnue stats`.

use std::path::PathBuf;

use crate::commands::shared::suggest;
use crate::commands::shared::typed::commands;
use crate::engine::Playable;
use crate::engine::registry;
use crate::game::counted;
use crate::learn::nnue::dataset::Counts;
use crate::learn::nnue::games::{GamesError, GamesProblem, read_games, read_header, start_of};

/// Checks files of self-play games, and counts games and positions.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct NnueStatsArguments {
    /// The game [default: that of the first file]
    #[arg(long, value_parser = suggest::game())]
    variant: Option<String>,
    /// Files written by `labrys nnue selfplay`
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(in crate::commands) fn run(arguments: &NnueStatsArguments) -> anyhow::Result<()> {
    let header = arguments.files.first().map(|path| read_header(path)).transpose()?.flatten();
    let variant = arguments.variant.clone().or(header.map(|header| header.game));
    commands(variant.as_deref().unwrap_or(registry::default_name()))?.stats(arguments)
}

impl NnueStatsArguments {
    pub(in crate::commands) fn run_typed<G: Playable>(&self) -> anyhow::Result<()> {
        for path in &self.files {
            let refuse = |problem: GamesProblem| GamesError { path: path.clone(), problem };
            let (header, games) = read_games::<G>(path)?;
            let start: G = start_of(&header).map_err(refuse)?;
            let mut counts = Counts::default();
            for (game, number) in games.iter().zip(1..) {
                counts
                    .add(&start, game, |_, _| ())
                    .map_err(|(ply, text)| refuse(GamesProblem::Move { number, ply, text }))?;
            }
            let bytes = std::fs::metadata(path).map_err(|error| refuse(error.into()))?.len();
            let [white, drawn, black] = counts.results;
            let (least, most) = header.random_plies;
            print_line!(
                "{}: {}, {}, seed {}",
                path.display(),
                header.evaluation,
                counted(header.nodes, "node"),
                header.seed
            )?;
            print_line!(
                "  {} with {least} to {most} random plies, all legal",
                counted(counts.games, "game")
            )?;
            print_line!("  {white} won by White, {drawn} drawn, {black} won by Black")?;
            let each = bytes as f64 / counts.positions.max(1) as f64;
            print_line!("  {} with a score, {each:.1} bytes each", counted(counts.positions, "position"))?;
            let Counts { in_check, tactical, mates, .. } = counts;
            print_line!(
                "  {in_check} in check, {tactical} before tactical moves, {mates} with a mate score"
            )?;
            print_line!("  {} to learn from", counts.quiet())?;
        }
        Ok(())
    }
}
