//! The requests of the browser, in JSON, as documented in `docs/web.md`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A request that is executed at once.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// Start a new game.
    New {
        /// The name of the game.
        game: String,
        /// A value of the game's option.
        #[serde(default)]
        option: Option<String>,
        /// The start position.
        #[serde(default)]
        fen: Option<String>,
        /// The number of random moves to start with, instead of `fen`.
        #[serde(default)]
        opening: Option<usize>,
        /// White and Black, by name.
        players: [String; 2],
        /// The time control; none for a game without clocks.
        #[serde(default)]
        clock: Option<ClockRequest>,
    },
    /// Play a move in the position of a node.
    Play {
        /// The node.
        node: usize,
        /// The move, in the notation of the protocol.
        #[serde(rename = "move")]
        mv: String,
    },
    /// Play moves from the position of a node, as far as they are legal.
    PlayLine {
        /// The node.
        node: usize,
        /// The moves, in the notation of the protocol.
        moves: Vec<String>,
    },
    /// Show the position of a node.
    Show {
        /// The node.
        node: usize,
    },
    /// Take back the last move, and the moves of engines before it.
    TakeBack {},
    /// Change the players.
    Players {
        /// White and Black, by name.
        players: [String; 2],
    },
    /// Pause or resume the engines.
    Pause {
        /// Whether to pause.
        on: bool,
    },
    /// Let the engine to move play one move in a paused game.
    Step {},
    /// Start or stop analysing the current position.
    Analyse {
        /// Whether to start.
        on: bool,
        /// The number of lines.
        #[serde(default)]
        lines: Option<usize>,
        /// The analyst, by name.
        #[serde(default)]
        analyst: Option<String>,
        /// The maximum depth; 0 for no limit.
        #[serde(default)]
        depth: Option<u32>,
        /// The number of threads; 0 for the analyst's own value.
        #[serde(default)]
        threads: Option<usize>,
        /// The size of the transposition table in MiB; 0 for the analyst's own value.
        #[serde(default)]
        hash: Option<usize>,
    },
    /// Start or stop reviewing the line with the analyst.
    Review {
        /// Whether to start.
        #[serde(default = "yes")]
        on: bool,
    },
    /// Judge a move in the current position by the review.
    Try {
        /// The node of the position.
        node: usize,
        /// The move.
        #[serde(rename = "move")]
        mv: String,
    },
    /// Search the current position once: for a hint, the continuation after a move, or a threat.
    Ask {
        /// The node of the position.
        node: usize,
        /// The move to continue after.
        #[serde(default, rename = "move")]
        mv: Option<String>,
        /// Whether to search for a threat, as if the opponent were to move.
        #[serde(default)]
        threat: bool,
    },
    /// Check whether a game can start from a position.
    Check {
        /// The name of the game.
        game: String,
        /// A value of the game's option.
        #[serde(default)]
        option: Option<String>,
        /// The position; by default the start position.
        #[serde(default)]
        fen: Option<String>,
    },
    /// Resign, for the only person or the side to move.
    Resign {},
    /// End the game in a draw, if the engine accepts; immediately among people. With seats, offer a draw or
    /// accept the opponent's offer.
    Draw {},
    /// Start a rematch with the colours swapped. With seats, both players have to request it.
    Rematch {},
    /// Open or close the seats: links for White, Black and spectators.
    Seats {
        /// Whether they are open.
        on: bool,
    },
    /// Replace the comment or the glyphs of the move that leads to a node.
    Annotate {
        /// The node; the start position for the comment before the first move.
        node: usize,
        /// The new comment, if any.
        #[serde(default)]
        comment: Option<String>,
        /// The new glyphs, if any.
        #[serde(default)]
        glyphs: Option<Vec<u16>>,
    },
    /// Promote a variation by one level.
    Promote {
        /// A node of the variation.
        node: usize,
        /// Whether to promote it to the mainline.
        #[serde(default)]
        main: bool,
    },
    /// Delete a move and everything after it.
    Delete {
        /// The node that it leads to.
        node: usize,
    },
    /// Set PGN tags.
    Record {
        /// The tags by name; empty ones are removed.
        tags: BTreeMap<String, String>,
    },
    /// Send the game as PGN.
    Save {
        /// Whether to include the marks, scores and better lines of the review.
        #[serde(default)]
        annotated: bool,
        /// Whether to include the other games of the loaded text.
        #[serde(default)]
        all: bool,
    },
    /// Replace the game by one of a PGN text.
    Load {
        /// The text.
        pgn: String,
        /// The index of the game; by default the first one that can be played.
        #[serde(default)]
        game: Option<usize>,
    },
    /// Replace the game by another one of the loaded text.
    Choose {
        /// Its index.
        game: usize,
    },
    /// Replace the game by one of the explorer, at the current position.
    Explored {
        /// Its index.
        game: usize,
    },
}

fn yes() -> bool {
    true
}

/// A request that may block, and so needs a thread of its own.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SlowRequest {
    /// Send the analyst's static evaluation of the current position.
    StaticEval {},
    /// Add the games of a PGN text to the explorer.
    Explore {
        /// The text.
        pgn: String,
        /// Whether to remove the earlier games first.
        #[serde(default)]
        first: bool,
    },
    /// Send the list of the files of the folder.
    Files {},
    /// Send the content of a file, now and whenever it changes, until the next `Open`.
    Open {
        /// Its name; none to close the file.
        #[serde(default)]
        file: Option<String>,
    },
    /// Replace the game by one of a file.
    Replay {
        /// The name of the file.
        file: String,
        /// The index of the game.
        game: usize,
    },
}

/// A request.
#[derive(Debug)]
pub enum AnyRequest {
    /// One that is executed at once.
    Quick(Request),
    /// One that may block.
    Slow(SlowRequest),
}

/// Parses a request. The kind is read first, so that the error is about a request of this kind.
pub fn read(text: &str) -> serde_json::Result<AnyRequest> {
    /// The kind of a request; its other keys are ignored.
    #[derive(Deserialize)]
    #[serde(tag = "do", rename_all = "kebab-case")]
    enum Kind {
        New,
        Play,
        PlayLine,
        Show,
        TakeBack,
        Players,
        Pause,
        Step,
        Analyse,
        Review,
        Try,
        Ask,
        Check,
        Resign,
        Draw,
        Rematch,
        Seats,
        Annotate,
        Promote,
        Delete,
        Record,
        Save,
        Load,
        Choose,
        Explored,
        StaticEval,
        Explore,
        Files,
        Open,
        Replay,
    }
    match serde_json::from_str(text)? {
        Kind::StaticEval | Kind::Explore | Kind::Files | Kind::Open | Kind::Replay => {
            serde_json::from_str(text).map(AnyRequest::Slow)
        }
        _ => serde_json::from_str(text).map(AnyRequest::Quick),
    }
}

/// A time control.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockRequest {
    /// The time for the game in minutes.
    pub minutes: f64,
    /// The increment after each move in seconds.
    pub increment: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_strictly() {
        let read = serde_json::from_str::<Request>;
        assert!(read(r#"{"do":"new","game":"chess","players":["person","1 s a move"]}"#).is_ok());
        assert!(matches!(read(r#"{"do":"play","node":3,"move":"e2e4"}"#), Ok(Request::Play { node: 3, .. })));
        assert!(matches!(read(r#"{"do":"take-back"}"#), Ok(Request::TakeBack {})));
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

    #[test]
    fn errors_name_the_wrong_key() {
        let read = |text| super::read(text);
        assert!(matches!(read(r#"{"do":"open"}"#), Ok(AnyRequest::Slow(SlowRequest::Open { file: None }))));
        assert!(matches!(read(r#"{"game":2,"file":"x","do":"replay"}"#), Ok(AnyRequest::Slow(_))));
        assert!(matches!(read(r#"{"do":"files"}"#), Ok(AnyRequest::Slow(SlowRequest::Files {}))));
        assert!(matches!(read(r#"{"do":"static-eval"}"#), Ok(AnyRequest::Slow(SlowRequest::StaticEval {}))));
        assert!(matches!(read(r#"{"do":"save"}"#), Ok(AnyRequest::Quick(Request::Save { all: false, .. }))));
        for (text, problem) in [
            (r#"{"do":"replay","file":"x"}"#, "missing field `game`"),
            (r#"{"do":"replay","game":1}"#, "missing field `file`"),
            (r#"{"do":"replay","file":"x","game":-1}"#, "invalid value: integer `-1`"),
            (r#"{"do":"replay","file":"x","game":1,"more":2}"#, "unknown field `more`"),
            (r#"{"do":"open","file":7}"#, "invalid type: integer `7`"),
            (r#"{"do":"open","name":"x"}"#, "unknown field `name`"),
            (r#"{"do":"play","node":0}"#, "missing field `move`"),
            (r#"{"do":"load"}"#, "missing field `pgn`"),
            (r#"{"do":"try","node":1}"#, "missing field `move`"),
            (r#"{"do":"annotate","comment":"x"}"#, "missing field `node`"),
            (r#"{"do":"annotate","node":1,"glyphs":[-1]}"#, "invalid value: integer `-1`"),
            (r#"{"do":"record","tags":{"White":1}}"#, "invalid type: integer `1`"),
            (r#"{"do":"choose"}"#, "missing field `game`"),
            (r#"{"do":"explored"}"#, "missing field `game`"),
            (r#"{"do":"explore","first":true}"#, "missing field `pgn`"),
            (r#"{"file":"x","game":1}"#, "missing field `do`"),
            (r#"{"do":"fly"}"#, "unknown variant `fly`"),
            (r#"{"do":"take-back","x":1}"#, "unknown field `x`"),
            (r#"{"do":"step","x":1}"#, "unknown field `x`"),
            (r#"{"do":"review","x":1}"#, "unknown field `x`"),
            (r#"{"do":"resign","x":1}"#, "unknown field `x`"),
            (r#"{"do":"draw","x":1}"#, "unknown field `x`"),
            (r#"{"do":"rematch","x":1}"#, "unknown field `x`"),
            (r#"{"do":"seats"}"#, "missing field `on`"),
            (r#"{"do":"check","fen":"8/8"}"#, "missing field `game`"),
            (r#"{"do":"play-line","node":0,"moves":"e4"}"#, "invalid type: string"),
            (r#"{"do":"analyse","on":true,"hash":-1}"#, "invalid value: integer `-1`"),
            (r#"{"do":"save","x":1}"#, "unknown field `x`"),
            (r#"{"do":"files","x":1}"#, "unknown field `x`"),
            (r#"{"do":"static-eval","x":1}"#, "unknown field `x`"),
            // An unknown kind lists them all.
            (
                r#"{"do":"Replay"}"#,
                "`new`, `play`, `play-line`, `show`, `take-back`, `players`, `pause`, `step`, `analyse`",
            ),
            (
                r#"{"do":"Replay"}"#,
                "`review`, `try`, `ask`, `check`, `resign`, `draw`, `rematch`, `seats`, `annotate`, `promote`, \
                 `delete`, `record`, `save`, `load`, `choose`, `explored`, `static-eval`, `explore`, `files`, \
                 `open`",
            ),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
