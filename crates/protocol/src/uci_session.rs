//! A session of the protocol with threads.
//!
//! All threads do the same: they take turns at reading lines, and the one whose line starts a search runs it,
//! while another one reads on. So no search and no answer waits until another thread is awake, which may take
//! a tenth of a second where hundreds of others want the processor.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

use super::backlog::{Backlog, Reservation};
use super::guest::GuestLimits;
use super::input::{LineError, Lines};
use super::uci::{Done, Flow, Job, Loop, Workplace};
use labrys_core::clock::Instant;

/// One searches, one executes lines, which may have to wait for the output, and one reads on.
const THREADS: usize = 3;

/// Runs the protocol until `quit`, the end of input, or until the output is closed.
///
/// # Errors
/// If a thread has panicked.
pub fn run(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> io::Result<()> {
    run_loop(Loop::new(output, Workplace::Threads)?, input)
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
    let mut main_loop = Loop::new(output, Workplace::Threads)?;
    main_loop.restrict(limits);
    run_loop(main_loop, input)
}

fn run_loop(main_loop: Loop, input: impl BufRead + Send + 'static) -> io::Result<()> {
    let (ended, end) = mpsc::channel();
    let session = Arc::new(Session {
        input: Mutex::new(Input {
            lines: Lines::new(input),
            backlog: Backlog::default(),
            is_behind_stop: false,
            is_over: false,
        }),
        events: Mutex::default(),
        main_loop: Mutex::new(Some(main_loop)),
        job: Mutex::default(),
        ended,
    });
    for _ in 0..THREADS {
        let alarm = Alarm(Arc::clone(&session));
        if let Err(error) = thread::Builder::new().spawn(move || alarm.0.serve()) {
            session.end(error);
        }
    }
    // The session has a sender, so the channel is open.
    end.recv().map_err(io::Error::other)?
}

/// What the threads of a session share.
struct Session<R> {
    input: Mutex<Input<R>>,
    /// Events that the loop has not been told of.
    events: Mutex<VecDeque<Event>>,
    /// None after its end: a thread may still wait for a line.
    main_loop: Mutex<Option<Loop>>,
    /// The job that has to be run next.
    job: Mutex<Option<Job>>,
    /// Ends the session.
    ended: Sender<io::Result<()>>,
}

/// What the loop has to be told.
enum Event {
    /// A line of input.
    Line { text: Result<String, LineError>, arrived: Instant, reservation: Reservation },
    /// The end of input.
    End,
    /// A job is done.
    Done(Done),
}

impl<R> Session<R> {
    /// Ends the session after an error.
    fn end(&self, error: io::Error) {
        // First of all, as another thread may wait for the output. It fails if the session has ended before.
        let _ = self.ended.send(Err(error));
        *lock(&self.main_loop) = None;
        self.free();
    }

    /// Frees the backlog after the end: a thread may wait for room for its line.
    fn free(&self) {
        lock(&self.events).clear();
    }
}

impl<R: BufRead> Session<R> {
    /// Runs jobs and reads lines until the session ends, or until there is no more to read and no job.
    fn serve(&self) {
        loop {
            // In a statement of its own, which frees the lock.
            let job = lock(&self.job).take();
            let is_over = match job {
                Some(job) => {
                    let done = job();
                    lock(&self.events).push_back(Event::Done(done));
                    false
                }
                None => !self.read(),
            };
            // At the end of the input, another thread may have left its job to this one.
            if self.handle_events() == Flow::Quit || is_over && lock(&self.job).is_none() {
                return;
            }
        }
    }

    /// Reads a line, or the end of the input. Returns whether there is more to read.
    fn read(&self) -> bool {
        let mut input = lock(&self.input);
        if let Some(event) = input.next() {
            // Before another thread reads, so that the lines stay in order.
            lock(&self.events).push_back(event);
        }
        !input.is_over
    }

    /// Tells the loop of all events, unless another thread does: then it tells of these, too.
    fn handle_events(&self) -> Flow {
        while !lock(&self.events).is_empty() {
            let mut place = match self.main_loop.try_lock() {
                Ok(place) => place,
                Err(TryLockError::WouldBlock) => break,
                // The thread that has panicked ends the session.
                Err(TryLockError::Poisoned(_)) => return Flow::Quit,
            };
            while let Some(event) = self.next_event() {
                let Some(main_loop) = place.as_mut() else { return Flow::Quit };
                match event {
                    Event::Line { text, arrived, reservation } => {
                        main_loop.line(text, arrived, Some(reservation));
                    }
                    Event::End => main_loop.end_of_input(),
                    Event::Done(done) => main_loop.done(done),
                }
                let flow = main_loop.advance();
                if let Some(job) = main_loop.take_job() {
                    *lock(&self.job) = Some(job);
                }
                if flow == Flow::Quit {
                    *place = None;
                    self.free();
                    // Fails only if the session has ended before.
                    let _ = self.ended.send(Ok(()));
                    return Flow::Quit;
                }
            }
        }
        Flow::Continue
    }

    /// The next event. The queue is free again when this returns.
    fn next_event(&self) -> Option<Event> {
        lock(&self.events).pop_front()
    }
}

/// The input of a session.
struct Input<R> {
    lines: Lines<R>,
    backlog: Backlog,
    is_behind_stop: bool,
    /// Whether its end has been read.
    is_over: bool,
}

impl<R: BufRead> Input<R> {
    /// The next line, or the end; `None` behind it.
    fn next(&mut self) -> Option<Event> {
        if self.is_over {
            return None;
        }
        match self.lines.next() {
            Ok(Some(text)) => {
                let arrived = Instant::now();
                let reservation = self.reserve(text.as_deref().map(str::trim));
                return Some(Event::Line { text, arrived, reservation });
            }
            Ok(None) => {}
            Err(error) => log::error!("input: {error}"),
        }
        self.is_over = true;
        Some(Event::End)
    }

    /// Reserves room for a line; blocks while there is none.
    fn reserve(&mut self, line: Result<&str, &LineError>) -> Reservation {
        let is_stop = line.is_ok_and(|line| is_first_word(line, "stop"));
        // These may end the backlog, so they are never blocked.
        let is_at_once =
            is_stop && !self.is_behind_stop || line.is_ok_and(|line| is_first_word(line, "quit"));
        self.is_behind_stop = is_stop;
        let length = line.map_or_else(|error| error.text.len(), str::len);
        if is_at_once { self.backlog.reserve_at_once(length) } else { self.backlog.reserve(length) }
    }
}

/// Whether a line begins with a word.
fn is_first_word(line: &str, word: &str) -> bool {
    line.split_whitespace().next() == Some(word)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the session if the thread panics.
struct Alarm<R>(Arc<Session<R>>);

impl<R> Drop for Alarm<R> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end(io::Error::other("a thread has panicked"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};
    use std::time::Duration;

    use super::*;

    /// Keeps what is written, and panics at a word.
    #[derive(Clone, Default)]
    struct Kept {
        bytes: Arc<Mutex<Vec<u8>>>,
        alarming: &'static str,
    }

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let text = String::from_utf8_lossy(bytes);
            assert!(self.alarming.is_empty() || !text.contains(self.alarming), "{text}");
            lock(&self.bytes).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The lines that the session writes for a script.
    fn answers(script: String) -> Vec<String> {
        let kept = Kept::default();
        run(Cursor::new(script), kept.clone()).unwrap();
        let text = String::from_utf8(lock(&kept.bytes).clone()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn lines_are_executed_in_their_order() {
        let words: Vec<_> = (0..200_000).map(|number| format!("w{number}")).collect();
        let answers = answers(words.join("\n"));
        assert_eq!(answers.len(), words.len());
        for (answer, word) in answers.iter().zip(&words) {
            assert!(answer.contains(&format!("`{word}`")), "{answer}, {word}");
        }
    }

    /// Whichever thread runs the search, and whenever the other one comes to the end of the input.
    #[test]
    fn all_searches_are_answered() {
        for number in 0..2_000 {
            let lines = "isready\n".repeat(number % 250);
            let script = ["e2e4", "d2d4", "c2c4"]
                .map(|mv| format!("go nodes 1 searchmoves {mv}\nwait\n{lines}"))
                .concat();
            let answers = answers(script);
            let moves: Vec<_> = answers.iter().filter_map(|line| line.strip_prefix("bestmove ")).collect();
            let expected = ["e2e4", "d2d4", "c2c4"];
            let is_right = moves.iter().zip(expected).all(|(mv, expected)| mv.starts_with(expected));
            assert!(moves.len() == 3 && is_right, "{moves:?}");
            assert_eq!(answers.iter().filter(|line| *line == "readyok").count(), 3 * (number % 250));
        }
    }

    /// A client that writes everything before it reads. The answers of a thousand searches fill the pipe.
    #[test]
    fn lines_are_read_while_the_output_is_full() {
        let position = "position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6\n";
        let (mut answers, output) = io::pipe().unwrap();
        let (input, mut lines) = io::pipe().unwrap();
        let session = thread::spawn(move || run(io::BufReader::new(input), output));
        let (sender, written) = mpsc::channel();
        thread::spawn(move || {
            lines.write_all("go depth 3\n".repeat(1_000).as_bytes()).unwrap();
            thread::sleep(Duration::from_millis(500));
            sender.send(lines.write_all(position.repeat(16_000).as_bytes()).map(|()| lines))
        });
        let lines = written.recv_timeout(Duration::from_secs(60)).expect("lines are read").unwrap();
        let mut text = String::new();
        drop(lines);
        answers.read_to_string(&mut text).unwrap();
        assert_eq!(text.lines().filter(|line| line.starts_with("bestmove")).count(), 1_000);
        session.join().unwrap().unwrap();
    }

    #[test]
    fn a_thread_that_panics_ends_the_session() {
        // In the search and in the loop, while another thread waits for a line that never comes.
        for (lines, alarming) in [("go depth 2\n", "depth 2"), ("isready\n", "readyok")] {
            let (reader, mut writer) = io::pipe().unwrap();
            writer.write_all(lines.as_bytes()).unwrap();
            let kept = Kept { alarming, ..Kept::default() };
            let error = run(io::BufReader::new(reader), kept).unwrap_err();
            assert_eq!(error.to_string(), "a thread has panicked");
            drop(writer);
        }
    }
}
