//! The referee: runs a game between two players and decides its result.

use std::time::Duration;

use thiserror::Error;

use super::adjudication::{AdjudicatedResult, Adjudication, Adjudicator};
use super::clock::{EngineLimits, PlayerClock, search_limits};
use super::pgn::{CommentKeys, PgnMove};
use super::player::{MoveReply, MoveRequest, Player, PlayerError};
use super::{GameResult, Variation};
use labrys_core::engine::game_loop::{GameDriver, GameEnd, play_out};
use labrys_core::engine::{Board, GameState, PositionError};
use labrys_core::game::{Color, EndgameTables, Game};
use labrys_core::search::Control;

/// The result of a game, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalResult {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// How the game ended.
    pub termination: Termination,
    /// The reason in words, such as `White wins: no legal move`.
    pub details: String,
}

impl FinalResult {
    /// The result without its reason.
    pub fn game_result(&self) -> GameResult {
        GameResult { winner: self.winner, termination: self.termination }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Termination {
    /// The rules of the game.
    Rules,
    /// Adjudication, by the scores of the players or the length of the game, or because a player resigns.
    Adjudication,
    /// Loss on time.
    Time,
    /// An illegal move, no move, or output that does not follow the protocol.
    Illegal,
    /// A player crashed.
    Crash,
    /// A player did not reply at all.
    Stall,
}

impl Termination {
    /// All of them.
    pub const ALL: [Termination; 6] = [
        Termination::Rules,
        Termination::Adjudication,
        Termination::Time,
        Termination::Illegal,
        Termination::Crash,
        Termination::Stall,
    ];

    /// The value of the PGN tag `Termination`.
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

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// The moves after the opening.
    pub moves: Vec<PgnMove>,
    /// The result.
    pub end: FinalResult,
    /// Thinking time of White and of Black.
    pub thinking: [ThinkingTime; 2],
}

/// Thinking time of a player, and its choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkingTime {
    /// Moves that it was requested and replied with, the losing one included.
    pub moves: u64,
    /// Total time of these moves.
    pub time: Duration,
    /// The legal moves in all positions in which it was requested a move.
    pub legal_moves: u64,
}

impl std::ops::AddAssign for ThinkingTime {
    fn add_assign(&mut self, other: ThinkingTime) {
        self.moves += other.moves;
        self.time += other.time;
        self.legal_moves += other.legal_moves;
    }
}

/// Why a game has no result.
#[derive(Debug, Error)]
pub enum RefereeError {
    /// The match was stopped.
    #[error("interrupted")]
    Interrupted,
    /// The opening cannot be set up.
    #[error(transparent)]
    Opening(#[from] PositionError),
}

/// One side of a game: a player and its limits.
pub struct Seat<'a, G: Game> {
    /// The player.
    pub player: &'a mut dyn Player<G>,
    /// Its time control and search limits.
    pub limits: &'a EngineLimits,
}

/// What ends a game before its rules do.
#[derive(Debug)]
pub struct Judge<'a, G: Game> {
    /// The rules of the match.
    pub adjudication: &'a Adjudication,
    /// Endgame tables, which decide the positions that they have.
    pub tables: Option<&'a dyn EndgameTables<G>>,
}

impl<'a, G: Game> From<&'a Adjudication> for Judge<'a, G> {
    /// Without tables.
    fn from(adjudication: &'a Adjudication) -> Judge<'a, G> {
        Judge { adjudication, tables: None }
    }
}

/// Plays a game from `opening` on `game`; `seats` are White and Black. A player that fails, oversteps its
/// time or makes an illegal move loses. Draws need no claim. `comment_keys` are those of the comments on
/// moves. `random` returns numbers in [0, 1), with which chance outcomes are sampled.
///
/// # Errors
/// [`RefereeError`] when `control` stops the game, or when the opening is not legal.
pub fn play<'a, G: Game>(
    game: &mut GameState<G>,
    opening: &Variation,
    seats: [Seat<G>; 2],
    rules: impl Into<Judge<'a, G>>,
    comment_keys: &CommentKeys,
    random: &mut dyn FnMut() -> f64,
    control: &Control,
) -> Result<PlayedGame, RefereeError> {
    let Judge { adjudication: rules, tables } = rules.into();
    game.set_up(Some(&opening.fen), &opening.moves)?;
    let [white, black] = seats;
    let mut referee = Referee {
        clocks: [PlayerClock::new(white.limits), PlayerClock::new(black.limits)],
        players: [white.player, black.player],
        adjudicator: Adjudicator::new(rules),
        tables,
        line: opening.clone(),
        moves: Vec::new(),
        thinking: [ThinkingTime::default(); 2],
        last: None,
        comment_keys,
        random,
        control,
    };
    // A move limit of the match replaces the length limit of the game.
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
        Ok(GameEnd::Length { leader, plies }) => AdjudicatedResult::length_limit(leader, plies).into(),
        Err(StopReason::Ended(end)) => end,
        Err(StopReason::Interrupted) => return Err(RefereeError::Interrupted),
    };
    Ok(PlayedGame { moves, end, thinking })
}

/// Why the referee stops a game before the rules end it.
enum StopReason {
    /// It has a result: a loss by forfeit or an adjudication.
    Ended(FinalResult),
    /// The match was stopped.
    Interrupted,
}

/// Requests moves from the players, runs the clocks and adjudicates.
struct Referee<'a, G: Game> {
    players: [&'a mut dyn Player<G>; 2],
    clocks: [PlayerClock<'a>; 2],
    adjudicator: Adjudicator<'a>,
    tables: Option<&'a dyn EndgameTables<G>>,
    /// The opening, followed by all moves played.
    line: Variation,
    moves: Vec<PgnMove>,
    thinking: [ThinkingTime; 2],
    /// The player of the last move and its reply; `None` before the first move.
    last: Option<(Color, MoveReply<G::Move>)>,
    comment_keys: &'a CommentKeys,
    random: &'a mut dyn FnMut() -> f64,
    control: &'a Control,
}

impl<G: Game> Referee<'_, G> {
    /// Prepares both players for the game.
    fn begin(&mut self) -> Result<(), StopReason> {
        for (player, color) in self.players.iter_mut().zip(Color::BOTH) {
            player.new_game(color, self.control).map_err(|error| failed(color, &error))?;
        }
        Ok(())
    }
}

impl<G: Game> GameDriver<G> for Referee<'_, G> {
    type Stop = StopReason;

    fn choose(&mut self, game: &GameState<G>) -> Result<G::Move, StopReason> {
        // The last move is announced here, once it is known that it has not ended the game.
        if let (Some(_), Some(mv)) = (&self.last, self.line.moves.last()) {
            self.players.iter_mut().for_each(|player| player.moved(mv, game));
        }
        let stm = game.side_to_move();
        let limits = &search_limits(&self.clocks, !stm);
        let request = MoveRequest { game, line: &self.line, limits, timeout: None };
        self.players[(!stm).index()].ponder(&request, self.control);
        let limits = &search_limits(&self.clocks, stm);
        let request =
            MoveRequest { game, line: &self.line, limits, timeout: self.clocks[stm.index()].timeout() };
        let reply = self.players[stm.index()].think(&request, self.control);
        let reply = reply.map_err(|error| failed(stm, &error))?;
        let legal_moves = game.position().count_moves() as u64;
        self.thinking[stm.index()] += ThinkingTime { moves: 1, time: reply.elapsed, legal_moves };
        let loses = |termination, details| {
            StopReason::Ended(FinalResult { winner: Some(!stm), termination, details })
        };
        if !self.clocks[stm.index()].press(reply.elapsed) {
            let elapsed = reply.elapsed.as_secs_f64();
            return Err(loses(Termination::Time, format!("{stm} loses on time after {elapsed:.3} s")));
        }
        let illegal = |error| loses(Termination::Illegal, format!("illegal move of {stm}: {error}"));
        let mv = reply.mv.clone().map_err(illegal)?;
        self.last = Some((stm, reply));
        Ok(mv)
    }

    fn random(&mut self) -> f64 {
        (self.random)()
    }

    fn sampled(&mut self, mv: G::Move, game: &GameState<G>) {
        let position = game.position();
        if let Some((_, reply)) = &self.last {
            self.moves.push(PgnMove::new(position, mv, reply, self.comment_keys));
        }
        self.line.moves.push(position.move_text(mv));
    }

    fn adjudicate(&mut self, game: &GameState<G>) -> Result<(), StopReason> {
        let Some((player, reply)) = &self.last else { return Ok(()) };
        let by_tables = self.tables.and_then(|tables| table_result(tables, game));
        match self.adjudicator.add_move(*player, reply.score, game.leader()).or(by_tables) {
            Some(result) => Err(StopReason::Ended(result.into())),
            None => Ok(()),
        }
    }
}

/// The result of a position by endgame tables, if they have it.
fn table_result<G: Game>(tables: &dyn EndgameTables<G>, game: &GameState<G>) -> Option<AdjudicatedResult> {
    let winner = tables.probe(game.position())?.winner(game.side_to_move());
    let result = winner.map_or("draw".to_owned(), |winner| format!("{winner} wins"));
    Some(AdjudicatedResult { winner, details: format!("{result}: endgame tables") })
}

impl From<AdjudicatedResult> for FinalResult {
    fn from(AdjudicatedResult { winner, details }: AdjudicatedResult) -> FinalResult {
        FinalResult { winner, termination: Termination::Adjudication, details }
    }
}

/// The end of a game in which the player `loser` has failed or resigned, or accepts a draw.
fn failed(loser: Color, error: &PlayerError) -> StopReason {
    let (termination, verb) = match error {
        PlayerError::Interrupted => return StopReason::Interrupted,
        PlayerError::Resigned => {
            return StopReason::Ended(FinalResult {
                winner: Some(!loser),
                termination: Termination::Adjudication,
                details: format!("{loser} resigns"),
            });
        }
        PlayerError::Agreed => {
            return StopReason::Ended(FinalResult {
                winner: None,
                termination: Termination::Adjudication,
                details: "draw by agreement".to_owned(),
            });
        }
        PlayerError::Crashed(_) => (Termination::Crash, "crashes"),
        PlayerError::Stalled(_) => (Termination::Stall, "stalls"),
        PlayerError::InvalidOutput(_) => (Termination::Illegal, "sends invalid output"),
    };
    StopReason::Ended(FinalResult {
        winner: Some(!loser),
        termination,
        details: format!("{loser} {verb}: {error}"),
    })
}
