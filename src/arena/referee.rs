//! The referee: lets two players play a game and says how it ended.

use std::time::Duration;

use thiserror::Error;

use super::Variation;
use super::adjudication::{Adjudication, Adjudicator, Ruling};
use super::clock::{Allowance, PlayerClock, limits};
use super::pgn::Move;
use super::player::{Failure, Player, Thought};
use crate::engine::{Board, PositionError};
use crate::game::Color;
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
pub struct Seat<'a> {
    /// The player.
    pub player: &'a mut dyn Player,
    /// What it may use for a move.
    pub allowance: &'a Allowance,
}

/// Plays a game from `opening` on `board` between White and Black, in this order. The player who
/// fails, oversteps the time or makes an illegal move has lost; draws need no claim. Where chance has a word,
/// it is drawn from `random`: numbers from 0 (included) to 1 (not included).
///
/// # Errors
/// [`NoResult`] when `control` calls it off, or when the opening is not legal.
pub fn play(
    board: &mut dyn Board,
    opening: &Variation,
    seats: [Seat; 2],
    rules: &Adjudication,
    random: &mut dyn FnMut() -> f64,
    control: &Control,
) -> Result<Played, NoResult> {
    board.set_up(Some(&opening.fen), &opening.moves)?;
    let [white, black] = seats;
    let clocks = [PlayerClock::new(white.allowance), PlayerClock::new(black.allowance)];
    let adjudicator = Adjudicator::new(rules, board.longest_game());
    let mut game = Game {
        board,
        line: opening.clone(),
        moves: Vec::new(),
        thinking: [Thinking::default(); 2],
        players: [white.player, black.player],
        clocks,
        adjudicator,
    };
    let end = game.play(random, control);
    let Game { board, players, moves, thinking, .. } = game;
    players.into_iter().for_each(|player| player.game_over(board));
    Ok(Played { moves, end: end?, thinking })
}

/// A game in play.
struct Game<'a> {
    board: &'a mut dyn Board,
    line: Variation,
    moves: Vec<Move>,
    thinking: [Thinking; 2],
    players: [&'a mut dyn Player; 2],
    clocks: [PlayerClock<'a>; 2],
    adjudicator: Adjudicator<'a>,
}

impl Game<'_> {
    /// Plays to the end.
    fn play(&mut self, random: &mut dyn FnMut() -> f64, control: &Control) -> Result<End, NoResult> {
        for color in Color::BOTH {
            if let Err(failure) = self.players[color.index()].new_game(color, control) {
                return failed(color, &failure);
            }
        }
        loop {
            if let Some(outcome) = self.board.outcome() {
                let details = outcome.to_string();
                return Ok(End { winner: outcome.winner, cause: Cause::Rules, details });
            }
            if let Some(end) = self.turn(random, control)? {
                return Ok(end);
            }
        }
    }

    /// Lets the player whose turn it is move; the end, where it is not the rules that end the game.
    fn turn(&mut self, random: &mut dyn FnMut() -> f64, control: &Control) -> Result<Option<End>, NoResult> {
        let stm = self.board.side_to_move();
        let thought = match self.think(stm, control) {
            Ok(thought) => thought,
            Err(failure) => return failed(stm, &failure).map(Some),
        };
        self.thinking[stm.index()] += Thinking { moves: 1, time: thought.elapsed };
        let loses = |cause, details| Ok(Some(End { winner: Some(!stm), cause, details }));
        if !self.clocks[stm.index()].press(thought.elapsed) {
            let elapsed = thought.elapsed.as_secs_f64();
            return loses(Cause::Time, format!("{stm} loses on time after {elapsed:.3} s"));
        }
        let drawn = self.board.sample(&thought.mv, random).and_then(|mv| self.board.play(&mv).map(|()| mv));
        let mv = match drawn {
            Ok(mv) => mv,
            Err(error) => return loses(Cause::Illegal, format!("illegal move of {stm}: {error}")),
        };
        self.moves.push(Move::new(&mv, &thought));
        let ruling = self.adjudicator.after(stm, thought.score, self.board.leader());
        // The rules come before the referee.
        if self.board.outcome().is_none() {
            if let Some(Ruling { winner, details }) = ruling {
                return Ok(Some(End { winner, cause: Cause::Adjudication, details }));
            }
            self.players.iter_mut().for_each(|player| player.moved(&mv, self.board));
        }
        self.line.moves.push(mv);
        Ok(None)
    }

    fn think(&mut self, stm: Color, control: &Control) -> Result<Thought, Failure> {
        let limits = limits(&self.clocks, stm);
        let patience: Option<Duration> = self.clocks[stm.index()].patience();
        self.players[stm.index()].think(&self.line, &limits, patience, control)
    }
}

/// The end of a game in which a player has failed.
fn failed(loser: Color, failure: &Failure) -> Result<End, NoResult> {
    let (cause, verb) = match failure {
        Failure::Interrupted => return Err(NoResult::Interrupted),
        Failure::Crashed(_) => (Cause::Crash, "crashes"),
        Failure::Stalled(_) => (Cause::Stall, "stalls"),
        Failure::Garbage(_) => (Cause::Illegal, "talks nonsense"),
    };
    Ok(End { winner: Some(!loser), cause, details: format!("{loser} {verb}: {failure}") })
}
