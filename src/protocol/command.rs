//! Parsing of lines into typed commands.

use std::ops::RangeInclusive;
use std::str::SplitWhitespace;
use std::time::Duration;

use thiserror::Error;

use crate::engine::WeightsSource;
use crate::game::quote;
use crate::search::{Clock, Limits};

/// The greatest depth of a perft.
const MAX_PERFT: u64 = 64;

/// A command of the protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Tell name, author and options.
    Uci,
    /// Answer when all earlier commands are done.
    IsReady,
    /// Clear the data of earlier searches.
    NewGame,
    /// `debug`, which has no effect.
    Debug,
    /// Set an option.
    SetOption {
        /// Name of the option.
        name: String,
        /// Its value; empty for a button.
        value: String,
    },
    /// Set up a position.
    Position {
        /// Its FEN; the start position without one.
        fen: Option<String>,
        /// The moves from there.
        moves: Vec<String>,
    },
    /// Search.
    Go(Go),
    /// Count the paths of this many moves.
    Perft(u32),
    /// End the search.
    Stop,
    /// The opponent has played the expected move.
    PonderHit,
    /// Read no further line until the search has ended.
    Wait,
    /// Replace weights.
    SetWeights(WeightsSource),
    /// Show the weights.
    Weights,
    /// Show the evaluation.
    Eval {
        /// Every feature, and not only the terms that are not zero.
        all: bool,
    },
    /// Show the position.
    Display,
    /// List the legal moves.
    Moves,
    /// Compute the signature of the search, at a depth other than the default if one is given.
    Bench(Option<u32>),
    /// List the commands.
    Help,
    /// End the program.
    Quit,
}

/// The arguments of `go`.
#[derive(Clone, Debug, PartialEq)]
pub struct Go {
    /// The limits of the search.
    pub limits: Limits,
    /// Hold the answer until `stop`.
    pub infinite: bool,
    /// Hold the answer until `ponderhit` or `stop`.
    pub ponder: bool,
    /// The root moves; all legal moves if empty.
    pub search_moves: Vec<String>,
}

/// An error in a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// The first word is not a command.
    #[error("unknown command {}, `help` lists the commands", quote(.word))]
    Unknown {
        /// The word.
        word: String,
    },
    /// A word that the command does not expect.
    #[error("{command}: unexpected {}, expected {expected}", quote(.word))]
    Unexpected {
        /// The command.
        command: &'static str,
        /// The word.
        word: String,
        /// The expected words.
        expected: &'static str,
    },
    /// The line ends too early.
    #[error("{command}: {expected} is missing")]
    Missing {
        /// The command.
        command: &'static str,
        /// The missing part.
        expected: &'static str,
    },
    /// A number that is invalid or out of range.
    #[error("{command}: {name} {}: expected a whole number from {min} to {max}", quote(.word))]
    Number {
        /// The command.
        command: &'static str,
        /// The name of the number.
        name: &'static str,
        /// The word.
        word: String,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// A part that is given twice.
    #[error("{command}: {name} is given twice")]
    Twice {
        /// The command.
        command: &'static str,
        /// The part.
        name: &'static str,
    },
}

/// The commands, their arguments and their meaning. `help` prints this list.
pub(super) const HELP: &[(&str, &str)] = &[
    ("uci", "name, author and options of the engine"),
    ("isready", "answers `readyok`"),
    ("setoption name <name> [value <value>]", "sets an option"),
    ("ucinewgame", "clears the data of earlier searches"),
    ("position startpos|fen <fen> [moves <move> …]", "sets up a position"),
    ("go [depth|nodes|mate|movetime|wtime|btime|winc|binc|movestogo <n>] …", "searches within limits"),
    ("go infinite|ponder [searchmoves <move> …]", "searches until `stop` or `ponderhit`"),
    ("go perft <depth>, perft <depth>", "counts paths of legal moves"),
    ("stop", "ends the search"),
    ("ponderhit", "the expected move has been played"),
    ("wait", "reads no further line until the search has ended"),
    ("d", "the position"),
    ("moves", "the legal moves"),
    ("eval [all]", "the evaluation of the position: terms that are not zero, or all features"),
    ("weights", "the weights, as a weights file"),
    ("setweights <value> … | <name>=<value> … | file <path> | default", "replaces weights"),
    ("bench [<depth>]", "nodes of a fixed list of positions"),
    ("debug on|off", "accepted, without effect"),
    ("help", "this list"),
    ("quit", "ends the program"),
];

/// The words of a line after the command.
struct Words<'a> {
    command: &'static str,
    words: SplitWhitespace<'a>,
}

impl<'a> Words<'a> {
    fn next(&mut self, expected: &'static str) -> Result<&'a str, CommandError> {
        self.words.next().ok_or(CommandError::Missing { command: self.command, expected })
    }

    fn unexpected(&self, word: &str, expected: &'static str) -> CommandError {
        CommandError::Unexpected { command: self.command, word: word.to_owned(), expected }
    }

    fn number(&mut self, name: &'static str, range: RangeInclusive<i64>) -> Result<i64, CommandError> {
        let word = self.next(name)?;
        let number = word.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| CommandError::Number {
            command: self.command,
            name,
            word: word.to_owned(),
            min: *range.start(),
            max: *range.end(),
        })
    }

    fn end(mut self, command: Command) -> Result<Command, CommandError> {
        match self.words.next() {
            None => Ok(command),
            Some(word) => Err(self.unexpected(word, "the end of the line")),
        }
    }

    fn rest(self) -> Vec<String> {
        self.words.map(str::to_owned).collect()
    }
}

/// Reads a line; `None` where it is empty.
///
/// # Errors
/// [`CommandError`] names the word that is wrong.
pub fn parse(line: &str) -> Result<Option<Command>, CommandError> {
    let mut words = line.split_whitespace();
    let Some(word) = words.next() else { return Ok(None) };
    let words = |command| Words { command, words };
    let command = match word {
        "uci" => words("uci").end(Command::Uci),
        "isready" => words("isready").end(Command::IsReady),
        "ucinewgame" => words("ucinewgame").end(Command::NewGame),
        "debug" => parse_debug(words("debug")),
        "setoption" => parse_set_option(words("setoption"), line),
        "position" => parse_position(words("position")),
        "go" => parse_go(words("go")),
        "stop" => words("stop").end(Command::Stop),
        "ponderhit" => words("ponderhit").end(Command::PonderHit),
        "wait" => words("wait").end(Command::Wait),
        "setweights" => parse_set_weights(words("setweights"), line),
        "weights" => words("weights").end(Command::Weights),
        "eval" => parse_eval(words("eval")),
        "d" => words("d").end(Command::Display),
        "moves" => words("moves").end(Command::Moves),
        "perft" => parse_perft(words("perft")),
        "bench" => parse_bench(words("bench")),
        "help" => words("help").end(Command::Help),
        "quit" => words("quit").end(Command::Quit),
        _ => Err(CommandError::Unknown { word: word.to_owned() }),
    };
    command.map(Some)
}

fn parse_debug(mut words: Words) -> Result<Command, CommandError> {
    const EXPECTED: &str = "`on` or `off`";
    match words.next(EXPECTED)? {
        "on" | "off" => words.end(Command::Debug),
        word => Err(words.unexpected(word, EXPECTED)),
    }
}

/// Reads `setoption`. The name and the value may contain spaces.
fn parse_set_option(mut words: Words, line: &str) -> Result<Command, CommandError> {
    const NAME: &str = "`name <name>`";
    match words.next(NAME)? {
        "name" => {}
        word => return Err(words.unexpected(word, NAME)),
    }
    let mut name = Vec::new();
    let mut value = "";
    for word in words.words.by_ref() {
        if word == "value" {
            // The value is the rest of the line, inner spaces included.
            value = line[offset(line, word) + word.len()..].trim();
            break;
        }
        name.push(word);
    }
    if name.is_empty() {
        return Err(CommandError::Missing { command: words.command, expected: "the name of the option" });
    }
    Ok(Command::SetOption { name: name.join(" "), value: value.to_owned() })
}

/// The index at which a part of a line begins.
fn offset(line: &str, part: &str) -> usize {
    part.as_ptr() as usize - line.as_ptr() as usize
}

fn parse_position(mut words: Words) -> Result<Command, CommandError> {
    const EXPECTED: &str = "`startpos` or `fen <fen>`";
    let mut fen = None;
    let mut next = match words.next(EXPECTED)? {
        "startpos" => words.words.next(),
        "fen" => {
            let mut fields = vec![words.next("the FEN")?];
            let next = loop {
                match words.words.next() {
                    Some(field) if field != "moves" => fields.push(field),
                    next => break next,
                }
            };
            fen = Some(fields.join(" "));
            next
        }
        word => return Err(words.unexpected(word, EXPECTED)),
    };
    match next.take() {
        None => Ok(Command::Position { fen, moves: Vec::new() }),
        Some("moves") => Ok(Command::Position { fen, moves: words.rest() }),
        Some(word) => Err(words.unexpected(word, "`moves`")),
    }
}

fn parse_go(mut words: Words) -> Result<Command, CommandError> {
    /// The keywords of `go`. Any other word after `searchmoves` is a move.
    const KEYWORDS: [&str; 13] = [
        "depth",
        "nodes",
        "mate",
        "movetime",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "infinite",
        "ponder",
        "searchmoves",
        "perft",
    ];
    const ANY: RangeInclusive<i64> = i64::MIN..=i64::MAX;
    const COUNT: RangeInclusive<i64> = 1..=u32::MAX as i64;
    let mut go = Go { limits: Limits::none(), infinite: false, ponder: false, search_moves: Vec::new() };
    let limits = &mut go.limits;
    let mut seen = [false; KEYWORDS.len()];
    let (mut times, mut increments) = ([None; 2], [Duration::ZERO; 2]);
    let mut perft = None;
    // GUIs send negative times for clocks that have run out.
    let duration = |milliseconds: i64| Duration::from_millis(milliseconds.max(0) as u64);
    let mut next = words.words.next();
    while let Some(word) = next.take() {
        let index = KEYWORDS.iter().position(|&keyword| keyword == word);
        let index =
            index.ok_or_else(|| words.unexpected(word, "a limit such as `depth 8` or `movetime 1000`"))?;
        if std::mem::replace(&mut seen[index], true) {
            return Err(CommandError::Twice { command: words.command, name: KEYWORDS[index] });
        }
        match KEYWORDS[index] {
            "depth" => limits.depth = Some(words.number("depth", COUNT)? as u32),
            "nodes" => limits.nodes = Some(words.number("nodes", 1..=i64::MAX)? as u64),
            "mate" => limits.mate = Some(words.number("mate", 1..=1_000)? as u32),
            "movetime" => limits.movetime = Some(duration(words.number("movetime", 0..=i64::MAX)?)),
            "wtime" => times[0] = Some(duration(words.number("wtime", ANY)?)),
            "btime" => times[1] = Some(duration(words.number("btime", ANY)?)),
            "winc" => increments[0] = duration(words.number("winc", ANY)?),
            "binc" => increments[1] = duration(words.number("binc", ANY)?),
            "movestogo" => limits.moves_to_go = Some(words.number("movestogo", COUNT)? as u32),
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "perft" => perft = Some(words.number("perft", 1..=MAX_PERFT as i64)? as u32),
            _ => {
                // searchmoves
                go.search_moves.push(words.next("a move after `searchmoves`")?.to_owned());
                next = words.words.next();
                while let Some(mv) = next.filter(|word| !KEYWORDS.contains(word)) {
                    go.search_moves.push(mv.to_owned());
                    next = words.words.next();
                }
                continue;
            }
        }
        next = words.words.next();
    }
    for player in 0..2 {
        let increment = increments[player];
        limits.clocks[player] = times[player].map(|remaining| Clock { remaining, increment });
    }
    Ok(perft.map_or(Command::Go(go), Command::Perft))
}

fn parse_eval(mut words: Words) -> Result<Command, CommandError> {
    match words.words.next() {
        None => Ok(Command::Eval { all: false }),
        Some("all") => words.end(Command::Eval { all: true }),
        Some(word) => Err(words.unexpected(word, "`all`")),
    }
}

fn parse_perft(mut words: Words) -> Result<Command, CommandError> {
    let depth = words.number("depth", 1..=MAX_PERFT as i64)? as u32;
    words.end(Command::Perft(depth))
}

fn parse_bench(mut words: Words) -> Result<Command, CommandError> {
    if words.words.clone().next().is_none() {
        return Ok(Command::Bench(None));
    }
    let depth = words.number("depth", 1..=100)? as u32;
    words.end(Command::Bench(Some(depth)))
}

fn parse_set_weights(mut words: Words, line: &str) -> Result<Command, CommandError> {
    const EXPECTED: &str = "values, `<name>=<value>` …, `file <path>` or `default`";
    let first = words.next(EXPECTED)?;
    let source = match first {
        "default" => return words.end(Command::SetWeights(WeightsSource::Default)),
        "file" => {
            let path = words.next("the path of the file")?;
            WeightsSource::File(line[offset(line, path)..].trim_end().to_owned())
        }
        _ if first.contains('=') => {
            let pairs = std::iter::once(first).chain(words.words.clone());
            let pairs = pairs.map(|word| match word.split_once('=') {
                Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
                None => Err(words.unexpected(word, "`<name>=<value>`")),
            });
            WeightsSource::Named(pairs.collect::<Result<_, _>>()?)
        }
        _ => {
            let values = std::iter::once(first).chain(words.words.clone());
            let values = values.map(|word| match word.parse::<f64>() {
                Ok(_) => Ok(word.to_owned()),
                Err(_) => Err(words.unexpected(word, EXPECTED)),
            });
            WeightsSource::Values(values.collect::<Result<_, _>>()?)
        }
    };
    Ok(Command::SetWeights(source))
}
