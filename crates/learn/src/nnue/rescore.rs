//! Scoring the positions of self-play games anew, such as by a better net: moves and results stay.

use std::collections::BTreeMap;
use std::path::Path;

use super::games::{GamesError, GamesProblem, GamesWriter, PlayedGame, open_games, opening_bits, start_of};
use crate::play::{Agent, SearchLimit};
use labrys_core::engine::{GameState, Playable, TypedEngine};
use labrys_core::eval::Score;
use labrys_core::game::mixed;
use labrys_core::parallel;
use labrys_core::search::Control;

/// Scores the games of a file, on one thread per engine, and appends them to `writer`, except those that it
/// already has. A game depends on the limit and its number only. The block that is unfinished when `control`
/// stops the work is dropped. `report` is called with the number of games in the file.
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
    let mut reader = open_games::<G>(source).map_err(refuse)?;
    let first: G = start_of(reader.header()).map_err(refuse)?;
    let start = start.at(first);
    let mut agents: Vec<_> = engines.into_iter().map(|engine| Agent { engine, limit }).collect();
    let (mut number, done) = (0, writer.openings().to_vec());
    while let Some(games) = reader.next::<G>().map_err(refuse)? {
        let begin = number;
        number += games.len();
        if let Some(done) = done.get(begin..).filter(|done| !done.is_empty()) {
            let same =
                done.iter().zip(&games).all(|(bits, game)| *bits == opening_bits(game.start, &game.opening));
            if !same || done.len() < games.len() {
                let expected = format!("those of {}", source.display());
                let problem = GamesProblem::Other { name: "games", found: "others".to_owned(), expected };
                return Err(GamesError { path: writer.path().to_owned(), problem });
            }
            continue;
        }
        let (mut scored, mut result) = (BTreeMap::new(), Ok(()));
        let tasks = (begin..).zip(&games);
        let job = |agent: &mut &mut Agent<G>, (number, game): (usize, &PlayedGame<G::Move>)| {
            score(&start, agent, game, number, control).transpose().map(|game| (number, game))
        };
        parallel::run(agents.iter_mut(), tasks, job, |(number, game)| match game {
            Ok(game) => _ = scored.insert(number, game),
            Err(problem) => result = Err(refuse(problem)),
        });
        result?;
        if control.is_stopped() || scored.len() < games.len() {
            return Ok(());
        }
        writer.append::<G>(&scored.into_values().collect::<Vec<_>>())?;
        report(writer.games());
    }
    Ok(())
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
