//! The game loop of self-play and matches.

use super::{Board, GameState};
use crate::game::{Color, Game, Outcome};

/// Runs a game: asks the players for their moves, and may stop it.
pub trait GameDriver<G: Game> {
    /// The reason to stop a game before its rules end it.
    type Stop;

    /// A legal move for the side to move.
    ///
    /// # Errors
    /// The reason to stop, if there is no move.
    fn choose(&mut self, game: &GameState<G>) -> Result<G::Move, Self::Stop>;

    /// A uniformly distributed number from 0 (included) to 1 (not included), for chance outcomes.
    fn random(&mut self) -> f64;

    /// Called with each move and its chance outcome before it is played.
    fn sampled(&mut self, _mv: G::Move, _game: &GameState<G>) {}

    /// Called in each position where the game has not ended, after a move. It may stop the game.
    ///
    /// # Errors
    /// The reason to stop.
    fn adjudicate(&mut self, _game: &GameState<G>) -> Result<(), Self::Stop> {
        Ok(())
    }
}

/// The end of a game that was not stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// The rules ended the game.
    Rules(Outcome),
    /// The game reached the greatest length.
    Length {
        /// The winner; none if the game is drawn.
        leader: Option<Color>,
        /// Plies that were played.
        plies: u32,
    },
}

impl GameEnd {
    /// The winner; none if the game is drawn.
    pub fn winner(self) -> Option<Color> {
        match self {
            GameEnd::Rules(outcome) => outcome.winner,
            GameEnd::Length { leader, .. } => leader,
        }
    }
}

/// Plays a game from its current position to its end, at most `longest` plies. Chance is sampled once per
/// move.
///
/// # Errors
/// The reason why `driver` stopped the game. The game stays at that position.
pub fn play_out<G: Game, D: GameDriver<G>>(
    game: &mut GameState<G>,
    longest: Option<u32>,
    driver: &mut D,
) -> Result<GameEnd, D::Stop> {
    let mut plies = 0;
    loop {
        if let Some(outcome) = game.outcome() {
            return Ok(GameEnd::Rules(outcome));
        }
        driver.adjudicate(game)?;
        if longest.is_some_and(|longest| plies >= longest) {
            return Ok(GameEnd::Length { leader: game.leader(), plies });
        }
        let mv = driver.choose(game)?;
        let mv = game.position().sample(mv, &mut || driver.random());
        driver.sampled(mv, game);
        game.advance(mv);
        plies += 1;
    }
}
