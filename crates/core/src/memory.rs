//! Memory in huge pages, for tables whose entries lie anywhere.
//!
//! With small pages, nearly every access to such a table has to wait for the address of its page, a prefetch
//! included. What huge pages are worth stands in `experiments/search.md`, "Speed".

use std::alloc::{Layout, handle_alloc_error};
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;

use memmap2::MmapMut;
use self_cell::{MutBorrow, self_cell};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Bytes of a huge page of most processors.
const HUGE_PAGE: usize = 1 << 21;

/// At least so many bytes, 0 at first. They are whole huge pages where that wastes less than half of them, if
/// the system has such pages.
fn pages(bytes: usize) -> io::Result<MmapMut> {
    if bytes < HUGE_PAGE / 2 {
        return MmapMut::map_anon(bytes);
    }
    let bytes = bytes.checked_next_multiple_of(HUGE_PAGE).ok_or(io::ErrorKind::OutOfMemory)?;
    let pages = MmapMut::map_anon(bytes)?;
    // Where there are none, small pages have to do.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Ok(pages)
}

/// A list of numbers of a fixed length, 0 at first. It begins at a cache line.
pub struct HugeSlice<T> {
    pages: MmapMut,
    bytes: usize,
    of: PhantomData<[T]>,
}

impl<T> HugeSlice<T> {
    /// So many zeros. Like a vector, it ends the program where there is not that much memory.
    pub fn zeros(len: usize) -> HugeSlice<T> {
        let bytes = size_of::<T>().saturating_mul(len);
        let layout = Layout::array::<T>(len).unwrap_or(Layout::new::<T>());
        let pages = pages(bytes).unwrap_or_else(|_| handle_alloc_error(layout));
        HugeSlice { pages, bytes, of: PhantomData }
    }
}

impl<T: FromBytes + Immutable + KnownLayout> Deref for HugeSlice<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // Pages are aligned, and the bytes are those of whole numbers.
        <[T]>::ref_from_bytes(&self.pages[..self.bytes]).unwrap_or_default()
    }
}

impl<T: FromBytes + Immutable + IntoBytes + KnownLayout> DerefMut for HugeSlice<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        <[T]>::mut_from_bytes(&mut self.pages[..self.bytes]).unwrap_or_default()
    }
}

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

type Words<'a> = &'a [AtomicU64];

self_cell!(
    struct SharedPages {
        owner: MutBorrow<MmapMut>,

        #[covariant]
        dependent: Words,
    }
);

/// Words that several threads may read and write, 0 at first. They begin at a cache line.
pub struct SharedWords(SharedPages);

impl SharedWords {
    /// So many MiB, and at least `least` words; `None` if there is not that much memory.
    pub fn of_mebibytes(mebibytes: usize, least: usize) -> Option<SharedWords> {
        SharedWords::zeros((mebibytes.checked_mul(1 << 20)? / size_of::<AtomicU64>()).max(least))
    }

    /// So many words; `None` if there is not that much memory.
    fn zeros(len: usize) -> Option<SharedWords> {
        let pages = pages(len.checked_mul(size_of::<AtomicU64>())?).ok()?;
        let words = SharedPages::new(MutBorrow::new(pages), |pages| {
            // Pages are aligned.
            let words = <[AtomicU64]>::mut_from_bytes(pages.borrow_mut()).unwrap_or_default();
            &words[..len]
        });
        Some(SharedWords(words))
    }
}

impl Deref for SharedWords {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        self.0.borrow_dependent()
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
