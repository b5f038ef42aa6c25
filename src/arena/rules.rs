//! What is played.

use thiserror::Error;

use crate::engine::{Board, Engine, OptionError, Play, Session, Settings, UnknownVariant, registry};
use crate::game::{Chance, Playable};

/// A game, and what is chosen of its own option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The name of the game.
    pub variant: String,
    /// Name and value of the game's own option, where it is not to be what it is by itself. All who take part
    /// share it.
    pub option: Option<(String, String)>,
}

/// Rules that there are not.
#[derive(Debug, Error)]
pub enum RulesError {
    /// There is no such game.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// The game has no such option of its own, or the option no such value.
    #[error("--option")]
    Option(#[from] OptionError),
}

impl Rules {
    /// The game of that name, with what is chosen of its own option.
    ///
    /// # Errors
    /// [`RulesError`] names the game, the option or its value.
    pub fn new(variant: &str, option: Option<(String, String)>) -> Result<Rules, RulesError> {
        let variant = registry::board(variant)?.variant().to_owned();
        let rules = Rules { variant, option };
        rules.board().map(|_| rules)
    }

    /// Whether that is the game's own option, which no player can have for itself.
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

    /// A game at the start position, for those who know that these are rules of `G`.
    ///
    /// # Errors
    /// [`OptionError`] names the option or its value.
    pub fn start<G: Chance>(&self) -> Result<Play<G>, OptionError> {
        let mut play = Play::start();
        self.apply(&mut play)?;
        Ok(play)
    }

    /// An engine at the start position, for those who know that these are rules of `G`.
    ///
    /// # Errors
    /// [`OptionError`] names the option or its value.
    pub fn session<G: Playable>(&self) -> Result<Session<G>, OptionError> {
        let mut session = Session::new(&Settings::default());
        self.apply(session.board_mut())?;
        Ok(session)
    }

    /// Chooses what is chosen of the game's own option.
    fn apply(&self, board: &mut dyn Board) -> Result<(), OptionError> {
        self.option.as_ref().map_or(Ok(()), |(name, value)| board.set_option(name, value))
    }
}

/// Reads `NAME=VALUE`.
///
/// # Errors
/// A message where there is no `=`.
pub fn parse_option(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, _)| !name.is_empty());
    parts.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or("expected `NAME=VALUE`".to_owned())
}
