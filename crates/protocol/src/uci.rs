//! The main loop of the protocol.
//!
//! One thread reads the input, a worker thread searches or counts. The loop waits for events of both, so that
//! every line is handled when it arrives. The engine is moved to the worker thread and back. Where there are
//! no threads, [`UciEngine`](super::UciEngine) hands its lines to the same loop, which then does the work
//! itself.
//!
//! Commands take effect in the order in which they come. Those that need the engine while it works are
//! queued, with all lines after them. If the work may end only by `stop` or `ponderhit`, they are refused
//! instead, since they would wait for ever.

use std::collections::VecDeque;
use std::io::{self, BufRead, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::backlog::{Backlog, Reservation};
use super::command::{self, Command, CommandError, Go, HELP};
use super::engine_log::EngineLog;
use super::guest::{GuestError, GuestLimits};
use super::input::{LineError, Lines};
use super::output::{Output, error_line};
use super::text;
use labrys_core::clock::Instant;
use labrys_core::engine::{
    self, BestMove, Engine, GameOptions, OptionError, OptionGroup, OptionKind, OptionSpec, PositionError,
    SearchListener, SearchReport, Settings, SideEffect, UnknownVariant, WeightsSource, registry,
};
use labrys_core::eval::WeightsError;
use labrys_core::game::{MoveError, quote, quote_path};
use labrys_core::input;
use labrys_core::nets::NetError;
use labrys_core::search::{Control, Limits, Progress};

/// The option that selects the game. The loop handles it, as it replaces the engine.
pub const VARIANT: &str = "UCI_Variant";

/// The option for the file of a log. The loop handles it, as engines do not see lines.
const LOG_FILE: &str = "Debug Log File";

/// The maximum number of messages about one line of input.
const MAX_NOTES: usize = 8;

/// The time between two lines of silent work, so that a closed output is noticed.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);

/// The null move of UCI.
const NULL_MOVE: &str = "0000";

/// An event of the input or of the worker thread.
pub(super) enum Event {
    /// A line of input.
    Line { text: Result<String, LineError>, arrived: Instant, reservation: Reservation },
    /// The end of input.
    End,
    /// Work is done. The engine is returned with the last lines of its answer.
    Done { engine: Box<dyn Engine>, answer: String },
    /// The worker thread has panicked, and the engine is lost.
    Lost,
}

/// A queued line.
pub(super) struct Entry {
    /// The problem.
    refusal: Option<Refusal>,
    /// Messages about ignored words.
    notes: Vec<String>,
    /// Its command, if any.
    command: Option<Command>,
    /// The start time of its command; that of its execution if `None`.
    arrived: Option<Instant>,
    /// Its part of the backlog, until it is executed.
    reservation: Option<Reservation>,
}

impl Entry {
    /// Reads a line; `None` if it is empty. A `go` is executed despite errors.
    pub(super) fn read(line: Result<String, LineError>, reservation: Option<Reservation>) -> Option<Entry> {
        let (text, error) = match line {
            Ok(text) => (text, None),
            Err(error) => (error.text.clone(), Some(Refusal::Line(error))),
        };
        let parsed = command::parse(&text);
        let notes = match &parsed {
            Ok(Some(command)) => notes(command, &text),
            _ => Vec::new(),
        };
        let (refusal, command) = match (parsed, error) {
            (Ok(command @ Some(Command::Go(_))), error) => (error, command),
            (_, Some(error)) => (Some(error), None),
            (Ok(command), None) => (None, Some(command?)),
            (Err(error), None) => (Some(error.into()), None),
        };
        Some(Entry { refusal, notes, command, arrived: None, reservation })
    }

    /// Whether its command, if any, is of a kind.
    fn is(&self, kind: impl FnOnce(&Command) -> bool) -> bool {
        self.command.as_ref().is_some_and(kind)
    }

    fn is_stop(&self) -> bool {
        self.is(|command| matches!(command, Command::Stop))
    }

    fn is_wait(&self) -> bool {
        self.is(|command| matches!(command, Command::Wait))
    }

    /// Whether it is `stop` or `quit`.
    fn is_end(&self) -> bool {
        self.is(|command| matches!(command, Command::Stop | Command::Quit))
    }

    fn starts_work(&self) -> bool {
        self.is(Command::starts_work)
    }
}

/// Messages about the ignored words of a command.
fn notes(command: &Command, line: &str) -> Vec<String> {
    let name = line.split_whitespace().next().unwrap_or_default();
    let note = |word: &str| format!("info string {name}: {} is unknown and passed over", quote(word));
    match command {
        Command::Go(go) => limited_notes(go.unknown.iter().map(String::as_str), note),
        command => limited_notes(command.ignored_words(line), note),
    }
}

/// The messages for the first items, and the number of the others: a line may have any number of wrong words.
fn limited_notes<T>(mut all: impl Iterator<Item = T>, line: impl Fn(T) -> String) -> Vec<String> {
    let mut lines: Vec<_> = all.by_ref().take(MAX_NOTES).map(line).collect();
    let more = all.count();
    if more > 0 {
        lines.push(format!("info string … and {more} more like it"));
    }
    lines
}

/// An error in a line.
#[derive(Debug, Error)]
enum Refusal {
    #[error(transparent)]
    Line(#[from] LineError),
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    #[error("position: {0}")]
    Position(#[from] PositionError),
    #[error("go: searchmoves: {0}")]
    SearchMoves(#[from] MoveError),
    #[error("go: {0}")]
    Net(#[from] NetError),
    #[error("setweights: {0}")]
    Weights(#[from] WeightsError),
    #[error(transparent)]
    Guest(#[from] GuestError),
    #[error("option {LOG_FILE}: {}: {error}", quote_path(.path))]
    Log { path: PathBuf, error: io::Error },
    #[error("{command}: not while searching, `stop` first")]
    Busy { command: &'static str },
    #[error("wait: this search may end only by `stop` or `ponderhit`")]
    EndlessWait,
}

/// Whether the loop continues.
#[derive(PartialEq, Eq)]
pub(super) enum Flow {
    Continue,
    Quit,
}

/// Runs the protocol until `quit`, the end of input, or until the output is closed.
///
/// # Errors
/// If the worker thread has panicked.
pub fn run(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> io::Result<()> {
    run_with(input, output, None)
}

/// The same for a client that is not the user of this machine.
///
/// # Errors
/// Those of [`run`].
pub(super) fn run_for_guest(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    limits: GuestLimits,
) -> io::Result<()> {
    run_with(input, output, Some(limits))
}

fn run_with(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    guest: Option<GuestLimits>,
) -> io::Result<()> {
    let (mut main_loop, events) = Loop::new(output, Workplace::OtherThread)?;
    if let (Some(guest), Some(engine)) = (&guest, &mut main_loop.engine) {
        guest.restrict(engine.as_mut());
    }
    main_loop.guest = guest;
    let lines = main_loop.sender.clone();
    thread::spawn(move || read_input(input, &lines));
    main_loop.run(&events)
}

/// Sends each line to the loop until it has ended.
fn read_input(input: impl BufRead, events: &Sender<Event>) {
    let (mut lines, backlog) = (Lines::new(input), Backlog::default());
    let mut is_behind_stop = false;
    loop {
        let event = match lines.next() {
            Ok(Some(text)) => {
                let arrived = Instant::now();
                let line = text.as_deref().map(str::trim);
                let reservation = match line {
                    // These may end the backlog, so they are never blocked.
                    Ok(line) if is_first_word(line, "quit") => backlog.reserve_at_once(line.len()),
                    Ok(line) if is_first_word(line, "stop") && !is_behind_stop => {
                        backlog.reserve_at_once(line.len())
                    }
                    Ok(line) => backlog.reserve(line.len()),
                    Err(error) => backlog.reserve(error.text.len()),
                };
                is_behind_stop = line.is_ok_and(|line| is_first_word(line, "stop"));
                Event::Line { text, arrived, reservation }
            }
            Ok(None) => Event::End,
            Err(error) => {
                log::error!("input: {error}");
                Event::End
            }
        };
        let last = matches!(event, Event::End);
        if events.send(event).is_err() || last {
            return;
        }
    }
}

/// Whether a line begins with a word.
fn is_first_word(line: &str, word: &str) -> bool {
    line.split_whitespace().next() == Some(word)
}

/// Where work runs.
#[derive(Clone, Copy)]
pub(super) enum Workplace {
    /// On a thread of its own.
    OtherThread,
    /// On the thread of the loop. The work calls this at intervals, to check whether it has to end.
    ThisThread(fn(&Control)),
}

/// Until when an answer is held that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    No,
    /// Until `ponderhit` or `stop`.
    UntilPonderhit,
    UntilStop,
}

impl Hold {
    fn after_ponderhit(self) -> Hold {
        if self == Hold::UntilPonderhit { Hold::No } else { self }
    }
}

/// The work in progress.
struct Work {
    control: Arc<Control>,
    /// Until when the answer is held.
    hold: Hold,
    /// Whether the work may never end by itself.
    endless: bool,
    /// The answer that is held.
    answer: Option<String>,
    /// Whether no line is executed until the work is done: after `wait` or `stop`.
    wait: bool,
    /// The number of `go` refused since, which the answer covers, too.
    refused: usize,
}

pub(super) struct Loop {
    output: Output,
    workplace: Workplace,
    worker: Worker,
    sender: Sender<Event>,
    /// The engine; none while it is at work.
    engine: Option<Box<dyn Engine>>,
    /// The options of games that are not in play.
    game_options: GameOptions,
    /// The limits of a client; none for the user of this machine.
    guest: Option<GuestLimits>,
    /// The work in progress, until its answer has been written.
    work: Option<Work>,
    /// The lines that have not been executed.
    queue: VecDeque<Entry>,
    /// Whether a line has been refused because the queue was full.
    has_refused: bool,
}

impl Loop {
    /// A loop with the default game, and its events.
    pub(super) fn new(
        output: impl Write + Send + 'static,
        workplace: Workplace,
    ) -> io::Result<(Loop, Receiver<Event>)> {
        let (sender, events) = mpsc::channel();
        let settings = Settings::default();
        let engine = registry::engine(registry::default_name(), &settings).map_err(io::Error::other)?;
        let (output, engine) = (Output::new(output), Some(engine));
        let (game_options, queue) = (GameOptions::default(), VecDeque::new());
        let has_refused = false;
        let (worker, guest, work) = (Worker::default(), None, None);
        Ok((
            Loop { output, workplace, worker, sender, engine, game_options, guest, work, queue, has_refused },
            events,
        ))
    }

    fn run(mut self, events: &Receiver<Event>) -> io::Result<()> {
        while self.execute_queue() == Flow::Continue && !self.output.is_broken() {
            // The channel is never closed, as the loop has a sender itself.
            self.handle(events.recv().unwrap_or(Event::End))?;
        }
        self.end(events)
    }

    /// Executes the queued lines, with the work that runs on this thread.
    pub(super) fn execute_all(&mut self, events: &Receiver<Event>) -> io::Result<Flow> {
        while self.execute_queue() == Flow::Continue && !self.output.is_broken() {
            match events.try_recv() {
                Ok(event) => self.handle(event)?,
                Err(_) => return Ok(Flow::Continue),
            }
        }
        self.end(events)?;
        Ok(Flow::Quit)
    }

    fn handle(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Line { text, arrived, reservation } => {
                self.log(&text);
                if let Some(entry) = Entry::read(text, Some(reservation)) {
                    self.enqueue(entry, arrived);
                }
            }
            Event::End => {
                let command = Some(Command::Quit);
                let quit =
                    Entry { refusal: None, notes: Vec::new(), command, arrived: None, reservation: None };
                self.enqueue(quit, Instant::now());
            }
            Event::Done { engine, answer } => self.done(engine, answer),
            Event::Lost => return Err(io::Error::other("the search has failed")),
        }
        Ok(())
    }

    /// Logs a line of input, if there is a log.
    fn log(&self, line: &Result<String, LineError>) {
        let text = line.as_ref().unwrap_or_else(|error| &error.text);
        if let Some(error) = self.output.log_input(text) {
            self.output.error(format_args!("option {LOG_FILE}: {error}: the log ends"));
        }
    }

    /// Ends the loop. The last search still has to answer.
    fn end(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        self.stop();
        while self.work.is_some() {
            match events.recv() {
                Ok(Event::Done { engine, answer }) => self.done(engine, answer),
                Ok(Event::Lost) | Err(_) => return Err(io::Error::other("the search has failed")),
                Ok(Event::Line { .. } | Event::End) => {}
            }
        }
        Ok(())
    }

    /// Puts a line at the end of the queue.
    pub(super) fn enqueue(&mut self, entry: Entry, arrived: Instant) {
        let is_end = entry.is_end();
        let is_waited_for = self.work.as_ref().is_none_or(|work| work.wait);
        let is_go = entry.is(|command| matches!(command, Command::Go(_)));
        let is_half_full = entry.reservation.as_ref().is_some_and(Reservation::is_half_full);
        if is_half_full && !is_waited_for && !is_end && !is_go {
            // It is refused, so that a `stop` after it is read.
            self.has_refused = true;
            self.execute_entry(entry);
            return;
        }
        let mut entry = entry;
        if self.has_refused
            && let Some(Command::Go(go)) = &mut entry.command
        {
            // It has to be answered, but not for a wrong position.
            go.is_refused = true;
        }
        // The time of a `go` counts from its arrival, as a GUI expects, unless work before it was not
        // stopped.
        let arrived = (entry.starts_work() && !self.has_unstopped_work()).then_some(arrived);
        self.queue.push_back(Entry { arrived, ..entry });
        if is_end {
            self.apply_queued_stops();
        }
    }

    /// Whether there is work that no queued line stops.
    fn has_unstopped_work(&self) -> bool {
        match self.queue.iter().rev().find(|entry| entry.is_stop() || entry.starts_work()) {
            Some(entry) => entry.starts_work(),
            None => self.work.as_ref().is_some_and(|work| !work.control.is_stopped()),
        }
    }

    /// Stops the work in progress if a queued line requests it: after `wait`, a `stop` that is not meant for
    /// later work; otherwise any `stop` or `quit` without a `wait` before it.
    fn apply_queued_stops(&mut self) {
        let Some(work) = self.work.as_ref().filter(|work| !work.control.is_stopped()) else { return };
        let mut queue = self.queue.iter();
        let stops = match work.wait {
            true => queue.find(|entry| entry.is_stop() || entry.starts_work()).is_some_and(Entry::is_stop),
            false => queue.find(|entry| entry.is_end() || entry.is_wait()).is_some_and(Entry::is_end),
        };
        if stops {
            self.stop();
        }
    }

    /// Executes the queued lines that may be executed.
    fn execute_queue(&mut self) -> Flow {
        while self.queue.front().is_some_and(|entry| self.may_execute(entry))
            && let Some(entry) = self.queue.pop_front()
        {
            if self.execute_entry(entry) == Flow::Quit {
                return Flow::Quit;
            }
        }
        self.has_refused &= !self.queue.is_empty();
        Flow::Continue
    }

    /// Whether the first line of the queue may be executed now.
    fn may_execute(&self, entry: &Entry) -> bool {
        match &self.work {
            None => true,
            Some(work) if work.wait => false,
            // It is refused, as it would wait for ever.
            Some(work) if work.hold != Hold::No || work.endless => true,
            Some(_) => !entry.is(Command::needs_engine),
        }
    }

    /// Executes a line. A refused line changes nothing.
    fn execute_entry(
        &mut self,
        Entry { refusal, notes, command, arrived, reservation: _reservation }: Entry,
    ) -> Flow {
        if let Some(refusal) = refusal {
            self.output.error(refusal);
        }
        notes.iter().for_each(|note| self.output.line(note));
        let Some(command) = command else { return Flow::Continue };
        let done = self.execute(command, arrived.unwrap_or_else(Instant::now));
        done.unwrap_or_else(|refusal| {
            self.output.error(refusal);
            Flow::Continue
        })
    }

    fn execute(&mut self, command: Command, arrived: Instant) -> Result<Flow, Refusal> {
        match command {
            // Commands that are executed at any time.
            Command::IsReady => self.output.line("readyok"),
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponderhit(),
            Command::Wait => self.wait()?,
            Command::Help => self.help(),
            Command::Debug => {}
            Command::Quit => return Ok(Flow::Quit),
            // Commands that need the engine.
            Command::Uci => self.identify()?,
            Command::NewGame => {
                self.engine("ucinewgame")?.new_game();
                // The thread is there before the clock runs.
                if let Workplace::OtherThread = self.workplace {
                    self.worker.start(Box::new(|| {}));
                }
            }
            Command::SetOption { name, value } => self.set_option(&name, &value)?,
            Command::Position { fen, moves } => {
                self.engine("position")?.board_mut().set_up(fen.as_deref(), &moves)?
            }
            Command::SetWeights(source) => {
                let guest = self.guest.clone();
                let engine = self.engine("setweights")?;
                let source = guest.as_ref().map_or(Ok(source.clone()), |guest| guest.weights(source))?;
                let side_effects = engine.set_weights(&source).map_err(|error| match (&guest, &source) {
                    (Some(_), WeightsSource::File(_)) => hidden("setweights", &error),
                    _ => error.into(),
                })?;
                self.print_side_effects(&side_effects);
            }
            Command::Weights => self.show("weights", |engine| engine.weights().to_json())?,
            Command::Eval { all } => self.show("eval", |engine| text::evaluation(engine, all))?,
            Command::Display => self.show("d", |engine| engine.board().describe())?,
            Command::Moves => self.show("moves", |engine| engine.board().legal_moves().join(" "))?,
            // Commands that take long.
            Command::Go(go) => self.go(*go, arrived)?,
            Command::Perft(depth) => self.perft(depth)?,
            Command::Bench(depth) => self.bench(depth)?,
        }
        Ok(Flow::Continue)
    }

    /// The engine for `command`, unless it works.
    fn engine(&mut self, command: &'static str) -> Result<&mut Box<dyn Engine>, Refusal> {
        self.engine.as_mut().filter(|_| self.work.is_none()).ok_or(Refusal::Busy { command })
    }

    /// Prints a text about the engine.
    fn show(&mut self, command: &'static str, text: impl Fn(&dyn Engine) -> String) -> Result<(), Refusal> {
        let text = text(self.engine(command)?.as_ref());
        self.output.line(&text);
        Ok(())
    }

    fn help(&self) {
        for (usage, meaning) in HELP {
            self.output.line(&format!("{usage}\n    {meaning}"));
        }
    }

    fn identify(&mut self) -> Result<(), Refusal> {
        let engine = self.engine("uci")?;
        let variant = OptionSpec {
            name: VARIANT,
            group: OptionGroup::General,
            kind: OptionKind::Combo { default: engine.board().variant(), values: registry::names() },
        };
        let mut options: Vec<_> = [variant].into_iter().chain(GameOptions::all(engine.as_ref())).collect();
        if self.has_log_file() {
            let general = options.partition_point(|option| option.group == OptionGroup::General);
            let log = OptionSpec { name: LOG_FILE, group: OptionGroup::General, kind: OptionKind::Text };
            options.insert(general, log);
        }
        let announced = |option| match &self.guest {
            Some(guest) => guest.announced(option),
            None => option,
        };
        let options: Vec<_> = options.into_iter().map(|option| text::option(&announced(option))).collect();
        self.output.line(&format!("id name Labrys {}", env!("CARGO_PKG_VERSION")));
        self.output.line("id author the Labrys developers");
        options.iter().for_each(|option| self.output.line(option));
        self.output.line("uciok");
        Ok(())
    }

    /// Whether a log can be written: only by the user of this machine, and where there are files.
    fn has_log_file(&self) -> bool {
        self.guest.is_none() && matches!(self.workplace, Workplace::OtherThread)
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        if name.eq_ignore_ascii_case(LOG_FILE) && self.has_log_file() {
            self.engine("setoption")?;
            self.output.set_log(open_log(value)?);
            return Ok(());
        }
        let mut game_options = std::mem::take(&mut self.game_options);
        let done = self.set_option_with(&mut game_options, name, value);
        self.game_options = game_options;
        done
    }

    fn set_option_with(&mut self, options: &mut GameOptions, name: &str, value: &str) -> Result<(), Refusal> {
        let guest = self.guest.clone();
        let engine = self.engine("setoption")?;
        if !name.eq_ignore_ascii_case(VARIANT) {
            let side_effects = match &guest {
                None => options.set(engine.as_mut(), name, value)?,
                Some(guest) => set_for_guest(guest, options, engine.as_mut(), name, value)?,
            };
            self.print_side_effects(&side_effects);
        } else if !value.eq_ignore_ascii_case(engine.board().variant()) {
            let (new, errors) = options.change_game(engine.as_ref(), value)?;
            *engine = new;
            for error in errors {
                let error = match guest {
                    None => Refusal::from(error),
                    // A file that was good before.
                    Some(_) => hidden("setoption", &error),
                };
                // Not as an error: the game has changed.
                self.output.line(&format!("info string {error}; it has its default"));
            }
        }
        Ok(())
    }

    /// Prints the side effects of a command.
    fn print_side_effects(&self, side_effects: &[SideEffect]) {
        for side_effect in side_effects {
            self.output.line(&format!("info string {side_effect}"));
        }
    }

    fn stop(&mut self) {
        if let Some(work) = &mut self.work {
            work.control.stop();
            work.hold = Hold::No;
            // The answer comes within milliseconds, so later lines wait for it.
            work.wait = true;
        }
        self.release();
    }

    fn ponderhit(&mut self) {
        if let Some(work) = &mut self.work
            && work.control.is_pondering()
        {
            work.control.ponderhit();
            work.hold = work.hold.after_ponderhit();
        }
        self.release();
    }

    fn wait(&mut self) -> Result<(), Refusal> {
        if let Some(work) = &mut self.work {
            if work.hold != Hold::No || work.endless {
                return Err(Refusal::EndlessWait);
            }
            work.wait = true;
            self.apply_queued_stops();
        }
        Ok(())
    }

    /// Searches. Whatever is wrong, there is one `bestmove` in the end.
    fn go(&mut self, go: Go, arrived: Instant) -> Result<(), Refusal> {
        limited_notes(go.errors.iter(), error_line).iter().for_each(|line| self.output.line(line));
        if let Some(work) = &mut self.work {
            // The answer of the search in progress covers it.
            work.refused += 1;
            return Err(Refusal::Busy { command: "go" });
        }
        let engine = self.engine("go")?;
        let unfit = engine.check_net().err();
        let board = engine.board();
        let (outcome, is_terminal) = (board.outcome(), board.legal_moves().is_empty());
        let (mut search_moves, mut errors) = (Vec::new(), Vec::new());
        for text in &go.search_moves {
            match board.check_move(text) {
                Ok(()) => search_moves.push(text.clone()),
                Err(error) => errors.push(Refusal::SearchMoves(error)),
            }
        }
        limited_notes(errors.iter(), error_line).iter().for_each(|line| self.output.line(line));
        unfit.into_iter().for_each(|error| self.output.error(Refusal::Net(error)));
        // Clients send the null move if there is no legal move.
        let is_empty_choice = search_moves.is_empty() && go.search_moves == [NULL_MOVE];
        if go.is_refused || is_empty_choice {
            self.output.line(&text::best_move(&BestMove { best: None, ponder: None, nodes: 0 }));
            return Ok(());
        }
        // A claimable draw does not end the search: clients may play on.
        if let Some(outcome) = outcome {
            self.output.line(&format!("info string {outcome}"));
        }
        let hold = match go.ponder {
            _ if is_terminal => Hold::No,
            _ if go.limits.infinite || go.limits.is_endless() => Hold::UntilStop,
            true => Hold::UntilPonderhit,
            false => Hold::No,
        };
        // A search for a mate that does not exist ends only by `stop`.
        let endless = !is_terminal && Limits { mate: None, ..go.limits.clone() }.is_endless();
        let control = if go.ponder { Control::pondering() } else { Control::default() };
        let limits = Limits { start: arrived, ..go.limits };
        self.work("go", control, hold, move |engine, control, output| {
            match engine.search(&search_moves, &limits, control, &mut Printer { control, output }) {
                Ok(best) => text::best_move(&best),
                // Not reached, as the moves were checked.
                Err(error) => error_line(Refusal::from(error)),
            }
        })?;
        if let Some(work) = &mut self.work {
            work.endless = endless;
        }
        Ok(())
    }

    fn perft(&mut self, depth: u32) -> Result<(), Refusal> {
        let workplace = self.workplace;
        self.work("perft", Control::default(), Hold::No, move |engine, control, output| {
            let mut each = |mv: &str, nodes| print_work_line(output, control, &format!("{mv}: {nodes}"));
            let nodes = with_heartbeat(workplace, output, control, || {
                engine.board().perft(depth, control, &mut each)
            });
            match nodes {
                Some(nodes) => format!("\nNodes searched: {nodes}\n"),
                None => "info string perft stopped".to_owned(),
            }
        })
    }

    fn bench(&mut self, depth: Option<u32>) -> Result<(), Refusal> {
        let workplace = self.workplace;
        self.work("bench", Control::default(), Hold::No, move |_, control, output| {
            let start = Instant::now();
            let each = &mut |fen: &str, nodes| print_work_line(output, control, &format!("{fen}: {nodes}"));
            match with_heartbeat(workplace, output, control, || engine::bench::bench(depth, control, each)) {
                Some(signature) => text::bench(&signature, start.elapsed()),
                None => "info string bench stopped".to_owned(),
            }
        })
    }

    /// Starts work on a thread, or runs it on this one. The result of `job` is the end of the answer.
    fn work(
        &mut self,
        command: &'static str,
        control: Control,
        hold: Hold,
        job: impl FnOnce(&mut dyn Engine, &Control, &Output) -> String + Send + 'static,
    ) -> Result<(), Refusal> {
        let engine = self.engine.take_if(|_| self.work.is_none());
        let mut engine = engine.ok_or(Refusal::Busy { command })?;
        let work =
            |control, hold| Work { control, hold, endless: false, answer: None, wait: false, refused: 0 };
        let (output, sender) = (self.output.clone(), self.sender.clone());
        match self.workplace {
            Workplace::OtherThread => {
                let control = Arc::new(control);
                self.work = Some(work(Arc::clone(&control), hold));
                self.worker.start(Box::new(move || {
                    let alarm = PanicGuard(sender.clone());
                    let answer = job(engine.as_mut(), &control, &output);
                    // The loop does not end before it has received this.
                    let _ = sender.send(Event::Done { engine, answer });
                    drop(alarm);
                }));
            }
            Workplace::ThisThread(poll) => {
                let (is_pondering, control) = (control.is_pondering(), control.with_poll(poll));
                let answer = job(engine.as_mut(), &control, &output);
                // The line of a noted `ponderhit` comes later.
                let is_hit = is_pondering && !control.is_pondering();
                let hold = if is_hit { hold.after_ponderhit() } else { hold };
                self.work = Some(work(Arc::new(control), hold));
                let _ = sender.send(Event::Done { engine, answer });
            }
        }
        self.apply_queued_stops();
        Ok(())
    }

    /// Takes the engine back after work.
    fn done(&mut self, engine: Box<dyn Engine>, answer: String) {
        self.engine = Some(engine);
        if let Some(work) = &mut self.work {
            work.answer = Some(answer);
        }
        self.release();
    }

    /// Writes the answer if it is there and not held.
    fn release(&mut self) {
        if let Some(work) = self.work.take_if(|work| work.hold == Hold::No && work.answer.is_some())
            && let Some(answer) = work.answer
        {
            (0..=work.refused).for_each(|_| self.output.line(&answer));
        }
    }
}

/// A log that is appended to a file; none without a name. Only a regular file is opened: the end of another
/// process could block it.
fn open_log(path: &str) -> Result<EngineLog, Refusal> {
    if matches!(path, "" | "<empty>") {
        return Ok(EngineLog::default());
    }
    let path = Path::new(path);
    let open = || match input::open(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => EngineLog::append(path),
    };
    let log = open().map_err(|error| Refusal::Log { path: path.to_owned(), error })?;
    Ok(log.named("labrys").of_process(std::process::id()))
}

/// Sets an option for a client within its limits.
fn set_for_guest(
    guest: &GuestLimits,
    options: &mut GameOptions,
    engine: &mut dyn Engine,
    name: &str,
    value: &str,
) -> Result<Vec<SideEffect>, Refusal> {
    let all = GameOptions::all(engine);
    let Some(spec) = all.iter().find(|option| option.name.eq_ignore_ascii_case(name)) else {
        return Ok(options.set(engine, name, value)?);
    };
    let value = guest.value(spec, value)?;
    options.set(engine, name, &value).map_err(|error| match spec.is_path() {
        true => hidden(&format!("option {}", spec.name), &error),
        false => error.into(),
    })
}

/// The refusal of a file for a client, who is not told what is in it. The log has the error.
fn hidden(what: &str, error: &dyn std::error::Error) -> Refusal {
    log::info!("{what}: {error}");
    GuestError::File { what: what.to_owned() }.into()
}

/// Prints a line of the worker, and stops it if the output is closed.
fn print_work_line(output: &Output, control: &Control, line: &str) {
    output.line(line);
    if output.is_broken() {
        control.stop();
    }
}

/// Does work that may say nothing for long, and prints its time at intervals, if there are threads.
fn with_heartbeat<T>(
    workplace: Workplace,
    output: &Output,
    control: &Control,
    work: impl FnOnce() -> T,
) -> T {
    if matches!(workplace, Workplace::ThisThread(_)) {
        return work();
    }
    let (start, (done, is_done)) = (Instant::now(), mpsc::channel::<()>());
    thread::scope(|scope| {
        scope.spawn(move || {
            while is_done.recv_timeout(HEARTBEAT_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                print_work_line(output, control, &format!("info time {}", start.elapsed().as_millis()));
            }
        });
        // Dropped at the end, or when the work panics.
        let _done = done;
        work()
    })
}

/// Prints the progress of a search, and stops it if the output is closed.
struct Printer<'a> {
    control: &'a Control,
    output: &'a Output,
}

impl Printer<'_> {
    fn info(&self, line: &str) {
        print_work_line(self.output, self.control, line);
    }
}

impl SearchListener for Printer<'_> {
    fn report(&mut self, report: &SearchReport) {
        if let Some(visits) = text::visits(report) {
            self.info(&visits);
        }
        self.info(&text::info(report));
    }

    fn root_move(&mut self, depth: u32, mv: &str, number: usize, progress: &Progress) {
        let progress = text::progress(progress);
        self.info(&format!("info depth {depth} currmove {mv} currmovenumber {number} {progress}"));
    }

    fn progress(&mut self, progress: &Progress) {
        self.info(&format!("info {}", text::progress(progress)));
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// The worker thread, from the first job to the end of the session. A new thread for each job would wait for
/// the processor for a tenth of a second where hundreds of others do; one that has slept gets it at once.
#[derive(Default)]
struct Worker(Option<Sender<Job>>);

impl Worker {
    /// Hands a job to the thread, which has none.
    fn start(&mut self, job: Job) {
        let jobs = self.0.get_or_insert_with(|| {
            let (sender, jobs) = mpsc::channel::<Job>();
            thread::spawn(move || jobs.into_iter().for_each(|job| job()));
            sender
        });
        jobs.send(job).expect("a job that panics ends the session");
    }
}

/// Informs the loop if the worker thread panics.
struct PanicGuard(Sender<Event>);

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if thread::panicking() {
            // The send fails only if the loop has ended as well.
            let _ = self.0.send(Event::Lost);
        }
    }
}
