//! Matches the moves of an engine to the searches that it was requested.
//!
//! Some engines answer a search more than once, and the later answer, the same move or another one, may
//! arrive during the next search. So an engine that may still repeat an answer is given time for it before
//! the next search; and a move that may belong to an earlier search is held back until the engine is known to
//! be silent.

use std::time::Duration;

use super::pipe::{ClientError, Pipe, STOP_TIMEOUT};
use labrys_core::clock::Instant;
use labrys_core::search::Control;

/// The wait for repeated answers between the first two searches of an engine.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The wait between two searches of an engine that has repeated answers.
const PAUSE: Duration = Duration::from_secs(1);

/// The wait for another answer after a doubtful or repeated one.
const REPEAT_PAUSE: Duration = Duration::from_millis(250);

/// After this many searches with one answer each, an engine counts as one that answers once.
const MAX_MISSES: u32 = 10;

/// Tracks the answers of an engine.
#[derive(Default)]
pub(super) struct AnswerTracker {
    /// The legal answers in this game and in the one before.
    moves: [Vec<String>; 2],
    /// The number of repeated answers to a search; `None` if unknown.
    repeats: Option<usize>,
    /// The repeated answers that are still expected.
    expected_repeats: usize,
    /// Those that have arrived since the last answer.
    seen_repeats: usize,
    /// Whether their number is being determined.
    is_counting: bool,
    /// Whether they arrive during the next search, so that silence before it means nothing.
    is_late: bool,
    /// Whether there was a wait before this search, in vain.
    has_waited: bool,
    /// Searches with one answer since the last repeated one.
    misses: u32,
    /// Whether it has answered with a move that was not in its last line.
    hides_moves: bool,
}

/// A line of a search.
pub(super) enum SearchLine<T> {
    /// A move, and whether it was the first move of the engine's last line.
    Move(String, bool),
    /// Anything else that ends the search.
    End(T),
    /// The answer to [`SearchRequest::sync`].
    Synced,
    /// Thinking output.
    Thinking,
}

/// How a search ends.
pub(super) enum SearchEnd<T> {
    /// With a move.
    Move(String),
    /// With something else.
    Other(T),
}

/// The protocol side of a search.
pub(super) struct SearchRequest<'a> {
    /// The first word of an answer, for the error.
    pub(super) expected: &'static str,
    /// The line that ends the search.
    pub(super) stop: &'static str,
    /// A line that the engine answers once it has read all earlier ones (`isready`, `ping`); `None` if it has
    /// none.
    pub(super) sync: Option<&'a str>,
    /// The time until the engine is told to stop.
    pub(super) timeout: Duration,
    /// Whether a move is legal.
    pub(super) is_legal: &'a dyn Fn(&str) -> bool,
}

/// A move that may belong to an earlier search.
struct HeldMove {
    best: String,
    arrived: Instant,
    /// Whether it certainly does, so that another one must follow.
    is_past: bool,
}

/// The class of a move during a search.
enum MoveClass {
    /// The answer.
    Answer,
    /// Possibly, or with `is_past` certainly, an answer to an earlier search.
    Doubtful { is_past: bool },
    /// A repeated answer, after a held move that is more likely the answer.
    Repeat,
}

/// A search in progress.
struct Search<'a> {
    request: &'a SearchRequest<'a>,
    /// When the wait ends.
    end: Instant,
    is_stopped: bool,
    /// The last held move.
    held: Option<HeldMove>,
    /// Whether the sync line has been sent.
    has_sent_sync: bool,
    /// When the engine answered the sync line, or was last seen searching after that.
    synced_at: Option<Instant>,
    /// Whether it has been idle since it answered the sync line.
    is_idle: bool,
}

impl Search<'_> {
    /// The time at which the held move counts, or else that at which the wait ends.
    fn until(&self) -> Instant {
        let may_be_repeat = self.held.as_ref().is_some_and(|held| !held.is_past);
        let end = self.synced_at.filter(|_| may_be_repeat).map(|synced_at| synced_at + REPEAT_PAUSE);
        end.map_or(self.end, |end| end.min(self.end))
    }

    /// Holds back a move, and sends the sync line.
    fn hold(&mut self, pipe: &mut Pipe, held: HeldMove) -> Result<(), ClientError> {
        self.held = Some(held);
        match self.request.sync {
            Some(_) if self.has_sent_sync => {}
            Some(line) => {
                self.has_sent_sync = true;
                pipe.send(line)?;
            }
            None => self.synced_at = Some(Instant::now()),
        }
        Ok(())
    }

    /// Handles a timeout: the held move counts, if there is one; otherwise the engine is told to stop, once.
    fn time_out(
        &mut self,
        pipe: &mut Pipe,
        error: ClientError,
    ) -> Result<Option<(String, Instant)>, ClientError> {
        let is_over = match &error {
            ClientError::Silent { .. } => self.is_stopped || self.until() < self.end,
            ClientError::Gone { .. } | ClientError::Closed { .. } => true,
            _ => return Err(error),
        };
        if is_over {
            let &SearchRequest { expected, timeout, .. } = self.request;
            let held = self.held.take().map(|held| (held.best, held.arrived));
            return held.map(Some).ok_or(match error {
                ClientError::Silent { .. } => ClientError::Silent { expected, waited: timeout },
                error => error,
            });
        }
        pipe.send(self.request.stop)?;
        (self.end, self.is_stopped) = (Instant::now() + STOP_TIMEOUT, true);
        Ok(None)
    }
}

impl AnswerTracker {
    /// Starts a new game.
    pub(super) fn new_game(&mut self) {
        self.moves = [Vec::new(), std::mem::take(&mut self.moves[0])];
    }

    /// Counts a repeated answer.
    pub(super) fn add_repeat(&mut self) {
        self.seen_repeats += 1;
        self.expected_repeats = self.expected_repeats.saturating_sub(1);
        self.misses = 0;
        if self.seen_repeats > self.repeats.unwrap_or(0) {
            self.repeats = Some(self.seen_repeats);
            self.is_counting = true;
        }
    }

    /// Counts an expected repetition that has not come.
    fn miss_repeat(&mut self) {
        self.misses += 1;
        if self.repeats.is_none() || self.misses >= MAX_MISSES {
            self.repeats = Some(0);
        }
    }

    /// Waits between two searches for repeated answers.
    pub(super) fn drain_repeats(
        &mut self,
        pipe: &mut Pipe,
        control: &Control,
        is_move: impl Fn(&str) -> bool,
    ) -> Result<(), ClientError> {
        let mut since = Instant::now();
        while self.expected_repeats > 0 || self.is_counting {
            let pause = match (self.expected_repeats, self.repeats) {
                (0, _) => REPEAT_PAUSE,
                (_, None) => FIRST_PAUSE,
                _ => PAUSE,
            };
            let left = (since + pause).saturating_duration_since(Instant::now());
            match pipe.wait("", left, control, |line| is_move(line).then_some(())) {
                Err(ClientError::Silent { .. }) => {
                    self.is_counting = false;
                    self.has_waited = self.expected_repeats > 0;
                    if self.expected_repeats > 0 && self.repeats.is_some() && !self.is_late {
                        self.expected_repeats = 0;
                        self.miss_repeat();
                    }
                    return Ok(());
                }
                moved => moved?,
            };
            self.add_repeat();
            since = Instant::now();
        }
        Ok(())
    }

    /// Waits for the answer to a search, and returns it with its time of arrival. `read` reads a line.
    pub(super) fn wait<T>(
        &mut self,
        pipe: &mut Pipe,
        request: &SearchRequest,
        control: &Control,
        mut read: impl FnMut(&str) -> Option<SearchLine<T>>,
    ) -> Result<(SearchEnd<T>, Instant), ClientError> {
        let end = Instant::now() + request.timeout;
        let mut search = Search {
            request,
            end,
            is_stopped: false,
            held: None,
            has_sent_sync: false,
            synced_at: None,
            is_idle: false,
        };
        let (best, arrived) = loop {
            let left = search.until().saturating_duration_since(Instant::now());
            match pipe.wait(request.expected, left, control, &mut read) {
                Ok((SearchLine::End(other), arrived)) => return Ok((SearchEnd::Other(other), arrived)),
                Ok((SearchLine::Synced, arrived)) => {
                    (search.synced_at, search.is_idle) = (Some(arrived), true);
                }
                Ok((SearchLine::Thinking, arrived)) => {
                    (search.synced_at, search.is_idle) = (search.synced_at.map(|_| arrived), false);
                }
                Ok((SearchLine::Move(best, is_shown), arrived)) => {
                    match self.classify(&search, &best, is_shown) {
                        MoveClass::Answer => {
                            self.hides_moves |= !is_shown;
                            break (best, arrived);
                        }
                        MoveClass::Doubtful { is_past } => {
                            search.hold(pipe, HeldMove { best, arrived, is_past })?;
                        }
                        MoveClass::Repeat => {}
                    }
                }
                Err(error) => {
                    if let Some(found) = search.time_out(pipe, error)? {
                        self.hides_moves = true;
                        break found;
                    }
                }
            }
        };
        self.accept(&best, request);
        self.finish_sync(pipe, &search, control, read);
        Ok((SearchEnd::Move(best), arrived))
    }

    /// Classifies a move, also against the held one.
    fn classify(&mut self, search: &Search, best: &str, is_shown: bool) -> MoveClass {
        let is_legal = search.request.is_legal;
        if let Some(held) = &search.held {
            self.add_repeat();
            // An idle engine has answered before.
            let is_over = search.is_idle && !self.is_late;
            if is_legal(&held.best) && !is_shown && (is_over || self.is_last(best) || !is_legal(best)) {
                return MoveClass::Repeat;
            }
            self.is_late |= self.has_waited;
        }
        let may_hide = self.hides_moves || self.moves.iter().all(Vec::is_empty);
        if is_legal(best) && (is_shown || (self.expected_repeats == 0 && may_hide)) {
            return MoveClass::Answer;
        }
        let is_said = self.moves.iter().flatten().any(|moves| moves == best);
        let is_past = !is_legal(best) && (is_said || (self.expected_repeats > 0 && self.repeats > Some(0)));
        MoveClass::Doubtful { is_past }
    }

    /// Whether the last answer was this move.
    fn is_last(&self, best: &str) -> bool {
        self.moves[0].last().or(self.moves[1].last()).is_some_and(|last| last == best)
    }

    /// Records an answer.
    fn accept(&mut self, best: &str, request: &SearchRequest) {
        if (request.is_legal)(best) {
            self.moves[0].push(best.to_owned());
        }
        if self.expected_repeats > 0 {
            self.miss_repeat();
        }
        self.expected_repeats = self.repeats.unwrap_or(1);
        self.seen_repeats = 0;
        self.has_waited = false;
    }

    /// Waits for the answer to the sync line, if it is still due.
    fn finish_sync<T>(
        &mut self,
        pipe: &mut Pipe,
        search: &Search,
        control: &Control,
        mut read: impl FnMut(&str) -> Option<SearchLine<T>>,
    ) {
        let mut is_due = search.has_sent_sync && search.synced_at.is_none();
        while is_due {
            match pipe.wait("", STOP_TIMEOUT, control, &mut read) {
                Ok((SearchLine::Move(..), _)) => self.add_repeat(),
                Ok((SearchLine::Thinking, _)) => {}
                Ok(_) | Err(_) => is_due = false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::{Arc, Mutex};
    use std::thread;

    use super::*;
    use crate::client::Client;
    use crate::engine_log::EngineLog;
    use crate::transport::Transport;
    use crate::xboard;
    use labrys_core::game::Color;
    use labrys_core::search::Limits;

    const GAMES: usize = 2;
    const SEARCHES: usize = 4;
    const TIMEOUT: Duration = Duration::from_secs(60);

    /// When an engine repeats an answer.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Again {
        Never,
        /// This long after its answer.
        After(u64),
        /// When the next search has begun.
        Next,
        /// After its first answer only.
        Once,
        /// Now and then.
        Sometimes,
        /// Two times more.
        Thrice,
    }

    #[derive(Clone, Copy, Debug)]
    struct Habits {
        again: Again,
        /// Whether that is the same move.
        is_same: bool,
        /// Whether it prints thinking output.
        shows: bool,
    }

    /// The words of a protocol.
    struct Words {
        begin: &'static str,
        begun: &'static str,
        sync: &'static str,
        answer: &'static str,
        info: &'static str,
    }

    const UCI: Words = Words {
        begin: "uci",
        begun: "uciok",
        sync: "isready",
        answer: "bestmove",
        info: "info depth 1 score cp 1 pv",
    };

    const XBOARD: Words = Words {
        begin: "protover 2",
        begun: "feature ping=1 usermove=1 done=1",
        sync: "ping",
        answer: "move",
        info: "1 1 1 1",
    };

    /// Answers like an engine, line by line, until the connection is closed.
    fn serve(stream: TcpStream, words: &Words, habits: Habits) {
        let out = Arc::new(Mutex::new(stream.try_clone().unwrap()));
        let say = move |line: String| {
            let _ = out.lock().unwrap().write_all(format!("{line}\n").as_bytes());
        };
        let say_after = |delays: Vec<u64>, line: &str| {
            let (say, line) = (say.clone(), line.to_owned());
            thread::spawn(move || {
                for delay in delays {
                    thread::sleep(Duration::from_millis(delay));
                    say(line.clone());
                }
            });
        };
        let (mut search, mut left) = (0, None);
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            match line.strip_prefix(words.sync) {
                Some(_) if words.sync == "ping" => say(line.replace("ping", "pong")),
                Some(_) => say("readyok".to_owned()),
                None if line == words.begin => say(words.begun.to_owned()),
                None if line.split(' ').next() == Some("go") => {
                    let own = format!("m{search}");
                    left.take().into_iter().for_each(&say);
                    // Time is what is tested: others come in the midst of this search.
                    thread::sleep(Duration::from_millis(40));
                    if habits.shows {
                        say(format!("{} {own}", words.info));
                    }
                    say(format!("{} {own}", words.answer));
                    let other = if habits.is_same { own } else { format!("x{search}") };
                    let again = format!("{} {other}", words.answer);
                    match habits.again {
                        Again::Never => {}
                        Again::Once if search > 0 => {}
                        Again::Next => left = Some(again),
                        Again::Once => say(again),
                        Again::Sometimes if search % 3 != 0 => {}
                        Again::Sometimes => say_after(vec![10], &again),
                        Again::Thrice => say_after(vec![10, 30], &again),
                        Again::After(delay) => say_after(vec![delay], &again),
                    }
                    search += 1;
                }
                None => {}
            }
        }
    }

    /// An engine that listens on a port.
    fn engine(words: &'static Words, habits: Habits) -> Transport {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || serve(listener.accept().unwrap().0, words, habits));
        Transport::Tcp(address.to_string().parse().unwrap())
    }

    /// The answers of an engine in some games. `all` says that any move is legal, and not only those of the
    /// search.
    fn play(habits: Habits, all: bool) -> Vec<String> {
        let (log, control) = (EngineLog::default(), Control::default());
        let mut client = Client::start(&engine(&UCI, habits), &log, TIMEOUT, &control).unwrap();
        let mut answers = Vec::new();
        for _ in 0..GAMES {
            client.new_game(TIMEOUT, &control).unwrap();
            for _ in 0..SEARCHES {
                client.set_up("position startpos", TIMEOUT, &control).unwrap();
                let own = format!("m{}", answers.len());
                let is_legal = |best: &str| all || best == own;
                answers.push(client.go(&Limits::nodes(1), is_legal, TIMEOUT, &control).unwrap().best);
            }
        }
        answers
    }

    /// The same of one that speaks the xboard protocol.
    fn play_xboard(habits: Habits, all: bool) -> Vec<String> {
        let (log, control) = (EngineLog::default(), Control::default());
        let mut client = xboard::Client::start(&engine(&XBOARD, habits), &log, TIMEOUT, &control).unwrap();
        let mut answers = Vec::new();
        for _ in 0..GAMES {
            client.new_game(xboard::STANDARD, &control).unwrap();
            for _ in 0..SEARCHES {
                client.set_up(None, &[], &control).unwrap();
                let own = format!("m{}", answers.len());
                let is_legal = |best: &str| all || best == own;
                let answer = client.go(&Limits::depth(1), Color::White, is_legal, TIMEOUT, &control);
                answers.push(answer.unwrap().unwrap().best);
            }
        }
        answers
    }

    #[test]
    fn each_search_gets_its_own_answer() {
        let own: Vec<_> = (0..GAMES * SEARCHES).map(|search| format!("m{search}")).collect();
        let (own, mut tested) = (&own, 0);
        thread::scope(|scope| {
            for again in [
                Again::Never,
                Again::After(10),
                Again::After(60),
                Again::Next,
                Again::Once,
                Again::Sometimes,
                Again::Thrice,
            ] {
                for (is_same, shows, all) in
                    [0, 1, 2, 3, 4, 5, 6, 7].map(|set| (set & 1 > 0, set & 2 > 0, set & 4 > 0))
                {
                    let habits = Habits { again, is_same, shows };
                    tested += 1;
                    scope.spawn(move || assert_eq!(play(habits, all), *own, "{habits:?}, all {all}"));
                    scope.spawn(move || {
                        assert_eq!(play_xboard(habits, all), *own, "xboard: {habits:?}, all {all}");
                    });
                }
            }
        });
        assert_eq!(tested, 56);
    }

    #[test]
    fn a_held_move_is_the_answer_after_silence() {
        let habits = Habits { again: Again::Never, is_same: true, shows: false };
        let (log, control) = (EngineLog::default(), Control::default());
        let mut client = Client::start(&engine(&UCI, habits), &log, TIMEOUT, &control).unwrap();
        for best in ["m0", "m1", "m2"] {
            client.set_up("position startpos", TIMEOUT, &control).unwrap();
            // None of them is legal, and the engine has time for another one.
            let answer = client.go(&Limits::nodes(1), |_| false, TIMEOUT, &control).unwrap();
            assert!(answer.best == best && answer.elapsed < TIMEOUT);
        }
    }
}
