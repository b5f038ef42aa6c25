//! What the threads of a search share besides the transposition table.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Control;
use super::root::RootMove;
use super::window::Window;
use crate::game::{Game, GameMove, mixed};

/// What the threads of a search share besides the transposition table.
pub(super) struct SharedState<'a, M> {
    /// Stops the search from outside.
    pub(super) control: &'a Control,
    /// Nodes that the threads have added up.
    pub(super) nodes: AtomicU64,
    /// Positions that the threads have found in endgame tables.
    pub(super) tbhits: AtomicU64,
    /// Set when the main thread has decided.
    pub(super) done: AtomicBool,
    /// The moves that threads are searching; `None` with a single thread.
    busy: Option<BusyTable>,
    /// Depth of the deepest iteration that a thread has finished, with several threads.
    pub(super) finished: AtomicUsize,
    /// The root moves as that iteration left them.
    best: Mutex<Vec<RootMove<M>>>,
}

impl<'a, M: GameMove> SharedState<'a, M> {
    /// The state of a search on so many threads.
    pub(super) fn new(control: &'a Control, threads: usize) -> SharedState<'a, M> {
        SharedState {
            control,
            nodes: AtomicU64::new(0),
            tbhits: AtomicU64::new(0),
            done: AtomicBool::new(false),
            busy: (threads > 1).then(BusyTable::new),
            finished: AtomicUsize::new(0),
            best: Mutex::new(Vec::new()),
        }
    }

    /// Whether there are several threads.
    pub(super) fn is_shared(&self) -> bool {
        self.busy.is_some()
    }

    /// The entry of the busy table for a move of a position, if there are several threads.
    #[inline]
    pub(super) fn busy_entry<G: Game<Move = M>>(&self, position: &G, mv: M) -> Option<BusyEntry<'_>> {
        self.busy.as_ref().map(|busy| busy.entry(position, mv))
    }

    /// The root moves as the deepest finished iteration left them.
    pub(super) fn best(&self) -> MutexGuard<'_, Vec<RootMove<M>>> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the helping threads to end.
    pub(super) fn finish(&self) {
        self.done.store(true, Ordering::Relaxed);
    }
}

/// What a search asks of a position: its value within a window, by a search of some depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// Plies that are left.
    pub(super) depth: i32,
    pub(super) window: Window,
}

/// Entries of a [`BusyTable`]; a power of two.
const BUSY_ENTRIES: usize = 1 << 15;

/// Which moves are being searched by some thread, so that others can defer them: simplified ABDADA (T.
/// Kerrigan, "Simplified ABDADA", 2013). An entry holds the key of a position and a move; a collision
/// overwrites it.
struct BusyTable(Vec<AtomicU64>);

impl BusyTable {
    fn new() -> BusyTable {
        BusyTable(std::iter::repeat_with(|| AtomicU64::new(0)).take(BUSY_ENTRIES).collect())
    }

    fn entry<G: Game>(&self, position: &G, mv: G::Move) -> BusyEntry<'_> {
        let key = mixed(position.table_key() ^ u64::from(mv.to_bits()));
        BusyEntry { entry: &self.0[key as usize % BUSY_ENTRIES], key }
    }
}

/// An entry of the busy table, for one move of one position.
#[derive(Clone, Copy)]
pub(super) struct BusyEntry<'a> {
    entry: &'a AtomicU64,
    key: u64,
}

impl BusyEntry<'_> {
    /// Whether a thread is searching the move.
    pub(super) fn is_busy(self) -> bool {
        self.entry.load(Ordering::Relaxed) == self.key
    }

    /// Marks the move: its search begins.
    pub(super) fn mark(self) {
        self.entry.store(self.key, Ordering::Relaxed);
    }

    /// Unmarks the move: its search has ended.
    pub(super) fn unmark(self) {
        if self.is_busy() {
            self.entry.store(0, Ordering::Relaxed);
        }
    }
}
