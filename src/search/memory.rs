//! Memory for tables that threads share without locks.

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use memmap2::MmapMut;
use self_cell::{MutBorrow, self_cell};
use zerocopy::FromBytes;

type Words<'a> = &'a [AtomicU64];

self_cell!(
    struct Pages {
        owner: MutBorrow<MmapMut>,

        #[covariant]
        dependent: Words,
    }
);

/// Words that several threads may read and write, 0 at first. They begin at a cache line.
///
/// The entries of a table lie anywhere, so that nearly every access to a small page would have to wait for the
/// address of that page, a prefetch included. So huge pages are asked for: 8 % more nodes a second in chess
/// with 16 MiB, 14 % with 256 MiB (`experiments/search.md`).
pub(super) struct SharedWords(Pages);

impl SharedWords {
    /// At least `bytes`; `None` if there is not that much.
    pub(super) fn new(bytes: usize) -> Option<SharedWords> {
        let pages = MmapMut::map_anon(bytes.checked_next_multiple_of(size_of::<AtomicU64>())?).ok()?;
        // Where there are none, small pages have to do.
        #[cfg(target_os = "linux")]
        let _ = pages.advise(memmap2::Advice::HugePage);
        Pages::try_new(MutBorrow::new(pages), |pages| {
            match <[AtomicU64]>::mut_from_bytes(pages.borrow_mut()) {
                Ok(words) => Ok(&*words),
                // It does not happen: pages are aligned.
                Err(_) => Err(()),
            }
        })
        .ok()
        .map(SharedWords)
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
