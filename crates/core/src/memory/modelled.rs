//! Words whose orders of access `make loom` tries.

use std::ops::Deref;

use crate::sync::AtomicU64;

/// Atomic words shared by threads, initially zero.
pub struct SharedWords(Box<[AtomicU64]>);

impl SharedWords {
    /// Allocates words.
    pub(super) fn zeros(len: usize) -> Option<SharedWords> {
        Some(SharedWords((0..len).map(|_| AtomicU64::new(0)).collect()))
    }
}

impl Deref for SharedWords {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        &self.0
    }
}
