//! What a browser asks for, in JSON. `docs/web.md` describes it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What a browser asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// Begin a new game.
    New {
        /// The name of the game.
        game: String,
        /// A value of the game's option.
        #[serde(default)]
        option: Option<String>,
        /// The start position.
        #[serde(default)]
        fen: Option<String>,
        /// How many random moves the game begins with, in place of `fen`.
        #[serde(default)]
        opening: Option<usize>,
        /// White and Black, by name.
        players: [String; 2],
        /// The time of each player; none without clocks.
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
    /// Play moves one after the other from the position of a node, as far as they can be played.
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
    /// Take back the last move, and those before it up to the last one of a person.
    TakeBack {},
    /// Exchange the players.
    Players {
        /// White and Black, by name.
        players: [String; 2],
    },
    /// Keep the engines from moving, or let them move again.
    Pause {
        /// Whether they are kept from moving.
        on: bool,
    },
    /// Let the engine whose turn it is make one move, in a paused game.
    Step {},
    /// Search the position on the board for its evaluation, or no longer.
    Analyse {
        /// Whether it is searched.
        on: bool,
        /// The number of lines.
        #[serde(default)]
        lines: Option<usize>,
        /// Who searches, one of the analysts of the welcome.
        #[serde(default)]
        analyst: Option<String>,
        /// The depth at which it ends; 0 for none.
        #[serde(default)]
        depth: Option<u32>,
        /// The threads of the search; 0 for those of the analyst.
        #[serde(default)]
        threads: Option<usize>,
        /// The size of its transposition table in MiB; 0 for that of the analyst.
        #[serde(default)]
        hash: Option<usize>,
    },
    /// Evaluate all positions of the line with the analyst, or no longer.
    Review {
        /// Whether they are evaluated.
        #[serde(default = "yes")]
        on: bool,
    },
    /// Judge a move in the position on the board, by the review.
    Try {
        /// The node of the position.
        node: usize,
        /// The move.
        #[serde(rename = "move")]
        mv: String,
    },
    /// Search the position on the board once: for a move to play, for what follows a move, or for a threat.
    Ask {
        /// The node of the position.
        node: usize,
        /// The move that somebody wonders about.
        #[serde(default, rename = "move")]
        mv: Option<String>,
        /// Whether the other side has the move in place of the one whose turn it is: what it threatens.
        #[serde(default)]
        threat: bool,
    },
    /// Say whether a game can begin from a position.
    Check {
        /// The name of the game.
        game: String,
        /// A value of the game's option.
        #[serde(default)]
        option: Option<String>,
        /// The position; the start position where it is missing.
        #[serde(default)]
        fen: Option<String>,
    },
    /// Give the game up, for the person who plays it, or whose turn it is.
    Resign {},
    /// End the game in a draw, if the engine that plays it agrees; among people at once.
    Draw {},
    /// Replace what is said of the move that leads to a node.
    Annotate {
        /// The node; that of the start position for what is said of the game.
        node: usize,
        /// The comment; it stays if missing.
        #[serde(default)]
        comment: Option<String>,
        /// The glyphs; they stay if missing.
        #[serde(default)]
        glyphs: Option<Vec<u16>>,
    },
    /// Make a variation the line that the one around it goes on with.
    Promote {
        /// A node of the variation.
        node: usize,
        /// Whether it becomes the main line at once.
        #[serde(default)]
        main: bool,
    },
    /// Delete a move with all that follows it.
    Delete {
        /// The node that it leads to.
        node: usize,
    },
    /// Set tags of the record by their names.
    Record {
        /// The tags; those that are empty are removed.
        tags: BTreeMap<String, String>,
    },
    /// Send the game as PGN.
    Save {
        /// Whether marks, scores and better lines of the review are written into it.
        #[serde(default)]
        annotated: bool,
        /// Whether the other games of the text that was loaded are sent, too.
        #[serde(default)]
        all: bool,
    },
    /// Replace the game by one of a PGN text.
    Load {
        /// The text.
        pgn: String,
        /// The number of the game, counted from 0; without it the first one that can be played.
        #[serde(default)]
        game: Option<usize>,
    },
    /// Replace the game by another one of the text that was loaded.
    Choose {
        /// Its number, counted from 0.
        game: usize,
    },
    /// Replace the game by one that is explored, with the position that is on the board.
    Explored {
        /// Its number, counted from 0.
        game: usize,
    },
}

fn yes() -> bool {
    true
}

/// What a browser asks for that takes a thread for blocking work.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SlowRequest {
    /// Send the analyst's static evaluation of the position on the board.
    StaticEval {},
    /// Explore the games of a PGN text, too.
    Explore {
        /// The text.
        pgn: String,
        /// Whether the games that were explored before are forgotten.
        #[serde(default)]
        first: bool,
    },
    /// Send the list of the files of the folder.
    Files {},
    /// Send the content of a file, now and whenever it changes, until another one is opened or none.
    Open {
        /// Its name; none to look at no file any more.
        #[serde(default)]
        file: Option<String>,
    },
    /// Replace the game by one of a file, counted from 0.
    Replay {
        /// The name of the file.
        file: String,
        /// The number of the game.
        game: usize,
    },
}

/// What a browser asks for, of either kind.
#[derive(Debug)]
pub enum AnyRequest {
    /// One that takes no time.
    Quick(Request),
    /// One that takes some.
    Slow(SlowRequest),
}

/// Reads a request. The error says what is wrong with a request of its kind.
pub fn read(text: &str) -> serde_json::Result<AnyRequest> {
    /// The kind of a request, with whatever else it has.
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

/// The time of each player.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockRequest {
    /// Minutes for the game.
    pub minutes: f64,
    /// Seconds that are added after each move.
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
    fn a_request_is_refused_by_what_is_missing() {
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
            (r#"{"do":"check","fen":"8/8"}"#, "missing field `game`"),
            (r#"{"do":"play-line","node":0,"moves":"e4"}"#, "invalid type: string"),
            (r#"{"do":"analyse","on":true,"hash":-1}"#, "invalid value: integer `-1`"),
            (r#"{"do":"save","x":1}"#, "unknown field `x`"),
            (r#"{"do":"files","x":1}"#, "unknown field `x`"),
            (r#"{"do":"static-eval","x":1}"#, "unknown field `x`"),
            // Every kind is named.
            (
                r#"{"do":"Replay"}"#,
                "`new`, `play`, `play-line`, `show`, `take-back`, `players`, `pause`, `step`, `analyse`",
            ),
            (
                r#"{"do":"Replay"}"#,
                "`review`, `try`, `ask`, `check`, `resign`, `draw`, `annotate`, `promote`, `delete`, `record`, \
                 `save`, `load`, `choose`, `explored`, `static-eval`, `explore`, `files`, `open`",
            ),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
