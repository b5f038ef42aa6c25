//! What the server tells a browser, in JSON. `docs/web.md` describes it.

use serde::{Deserialize, Serialize};

use super::catalogue::OfferText;
use super::folder::{Content, FileEntry};
use labrys_core::game::Color;

/// What the server tells.
#[derive(Serialize)]
#[serde(tag = "is", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub(super) enum Message<'a> {
    /// The session and what can be played; the first message of a connection.
    Welcome {
        version: &'a str,
        session: &'a str,
        /// Whether there is a folder to look into.
        folder: bool,
        games: Vec<OfferText<'a>>,
        /// The engines of the command line.
        engines: Vec<&'a str>,
        /// Those who analyse, the default first.
        analysts: Vec<&'a str>,
    },
    /// The game as it stands.
    Game(&'a GameState<'a>),
    /// What a search has found.
    Search(&'a SearchState),
    /// The static evaluation of a position.
    StaticEval(StaticEvalState),
    /// The game as PGN.
    Saved { pgn: String },
    /// The files of the folder, and how many have no place in the list.
    Files { files: Vec<FileEntry>, left_out: usize },
    /// The content of a file.
    File {
        name: &'a str,
        modified: u64,
        content: Content,
        /// What is not shown of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
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
    /// Whether the position on the board is analysed, in how many lines and by whom.
    pub(super) analysing: bool,
    pub(super) lines: usize,
    pub(super) analyst: &'a str,
    /// Whether the positions of the line are being evaluated.
    pub(super) reviewing: bool,
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
    /// The clocks, in a game that has them.
    pub(super) clock: Option<ClockState>,
    /// The evaluation of the start position.
    pub(super) start_eval: Option<Eval>,
    /// The answer to the last question about the position on the board.
    pub(super) answer: Option<&'a Answer>,
    /// Why an engine does not play.
    pub(super) problem: Option<&'a str>,
}

/// The clocks as they stand.
#[derive(Serialize)]
pub(super) struct ClockState {
    /// As in `5+3`: minutes and seconds after each move.
    pub(super) text: String,
    /// Milliseconds left to White and Black.
    pub(super) left: [u64; 2],
    /// Whether the clock of the side to move runs.
    pub(super) running: bool,
}

/// The answer to a question about a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Answer {
    pub(super) node: usize,
    /// The move that was asked about; none if any move was asked for.
    pub(super) about: Option<String>,
    /// What the search has found.
    #[serde(flatten)]
    pub(super) line: LineState,
}

/// What a search says of a position, for White.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Eval {
    /// The expected result, from 0 to 1.
    pub(super) result: f64,
    /// The depth of the search.
    pub(super) depth: u32,
}

/// The static evaluation of a position.
#[derive(Serialize)]
pub(super) struct StaticEvalState {
    /// The number of the game.
    pub(super) number: u64,
    /// The node of the position.
    pub(super) node: usize,
    #[serde(flatten)]
    pub(super) eval: StaticEval,
}

/// What an evaluation says of a position without a search, by its kind.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StaticEval {
    /// A linear evaluation.
    Features {
        /// The name of the feature set.
        set: &'static str,
        /// The sum of the products, for the side to move.
        sum: f64,
        /// The features that are not zero: name, value, weight and product.
        rows: Vec<(&'static str, f64, f64, f64)>,
    },
    /// An evaluation net.
    Inputs {
        /// The value for the side to move.
        value: f64,
        /// Name of each input, and what it contributes to the value for White.
        rows: Vec<(String, f64)>,
    },
    /// A policy/value net.
    Policy {
        /// The expected result for the side to move, from 0 to 1.
        value: f64,
        /// The legal moves, the greatest prior first: the move in the notation of the protocol, that in the
        /// notation of records, its prior.
        rows: Vec<(String, String, f32)>,
    },
    /// Why there is none.
    Problem(String),
}

/// A move of the line, in the notation of records.
#[derive(Serialize)]
pub(super) struct LineMove<'a> {
    pub(super) node: usize,
    /// The move in the notation of the protocol.
    #[serde(rename = "move")]
    pub(super) mv: &'a str,
    pub(super) text: &'a str,
    /// The evaluation of the position after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) eval: Option<Eval>,
    /// Other moves that have been played in its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) others: Vec<OtherMove<'a>>,
}

/// A move of another line.
#[derive(Serialize)]
pub(super) struct OtherMove<'a> {
    pub(super) node: usize,
    #[serde(rename = "move")]
    pub(super) mv: &'a str,
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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct SearchState {
    /// The number of the game.
    pub(super) number: u64,
    /// The node of the position that is searched.
    pub(super) node: usize,
    pub(super) depth: u32,
    pub(super) nodes: u64,
    pub(super) seconds: f64,
    /// The lines, the best first.
    pub(super) lines: Vec<LineState>,
}

/// A line that a search has found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct LineState {
    /// Its first move, in the notation of the protocol.
    #[serde(rename = "move")]
    pub(super) mv: String,
    /// The score for White as in UCI, `cp 37` or `mate -4`.
    pub(super) score: String,
    /// The expected result for White, from 0 to 1.
    pub(super) result: f64,
    /// The moves, in the notation of records.
    pub(super) line: Vec<String>,
    /// In a Monte Carlo search: the share of the simulations that went through the move, and their mean
    /// result for the side to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) visits: Option<(f64, f64)>,
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
