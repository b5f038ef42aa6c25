//! `labrys games replay`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::arena::pgn::{CommentKeys, PgnGame, PgnMove, PlayerTags};
use crate::arena::report::GameFacts;
use crate::arena::{FinalResult, MoveReply, Termination, Variation};
use crate::commands::shared::interruptible;
use crate::commands::shared::records::{self, Strictness};
use crate::commands::shared::suggest;
use crate::commands::shared::typed::commands;
use crate::commands::shared::values::whole;
use crate::engine::Playable;
use crate::engine::{Board, GameState};
use crate::game::{Color, counted};
use crate::learn::nnue::games::{
    GamesError, GamesHeader, GamesProblem, PlayedGame, read_games, read_header, start_of,
};

#[derive(Debug, clap::Args)]
pub(in crate::commands) struct GamesReplayArguments {
    /// The PGN file, or file of self-play games
    file: PathBuf,
    /// Replay only this game
    #[arg(long, value_name = "N", value_parser = whole::<u64>(..))]
    game: Option<u64>,
    /// The game [default: that of the file or of the `Variant` tag, or chess]
    #[arg(long, value_parser = suggest::game())]
    variant: Option<String>,
    #[command(flatten)]
    strictness: Strictness,
}

pub(in crate::commands) fn run(arguments: &GamesReplayArguments) -> anyhow::Result<()> {
    match read_header(&arguments.file)? {
        Some(header) => {
            let variant = arguments.variant.as_deref().unwrap_or(&header.game);
            commands(variant)?.replay(arguments)
        }
        None => replay_records(arguments),
    }
}

/// Replays the games of a PGN file.
fn replay_records(arguments: &GamesReplayArguments) -> anyhow::Result<()> {
    let control = interruptible()?;
    let mut records = records::open(&arguments.file, arguments.strictness, &control)?;
    let mut out = io::stdout();
    let (mut games, mut plies, mut is_there) = (0_u64, 0, false);
    while let Some(game) = records.next()? {
        let number = records.number();
        if arguments.game.is_some_and(|wanted| wanted != number) {
            continue;
        }
        is_there = true;
        let board = match replay(&game, arguments.variant.as_deref()) {
            Ok(board) => board,
            Err(error) => {
                records.refuse(&game, arguments.variant.as_deref(), error)?;
                continue;
            }
        };
        games += 1;
        plies += print(&mut out, number, &game, board.as_ref())?;
    }
    let refused = records.refused();
    match arguments.game {
        Some(number) if !is_there => bail!("{}: no game {number}", arguments.file.display()),
        None if games + refused == 0 => bail!("{}: no game in it", arguments.file.display()),
        _ => writeln!(out, "{}, {}, all legal", counted(games, "game"), counted(plies, "ply"))?,
    }
    if refused > 0 {
        bail!("{}: {refused} of {} left out", arguments.file.display(), counted(games + refused, "game"));
    }
    Ok(())
}

/// Plays the moves of a game and checks its result. Returns the final board.
pub(in crate::commands) fn replay(game: &PgnGame, variant: Option<&str>) -> anyhow::Result<Box<dyn Board>> {
    let mut board = game.board(variant)?;
    game.replay_to_result(board.as_mut())?;
    Ok(board)
}

/// Prints the result of a game and its final board. Returns the number of its plies.
fn print(out: &mut impl Write, number: u64, game: &PgnGame, board: &dyn Board) -> io::Result<usize> {
    let [white, black] = game.players.each_ref().map(|side| &side.name);
    let plies = game.opening.moves.len() + game.moves.len();
    let result = game.end.as_ref().map_or("not finished".to_owned(), |end| {
        let result = end.winner.map_or("drawn".to_owned(), |winner| format!("{winner} wins"));
        format!("{result} ({})", end.termination.tag())
    });
    writeln!(out, "game {number}: {white} – {black}, {result}, {}", counted(plies, "ply"))?;
    writeln!(out, "{}\n", board.describe())?;
    Ok(plies)
}

impl GamesReplayArguments {
    /// Replays the games of a file of self-play games. Each is printed as a record, too.
    pub(in crate::commands) fn run_typed<G: Playable>(&self) -> anyhow::Result<()> {
        let refuse = |problem| GamesError { path: self.file.clone(), problem };
        let (header, all) = read_games::<G>(&self.file)?;
        let (mut out, mut games, mut plies) = (io::stdout(), 0, 0);
        for (game, number) in all.iter().zip(1..) {
            if self.game.is_some_and(|wanted| wanted != number as u64) {
                continue;
            }
            let (record, end) = record_of::<G>(&header, game, number).map_err(refuse)?;
            writeln!(out, "{record}")?;
            games += 1;
            plies += print(&mut out, number as u64, &record, &end)?;
        }
        if let Some(wanted) = self.game.filter(|_| games == 0) {
            return Err(refuse(GamesProblem::NoGame { wanted, games: all.len() }).into());
        }
        writeln!(out, "{}, {}, all legal", counted(games, "game"), counted(plies, "ply"))?;
        Ok(())
    }
}

/// What the games of a file of self-play games show, one by one.
pub(in crate::commands) struct SelfPlayRecords<'a> {
    pub(in crate::commands) path: &'a Path,
    pub(in crate::commands) add: &'a mut dyn FnMut(&GameFacts),
}

impl SelfPlayRecords<'_> {
    pub(in crate::commands) fn run_typed<G: Playable>(self) -> anyhow::Result<()> {
        let refuse = |problem| GamesError { path: self.path.to_owned(), problem };
        let (header, all) = read_games::<G>(self.path)?;
        for (game, number) in all.iter().zip(1..) {
            let (record, _) = record_of::<G>(&header, game, number).map_err(refuse)?;
            (self.add)(&GameFacts::new(&record, Some(&header.game), number as u64)?);
        }
        Ok(())
    }
}

/// The record of a self-play game, and the finished game.
fn record_of<G: Playable>(
    header: &GamesHeader,
    game: &PlayedGame<G::Move>,
    number: usize,
) -> Result<(PgnGame, GameState<G>), GamesProblem> {
    let start: G = start_of(header)?;
    game.replay(&start, |_| ()).map_err(|(ply, text)| GamesProblem::Move { number, ply, text })?;
    let mut play = GameState::<G>::start();
    // Drawn starts belong to the last choice of the option.
    let option = G::info().option.filter(|_| game.start.is_some());
    if let Some((name, value)) = option.and_then(|option| Some((option.name, option.choices.last()?))) {
        play.set_option(name, value).map_err(|_| GamesProblem::Move {
            number,
            ply: 0,
            text: name.to_owned(),
        })?;
    }
    let fen = game.start_position(&start).fen();
    let set_up = play.set_up(Some(&fen), &[]);
    set_up.map_err(|_| GamesProblem::Move { number, ply: 0, text: fen.clone() })?;
    let variant = play.pgn_variant().map(str::to_owned);
    let opening = game.opening.iter().map(|&mv| {
        let text = play.position().san(mv);
        play.advance(mv);
        text
    });
    let opening = Variation { fen, moves: opening.collect() };
    let moves = game.moves.iter().map(|&(mv, score)| {
        let reply = MoveReply { score: Some(score.to_uci()), ..MoveReply::new(Ok(mv)) };
        let record = PgnMove::new(play.position(), mv, &reply, &CommentKeys::default());
        play.advance(mv);
        record
    });
    let moves = moves.collect();
    let winner = game.result.winner(Color::White);
    let termination = match play.outcome() {
        Some(outcome) if outcome.winner != winner => return Err(GamesProblem::Result { number, outcome }),
        Some(_) => Termination::Rules,
        None => Termination::Adjudication,
    };
    let player =
        PlayerTags { name: header.player().evaluation, setup: String::new(), time_control: String::new() };
    let record = PgnGame {
        number: Some(number as u64),
        round: number.to_string(),
        date: "????.??.??".to_owned(),
        variant,
        players: [player.clone(), player],
        opening,
        moves,
        end: Some(FinalResult { winner, termination, details: String::new() }),
        other_tags: vec![("Event".to_owned(), "labrys selfplay".to_owned())],
        ..PgnGame::default()
    };
    Ok((record, play))
}
