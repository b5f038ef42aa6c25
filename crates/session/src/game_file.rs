//! A PGN text with several games, one of which is the current one.

use thiserror::Error;

use crate::game_record::read_games;
use crate::game_tree::GameError;
use crate::header::result_text;
use crate::message::{GameSummary, GamesState};
use labrys_arena::pgn::PgnGame;

/// The maximum number of games of a text.
const MAX_GAMES: usize = 500;

/// The maximum size of a text in bytes.
const MAX_BYTES: usize = 1 << 18;

/// The games of a text, each as PGN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameFile {
    texts: Vec<String>,
    summaries: Vec<GameSummary>,
    /// The index of the current game.
    pub(crate) chosen: usize,
}

/// Why a text or its game is refused.
#[derive(Debug, Error)]
pub enum FileError {
    /// The text is too long.
    #[error("a PGN text has at most {MAX_BYTES} bytes here, this one has {0}")]
    Long(usize),
    /// There are too many games.
    #[error("a PGN text has at most {MAX_GAMES} games here, this one has {0}")]
    Many(usize),
    /// There is no such game.
    #[error("there is no game {0}, counted from 0: there are {1}")]
    Game(usize, usize),
    /// No text with several games has been loaded.
    #[error("there are no games to choose from")]
    None,
}

impl GameFile {
    /// Parses the games of a text.
    pub(crate) fn read(pgn: &str) -> Result<Vec<PgnGame>, ReadError> {
        if pgn.len() > MAX_BYTES {
            return Err(FileError::Long(pgn.len()).into());
        }
        let games = read_games(pgn)?;
        if games.len() > MAX_GAMES {
            return Err(FileError::Many(games.len()).into());
        }
        Ok(games)
    }

    /// The games, with the index of the current one.
    pub(crate) fn new(games: &[PgnGame], chosen: usize) -> GameFile {
        let (texts, summaries) = games.iter().map(|game| (game.to_string(), summary(game))).unzip();
        GameFile { texts, summaries, chosen }
    }

    /// The games, each as PGN.
    pub(crate) fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The inverse of [`GameFile::texts`].
    pub(crate) fn restore(texts: &[String], chosen: usize) -> Option<GameFile> {
        let games = texts.iter().map(|text| Some(read_games(text).ok()?.remove(0)));
        let games = games.collect::<Option<Vec<_>>>()?;
        (chosen < games.len()).then(|| GameFile::new(&games, chosen))
    }

    /// One of the games.
    pub(crate) fn game(&self, index: usize) -> Result<PgnGame, ReadError> {
        let text = self.texts.get(index).ok_or(FileError::Game(index, self.texts.len()))?;
        Ok(read_games(text)?.remove(0))
    }

    /// Replaces the current game by its edited version.
    pub(crate) fn update(&mut self, game: &PgnGame) {
        self.texts[self.chosen] = game.to_string();
        self.summaries[self.chosen] = summary(game);
    }

    pub(crate) fn state(&self) -> GamesState<'_> {
        GamesState { chosen: self.chosen, list: &self.summaries }
    }
}

/// Why a text cannot be read.
#[derive(Debug, Error)]
pub(crate) enum ReadError {
    #[error("{0}")]
    File(#[from] FileError),
    #[error("{0}")]
    Game(#[from] GameError),
}

/// The summary of a game for a list.
pub(crate) fn summary(game: &PgnGame) -> GameSummary {
    GameSummary {
        players: game.players.each_ref().map(|player| player.name.clone()),
        date: game.date.clone(),
        result: result_text(game.end.as_ref().map(|end| end.winner)).to_owned(),
        plies: game.opening.moves.len() + game.moves.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_listed_chosen_and_updated() {
        let games = GameFile::read("[White \"Ann\"]\n\n1. e4 e5 1-0\n\n[White \"Bob\"]\n\n1. d4 *").unwrap();
        let mut file = GameFile::new(&games, 1);
        let list: Vec<_> =
            file.state().list.iter().map(|game| (&*game.players[0], &*game.result, game.plies)).collect();
        assert_eq!(list, [("Ann", "1-0", 2), ("Bob", "*", 1)]);
        file.update(&games[0]);
        assert_eq!(file.game(1).unwrap().to_string(), games[0].to_string());
        assert_eq!(file.state().list[1].players[0], "Ann");
        assert_eq!(GameFile::restore(file.texts(), 1), Some(file.clone()));
        assert_eq!(GameFile::restore(file.texts(), 2), None);
        assert!(file.game(2).unwrap_err().to_string().contains("there is no game 2"));
    }

    #[test]
    fn a_text_is_bounded() {
        let refused = |pgn: &str| GameFile::read(pgn).unwrap_err().to_string();
        assert!(refused(&"1. e4 *\n".repeat(MAX_GAMES + 1)).contains("at most 500 games"));
        assert!(
            refused(&format!("1. e4 {{{}}} *", "x ".repeat(MAX_BYTES / 2))).contains("at most 262144 bytes")
        );
        assert!(refused("").contains("no game"));
    }
}
