//! Threads that search one position: what they share besides the table.
//!
//! A thread adds to the number of a position that another one searches (virtual proof numbers: T. Kaneko,
//! "Parallel depth first proof number search", 2010), so that they part where siblings are about equal.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use super::numbers::INFINITE;

/// A position counts for this share more, and one, for each thread at work there.
const VIRTUAL_SHARE: u64 = 8;

/// Bits of a key that tell its counter.
const COUNTER_BITS: u32 = 16;

/// What threads share.
#[derive(Debug)]
pub(super) struct Team {
    /// The threads at work in the positions of each key.
    inside: Vec<AtomicU8>,
    nodes: AtomicU64,
    is_finished: AtomicBool,
}

/// A thread is at work in a position.
#[derive(Debug)]
pub(super) struct Inside<'a>(&'a AtomicU8);

impl Team {
    /// A team that starts after so many nodes.
    pub(super) fn new(nodes: u64) -> Team {
        let inside = std::iter::repeat_with(AtomicU8::default).take(1 << COUNTER_BITS).collect();
        Team { inside, nodes: AtomicU64::new(nodes), is_finished: AtomicBool::new(false) }
    }

    /// Ends the work of all threads.
    pub(super) fn finish(&self) {
        self.is_finished.store(true, Ordering::Relaxed);
    }

    /// Whether one of them has found the answer.
    pub(super) fn is_finished(&self) -> bool {
        self.is_finished.load(Ordering::Relaxed)
    }

    /// Adds nodes, and returns those of all threads.
    pub(super) fn count(&self, nodes: u64) -> u64 {
        self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes
    }

    /// Tells the others that a thread is at work in a position, until the result is dropped.
    pub(super) fn enter(&self, key: u64) -> Inside<'_> {
        let counter = self.counter(key);
        counter.fetch_add(1, Ordering::Relaxed);
        Inside(counter)
    }

    /// An open number of a position, and more if threads are at work there; others stay.
    pub(super) fn virtual_number(&self, key: u64, number: u64) -> u64 {
        if number == 0 || number >= INFINITE - 1 {
            return number;
        }
        let threads = u64::from(self.counter(key).load(Ordering::Relaxed));
        number.saturating_add(threads.saturating_mul(number / VIRTUAL_SHARE + 1)).min(INFINITE - 1)
    }

    fn counter(&self, key: u64) -> &AtomicU8 {
        &self.inside[(key >> (u64::BITS - COUNTER_BITS)) as usize]
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_counts_for_more_while_a_thread_is_inside() {
        let team = Team::new(0);
        let inside = team.enter(7);
        assert!(team.virtual_number(7, 10) > 10);
        assert_eq!(team.virtual_number(7 << 60, 10), 10);
        for number in [0, INFINITE - 1, INFINITE] {
            assert_eq!(team.virtual_number(7, number), number);
        }
        drop(inside);
        assert_eq!(team.virtual_number(7, 10), 10);
    }
}
