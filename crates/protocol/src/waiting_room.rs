//! Connections that have not said what they come for.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The connections that have not sent a first line. There is room for some; one more sends out the one that
/// has waited longest, so that idle or invalid ones take no place.
pub(super) struct WaitingRoom {
    places: usize,
    /// The one that has waited longest first.
    waiting: Mutex<VecDeque<Arc<TcpStream>>>,
}

impl WaitingRoom {
    pub(super) fn new(places: usize) -> WaitingRoom {
        WaitingRoom { places, waiting: Mutex::default() }
    }

    /// Adds a connection. Returns the one to close for it, if any.
    pub(super) fn enter(&self, stream: &Arc<TcpStream>) -> Option<Arc<TcpStream>> {
        let mut waiting = self.waiting();
        waiting.push_back(Arc::clone(stream));
        if waiting.len() > self.places { waiting.pop_front() } else { None }
    }

    /// Removes a connection. Returns whether it was there: it may have been sent out.
    pub(super) fn leave(&self, stream: &Arc<TcpStream>) -> bool {
        let mut waiting = self.waiting();
        let index = waiting.iter().position(|other| Arc::ptr_eq(other, stream));
        index.and_then(|index| waiting.remove(index)).is_some()
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Arc<TcpStream>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
