//! Which of the moves that an engine says is its answer to the search that it has been asked for.
//!
//! Some engines answer a search more than once, and the later answer, of the same move or of another one, may
//! come when the next search has begun. What is said between two searches is told from an answer by that
//! alone. So an engine that may still have something to say of an earlier search is given a moment for it
//! before the next one begins; and a move that may belong to an earlier search is held back until the engine
//! is known to say nothing else.

use std::time::Duration;

use super::pipe::{ClientError, Pipe, STOP_TIMEOUT};
use labrys_core::clock::Instant;
use labrys_core::search::Control;

/// How long an engine of which nothing is known is listened to between its first two searches.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// How long one that has answered more than once is listened to between two searches.
const PAUSE: Duration = Duration::from_secs(1);

/// How long an engine that has said a doubtful move, or one too many, may say another one.
const DOUBT: Duration = Duration::from_millis(250);

/// After so many searches of one answer each, an engine counts as one that answers once.
const FORGIVEN: u32 = 10;

/// The answers of an engine.
#[derive(Default)]
pub(super) struct Answers {
    /// The legal moves of its searches in this game, and those in the game before.
    said: [Vec<String>; 2],
    /// How often it says a move again; `None` as long as it is not known.
    extra: Option<usize>,
    /// How many moves of earlier searches are still expected.
    owed: usize,
    /// How many have come since the last answer.
    come: usize,
    /// Whether it is still to be found out how many come.
    is_uncounted: bool,
    /// Whether they come when the next search has begun, so that it means nothing if none come before.
    is_late: bool,
    /// Whether it was listened to before this search, in vain.
    has_listened: bool,
    /// Searches of one answer each since the last one that had more.
    missed: u32,
    /// Whether it has answered with a move that it had not shown before.
    hides: bool,
}

/// A line of a search.
pub(super) enum SearchLine<T> {
    /// A move, and whether the engine has just shown it as the first move of its line.
    Move(String, bool),
    /// Anything else that ends the search.
    End(T),
    /// The answer to the question of [`Asked::sync`].
    InStep,
    /// A line of thinking: the search goes on.
    Thinking,
}

/// How a search ends.
pub(super) enum Found<T> {
    /// With a move.
    Move(String),
    /// With something else.
    Other(T),
}

/// How an engine is talked to during a search.
pub(super) struct Asked<'a> {
    /// The first word of an answer, for the error.
    pub(super) expected: &'static str,
    /// The line that ends the search.
    pub(super) stop: &'static str,
    /// A line that the engine answers when it is in step; `None` if it has none.
    pub(super) sync: Option<&'a str>,
    /// How long the engine may take until it is told to stop.
    pub(super) patience: Duration,
    /// Whether a move is legal.
    pub(super) is_legal: &'a dyn Fn(&str) -> bool,
}

/// A move that may belong to an earlier search.
struct Doubtful {
    best: String,
    arrived: Instant,
    /// Whether it certainly does, so that another one is due.
    is_past: bool,
}

/// What a move is to a search.
enum Verdict {
    /// Its answer.
    Answer,
    /// An answer to an earlier one, certainly if `is_past`, or to this one.
    Doubtful { is_past: bool },
    /// Another answer besides the doubtful one, which is the likelier one.
    Again,
}

/// A search that is to be answered.
struct Search<'a> {
    asked: &'a Asked<'a>,
    /// When the wait ends.
    end: Instant,
    is_stopped: bool,
    /// The last doubtful move.
    held: Option<Doubtful>,
    /// Whether the question has been asked.
    has_asked: bool,
    /// When the engine was in step, or seen at work after that.
    in_step: Option<Instant>,
    /// Whether it was in step, and not seen at work after that.
    is_idle: bool,
}

impl Search<'_> {
    /// The time at which the doubtful move counts, or else that at which the wait ends.
    fn until(&self) -> Instant {
        let doubted = self.held.as_ref().is_some_and(|held| !held.is_past);
        let end = self.in_step.filter(|_| doubted).map(|in_step| in_step + DOUBT);
        end.map_or(self.end, |end| end.min(self.end))
    }

    /// Holds back a move, and asks the engine whether it is in step.
    fn hold(&mut self, pipe: &mut Pipe, held: Doubtful) -> Result<(), ClientError> {
        self.held = Some(held);
        match self.asked.sync {
            Some(_) if self.has_asked => {}
            Some(line) => {
                self.has_asked = true;
                pipe.send(line)?;
            }
            None => self.in_step = Some(Instant::now()),
        }
        Ok(())
    }

    /// The wait has ended without a line. The doubtful move counts, if there is one; otherwise an engine whose
    /// time is up is told to stop, once.
    fn ends(
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
            let &Asked { expected, patience, .. } = self.asked;
            let held = self.held.take().map(|held| (held.best, held.arrived));
            return held.map(Some).ok_or(match error {
                ClientError::Silent { .. } => ClientError::Silent { expected, waited: patience },
                error => error,
            });
        }
        pipe.send(self.asked.stop)?;
        (self.end, self.is_stopped) = (Instant::now() + STOP_TIMEOUT, true);
        Ok(None)
    }
}

impl Answers {
    /// A new game begins.
    pub(super) fn new_game(&mut self) {
        self.said = [Vec::new(), std::mem::take(&mut self.said[0])];
    }

    /// The engine has said a move that answers no search that is going on.
    pub(super) fn surplus(&mut self) {
        self.come += 1;
        self.owed = self.owed.saturating_sub(1);
        self.missed = 0;
        if self.come > self.extra.unwrap_or(0) {
            self.extra = Some(self.come);
            self.is_uncounted = true;
        }
    }

    /// A move that was expected has not come.
    fn miss(&mut self) {
        self.missed += 1;
        if self.extra.is_none() || self.missed >= FORGIVEN {
            self.extra = Some(0);
        }
    }

    /// Listens between two searches to what the engine still has to say of the first one.
    pub(super) fn settle(
        &mut self,
        pipe: &mut Pipe,
        control: &Control,
        is_move: impl Fn(&str) -> bool,
    ) -> Result<(), ClientError> {
        let mut since = Instant::now();
        while self.owed > 0 || self.is_uncounted {
            let pause = match (self.owed, self.extra) {
                (0, _) => DOUBT,
                (_, None) => FIRST_PAUSE,
                _ => PAUSE,
            };
            let left = (since + pause).saturating_duration_since(Instant::now());
            match pipe.wait("", left, control, |line| is_move(line).then_some(())) {
                Err(ClientError::Silent { .. }) => {
                    self.is_uncounted = false;
                    self.has_listened = self.owed > 0;
                    if self.owed > 0 && self.extra.is_some() && !self.is_late {
                        self.owed = 0;
                        self.miss();
                    }
                    return Ok(());
                }
                heard => heard?,
            };
            self.surplus();
            since = Instant::now();
        }
        Ok(())
    }

    /// Waits for the answer to a search; with the time at which it has come. `read` reads a line.
    pub(super) fn wait<T>(
        &mut self,
        pipe: &mut Pipe,
        asked: &Asked,
        control: &Control,
        mut read: impl FnMut(&str) -> Option<SearchLine<T>>,
    ) -> Result<(Found<T>, Instant), ClientError> {
        let end = Instant::now() + asked.patience;
        let mut search = Search {
            asked,
            end,
            is_stopped: false,
            held: None,
            has_asked: false,
            in_step: None,
            is_idle: false,
        };
        let (best, arrived) = loop {
            let left = search.until().saturating_duration_since(Instant::now());
            match pipe.wait(asked.expected, left, control, &mut read) {
                Ok((SearchLine::End(other), arrived)) => return Ok((Found::Other(other), arrived)),
                Ok((SearchLine::InStep, arrived)) => {
                    (search.in_step, search.is_idle) = (Some(arrived), true);
                }
                Ok((SearchLine::Thinking, arrived)) => {
                    (search.in_step, search.is_idle) = (search.in_step.map(|_| arrived), false);
                }
                Ok((SearchLine::Move(best, is_shown), arrived)) => {
                    match self.judge(&search, &best, is_shown) {
                        Verdict::Answer => {
                            self.hides |= !is_shown;
                            break (best, arrived);
                        }
                        Verdict::Doubtful { is_past } => {
                            search.hold(pipe, Doubtful { best, arrived, is_past })?;
                        }
                        Verdict::Again => {}
                    }
                }
                Err(error) => {
                    if let Some(found) = search.ends(pipe, error)? {
                        self.hides = true;
                        break found;
                    }
                }
            }
        };
        self.accept(&best, asked);
        self.catch_up(pipe, &search, control, read);
        Ok((Found::Move(best), arrived))
    }

    /// What a move is. Either it is known then that the one held back is of the past, or that this one is.
    fn judge(&mut self, search: &Search, best: &str, is_shown: bool) -> Verdict {
        let is_legal = search.asked.is_legal;
        if let Some(held) = &search.held {
            self.surplus();
            // An engine that was in step and did nothing had answered before.
            let is_over = search.is_idle && !self.is_late;
            if is_legal(&held.best) && !is_shown && (is_over || self.is_last(best) || !is_legal(best)) {
                return Verdict::Again;
            }
            self.is_late |= self.has_listened;
        }
        let may_hide = self.hides || self.said.iter().all(Vec::is_empty);
        if is_legal(best) && (is_shown || (self.owed == 0 && may_hide)) {
            return Verdict::Answer;
        }
        let is_said = self.said.iter().flatten().any(|said| said == best);
        let is_past = !is_legal(best) && (is_said || (self.owed > 0 && self.extra > Some(0)));
        Verdict::Doubtful { is_past }
    }

    /// Whether the last answer was this move.
    fn is_last(&self, best: &str) -> bool {
        self.said[0].last().or(self.said[1].last()).is_some_and(|last| last == best)
    }

    /// A search has been answered.
    fn accept(&mut self, best: &str, asked: &Asked) {
        if (asked.is_legal)(best) {
            self.said[0].push(best.to_owned());
        }
        if self.owed > 0 {
            self.miss();
        }
        self.owed = self.extra.unwrap_or(1);
        self.come = 0;
        self.has_listened = false;
    }

    /// Waits a moment for the answer to the question whether the engine is in step, if it still has to come.
    fn catch_up<T>(
        &mut self,
        pipe: &mut Pipe,
        search: &Search,
        control: &Control,
        mut read: impl FnMut(&str) -> Option<SearchLine<T>>,
    ) {
        let mut is_due = search.has_asked && search.in_step.is_none();
        while is_due {
            match pipe.wait("", STOP_TIMEOUT, control, &mut read) {
                Ok((SearchLine::Move(..), _)) => self.surplus(),
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
    const PATIENCE: Duration = Duration::from_secs(60);

    /// When an engine says something more of a search.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Again {
        Never,
        /// So long after its answer.
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
        /// Whether it shows what it thinks.
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

    /// Answers like an engine, one line after the other, until the connection is closed.
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
        let mut client = Client::start(&engine(&UCI, habits), &log, PATIENCE, &control).unwrap();
        let mut answers = Vec::new();
        for _ in 0..GAMES {
            client.new_game(PATIENCE, &control).unwrap();
            for _ in 0..SEARCHES {
                client.set_up("position startpos", PATIENCE, &control).unwrap();
                let own = format!("m{}", answers.len());
                let is_legal = |best: &str| all || best == own;
                answers.push(client.go(&Limits::nodes(1), is_legal, PATIENCE, &control).unwrap().best);
            }
        }
        answers
    }

    /// The same of one that speaks the xboard protocol.
    fn play_xboard(habits: Habits, all: bool) -> Vec<String> {
        let (log, control) = (EngineLog::default(), Control::default());
        let mut client = xboard::Client::start(&engine(&XBOARD, habits), &log, PATIENCE, &control).unwrap();
        let mut answers = Vec::new();
        for _ in 0..GAMES {
            client.new_game(xboard::STANDARD, &control).unwrap();
            for _ in 0..SEARCHES {
                client.tell(None, &[], &control).unwrap();
                let own = format!("m{}", answers.len());
                let is_legal = |best: &str| all || best == own;
                let answer = client.go(&Limits::depth(1), Color::White, is_legal, PATIENCE, &control);
                answers.push(answer.unwrap().unwrap().best);
            }
        }
        answers
    }

    #[test]
    fn each_search_has_its_own_answer_whatever_else_is_said() {
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
    fn a_move_that_nothing_follows_is_the_answer() {
        let habits = Habits { again: Again::Never, is_same: true, shows: false };
        let (log, control) = (EngineLog::default(), Control::default());
        let mut client = Client::start(&engine(&UCI, habits), &log, PATIENCE, &control).unwrap();
        for best in ["m0", "m1", "m2"] {
            client.set_up("position startpos", PATIENCE, &control).unwrap();
            // None of them is legal, and the engine has time for another one.
            let answer = client.go(&Limits::nodes(1), |_| false, PATIENCE, &control).unwrap();
            assert!(answer.best == best && answer.elapsed < PATIENCE);
        }
    }
}
