//! How much of what has been read may wait: a reader that is ahead by more stops, and so does who writes.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The most bytes that wait. A line of any length is read if it is the only one.
const MOST: usize = 8 << 20;

/// Bytes that a line takes besides its text.
const LINE: usize = 128;

/// The lines that wait, of one reader.
#[derive(Clone, Default)]
pub(super) struct Backlog(Arc<Waiting>);

#[derive(Default)]
struct Waiting {
    bytes: Mutex<usize>,
    freed: Condvar,
}

/// The room of a line, until it is dropped.
pub(super) struct Room {
    backlog: Backlog,
    bytes: usize,
}

impl Backlog {
    /// The room for a line with a text of so many bytes, when there is as much.
    pub(super) fn enter(&self, length: usize) -> Room {
        let bytes = length + LINE;
        let waiting = self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |waiting: &mut usize| *waiting > 0 && *waiting + bytes > MOST;
        let waiting = self.0.freed.wait_while(waiting, is_full);
        *waiting.unwrap_or_else(PoisonError::into_inner) += bytes;
        Room { backlog: self.clone(), bytes }
    }

    /// The room for a line that does not wait, though there may be none.
    pub(super) fn enter_at_once(&self, length: usize) -> Room {
        let bytes = length + LINE;
        *self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner) += bytes;
        Room { backlog: self.clone(), bytes }
    }
}

impl Room {
    /// Whether half of what may wait does.
    pub(super) fn is_crowded(&self) -> bool {
        *self.backlog.0.bytes.lock().unwrap_or_else(PoisonError::into_inner) > MOST / 2
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let Waiting { bytes, freed } = &*self.backlog.0;
        *bytes.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_reader_waits_for_room() {
        let backlog = Backlog::default();
        // The only line, however long.
        let first = backlog.enter(2 * MOST);
        let (sender, entered) = mpsc::channel();
        let reader = {
            let backlog = backlog.clone();
            thread::spawn(move || {
                for number in 0..3 {
                    sender.send((number, backlog.enter(MOST / 2))).unwrap();
                }
            })
        };
        let short = Duration::from_millis(50);
        assert!(entered.recv_timeout(short).is_err());
        drop(backlog.enter_at_once(4));
        assert!(entered.recv_timeout(short).is_err());
        drop(first);
        let (number, room) = entered.recv().unwrap();
        assert_eq!(number, 0);
        assert!(entered.recv_timeout(short).is_err());
        drop(room);
        for number in 1..3 {
            assert_eq!(entered.recv().unwrap().0, number);
        }
        reader.join().unwrap();
        assert_eq!(*backlog.0.bytes.lock().unwrap(), 0);
    }
}
