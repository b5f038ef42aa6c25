//! The main loop of the protocol.
//!
//! One thread reads the input, another one does the work (searching, counting). The loop waits for events of
//! both, so that every line is handled when it arrives. The engine is moved to the working thread and back;
//! commands that need it meanwhile are refused.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

use thiserror::Error;

use super::backlog::{Backlog, Room};
use super::command::{self, Command, CommandError, Go, HELP};
use super::input::{LineError, read_line};
use super::output::{Output, error_line};
use super::text;
use crate::engine::{
    self, Engine, OptionError, OptionKind, OptionSpec, PositionError, SearchListener, SearchReport, Settings,
    SideEffect, UnknownVariant, registry,
};
use crate::eval::WeightsError;
use crate::game::MoveError;
use crate::nets::NetError;
use crate::search::{Control, Limits, Progress};

/// The option that selects the game. The loop handles it, as it replaces the engine.
const VARIANT: &str = "UCI_Variant";

/// An event of the input or of the working thread.
enum Event {
    /// A line of input. Its time counts from its arrival, or from its execution if `wait` has deferred it.
    Line { text: Result<String, LineError>, arrived: Option<Instant>, room: Room },
    /// The end of input.
    End,
    /// Work is done. The engine is returned with the last lines of its answer.
    Done { engine: Box<dyn Engine>, answer: String },
    /// The working thread has panicked, and the engine is lost.
    Lost,
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
    #[error("{command}: not while searching, `stop` first")]
    Busy { command: &'static str },
    #[error("wait: this search ends only by `stop` or `ponderhit`")]
    EndlessWait,
}

/// Whether the loop continues.
#[derive(PartialEq, Eq)]
enum Flow {
    Continue,
    Quit,
}

/// Runs the protocol until `quit`, the end of input, or until the output is closed.
///
/// # Errors
/// If the working thread has panicked.
pub fn run(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> io::Result<()> {
    let (sender, events) = mpsc::channel();
    let lines = sender.clone();
    thread::spawn(move || read_input(input, &lines));
    let settings = Settings::default();
    let engine = registry::engine(registry::default_name(), &settings).map_err(io::Error::other)?;
    Loop { output: Output::new(output), sender, engine: Some(engine), work: None, deferred: VecDeque::new() }
        .run(&events)
}

/// Sends each line to the loop until it has ended.
fn read_input(mut input: impl BufRead, events: &Sender<Event>) {
    let backlog = Backlog::default();
    loop {
        let event = match read_line(&mut input) {
            Ok(Some(text)) => {
                let arrived = Some(Instant::now());
                let room = match text.as_deref().map(str::trim) {
                    // These are what ends a backlog.
                    Ok(line @ ("stop" | "quit")) => backlog.enter_at_once(line.len()),
                    Ok(line) => backlog.enter(line.len()),
                    Err(_) => backlog.enter(0),
                };
                Event::Line { text, arrived, room }
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

/// The work in progress.
struct Work {
    control: Arc<Control>,
    /// Whether the answer is held until `stop` or `ponderhit`.
    hold: bool,
    /// The answer that is held.
    answer: Option<String>,
    /// Whether lines are deferred until the work is done (`wait`).
    wait: bool,
}

struct Loop {
    output: Output,
    sender: Sender<Event>,
    /// The engine; none while it is at work.
    engine: Option<Box<dyn Engine>>,
    /// The work in progress, until its answer has been written.
    work: Option<Work>,
    /// Events that came in after `wait`.
    deferred: VecDeque<Event>,
}

impl Loop {
    fn run(mut self, events: &Receiver<Event>) -> io::Result<()> {
        let mut flow = Flow::Continue;
        while flow == Flow::Continue && !self.output.is_broken() {
            flow = match self.next_event(events) {
                Event::Line { text, arrived, room } => {
                    let flow = self.read(text, arrived.unwrap_or_else(Instant::now));
                    // Only now: a line whose answer nobody takes is in the way of those behind it.
                    drop(room);
                    flow
                }
                Event::End => Flow::Quit,
                Event::Done { engine, answer } => self.done(engine, answer),
                Event::Lost => return Err(io::Error::other("the search has failed")),
            };
        }
        // The last search still has to answer.
        self.stop();
        while self.work.is_some() {
            match events.recv() {
                Ok(Event::Done { engine, answer }) => {
                    self.done(engine, answer);
                }
                Ok(Event::Lost) | Err(_) => return Err(io::Error::other("the search has failed")),
                Ok(Event::Line { .. } | Event::End) => {}
            }
        }
        Ok(())
    }

    /// The next event. Deferred events come first when the work is done.
    fn next_event(&mut self, events: &Receiver<Event>) -> Event {
        loop {
            let waiting = self.work.as_ref().is_some_and(|work| work.wait);
            if !waiting && let Some(event) = self.deferred.pop_front() {
                return event;
            }
            // The channel is never closed, as the loop has a sender itself.
            let mut event = events.recv().unwrap_or(Event::End);
            let defer = waiting
                && match &event {
                    Event::Line { text: Ok(text), .. } => text.trim() != "stop",
                    Event::Line { .. } | Event::End => true,
                    Event::Done { .. } | Event::Lost => false,
                };
            if !defer {
                return event;
            }
            // After `stop` the time of a line counts from its arrival, as a GUI expects.
            let stopped = self.work.as_ref().is_some_and(|work| work.control.is_stopped());
            if let Event::Line { arrived, .. } = &mut event
                && !stopped
            {
                *arrived = None;
            }
            self.deferred.push_back(event);
        }
    }

    /// Executes a line. A line that is refused changes nothing.
    fn read(&mut self, text: Result<String, LineError>, arrived: Instant) -> Flow {
        let command = text.map_err(Refusal::from).and_then(|text| Ok(command::parse(&text)?));
        let done = command.and_then(|command| match command {
            None => Ok(Flow::Continue),
            Some(command) => self.execute(command, arrived),
        });
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
            Command::NewGame => self.engine("ucinewgame")?.new_game(),
            Command::SetOption { name, value } => self.set_option(&name, &value)?,
            Command::Position { fen, moves } => {
                self.engine("position")?.board_mut().set_up(fen.as_deref(), &moves)?
            }
            Command::SetWeights(source) => {
                let side_effects = self.engine("setweights")?.set_weights(&source)?;
                self.tell(&side_effects);
            }
            Command::Weights => self.show("weights", |engine| engine.weights().to_json())?,
            Command::Eval { all } => self.show("eval", |engine| {
                let linear = engine.eval_breakdown();
                let linear = if all { linear.by_feature() } else { linear.by_term() };
                let net = engine.net_breakdown().map(|net| format!("\n\n{}", net.to_text()));
                let tables = engine.table_breakdown().map(|tables| format!("\n\n{}", tables.to_text()));
                linear + &net.unwrap_or_default() + &tables.unwrap_or_default()
            })?,
            Command::Display => self.show("d", |engine| engine.board().describe())?,
            Command::Moves => self.show("moves", |engine| engine.board().legal_moves().join(" "))?,
            // Commands that take long.
            Command::Go(go) => self.go(go, arrived)?,
            Command::Perft(depth) => self.perft(depth)?,
            Command::Bench(depth) => self.bench(depth)?,
        }
        Ok(Flow::Continue)
    }

    /// The engine for `command`, unless it is at work.
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
            kind: OptionKind::Combo { default: engine.board().variant(), values: registry::names() },
        };
        let options: Vec<_> = [variant].iter().chain(&engine.options()).map(text::option).collect();
        self.output.line(&format!("id name Labrys {}", env!("CARGO_PKG_VERSION")));
        self.output.line("id author the Labrys developers");
        options.iter().for_each(|option| self.output.line(option));
        self.output.line("uciok");
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        let engine = self.engine("setoption")?;
        if !name.eq_ignore_ascii_case(VARIANT) {
            let side_effects = engine.set_option(name, value)?;
            self.tell(&side_effects);
        } else if !value.eq_ignore_ascii_case(engine.board().variant()) {
            *engine = registry::engine(value, engine.settings())?;
        }
        Ok(())
    }

    /// Prints the side effects of a command.
    fn tell(&self, side_effects: &[SideEffect]) {
        for side_effect in side_effects {
            self.output.line(&format!("info string {side_effect}"));
        }
    }

    fn stop(&mut self) {
        if let Some(work) = &mut self.work {
            work.control.stop();
            work.hold = false;
            // The answer comes within milliseconds, so later lines are deferred and not refused.
            work.wait = true;
        }
        self.release();
    }

    fn ponderhit(&mut self) {
        if let Some(work) = &mut self.work
            && work.control.is_pondering()
        {
            work.control.ponderhit();
            work.hold = false;
        }
        self.release();
    }

    fn wait(&mut self) -> Result<(), Refusal> {
        if let Some(work) = &mut self.work {
            if work.hold {
                return Err(Refusal::EndlessWait);
            }
            work.wait = true;
        }
        Ok(())
    }

    fn go(&mut self, go: Go, arrived: Instant) -> Result<(), Refusal> {
        let engine = self.engine("go")?;
        engine.check_net()?;
        let board = engine.board();
        go.search_moves.iter().try_for_each(|mv| board.check_move(mv))?;
        // A draw that could be claimed does not end the search: clients may play on.
        let (outcome, is_terminal) = (board.outcome(), board.legal_moves().is_empty());
        if let Some(outcome) = outcome {
            self.output.line(&format!("info string {outcome}"));
        }
        let hold = !is_terminal && (go.infinite || go.ponder || go.limits.is_endless());
        let control = if go.ponder { Control::pondering() } else { Control::default() };
        let limits = Limits { start: arrived, ..go.limits };
        let search_moves = go.search_moves;
        self.work("go", control, hold, move |engine, control, output| {
            match engine.search(&search_moves, &limits, control, &mut Printer { control, output }) {
                Ok(best) => text::best_move(&best),
                // Not reached, as the moves were checked.
                Err(error) => error_line(Refusal::from(error)),
            }
        })
    }

    fn perft(&mut self, depth: u32) -> Result<(), Refusal> {
        self.work("perft", Control::default(), false, move |engine, control, output| {
            let nodes =
                engine.board().perft(depth, control, &mut |mv, nodes| output.line(&format!("{mv}: {nodes}")));
            match nodes {
                Some(nodes) => format!("\nNodes searched: {nodes}\n"),
                None => "info string perft stopped".to_owned(),
            }
        })
    }

    fn bench(&mut self, depth: Option<u32>) -> Result<(), Refusal> {
        self.work("bench", Control::default(), false, move |_, control, output| {
            let start = Instant::now();
            let each = &mut |fen: &str, nodes| output.line(&format!("{fen}: {nodes}"));
            match engine::bench::bench(depth, control, each) {
                Some(signature) => text::bench(&signature, start.elapsed()),
                None => "info string bench stopped".to_owned(),
            }
        })
    }

    /// Starts work on a thread. The result of `job` is the end of the answer.
    fn work(
        &mut self,
        command: &'static str,
        control: Control,
        hold: bool,
        job: impl FnOnce(&mut dyn Engine, &Control, &Output) -> String + Send + 'static,
    ) -> Result<(), Refusal> {
        let engine = self.engine.take_if(|_| self.work.is_none());
        let mut engine = engine.ok_or(Refusal::Busy { command })?;
        let control = Arc::new(control);
        let (shared_control, output, sender) =
            (Arc::clone(&control), self.output.clone(), self.sender.clone());
        thread::spawn(move || {
            let alarm = Alarm(sender.clone());
            let answer = job(engine.as_mut(), &shared_control, &output);
            // The loop does not end before it has received this.
            let _ = sender.send(Event::Done { engine, answer });
            drop(alarm);
        });
        self.work = Some(Work { control, hold, answer: None, wait: false });
        Ok(())
    }

    /// Takes the engine back after work.
    fn done(&mut self, engine: Box<dyn Engine>, answer: String) -> Flow {
        self.engine = Some(engine);
        if let Some(work) = &mut self.work {
            work.answer = Some(answer);
        }
        self.release();
        Flow::Continue
    }

    /// Writes the answer if it is there and not held.
    fn release(&mut self) {
        if let Some(work) = self.work.take_if(|work| !work.hold && work.answer.is_some())
            && let Some(answer) = work.answer
        {
            self.output.line(&answer);
        }
    }
}

/// Prints the progress of a search, and stops it when the output is closed.
struct Printer<'a> {
    control: &'a Control,
    output: &'a Output,
}

impl Printer<'_> {
    fn info(&self, line: &str) {
        self.output.line(line);
        if self.output.is_broken() {
            self.control.stop();
        }
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

/// Informs the loop when the working thread panics.
struct Alarm(Sender<Event>);

impl Drop for Alarm {
    fn drop(&mut self) {
        if thread::panicking() {
            // The send fails only if the loop has ended as well.
            let _ = self.0.send(Event::Lost);
        }
    }
}
