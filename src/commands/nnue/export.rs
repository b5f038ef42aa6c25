//! `labrys nnue export`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use bulletformat::{BulletFormat, ChessBoard};

use crate::commands::shared::progress::Progress;
use crate::commands::shared::suggest;
use crate::commands::shared::typed::commands;
use crate::commands::shared::{claim, interruptible};
use crate::engine::Playable;
use crate::engine::registry;
use crate::files::write_atomically_with;
use crate::game::{Color, Game};
use crate::game::{chess::Chess, counted};
use crate::learn::nnue::dataset::Counts;
use crate::learn::nnue::games::{GamesError, GamesProblem, PlayedPosition, read_games, start_of};

/// The kinds of pieces of chess.
const KINDS: usize = 6;

/// Writes the quiet positions of games of `labrys nnue selfplay` in the format of the bullet trainer.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct NnueExportArguments {
    /// The game
    #[arg(long, default_value_t = registry::default_name().to_owned(), value_parser = suggest::game())]
    variant: String,
    /// File of games; may be given several times
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
    /// Output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(arguments: &NnueExportArguments) -> anyhow::Result<()> {
    commands(&arguments.variant)?.export(arguments)
}

impl NnueExportArguments {
    /// Runs the export for the game `G`.
    pub(in crate::commands) fn run_typed<G: Playable>(&self) -> anyhow::Result<()> {
        ensure!(
            G::info().name == Chess::info().name,
            "--variant {}: the format of bullet does not support this game",
            G::info().name
        );
        let _claim = claim(&self.out).context("--out")?;
        let mut positions = 0;
        write_atomically_with(&self.out, |out| {
            positions = self.write::<G>(out)?;
            anyhow::Ok(())
        })
        .with_context(|| format!("--out {}", self.out.display()))?;
        print_line!("{}: {}", self.out.display(), counted(positions, "quiet position"))?;
        Ok(())
    }

    /// Writes the quiet positions of all files, and returns their number.
    fn write<G: Playable>(&self, out: &mut dyn Write) -> anyhow::Result<u64> {
        let control = interruptible()?;
        let (mut counts, mut boards) = (Counts::default(), Vec::new());
        for path in &self.data {
            let refuse = |problem| GamesError { path: path.clone(), problem };
            let (header, games) = read_games::<G>(path)?;
            let start: G = start_of(&header).map_err(refuse)?;
            let mut progress = Progress::new("games", 0, Some(games.len() as u64));
            for (game, number) in games.iter().zip(1..) {
                if control.is_stopped() {
                    bail!("interrupted, nothing written");
                }
                boards.clear();
                counts
                    .add(&start, game, |played, is_quiet| {
                        boards.extend(is_quiet.then(|| board_of(&played)).flatten());
                    })
                    .map_err(|(ply, text)| refuse(GamesProblem::Move { number, ply, text }))?;
                out.write_all(ChessBoard::as_bytes_slice(&boards))?;
                progress.update(number as u64, || counted(counts.quiet(), "position"));
            }
            progress.finish();
        }
        Ok(counts.quiet())
    }
}

/// A chess position in the format, which stores 16-bit scores relative to the side to move, but is built from
/// values for White.
fn board_of<G: Playable>(played: &PlayedPosition<G>) -> Option<ChessBoard> {
    let PlayedPosition { position, score, result, .. } = played;
    let max = i32::from(i16::MAX);
    let centipawns = (f64::from(score.to_thousandths()) / 10.0).round() as i32;
    let score = centipawns.clamp(-max, max) as i16;
    let (stm, score, result) = match position.side_to_move() {
        Color::White => (0, score, *result),
        Color::Black => (1, -score, !*result),
    };
    // White's pieces from the pawn to the king, then Black's.
    let planes = position.input_planes();
    let (white, black) = planes.as_ref().split_at(KINDS);
    let mut boards = [0; 2 + KINDS];
    for (kind, (&white, &black)) in white.iter().zip(black).enumerate() {
        let [white, black] = [white, black].map(|squares| squares as u64);
        boards[0] |= white;
        boards[1] |= black;
        boards[2 + kind] = white | black;
    }
    ChessBoard::from_raw(boards, stm, score, result.value() as f32).ok()
}
