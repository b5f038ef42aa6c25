//! The engine without threads.

use std::io::{self, Write};
use std::sync::mpsc::Receiver;

use super::input::Lines;
use super::uci::{Entry, Event, Flow, Loop, Workplace};
use labrys_core::clock::Instant;
use labrys_core::search::Control;

/// The engine on the thread of its caller, which passes it lines. The answers are those of
/// [`run`](super::run), but long work, such as a search, ends before the call returns.
///
/// # Example
///
/// ```
/// use labrys_protocol::UciEngine;
///
/// let mut engine = UciEngine::new(std::io::stdout(), |_| {})?;
/// assert!(engine.execute("position startpos moves e2e4\ngo depth 3")?);
/// assert!(!engine.execute("quit")?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct UciEngine {
    main_loop: Loop,
    events: Receiver<Event>,
    /// Whether it continues: no `quit` so far.
    is_running: bool,
}

impl UciEngine {
    /// An engine that writes its answers to `output`, unbuffered. While it works, it calls `poll` about every
    /// millisecond, which can stop the work or note a ponder hit for a line that has arrived. The line itself
    /// still has to be passed in its turn: an infinite search answers then.
    ///
    /// # Errors
    /// If there is no engine of the default game.
    pub fn new(output: impl Write + Send + 'static, poll: fn(&Control)) -> io::Result<UciEngine> {
        let (main_loop, events) = Loop::new(output, Workplace::ThisThread(poll))?;
        Ok(UciEngine { main_loop, events, is_running: true })
    }

    /// Executes lines. Returns whether there may be more: false after `quit`, or if the output is closed.
    ///
    /// # Errors
    /// None that a line may cause.
    pub fn execute(&mut self, lines: &str) -> io::Result<bool> {
        let mut lines = Lines::new(lines.as_bytes());
        while self.is_running
            && let Some(line) = lines.next()?
        {
            if let Some(entry) = Entry::read(line, None) {
                self.main_loop.enqueue(entry, Instant::now());
                self.is_running = self.main_loop.execute_all(&self.events)? == Flow::Continue;
            }
        }
        Ok(self.is_running)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Keeps what is written.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Kept {
        /// The lines since the last call, without what depends on time.
        fn take(&self) -> Vec<String> {
            let text = String::from_utf8(std::mem::take(&mut self.0.lock().unwrap())).unwrap();
            let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
            for line in &mut lines {
                let mut words: Vec<_> = line.split(' ').collect();
                for name in ["nps", "time"] {
                    if let Some(index) = words.iter().position(|word| *word == name) {
                        words.drain(index..index + 2);
                    }
                }
                *line = words.join(" ");
            }
            lines
        }
    }

    fn engine(poll: fn(&Control)) -> (UciEngine, Kept) {
        let kept = Kept::default();
        (UciEngine::new(kept.clone(), poll).unwrap(), kept)
    }

    #[test]
    fn the_answers_are_those_of_the_loop_with_threads() {
        let script = "uci\nisready\nposition startpos moves e2e4\ngo depth 3\nwait\n\
            d\neval\nperft 2\nwait\nmoves\n\
            setoption name UCI_Variant value neighbours\nposition fen 8/8 w\nxyzzy\ngo depth 4\nwait\n\
            setoption name Hash value many\ngo perft 2\nwait\nbench x\nweights x\nquit\n";
        let expected = Kept::default();
        super::super::run(Cursor::new(script), expected.clone()).unwrap();
        let (mut engine, found) = engine(|_| {});
        assert!(!engine.execute(script).unwrap());
        let mut expected = expected.take();
        // The engine of programs without threads writes no files.
        expected.retain(|line| !line.starts_with("option name Debug Log File "));
        assert!(expected.iter().filter(|line| line.starts_with("bestmove ")).count() == 2, "{expected:?}");
        assert_eq!(found.take(), expected);
        assert!(!engine.execute("isready\n").unwrap());
        assert_eq!(found.take(), [""; 0]);
    }

    #[test]
    fn a_search_hears_that_it_is_to_end_and_answers_in_its_turn() {
        let (mut engine, found) = engine(Control::stop);
        assert!(engine.execute("go infinite").unwrap());
        assert!(!found.take().iter().any(|line| line.starts_with("bestmove")));
        engine.execute("isready\nposition startpos\ngo depth 1").unwrap();
        let busy = |command| format!("info string error: {command}: not while searching, `stop` first");
        assert_eq!(found.take(), ["readyok".to_owned(), busy("position"), busy("go")]);
        engine.execute("stop").unwrap();
        let answers = found.take();
        assert!(answers.len() == 2 && answers[0].starts_with("bestmove ") && answers[0] == answers[1]);
        engine.execute("stop\nperft 12").unwrap();
        assert_eq!(found.take(), ["info string perft stopped"]);
        engine.execute("bench 30").unwrap();
        assert_eq!(found.take(), ["info string bench stopped"]);
        engine.execute("go infinite").unwrap();
        found.take();
        assert!(!engine.execute("quit").unwrap());
        assert!(found.take().iter().any(|line| line.starts_with("bestmove ")));
    }

    #[test]
    fn a_ponder_hit_that_the_search_has_heard_is_no_reason_to_wait() {
        let (mut engine, found) = engine(Control::ponderhit);
        engine.execute("go ponder wtime 100 btime 100\nponderhit").unwrap();
        assert_eq!(found.take().iter().filter(|line| line.starts_with("bestmove ")).count(), 1);
        // Analysis goes on until `stop`, and a `ponderhit` of another search is none.
        engine.execute("go ponder infinite depth 1\nponderhit").unwrap();
        assert!(!found.take().iter().any(|line| line.starts_with("bestmove ")));
        engine.execute("stop").unwrap();
        assert!(found.take().iter().any(|line| line.starts_with("bestmove ")));
        engine.execute("go infinite depth 1\nponderhit").unwrap();
        assert!(!found.take().iter().any(|line| line.starts_with("bestmove ")));
    }
}
