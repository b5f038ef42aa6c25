//! The engine of a game in the types of the game.

use super::{Engine, GameState, Settings};
use crate::eval::nnue::NetEvaluator;
use crate::eval::{Linear, Scale};
use crate::game::{EndgameTables, Game, Knowledge};
use crate::nets::NetError;
use crate::search::{Control, Limits, Listener, NetLeaves, SearchResult};

/// A game that an engine can play. [`playable`](crate::playable) implements it.
pub trait Playable: Knowledge {
    /// An engine at the start position, with the shipped evaluation net, if there is one, and the default
    /// feature set with its shipped weights.
    ///
    /// Generic code is compiled in each crate that uses it, and the searches are most of it. Behind this
    /// function they are compiled once, in the crate of the game.
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

/// The evaluation of a position, by its kind.
#[derive(Clone, Copy, Debug)]
pub enum TypedEvaluation<'a, G: Game> {
    /// A weighted sum of features.
    Linear(&'a Linear<G>),
    /// An efficiently updatable net.
    Net(&'a NetEvaluator<G>),
}

/// An [`Engine`] of the game `G`, for callers that know the game.
pub trait TypedEngine<G: Game>: Engine {
    /// The game in play.
    fn game(&self) -> &GameState<G>;

    /// The evaluation that searches of a position by depth use.
    fn evaluation(&self, position: &G) -> TypedEvaluation<'_, G>;

    /// The scale of the evaluation of a position.
    fn scale(&self, position: &G) -> Scale;

    /// The evaluation of a position in words, with a checksum of its numbers, for records.
    fn evaluation_name(&self, position: &G) -> String;

    /// The endgame tables, if any.
    fn tables(&self) -> Option<&dyn EndgameTables<G>>;

    /// Sets the seed of everything random in a search.
    fn set_seed(&mut self, seed: u64);

    /// Replaces the policy/value net by a loaded one.
    fn set_net(&mut self, net: NetLeaves);

    /// Checks that the nets that searches use, if any, are for the board of a position.
    ///
    /// # Errors
    /// [`NetError`] names both boards.
    fn check_board(&self, position: &G) -> Result<(), NetError>;

    /// Searches for the best move in a game, which need not be the one in play, among `root_moves`, or among
    /// all legal moves if there are none. There is none where no move is legal. A net for which
    /// [`TypedEngine::check_board`] fails is ignored. The options for overhead and strength apply.
    fn think(
        &mut self,
        game: &GameState<G>,
        root_moves: Option<&[G::Move]>,
        limits: &Limits,
        control: &Control,
        listener: &mut dyn Listener<G::Move>,
    ) -> SearchResult<G::Move>;
}
