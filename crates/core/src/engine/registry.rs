//! The games by their names: those of this crate, and those that a program adds.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::{
    Board, Engine, GameEngine, GameState, NamedOpenings, OptionSpec, Playable, Settings, UnknownVariant,
};
use crate::game::GameInfo;

/// Calls a macro with the list of the games of this crate, the default first. There is no other list.
#[macro_export]
macro_rules! with_games {
    ($($callback:tt)+) => {
        $($callback)+! {
            $crate::game::chess::Chess,
            $crate::game::neighbours::Neighbours,
            $crate::game::tucchess::TucChess,
            $crate::game::amazons::Amazons,
        }
    };
}

/// A [`GameTable`](crate::engine::registry::GameTable) of the games of this crate. Its trait has to be
/// implemented for [`GameType`](crate::engine::registry::GameType) each of them.
#[macro_export]
macro_rules! game_table {
    () => {
        $crate::with_games!($crate::game_table)
    };
    ($($game:ty),+ $(,)?) => {
        $crate::engine::registry::GameTable::new(&[$((
            <$game as $crate::game::Game>::info,
            &$crate::engine::registry::GameType::<$game>::GAME,
        )),+])
    };
}

/// Dispatch by the name of the game: a trait object for each, its [`GameType`]. The table begins with the
/// games of this crate, the default first, and a program may add others. Each component that is generic over
/// the game has its own table.
pub struct GameTable<T: ?Sized + 'static> {
    own: &'static [Row<T>],
    added: RwLock<Vec<Row<T>>>,
}

/// A game of a [`GameTable`]: its data and its trait object.
pub type Row<T> = (fn() -> GameInfo, &'static T);

impl<T: ?Sized> GameTable<T> {
    /// A table of some games with their data, see [`game_table!`](crate::game_table).
    pub const fn new(own: &'static [Row<T>]) -> GameTable<T> {
        GameTable { own, added: RwLock::new(Vec::new()) }
    }

    /// Adds a game, unless there is one of its name.
    pub fn add(&self, info: fn() -> GameInfo, game: &'static T) {
        let mut added = self.added.write().unwrap_or_else(PoisonError::into_inner);
        let name = info().name;
        if find(self.own, name).or(find(&added, name)).is_none() {
            added.push((info, game));
        }
    }

    /// The games with their names, the default first.
    pub fn all(&self) -> Vec<(&'static str, &'static T)> {
        let added = self.added.read().unwrap_or_else(PoisonError::into_inner);
        self.own.iter().chain(added.iter()).map(|&(info, game)| (info().name, game)).collect()
    }

    /// A game by its name; case does not matter.
    ///
    /// # Errors
    /// [`UnknownVariant`] lists the games.
    pub fn get(&self, name: &str) -> Result<&'static T, UnknownVariant> {
        let added = self.added.read().unwrap_or_else(PoisonError::into_inner);
        let found = find(self.own, name).or(find(&added, name));
        found.ok_or_else(|| UnknownVariant { name: name.to_owned() })
    }
}

/// The game of a name among some; case does not matter.
fn find<T: ?Sized>(games: &[Row<T>], name: &str) -> Option<&'static T> {
    games.iter().find(|(info, _)| info().name.eq_ignore_ascii_case(name)).map(|&(_, game)| game)
}

/// The type of a game as a value, for the trait objects of a [`GameTable`].
#[derive(Debug)]
pub struct GameType<G>(PhantomData<fn() -> G>);

impl<G> GameType<G> {
    /// The value.
    pub const GAME: GameType<G> = GameType(PhantomData);
}

/// The operations of the registry on a game.
trait RegisteredGame: Sync {
    fn info(&self) -> GameInfo;

    fn board(&self) -> Box<dyn Board>;

    fn board_of_record(&self, tag: &str) -> Option<Box<dyn Board>>;

    fn has(&self, fen: &str) -> bool;

    fn openings(&self) -> NamedOpenings;

    fn options(&self) -> Vec<OptionSpec>;

    fn engine(&self, settings: &Settings) -> Box<dyn Engine>;
}

impl<G: Playable> RegisteredGame for GameType<G> {
    fn info(&self) -> GameInfo {
        G::info()
    }

    fn board(&self) -> Box<dyn Board> {
        Box::new(GameState::<G>::start())
    }

    fn board_of_record(&self, tag: &str) -> Option<Box<dyn Board>> {
        GameState::<G>::from_pgn_variant(tag).map(|play| Box::new(play) as Box<dyn Board>)
    }

    fn has(&self, fen: &str) -> bool {
        G::from_fen(fen).is_ok()
    }

    fn openings(&self) -> NamedOpenings {
        NamedOpenings::parse::<G>(G::info().openings)
    }

    fn options(&self) -> Vec<OptionSpec> {
        GameEngine::<G>::options_of_game()
    }

    fn engine(&self, settings: &Settings) -> Box<dyn Engine> {
        G::engine(settings)
    }
}

static GAMES: GameTable<dyn RegisteredGame> = crate::game_table!();

with_games!(crate::playable);

/// Adds a game to those that are known by name, unless there is one of its name: engines and the protocol
/// have it from then on.
pub fn add<G: Playable>() {
    GAMES.add(G::info, &GameType::<G>::GAME);
}

/// The names of all games, the default first.
pub fn names() -> Vec<&'static str> {
    GAMES.all().into_iter().map(|(name, _)| name).collect()
}

/// The name of the default game.
pub fn default_name() -> &'static str {
    (GAMES.own[0].0)().name
}

/// A board of a game by name, at the start position.
///
/// # Errors
/// [`UnknownVariant`] lists the games.
pub fn board(name: &str) -> Result<Box<dyn Board>, UnknownVariant> {
    GAMES.get(name).map(RegisteredGame::board)
}

/// The board of a game record by its PGN tag `Variant`, at the start position. An empty value stands for a
/// record without the tag.
///
/// # Errors
/// [`UnknownVariant`] lists the games.
pub fn board_of_record(tag: &str) -> Result<Box<dyn Board>, UnknownVariant> {
    let board = GAMES.all().into_iter().find_map(|(_, game)| game.board_of_record(tag));
    board.ok_or_else(|| UnknownVariant { name: tag.to_owned() })
}

/// The data of a game by name.
///
/// # Errors
/// [`UnknownVariant`] lists the games.
pub fn info(name: &str) -> Result<GameInfo, UnknownVariant> {
    GAMES.get(name).map(RegisteredGame::info)
}

/// The openings of a game that have names, by name of the game. They are read once.
///
/// # Errors
/// [`UnknownVariant`] lists the games.
pub fn openings(name: &str) -> Result<Arc<NamedOpenings>, UnknownVariant> {
    static READ: Mutex<BTreeMap<&'static str, Arc<NamedOpenings>>> = Mutex::new(BTreeMap::new());
    let game = GAMES.get(name)?;
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(read.entry(game.info().name).or_insert_with(|| Arc::new(game.openings())).clone())
}

/// The first game that has the position of a FEN, if any.
pub fn game_of(fen: &str) -> Option<&'static str> {
    GAMES.all().into_iter().find(|(_, game)| game.has(fen)).map(|(name, _)| name)
}

/// The options of a game, by name, that not every game has.
///
/// # Errors
/// [`UnknownVariant`] lists the games.
pub fn options_of_game(name: &str) -> Result<Vec<OptionSpec>, UnknownVariant> {
    GAMES.get(name).map(RegisteredGame::options)
}

/// An engine for a game by name, at the start position.
///
/// # Errors
/// [`UnknownVariant`] lists the games.
pub fn engine(name: &str, settings: &Settings) -> Result<Box<dyn Engine>, UnknownVariant> {
    GAMES.get(name).map(|game| game.engine(settings))
}
