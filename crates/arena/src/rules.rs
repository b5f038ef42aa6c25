//! The rules of a match: the game and its own option.

use thiserror::Error;

use crate::games::GAMES;
use labrys_core::engine::Playable;
use labrys_core::engine::{
    Board, Engine, GameState, OptionError, Settings, TypedEngine, UnknownVariant, registry,
};
use labrys_core::game::Game;

/// A game and the value of its own option, such as the board size of Amazons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The name of the game.
    pub variant: String,
    /// Name and value of the game's own option; `None` for its default. It holds for all players.
    pub option: Option<(String, String)>,
}

/// An error of the rules.
#[derive(Debug, Error)]
pub enum RulesError {
    /// The game does not exist.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// The game has no such option, or the option has no such value.
    #[error("--option")]
    Option(#[from] OptionError),
}

impl Rules {
    /// The rules of the game `variant`, with a name and value of its own option.
    ///
    /// # Errors
    /// [`RulesError`] names the game, the option or its value.
    pub fn new(variant: &str, option: Option<(String, String)>) -> Result<Rules, RulesError> {
        GAMES.get(variant)?;
        let variant = registry::board(variant)?.variant().to_owned();
        let rules = Rules { variant, option };
        rules.board().map(|_| rules)
    }

    /// Whether `name` is the game's own option, which is part of the rules and not set for each player.
    pub fn is_own_option(&self, name: &str) -> bool {
        let own = registry::board(&self.variant).ok().and_then(|board| board.option());
        own.is_some_and(|own| own.name.eq_ignore_ascii_case(name))
    }

    /// A board at the start position.
    ///
    /// # Errors
    /// [`RulesError`] names the game, the option or its value.
    pub fn board(&self) -> Result<Box<dyn Board>, RulesError> {
        let mut board = registry::board(&self.variant)?;
        self.apply(board.as_mut())?;
        Ok(board)
    }

    /// An engine at the start position.
    ///
    /// # Errors
    /// [`RulesError`] names the game, the option or its value.
    pub fn engine(&self) -> Result<Box<dyn Engine>, RulesError> {
        let mut engine = registry::engine(&self.variant, &Settings::default())?;
        self.apply(engine.board_mut())?;
        Ok(engine)
    }

    /// A game at the start position. These have to be rules of `G`.
    ///
    /// # Errors
    /// [`OptionError`] names the option or its value.
    pub fn start<G: Game>(&self) -> Result<GameState<G>, OptionError> {
        let mut play = GameState::start();
        self.apply(&mut play)?;
        Ok(play)
    }

    /// An engine at the start position. These have to be rules of `G`.
    ///
    /// # Errors
    /// [`OptionError`] names the option or its value.
    pub fn typed_engine<G: Playable>(&self) -> Result<Box<dyn TypedEngine<G>>, OptionError> {
        let mut engine = G::engine(&Settings::default());
        self.apply(engine.board_mut())?;
        Ok(engine)
    }

    /// Sets the game's own option.
    fn apply(&self, board: &mut dyn Board) -> Result<(), OptionError> {
        self.option.as_ref().map_or(Ok(()), |(name, value)| board.set_option(name, value))
    }
}

/// Parses `NAME=VALUE`.
///
/// # Errors
/// A message if there is no `=` or no name.
pub fn parse_option(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, _)| !name.is_empty());
    parts.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or("expected `NAME=VALUE`".to_owned())
}
