//! The engine of a game in the types of the game.

use super::{Engine, Play, Settings};
use crate::eval::Scale;
use crate::game::{EndgameTables, Game, Knowledge};
use crate::nets::NetError;
use crate::search::{Best, Control, Limits, Listener, NetLeaves};

/// A game that an engine can play. [`playable`](crate::playable) implements it.
pub trait Playable: Knowledge {
    /// An engine at the start position, with the shipped evaluation net, if there is one, and the default
    /// feature set with its shipped weights.
    ///
    /// Generic code is compiled in each crate that uses it, and the searches are by far the most of it: behind
    /// this function of the game they are compiled once, in the crate of the game.
    fn engine(settings: &Settings) -> Box<dyn TypedEngine<Self>>;
}

/// Compiles the engines of games: implements [`Playable`](crate::engine::Playable).
#[macro_export]
macro_rules! playable {
    ($($game:ty),+ $(,)?) => {$(
        impl $crate::engine::Playable for $game {
            fn engine(settings: &$crate::engine::Settings) -> Box<dyn $crate::engine::TypedEngine<Self>> {
                Box::new($crate::engine::GameEngine::new(settings))
            }
        }
    )+};
}

/// An [`Engine`] of the game `G`, for callers that know the game.
pub trait TypedEngine<G: Game>: Engine {
    /// The game in play.
    fn game(&self) -> &Play<G>;

    /// The scale of the evaluation of a position.
    fn scale(&self, position: &G) -> Scale;

    /// The evaluation of a position in words, with a checksum of its numbers, for records.
    fn evaluation_name(&self, position: &G) -> String;

    /// The endgame tables, if any.
    fn tables(&self) -> Option<&dyn EndgameTables<G>>;

    /// Sets the seed of everything random in a search.
    fn set_seed(&mut self, seed: u64);

    /// Replaces the policy/value net by one that is in memory already.
    fn set_net(&mut self, net: NetLeaves);

    /// Checks that the nets that searches use, if any, are for the board of a position.
    ///
    /// # Errors
    /// [`NetError`] names both boards.
    fn check_board(&self, position: &G) -> Result<(), NetError>;

    /// Searches for the best move in a game, which need not be the one in play, among `root_moves`, or among
    /// all legal moves if there are none. There is none where no move is legal. A net for which
    /// [`TypedEngine::check_board`] fails is passed over. The options for overhead and strength limit the
    /// search as well.
    fn think(
        &mut self,
        game: &Play<G>,
        root_moves: Option<&[G::Move]>,
        limits: &Limits,
        control: &Control,
        listener: &mut dyn Listener<G::Move>,
    ) -> Best<G::Move>;
}
