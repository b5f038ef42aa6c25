//! What the requests of a browser do to a session.

use std::time::Duration;

use thiserror::Error;
use time::OffsetDateTime;

use crate::catalogue::{Catalogue, Offer};
use crate::game_tree::{GameError, GameTree};
use crate::message::Message;
use crate::player::SidePlayer;
use crate::request::{ClockRequest, Request};
use crate::session::Session;
use crate::state::State;
use labrys_arena::{OpeningError, Openings, Rules, TimeControl};
use labrys_core::game::quote;

/// The most lines of an analysis.
const MOST_LINES: usize = 5;

/// The greatest number of minutes of a clock, and of seconds after each move.
const LONGEST_CLOCK: f64 = 600.0;

/// The most random moves at the beginning of a game.
const LONGEST_OPENING: usize = 20;

/// Why a request is refused.
#[derive(Debug, Error)]
pub enum Refusal {
    /// There is no such game.
    #[error("there is no game {}", quote(.0))]
    Game(String),
    /// There is no such player in this game.
    #[error("there is no player {}", quote(.0))]
    Player(String),
    /// There is no such analyst.
    #[error("there is no analyst {}", quote(.0))]
    Analyst(String),
    /// No clock has such times.
    #[error("a clock has minutes, seconds a move or both, up to {LONGEST_CLOCK} each")]
    Clock,
    /// No game begins like this.
    #[error("a game begins with up to {LONGEST_OPENING} random moves, from the start position")]
    Opening,
    /// No random opening was found.
    #[error(transparent)]
    NoOpening(#[from] OpeningError),
    /// No analysis has so many lines.
    #[error("an analysis has 1 to {MOST_LINES} lines")]
    Lines,
    /// The game has no such option or value.
    #[error("{0}")]
    Rules(String),
    /// The game does not change like this.
    #[error("{0}")]
    Tree(#[from] GameError),
    /// The request is about another position.
    #[error("the position has changed meanwhile")]
    Stale,
    /// An engine has to move.
    #[error("it is the turn of an engine")]
    NotYourTurn,
    /// No engine has to move.
    #[error("no engine has to move")]
    NoEngine,
}

impl Session {
    /// Changes the state as a request says.
    pub(crate) fn change(&self, state: &mut State, request: Request) -> Result<Option<String>, Refusal> {
        match request {
            Request::New { game, option, fen, opening, players, clock } => {
                let offer = self.offer(&game)?;
                let players = read_players(offer, &self.catalogue, players.each_ref().map(String::as_str))?;
                let rules = offer.rules(option.as_deref()).map_err(Refusal::Rules)?;
                let fen = fen.as_deref().map(str::trim).filter(|fen| !fen.is_empty());
                let control = clock.map(|clock| read_clock(&clock)).transpose()?;
                let tree = match opening {
                    None | Some(0) => GameTree::new(rules, fen)?,
                    Some(plies @ 1..=LONGEST_OPENING) if fen.is_none() => random_opening(rules, plies)?,
                    Some(_) => return Err(Refusal::Opening),
                };
                state.begin(tree, players, control);
            }
            Request::Load { pgn } => self.load(state, &pgn)?,
            Request::Play { node, mv } => {
                if node != state.tree.shown() {
                    return Err(Refusal::Stale);
                }
                if state.engine_to_move().is_some() {
                    return Err(Refusal::NotYourTurn);
                }
                state.play(&mv)?;
            }
            Request::Show { node } => state.tree.show(node)?,
            Request::TakeBack {} => {
                state.tree.take_back()?;
                while state.engine_to_move().is_some() && state.has_person() && state.tree.take_back().is_ok()
                {
                }
            }
            Request::Players { players } => {
                let offer = self.offer(&state.tree.rules().variant)?;
                state.players = read_players(offer, &self.catalogue, players.each_ref().map(String::as_str))?;
            }
            Request::Pause { on } => (state.is_paused, state.is_stepping) = (on, false),
            Request::Step {} => {
                (state.is_paused, state.is_stepping) = (true, true);
                if state.engine_to_move().is_none() || state.tree.end().is_some() {
                    state.is_stepping = false;
                    return Err(Refusal::NoEngine);
                }
            }
            Request::Analyse { on, lines, analyst } => {
                let lines = lines.unwrap_or(state.analysis.lines);
                if !(1..=MOST_LINES).contains(&lines) {
                    return Err(Refusal::Lines);
                }
                if let Some(name) = analyst {
                    let analyst = self.catalogue.analysts.iter().find(|analyst| analyst.name == name);
                    state.analysis.analyst = analyst.ok_or(Refusal::Analyst(name))?.clone();
                }
                (state.analysis.is_on, state.analysis.lines, state.analysis.done) = (on, lines, None);
            }
            Request::Review {} => state.is_reviewing = true,
            Request::Ask { node, mv } => {
                if node != state.tree.shown() || state.tree.end().is_some() {
                    return Err(Refusal::Stale);
                }
                if let Some(mv) = &mv {
                    state.tree.board().check_move(mv).map_err(GameError::from)?;
                }
                state.question = Some((node, mv));
            }
            Request::Save {} => {
                let date = OffsetDateTime::now_utc().date();
                let date = format!("{}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day());
                let players = state.players.each_ref().map(SidePlayer::name);
                let control = state.control.map_or(String::new(), |control| control.to_string());
                let pgn = state.tree.to_pgn(players, date, &control)?;
                return Ok(Some(Message::Saved { pgn }.to_json()));
            }
        }
        Ok(None)
    }

    /// Replaces the game by the first one of a PGN text.
    fn load(&self, state: &mut State, pgn: &str) -> Result<(), Refusal> {
        let (tree, names) = GameTree::from_pgn(pgn, |game| {
            let offer = self.catalogue.offer(game).into_iter();
            let rules = offer.flat_map(|offer| offer.values().iter().map(|value| offer.rules(Some(value))));
            rules.filter_map(Result::ok).collect()
        })?;
        let offer = self.offer(&tree.rules().variant)?;
        let find = |name: String| SidePlayer::find(&name, offer, &self.catalogue);
        let players = names.map(|name| find(name).unwrap_or(SidePlayer::Person));
        state.begin(tree, players, None);
        // A game that was broken off goes on when somebody wants it to.
        state.is_paused = state.players.iter().any(|player| *player != SidePlayer::Person);
        Ok(())
    }

    fn offer(&self, game: &str) -> Result<&Offer, Refusal> {
        self.catalogue.offer(game).ok_or_else(|| Refusal::Game(game.to_owned()))
    }
}

pub(crate) fn read_players(
    offer: &Offer,
    catalogue: &Catalogue,
    names: [&str; 2],
) -> Result<[SidePlayer; 2], Refusal> {
    let find = |name: &str| SidePlayer::find(name, offer, catalogue).ok_or(Refusal::Player(name.to_owned()));
    Ok([find(names[0])?, find(names[1])?])
}

fn read_clock(clock: &ClockRequest) -> Result<TimeControl, Refusal> {
    let &ClockRequest { minutes, increment } = clock;
    let is_valid = (0.0..=LONGEST_CLOCK).contains(&minutes)
        && (0.0..=LONGEST_CLOCK).contains(&increment)
        && minutes + increment > 0.0;
    if !is_valid {
        return Err(Refusal::Clock);
    }
    let [time, increment] = [minutes * 60.0, increment].map(Duration::from_secs_f64);
    Ok(TimeControl { moves: None, time, increment })
}

/// A game that begins with random moves.
fn random_opening(rules: Rules, plies: usize) -> Result<GameTree, Refusal> {
    let mut tree = GameTree::new(rules, None)?;
    let mut board = tree.rules().board().map_err(GameError::from)?;
    let opening = Openings::Random { seed: rand::random(), plies: plies..=plies }.get(
        0,
        board.as_mut(),
        &labrys_core::search::Control::default(),
    )?;
    for mv in &opening.moves {
        tree.add(mv)?;
    }
    Ok(tree)
}
