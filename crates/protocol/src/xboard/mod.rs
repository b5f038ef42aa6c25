//! A client of the xboard protocol (Chess Engine Communication Protocol), which drives an engine in a child
//! process or over TCP.
//!
//! An engine is in force mode except while it searches: so it never starts by itself, and gets positions and
//! moves as a UCI engine does. With `ping`, the client waits for it before its clock starts.

mod features;
mod lines;

use std::time::Duration;

pub use self::features::Features;
pub use self::lines::read_thinking;
use self::lines::{REFUSED_MOVE, Reply, clock_lines, game_limits};
use super::answer_tracker::{AnswerTracker, SearchEnd, SearchLine, SearchRequest};
use super::client::Answer;
use super::engine_log::EngineLog;
use super::info::Info;
use super::pipe::{ClientError, Pipe};
use super::transport::Transport;
use labrys_core::clock::Instant;
use labrys_core::game::Color;
use labrys_core::search::{Control, Limits};

/// The default variant. Only its start position needs no `setboard`.
pub const STANDARD: &str = "normal";

/// The timeout of the features, unless the engine asks for more time by `done=0`.
pub const FEATURE_TIMEOUT: Duration = Duration::from_secs(2);

/// The beginnings of lines that refuse an option.
const REFUSED_OPTION: [&str; 4] = ["Error", "Illegal", "Invalid", "tellusererror"];

/// A running engine. Dropping the client sends `quit`, and kills the engine if it does not end.
pub struct Client {
    pipe: Pipe,
    features: Features,
    /// The timeout of answers other than moves.
    timeout: Duration,
    /// The number of the last `ping`.
    pings: u32,
    /// Whether the limits of the game have been sent.
    is_timed: bool,
    answers: AnswerTracker,
}

impl Client {
    /// Starts an engine, or connects to it, and reads its features. An engine that announces none is assumed
    /// to speak the first version of the protocol. `timeout` is that of the start and of later answers other
    /// than moves.
    ///
    /// # Errors
    /// [`ClientError`] if it does not start, ends, or asks for more time than `timeout`.
    pub fn start(
        transport: &Transport,
        log: &EngineLog,
        timeout: Duration,
        control: &Control,
    ) -> Result<Client, ClientError> {
        let pipe = Pipe::open(transport, log, timeout, &["quit"])?;
        let features = Features::default();
        let answers = AnswerTracker::default();
        let mut client = Client { pipe, features, timeout, pings: 0, is_timed: false, answers };
        client.handshake(control)?;
        client.sync(&[], control)?;
        Ok(client)
    }

    /// Reads the features up to `done=1`.
    fn handshake(&mut self, control: &Control) -> Result<(), ClientError> {
        let Client { pipe, features, timeout, .. } = self;
        pipe.send("xboard")?;
        pipe.send("protover 2")?;
        let start = Instant::now();
        while features.done != Some(true) {
            let waited = if features.done.is_some() { *timeout } else { FEATURE_TIMEOUT.min(*timeout) };
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

    /// Whether games may start from any position.
    pub fn has_setboard(&self) -> bool {
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
        self.answers.new_game();
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
    pub fn uses_san(&self) -> bool {
        self.features.san
    }

    /// Sets up a position in a new game, or sends new moves.
    ///
    /// # Errors
    /// [`ClientError`]; [`ClientError::Refused`] if a move or the position is refused.
    pub fn set_up(
        &mut self,
        fen: Option<&str>,
        moves: &[String],
        control: &Control,
    ) -> Result<(), ClientError> {
        let Client { pipe, answers, .. } = self;
        pipe.drain(|line| {
            if is_move(line) {
                answers.add_repeat()
            }
        });
        if let Some(fen) = fen {
            if !self.features.setboard {
                return Err(ClientError::StartOnly);
            }
            self.pipe.send(&format!("setboard {fen}"))?;
        }
        let word = if self.features.usermove { "usermove " } else { "" };
        moves.iter().try_for_each(|mv| self.pipe.send(&format!("{word}{mv}")))?;
        self.sync(&REFUSED_MOVE, control)?;
        self.answers.drain_repeats(&mut self.pipe, control, is_move)
    }

    /// Lets the engine play a move for the side to move, `stm`. After `timeout` it is told to move at once;
    /// an answer after that still counts, with the time it took. A move that may belong to an earlier search
    /// is held back, as some engines answer twice. `None` if it resigns.
    ///
    /// # Errors
    /// [`ClientError`] if it ends, refuses an earlier move, or does not answer in time.
    pub fn go(
        &mut self,
        limits: &Limits,
        stm: Color,
        is_legal: impl Fn(&str) -> bool,
        timeout: Duration,
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
        self.pings += u32::from(self.features.ping);
        let (ping, pong) = (format!("ping {}", self.pings), format!("pong {}", self.pings));
        let sync = self.features.ping.then_some(&*ping);
        let Client { pipe, answers, .. } = self;
        let request = SearchRequest { expected: "move", stop: "?", sync, timeout, is_legal: &is_legal };
        let (found, arrived) = answers.wait(pipe, &request, control, |line| {
            if let Some(new) = read_thinking(line) {
                info = new;
                return Some(SearchLine::Thinking);
            }
            if line.trim() == pong {
                return Some(SearchLine::Synced);
            }
            Some(match Reply::read(line, stm)? {
                Reply::Move(best) => {
                    let is_shown = info.pv.first().is_some_and(|first| *first == best);
                    SearchLine::Move(best, is_shown)
                }
                reply => SearchLine::End(reply),
            })
        })?;
        let best = match found {
            SearchEnd::Move(best) => best,
            SearchEnd::Other(Reply::Refuses(text)) => return Err(ClientError::Refused(text)),
            SearchEnd::Other(_) => return Ok(None),
        };
        self.pipe.send("force")?;
        Ok(Some(Answer { best, ponder: None, info, elapsed: arrived - start }))
    }

    /// Waits for the engine by `ping`, if it has it. A line that begins with one of `refusals` is an error.
    fn sync(&mut self, refusals: &[&str], control: &Control) -> Result<(), ClientError> {
        let Client { pipe, features, timeout, pings, answers, .. } = self;
        if !features.ping {
            return Ok(());
        }
        *pings += 1;
        // The number distinguishes the answer from one to an earlier `ping`.
        let number = pings.to_string();
        pipe.send(&format!("ping {number}"))?;
        let mut refused = None;
        pipe.wait("pong", *timeout, control, |line| {
            features.read(line);
            if is_move(line) {
                answers.add_repeat();
            }
            if refusals.iter().any(|beginning| line.starts_with(beginning)) {
                refused.get_or_insert(line.to_owned());
            }
            let mut words = line.split_whitespace();
            (words.next() == Some("pong") && words.next() == Some(&number)).then_some(())
        })?;
        refused.map_or(Ok(()), |line| Err(ClientError::Refused(line)))
    }
}

/// Whether a line is a move of the engine.
fn is_move(line: &str) -> bool {
    matches!(Reply::read(line, Color::White), Some(Reply::Move(_)))
}
