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
    /// The last line that it searched, and its move.
    last: Option<(Variation, String)>,
}

impl<G: Playable> Typed<G> {
    /// Whether a line goes on from the last one, with the player's own move.
    fn goes_on(&self, line: &Variation) -> bool {
        let Some((last, own)) = &self.last else { return false };
        let Some(played) = line.moves.get(last.moves.len()) else { return false };
        // Chance comes after the player: the same move with an outcome is its move, too.
        let chosen = |mv: &str| {
            let mut game: GameState<G> = self.rules.start().ok()?;
            game.set_up(Some(&last.fen), &last.moves).ok()?;
            game.play_san_as_chosen(mv).ok()
        };
        last.fen == line.fen
            && line.moves.starts_with(&last.moves)
            && (played == own || chosen(played) == chosen(own))
    }
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
        let goes_on = self.goes_on(line);
        self.last = None;
        if !goes_on {
            self.player.new_game(game.side_to_move(), control)?;
        }
        let stm = game.side_to_move();
        let timeout = limits.clocks[stm.index()].map(|clock| clock.remaining);
        let timeout = timeout.into_iter().chain(limits.movetime).min();
        let reply = self.player.think(&MoveRequest { game: &game, line, limits, timeout }, control)?;
        let mv = reply.mv.map_err(|error| invalid(&error))?;
        let position = game.position();
        let text = position.move_text(mv);
        self.last = Some((line.clone(), text.clone()));
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
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::{EngineKind, MoveReply};
    use labrys_core::engine::registry;
    use labrys_core::game::Color;
    use labrys_core::game::tucchess::{TucChess, TucMove};

    /// A player of these moves, which counts its games.
    struct Scripted(Arc<AtomicUsize>, Vec<&'static str>);

    impl Player<TucChess> for Scripted {
        fn new_game(&mut self, _: Color, _: &Control) -> Result<(), PlayerError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }

        fn think(
            &mut self,
            request: &MoveRequest<TucChess>,
            _: &Control,
        ) -> Result<MoveReply<TucMove>, PlayerError> {
            Ok(MoveReply::new(request.game.position().parse_move(self.1.remove(0))))
        }
    }

    #[test]
    fn a_game_goes_on_whatever_the_outcomes_of_its_moves() {
        let (games, rules) = (Arc::new(AtomicUsize::new(0)), Rules::new("tucchess", None).unwrap());
        let mut line = Variation { fen: rules.board().unwrap().fen(), moves: Vec::new() };
        let own = vec!["a2a3", "a3a4", "b2b3=1", "c2c3", "e2e3", "d3d4"];
        let player = Box::new(Scripted(Arc::clone(&games), own));
        let mut player = Typed { player, rules, last: None };
        let mut think = |line: &Variation| {
            player.think(line, &Limits::nodes(1), &Control::default()).unwrap();
            games.load(Ordering::Relaxed)
        };
        for played in [["a2a3+b3", "a6a5"], ["a3a4=1", "b6b5+c5"], ["b2b3=0+a3", "c6c5"]] {
            assert_eq!(think(&line), 1, "{line:?}");
            line.moves.extend(played.map(str::to_owned));
        }
        assert_eq!(think(&line), 1);
        // Another move than its own, and another outcome of an earlier one, are other games.
        line.moves.extend(["d2d3", "d6d5"].map(str::to_owned));
        assert_eq!(think(&line), 2);
        line.moves.extend(["e2e3", "e6e5"].map(str::to_owned));
        line.moves[3] = "b6b5".to_owned();
        assert_eq!(think(&line), 3);
    }

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
