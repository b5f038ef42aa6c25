//! `labrys replay`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::arena::pgn::PgnGame;
use crate::arena::{Termination, pgn_file};
use crate::engine::{Board, registry};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The PGN file
    file: PathBuf,
    /// Replay this game only
    #[arg(long, value_name = "N")]
    game: Option<u64>,
    /// The game, where the file has no `Variant` tag
    #[arg(long, default_value_t = registry::default_name().to_owned())]
    variant: String,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let records = pgn_file::read(&arguments.file)?;
    let mut out = io::stdout();
    let (mut games, mut plies) = (0, 0);
    for (record, place) in records.iter().zip(1..) {
        let number = record.number.unwrap_or(place);
        if arguments.game.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let variant = record.variant.as_ref().unwrap_or(&arguments.variant);
        let mut board = registry::board(variant).with_context(|| format!("game {number}"))?;
        replay(record, board.as_mut())
            .with_context(|| format!("{}, game {number}", arguments.file.display()))?;
        let [white, black] = record.players.each_ref().map(|side| &side.name);
        let moves = record.opening.moves.len() + record.moves.len();
        let result = record.end.winner.map_or("drawn".to_owned(), |winner| format!("{winner} wins"));
        writeln!(
            out,
            "game {number}: {white} – {black}, {result} ({}), {moves} plies",
            record.end.termination.tag()
        )?;
        writeln!(out, "{}\n", board.describe())?;
        games += 1;
        plies += moves;
    }
    match arguments.game {
        Some(number) if games == 0 => bail!("{}: no game {number}", arguments.file.display()),
        _ => writeln!(out, "{games} games, {plies} plies, all legal")?,
    }
    Ok(())
}

/// Plays the moves of a game and checks its result.
fn replay(record: &PgnGame, board: &mut dyn Board) -> anyhow::Result<()> {
    let fen = Some(record.opening.fen.as_str()).filter(|fen| !fen.is_empty());
    let moves = record.moves.iter().map(|mv| mv.text.clone());
    let moves: Vec<_> = record.opening.moves.iter().cloned().chain(moves).collect();
    board.set_up(fen, &moves)?;
    match board.outcome() {
        Some(outcome) if outcome.winner != record.end.winner => bail!("the result is wrong: {outcome}"),
        None if record.number.is_some() && record.end.termination == Termination::Rules => {
            bail!("the result is wrong: the game is not over")
        }
        _ => Ok(()),
    }
}
