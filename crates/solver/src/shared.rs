//! The state that threads share in a search, besides the table.
//!
//! A thread adds to the number of a position that another one searches (virtual proof numbers: T. Kaneko,
//! "Parallel depth first proof number search", 2010), so that they spread over siblings of about equal
//! numbers.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use super::numbers::INFINITE;

/// The virtual increase of a number for each thread: one over this, plus 1.
const VIRTUAL_SHARE: u64 = 8;

/// Bits of a key that select its counter.
const COUNTER_BITS: u32 = 16;

/// The shared state.
#[derive(Debug)]
pub(super) struct SharedSearch {
    /// The threads at work in the positions of each key.
    busy: Vec<AtomicU8>,
    nodes: AtomicU64,
    is_finished: AtomicBool,
}

/// Marks a position as busy until dropped.
#[derive(Debug)]
pub(super) struct BusyGuard<'a>(&'a AtomicU8);

impl SharedSearch {
    /// A shared state that starts with a node count.
    pub(super) fn new(nodes: u64) -> SharedSearch {
        let busy = std::iter::repeat_with(AtomicU8::default).take(1 << COUNTER_BITS).collect();
        SharedSearch { busy, nodes: AtomicU64::new(nodes), is_finished: AtomicBool::new(false) }
    }

    /// Ends the search of all threads.
    pub(super) fn finish(&self) {
        self.is_finished.store(true, Ordering::Relaxed);
    }

    /// Whether a thread has the result.
    pub(super) fn is_finished(&self) -> bool {
        self.is_finished.load(Ordering::Relaxed)
    }

    /// Adds nodes, and returns those of all threads.
    pub(super) fn count(&self, nodes: u64) -> u64 {
        self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes
    }

    /// Marks a position as busy for other threads, until the guard is dropped.
    pub(super) fn mark_busy(&self, key: u64) -> BusyGuard<'_> {
        let counter = self.counter(key);
        counter.fetch_add(1, Ordering::Relaxed);
        BusyGuard(counter)
    }

    /// The virtual number of a position: increased while threads search it, if open.
    pub(super) fn virtual_number(&self, key: u64, number: u64) -> u64 {
        if number == 0 || number >= INFINITE - 1 {
            return number;
        }
        let threads = u64::from(self.counter(key).load(Ordering::Relaxed));
        number.saturating_add(threads.saturating_mul(number / VIRTUAL_SHARE + 1)).min(INFINITE - 1)
    }

    fn counter(&self, key: u64) -> &AtomicU8 {
        &self.busy[(key >> (u64::BITS - COUNTER_BITS)) as usize]
    }
}

impl Drop for BusyGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_virtual_number_of_a_busy_position_is_larger() {
        let shared = SharedSearch::new(0);
        let busy = shared.mark_busy(7);
        assert!(shared.virtual_number(7, 10) > 10);
        assert_eq!(shared.virtual_number(7 << 60, 10), 10);
        for number in [0, INFINITE - 1, INFINITE] {
            assert_eq!(shared.virtual_number(7, number), number);
        }
        drop(busy);
        assert_eq!(shared.virtual_number(7, 10), 10);
    }
}
