//! A step, carried out on an engine in a process of its own.
//!
//! Each line that is sent and each that is heard changes what is known of the engine: its position, the
//! searches that it has to answer, the answers. The part of each protocol is in a module of its own.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use super::answer::Answer;
use super::positions::Positions;
use super::script::{Action, Claim, Wait};
use super::step::{Protocol, Step};
use super::{Compliance, Fault, uci, xboard};
use crate::Variation;
use labrys_core::clock::Instant;
use labrys_core::engine::Board;
use labrys_core::game::quote;
use labrys_core::search::Control;
use labrys_protocol::client::EngineOption;
use labrys_protocol::engine_log::EngineLog;
use labrys_protocol::pipe::{ClientError, Pipe};
use labrys_protocol::xboard::Features;

/// The most lines of thinking that are kept for an answer, the first and the last ones: a flood is endless.
const MAX_THINKING: usize = 4000;

/// The line of a script that ends the input.
const END_OF_INPUT: &str = "eof";

/// The wait for surplus answers at the end of a step.
const LAST_WAIT: Duration = Duration::from_millis(30);

/// A search that the engine has to answer.
pub(super) struct Search {
    /// Its position.
    pub(super) line: Variation,
    /// When it began.
    pub(super) start: Instant,
    /// When it could be answered: then, or at the `stop` or `ponderhit` that it waited for.
    pub(super) due: Instant,
    /// Whether the answer has to wait for `stop` or `ponderhit`.
    pub(super) is_held: bool,
    /// The only moves, if there are such.
    pub(super) search_moves: Vec<String>,
    /// The lines of thinking with the time from its start.
    pub(super) thinking: Vec<(String, Duration)>,
}

/// Why a step does not come to its end.
pub(super) enum Stop {
    /// It fails.
    Fault(Fault),
    /// It fails before its first line.
    Handshake(Fault),
    /// It cannot be carried out with this engine.
    Skip(String),
    /// The check is interrupted.
    Interrupted,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<ClientError> for Stop {
    fn from(error: ClientError) -> Stop {
        match error {
            ClientError::Interrupted => Stop::Interrupted,
            error => Stop::Fault(Fault::new(error.to_string())),
        }
    }
}

/// An engine, and what is known of it.
pub(super) struct Trial<'a> {
    pub(super) compliance: &'a Compliance,
    /// That of the step.
    protocol: Protocol,
    pub(super) positions: &'a Positions,
    pub(super) control: &'a Control,
    pub(super) pipe: Pipe,
    /// The options of a UCI engine.
    pub(super) options: Vec<EngineOption>,
    /// The features of an xboard engine.
    pub(super) features: Features,
    /// The lines in which it has announced them.
    pub(super) option_lines: Vec<String>,
    /// The lines with the names of a UCI engine and its author.
    pub(super) names: Vec<String>,
    /// The start of the game.
    pub(super) board: Box<dyn Board>,
    /// The option of the game, where the step has set it.
    pub(super) own_option: Option<(String, String)>,
    /// The position on the engine's board.
    pub(super) line: Variation,
    /// Whether an xboard engine moves only after `go`.
    pub(super) is_forced: bool,
    /// The position of a search that `force` has ended, and when, while its move may be on the way (xboard).
    pub(super) crossing: Option<(Variation, Instant)>,
    /// The `uci` and `isready` without an answer.
    pub(super) handshakes: uci::Handshakes,
    /// The number of the last `ping` before that of a wait.
    pub(super) pings: u32,
    /// What stands behind each `ping` without an answer.
    pub(super) open_pings: Vec<String>,
    /// A `pong` that nobody has asked for.
    pub(super) surplus_pong: Option<String>,
    /// Searches without an answer.
    pub(super) searches: VecDeque<Search>,
    /// Answers that no `?` has asked for yet.
    pub(super) answers: VecDeque<Answer>,
    /// The answers that were asked for, the last one at the end.
    asked: Vec<Answer>,
    /// Memory in KiB at the first claim about it.
    memory: Option<u64>,
    /// Whether the engine was told to end.
    pub(super) is_ending: bool,
    /// The lines that were sent.
    sent: &'a mut Vec<String>,
}

/// Carries out a step. `sent` gets the lines that were sent.
pub(super) fn carry_out(
    compliance: &Compliance,
    step: &Step,
    actions: &[Action],
    positions: &Positions,
    sent: &mut Vec<String>,
    control: &Control,
) -> Result<(), Stop> {
    let quit: &'static [&'static str] = match step.protocol {
        Protocol::Uci => &["stop", "quit"],
        Protocol::Xboard => &["quit"],
    };
    let mut pipe = Pipe::open(&compliance.transport, &EngineLog::default(), compliance.timeout, quit)?;
    pipe.queue_input();
    let board = positions.rules().board().map_err(|error| Stop::Skip(error.to_string()))?;
    let mut trial = Trial {
        compliance,
        protocol: step.protocol,
        positions,
        control,
        pipe,
        options: Vec::new(),
        features: Features::default(),
        option_lines: Vec::new(),
        names: Vec::new(),
        own_option: None,
        line: Variation { fen: board.fen(), moves: Vec::new() },
        board,
        is_forced: false,
        crossing: None,
        handshakes: uci::Handshakes::default(),
        pings: 0,
        open_pings: Vec::new(),
        surplus_pong: None,
        searches: VecDeque::new(),
        answers: VecDeque::new(),
        asked: Vec::new(),
        memory: None,
        is_ending: false,
        sent,
    };
    if !step.is_raw {
        let prepared = match step.protocol {
            Protocol::Uci => uci::prepare(&mut trial),
            Protocol::Xboard => xboard::prepare(&mut trial),
        };
        prepared.map_err(|stop| match stop {
            Stop::Fault(fault) => Stop::Handshake(fault),
            stop => stop,
        })?;
    }
    trial.require(step)?;
    trial.run(actions)?;
    trial.finish()
}

impl Trial<'_> {
    /// Skips a step whose options the engine lacks.
    fn require(&self, step: &Step) -> Result<(), Stop> {
        let has = |need: &str| match step.protocol {
            Protocol::Uci => uci::has_option(&self.option_lines, need),
            Protocol::Xboard => xboard::has_feature(&self.features, need),
        };
        match step.needs.iter().find(|name| !has(name)) {
            Some(missing) => Err(Stop::Skip(format!("the engine has no {missing}"))),
            None => Ok(()),
        }
    }

    fn run(&mut self, actions: &[Action]) -> Result<(), Stop> {
        // Lines up to the next answer go out in one piece.
        let mut batch = Vec::new();
        for action in actions {
            if let Action::Send(template) = action {
                batch.push(self.fill(template)?);
                continue;
            }
            self.send(&std::mem::take(&mut batch))?;
            match action {
                Action::Send(_) => {}
                Action::Wait(wait) => self.wait(wait)?,
                Action::Check(claim) => self.check(claim)?,
                Action::Repeat(count, inner) => (0..*count).try_for_each(|_| self.run(inner))?,
            }
        }
        self.send(&batch)
    }

    /// Fills in positions and moves of the game.
    fn fill(&self, template: &str) -> Result<String, Stop> {
        let filled = self.positions.fill(template);
        filled.ok_or_else(|| Stop::Skip("the game has no such position".to_owned()))
    }

    /// Sends lines in one piece.
    pub(super) fn send(&mut self, lines: &[String]) -> Result<(), Stop> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut text = Vec::new();
        for line in lines {
            // The moves of scripts stand in the notation of UCI.
            let line = match self.protocol {
                Protocol::Uci => line.clone(),
                Protocol::Xboard => xboard::translate(self, line),
            };
            self.sent.push(line.clone());
            if line == END_OF_INPUT {
                self.is_ending = true;
                continue;
            }
            match self.protocol {
                Protocol::Uci => uci::sent(self, &line),
                Protocol::Xboard => xboard::sent(self, &line),
            }
            text.push(line);
        }
        if !text.is_empty() {
            self.pipe.send(&text.join("\n"))?;
        }
        if lines.last().is_some_and(|line| line == END_OF_INPUT) {
            self.pipe.close_input();
        }
        Ok(())
    }

    /// Reads a line, for `timeout` at most, and learns from it.
    pub(super) fn hear(&mut self, timeout: Duration) -> Result<Option<String>, Stop> {
        let Some((line, arrived)) = self.pipe.next_line(timeout, self.control)? else { return Ok(None) };
        match self.protocol {
            Protocol::Uci => uci::heard(self, &line, arrived)?,
            Protocol::Xboard => xboard::heard(self, &line, arrived)?,
        }
        Ok(Some(line))
    }

    /// Reads lines up to one that `takes`, for the timeout of an answer at most.
    pub(super) fn until(
        &mut self,
        expected: &str,
        mut takes: impl FnMut(&Self, &str) -> bool,
    ) -> Result<String, Stop> {
        let (start, timeout) = (Instant::now(), self.compliance.timeout);
        let mut last = None;
        loop {
            let left = timeout.saturating_sub(start.elapsed());
            match self.hear(left)? {
                Some(line) if takes(self, &line) => return Ok(line),
                Some(line) => last = Some(line),
                None => {}
            }
            // Also in a flood of other lines.
            if start.elapsed() >= timeout {
                let reason = format!("no {expected} within {} s", timeout.as_secs_f64());
                return Err(Fault { reason, line: last }.into());
            }
        }
    }

    /// Waits until the engine has read all lines.
    pub(super) fn sync(&mut self) -> Result<(), Stop> {
        match self.protocol {
            Protocol::Uci => {
                self.send(&["isready".to_owned()])?;
                self.until("`readyok`", |_, line| line.trim() == "readyok").map(drop)
            }
            Protocol::Xboard => xboard::sync(self),
        }
    }

    fn wait(&mut self, wait: &Wait) -> Result<(), Stop> {
        match wait {
            Wait::Line(beginnings) => {
                let expected = beginnings.iter().map(|text| quote(text)).collect::<Vec<_>>().join(" or ");
                let begins_with = |line: &str, beginning: &String| {
                    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
                    let rest = line.strip_prefix(beginning.as_str());
                    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
                };
                let takes = |_: &Self, line: &str| beginnings.iter().any(|text| begins_with(line, text));
                self.until(&expected, takes).map(drop)
            }
            Wait::Soon(milliseconds, text) => {
                let most = Duration::from_millis(*milliseconds) + self.compliance.margin;
                let start = Instant::now();
                self.until(&quote(text), |_, line| line.trim() == text)?;
                let elapsed = start.elapsed();
                let late = || Fault::of(format!("after {} ms", elapsed.as_millis()), text);
                if elapsed > most { Err(late().into()) } else { Ok(()) }
            }
            Wait::Move | Wait::AnyMove => {
                if self.answers.is_empty() {
                    self.until("move", |trial, _| !trial.answers.is_empty())?;
                }
                let answer = self.answers.pop_front();
                self.asked.extend(answer);
                if *wait == Wait::Move { self.judge() } else { Ok(()) }
            }
            Wait::Moves => {
                if self.answers.is_empty() {
                    self.until("move", |trial, _| !trial.answers.is_empty())?;
                }
                // An engine that works off one search after the other answers each of them.
                let (start, margin) = (Instant::now(), self.compliance.margin);
                while !self.searches.is_empty() && start.elapsed() < margin {
                    self.hear(margin.saturating_sub(start.elapsed()))?;
                }
                self.sync()?;
                self.searches.clear();
                self.asked.extend(self.answers.drain(..));
                Ok(())
            }
            Wait::Quiet(milliseconds) => {
                let (start, time) = (Instant::now(), Duration::from_millis(*milliseconds));
                while start.elapsed() < time {
                    self.hear(time.saturating_sub(start.elapsed()))?;
                    // An xboard engine may claim the result of a game that is over.
                    self.answers.retain(|answer| !answer.is_result);
                    if let Some(answer) = self.answers.front() {
                        return Err(Fault::of("an answer too early", &answer.text).into());
                    }
                }
                Ok(())
            }
            Wait::Exit => self.wait_for_exit().map(|_| ()),
            Wait::Success => match self.wait_for_exit()? {
                status if status.success() => Ok(()),
                status => Err(Fault::new(format!("it has ended with an error ({status})")).into()),
            },
        }
    }

    fn wait_for_exit(&mut self) -> Result<ExitStatus, Stop> {
        self.is_ending = true;
        let status = self.pipe.wait_for_exit(self.compliance.timeout, self.control);
        if self.control.is_stopped() {
            return Err(Stop::Interrupted);
        }
        match status {
            None if self.pipe.process_id().is_none() => {
                Err(Stop::Skip("the engine is no process of this machine".to_owned()))
            }
            None => {
                let timeout = self.compliance.timeout.as_secs_f64();
                Err(Fault::new(format!("still running {timeout} s after the end")).into())
            }
            // A process that is ended by a signal has no code.
            Some(status) if status.code().is_none() => {
                Err(Fault::new(format!("it has crashed ({status})")).into())
            }
            Some(status) => Ok(status),
        }
    }

    /// The last answer that was asked for.
    fn last(&self) -> Result<&Answer, Stop> {
        self.asked.last().ok_or_else(|| Fault::new("no answer").into())
    }

    /// Checks that the last answer is a legal move, or none where there is none.
    fn judge(&mut self) -> Result<(), Stop> {
        let answer = self.last()?;
        Ok(answer.judge(self.board_of(&answer.line)?.as_ref())?)
    }

    /// A board with a position; an empty one stands for the start.
    pub(super) fn board_of(&self, line: &Variation) -> Result<Box<dyn Board>, Fault> {
        let rules = self.positions.rules();
        let mut board = rules.board().map_err(|error| Fault::new(error.to_string()))?;
        if let Some((name, value)) = &self.own_option {
            board.set_option(name, value).map_err(|error| Fault::new(error.to_string()))?;
        }
        let set_up = board.set_up(Some(line.fen.as_str()).filter(|fen| !fen.is_empty()), &line.moves);
        set_up.map_err(|error| Fault::new(error.to_string())).map(|()| board)
    }

    fn check(&mut self, claim: &Claim) -> Result<(), Stop> {
        match claim {
            Claim::Memory(most) => return self.check_memory(*most),
            Claim::Same => {
                let (last, before) = (self.last()?, self.asked.iter().rev().nth(1));
                return match before {
                    Some(before) if before.best != last.best => {
                        let reason = format!("{} before, from the same start", quote(&before.best));
                        Err(Fault::of(reason, &last.text).into())
                    }
                    _ => Ok(()),
                };
            }
            Claim::Best(moves) => {
                let moves = moves.iter().map(|mv| self.fill(mv)).collect::<Result<Vec<_>, _>>()?;
                return Ok(self.last()?.check_best(&moves)?);
            }
            Claim::Pongs => {
                return match &self.surplus_pong {
                    Some(line) => Err(Fault::of("a `pong` that nobody asked for", line).into()),
                    None => Ok(()),
                };
            }
            Claim::Names => return Ok(uci::check_names(self)?),
            Claim::Options => return Ok(uci::check_options(self)?),
            _ => {}
        }
        let answer = self.last()?;
        let board = || self.board_of(&answer.line);
        Ok(answer.check(claim, self.protocol, &board, self.compliance.margin)?)
    }

    /// Checks the growth of the process and those that it has started.
    fn check_memory(&mut self, most: u64) -> Result<(), Stop> {
        let memory = self.pipe.process_id().and_then(resident_memory);
        let Some(memory) = memory else {
            return Err(Stop::Skip("the memory of the process is unknown".to_owned()));
        };
        let first = *self.memory.get_or_insert(memory);
        let growth = memory.saturating_sub(first) / 1024;
        match growth > most {
            true => Err(Fault::new(format!("{growth} MiB more, from {} MiB", first / 1024)).into()),
            false => Ok(()),
        }
    }

    /// Checks at the end that the engine still answers, and that every search had one answer.
    fn finish(&mut self) -> Result<(), Stop> {
        if self.is_ending {
            return Ok(());
        }
        self.sync()?;
        let start = Instant::now();
        while start.elapsed() < LAST_WAIT {
            self.hear(LAST_WAIT.saturating_sub(start.elapsed()))?;
        }
        match self.answers.front() {
            Some(answer) => Err(Fault::of("a move that nobody asked for", &answer.text).into()),
            None => Ok(()),
        }
    }

    /// Keeps a line of thinking.
    pub(super) fn keep(&mut self, line: &str, arrived: Instant) {
        if let Some(search) = self.searches.front_mut() {
            if search.thinking.len() >= MAX_THINKING {
                search.thinking.remove(MAX_THINKING / 2);
            }
            search.thinking.push((line.to_owned(), arrived.saturating_duration_since(search.start)));
        }
    }
}

/// The resident memory of a group of processes in KiB, where the system tells it. A script that starts the
/// engine is in the same group.
fn resident_memory(group: u32) -> Option<u64> {
    let of_process = |folder: PathBuf| {
        // Behind the name, which may be anything: state, parent, group.
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        let is_member = stat.rsplit_once(')')?.1.split_whitespace().nth(2)? == group.to_string();
        let status = fs::read_to_string(folder.join("status")).ok().filter(|_| is_member)?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let members: Vec<_> =
        fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| of_process(entry.path())).collect();
    (!members.is_empty()).then(|| members.iter().sum())
}
