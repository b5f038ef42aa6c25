//! The one loop in which games are played in this process: self-play and matches run on it.

use super::{Board, Play};
use crate::game::{Chance, Color, Game, Outcome};

/// Runs a game: asks the players for their moves, and may stop it.
pub trait GameDriver<G: Game> {
    /// Why a game is stopped before its rules end it.
    type Stop;

    /// A legal move for the side to move.
    ///
    /// # Errors
    /// The reason to stop: there is no move.
    fn choose(&mut self, game: &Play<G>) -> Result<G::Move, Self::Stop>;

    /// A number from 0 (included) to 1 (not included), uniformly distributed: games of chance ask for them
    /// after each move.
    fn random(&mut self) -> f64;

    /// Hears of a move, with what chance has made of it, before it is played.
    fn sampled(&mut self, _mv: G::Move, _game: &Play<G>) {}

    /// Whether the game goes on in a position where the rules let it go on.
    ///
    /// # Errors
    /// The reason to stop.
    fn adjudicate(&mut self, _game: &Play<G>) -> Result<(), Self::Stop> {
        Ok(())
    }
}

/// The end of a game that was not stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// The rules have ended it.
    Rules(Outcome),
    /// It has become too long.
    Length {
        /// Who has won by that; none if it is drawn.
        leader: Option<Color>,
        /// Plies that were played.
        plies: u32,
    },
}

impl GameEnd {
    /// The winner; none of a drawn game.
    pub fn winner(self) -> Option<Color> {
        match self {
            GameEnd::Rules(outcome) => outcome.winner,
            GameEnd::Length { leader, .. } => leader,
        }
    }
}

/// Plays a game on from where it stands, to its end or until it is `longest` plies longer. Chance is sampled
/// once a move.
///
/// # Errors
/// The reason why `driver` has stopped it; the game stays where it was then.
pub fn play_out<G: Chance, D: GameDriver<G>>(
    game: &mut Play<G>,
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
