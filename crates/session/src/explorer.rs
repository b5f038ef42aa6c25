//! The opening explorer: the moves that were played in a position, with their results, in the PGN files that
//! the user has opened.

use std::collections::HashMap;
use std::ops::Range;

use crate::game_file::{self, ReadError};
use crate::game_record::read_games;
use crate::message::{ExploredGame, ExploredMove, ExplorerState, GameSummary};
use labrys_arena::pgn::{PgnGame, PgnReader};
use labrys_core::engine::Board;
use labrys_core::game::Color;

/// The maximum number of games.
const MAX_GAMES: usize = 20_000;

/// The maximum size of their PGN in bytes.
const MAX_BYTES: usize = 16 << 20;

/// The maximum number of positions of all games.
const MAX_POSITIONS: usize = 1_000_000;

/// The number of positions of each game that are indexed, from the start.
const MAX_PLIES: usize = 60;

/// The maximum number of listed games of a position.
const MAX_LISTED: usize = 12;

/// The move index of a game's last position.
const NO_MOVE: u32 = u32::MAX;

/// A position of a game, and the move that was played there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: u64,
    /// The index of the move.
    mv: u32,
    /// The index of the game.
    game: u32,
}

/// A parsed game, not yet in the index.
pub(crate) struct ParsedGame {
    variant: &'static str,
    summary: GameSummary,
    winner: Option<Option<Color>>,
    text: String,
    /// The key of each position, with the move played there.
    positions: Vec<(u64, Option<String>)>,
}

/// A game of the explorer.
struct Game {
    variant: &'static str,
    summary: GameSummary,
    /// `None` if the game was not finished, `Some(None)` in a draw.
    winner: Option<Option<Color>>,
    /// Its PGN.
    text: Box<str>,
}

/// Games, indexed by position.
#[derive(Default)]
pub(crate) struct Explorer {
    games: Vec<Game>,
    /// The positions of all games, in sorted runs. Each is more than twice as long as the next, so that
    /// adding games takes amortised logarithmic time and a look-up searches few runs.
    runs: Vec<Vec<Entry>>,
    /// The distinct moves, and their indices.
    moves: Vec<Box<str>>,
    indices: HashMap<Box<str>, u32>,
    /// The size of the PGN of all games in bytes.
    length: usize,
    /// The number of games that could not be parsed or replayed, or exceeded the limits.
    left_out: usize,
}

/// Parses the games of a PGN text; `None` for those that cannot be parsed or replayed.
pub(crate) fn parse_games(pgn: &str) -> Vec<Option<ParsedGame>> {
    PgnReader::new(pgn.as_bytes()).map(|game| ParsedGame::new(&game.ok()?)).collect()
}

impl ParsedGame {
    /// The positions up to the first illegal move; `None` if no move can be played.
    fn new(game: &PgnGame) -> Option<ParsedGame> {
        let mut board = game.board(None).ok()?;
        board.set_up(game.opening.set_up_fen(), &[]).ok()?;
        let mut positions = Vec::new();
        let mut texts = game.opening.moves.iter().chain(game.moves.iter().map(|mv| &mv.text));
        while positions.len() < MAX_PLIES {
            let key = board.key();
            let Some(mv) = texts.next().and_then(|text| board.play_san_as_chosen(text).ok()) else {
                positions.push((key, None));
                break;
            };
            positions.push((key, Some(mv)));
        }
        positions.first().filter(|(_, mv)| mv.is_some())?;
        Some(ParsedGame {
            variant: board.variant(),
            summary: game_file::summary(game),
            winner: game.end.as_ref().map(|end| end.winner),
            text: game.to_string(),
            positions,
        })
    }
}

impl Explorer {
    /// Adds games, as far as the limits allow.
    pub(crate) fn add(&mut self, games: Vec<Option<ParsedGame>>) {
        let mut run = Vec::new();
        let mut count: usize = self.runs.iter().map(Vec::len).sum();
        for game in games {
            let fits = |game: &ParsedGame| {
                self.games.len() < MAX_GAMES
                    && self.length + game.text.len() <= MAX_BYTES
                    && count + game.positions.len() <= MAX_POSITIONS
            };
            let Some(game) = game.filter(fits) else {
                self.left_out += 1;
                continue;
            };
            let index = self.games.len() as u32;
            count += game.positions.len();
            self.length += game.text.len();
            for (key, mv) in game.positions {
                let mv = mv.map_or(NO_MOVE, |mv| self.index(mv));
                run.push(Entry { key, mv, game: index });
            }
            let ParsedGame { variant, summary, winner, text, .. } = game;
            self.games.push(Game { variant, summary, winner, text: text.into() });
        }
        run.sort_unstable();
        while let Some(before) = self.runs.pop_if(|before| before.len() <= 2 * run.len()) {
            run.extend(before);
            // Merges the two runs: the sort is adaptive.
            run.sort();
        }
        self.runs.push(run);
    }

    /// The index of a move, a new one if it has none.
    fn index(&mut self, mv: String) -> u32 {
        if let Some(&index) = self.indices.get(mv.as_str()) {
            return index;
        }
        let index = self.moves.len() as u32;
        self.moves.push(mv.as_str().into());
        self.indices.insert(mv.into(), index);
        index
    }

    /// A game by index.
    ///
    /// # Errors
    /// If there is no such game.
    pub(crate) fn game(&self, index: usize) -> Result<PgnGame, ReadError> {
        let game = self.games.get(index);
        let game = game.ok_or(game_file::FileError::Game(index, self.games.len()))?;
        Ok(read_games(&game.text)?.remove(0))
    }

    /// The number of games, and of those left out.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.games.len(), self.left_out]
    }

    /// The entry for the position on a board.
    pub(crate) fn state(&self, board: &dyn Board) -> ExplorerState<'_> {
        let key = board.key();
        let range = |run: &[Entry]| -> Range<usize> {
            run.partition_point(|entry| entry.key < key)..run.partition_point(|entry| entry.key <= key)
        };
        let runs = self.runs.iter().flat_map(|run| run[range(run)].iter().copied());
        // Keys of different games may collide.
        let mut here: Vec<_> =
            runs.filter(|entry| self.games[entry.game as usize].variant == board.variant()).collect();
        // A game that repeats the position and the move counts once.
        here.sort_unstable();
        here.dedup();
        let mut moves: Vec<_> = here
            .chunk_by(|one, other| one.mv == other.mv)
            .filter_map(|entries| {
                let mv = self.moves.get(entries[0].mv as usize)?;
                let winners = || entries.iter().map(|entry| self.games[entry.game as usize].winner);
                let count = |winner| winners().filter(|of_game| *of_game == Some(winner)).count();
                Some(ExploredMove {
                    mv,
                    // Not legal here if castling is written by other rules (Chess960).
                    text: board.san(mv).ok()?,
                    games: entries.len(),
                    white: count(Some(Color::White)),
                    draws: count(None),
                    black: count(Some(Color::Black)),
                })
            })
            .collect();
        moves.sort_by_key(|mv| std::cmp::Reverse(mv.games));
        let mut games: Vec<_> = here.iter().map(|entry| entry.game as usize).collect();
        games.sort_unstable();
        games.dedup();
        let list = games.iter().take(MAX_LISTED);
        let list = list.map(|&game| ExploredGame { game, summary: &self.games[game].summary }).collect();
        let [all, left_out] = self.counts();
        ExplorerState { all, left_out, here: games.len(), moves, list }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_tree::tests::{game, play};

    fn explorer(pgn: &str) -> Explorer {
        let mut explorer = Explorer::default();
        explorer.add(parse_games(pgn));
        explorer
    }

    /// The moves after a line, each with its games and results.
    fn moves(explorer: &Explorer, variant: &str, line: &str) -> Vec<(String, [usize; 4])> {
        let mut game = game(variant, None);
        if !line.is_empty() {
            play(&mut game, line);
        }
        let state = explorer.state(game.board());
        let moves = state.moves.into_iter();
        moves.map(|mv| (mv.text, [mv.games, mv.white, mv.draws, mv.black])).collect()
    }

    #[test]
    fn transpositions_count_as_the_same_position() {
        let explorer = explorer(
            "1. e4 e5 2. Nf3 Nc6 1-0\n\n1. Nf3 e5 2. e4 Nf6 0-1\n\n[White \"Ann\"]\n\n1. e4 e5 2. Nf3 Nc6 1/2-1/2\n\n\
             1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 *\n\n1. e5 *",
        );
        assert_eq!(explorer.counts(), [4, 1]);
        let text = |text: &str, counts| (text.to_owned(), counts);
        let expected = [text("Nc6", [2, 1, 1, 0]), text("Nf6", [1, 0, 0, 1])];
        assert_eq!(moves(&explorer, "chess", "e2e4 e7e5 g1f3"), expected);
        // The fourth game plays it twice.
        assert_eq!(moves(&explorer, "chess", "")[1], text("Nf3", [2, 0, 0, 1]));
        assert_eq!(moves(&explorer, "chess", "a2a3"), []);
        let mut game = game("chess", None);
        play(&mut game, "e2e4 e7e5 g1f3 b8c6");
        let state = explorer.state(game.board());
        assert_eq!((state.all, state.here, state.moves.len()), (4, 2, 0));
        let listed: Vec<_> = state.list.iter().map(|game| (game.game, &*game.summary.players[0])).collect();
        assert_eq!(listed, [(0, "?"), (2, "Ann")]);
        assert_eq!(explorer.game(2).unwrap().players[0].name, "Ann");
        assert!(explorer.game(4).err().unwrap().to_string().contains("there is no game 4"));
    }

    #[test]
    fn records_of_all_games_are_explored() {
        let text = |text: &str, games| (text.to_owned(), [games, games, 0, 0]);
        let explorer = explorer(
            "[Variant \"neighbours\"]\n\n1. e1e3 1-0\n\n[Variant \"amazons\"]\n\n1. d1d7,d7g7 1-0\n\n\
             [Variant \"tucchess\"]\n\n1. a2a3 a6a5 2. a3a4=1 1-0\n\n\
             [Variant \"tucchess\"]\n\n1. a2a3 a6a5 2. a3a4=0+c5 1-0\n\n1. e4 1-0",
        );
        assert_eq!(explorer.counts(), [5, 0]);
        assert_eq!(moves(&explorer, "neighbours", ""), [text("e1e3", 1)]);
        assert_eq!(moves(&explorer, "amazons", ""), [text("d1d7,d7g7", 1)]);
        // Outcomes of chance are merged.
        assert_eq!(moves(&explorer, "tucchess", "a2a3 a6a5"), [text("a3a4", 2)]);
    }

    #[test]
    fn the_order_of_the_files_makes_no_difference() {
        let games = ["1. e4 e5 1-0", "1. d4 d5 0-1", "1. e4 c5 0-1", "1. e4 e5 1-0", "1. c4 *"];
        let mut explorer = Explorer::default();
        games.iter().for_each(|game| explorer.add(parse_games(game)));
        let whole = self::explorer(&games.join("\n\n"));
        for line in ["", "e2e4", "d2d4"] {
            assert_eq!(moves(&explorer, "chess", line), moves(&whole, "chess", line), "{line}");
        }
        assert!(explorer.runs.len() < games.len() && explorer.runs.iter().all(|run| run.is_sorted()));
    }

    #[test]
    fn the_explorer_is_bounded() {
        let mut explorer = Explorer::default();
        let pgn = "1. e4 e5 *\n\n".repeat(1_000);
        for _ in 0..=MAX_GAMES / 1_000 {
            explorer.add(parse_games(&pgn));
        }
        assert_eq!(explorer.counts(), [MAX_GAMES, 1_000]);
        assert_eq!(moves(&explorer, "chess", "")[0].1[0], MAX_GAMES);
        // Bounded in bytes, too.
        let long = || {
            let game = parse_games("1. e4 e5 *").remove(0).unwrap();
            Some(ParsedGame { text: "x".repeat(MAX_BYTES / 2), ..game })
        };
        let mut explorer = Explorer::default();
        explorer.add(vec![long(), long(), long()]);
        explorer.add(parse_games("1. d4 *"));
        assert_eq!(explorer.counts(), [2, 2]);
    }
}
