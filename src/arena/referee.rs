//! The referee: lets two players play a game and says how it ended.

use std::time::Duration;

use thiserror::Error;

use super::Variation;
use super::adjudication::{Adjudication, Adjudicator, Ruling};
use super::clock::{Allowance, PlayerClock, limits};
use super::pgn::Move;
use super::player::{Failure, MoveRequest, Player, Thought};
use crate::engine::game_loop::{GameDriver, GameEnd, play_out};
use crate::engine::{Board, Play, PositionError};
use crate::game::{Chance, Color, Game};
use crate::search::Control;

/// Who has won a game, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The winner; none of a drawn game.
    pub winner: Option<Color>,
    /// What ended the game.
    pub cause: Cause,
    /// The same in words.
    pub details: String,
}

/// What ends games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// The rules of the game.
    Rules,
    /// The referee, by the scores of the players or the length of the game.
    Adjudication,
    /// A clock has run out.
    Time,
    /// A move that is not legal, or none at all, or something that is no text.
    Illegal,
    /// A player has crashed.
    Crash,
    /// A player has not answered at all.
    Stall,
}

impl Cause {
    /// All causes.
    pub const ALL: [Cause; 6] =
        [Cause::Rules, Cause::Adjudication, Cause::Time, Cause::Illegal, Cause::Crash, Cause::Stall];

    /// The word that stands for the cause in the `Termination` of a record.
    pub fn tag(self) -> &'static str {
        match self {
            Cause::Rules => "normal",
            Cause::Adjudication => "adjudication",
            Cause::Time => "time forfeit",
            Cause::Illegal => "rules infraction",
            Cause::Crash => "abandoned",
            Cause::Stall => "stalled connection",
        }
    }
}

/// A game that has been played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The moves after the opening.
    pub moves: Vec<Move>,
    /// The end.
    pub end: End,
    /// What the players have thought, White first.
    pub thinking: [Thinking; 2],
}

/// How long a player has thought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thinking {
    /// Moves that it has been asked for and has answered.
    pub moves: u64,
    /// The time of all of them.
    pub time: Duration,
}

impl std::ops::AddAssign for Thinking {
    fn add_assign(&mut self, other: Thinking) {
        self.moves += other.moves;
        self.time += other.time;
    }
}

/// Why a game has no result.
#[derive(Debug, Error)]
pub enum NoResult {
    /// The match has been called off.
    #[error("interrupted")]
    Interrupted,
    /// The opening cannot be set up.
    #[error(transparent)]
    Opening(#[from] PositionError),
}

/// A player and what it may use.
pub struct Seat<'a, G: Game> {
    /// The player.
    pub player: &'a mut dyn Player<G>,
    /// What it may use for a move.
    pub allowance: &'a Allowance,
}

/// Plays a game from `opening` on `game` between White and Black, in this order. The player who fails,
/// oversteps the time or makes an illegal move has lost; draws need no claim. Chance is sampled with
/// `random`: numbers from 0 (included) to 1 (not included).
///
/// # Errors
/// [`NoResult`] when `control` calls it off, or when the opening is not legal.
pub fn play<G: Chance>(
    game: &mut Play<G>,
    opening: &Variation,
    seats: [Seat<G>; 2],
    rules: &Adjudication,
    random: &mut dyn FnMut() -> f64,
    control: &Control,
) -> Result<Played, NoResult> {
    game.set_up(Some(&opening.fen), &opening.moves)?;
    let [white, black] = seats;
    let mut referee = Referee {
        clocks: [PlayerClock::new(white.allowance), PlayerClock::new(black.allowance)],
        players: [white.player, black.player],
        adjudicator: Adjudicator::new(rules),
        line: opening.clone(),
        moves: Vec::new(),
        thinking: [Thinking::default(); 2],
        last: None,
        random,
        control,
    };
    // The match knows better than the game how long it may be.
    let longest = if rules.max_moves.is_some() { None } else { G::LONGEST_GAME };
    let end = referee.begin().and_then(|()| play_out(game, longest, &mut referee));
    let Referee { players, moves, thinking, .. } = referee;
    players.into_iter().for_each(|player| player.game_over(game));
    let end = match end {
        Ok(GameEnd::Rules(outcome)) => {
            End { winner: outcome.winner, cause: Cause::Rules, details: outcome.to_string() }
        }
        Ok(GameEnd::Length { leader, plies }) => Ruling::too_long(leader, plies).into(),
        Err(Stop::End(end)) => end,
        Err(Stop::Interrupted) => return Err(NoResult::Interrupted),
    };
    Ok(Played { moves, end, thinking })
}

/// Why the referee stops a game.
enum Stop {
    /// It has ended, though not by the rules.
    End(End),
    /// It has been called off.
    Interrupted,
}

/// Asks the players for moves, and sees to the clocks.
struct Referee<'a, G: Game> {
    players: [&'a mut dyn Player<G>; 2],
    clocks: [PlayerClock<'a>; 2],
    adjudicator: Adjudicator<'a>,
    /// The opening and all moves since then.
    line: Variation,
    moves: Vec<Move>,
    thinking: [Thinking; 2],
    /// Who made the last move, and the thought behind it; none before the first move.
    last: Option<(Color, Thought<G::Move>)>,
    random: &'a mut dyn FnMut() -> f64,
    control: &'a Control,
}

impl<G: Chance> Referee<'_, G> {
    /// Has the players get ready.
    fn begin(&mut self) -> Result<(), Stop> {
        for (player, color) in self.players.iter_mut().zip(Color::BOTH) {
            player.new_game(color, self.control).map_err(|failure| failed(color, &failure))?;
        }
        Ok(())
    }
}

impl<G: Chance> GameDriver<G> for Referee<'_, G> {
    type Stop = Stop;

    fn choose(&mut self, game: &Play<G>) -> Result<G::Move, Stop> {
        // Nobody hears of the move that ends a game.
        if let (Some(_), Some(mv)) = (&self.last, self.line.moves.last()) {
            self.players.iter_mut().for_each(|player| player.moved(mv, game));
        }
        let stm = game.side_to_move();
        let limits = &limits(&self.clocks, stm);
        let request =
            MoveRequest { game, line: &self.line, limits, patience: self.clocks[stm.index()].patience() };
        let thought = self.players[stm.index()].think(&request, self.control);
        let thought = thought.map_err(|failure| failed(stm, &failure))?;
        self.thinking[stm.index()] += Thinking { moves: 1, time: thought.elapsed };
        let loses = |cause, details| Stop::End(End { winner: Some(!stm), cause, details });
        if !self.clocks[stm.index()].press(thought.elapsed) {
            let elapsed = thought.elapsed.as_secs_f64();
            return Err(loses(Cause::Time, format!("{stm} loses on time after {elapsed:.3} s")));
        }
        let illegal = |error| loses(Cause::Illegal, format!("illegal move of {stm}: {error}"));
        let mv = thought.mv.clone().map_err(illegal)?;
        self.last = Some((stm, thought));
        Ok(mv)
    }

    fn random(&mut self) -> f64 {
        (self.random)()
    }

    fn sampled(&mut self, mv: G::Move, game: &Play<G>) {
        let text = game.position().move_text(mv);
        if let Some((_, thought)) = &self.last {
            self.moves.push(Move::new(&text, thought));
        }
        self.line.moves.push(text);
    }

    fn adjudicate(&mut self, game: &Play<G>) -> Result<(), Stop> {
        let Some((player, thought)) = &self.last else { return Ok(()) };
        match self.adjudicator.after(*player, thought.score, game.leader()) {
            Some(ruling) => Err(Stop::End(ruling.into())),
            None => Ok(()),
        }
    }
}

impl From<Ruling> for End {
    fn from(Ruling { winner, details }: Ruling) -> End {
        End { winner, cause: Cause::Adjudication, details }
    }
}

/// Why a game stops in which a player has failed.
fn failed(loser: Color, failure: &Failure) -> Stop {
    let (cause, verb) = match failure {
        Failure::Interrupted => return Stop::Interrupted,
        Failure::Crashed(_) => (Cause::Crash, "crashes"),
        Failure::Stalled(_) => (Cause::Stall, "stalls"),
        Failure::Garbage(_) => (Cause::Illegal, "talks nonsense"),
    };
    Stop::End(End { winner: Some(!loser), cause, details: format!("{loser} {verb}: {failure}") })
}
