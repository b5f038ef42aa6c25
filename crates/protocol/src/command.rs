//! Parsing of lines into typed commands.

use std::ops::RangeInclusive;
use std::str::SplitWhitespace;
use std::time::Duration;

use thiserror::Error;

use labrys_core::engine::WeightsSource;
use labrys_core::game::quote;
use labrys_core::search::{Clock, Limits};

/// The maximum depth of a perft.
const MAX_PERFT: u64 = 64;

/// A command of the protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Print name, author and options.
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
    Go(Box<Go>),
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
    /// Unknown words, which are ignored.
    pub unknown: Vec<String>,
    /// Errors of arguments, which are ignored.
    pub errors: Vec<CommandError>,
    /// Whether nothing is searched, as no search was requested.
    pub is_refused: bool,
    /// The limits of the search.
    pub limits: Limits,
    /// Hold the answer until `ponderhit` or `stop`.
    pub ponder: bool,
    /// The root moves; all legal moves if empty.
    pub search_moves: Vec<String>,
}

impl Default for Go {
    /// A `go` without arguments.
    fn default() -> Go {
        Go {
            unknown: Vec::new(),
            errors: Vec::new(),
            is_refused: false,
            limits: Limits::none(),
            ponder: false,
            search_moves: Vec::new(),
        }
    }
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
    #[error("{command}: missing {expected}")]
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
        /// The maximum value.
        max: i64,
    },
    /// A word that is no whole number.
    #[error("{command}: {name} {}: expected a whole number", quote(.word))]
    NoNumber {
        /// The command.
        command: &'static str,
        /// The name of the number.
        name: &'static str,
        /// The word.
        word: String,
    },
    /// A part that excludes all others.
    #[error("{command}: {name} does not go with anything else")]
    NotAlone {
        /// The command.
        command: &'static str,
        /// The part.
        name: &'static str,
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

impl Command {
    /// Whether it needs the engine, which a search owns while it runs.
    pub(super) fn needs_engine(&self) -> bool {
        !matches!(
            self,
            Command::IsReady
                | Command::Stop
                | Command::PonderHit
                | Command::Wait
                | Command::Help
                | Command::Debug
                | Command::Quit
        )
    }

    /// The ignored words of its line, as in `stop now`. Those of `go` are among its arguments.
    pub(super) fn ignored_words<'a>(&self, line: &'a str) -> impl Iterator<Item = &'a str> {
        use Command::{IsReady, NewGame, PonderHit, Quit, Stop, Uci};
        let is_one_word = matches!(self, Uci | IsReady | NewGame | Stop | PonderHit | Quit);
        line.split_whitespace().skip(1).filter(move |_| is_one_word)
    }

    /// Whether it starts long work.
    pub(super) fn starts_work(&self) -> bool {
        matches!(self, Command::Go(_) | Command::Perft(_) | Command::Bench(_))
    }
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

    /// The next word as a number, clamped to a range and without decimals, unless it is a keyword.
    fn clamped_number(
        &mut self,
        name: &'static str,
        range: RangeInclusive<i64>,
        is_keyword: impl Fn(&str) -> bool,
    ) -> Result<i64, CommandError> {
        let word = self.words.clone().next().filter(|word| !is_keyword(word));
        let word = word.ok_or(CommandError::Missing { command: self.command, expected: name })?;
        self.words.next();
        let number = whole(word).ok_or_else(|| CommandError::NoNumber {
            command: self.command,
            name,
            word: word.to_owned(),
        })?;
        Ok(number.clamp(*range.start(), *range.end()))
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
        "uci" => Ok(Command::Uci),
        "isready" => Ok(Command::IsReady),
        "ucinewgame" => Ok(Command::NewGame),
        "debug" => parse_debug(words("debug")),
        "setoption" => parse_set_option(words("setoption"), line),
        "position" => parse_position(words("position")),
        "go" => Ok(parse_go(words("go"))),
        "stop" => Ok(Command::Stop),
        "ponderhit" => Ok(Command::PonderHit),
        "wait" => words("wait").end(Command::Wait),
        "setweights" => parse_set_weights(words("setweights"), line),
        "weights" => words("weights").end(Command::Weights),
        "eval" => parse_eval(words("eval")),
        "d" => words("d").end(Command::Display),
        "moves" => words("moves").end(Command::Moves),
        "perft" => parse_perft(words("perft")),
        "bench" => parse_bench(words("bench")),
        "help" => words("help").end(Command::Help),
        "quit" => Ok(Command::Quit),
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

/// The whole part of a number, saturated.
fn whole(word: &str) -> Option<i64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let (digits, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let nearest = if word.starts_with('-') { i64::MIN } else { i64::MAX };
    let whole = word.split('.').next().unwrap_or_default();
    let is_fraction = fraction.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(digits) && is_fraction).then(|| whole.parse().unwrap_or(nearest))
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

/// The time of a search whose limits cannot be read: a client waits for the answer.
const FALLBACK_TIME: Duration = Duration::from_millis(100);

/// The numbers of `go` that are clocks.
#[derive(Default)]
struct Clocks {
    times: [Option<Duration>; 2],
    increments: [Option<Duration>; 2],
}

impl Clocks {
    /// The clocks of both players: a missing one is that of the other player. Increments without any time count
    /// where nothing else limits the search, as clocks that are empty.
    fn of_both(&self, is_only_limit: bool) -> [Option<Clock>; 2] {
        let is_empty = is_only_limit && self.times == [None; 2];
        let [white, black] = [0, 1].map(|player| {
            let increment = self.increments[player];
            let empty = increment.filter(|_| is_empty).map(|_| Duration::ZERO);
            let remaining = self.times[player].or(empty)?;
            Some(Clock { remaining, increment: increment.unwrap_or_default() })
        });
        [white.or(black), black.or(white)]
    }
}

/// Reads `go`, which always has to be answered, so errors are collected: unknown words are ignored, numbers
/// are clamped to their range, and the last of repeated arguments counts.
fn parse_go(mut words: Words) -> Command {
    let mut go = Go::default();
    let mut clocks = Clocks::default();
    let mut perft = None;
    let mut seen = [false; KEYWORDS.len()];
    let (mut count, mut is_wrong) = (0, false);
    let is_keyword = |word: &str| KEYWORDS.contains(&word);
    while let Some(word) = words.words.next() {
        count += 1;
        let Some(index) = KEYWORDS.iter().position(|&keyword| keyword == word) else {
            go.unknown.push(word.to_owned());
            continue;
        };
        let name = KEYWORDS[index];
        if std::mem::replace(&mut seen[index], true) {
            go.errors.push(CommandError::Twice { command: words.command, name });
        }
        match name {
            "infinite" => go.limits.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                let moves = words.words.clone().take_while(|word| !is_keyword(word)).count();
                let list: Vec<_> = words.words.by_ref().take(moves).map(str::to_owned).collect();
                if moves > 0 {
                    go.search_moves = list;
                } else {
                    is_wrong = true;
                    let expected = "a move after `searchmoves`";
                    go.errors.push(CommandError::Missing { command: words.command, expected });
                }
            }
            "perft" => match words.number("perft", 1..=MAX_PERFT as i64) {
                Ok(depth) => perft = Some(depth as u32),
                Err(error) => go.errors.push(error),
            },
            name => match words.clamped_number(name, least(name)..=most(name), is_keyword) {
                Ok(number) => go.set(name, number, &mut clocks),
                Err(error) => {
                    is_wrong = true;
                    go.errors.push(error);
                }
            },
        }
    }
    let is_given = |name: &str| KEYWORDS.iter().zip(seen).any(|(&keyword, seen)| keyword == name && seen);
    if let (Some(depth), 1, []) = (perft, count, &go.errors[..]) {
        return Command::Perft(depth);
    }
    if is_given("perft") {
        go.is_refused = true;
        if count > 1 {
            go.errors.push(CommandError::NotAlone { command: words.command, name: "perft" });
        }
        return Command::Go(Box::new(go));
    }
    go.limits.clocks = clocks.of_both(go.limits.is_endless());
    // A `go` without limits searches until `stop`, unless its limits could not be read: an unknown word may be
    // one, and `movestogo` belongs to a clock.
    let is_wrong = is_wrong || !go.unknown.is_empty() || is_given("movestogo");
    if go.limits.is_endless() && is_wrong && !go.limits.infinite {
        go.limits.movetime = Some(FALLBACK_TIME);
    }
    Command::Go(Box::new(go))
}

/// The least value of a number of `go`. GUIs send negative times for clocks that have run out.
fn least(name: &str) -> i64 {
    match name {
        "depth" | "nodes" | "mate" => 1,
        _ => 0,
    }
}

/// The maximum value of a number of `go`.
fn most(name: &str) -> i64 {
    match name {
        "depth" | "movestogo" => u32::MAX.into(),
        "mate" => 1_000,
        _ => i64::MAX,
    }
}

impl Go {
    /// Sets a number.
    fn set(&mut self, name: &str, number: i64, clocks: &mut Clocks) {
        let limits = &mut self.limits;
        let time = Duration::from_millis(number as u64);
        match name {
            "depth" => limits.depth = Some(number as u32),
            "nodes" => limits.nodes = Some(number as u64),
            "mate" => limits.mate = Some(number as u32),
            "movetime" => limits.movetime = Some(time),
            "wtime" => clocks.times[0] = Some(time),
            "btime" => clocks.times[1] = Some(time),
            "winc" => clocks.increments[0] = Some(time),
            "binc" => clocks.increments[1] = Some(time),
            // 0 stands for the rest of the game.
            _ => limits.moves_to_go = (number > 0).then_some(number as u32),
        }
    }
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
