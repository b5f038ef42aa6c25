//! What a report takes from the record of a game.

use crate::pgn::{PgnGame, ReplayError, line_hash};
use crate::{GameResult, Termination};
use labrys_core::engine::{Board, registry};
use labrys_core::game::Color;

/// What a report takes from the record of a game.
#[derive(Clone, Debug)]
pub struct GameFacts {
    /// The game that was played.
    pub variant: &'static str,
    /// Its board or starting positions, if they are not those of the game's default: `6×6`, `Chess960`.
    pub board: Option<String>,
    /// The number of the record in its match, or its place in the file, from 1.
    pub number: u64,
    /// The names of White and Black.
    pub players: [String; 2],
    /// Its plies, with the opening.
    pub plies: usize,
    /// What stands for its start position and moves, see [`line_hash`].
    pub line: u64,
    /// The position in which it ended, as FEN.
    pub final_fen: String,
    /// The positions after the opening in which a player had to move, but for the last one of a game that
    /// the rules or an adjudication ended.
    pub turns: Vec<Turn>,
    /// The result, and the rule or the kind of forfeit that ended it; `None` if it was not finished.
    pub end: Option<(GameResult, String)>,
}

/// A position in which a player had to move, and what the record says of the move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Plies before it, with the opening.
    pub ply: usize,
    /// Whose turn it is.
    pub player: Color,
    /// The number of legal moves.
    pub legal_moves: usize,
    /// The depth of the search.
    pub depth: Option<u32>,
    /// Its nodes.
    pub nodes: Option<u64>,
    /// Its time in seconds.
    pub seconds: Option<f64>,
}

impl GameFacts {
    /// Replays a record, which is the `place`-th of its file, from 1. Its game is `expected` where it does
    /// not name one.
    ///
    /// # Errors
    /// [`ReplayError`] if a move is not legal or the result is not that of the rules.
    pub fn new(record: &PgnGame, expected: Option<&str>, place: u64) -> Result<GameFacts, ReplayError> {
        let mut board = record.board(expected)?;
        let special = special_board(board.as_ref(), record);
        let (opening, mut turns) = (record.opening.moves.len(), Vec::with_capacity(record.moves.len()));
        let start = record.start_fen(board.as_mut())?;
        let moves = record.replay_to_result_with(board.as_mut(), &mut |board, at| {
            let mv = &record.moves[at];
            turns.push(Turn {
                ply: opening + at,
                player: board.side_to_move(),
                legal_moves: board.count_moves(),
                depth: mv.depth(),
                nodes: mv.nodes(),
                seconds: mv.seconds(),
            });
        })?;
        let end = record.end.as_ref().map(|end| {
            let result = end.game_result();
            let end = match (end.termination, board.outcome()) {
                (Termination::Rules, Some(outcome)) if outcome.winner == result.winner => {
                    outcome.ending.to_string()
                }
                // In games of other programs players resign and agree to draws.
                (Termination::Rules, _) => "agreement or resignation".to_owned(),
                (other, _) => other.tag().to_owned(),
            };
            (result, end)
        });
        let plies = opening + record.moves.len();
        // Who forfeits had to move.
        if let Some((GameResult { termination, .. }, _)) = end
            && !matches!(termination, Termination::Rules | Termination::Adjudication)
        {
            let (player, legal_moves) = (board.side_to_move(), board.count_moves());
            turns.push(Turn { ply: plies, player, legal_moves, depth: None, nodes: None, seconds: None });
        }
        let players = record.players.each_ref().map(|player| player.name.clone());
        let number = record.number.unwrap_or(place);
        Ok(GameFacts {
            variant: board.variant(),
            board: special,
            number,
            players,
            plies,
            line: line_hash(&start, &moves),
            final_fen: board.fen(),
            turns,
            end,
        })
    }
}

/// See [`GameFacts::board`].
fn special_board(board: &dyn Board, record: &PgnGame) -> Option<String> {
    let grid = |fen: &str| {
        let ranks: Vec<_> = fen.split(' ').next().unwrap_or_default().split('/').collect();
        // A number is that of empty squares, any other letter is a square.
        let empty = |rank: &str| -> usize {
            rank.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse::<usize>().ok()).sum()
        };
        let files = |rank: &&str| empty(rank) + rank.chars().filter(|c| !c.is_ascii_digit()).count();
        (ranks.first().map_or(0, files), ranks.len())
    };
    let default = registry::board(board.variant()).ok()?;
    let (files, ranks) = record.opening.set_up_fen().map_or_else(|| grid(&board.fen()), grid);
    if (files, ranks) != grid(&default.fen()) {
        return Some(format!("{files}×{ranks}"));
    }
    board.pgn_variant().filter(|_| board.pgn_variant() != default.pgn_variant()).map(str::to_owned)
}
