//! Memory as any other is allocated.

use std::alloc::{Layout, handle_alloc_error};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;

use zerocopy::FromZeros;

/// Bytes of a cache line of most processors.
const LINE: usize = 64;

/// Zeros, some more than asked for, and the index from which on the first one at a cache line lies.
fn aligned<T: FromZeros>(len: usize) -> Option<(Box<[T]>, usize)> {
    let more = LINE / size_of::<T>().clamp(1, LINE);
    let zeros = <[T]>::new_box_zeroed_with_elems(len.checked_add(more)?).ok()?;
    // Where no element lies at a cache line, any place will do.
    let begin = zeros.as_ptr().align_offset(LINE);
    Some((zeros, if begin <= more { begin } else { 0 }))
}

/// A list of numbers of a fixed length, 0 at first. It begins at a cache line.
pub struct HugeSlice<T> {
    numbers: Box<[T]>,
    begin: usize,
    len: usize,
}

impl<T: FromZeros> HugeSlice<T> {
    /// So many zeros. Like a vector, it ends the program where there is not that much memory.
    pub fn zeros(len: usize) -> HugeSlice<T> {
        let layout = Layout::array::<T>(len).unwrap_or(Layout::new::<T>());
        let (numbers, begin) = aligned(len).unwrap_or_else(|| handle_alloc_error(layout));
        HugeSlice { numbers, begin, len }
    }
}

impl<T> Deref for HugeSlice<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.numbers[self.begin..][..self.len]
    }
}

impl<T> DerefMut for HugeSlice<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.numbers[self.begin..][..self.len]
    }
}

impl<T> fmt::Debug for HugeSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HugeSlice").field("bytes", &size_of_val(&**self)).finish()
    }
}

/// Words that several threads may read and write, 0 at first. They begin at a cache line.
pub struct SharedWords {
    words: Box<[AtomicU64]>,
    begin: usize,
    len: usize,
}

impl SharedWords {
    /// So many words; `None` if there is not that much memory.
    pub(super) fn zeros(len: usize) -> Option<SharedWords> {
        let (words, begin) = aligned(len)?;
        Some(SharedWords { words, begin, len })
    }
}

impl Deref for SharedWords {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        &self.words[self.begin..][..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_zeros_from_a_cache_line_on() {
        for len in [0, 1, 100, 10_000] {
            let slice = HugeSlice::<[i16; 16]>::zeros(len);
            assert!(slice.len() == len && slice.iter().flatten().all(|&number| number == 0), "{len}");
            assert_eq!(slice.as_ptr().align_offset(LINE), 0, "{len}");
            let words = SharedWords::zeros(len).unwrap();
            assert_eq!((words.len(), words.as_ptr().align_offset(LINE)), (len, 0));
        }
        assert!(SharedWords::zeros(usize::MAX).is_none());
        assert!(SharedWords::zeros(usize::MAX / 8).is_none());
    }
}
