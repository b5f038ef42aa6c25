//! `labrys nnue stats`.

use std::path::PathBuf;

use crate::commands::shared::suggest;
use crate::commands::shared::typed::commands;
use crate::engine::Playable;
use crate::engine::registry;
use crate::game::{Phase, counted};
use crate::learn::nnue::dataset::Counts;
use crate::learn::nnue::games::{GamesError, GamesHeader, GamesProblem, read_games, read_header, start_of};

/// A part of a whole in percent.
fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

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
            let (mut counts, mut keys, mut phases) =
                (Counts::default(), Vec::new(), [0_u64; Phase::ALL.len()]);
            for (game, number) in games.iter().zip(1..) {
                counts
                    .add(&start, game, |played, is_quiet| {
                        if is_quiet {
                            keys.push(played.position.key());
                            phases[Phase::of(played.position) as usize] += 1;
                        }
                    })
                    .map_err(|(ply, text)| refuse(GamesProblem::Move { number, ply, text }))?;
            }
            let bytes = std::fs::metadata(path).map_err(|error| refuse(error.into()))?.len();
            let [white, drawn, black] = counts.results;
            let (least, most) = header.random_plies;
            let GamesHeader { evaluation, nodes, seed, played_with, .. } = &header;
            let player = header.player();
            print_line!(
                "{}: {}, {}, seed {seed}",
                path.display(),
                player.evaluation,
                counted(player.nodes, "node")
            )?;
            if played_with.is_some() {
                print_line!("  scored by {evaluation}, {}", counted(nodes, "node"))?;
            }
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
            let quiet = counts.quiet();
            keys.sort_unstable();
            keys.dedup();
            let again = quiet - keys.len() as u64;
            print_line!("  {quiet} to learn from, {again} of them ({:.1} %) again", percent(again, quiet))?;
            if start.material().1 > 0 {
                let parts = Phase::ALL.iter().zip(phases);
                let parts =
                    parts.map(|(phase, count)| format!("{} {:.1} %", phase.name(), percent(count, quiet)));
                print_line!("  by the material: {}", parts.collect::<Vec<_>>().join(", "))?;
            }
            let drawn = games.iter().filter_map(|game| game.start);
            let same = drawn.clone().filter(|[white, black]| white == black).count();
            let different = drawn.count() - same;
            if same + different > 0 {
                print_line!("  {same} from drawn starts, {different} from different ones for each player")?;
            }
        }
        Ok(())
    }
}
