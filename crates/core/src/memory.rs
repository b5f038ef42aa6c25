//! Memory in huge pages, for tables whose entries lie anywhere.
//!
//! With small pages, nearly every access to such a table, even a prefetch, misses the TLB;
//! `experiments/search.md`, "Speed", has the gain. Without the feature `mmap`, the memory comes from the
//! allocator.

#[cfg(any(test, not(has_mmap)))]
mod allocated;
#[cfg(has_mmap)]
#[cfg_attr(loom, allow(dead_code))]
mod mapped;
#[cfg(loom)]
mod modelled;

use std::fmt;
use std::sync::atomic::AtomicU64;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

#[cfg(not(has_mmap))]
pub use allocated::HugeSlice;
#[cfg(not(any(has_mmap, loom)))]
pub use allocated::SharedWords;
#[cfg(has_mmap)]
pub use mapped::HugeSlice;
#[cfg(all(has_mmap, not(loom)))]
pub use mapped::SharedWords;
#[cfg(loom)]
pub use modelled::SharedWords;

impl<T: FromBytes + Immutable + IntoBytes + KnownLayout + Copy> Clone for HugeSlice<T> {
    fn clone(&self) -> Self {
        HugeSlice::from(&**self)
    }
}

impl<T: FromBytes + Immutable + IntoBytes + KnownLayout + Copy> From<&[T]> for HugeSlice<T> {
    fn from(numbers: &[T]) -> HugeSlice<T> {
        let mut slice = HugeSlice::zeros(numbers.len());
        slice.copy_from_slice(numbers);
        slice
    }
}

impl<T> fmt::Debug for HugeSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HugeSlice").field("bytes", &self.bytes).finish()
    }
}

impl SharedWords {
    /// Allocates this many MiB, and at least `least` words; `None` if there is not enough memory.
    pub fn with_mebibytes(mebibytes: usize, least: usize) -> Option<SharedWords> {
        SharedWords::zeros((mebibytes.checked_mul(1 << 20)? / size_of::<AtomicU64>()).max(least))
    }
}

impl fmt::Debug for SharedWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedWords").field("len", &self.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    /// Bytes of a huge page of most processors.
    const HUGE_PAGE: usize = 1 << 21;

    #[test]
    fn a_slice_is_as_long_as_asked_for_and_keeps_its_numbers() {
        for len in [0, 1, 1000, HUGE_PAGE / 4 - 1, HUGE_PAGE / 4, HUGE_PAGE] {
            let mut numbers = HugeSlice::<i16>::zeros(len);
            assert!(numbers.len() == len && numbers.iter().all(|&number| number == 0), "{len}");
            numbers.iter_mut().enumerate().for_each(|(place, number)| *number = (place + 1) as i16);
            let copy = numbers.clone();
            numbers.fill(7);
            assert!(copy.iter().copied().eq((0..len).map(|place| (place + 1) as i16)), "{len}");
        }
    }

    #[test]
    fn words_are_as_many_as_asked_for_and_shared() {
        for len in [1, 8, HUGE_PAGE / 8 + 1] {
            let words = SharedWords::zeros(len).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| words[len - 1].store(5, Ordering::Relaxed));
            });
            let values = words.iter().map(|word| word.load(Ordering::Relaxed));
            assert_eq!((words.len(), values.sum::<u64>()), (len, 5));
        }
        assert!(SharedWords::zeros(usize::MAX).is_none());
        assert!(SharedWords::zeros(usize::MAX / 8).is_none());
    }
}
