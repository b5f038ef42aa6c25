//! The referee: lets two players play a game and says how it ended.

use std::time::Duration;

use thiserror::Error;

use super::Variation;
use super::adjudication::{AdjudicatedResult, Adjudication, Adjudicator};
use super::clock::{EngineLimits, PlayerClock, search_limits};
use super::pgn::PgnMove;
use super::player::{MoveReply, MoveRequest, Player, PlayerError};
use crate::engine::game_loop::{GameDriver, GameEnd, play_out};
use crate::engine::{Board, Play, PositionError};
use crate::game::{Chance, Color, Game};
use crate::search::Control;

/// Who has won a game, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalResult {
    /// The winner; none of a drawn game.
    pub winner: Option<Color>,
    /// What ended the game.
    pub termination: Termination,
    /// The same in words.
    pub details: String,
}

/// What ends games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Termination {
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

impl Termination {
    /// All causes.
    pub const ALL: [Termination; 6] = [
        Termination::Rules,
        Termination::Adjudication,
        Termination::Time,
        Termination::Illegal,
        Termination::Crash,
        Termination::Stall,
    ];

    /// The word that stands for the termination in the `Termination` of a record.
    pub fn tag(self) -> &'static str {
        match self {
            Termination::Rules => "normal",
            Termination::Adjudication => "adjudication",
            Termination::Time => "time forfeit",
            Termination::Illegal => "rules infraction",
            Termination::Crash => "abandoned",
            Termination::Stall => "stalled connection",
        }
    }
}

/// A game that has been played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// The moves after the opening.
    pub moves: Vec<PgnMove>,
    /// The end.
    pub end: FinalResult,
    /// What the players have thought, White first.
    pub thinking: [ThinkingTime; 2],
}

/// How long a player has thought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkingTime {
    /// Moves that it has been asked for and has answered.
    pub moves: u64,
    /// The time of all of them.
    pub time: Duration,
}

impl std::ops::AddAssign for ThinkingTime {
    fn add_assign(&mut self, other: ThinkingTime) {
        self.moves += other.moves;
        self.time += other.time;
    }
}

/// Why a game has no result.
#[derive(Debug, Error)]
pub enum RefereeError {
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
    pub limits: &'a EngineLimits,
}

/// Plays a game from `opening` on `game` between White and Black, in this order. The player who fails,
/// oversteps the time or makes an illegal move has lost; draws need no claim. Chance is sampled with
/// `random`: numbers from 0 (included) to 1 (not included).
///
/// # Errors
/// [`RefereeError`] when `control` calls it off, or when the opening is not legal.
pub fn play<G: Chance>(
    game: &mut Play<G>,
    opening: &Variation,
    seats: [Seat<G>; 2],
    rules: &Adjudication,
    random: &mut dyn FnMut() -> f64,
    control: &Control,
) -> Result<PlayedGame, RefereeError> {
    game.set_up(Some(&opening.fen), &opening.moves)?;
    let [white, black] = seats;
    let mut referee = Referee {
        clocks: [PlayerClock::new(white.limits), PlayerClock::new(black.limits)],
        players: [white.player, black.player],
        adjudicator: Adjudicator::new(rules),
        line: opening.clone(),
        moves: Vec::new(),
        thinking: [ThinkingTime::default(); 2],
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
        Ok(GameEnd::Rules(outcome)) => FinalResult {
            winner: outcome.winner,
            termination: Termination::Rules,
            details: outcome.to_string(),
        },
        Ok(GameEnd::Length { leader, plies }) => AdjudicatedResult::too_long(leader, plies).into(),
        Err(StopReason::Ended(end)) => end,
        Err(StopReason::Interrupted) => return Err(RefereeError::Interrupted),
    };
    Ok(PlayedGame { moves, end, thinking })
}

/// Why the referee stops a game.
enum StopReason {
    /// It has ended, though not by the rules.
    Ended(FinalResult),
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
    moves: Vec<PgnMove>,
    thinking: [ThinkingTime; 2],
    /// Who made the last move, and the thought behind it; none before the first move.
    last: Option<(Color, MoveReply<G::Move>)>,
    random: &'a mut dyn FnMut() -> f64,
    control: &'a Control,
}

impl<G: Chance> Referee<'_, G> {
    /// Has the players get ready.
    fn begin(&mut self) -> Result<(), StopReason> {
        for (player, color) in self.players.iter_mut().zip(Color::BOTH) {
            player.new_game(color, self.control).map_err(|failure| failed(color, &failure))?;
        }
        Ok(())
    }
}

impl<G: Chance> GameDriver<G> for Referee<'_, G> {
    type Stop = StopReason;

    fn choose(&mut self, game: &Play<G>) -> Result<G::Move, StopReason> {
        // Nobody hears of the move that ends a game.
        if let (Some(_), Some(mv)) = (&self.last, self.line.moves.last()) {
            self.players.iter_mut().for_each(|player| player.moved(mv, game));
        }
        let stm = game.side_to_move();
        let limits = &search_limits(&self.clocks, stm);
        let request =
            MoveRequest { game, line: &self.line, limits, timeout: self.clocks[stm.index()].timeout() };
        let thought = self.players[stm.index()].think(&request, self.control);
        let thought = thought.map_err(|failure| failed(stm, &failure))?;
        self.thinking[stm.index()] += ThinkingTime { moves: 1, time: thought.elapsed };
        let loses = |termination, details| {
            StopReason::Ended(FinalResult { winner: Some(!stm), termination, details })
        };
        if !self.clocks[stm.index()].press(thought.elapsed) {
            let elapsed = thought.elapsed.as_secs_f64();
            return Err(loses(Termination::Time, format!("{stm} loses on time after {elapsed:.3} s")));
        }
        let illegal = |error| loses(Termination::Illegal, format!("illegal move of {stm}: {error}"));
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
            self.moves.push(PgnMove::new(&text, thought));
        }
        self.line.moves.push(text);
    }

    fn adjudicate(&mut self, game: &Play<G>) -> Result<(), StopReason> {
        let Some((player, thought)) = &self.last else { return Ok(()) };
        match self.adjudicator.add_move(*player, thought.score, game.leader()) {
            Some(ruling) => Err(StopReason::Ended(ruling.into())),
            None => Ok(()),
        }
    }
}

impl From<AdjudicatedResult> for FinalResult {
    fn from(AdjudicatedResult { winner, details }: AdjudicatedResult) -> FinalResult {
        FinalResult { winner, termination: Termination::Adjudication, details }
    }
}

/// Why a game stops in which a player has failed.
fn failed(loser: Color, failure: &PlayerError) -> StopReason {
    let (termination, verb) = match failure {
        PlayerError::Interrupted => return StopReason::Interrupted,
        PlayerError::Crashed(_) => (Termination::Crash, "crashes"),
        PlayerError::Stalled(_) => (Termination::Stall, "stalls"),
        PlayerError::Garbage(_) => (Termination::Illegal, "talks nonsense"),
    };
    StopReason::Ended(FinalResult {
        winner: Some(!loser),
        termination,
        details: format!("{loser} {verb}: {failure}"),
    })
}
