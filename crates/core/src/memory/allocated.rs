//! Memory from the allocator.

use std::alloc::{Layout, handle_alloc_error};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;

use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout};

/// The size of a cache line on most processors, in bytes.
const LINE: usize = 64;

/// At least `len` zeros, and the index of the first one that is aligned to a cache line. A `T` is aligned to
/// its size, which divides that of the line.
fn aligned<T: FromZeros>(len: usize) -> Option<(Box<[T]>, usize)> {
    let zeros = <[T]>::new_box_zeroed_with_elems(len.checked_add(LINE / size_of::<T>())?).ok()?;
    let begin = zeros.as_ptr().align_offset(LINE);
    Some((zeros, begin))
}

/// A slice of fixed length, initially zero, aligned to a cache line.
pub struct HugeSlice<T> {
    memory: Box<[u8]>,
    begin: usize,
    pub(super) bytes: usize,
    of: PhantomData<[T]>,
}

impl<T: FromZeros> HugeSlice<T> {
    /// Allocates zeros. Like a vector, it aborts if there is not enough memory.
    pub fn zeros(len: usize) -> HugeSlice<T> {
        let bytes = size_of::<T>().saturating_mul(len);
        let layout = Layout::array::<T>(len).unwrap_or(Layout::new::<T>());
        let (memory, begin) = aligned(bytes).unwrap_or_else(|| handle_alloc_error(layout));
        HugeSlice { memory, begin, bytes, of: PhantomData }
    }
}

impl<T: FromBytes + Immutable + KnownLayout> Deref for HugeSlice<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // A cache line is aligned, and the bytes are those of whole numbers.
        <[T]>::ref_from_bytes(&self.memory[self.begin..][..self.bytes]).unwrap_or_default()
    }
}

impl<T: FromBytes + Immutable + IntoBytes + KnownLayout> DerefMut for HugeSlice<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        <[T]>::mut_from_bytes(&mut self.memory[self.begin..][..self.bytes]).unwrap_or_default()
    }
}

/// Atomic words shared by threads, initially zero, aligned to a cache line.
pub struct SharedWords {
    words: Box<[AtomicU64]>,
    begin: usize,
    len: usize,
}

impl SharedWords {
    /// Allocates words; `None` if there is not enough memory.
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
    fn memory_is_zero_and_aligned() {
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
