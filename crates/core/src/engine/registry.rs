//! The list of the games, and dispatch from the name of a game to generic code.

use super::{Board, Engine, OptionSpec, Play, Playable, Session, Settings, UnknownVariant};
use crate::game::Game;
use crate::playable;

/// Work that is generic over the game. A closure cannot be generic, so this is a trait: its fields are what a
/// closure would capture.
pub trait GameVisitor {
    /// The result of the work.
    type Output;

    /// Does the work for the game `G`.
    fn visit<G: Playable>(self) -> Self::Output;
}

/// Makes the registry of a list of games.
macro_rules! registry {
    ($($game:ty),+ $(,)?) => {
        /// The names of all games, the default first.
        const NAMES: &[&str] = &[$(<$game>::NAME),+];

        /// Does the work of `visitor` for a game by name; case does not matter.
        ///
        /// # Errors
        /// [`UnknownVariant`] lists the games.
        pub fn dispatch<V: GameVisitor>(name: &str, visitor: V) -> Result<V::Output, UnknownVariant> {
            $(
                if <$game>::NAME.eq_ignore_ascii_case(name) {
                    return Ok(visitor.visit::<$game>());
                }
            )+
            Err(UnknownVariant { name: name.to_owned() })
        }
    };
}

/// Calls a macro with the list of all games, the default first: the only list there is.
#[macro_export]
macro_rules! with_games {
    ($callback:ident) => {
        $callback![
            $crate::game::chess::Chess,
            $crate::game::neighbours::Neighbours,
            $crate::game::tucchess::TucChess,
            $crate::game::amazons::Amazons,
        ];
    };
}

with_games!(registry);
with_games!(playable);

/// The names of all games, the default first.
pub fn names() -> Vec<&'static str> {
    NAMES.to_vec()
}

/// The name of the default game.
pub fn default_name() -> &'static str {
    NAMES[0]
}

/// A board of a game by name, at the start position.
///
/// # Errors
/// [`UnknownVariant`] lists the games.
pub fn board(name: &str) -> Result<Box<dyn Board>, UnknownVariant> {
    struct NewBoard;

    impl GameVisitor for NewBoard {
        type Output = Box<dyn Board>;

        fn visit<G: Playable>(self) -> Box<dyn Board> {
            Box::new(Play::<G>::start())
        }
    }

    dispatch(name, NewBoard)
}

/// A board of the game that a value of the PGN tag `Variant` stands for, at the start position. An empty
/// value stands for a record without the tag.
///
/// # Errors
/// [`UnknownVariant`] lists the games.
pub fn recorded(tag: &str) -> Result<Box<dyn Board>, UnknownVariant> {
    struct OfTag<'a>(&'a str);

    impl GameVisitor for OfTag<'_> {
        type Output = Option<Box<dyn Board>>;

        fn visit<G: Playable>(self) -> Self::Output {
            Play::<G>::of_pgn_variant(self.0).map(|play| Box::new(play) as Box<dyn Board>)
        }
    }

    let board = NAMES.iter().find_map(|name| dispatch(name, OfTag(tag)).ok().flatten());
    board.ok_or_else(|| UnknownVariant { name: tag.to_owned() })
}

/// The first game that has the position of a FEN, if any.
pub fn game_of(fen: &str) -> Option<&'static str> {
    struct Has<'a>(&'a str);

    impl GameVisitor for Has<'_> {
        type Output = bool;

        fn visit<G: Playable>(self) -> bool {
            G::from_fen(self.0).is_ok()
        }
    }

    NAMES.iter().copied().find(|name| dispatch(name, Has(fen)) == Ok(true))
}

/// The options of a game, by name, that not every game has.
///
/// # Errors
/// [`UnknownVariant`] lists the games.
pub fn options_of_game(name: &str) -> Result<Vec<OptionSpec>, UnknownVariant> {
    struct Own;

    impl GameVisitor for Own {
        type Output = Vec<OptionSpec>;

        fn visit<G: Playable>(self) -> Self::Output {
            Session::<G>::options_of_game()
        }
    }

    dispatch(name, Own)
}

/// An engine for a game by name, at the start position.
///
/// # Errors
/// [`UnknownVariant`] lists the games.
pub fn engine(name: &str, settings: &Settings) -> Result<Box<dyn Engine>, UnknownVariant> {
    struct NewEngine<'a>(&'a Settings);

    impl GameVisitor for NewEngine<'_> {
        type Output = Box<dyn Engine>;

        fn visit<G: Playable>(self) -> Box<dyn Engine> {
            Box::new(Session::<G>::new(self.0))
        }
    }

    dispatch(name, NewEngine(settings))
}
