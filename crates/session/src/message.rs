//! What the server tells a browser, in JSON. `docs/web.md` describes it.

use serde::{Deserialize, Serialize};

use crate::catalogue::OfferText;
use labrys_core::game::Color;

/// What the server tells.
#[derive(Serialize)]
#[serde(tag = "is", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub(crate) enum Message<'a> {
    /// The session and what can be played; the first message of a connection.
    Welcome {
        version: &'a str,
        session: &'a str,
        /// Whether there is a folder to look into.
        folder: bool,
        games: Vec<OfferText<'a>>,
        /// The engines of the command line.
        engines: Vec<&'a str>,
        /// Those of them that do not start.
        missing: Vec<String>,
        /// Those who analyse, the default first.
        analysts: Vec<&'a str>,
        /// The most threads and the most MiB of a transposition table that an analysis can have.
        threads: usize,
        hash: usize,
    },
    /// The game as it stands.
    Game(&'a GameState<'a>),
    /// What a search has found.
    Search(&'a SearchState),
    /// The static evaluation of a position.
    StaticEval(StaticEvalState),
    /// How many games of records are explored, and how many were left out.
    Explored { games: usize, left_out: usize },
    /// The game as PGN.
    Saved { pgn: String },
    /// A position that a game can begin from, or why there is none.
    Checked { fen: Option<String>, problem: Option<String> },
    /// The request was refused and has changed nothing.
    Error { text: String },
}

/// The game as it stands, with the position on the board.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct GameState<'a> {
    /// The number of the game in its session.
    pub(crate) number: u64,
    /// The name of the game.
    pub(crate) game: &'a str,
    /// The value of its option, where it is not the default.
    pub(crate) option: Option<&'a str>,
    /// White and Black, by name.
    pub(crate) players: [&'a str; 2],
    /// The side of the only person, who plays an engine; none where there are two or none.
    pub(crate) person: Option<ColorText>,
    pub(crate) paused: bool,
    /// Whether the position on the board is analysed, in how many lines and by whom.
    pub(crate) analysing: bool,
    pub(crate) lines: usize,
    pub(crate) analyst: &'a str,
    /// Its depth, threads and MiB of table; 0 where none is chosen.
    pub(crate) depth: u32,
    pub(crate) threads: usize,
    pub(crate) hash: usize,
    /// Whether the positions of the line are being evaluated.
    pub(crate) reviewing: bool,
    /// Whether an engine is looking for its move.
    pub(crate) thinking: bool,
    /// The start position as FEN.
    pub(crate) start: &'a str,
    /// The number of the first move, and whether it is Black's.
    pub(crate) first_ply: usize,
    /// What the record of the game says besides its moves.
    pub(crate) record: RecordState<'a>,
    /// The games of the text that was loaded, where it has several.
    pub(crate) games: Option<GamesState<'a>>,
    /// All moves, depth first, the main line first.
    pub(crate) tree: Vec<TreeMove<'a>>,
    /// What is said of the game before its first move.
    pub(crate) comment: String,
    /// The review of the line, if it has been reviewed.
    pub(crate) review: Option<ReviewState<'a>>,
    /// The moves of the line on the board, including those after the position on the board.
    pub(crate) line: Vec<LineMove<'a>>,
    /// The node of the position on the board.
    pub(crate) node: usize,
    /// The moves before that position.
    pub(crate) ply: usize,
    /// The move that has led to it, in the notation of the protocol.
    pub(crate) last: Option<&'a str>,
    /// The position as FEN.
    pub(crate) fen: String,
    pub(crate) side_to_move: ColorText,
    /// The legal moves, in the notation of the protocol.
    pub(crate) moves: Vec<String>,
    /// How the game has ended; none while it goes on.
    pub(crate) end: Option<EndText>,
    /// The clocks, in a game that has them.
    pub(crate) clock: Option<ClockState>,
    /// The evaluation of the start position.
    pub(crate) start_eval: Option<&'a Eval>,
    /// The name of the last position up to that on the board that has one.
    pub(crate) opening: Option<OpeningText>,
    /// What was played in the position by the records that were opened, if any were.
    pub(crate) explorer: Option<ExplorerState<'a>>,
    /// The answer to the last question about the position on the board.
    pub(crate) answer: Option<&'a Answer>,
    /// Why an engine does not play.
    pub(crate) problem: Option<&'a str>,
}

/// The name of a position.
#[derive(Serialize)]
pub(crate) struct OpeningText {
    /// Its code, ECO in chess.
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
}

/// The clocks as they stand.
#[derive(Serialize)]
pub(crate) struct ClockState {
    /// As in `5+3`: minutes and seconds after each move.
    pub(crate) text: String,
    /// Milliseconds left to White and Black.
    pub(crate) left: [u64; 2],
    /// Whether the clock of the side to move runs.
    pub(crate) running: bool,
}

/// The answer to a question about a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Answer {
    pub(crate) node: usize,
    /// The move that was asked about; none if any move was asked for.
    pub(crate) about: Option<String>,
    /// Whether it is a threat: a line of the side that does not have the move.
    pub(crate) threat: bool,
    /// Whether the move is right, of one that was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verdict: Option<Verdict>,
    /// What the search has found.
    #[serde(flatten)]
    pub(crate) line: LineState,
}

/// What the review says of a move that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// It is the best one.
    Best,
    /// It is not much worse.
    Good,
    /// It would be marked.
    Wrong,
}

/// What the record of a game says besides its moves.
#[derive(Serialize)]
pub(crate) struct RecordState<'a> {
    /// White and Black; empty where they are called as who plays here.
    pub(crate) names: [&'a str; 2],
    /// How the main line has ended: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub(crate) result: &'a str,
    /// The other tags that can be edited.
    pub(crate) tags: Vec<(&'a str, String)>,
}

/// The games of a text.
#[derive(Serialize)]
pub(crate) struct GamesState<'a> {
    /// The one that is played here, counted from 0.
    pub(crate) chosen: usize,
    pub(crate) list: &'a [GameSummary],
}

/// A game of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct GameSummary {
    /// White and Black.
    pub(crate) players: [String; 2],
    pub(crate) date: String,
    pub(crate) result: String,
    pub(crate) plies: usize,
}

/// What was played in a position.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ExplorerState<'a> {
    /// The games that are explored, and those that were left out.
    pub(crate) all: usize,
    pub(crate) left_out: usize,
    /// The games with this position.
    pub(crate) here: usize,
    /// The moves after it, the most frequent first.
    pub(crate) moves: Vec<ExploredMove<'a>>,
    /// The first games with the position.
    pub(crate) list: Vec<ExploredGame<'a>>,
}

/// A move of a position, with the games in which it was played.
#[derive(Serialize)]
pub(crate) struct ExploredMove<'a> {
    /// The move in the notation of the protocol.
    #[serde(rename = "move")]
    pub(crate) mv: &'a str,
    /// The same in the notation of records.
    pub(crate) text: String,
    pub(crate) games: usize,
    /// The games that White has won, that were drawn, and that Black has won.
    pub(crate) white: usize,
    pub(crate) draws: usize,
    pub(crate) black: usize,
}

/// A game with a position.
#[derive(Serialize)]
pub(crate) struct ExploredGame<'a> {
    /// Its number, counted from 0.
    pub(crate) game: usize,
    #[serde(flatten)]
    pub(crate) summary: &'a GameSummary,
}

/// The review of a line.
#[derive(Serialize)]
pub(crate) struct ReviewState<'a> {
    /// Who has searched all positions.
    pub(crate) analyst: &'a str,
    /// The expected result for White in the start position.
    pub(crate) start: Option<f64>,
    /// Positions of the line that have been searched.
    pub(crate) known: usize,
    /// White and Black.
    pub(crate) players: [PlayerReview; 2],
}

/// What the moves of a player add up to.
#[derive(Serialize)]
pub(crate) struct PlayerReview {
    /// Moves that were judged.
    pub(crate) moves: usize,
    /// Their mean accuracy in percent; none without moves.
    pub(crate) accuracy: Option<f64>,
    /// Points given away, in all.
    pub(crate) loss: f64,
    /// Inaccuracies, mistakes and blunders.
    pub(crate) marks: [usize; 3],
}

/// What the review says of a move.
#[derive(Serialize)]
pub(crate) struct MoveReview {
    /// The expected result for White after it.
    pub(crate) result: f64,
    /// The points that it gives away.
    pub(crate) loss: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mark: Option<&'static str>,
    /// The line that would have been better, of a marked move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) better: Option<BetterMove>,
}

/// A line in place of a move.
#[derive(Serialize)]
pub(crate) struct BetterMove {
    /// Its first move, in the notation of the protocol.
    #[serde(rename = "move")]
    pub(crate) mv: String,
    /// The moves, in the notation of records.
    pub(crate) line: Vec<String>,
}

/// What a search says of a position, for White.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Eval {
    /// The expected result, from 0 to 1.
    pub(crate) result: f64,
    /// The depth of the search.
    pub(crate) depth: u32,
    /// Who has searched; empty where the game is over.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) by: String,
}

/// The static evaluation of a position.
#[derive(Serialize)]
pub(crate) struct StaticEvalState {
    /// The number of the game.
    pub(crate) number: u64,
    /// The node of the position.
    pub(crate) node: usize,
    #[serde(flatten)]
    pub(crate) eval: StaticEval,
}

/// What an evaluation says of a position without a search, by its kind.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StaticEval {
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
pub(crate) struct LineMove<'a> {
    pub(crate) node: usize,
    /// The move in the notation of the protocol.
    #[serde(rename = "move")]
    pub(crate) mv: &'a str,
    pub(crate) text: &'a str,
    /// The evaluation of the position after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) eval: Option<&'a Eval>,
    /// What the review says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) review: Option<MoveReview>,
}

/// A move of the game, with what is said of it.
#[derive(Serialize)]
pub(crate) struct TreeMove<'a> {
    pub(crate) node: usize,
    /// The node that it follows.
    pub(crate) parent: usize,
    #[serde(rename = "move")]
    pub(crate) mv: &'a str,
    pub(crate) text: &'a str,
    /// The comment before it, where it is the first move of a variation.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) before: &'a str,
    /// The comment after it, without commands.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) comment: String,
    #[serde(skip_serializing_if = "<[u16]>::is_empty")]
    pub(crate) glyphs: &'a [u16],
    /// The mark of the review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mark: Option<&'static str>,
    /// Milliseconds left to the player after the move, and those that it took, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) spent: Option<u64>,
}

/// The end of a game.
#[derive(Serialize)]
pub(crate) struct EndText {
    pub(crate) winner: Option<ColorText>,
    /// The result with its reason, as in `White wins: checkmate`.
    pub(crate) text: String,
}

/// What a search has found so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SearchState {
    /// The number of the game.
    pub number: u64,
    /// The node of the position that is searched.
    pub node: usize,
    /// The depth of the last iteration, in plies.
    pub depth: u32,
    /// Nodes visited.
    pub nodes: u64,
    /// Seconds since its begin.
    pub seconds: f64,
    /// The lines, the best first.
    pub lines: Vec<LineState>,
}

/// A line that a search has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineState {
    /// Its first move, in the notation of the protocol.
    #[serde(rename = "move")]
    pub mv: String,
    /// The score for White as in UCI, `cp 37` or `mate -4`.
    pub score: String,
    /// The expected result for White, from 0 to 1.
    pub result: f64,
    /// The moves, in the notation of records.
    pub line: Vec<String>,
    /// The same moves in the notation of the protocol.
    pub moves: Vec<String>,
    /// The boards after each of them, as in a FEN.
    pub boards: Vec<String>,
    /// In a Monte Carlo search: the share of the simulations that went through the move, and their mean
    /// result for the side to move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visits: Option<(f64, f64)>,
}

/// A player as text.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColorText {
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
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("messages are made of text and numbers")
    }
}
