//! Backpressure: a limit on the lines that have been read and not yet processed.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The maximum number of bytes in the queue, unless there is another limit. A line of any length is read if
/// it is the only one.
pub(super) const MAX_BYTES: usize = 8 << 20;

/// Bytes that a line takes besides its text.
pub(super) const LINE: usize = 128;

/// The queued bytes of one reader.
#[derive(Clone)]
pub(super) struct Backlog(Arc<Waiting>);

struct Waiting {
    max: usize,
    bytes: Mutex<usize>,
    freed: Condvar,
}

/// The bytes reserved for a line, until it is dropped.
pub(super) struct Reservation {
    backlog: Backlog,
    bytes: usize,
}

impl Default for Backlog {
    fn default() -> Backlog {
        Backlog::new(MAX_BYTES)
    }
}

impl Backlog {
    /// An empty queue with a limit of its own.
    pub(super) fn new(max: usize) -> Backlog {
        Backlog(Arc::new(Waiting { max, bytes: Mutex::default(), freed: Condvar::new() }))
    }

    /// Reserves bytes for a line of this length; blocks while the queue is full.
    pub(super) fn reserve(&self, length: usize) -> Reservation {
        let bytes = length + LINE;
        let waiting = self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |waiting: &mut usize| *waiting > 0 && *waiting + bytes > self.0.max;
        let waiting = self.0.freed.wait_while(waiting, is_full);
        *waiting.unwrap_or_else(PoisonError::into_inner) += bytes;
        Reservation { backlog: self.clone(), bytes }
    }

    /// Reserves bytes for a line without blocking.
    pub(super) fn reserve_at_once(&self, length: usize) -> Reservation {
        let bytes = length + LINE;
        *self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner) += bytes;
        Reservation { backlog: self.clone(), bytes }
    }
}

impl Reservation {
    /// Whether the queue is half full.
    pub(super) fn is_half_full(&self) -> bool {
        *self.backlog.0.bytes.lock().unwrap_or_else(PoisonError::into_inner) > self.backlog.0.max / 2
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let Waiting { bytes, freed, .. } = &*self.backlog.0;
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
        let first = backlog.reserve(2 * MAX_BYTES);
        let (sender, entered) = mpsc::channel();
        let reader = {
            let backlog = backlog.clone();
            thread::spawn(move || {
                for number in 0..3 {
                    sender.send((number, backlog.reserve(MAX_BYTES / 2))).unwrap();
                }
            })
        };
        let short = Duration::from_millis(50);
        assert!(entered.recv_timeout(short).is_err());
        drop(backlog.reserve_at_once(4));
        assert!(entered.recv_timeout(short).is_err());
        drop(first);
        let (number, reservation) = entered.recv().unwrap();
        assert_eq!(number, 0);
        assert!(entered.recv_timeout(short).is_err());
        drop(reservation);
        for number in 1..3 {
            assert_eq!(entered.recv().unwrap().0, number);
        }
        reader.join().unwrap();
        assert_eq!(*backlog.0.bytes.lock().unwrap(), 0);
    }
}
