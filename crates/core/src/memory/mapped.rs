//! Memory mapped from the system, in huge pages if it has them.

use std::alloc::{Layout, handle_alloc_error};
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;

use memmap2::MmapMut;
use self_cell::{MutBorrow, self_cell};
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout};

/// The size of a huge page on most processors, in bytes.
const HUGE_PAGE: usize = 1 << 21;

/// Maps at least this many zero bytes, in huge pages if the system has them and less than half of one is
/// wasted.
fn pages(bytes: usize) -> io::Result<MmapMut> {
    if bytes < HUGE_PAGE / 2 {
        return MmapMut::map_anon(bytes);
    }
    // The memory after the bytes is never touched; a whole number of huge pages is aligned to one.
    let whole = bytes.checked_next_multiple_of(HUGE_PAGE).ok_or(io::ErrorKind::OutOfMemory)?;
    let pages = MmapMut::map_anon(whole)?;
    #[cfg(target_os = "linux")]
    {
        let is_last_huge = whole - bytes <= HUGE_PAGE / 2;
        let huge = if is_last_huge { whole } else { whole - HUGE_PAGE };
        // Falls back to small pages.
        let _ = pages.advise_range(memmap2::Advice::HugePage, 0, huge);
    }
    Ok(pages)
}

/// A slice of fixed length, initially zero, aligned to a cache line.
pub struct HugeSlice<T> {
    pages: MmapMut,
    pub(super) bytes: usize,
    of: PhantomData<[T]>,
}

impl<T: FromZeros> HugeSlice<T> {
    /// Allocates zeros. Like a vector, it aborts if there is not enough memory.
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

type Words<'a> = &'a [AtomicU64];

self_cell!(
    struct SharedPages {
        owner: MutBorrow<MmapMut>,

        #[covariant]
        dependent: Words,
    }
);

/// Atomic words shared by threads, initially zero, aligned to a cache line.
pub struct SharedWords(SharedPages);

impl SharedWords {
    /// Allocates words; `None` if there is not enough memory.
    pub(super) fn zeros(len: usize) -> Option<SharedWords> {
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
