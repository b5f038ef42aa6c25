//! Search in the games of a folder, by what their records say.

use std::collections::BTreeMap;

use serde::Serialize;
use thiserror::Error;

use super::folder::{FileKind, Folder, FolderError, result_text};
use super::query::{self, FieldError};
use labrys_arena::pgn::{self, PgnGame};
use labrys_core::engine::{PositionError, UnknownVariant, registry};
use labrys_core::game::{MoveError, quote};

/// The maximum number of games that are found.
pub(super) const MAX_HITS: usize = 5000;

/// The fields of a query.
const FIELDS: &str = "player, variant, result, date, moves, fen";

/// The results of games.
const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// Why a query is refused.
#[derive(Debug, Error)]
pub(super) enum SearchError {
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("variant: {0}")]
    Variant(#[from] UnknownVariant),
    #[error("result {}: expected one of: {}", quote(.0), RESULTS.join(", "))]
    Result(String),
    #[error("date {}: expected YYYY, YYYY.MM or YYYY.MM.DD", quote(.0))]
    Date(String),
    #[error("moves: {0}")]
    Moves(MoveError),
    #[error("fen: {0}")]
    Fen(PositionError),
}

/// A game that was found.
#[derive(Debug, Serialize)]
pub(super) struct Hit {
    /// The file of the folder, and the number of the game in it, from 0.
    file: String,
    game: usize,
    /// White and Black.
    players: [String; 2],
    result: &'static str,
    date: String,
    plies: usize,
}

/// What was found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Found {
    pub(super) hits: Vec<Hit>,
    /// Whether there are more.
    pub(super) is_cut: bool,
    /// The number of files and games until then that cannot be read.
    pub(super) unreadable: usize,
}

/// What a game has to fulfil.
#[derive(Debug, Default)]
pub(super) struct Filter {
    /// A part of the name of a player, in lower case.
    player: Option<String>,
    variant: Option<&'static str>,
    result: Option<&'static str>,
    /// The beginning of the date.
    date: Option<String>,
    /// The first moves as players choose them, in each game in which they are legal.
    moves: Option<BTreeMap<&'static str, Vec<String>>>,
    /// The key of a position, in each game that has it.
    position: Option<BTreeMap<&'static str, u64>>,
}

impl Filter {
    /// Reads the fields of a query. Empty ones count for nothing.
    ///
    /// # Errors
    /// [`SearchError`] names the field with its value.
    pub(super) fn read(fields: &[(String, String)]) -> Result<Filter, SearchError> {
        let values = query::values(fields, FIELDS)?;
        let value = |name: &str| values.get(name).copied();
        let variant = value("variant").map(registry::board).transpose()?.map(|board| board.variant());
        let games: Vec<_> = variant.map_or_else(registry::names, |variant| vec![variant]);
        let result = value("result").map(|text| {
            let known = RESULTS.into_iter().find(|&known| known == text);
            known.ok_or_else(|| SearchError::Result(text.to_owned()))
        });
        let date = value("date").map(|text| match is_date(text) {
            true => Ok(text.to_owned()),
            false => Err(SearchError::Date(text.to_owned())),
        });
        let moves = value("moves").map(|text| of_games(&games, |game| first_moves(game, text)));
        let position = value("fen").map(|fen| of_games(&games, |game| key(game, fen)));
        Ok(Filter {
            player: value("player").map(str::to_lowercase),
            variant,
            result: result.transpose()?,
            date: date.transpose()?,
            moves: moves.transpose().map_err(SearchError::Moves)?,
            position: position.transpose().map_err(SearchError::Fen)?,
        })
    }

    /// Whether a game fulfils it.
    fn matches(&self, game: &PgnGame) -> bool {
        let Filter { player, variant, result, date, moves, position } = self;
        let is_named =
            |name: &String| game.players.iter().any(|player| player.name.to_lowercase().contains(name));
        let is_like = player.as_ref().is_none_or(is_named)
            && result.is_none_or(|result| result == result_text(game))
            && date.as_ref().is_none_or(|date| game.date.starts_with(date));
        if !is_like || (variant.is_none() && moves.is_none() && position.is_none()) {
            return is_like;
        }
        let Ok(mut board) = game.board(None) else { return false };
        let own = board.variant();
        if variant.is_some_and(|variant| variant != own) {
            return false;
        }
        // A game without these moves or this position has neither.
        let moves = moves.as_ref().map(|moves| moves.get(own).ok_or(()));
        let position = position.as_ref().map(|position| position.get(own).ok_or(()));
        let (Ok(moves), Ok(position)) = (moves.transpose(), position.transpose()) else { return false };
        if moves.is_some() && game.opening.set_up_fen().is_some()
            || board.set_up(game.opening.set_up_fen(), &[]).is_err()
        {
            return false;
        }
        let mut rest = moves.map_or(&[][..], Vec::as_slice);
        let mut is_there = position.is_none_or(|&key| key == board.key());
        let texts = game.opening.moves.iter().chain(game.moves.iter().map(|mv| &mv.text));
        for text in texts {
            if rest.is_empty() && is_there {
                break;
            }
            let Ok(chosen) = board.play_san_as_chosen(text) else { break };
            if let [first, others @ ..] = rest {
                if *first != chosen {
                    return false;
                }
                rest = others;
            }
            is_there = is_there || position.is_some_and(|&key| key == board.key());
        }
        rest.is_empty() && is_there
    }

    /// The games of a folder that fulfil it, [`MAX_HITS`] at most; `each` gets them. Files that cannot be read,
    /// and games with an error, are counted.
    ///
    /// # Errors
    /// [`FolderError`] if the folder cannot be read.
    pub(super) fn search(
        &self,
        folder: &Folder,
        mut each: impl FnMut(&PgnGame),
    ) -> Result<Found, FolderError> {
        let mut found = Found { hits: Vec::new(), is_cut: false, unreadable: 0 };
        for file in folder.list()?.files.into_iter().filter(|file| file.kind == FileKind::Games) {
            let path = folder.path_of(&file);
            let Ok(games) = pgn::file::open(&path) else {
                found.unreadable += 1;
                continue;
            };
            for (number, game) in games.enumerate() {
                let Ok(game) = game else {
                    found.unreadable += 1;
                    continue;
                };
                if !self.matches(&game) {
                    continue;
                }
                if found.hits.len() == MAX_HITS {
                    return Ok(Found { is_cut: true, ..found });
                }
                each(&game);
                found.hits.push(Hit {
                    file: file.name.clone(),
                    game: number,
                    result: result_text(&game),
                    plies: game.opening.moves.len() + game.moves.len(),
                    date: game.date,
                    players: game.players.map(|player| player.name),
                });
            }
        }
        Ok(found)
    }
}

/// What `read` makes of a text in each game in which it is valid. If it is in none, the error of the first one.
fn of_games<T, E>(
    games: &[&'static str],
    read: impl Fn(&str) -> Result<T, E>,
) -> Result<BTreeMap<&'static str, T>, E> {
    let read: Vec<Result<_, E>> = games.iter().map(|&game| Ok((game, read(game)?))).collect();
    match read.iter().any(Result::is_ok) {
        true => Ok(read.into_iter().flatten().collect()),
        false => read.into_iter().collect(),
    }
}

/// The moves of a text from the start position of a game, as players choose them. Numbers of moves are left out.
fn first_moves(game: &str, text: &str) -> Result<Vec<String>, MoveError> {
    let mut board = registry::board(game).expect("a game of the list");
    let words = text.split_whitespace().filter_map(|word| word.rsplit('.').next());
    words.filter(|word| !word.is_empty()).map(|word| board.play_san_as_chosen(word)).collect()
}

/// The key of a position of a game.
fn key(game: &str, fen: &str) -> Result<u64, PositionError> {
    let mut board = registry::board(game).expect("a game of the list");
    board.set_up(Some(fen), &[])?;
    Ok(board.key())
}

/// Whether a text is a date or its beginning, by whole parts.
fn is_date(text: &str) -> bool {
    let parts: Vec<_> = text.split('.').collect();
    let is_number =
        |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_within =
        |part: &&str, most: u32| is_number(part, 2) && (1..=most).contains(&part.parse().unwrap_or(0));
    parts.len() <= 3
        && is_number(parts[0], 4)
        && parts.get(1).is_none_or(|month| is_within(month, 12))
        && parts.get(2).is_none_or(|day| is_within(day, 31))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches for `query`, fields joined by `&`, in a folder.
    fn search(folder: &Folder, query: &str) -> Result<String, String> {
        let fields: Vec<_> = query.split('&').filter_map(|field| field.split_once('=')).collect();
        let fields: Vec<_> =
            fields.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let filter = Filter::read(&fields).map_err(|error| error.to_string())?;
        let hits = filter.search(folder, |_| ()).unwrap().hits.into_iter();
        Ok(hits.map(|hit| format!("{} {}", hit.file, hit.game)).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn games_are_found_by_what_their_records_say() {
        let outer = tempfile::tempdir().unwrap();
        let folder = Folder::new(outer.path().to_owned());
        let text = "[White \"Ada\"]\n[Black \"Minos\"]\n[Date \"2026.11.03\"]\n\n1. e4 e5 2. Nf3 1-0\n\n\
                    [White \"minos\"]\n[Black \"Talos\"]\n[Date \"2026.12.24\"]\n\n1. Nf3 e5 2. e4 1/2-1/2\n\n\
                    [White \"x\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O *\n";
        std::fs::write(outer.path().join("a.pgn"), text).unwrap();
        let text = "[White \"Ada\"]\n[Variant \"tucchess\"]\n\n1. a2a3 a6a5 0-1\n\n1. e4 *\n";
        std::fs::write(outer.path().join("b.pgn"), text).unwrap();
        for (query, found) in [
            ("", "a.pgn 0, a.pgn 1, a.pgn 2, b.pgn 0, b.pgn 1"),
            ("player=MINOS", "a.pgn 0, a.pgn 1"),
            ("player=ada&variant=tucchess", "b.pgn 0"),
            ("variant=chess", "a.pgn 0, a.pgn 1, a.pgn 2, b.pgn 1"),
            ("result=1/2-1/2&player=", "a.pgn 1"),
            ("result=*", "a.pgn 2, b.pgn 1"),
            ("date=2026.11", "a.pgn 0"),
            ("date=2026", "a.pgn 0, a.pgn 1"),
            ("moves=1. e4 e5", "a.pgn 0"),
            ("moves=e2e4", "a.pgn 0, b.pgn 1"),
            ("moves=a2a3", "b.pgn 0"),
            ("moves=e4 e5 Nf3 Nc6", ""),
            // The same position by another order of moves.
            ("fen=rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2", "a.pgn 0, a.pgn 1"),
            ("fen=4k3/8/8/8/8/8/8/4K2R w K - 0 1", "a.pgn 2"),
        ] {
            assert_eq!(search(&folder, query).as_deref(), Ok(found), "{query}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_counted() {
        let outer = tempfile::tempdir().unwrap();
        let games = "[White \"Ada\"]\n\n1. e4 \0\0\0\0 e5 1-0\n\n[White \"Ada\"]\n\n1. d4 *\n";
        for name in ["a.pgn", "b.pgn"] {
            std::fs::write(outer.path().join(name), games).unwrap();
        }
        let folder = Folder::new(outer.path().to_owned());
        let Found { hits, is_cut, unreadable } = Filter::default().search(&folder, |_| ()).unwrap();
        assert_eq!((hits.len(), is_cut, unreadable), (2, false, 2));
        // Neither is a folder that is gone without games.
        drop(outer);
        assert!(Filter::default().search(&folder, |_| ()).is_err());
    }

    #[test]
    fn bad_input_is_named() {
        let outer = tempfile::tempdir().unwrap();
        let folder = Folder::new(outer.path().to_owned());
        for (query, problem) in [
            ("plyer=x", "unknown field `plyer`, expected one of: player, variant"),
            ("player=x&player=y", "player is given twice"),
            ("variant=ludo", "variant: "),
            ("result=2-0", "result `2-0`: expected one of: 1-0, 0-1, 1/2-1/2, *"),
            ("date=11/2026", "date `11/2026`: expected YYYY, YYYY.MM or YYYY.MM.DD"),
            ("date=2026.13", "date `2026.13`"),
            ("date=2026.1", "date `2026.1`"),
            ("moves=e4 e6 Zz9", "moves: `"),
            ("variant=chess&moves=e2e5", "moves: `e2e5`"),
            ("fen=x", "fen: "),
            ("variant=chess&fen=8/8/8/8/8/8/8/8 w - - 0 1", "fen: "),
        ] {
            let error = search(&folder, query).unwrap_err();
            assert!(error.starts_with(problem), "{query}: {error}");
        }
    }
}
