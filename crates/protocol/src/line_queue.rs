//! The lines of an engine that wait to be read. The queue is limited, in lines and in bytes, and its writer
//! waits for room. Where nobody reads, as in the time of the opponent, reports make room instead: an engine
//! that had to wait with its output would not go on searching.

use std::collections::VecDeque;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use labrys_core::clock::Instant;

use super::backlog::LINE;
use super::input::LineError;

/// The length of the queue, in lines.
pub(super) const QUEUE: usize = 1024;

/// A line of output and its time of arrival.
pub(super) struct OutputLine {
    pub(super) text: Result<String, LineError>,
    pub(super) arrived: Instant,
}

impl OutputLine {
    /// The bytes that it takes in the queue.
    fn size(&self) -> usize {
        self.text.as_ref().map_or(0, String::len) + LINE
    }

    fn worth(&self) -> Worth {
        let Ok(text) = &self.text else { return Worth::Answer };
        let mut words = text.split_whitespace();
        match words.next() {
            Some("info") if text.starts_with("info string error") => Worth::Answer,
            Some("info") if words.any(|word| word == "pv") => Worth::Variation,
            Some("info") => Worth::Progress,
            _ => Worth::Answer,
        }
    }
}

/// What a line is worth where nobody reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    /// A report without a variation.
    Progress,
    /// A report with one: the last of them belong to the move.
    Variation,
    /// Anything else, which has to be read.
    Answer,
}

struct Shared {
    /// The most bytes that wait. A line of any length is taken if it is the only one.
    most: usize,
    queue: Mutex<Queue>,
    arrived: Condvar,
    freed: Condvar,
}

#[derive(Default)]
struct Queue {
    lines: VecDeque<(OutputLine, Worth)>,
    bytes: usize,
    /// Whether reports make room for later lines.
    drops_reports: bool,
    /// Whether the writer has ended.
    has_ended: bool,
    /// Whether the reader has.
    is_abandoned: bool,
}

/// The end of the queue to which lines are added.
pub(super) struct LineSender(Arc<Shared>);

/// The end of the queue from which lines are read.
pub(super) struct LineReceiver(Arc<Shared>);

/// A queue of at most so many bytes.
pub(super) fn line_queue(most: usize) -> (LineSender, LineReceiver) {
    let (queue, arrived, freed) = Default::default();
    let shared = Arc::new(Shared { most, queue, arrived, freed });
    (LineSender(Arc::clone(&shared)), LineReceiver(shared))
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn has_room(&self, size: usize, most: usize) -> bool {
        self.lines.len() < QUEUE && (self.bytes == 0 || self.bytes + size <= most)
    }

    fn remove(&mut self, index: usize) -> Option<OutputLine> {
        let (line, _) = self.lines.remove(index)?;
        self.bytes -= line.size();
        Some(line)
    }

    /// Drops the oldest report of those that are worth least, for a line of this worth. `Some(false)` says
    /// that it is that line itself, `None` that there is no report.
    fn drop_report(&mut self, worth: Worth) -> Option<bool> {
        for least in [Worth::Progress, Worth::Variation] {
            if let Some(index) = self.lines.iter().position(|(_, known)| *known == least) {
                self.remove(index);
                return Some(true);
            }
            if worth == least {
                return Some(false);
            }
        }
        None
    }
}

impl LineSender {
    /// Adds a line, and waits for room; false if nobody will read it.
    pub(super) fn send(&self, line: OutputLine) -> bool {
        let (size, worth) = (line.size(), line.worth());
        let mut queue = self.0.queue();
        while !queue.is_abandoned && !queue.has_room(size, self.0.most) {
            match queue.drops_reports.then(|| queue.drop_report(worth)).flatten() {
                Some(true) => {}
                Some(false) => return true,
                None => queue = self.0.freed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
        queue.bytes += size;
        queue.lines.push_back((line, worth));
        self.0.arrived.notify_one();
        !queue.is_abandoned
    }
}

impl Drop for LineSender {
    fn drop(&mut self) {
        self.0.queue().has_ended = true;
        self.0.arrived.notify_one();
    }
}

impl LineReceiver {
    /// The next line, within `timeout`.
    ///
    /// # Errors
    /// [`RecvTimeoutError`]: there is none, or all have been read and the writer has ended.
    pub(super) fn next(&self, timeout: Duration) -> Result<OutputLine, RecvTimeoutError> {
        let is_silent = |queue: &mut Queue| queue.lines.is_empty() && !queue.has_ended;
        let waited = self.0.arrived.wait_timeout_while(self.0.queue(), timeout, is_silent);
        let (mut queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let line = queue.remove(0);
        self.0.freed.notify_one();
        line.ok_or(if queue.has_ended { RecvTimeoutError::Disconnected } else { RecvTimeoutError::Timeout })
    }

    /// The lines that wait, no more than the queue holds, as a flood may be endless.
    pub(super) fn waiting(&self) -> impl Iterator<Item = OutputLine> {
        std::iter::from_fn(|| self.next(Duration::ZERO).ok()).take(QUEUE)
    }

    /// Whether reports make room for later lines from now on, as nobody reads.
    pub(super) fn drop_reports(&self, drops: bool) {
        self.0.queue().drops_reports = drops;
        self.0.freed.notify_one();
    }
}

impl Drop for LineReceiver {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        queue.is_abandoned = true;
        queue.lines.clear();
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const MOST: usize = 1 << 20;

    fn line(text: &str) -> OutputLine {
        OutputLine { text: Ok(text.to_owned()), arrived: Instant::now() }
    }

    fn texts(lines: &LineReceiver) -> Vec<String> {
        lines.waiting().map(|line| line.text.unwrap()).collect()
    }

    #[test]
    fn reports_make_room_where_nobody_reads() {
        let (sender, lines) = line_queue(MOST);
        lines.drop_reports(true);
        let answers = ["bestmove e2e4", "readyok", "info string error: go"];
        for number in 0..2 * QUEUE {
            assert!(sender.send(line(&format!("info depth {number} pv e2e4"))));
            assert!(answers.get(number).is_none_or(|answer| sender.send(line(answer))));
        }
        let found = texts(&lines);
        assert_eq!((found.len(), &found[..3]), (QUEUE, &answers.map(str::to_owned)[..]));
        let numbers = QUEUE + answers.len()..2 * QUEUE;
        assert!(numbers.map(|number| format!("info depth {number} pv e2e4")).eq(found[3..].iter().cloned()));
        // What shows no variation makes room first.
        assert!(sender.send(line("info depth 1 pv e2e4")));
        (0..2 * QUEUE).for_each(|number| assert!(sender.send(line(&format!("info nodes {number}")))));
        assert_eq!(
            texts(&lines)[..2],
            ["info depth 1 pv e2e4".to_owned(), format!("info nodes {}", QUEUE + 1)]
        );
        // So it is with bytes, and a report that finds no room among answers is dropped itself.
        let long = format!("id name {}", "x".repeat(MOST));
        assert!(sender.send(line("info nodes 1")) && sender.send(line(&long)));
        assert!(sender.send(line("info nodes 2")));
        assert_eq!(texts(&lines), [long]);
    }

    #[test]
    fn a_writer_waits_for_room() {
        let (sender, lines) = line_queue(MOST);
        let writer = thread::spawn(move || (0..=QUEUE).all(|number| sender.send(line(&number.to_string()))));
        let long = Duration::from_secs(60);
        for number in 0..=QUEUE {
            if number == 0 {
                while lines.0.queue().lines.len() < QUEUE {
                    thread::yield_now();
                }
                assert!(!writer.is_finished());
            }
            assert_eq!(lines.next(long).unwrap().text.unwrap(), number.to_string());
        }
        assert!(writer.join().unwrap());
        assert_eq!(lines.next(long).err(), Some(RecvTimeoutError::Disconnected));
    }

    #[test]
    fn a_writer_that_waits_goes_on_when_nobody_reads_any_more() {
        for is_dropped in [false, true] {
            let (sender, lines) = line_queue(MOST);
            let writer = thread::spawn(move || (0..2 * QUEUE).all(|_| sender.send(line("info nodes 1"))));
            while lines.0.queue().lines.len() < QUEUE {
                thread::yield_now();
            }
            assert_eq!(lines.next(Duration::ZERO).unwrap().text.unwrap(), "info nodes 1");
            match is_dropped {
                true => drop(lines),
                false => {
                    lines.drop_reports(true);
                    while !writer.is_finished() {
                        thread::yield_now();
                    }
                }
            }
            assert_eq!(writer.join().unwrap(), !is_dropped);
        }
        let (_sender, lines) = line_queue(MOST);
        assert_eq!(lines.next(Duration::from_millis(1)).err(), Some(RecvTimeoutError::Timeout));
    }
}
