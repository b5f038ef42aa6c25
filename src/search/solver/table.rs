//! The table of proof-number search.

use prefetch_index::prefetch_index;

use super::numbers::{INFINITE, Numbers};

/// Entries in a bucket: together they fill a cache line.
const BUCKET: usize = 4;

/// Bits of a proof number in an entry.
const NUMBER_BITS: u32 = INFINITE.trailing_ones();

/// Numbers of positions by key, in a fixed amount of memory. Of a full bucket, the entry that took the least
/// work is replaced.
#[derive(Debug)]
pub(super) struct ProofTable {
    buckets: Vec<Bucket>,
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; BUCKET]);

/// All bits of the key, then the work and both numbers. No data, no entry: the two numbers are never both 0.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    data: u64,
}

impl Slot {
    fn holds(self, key: u64) -> bool {
        self.key == key && self.data != 0
    }

    fn work(self) -> u64 {
        self.data >> (2 * NUMBER_BITS)
    }
}

impl ProofTable {
    /// A table of so many MiB; `None` if there is no memory for it.
    pub(super) fn new(mebibytes: usize) -> Option<ProofTable> {
        let count = mebibytes.checked_mul((1 << 20) / size_of::<Bucket>())?.max(1);
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).ok()?;
        buckets.resize(count, Bucket::default());
        Some(ProofTable { buckets })
    }

    /// Prefetches the bucket of a key, for a [`ProofTable::probe`] to come soon.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch_index(&self.buckets, self.index(key));
    }

    /// The numbers stored under a key.
    #[inline]
    pub(super) fn probe(&self, key: u64) -> Option<Numbers> {
        let bucket = &self.buckets[self.index(key)];
        let slot = bucket.0.iter().find(|slot| slot.holds(key))?;
        let number = |shift: u32| (slot.data >> shift) as u32 & INFINITE;
        Some(Numbers { proof: number(NUMBER_BITS), disproof: number(0) })
    }

    /// Stores the numbers of a position whose last search took so many nodes.
    pub(super) fn store(&mut self, key: u64, numbers: Numbers, nodes: u64) {
        let index = self.index(key);
        let slots = &mut self.buckets[index].0;
        let found = slots.iter().position(|slot| slot.holds(key));
        let place = found.or_else(|| (0..BUCKET).min_by_key(|&place| slots[place].work())).unwrap_or(0);
        let before = if found.is_some() { slots[place].work() } else { 0 };
        let work = before.max(logarithm(nodes)) << (2 * NUMBER_BITS);
        let numbers = u64::from(numbers.proof) << NUMBER_BITS | u64::from(numbers.disproof);
        slots[place] = Slot { key, data: work | numbers };
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }
}

/// Eight times the logarithm of a number to base 2, roughly, and a constant: the upper bits of a float.
fn logarithm(number: u64) -> u64 {
    u64::from((number as f32).to_bits() >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_found() {
        let mut table = ProofTable::new(1).unwrap();
        let all = [
            Numbers { proof: 1, disproof: INFINITE - 1 },
            Numbers { proof: INFINITE - 1, disproof: 1 },
            Numbers::decided(true),
            Numbers::decided(false),
        ];
        for (key, numbers) in (1u64..).zip(all) {
            assert_eq!(table.probe(key << 40), None);
            table.store(key << 40, numbers, u64::MAX);
            assert_eq!(table.probe(key << 40), Some(numbers));
        }
        assert_eq!(table.probe(0), None, "what was never stored is not there, key 0 included");
    }

    #[test]
    fn what_took_the_least_work_goes() {
        let mut table = ProofTable::new(1).unwrap();
        // Keys that differ in their lowest bits only share a bucket.
        for (key, nodes) in (1..=5).zip([900, 3, 800, 700, 20]) {
            table.store(key, Numbers::decided(true), nodes);
        }
        let found: Vec<_> = (1..=5).map(|key| table.probe(key).is_some()).collect();
        assert_eq!(found, [true, false, true, true, true]);
    }

    #[test]
    fn impossible_sizes_are_refused() {
        assert!(ProofTable::new(usize::MAX).is_none());
        assert!(ProofTable::new(usize::MAX >> 21).is_none());
    }
}
