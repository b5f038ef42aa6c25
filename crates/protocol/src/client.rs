//! A UCI client, which drives an engine in a child process or over TCP.

use std::fmt;
use std::time::Duration;

use super::answer_tracker::{AnswerTracker, SearchEnd, SearchLine, SearchRequest};
use super::engine_log::EngineLog;
use super::info::Info;
pub use super::pipe::ClientError;
use super::pipe::{Pipe, STOP_TIMEOUT};
use super::transport::Transport;
use labrys_core::clock::Instant;
use labrys_core::search::{Control, Limits};

/// An option that an engine has announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOption {
    /// Its name.
    pub name: String,
    /// The words of a list (`var …`); empty for other types.
    pub words: Vec<String>,
}

impl EngineOption {
    /// Reads what follows `option name`: `<name> type <type> …`. The name may contain spaces.
    pub fn read(text: &str) -> EngineOption {
        let (name, rest) = text.split_once(" type ").unwrap_or((text, ""));
        let words = rest.split(" var ").skip(1).map(|word| word.trim().to_owned());
        EngineOption { name: name.trim().to_owned(), words: words.collect() }
    }
}

/// The answer to `go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The move, as the engine wrote it; empty if it wrote none.
    pub best: String,
    /// The reply that the engine expects, as it wrote it.
    pub ponder: Option<String>,
    /// The last `info` of the engine about its first line.
    pub info: Info,
    /// Time from `go` to the answer.
    pub elapsed: Duration,
}

/// A running engine. Dropping the client sends `quit`, and kills the engine's process if it does not end.
pub struct Client {
    pipe: Pipe,
    /// The engine's `id name`.
    pub name: String,
    /// The options that it has announced.
    pub options: Vec<EngineOption>,
    answers: AnswerTracker,
}

impl Client {
    /// Starts an engine, or connects to it, and waits for its `uciok`, for `timeout` at most.
    ///
    /// # Errors
    /// [`ClientError`] if it does not start, ends, or does not answer in time.
    pub fn start(
        transport: &Transport,
        log: &EngineLog,
        timeout: Duration,
        control: &Control,
    ) -> Result<Client, ClientError> {
        let pipe = Pipe::open(transport, log, timeout, &["stop", "quit"])?;
        let (name, options) = (transport.to_string(), Vec::new());
        let mut client = Client { pipe, name, options, answers: AnswerTracker::default() };
        client.handshake(timeout, control).inspect_err(|error| client.refuse(error, control))?;
        Ok(client)
    }

    /// Tells an agent, before the client is dropped, why it cannot play. `control` has not been stopped: then
    /// it may come back. Other engines need no such word.
    pub fn refuse(&self, reason: impl fmt::Display, control: &Control) {
        if !control.is_stopped() {
            self.pipe.refuse(reason);
        }
    }

    /// Sends `uci` and reads name and options.
    fn handshake(&mut self, timeout: Duration, control: &Control) -> Result<(), ClientError> {
        let (mut name, mut options) = (None, Vec::new());
        self.ask("uci", "uciok", timeout, control, |line| {
            if let Some(text) = line.strip_prefix("id name ") {
                name = Some(text.trim().to_owned());
            } else if let Some(text) = line.strip_prefix("option name ") {
                options.push(EngineOption::read(text));
            }
        })?;
        self.options = options;
        self.name = name.unwrap_or_else(|| self.name.clone());
        Ok(())
    }

    /// An announced option by name; case does not matter.
    pub fn option(&self, name: &str) -> Option<&EngineOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Sets an option, `value` being empty for a button.
    ///
    /// # Errors
    /// [`ClientError::UnknownOption`] if the engine has not announced it.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), ClientError> {
        let Some(option) = self.option(name) else {
            let known: Vec<_> = self.options.iter().map(|option| option.name.as_str()).collect();
            return Err(ClientError::UnknownOption { name: name.to_owned(), known: known.join(", ") });
        };
        let line = match value {
            "" => format!("setoption name {}", option.name),
            value => format!("setoption name {} value {value}", option.name),
        };
        self.pipe.send(&line)
    }

    /// Sends `isready` and waits for `readyok`.
    ///
    /// # Errors
    /// [`ClientError`]; a line `info string error: …` before `readyok` means that an earlier line was refused.
    pub fn sync(&mut self, timeout: Duration, control: &Control) -> Result<(), ClientError> {
        let mut refused = None;
        self.ask("isready", "readyok", timeout, control, |line| {
            if let Some(text) = line.strip_prefix("info string error:") {
                refused.get_or_insert(text.trim().to_owned());
            }
        })?;
        refused.map_or(Ok(()), |text| Err(ClientError::Refused(text)))
    }

    /// Sends `ucinewgame` and waits until the engine is ready.
    ///
    /// # Errors
    /// [`ClientError`] if it ends or does not answer in time.
    pub fn new_game(&mut self, timeout: Duration, control: &Control) -> Result<(), ClientError> {
        self.answers.new_game();
        self.pipe.send("ucinewgame")?;
        self.sync(timeout, control)
    }

    /// Sends a `position` line, and waits until the engine is ready, so that a repeated answer to an earlier
    /// search is not taken for one to the next.
    ///
    /// # Errors
    /// [`ClientError`] if it ends, refuses the position, or does not answer in time.
    pub fn set_up(
        &mut self,
        position: &str,
        timeout: Duration,
        control: &Control,
    ) -> Result<(), ClientError> {
        let Client { pipe, answers, .. } = self;
        pipe.drain(|line| {
            if is_move(line) {
                answers.add_repeat()
            }
        });
        pipe.send(position)?;
        self.sync(timeout, control)?;
        self.answers.drain_repeats(&mut self.pipe, control, is_move)
    }

    /// Lets the engine search the position. After `timeout` it is told to stop; an answer after that still
    /// counts, with the time it took. A move that may belong to an earlier search is held back, as some
    /// engines answer twice.
    ///
    /// # Errors [`ClientError`] if it ends, does not answer `stop` in time, or refuses in a line `info string
    /// error: go…`.
    pub fn go(
        &mut self,
        limits: &Limits,
        is_legal: impl Fn(&str) -> bool,
        timeout: Duration,
        control: &Control,
    ) -> Result<Answer, ClientError> {
        self.search(&go_line(limits, false), is_legal, timeout, control)
    }

    /// Lets the engine search a position in the time of its opponent, until [`Client::ponderhit`] or
    /// [`Client::stop_pondering`].
    ///
    /// # Errors
    /// Those of [`Client::set_up`].
    pub fn ponder(
        &mut self,
        position: &str,
        limits: &Limits,
        timeout: Duration,
        control: &Control,
    ) -> Result<(), ClientError> {
        self.set_up(position, timeout, control)?;
        self.pipe.drop_reports(true);
        self.pipe.send(&go_line(limits, true))
    }

    /// The opponent has played the expected move: the engine goes on in its own time, see [`Client::go`].
    ///
    /// # Errors
    /// Those of [`Client::go`].
    pub fn ponderhit(
        &mut self,
        is_legal: impl Fn(&str) -> bool,
        timeout: Duration,
        control: &Control,
    ) -> Result<Answer, ClientError> {
        self.pipe.drop_reports(false);
        self.search("ponderhit", is_legal, timeout, control)
    }

    /// The opponent has played another move: ends the search, whose answer does not count.
    ///
    /// # Errors
    /// [`ClientError`] if the engine ends, or does not answer in time.
    pub fn stop_pondering(&mut self, control: &Control) -> Result<(), ClientError> {
        self.pipe.drop_reports(false);
        self.pipe.send("stop")?;
        let answered = self.pipe.wait("bestmove", STOP_TIMEOUT, control, |line| is_move(line).then_some(()));
        answered.map(drop)
    }

    /// Sends a line that makes the engine search, and waits for its answer.
    fn search(
        &mut self,
        line: &str,
        is_legal: impl Fn(&str) -> bool,
        timeout: Duration,
        control: &Control,
    ) -> Result<Answer, ClientError> {
        let start = Instant::now();
        self.pipe.send(line)?;
        let (mut info, mut ponder) = (Info::default(), None);
        let Client { pipe, answers, .. } = self;
        let request = SearchRequest {
            expected: "bestmove",
            stop: "stop",
            sync: Some("isready"),
            timeout,
            is_legal: &is_legal,
        };
        let (found, arrived) = answers.wait(pipe, &request, control, |line| {
            info.update(line);
            if is_move(line) {
                ponder =
                    line.split_whitespace().skip_while(|word| *word != "ponder").nth(1).map(str::to_owned);
            }
            read_search(line, &info)
        })?;
        let best = match found {
            SearchEnd::Move(best) => best,
            SearchEnd::Other(refused) => return Err(refused),
        };
        // An engine may have answered too early.
        let elapsed = arrived.saturating_duration_since(start);
        Ok(Answer { best, ponder, info, elapsed })
    }

    /// Sends a question and reads lines up to the one whose first word is `expected`; `other` gets the lines
    /// before it.
    fn ask(
        &mut self,
        question: &str,
        expected: &'static str,
        timeout: Duration,
        control: &Control,
        mut other: impl FnMut(&str),
    ) -> Result<(), ClientError> {
        let Client { pipe, answers, .. } = self;
        pipe.send(question)?;
        let answered = pipe.wait(expected, timeout, control, |line| {
            other(line);
            if is_move(line) {
                answers.add_repeat();
            }
            (line.split_whitespace().next() == Some(expected)).then_some(())
        });
        answered.map(drop)
    }
}

/// Whether a line is an answer to `go`.
fn is_move(line: &str) -> bool {
    line.split_whitespace().next() == Some("bestmove")
}

/// Reads a line of a search, whose last reports are `info`.
fn read_search(line: &str, info: &Info) -> Option<SearchLine<ClientError>> {
    if let Some(text) = line.strip_prefix("info string error: go") {
        return Some(SearchLine::End(ClientError::Refused(format!("go{text}"))));
    }
    let mut words = line.split_whitespace();
    match words.next()? {
        "bestmove" => {
            let best = words.next().unwrap_or_default();
            let is_shown = info.pv.first().is_some_and(|first| first == best);
            Some(SearchLine::Move(best.to_owned(), is_shown))
        }
        "readyok" => Some(SearchLine::Synced),
        "info" if words.next() != Some("string") => Some(SearchLine::Thinking),
        _ => None,
    }
}

/// The `go` line for these limits, in the time of the opponent with `ponder`.
fn go_line(limits: &Limits, ponder: bool) -> String {
    let milliseconds = |time: Duration| time.as_millis() as u64;
    let mut words = vec![if ponder { "go ponder" } else { "go" }.to_owned()];
    let mut add = |name: &str, value: Option<u64>| words.extend(value.map(|value| format!("{name} {value}")));
    for (clock, [time, increment]) in limits.clocks.iter().zip([["wtime", "winc"], ["btime", "binc"]]) {
        add(time, clock.map(|clock| milliseconds(clock.remaining)));
        add(increment, clock.map(|clock| milliseconds(clock.increment)));
    }
    add("movestogo", limits.moves_to_go.map(u64::from));
    add("movetime", limits.movetime.map(milliseconds));
    add("depth", limits.depth.map(u64::from));
    add("nodes", limits.nodes);
    add("mate", limits.mate.map(u64::from));
    if limits.infinite || limits.is_endless() {
        words.push("infinite".to_owned());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::sync::mpsc;
    use std::thread;

    use super::*;
    use crate::{Command, parse};
    use labrys_core::search::Clock;

    /// An engine that reports a lot when it ponders, and tells when it has.
    fn talkative(told: mpsc::Sender<()>) -> Transport {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            // More than the buffers of the connection hold.
            let reports = format!("info depth 1 score cp 1 pv{}\n", " e2e4".repeat(40)).repeat(100_000);
            for line in BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok) {
                let answer = match line.split(' ').next() {
                    Some("uci") => "uciok\n",
                    Some("isready") => "readyok\n",
                    Some("go") => &reports,
                    Some("ponderhit") => "info depth 2 score cp 2 pv e2e4\nbestmove e2e4\n",
                    _ => continue,
                };
                if stream.write_all(answer.as_bytes()).is_err() {
                    return;
                }
                if line.starts_with("go") {
                    let _ = told.send(());
                }
            }
        });
        Transport::Tcp(address.parse().unwrap())
    }

    #[test]
    fn an_engine_that_ponders_never_waits_for_a_reader() {
        let (sender, told) = mpsc::channel();
        let (log, control, timeout) = (EngineLog::default(), Control::default(), Duration::from_secs(60));
        let mut client = Client::start(&talkative(sender), &log, timeout, &control).unwrap();
        client.ponder("position startpos", &Limits::nodes(1), timeout, &control).unwrap();
        told.recv_timeout(timeout).unwrap();
        let answer = client.ponderhit(|best| best == "e2e4", timeout, &control).unwrap();
        assert_eq!((answer.best.as_str(), answer.info.depth), ("e2e4", Some(2)));
    }

    #[test]
    fn the_engine_reads_what_the_client_asks() {
        let clock = |remaining| Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(100),
        };
        let start = Instant::now();
        for limits in [
            Limits { start, infinite: true, ..Limits::none() },
            Limits { start, infinite: true, ..Limits::depth(7) },
            Limits { start, ..Limits::depth(7) },
            Limits { start, ..Limits::nodes(12_345) },
            Limits { start, movetime: Some(Duration::from_millis(250)), mate: Some(3), ..Limits::none() },
            Limits {
                start,
                clocks: [Some(clock(60_000)), Some(clock(59_000))],
                moves_to_go: Some(12),
                ..Limits::none()
            },
        ] {
            for ponder in [false, true] {
                let line = go_line(&limits, ponder);
                let Ok(Some(Command::Go(go))) = parse(&line) else { panic!("{line}") };
                assert_eq!(Limits { start, ..go.limits }, limits, "{line}");
                assert_eq!(go.ponder, ponder, "{line}");
            }
        }
    }

    #[test]
    fn announced_options_have_names_with_spaces_and_words() {
        let option = EngineOption::read("Move Overhead type spin default 10 min 0 max 5000");
        assert_eq!(option, EngineOption { name: "Move Overhead".into(), words: vec![] });
        let option = EngineOption::read("UCI_Variant type combo default chess var chess var amazons");
        assert_eq!(option.words, ["chess", "amazons"]);
    }
}
