//! A client of the xboard protocol (Chess Engine Communication Protocol), which drives an engine in a child
//! process.
//!
//! An engine is in force mode except while it is asked for a move: so it never begins to think by itself, and
//! it is told positions and moves as a UCI engine is. Where the engine has `ping`, it is waited for before
//! its clock starts.

use std::time::{Duration, Instant};

use super::client::Answer;
use super::engine_log::EngineLog;
use super::info::Info;
use super::pipe::{ClientError, Pipe};
use super::process::Launch;
use crate::eval::UciScore;
use crate::game::Color;
use crate::search::{Control, Limits};

/// The name of the game that engines play unless they are told otherwise. Only its start position needs no
/// setting up.
pub const STANDARD: &str = "normal";

/// How long an engine may take to announce its features, unless it asks for more time by `done=0`.
const FEATURE_TIMEOUT: Duration = Duration::from_secs(2);

/// Scores from here on are mates: the rest is the number of moves.
const MATE: i64 = 100_000;

/// The beginnings of lines that refuse a move or a position. The second is that of GNU Chess.
const REFUSED_MOVE: [&str; 3] = ["Illegal move", "Invalid move", "tellusererror"];

/// The beginnings of lines that refuse an option.
const REFUSED_OPTION: [&str; 4] = ["Error", "Illegal", "Invalid", "tellusererror"];

/// A running engine. Dropping the client sends `quit`, and kills the engine if it does not end.
pub struct Client {
    pipe: Pipe,
    features: Features,
    /// How long to wait for answers other than moves.
    patience: Duration,
    /// The number of the last `ping`.
    pings: u32,
    /// Whether the limits of the game have been sent.
    is_timed: bool,
}

/// What an engine can do; the defaults are those of the protocol.
#[derive(Debug, PartialEq, Eq)]
struct Features {
    ping: bool,
    setboard: bool,
    usermove: bool,
    time: bool,
    san: bool,
    reuse: bool,
    memory: bool,
    smp: bool,
    /// The games that it plays, separated by commas.
    variants: String,
    /// The names of its options.
    options: Vec<String>,
    /// Whether this is all; `None` if it has not said.
    done: Option<bool>,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            ping: false,
            setboard: false,
            usermove: false,
            time: true,
            san: false,
            reuse: true,
            memory: false,
            smp: false,
            variants: STANDARD.to_owned(),
            options: Vec::new(),
            done: None,
        }
    }
}

impl Client {
    /// Starts an engine and reads its features. An engine that announces none is assumed to speak the first
    /// version of the protocol. `patience` is how long to wait for it, now and for later answers other than
    /// moves.
    ///
    /// # Errors
    /// [`ClientError`] if it does not start, ends, or asks for more time than `patience`.
    pub fn start(
        launch: &Launch,
        log: &EngineLog,
        patience: Duration,
        control: &Control,
    ) -> Result<Client, ClientError> {
        let pipe = Pipe::start(launch, log, &["quit"])?;
        let mut client = Client { pipe, features: Features::default(), patience, pings: 0, is_timed: false };
        client.shake_hands(control)?;
        client.sync(&[], control)?;
        Ok(client)
    }

    /// Reads the features up to `done=1`.
    fn shake_hands(&mut self, control: &Control) -> Result<(), ClientError> {
        let Client { pipe, features, patience, .. } = self;
        pipe.send("xboard")?;
        pipe.send("protover 2")?;
        let start = Instant::now();
        while features.done != Some(true) {
            let waited = if features.done.is_some() { *patience } else { FEATURE_TIMEOUT.min(*patience) };
            let left = waited.saturating_sub(start.elapsed());
            match pipe.wait("feature done=1", left, control, |line| features.read(line)) {
                Err(ClientError::Silent { .. }) if features.done.is_none() => break,
                Err(ClientError::Silent { expected, .. }) => {
                    return Err(ClientError::Silent { expected, waited });
                }
                read => {
                    let (names, _) = read?;
                    names.iter().try_for_each(|name| pipe.send(&format!("accepted {name}")))?;
                }
            }
        }
        Ok(())
    }

    /// The games that the engine plays, by their names in this protocol.
    pub fn variants(&self) -> impl Iterator<Item = &str> {
        self.features.variants.split(',').map(str::trim)
    }

    /// Whether games may begin at other positions than the start position.
    pub fn sets_up(&self) -> bool {
        self.features.setboard
    }

    /// Whether the engine can play another game.
    pub fn is_reusable(&self) -> bool {
        self.features.reuse
    }

    /// Sets options, `Hash` and `Threads` by the commands that the protocol has for them. The value of a
    /// button is empty.
    ///
    /// # Errors
    /// [`ClientError::UnknownOption`] if the engine has not announced it, [`ClientError::Refused`] if it
    /// complains.
    pub fn set_options(
        &mut self,
        options: &[(String, String)],
        control: &Control,
    ) -> Result<(), ClientError> {
        for (name, value) in options {
            let line = self.features.option_line(name, value)?;
            self.pipe.send(&line)?;
        }
        if options.is_empty() { Ok(()) } else { self.sync(&REFUSED_OPTION, control) }
    }

    /// Begins a game of the given name, at its start position.
    ///
    /// # Errors
    /// [`ClientError`] if the engine ends or does not answer in time.
    pub fn new_game(&mut self, variant: &str, control: &Control) -> Result<(), ClientError> {
        self.is_timed = false;
        self.pipe.send("new")?;
        if variant != STANDARD {
            self.pipe.send(&format!("variant {variant}"))?;
        }
        for line in ["force", "easy", "post"] {
            self.pipe.send(line)?;
        }
        self.sync(&["tellusererror"], control)
    }

    /// Whether moves are sent in SAN.
    pub fn takes_san(&self) -> bool {
        self.features.san
    }

    /// Sets up a position in a new game, or plays moves that the engine does not know yet.
    ///
    /// # Errors
    /// [`ClientError`]; [`ClientError::Refused`] if a move or the position is refused.
    pub fn tell(
        &mut self,
        fen: Option<&str>,
        moves: &[String],
        control: &Control,
    ) -> Result<(), ClientError> {
        self.pipe.drain();
        if let Some(fen) = fen {
            if !self.features.setboard {
                return Err(ClientError::StartOnly);
            }
            self.pipe.send(&format!("setboard {fen}"))?;
        }
        let word = if self.features.usermove { "usermove " } else { "" };
        moves.iter().try_for_each(|mv| self.pipe.send(&format!("{word}{mv}")))?;
        self.sync(&REFUSED_MOVE, control)
    }

    /// Lets the engine play a move for the side to move, `stm`. After `patience` it is told to move at once;
    /// an answer after that still counts, with the time it took. `None` if it resigns.
    ///
    /// # Errors
    /// [`ClientError`] if it ends, refuses an earlier move, or does not answer in time.
    pub fn go(
        &mut self,
        limits: &Limits,
        stm: Color,
        patience: Duration,
        control: &Control,
    ) -> Result<Option<Answer>, ClientError> {
        if !self.is_timed {
            self.is_timed = true;
            game_limits(limits, stm).iter().try_for_each(|line| self.pipe.send(line))?;
        }
        if self.features.time {
            clock_lines(limits, stm).iter().try_for_each(|line| self.pipe.send(line))?;
        }
        let start = Instant::now();
        self.pipe.send("go")?;
        let mut info = Info::default();
        let (reply, arrived) = self.pipe.wait_or_stop("move", "?", patience, control, |line| {
            if let Some(new) = read_thinking(line) {
                info = new;
            }
            Reply::read(line, stm)
        })?;
        match reply {
            Reply::Move(best) => {
                self.pipe.send("force")?;
                Ok(Some(Answer { best, info, elapsed: arrived - start }))
            }
            Reply::Resigns => Ok(None),
            Reply::Refuses(text) => Err(ClientError::Refused(text)),
        }
    }

    /// Waits for the engine by `ping`, if it has it. A line that begins with one of `refusals` is an error.
    fn sync(&mut self, refusals: &[&str], control: &Control) -> Result<(), ClientError> {
        let Client { pipe, features, patience, pings, .. } = self;
        if !features.ping {
            return Ok(());
        }
        *pings += 1;
        // The number tells the answer from a repeated answer to an earlier question.
        let number = pings.to_string();
        pipe.send(&format!("ping {number}"))?;
        let mut refused = None;
        pipe.wait("pong", *patience, control, |line| {
            features.read(line);
            if refusals.iter().any(|beginning| line.starts_with(beginning)) {
                refused.get_or_insert(line.to_owned());
            }
            let mut words = line.split_whitespace();
            (words.next() == Some("pong") && words.next() == Some(&number)).then_some(())
        })?;
        refused.map_or(Ok(()), |line| Err(ClientError::Refused(line)))
    }
}

impl Features {
    /// Reads a `feature` line, and returns the names in it.
    fn read(&mut self, line: &str) -> Option<Vec<String>> {
        let pairs = read_pairs(line.trim_start().strip_prefix("feature ")?);
        for (name, value) in &pairs {
            let is_on = value != "0";
            match name.as_str() {
                "ping" => self.ping = is_on,
                "setboard" => self.setboard = is_on,
                "usermove" => self.usermove = is_on,
                "time" => self.time = is_on,
                "san" => self.san = is_on,
                "reuse" => self.reuse = is_on,
                "memory" => self.memory = is_on,
                "smp" => self.smp = is_on,
                "done" => self.done = Some(is_on),
                "variants" => self.variants.clone_from(value),
                "option" => {
                    self.options.push(value.split(" -").next().unwrap_or_default().trim().to_owned());
                }
                _ => {}
            }
        }
        Some(pairs.into_iter().map(|(name, _)| name).collect())
    }

    /// The command that sets an option.
    fn option_line(&self, name: &str, value: &str) -> Result<String, ClientError> {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if let Some(own) = self.options.iter().find(|own| is(own)) {
            return Ok(if value.is_empty() {
                format!("option {own}")
            } else {
                format!("option {own}={value}")
            });
        }
        let commands = [("Hash", "memory", self.memory), ("Threads", "cores", self.smp)];
        let mut commands = commands.into_iter().filter(|(.., has)| *has);
        if let Some((_, command, _)) = commands.clone().find(|(own, ..)| is(own)) {
            return Ok(format!("{command} {value}"));
        }
        let known = self.options.iter().map(String::as_str).chain(commands.by_ref().map(|(own, ..)| own));
        let known = known.collect::<Vec<_>>().join(", ");
        Err(ClientError::UnknownOption { name: name.to_owned(), known })
    }
}

/// Reads pairs `name=value` separated by spaces, values with spaces in quotation marks.
fn read_pairs(text: &str) -> Vec<(String, String)> {
    let (mut pairs, mut rest) = (Vec::new(), text.trim_start());
    while let Some((name, after)) = rest.split_once('=') {
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        pairs.push((name.trim().to_owned(), value.to_owned()));
        rest = after.trim_start();
    }
    pairs
}

/// An answer to `go`.
#[derive(Debug, PartialEq, Eq)]
enum Reply {
    Move(String),
    Resigns,
    /// It has refused an earlier line.
    Refuses(String),
}

impl Reply {
    /// Reads the answer of the side to move, `stm`: `move e7e5`, or `1. ... e7e5` of older engines. An engine
    /// resigns by that word, or by claiming that the opponent has won.
    fn read(line: &str, stm: Color) -> Option<Reply> {
        if REFUSED_MOVE.iter().any(|beginning| line.starts_with(beginning)) {
            return Some(Reply::Refuses(line.to_owned()));
        }
        let lost = match stm {
            Color::White => "0-1",
            Color::Black => "1-0",
        };
        let mut words = line.split_whitespace();
        let first = words.next()?;
        let is_number = || first.strip_suffix('.').is_some_and(|number| number.parse::<u32>().is_ok());
        match first {
            "move" => Some(Reply::Move(words.next().unwrap_or_default().to_owned())),
            "resign" => Some(Reply::Resigns),
            first if first == lost => Some(Reply::Resigns),
            _ if is_number() && words.next() == Some("...") => {
                words.next().map(|mv| Reply::Move(mv.to_owned()))
            }
            _ => None,
        }
    }
}

/// Reads a line of thinking output: depth, score in hundredths, time in hundredths of a second, nodes, line.
fn read_thinking(line: &str) -> Option<Info> {
    let mut words = line.split_whitespace();
    // Some engines mark the depth, as in `7.` or `7+`.
    let depth = words.next()?.trim_end_matches(|letter: char| !letter.is_ascii_digit()).parse().ok()?;
    let score: i64 = words.next()?.parse().ok()?;
    let _hundredths: i64 = words.next()?.parse().ok()?;
    let nodes = words.next()?.parse().ok()?;
    // Newer engines have more numbers here, and a tab before the line.
    let (seldepth, pv) = match line.split_once('\t') {
        Some((numbers, pv)) => (numbers.split_whitespace().nth(4), pv),
        None => (None, line),
    };
    let skipped = if line.contains('\t') { 0 } else { 4 };
    let seldepth = seldepth.and_then(|depth| depth.parse().ok());
    let pv = pv.split_whitespace().skip(skipped).map(str::to_owned).collect();
    let score = match score.abs() {
        ..MATE => UciScore::Centi(score as i32),
        distance => UciScore::Mate(((distance - MATE) * score.signum()).clamp(-999, 999) as i32),
    };
    Some(Info { depth: Some(depth), score: Some(score), seldepth, nodes: Some(nodes), pv })
}

/// The commands for the limits of a game, from those of the first search in it.
fn game_limits(limits: &Limits, stm: Color) -> Vec<String> {
    let time = match (limits.clocks[stm.index()], limits.movetime) {
        (Some(clock), _) => {
            // The increment of the first move is on the clock already. The protocol has whole seconds here;
            // the clock itself is told before each move.
            let base = clock.remaining.saturating_sub(clock.increment).as_secs_f64().ceil().max(1.0) as u64;
            let moves = limits.moves_to_go.unwrap_or(0);
            format!("level {moves} {}:{:02} {}", base / 60, base % 60, clock.increment.as_secs_f64())
        }
        (None, Some(time)) => format!("st {}", time.as_secs_f64()),
        // Not the engine's own default, which may end searches early.
        (None, None) => "level 0 60 0".to_owned(),
    };
    [Some(time), limits.depth.map(|depth| format!("sd {depth}"))].into_iter().flatten().collect()
}

/// The commands for the clocks, in hundredths of a second.
fn clock_lines(limits: &Limits, stm: Color) -> Vec<String> {
    let clocks = [("time", stm), ("otim", !stm)];
    let lines = clocks.into_iter().filter_map(|(command, color)| {
        let clock = limits.clocks[color.index()]?;
        Some(format!("{command} {}", clock.remaining.as_millis() / 10))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Clock;

    #[test]
    fn features_have_defaults_and_quoted_values() {
        let mut features = Features::default();
        assert_eq!(features.read("move e2e4"), None);
        let names = features.read("feature myname=\"A = B 1.0\" ping=1 time=0 done=0");
        assert_eq!(names.unwrap(), ["myname", "ping", "time", "done"]);
        features.read("feature variants=\"normal,fischerandom\" option=\"Clear Hash -button\" memory=1");
        features.read("feature option=\"Style -combo calm /// *wild\"  setboard=1 smp=0 done=1");
        let expected = Features {
            ping: true,
            setboard: true,
            time: false,
            memory: true,
            variants: "normal,fischerandom".into(),
            options: vec!["Clear Hash".into(), "Style".into()],
            done: Some(true),
            ..Features::default()
        };
        assert_eq!(features, expected);
        let line = |name, value| features.option_line(name, value).map_err(|error| error.to_string());
        assert_eq!(line("style", "wild"), Ok("option Style=wild".into()));
        assert_eq!(line("clear hash", ""), Ok("option Clear Hash".into()));
        assert_eq!(line("Hash", "64"), Ok("memory 64".into()));
        assert_eq!(
            line("Threads", "2"),
            Err("no option `Threads`, the engine has: Clear Hash, Style, Hash".into())
        );
    }

    #[test]
    fn moves_are_read_in_both_forms() {
        let read = |line| Reply::read(line, Color::Black);
        let mv = |text: &str| Some(Reply::Move(text.into()));
        assert_eq!(read("move e7e5"), mv("e7e5"));
        assert_eq!(read("1. ... e7e8q"), mv("e7e8q"));
        assert_eq!(read("1. e2e4"), None, "an echo of the opponent's move");
        assert_eq!(read("My move is : e7e5"), None);
        assert_eq!(read("0-1 {Black mates}"), None);
        assert_eq!(read("1-0 {Black resigns}"), Some(Reply::Resigns));
        assert_eq!(read("resign"), Some(Reply::Resigns));
        assert_eq!(read("Illegal move:a1a1"), Some(Reply::Refuses("Illegal move:a1a1".into())));
        assert_eq!(read("1/2-1/2 {repetition}"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn thinking_is_read() {
        let info = |depth, score, seldepth, nodes, pv: &str| {
            let pv = pv.split_whitespace().map(str::to_owned).collect();
            Some(Info { depth: Some(depth), score: Some(score), seldepth, nodes: Some(nodes), pv })
        };
        for (line, expected) in [
            (" 7   12   25   316335 g8f6 e4e5", info(7, UciScore::Centi(12), None, 316_335, "g8f6 e4e5")),
            ("9. -40 0 2 (e5) Nd5", info(9, UciScore::Centi(-40), None, 2, "(e5) Nd5")),
            ("3 +100003 0 9 Qh5", info(3, UciScore::Mate(3), None, 9, "Qh5")),
            ("3 -100002 0 9", info(3, UciScore::Mate(-2), None, 9, "")),
            ("8 5 12 900 17 7500 0\te4 e5", info(8, UciScore::Centi(5), Some(17), 900, "e4 e5")),
            ("8 5 12 900\te4 e5", info(8, UciScore::Centi(5), None, 900, "e4 e5")),
        ] {
            assert_eq!(read_thinking(line), expected, "{line}");
        }
        for line in ["1. ... e7e5", "# times @ 57416122", "move e2e4", "3 12 5", "x 1 2 3"] {
            assert_eq!(read_thinking(line), None, "{line}");
        }
    }

    #[test]
    fn limits_become_commands() {
        let clock =
            |ms| Some(Clock { remaining: Duration::from_millis(ms), increment: Duration::from_millis(100) });
        let limits = Limits {
            clocks: [clock(90_100), clock(61_005)],
            moves_to_go: Some(40),
            depth: Some(9),
            ..Limits::none()
        };
        assert_eq!(game_limits(&limits, Color::White), ["level 40 1:30 0.1", "sd 9"]);
        assert_eq!(game_limits(&limits, Color::Black), ["level 40 1:01 0.1", "sd 9"]);
        assert_eq!(clock_lines(&limits, Color::Black), ["time 6100", "otim 9010"]);
        let limits = Limits { movetime: Some(Duration::from_secs(2)), ..Limits::none() };
        assert_eq!(game_limits(&limits, Color::White), ["st 2"]);
        assert_eq!(clock_lines(&limits, Color::White), [""; 0]);
        assert_eq!(game_limits(&Limits::depth(4), Color::White), ["level 0 60 0", "sd 4"]);
    }
}
