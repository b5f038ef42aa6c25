//! `labrys replay`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::bail;

use super::records::{self, Strictness};
use crate::arena::Termination;
use crate::arena::pgn::PgnGame;
use crate::engine::Board;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The PGN file
    file: PathBuf,
    /// Replay this game only
    #[arg(long, value_name = "N")]
    game: Option<u64>,
    /// The game that they are of [default: that of the `Variant` tag, chess without one]
    #[arg(long)]
    variant: Option<String>,
    #[command(flatten)]
    strictness: Strictness,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut records = records::open(&arguments.file, arguments.strictness)?;
    let mut out = io::stdout();
    let (mut games, mut plies) = (0_u64, 0);
    while let Some(game) = records.next()? {
        let number = records.number();
        if arguments.game.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let board = match replay(&game, arguments.variant.as_deref()) {
            Ok(board) => board,
            Err(error) => {
                records.refuse(error)?;
                continue;
            }
        };
        let [white, black] = game.players.each_ref().map(|side| &side.name);
        let moves = game.opening.moves.len() + game.moves.len();
        let result = game.end.as_ref().map_or("not finished".to_owned(), |end| {
            let result = end.winner.map_or("drawn".to_owned(), |winner| format!("{winner} wins"));
            format!("{result} ({})", end.termination.tag())
        });
        writeln!(out, "game {number}: {white} – {black}, {result}, {moves} plies")?;
        writeln!(out, "{}\n", board.describe())?;
        games += 1;
        plies += moves;
    }
    let refused = records.refused();
    match arguments.game {
        Some(number) if games + refused == 0 => bail!("{}: no game {number}", arguments.file.display()),
        _ => writeln!(out, "{games} games, {plies} plies, all legal")?,
    }
    if refused > 0 {
        bail!("{}: {refused} of {} games left out", arguments.file.display(), games + refused);
    }
    Ok(())
}

/// Plays the moves of a game and checks its result. Returns the board at its end.
fn replay(game: &PgnGame, variant: Option<&str>) -> anyhow::Result<Box<dyn Board>> {
    let mut board = game.board(variant)?;
    game.replay(board.as_mut())?;
    let Some(end) = &game.end else { return Ok(board) };
    // Only games of Labrys have numbers; elsewhere players resign, and draws have to be claimed.
    let is_own = game.number.is_some();
    match board.outcome() {
        Some(outcome) if outcome.winner != end.winner && (is_own || board.legal_moves().is_empty()) => {
            bail!("the result is wrong: {outcome}")
        }
        None if is_own && end.termination == Termination::Rules => {
            bail!("the result is wrong: the game is not over")
        }
        _ => Ok(board),
    }
}
