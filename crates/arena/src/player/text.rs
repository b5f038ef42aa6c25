//! A player without the types of its game.

use super::{EngineSetup, MoveRequest, Player, PlayerError};
use crate::games::GAMES;
use crate::{Rules, Variation};
use labrys_core::engine::Playable;
use labrys_core::engine::{Board, GameState, line_text};
use labrys_core::eval::UciScore;
use labrys_core::game::Game;
use labrys_core::search::{Control, Limits};
use labrys_protocol::engine_log::EngineLog;

/// A player of any game, whose positions and moves are text. It plays game after game, each from any
/// position.
pub trait TextPlayer: Send {
    /// Searches the position at the end of `line` for a move. The player begins a new game where `line` does
    /// not go on from the last one.
    ///
    /// # Errors
    /// [`PlayerError`] when there is no legal move in reply.
    fn think(
        &mut self,
        line: &Variation,
        limits: &Limits,
        control: &Control,
    ) -> Result<TextReply, PlayerError>;
}

/// The reply of a [`TextPlayer`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextReply {
    /// The move, which is legal.
    pub mv: String,
    /// The score that the player reports, from its own point of view.
    pub score: Option<UciScore>,
    /// Search depth in plies.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The line that the player expects, from its move on.
    pub pv: Vec<String>,
}

/// A player of the game `G`.
struct Typed<G: Game> {
    player: Box<dyn Player<G>>,
    rules: Rules,
    /// The game up to the last move of the player.
    last: Option<Variation>,
}

impl<G: Playable> TextPlayer for Typed<G> {
    fn think(
        &mut self,
        line: &Variation,
        limits: &Limits,
        control: &Control,
    ) -> Result<TextReply, PlayerError> {
        let invalid = |error: &dyn std::fmt::Display| PlayerError::InvalidOutput(error.to_string());
        let mut game: GameState<G> = self.rules.start().map_err(|error| invalid(&error))?;
        game.set_up(Some(&line.fen), &line.moves).map_err(|error| invalid(&error))?;
        let goes_on = |last: Variation| last.fen == line.fen && line.moves.starts_with(&last.moves);
        if !self.last.take().is_some_and(goes_on) {
            self.player.new_game(game.side_to_move(), control)?;
        }
        let stm = game.side_to_move();
        let timeout = limits.clocks[stm.index()].map(|clock| clock.remaining);
        let timeout = timeout.into_iter().chain(limits.movetime).min();
        let reply = self.player.think(&MoveRequest { game: &game, line, limits, timeout }, control)?;
        let mv = reply.mv.map_err(|error| invalid(&error))?;
        let position = game.position();
        let text = position.move_text(mv);
        let mut after = line.clone();
        after.moves.push(text.clone());
        self.last = Some(after);
        Ok(TextReply {
            mv: text,
            score: reply.score,
            depth: reply.depth,
            nodes: reply.nodes,
            pv: line_text(position, &reply.pv),
        })
    }
}

impl EngineSetup {
    /// A player for games under `rules`, without the types of the game. Its engine starts with its first
    /// search; `log` records all lines.
    pub fn text_player(&self, rules: &Rules, log: &EngineLog) -> Box<dyn TextPlayer> {
        let game = GAMES.get(&rules.variant).expect("rules are those of a game");
        game.text_player(self, rules, log)
    }
}

/// A player of the game `G`, without its types.
pub(crate) fn typed<G: Playable>(setup: &EngineSetup, rules: &Rules, log: &EngineLog) -> Box<dyn TextPlayer> {
    Box::new(Typed { player: setup.player::<G>(rules, log), rules: rules.clone(), last: None })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::EngineKind;
    use labrys_core::engine::registry;

    #[test]
    fn every_game_is_played_in_text() {
        for name in registry::names() {
            let rules = Rules::new(name, None).unwrap();
            let setup = EngineSetup {
                kind: EngineKind::InProcess,
                options: vec![("Hash".to_owned(), "1".to_owned())],
                timeout: Duration::from_secs(60),
                restart: false,
                ponders: false,
            };
            let mut player = setup.text_player(&rules, &EngineLog::default());
            let mut board = rules.board().unwrap();
            let mut line = Variation { fen: board.fen(), moves: Vec::new() };
            for _ in 0..4 {
                let reply = player.think(&line, &Limits::nodes(50), &Control::default()).unwrap();
                assert!(reply.score.is_some() && reply.pv.first() == Some(&reply.mv), "{reply:?}");
                let mv = board.sample(&reply.mv, &mut || 0.0).unwrap();
                board.play(&mv).unwrap();
                line.moves.push(mv);
            }
            // Back to the beginning.
            line.moves.clear();
            assert!(player.think(&line, &Limits::nodes(50), &Control::default()).is_ok());
        }
    }
}
