//! The games that are played, by their names.

use labrys_core::engine::Playable;
use labrys_core::engine::registry::{self, GameTable, GameType};
use labrys_core::game_table;
use labrys_core::search::Control;
use labrys_protocol::engine_log::EngineLog;

use super::lobby::{Hall, Lobby, OnEvent, Standings};
use super::player::typed;
use super::tournament::OnGame;
use super::{EngineSetup, Results, Rules, TextPlayer, Tournament, TournamentError};

/// The generic code of the arena, for dispatch by the name of the game.
pub(super) trait RegisteredGame: Sync {
    /// See [`Tournament::run`].
    fn run(
        &self,
        tournament: &Tournament,
        results: &mut Results,
        control: &Control,
        on_game: &mut OnGame<'_>,
    ) -> Result<(), TournamentError>;

    /// See [`Lobby::run`].
    fn run_lobby(
        &self,
        lobby: &Lobby,
        hall: &Hall,
        standings: &mut Standings,
        control: &Control,
        on_event: &mut OnEvent<'_>,
    ) -> Result<(), TournamentError>;

    /// See [`EngineSetup::text_player`].
    fn text_player(&self, setup: &EngineSetup, rules: &Rules, log: &EngineLog) -> Box<dyn TextPlayer>;
}

impl<G: Playable> RegisteredGame for GameType<G> {
    fn run(
        &self,
        tournament: &Tournament,
        results: &mut Results,
        control: &Control,
        on_game: &mut OnGame<'_>,
    ) -> Result<(), TournamentError> {
        tournament.run_games::<G>(results, control, on_game)
    }

    fn run_lobby(
        &self,
        lobby: &Lobby,
        hall: &Hall,
        standings: &mut Standings,
        control: &Control,
        on_event: &mut OnEvent<'_>,
    ) -> Result<(), TournamentError> {
        lobby.run_games::<G>(hall, standings, control, on_event)
    }

    fn text_player(&self, setup: &EngineSetup, rules: &Rules, log: &EngineLog) -> Box<dyn TextPlayer> {
        typed::<G>(setup, rules, log)
    }
}

pub(super) static GAMES: GameTable<dyn RegisteredGame> = game_table!();

/// Adds a game to those that matches are played in, unless there is one of its name.
pub fn add_game<G: Playable>() {
    registry::add::<G>();
    GAMES.add(G::info, &GameType::<G>::GAME);
}
