//! What browser and server say to each other, in JSON. `protocol.md` describes it.

use serde::{Deserialize, Serialize};

use super::catalogue::OfferText;
use crate::game::Color;

/// What a browser asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub(super) enum Request {
    /// Begin a new game.
    New {
        game: String,
        /// A value of the game's option.
        #[serde(default)]
        option: Option<String>,
        /// The start position.
        #[serde(default)]
        fen: Option<String>,
        players: [String; 2],
    },
    /// Play a move in the position of a node.
    Play {
        node: usize,
        #[serde(rename = "move")]
        mv: String,
    },
    /// Show the position of a node.
    Show { node: usize },
    /// Take back the last move, and those before it up to the last one of a person.
    TakeBack,
    /// Exchange the players.
    Players { players: [String; 2] },
    /// Keep the engines from moving, or let them move again.
    Pause { on: bool },
    /// Search the position on the board for its evaluation, or no longer.
    Analyse { on: bool },
    /// Send the game as PGN.
    Save,
    /// Replace the game by the first one of a PGN text.
    Load { pgn: String },
}

/// What the server tells.
#[derive(Serialize)]
#[serde(tag = "is", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub(super) enum Message<'a> {
    /// The session and what can be played; the first message of a connection.
    Welcome { version: &'a str, session: &'a str, games: Vec<OfferText<'a>> },
    /// The game as it stands.
    Game(GameState<'a>),
    /// What a search has found.
    Search(SearchState),
    /// The game as PGN.
    Saved { pgn: String },
    /// The request was refused and has changed nothing.
    Error { text: String },
}

/// The game as it stands, with the position on the board.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct GameState<'a> {
    /// The number of the game in its session.
    pub(super) number: u64,
    /// The name of the game.
    pub(super) game: &'a str,
    /// The value of its option, where it is not the default.
    pub(super) option: Option<&'a str>,
    /// White and Black, by name.
    pub(super) players: [&'a str; 2],
    pub(super) paused: bool,
    pub(super) analysing: bool,
    /// Whether an engine is looking for its move.
    pub(super) thinking: bool,
    /// The number of the first move, and whether it is Black's.
    pub(super) first_ply: usize,
    /// The moves of the line on the board, including those after the position on the board.
    pub(super) line: Vec<LineMove<'a>>,
    /// The node of the position on the board.
    pub(super) node: usize,
    /// The moves before that position.
    pub(super) ply: usize,
    /// The move that has led to it, in the notation of the protocol.
    pub(super) last: Option<&'a str>,
    /// The position as FEN.
    pub(super) fen: String,
    pub(super) side_to_move: ColorText,
    /// The legal moves, in the notation of the protocol.
    pub(super) moves: Vec<String>,
    /// How the game has ended; none while it goes on.
    pub(super) end: Option<EndText>,
}

/// A move of the line, in the notation of records.
#[derive(Serialize)]
pub(super) struct LineMove<'a> {
    pub(super) node: usize,
    pub(super) text: &'a str,
    /// Other moves that have been played in its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) others: Vec<OtherMove<'a>>,
}

/// A move of another line.
#[derive(Serialize)]
pub(super) struct OtherMove<'a> {
    pub(super) node: usize,
    pub(super) text: &'a str,
}

/// The end of a game.
#[derive(Serialize)]
pub(super) struct EndText {
    pub(super) winner: Option<ColorText>,
    /// The result with its reason, as in `White wins: checkmate`.
    pub(super) text: String,
}

/// What a search has found so far.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct SearchState {
    /// The number of the game.
    pub(super) number: u64,
    /// The node of the position that is searched.
    pub(super) node: usize,
    pub(super) depth: u32,
    /// The score for White as in UCI, `cp 37` or `mate -4`.
    pub(super) score: String,
    /// The expected result for White, from 0 to 1.
    pub(super) result: f64,
    pub(super) nodes: u64,
    pub(super) seconds: f64,
    /// The principal variation, in the notation of records.
    pub(super) line: Vec<String>,
}

/// A player as text.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ColorText {
    White,
    Black,
}

impl From<Color> for ColorText {
    fn from(color: Color) -> ColorText {
        match color {
            Color::White => ColorText::White,
            Color::Black => ColorText::Black,
        }
    }
}

impl Message<'_> {
    /// As JSON.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("messages are made of text and numbers")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_strictly() {
        let read = serde_json::from_str::<Request>;
        assert!(read(r#"{"do":"new","game":"chess","players":["person","1 s a move"]}"#).is_ok());
        assert!(matches!(read(r#"{"do":"play","node":3,"move":"e2e4"}"#), Ok(Request::Play { node: 3, .. })));
        assert!(matches!(read(r#"{"do":"take-back"}"#), Ok(Request::TakeBack)));
        for bad in [
            "",
            "null",
            "[]",
            "{}",
            r#"{"do":"run","cmd":"sh"}"#,
            r#"{"do":"play","move":"e2e4"}"#,
            r#"{"do":"play","node":-1,"move":"e2e4"}"#,
            r#"{"do":"play","node":1,"move":"e2e4","more":1}"#,
            r#"{"do":"new","game":"chess","players":["person"]}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
