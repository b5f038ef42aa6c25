//! The messages to the browser, in JSON, as documented in `docs/web.md`.

use serde::{Deserialize, Serialize};

use crate::catalogue::OfferedGameText;
use crate::seats::{Presence, Role};
use labrys_core::game::Color;

/// A message to the browser.
#[derive(Serialize)]
#[serde(tag = "is", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub(crate) enum Message<'a> {
    /// The first message of a connection: the session, and the games, engines and analysts to choose from.
    Welcome {
        version: &'a str,
        /// The name of the session, for its owner.
        session: Option<&'a str>,
        role: Role,
        /// Whether the session can have seats.
        seats: bool,
        /// Whether the server has a lobby.
        lobby: bool,
        /// Whether the server inspects positions.
        inspections: bool,
        /// Whether the server shows a folder.
        folder: bool,
        games: Vec<OfferedGameText<'a>>,
        /// The engines of the command line.
        engines: Vec<&'a str>,
        /// Those that do not start.
        missing: Vec<String>,
        /// The analysts, the default first.
        analysts: Vec<&'a str>,
        /// The maximum number of threads and MiB of hash for an analysis.
        threads: usize,
        hash: usize,
    },
    /// The current state of the game.
    Game(&'a GameState<'a>),
    /// The connection has another role from now on.
    Role { role: Role },
    /// The tokens of the seats.
    Seats { white: &'a str, black: &'a str, spectators: &'a str },
    /// The progress of a search.
    Search(&'a SearchState),
    /// The static evaluation of a position.
    StaticEval(StaticEvalState),
    /// The number of games in the explorer, and of those left out.
    Explored { games: usize, left_out: usize },
    /// The game as PGN.
    Saved { pgn: String },
    /// A legal start position, normalised, or why it is not legal.
    Checked { fen: Option<String>, problem: Option<String> },
    /// The request was refused; nothing has changed.
    Error { text: String },
}

/// The current state of the game.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct GameState<'a> {
    /// The number of the game in its session.
    pub(crate) number: u64,
    /// The name of the game.
    pub(crate) game: &'a str,
    /// The value of its option, unless it is the default.
    pub(crate) option: Option<&'a str>,
    /// White and Black, by name.
    pub(crate) players: [&'a str; 2],
    /// The side of the person in a game against an engine.
    pub(crate) person: Option<ColorText>,
    pub(crate) paused: bool,
    /// Whether the current position is analysed, in how many lines and by which analyst.
    pub(crate) analysing: bool,
    pub(crate) lines: usize,
    pub(crate) analyst: &'a str,
    /// The limits of the analysis: depth, threads and MiB of hash; 0 for the default.
    pub(crate) depth: u32,
    pub(crate) threads: usize,
    pub(crate) hash: usize,
    /// Whether a review is running.
    pub(crate) reviewing: bool,
    /// Whether an engine is thinking about its move.
    pub(crate) thinking: bool,
    /// The start position as FEN.
    pub(crate) start: &'a str,
    /// Plies before the start position, by its move number.
    pub(crate) first_ply: usize,
    pub(crate) record: RecordState<'a>,
    /// The games of the loaded text, if it contains several.
    pub(crate) games: Option<GamesState<'a>>,
    /// All moves, depth first, the mainline first.
    pub(crate) tree: Vec<TreeMove<'a>>,
    /// The comment before the first move.
    pub(crate) comment: String,
    /// The review of the line, if there is one.
    pub(crate) review: Option<ReviewState<'a>>,
    /// The moves of the current line, including those after the current position.
    pub(crate) line: Vec<LineMove<'a>>,
    /// The node of the current position.
    pub(crate) node: usize,
    /// Plies from the start position.
    pub(crate) ply: usize,
    /// The last move, in the notation of the protocol.
    pub(crate) last: Option<&'a str>,
    /// The current position as FEN.
    pub(crate) fen: String,
    pub(crate) side_to_move: ColorText,
    /// The legal moves, in the notation of the protocol.
    pub(crate) moves: Vec<String>,
    /// The end of the game; none while it is in progress.
    pub(crate) end: Option<EndText>,
    /// The clocks, if the game has any.
    pub(crate) clock: Option<ClockState>,
    /// The evaluation of the start position.
    pub(crate) start_eval: Option<&'a Eval>,
    /// The opening: the last named position up to the current one.
    pub(crate) opening: Option<OpeningText>,
    /// The explorer's entry for the position, if any games have been opened.
    pub(crate) explorer: Option<ExplorerState<'a>>,
    /// The answer to the last question about the current position.
    pub(crate) answer: Option<&'a Answer>,
    /// Why an engine cannot play.
    pub(crate) problem: Option<&'a str>,
    /// Who is connected, while there are seats.
    pub(crate) seats: Option<Presence>,
    /// Who has offered a draw, and who wants a rematch.
    pub(crate) draw_offer: Option<ColorText>,
    pub(crate) rematch: Option<ColorText>,
}

/// The name of an opening.
#[derive(Serialize)]
pub(crate) struct OpeningText {
    /// Its code; in chess, ECO.
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
}

/// The clocks.
#[derive(Serialize)]
pub(crate) struct ClockState {
    /// The time control, as in `5+3`: minutes, and increment in seconds.
    pub(crate) text: String,
    /// Milliseconds left for White and Black.
    pub(crate) left: [u64; 2],
    /// Whether the clock of the side to move is running.
    pub(crate) running: bool,
}

/// The answer to a question about a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Answer {
    pub(crate) node: usize,
    /// The move in question; none for a hint or a threat.
    pub(crate) about: Option<String>,
    /// Whether it is a threat: the best line of the opponent if it were to move.
    pub(crate) threat: bool,
    /// The verdict on a tried move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verdict: Option<Verdict>,
    /// The best line.
    #[serde(flatten)]
    pub(crate) line: LineState,
}

/// The verdict of the review on a tried move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// It is the best move.
    Best,
    /// It is not much worse.
    Good,
    /// It would be marked as an inaccuracy or worse.
    Wrong,
}

/// The tags of a game.
#[derive(Serialize)]
pub(crate) struct RecordState<'a> {
    /// White and Black; empty for the names of the session's players.
    pub(crate) names: [&'a str; 2],
    /// The result of the mainline: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub(crate) result: &'a str,
    /// The other editable tags.
    pub(crate) tags: Vec<(&'a str, String)>,
}

/// The games of a PGN text.
#[derive(Serialize)]
pub(crate) struct GamesState<'a> {
    /// The index of the current game.
    pub(crate) chosen: usize,
    pub(crate) list: &'a [GameSummary],
}

/// A game in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct GameSummary {
    /// White and Black.
    pub(crate) players: [String; 2],
    pub(crate) date: String,
    pub(crate) result: String,
    pub(crate) plies: usize,
}

/// The explorer's entry for a position.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ExplorerState<'a> {
    /// The number of games in the explorer, and of those left out.
    pub(crate) all: usize,
    pub(crate) left_out: usize,
    /// The number of games with this position.
    pub(crate) here: usize,
    /// Its moves, the most frequent first.
    pub(crate) moves: Vec<ExploredMove<'a>>,
    /// The first games with this position.
    pub(crate) list: Vec<ExploredGame<'a>>,
}

/// A move of the explorer, with the results of its games.
#[derive(Serialize)]
pub(crate) struct ExploredMove<'a> {
    /// The move in the notation of the protocol.
    #[serde(rename = "move")]
    pub(crate) mv: &'a str,
    /// The move in SAN.
    pub(crate) text: String,
    pub(crate) games: usize,
    /// White's wins, draws, Black's wins.
    pub(crate) white: usize,
    pub(crate) draws: usize,
    pub(crate) black: usize,
}

/// A game of the explorer.
#[derive(Serialize)]
pub(crate) struct ExploredGame<'a> {
    /// Its index.
    pub(crate) game: usize,
    #[serde(flatten)]
    pub(crate) summary: &'a GameSummary,
}

/// The review of a line.
#[derive(Serialize)]
pub(crate) struct ReviewState<'a> {
    /// The analyst that searched all positions.
    pub(crate) analyst: &'a str,
    /// White's expected score in the start position.
    pub(crate) start: Option<f64>,
    /// The number of positions of the line that have been searched.
    pub(crate) known: usize,
    /// White and Black.
    pub(crate) players: [PlayerReview; 2],
}

/// The review of a player.
#[derive(Serialize)]
pub(crate) struct PlayerReview {
    /// The number of judged moves.
    pub(crate) moves: usize,
    /// Their mean accuracy in percent; none without moves.
    pub(crate) accuracy: Option<f64>,
    /// The total loss, in points.
    pub(crate) loss: f64,
    /// The numbers of inaccuracies, mistakes and blunders.
    pub(crate) marks: [usize; 3],
}

/// The review of a move.
#[derive(Serialize)]
pub(crate) struct MoveReview {
    /// White's expected score after it.
    pub(crate) result: f64,
    /// The expected points that it loses.
    pub(crate) loss: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mark: Option<&'static str>,
    /// The best line, if the move is marked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) better: Option<BetterMove>,
}

/// A better line.
#[derive(Serialize)]
pub(crate) struct BetterMove {
    /// Its first move, in the notation of the protocol.
    #[serde(rename = "move")]
    pub(crate) mv: String,
    /// The moves, in SAN.
    pub(crate) line: Vec<String>,
}

/// The evaluation of a position by a search, from White's point of view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Eval {
    /// The expected score, from 0 to 1.
    pub(crate) result: f64,
    /// The depth of the search.
    pub(crate) depth: u32,
    /// The engine that searched; empty if the game is over.
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

/// A static evaluation in detail, by the kind of the evaluation.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StaticEval {
    /// A linear evaluation.
    Features {
        /// The name of the feature set.
        set: &'static str,
        /// The sum of the products, from the side to move's point of view.
        sum: f64,
        /// The non-zero features: name, value, weight and product.
        rows: Vec<(&'static str, f64, f64, f64)>,
    },
    /// An evaluation net.
    Inputs {
        /// The value from the side to move's point of view.
        value: f64,
        /// The name of each input, and its contribution from White's point of view.
        rows: Vec<(String, f64)>,
    },
    /// A policy/value net.
    Policy {
        /// The side to move's expected score, from 0 to 1.
        value: f64,
        /// The legal moves by descending prior: the move, its SAN, its prior.
        rows: Vec<(String, String, f32)>,
    },
    /// Why there is none.
    Problem(String),
}

/// A move of the current line.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) review: Option<MoveReview>,
}

/// A move of the game tree, with its annotations.
#[derive(Serialize)]
pub(crate) struct TreeMove<'a> {
    pub(crate) node: usize,
    /// The node before it.
    pub(crate) parent: usize,
    #[serde(rename = "move")]
    pub(crate) mv: &'a str,
    pub(crate) text: &'a str,
    /// The comment before it, if it is the first move of a variation.
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
    /// Milliseconds left for the player after the move, and spent on it, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) spent: Option<u64>,
}

/// The end of a game.
#[derive(Serialize)]
pub(crate) struct EndText {
    pub(crate) winner: Option<ColorText>,
    /// The result and its reason, as in `White wins: checkmate`.
    pub(crate) text: String,
}

/// The progress of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SearchState {
    /// The number of the game.
    pub number: u64,
    /// The node of the searched position.
    pub node: usize,
    /// The depth of the last iteration, in plies.
    pub depth: u32,
    /// Nodes visited.
    pub nodes: u64,
    /// Seconds since its start.
    pub seconds: f64,
    /// The lines, the best first.
    pub lines: Vec<LineState>,
}

/// A line (PV) of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LineState {
    /// Its first move, in the notation of the protocol.
    #[serde(rename = "move")]
    pub mv: String,
    /// The score as in UCI, `cp 37` or `mate -4`, but from White's point of view.
    pub score: String,
    /// White's expected score, from 0 to 1.
    pub result: f64,
    /// The moves, in SAN.
    pub line: Vec<String>,
    /// The same moves in the notation of the protocol.
    pub moves: Vec<String>,
    /// The board part of the FEN after each move.
    pub boards: Vec<String>,
    /// In MCTS: the share of the simulations that visited the move, and its mean result for the side to move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visits: Option<(f64, f64)>,
}

/// A colour as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

impl From<ColorText> for Color {
    fn from(text: ColorText) -> Color {
        match text {
            ColorText::White => Color::White,
            ColorText::Black => Color::Black,
        }
    }
}

impl Message<'_> {
    /// As JSON.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("messages are made of text and numbers")
    }
}
