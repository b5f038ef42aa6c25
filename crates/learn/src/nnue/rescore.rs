//! Scoring the positions of self-play games anew, such as by a better net: moves and results stay.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use super::games::{GamesError, GamesProblem, GamesWriter, PlayedGame, open_games, start_of};
use crate::play::{Agent, SearchLimit};
use labrys_core::engine::{GameState, Playable, TypedEngine};
use labrys_core::eval::Score;
use labrys_core::game::{GameMove, mixed};
use labrys_core::parallel;
use labrys_core::search::Control;

/// Scores the games of a file, on one thread per engine, and appends them to `writer`, except those that it
/// already has, in whatever order. A game depends on the limit and its number only. The block that is
/// unfinished when `control` stops the work is dropped. `report` is called with the number of games in the
/// file.
///
/// # Errors
/// [`GamesError`] names the file that is damaged, that cannot be written, or that has other games.
pub fn rescore<G: Playable>(
    source: &Path,
    start: &GameState<G>,
    engines: Vec<Box<dyn TypedEngine<G>>>,
    limit: SearchLimit,
    writer: &mut GamesWriter,
    control: &Control,
    report: &mut dyn FnMut(u64),
) -> Result<(), GamesError> {
    let refuse = |problem| GamesError { path: source.to_owned(), problem };
    let done = done::<G>(source, writer)?;
    let mut reader = open_games::<G>(source).map_err(refuse)?;
    let first: G = start_of(reader.header()).map_err(refuse)?;
    let start = start.at(first);
    let mut agents: Vec<_> = engines.into_iter().map(|engine| Agent { engine, limit }).collect();
    let mut number = 0;
    while let Some(games) = reader.next::<G>().map_err(refuse)? {
        let begin = number;
        number += games.len();
        let is_missing = |(number, _): &(usize, _)| !done.get(*number).copied().unwrap_or(false);
        let tasks: Vec<_> = (begin..).zip(&games).filter(is_missing).collect();
        if tasks.is_empty() {
            continue;
        }
        let (mut scored, mut result, missing) = (BTreeMap::new(), Ok(()), tasks.len());
        let job = |agent: &mut &mut Agent<G>, (number, game): (usize, &PlayedGame<G::Move>)| {
            score(&start, agent, game, number, control).transpose().map(|game| (number, game))
        };
        parallel::run(agents.iter_mut(), tasks, job, |(number, game)| match game {
            Ok(game) => _ = scored.insert(number, game),
            Err(problem) => result = Err(refuse(problem)),
        });
        result?;
        if control.is_stopped() || scored.len() < missing {
            return Ok(());
        }
        writer.append::<G>(&scored.into_values().collect::<Vec<_>>())?;
        report(writer.games());
    }
    Ok(())
}

/// Which games of the source the output already has. Usually these are the first ones, unless some were lost
/// with damaged blocks.
fn done<G: Playable>(source: &Path, writer: &GamesWriter) -> Result<Vec<bool>, GamesError> {
    if writer.games() == 0 {
        return Ok(Vec::new());
    }
    let mut scored: HashMap<u64, usize> = HashMap::new();
    each_game::<G>(writer.path(), |game| *scored.entry(identity(game)).or_default() += 1)?;
    let mut done = Vec::new();
    each_game::<G>(source, |game| {
        let left = scored.get_mut(&identity(game)).filter(|games| **games > 0);
        done.push(left.map(|games| *games -= 1).is_some());
    })?;
    if scored.values().any(|&games| games > 0) {
        let expected = format!("those of {}", source.display());
        let problem = GamesProblem::Other { name: "games", found: "others".to_owned(), expected };
        return Err(GamesError { path: writer.path().to_owned(), problem });
    }
    Ok(done)
}

/// Calls `each` with the games of a file.
fn each_game<G: Playable>(path: &Path, mut each: impl FnMut(&PlayedGame<G::Move>)) -> Result<(), GamesError> {
    let mut read = || {
        let mut reader = open_games::<G>(path)?;
        while let Some(games) = reader.next::<G>()? {
            games.iter().for_each(&mut each);
        }
        Ok(())
    };
    read().map_err(|problem| GamesError { path: path.to_owned(), problem })
}

/// A hash of all of a game but its scores.
fn identity<M: GameMove>(game: &PlayedGame<M>) -> u64 {
    let PlayedGame { start, opening, moves, result } = game;
    let mut hasher = DefaultHasher::new();
    let moves = opening.iter().chain(moves.iter().map(|(mv, _)| mv)).map(|mv| mv.to_bits());
    (start, opening.len(), *result as u8).hash(&mut hasher);
    moves.for_each(|bits| bits.hash(&mut hasher));
    hasher.finish()
}

/// Scores a game; `None` if `control` stops it.
fn score<G: Playable>(
    start: &GameState<G>,
    agent: &mut Agent<G>,
    game: &PlayedGame<G::Move>,
    number: usize,
    control: &Control,
) -> Result<Option<PlayedGame<G::Move>>, GamesProblem> {
    let legal = game.replay(start.position(), |_| ());
    legal.map_err(|(ply, text)| GamesProblem::Move { number: number + 1, ply, text })?;
    let mut state = start.at(game.start_position(start.position()));
    game.opening.iter().for_each(|&mv| state.advance(mv));
    agent.new_game(mixed(number as u64));
    let mut moves = Vec::with_capacity(game.moves.len());
    for &(mv, _) in &game.moves {
        let Some(found) = agent.search(&state, control) else { return Ok(None) };
        moves.push((mv, found.score.unwrap_or(Score::DRAW)));
        state.advance(mv);
    }
    Ok(Some(PlayedGame { moves, ..game.clone() }))
}
