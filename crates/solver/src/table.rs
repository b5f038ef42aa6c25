//! The table of proof-number search.

use std::sync::atomic::{AtomicU64, Ordering};

use prefetch_index::prefetch_index;

use super::numbers::{INFINITE, Numbers};
use labrys_core::memory::SharedWords;

/// Words of an entry: the key, and the data.
const WORDS: usize = 2;

/// Entries in a bucket: together they fill a cache line.
const BUCKET: usize = 4;

/// Entries sampled for the fill of the table.
const FILL_SAMPLE: usize = 1 << 12;

/// Bits of a proof number in an entry: those of an exponent above those of a mantissa.
const NUMBER_BITS: u32 = 26;

/// Bits of a mantissa. Numbers with more bits are rounded down, by less than a millionth.
const MANTISSA_BITS: u32 = 20;

/// Bits of a float that its logarithm leaves out.
const LOGARITHM_SHIFT: u32 = 20;

/// The largest packed number stands for [`INFINITE`].
const PACKED_INFINITE: u64 = (1 << NUMBER_BITS) - 1;

/// The memory of a table.
#[derive(Debug)]
pub(super) struct Memory(SharedWords);

/// Numbers of positions by key, in a fixed amount of memory. In a full bucket, the entry with the least work
/// is replaced, and the newest one is always stored. (Two levels: D. Breuker, J. Uiterwijk and J. van den
/// Herik, "Replacement schemes for transposition tables", 1994.)
///
/// Threads share it without locks. The first word of an entry is all bits of the key, exclusive or the data.
/// Torn entries match no key. (R. Hyatt and T. Mann, "A lockless transposition-table implementation for
/// parallel search", 2002.)
#[derive(Clone, Copy, Debug)]
pub(super) struct ProofTable<'a> {
    words: &'a [AtomicU64],
}

/// The work and both numbers of an entry. No data, no entry: the two numbers are never both 0. Where the proof
/// number is 0 the other one is [`INFINITE`], and a move that proves it is in its place.
#[derive(Clone, Copy)]
struct Data(u64);

impl Data {
    fn new(numbers: Numbers, work: u64, mv: Option<u32>) -> Data {
        let mv = mv.map(u64::from).filter(|&mv| numbers.proof == 0 && mv < PACKED_INFINITE);
        let second = mv.unwrap_or(packed(numbers.disproof));
        Data(work << (2 * NUMBER_BITS) | packed(numbers.proof) << NUMBER_BITS | second)
    }

    fn work(self) -> u64 {
        self.0 >> (2 * NUMBER_BITS)
    }

    /// The same with this work.
    fn with_work(self, work: u64) -> Data {
        Data(self.0 & ((1 << (2 * NUMBER_BITS)) - 1) | work << (2 * NUMBER_BITS))
    }

    fn first(self) -> u64 {
        self.0 >> NUMBER_BITS & PACKED_INFINITE
    }

    fn second(self) -> u64 {
        self.0 & PACKED_INFINITE
    }

    fn numbers(self) -> Numbers {
        match self.first() {
            0 => Numbers::decided(true),
            proof => Numbers { proof: unpacked(proof), disproof: unpacked(self.second()) },
        }
    }

    fn mv(self) -> Option<u32> {
        let is_kept = self.first() == 0 && self.second() < PACKED_INFINITE;
        is_kept.then_some(self.second() as u32)
    }
}

impl Memory {
    /// Allocates this many MiB; `None` if there is not enough memory.
    pub(super) fn new(mebibytes: usize) -> Option<Memory> {
        SharedWords::with_mebibytes(mebibytes, WORDS * BUCKET).map(Memory)
    }

    /// The table in the memory.
    pub(super) fn table(&self) -> ProofTable<'_> {
        ProofTable { words: &self.0 }
    }
}

impl ProofTable<'_> {
    /// Prefetches the bucket of a key, for a [`ProofTable::probe`] to come soon.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch_index(self.words, self.index(key));
    }

    /// The numbers stored under a key.
    #[inline]
    pub(super) fn probe(&self, key: u64) -> Option<Numbers> {
        let bucket = self.bucket(key);
        (0..BUCKET).find_map(|place| holds(bucket, place, key)).map(Data::numbers)
    }

    /// The move that proves the position of a key, if it is proven and the move fits into an entry, and the
    /// nodes that this took, roughly. Positions that share a key may need other moves.
    pub(super) fn proving_move(&self, key: u64) -> Option<(u32, u64)> {
        let bucket = self.bucket(key);
        let data = (0..BUCKET).find_map(|place| holds(bucket, place, key))?;
        data.mv().map(|mv| (mv, exponential(data.work())))
    }

    /// Stores the numbers of a position whose last search took `nodes` nodes, with the move that proves it, if
    /// it is proven.
    pub(super) fn store(&self, key: u64, numbers: Numbers, nodes: u64, mv: Option<u32>) {
        self.put(key, Data::new(numbers, logarithm(nodes), mv));
    }

    /// Stores data, with the most work that the position has taken so far.
    fn put(&self, key: u64, new: Data) {
        let bucket = self.bucket(key);
        let found = (0..BUCKET).find_map(|place| Some((place, holds(bucket, place, key)?)));
        let (place, work) = match found {
            Some((place, before)) => (place, before.work().max(new.work())),
            None => {
                let work = |place: &usize| data(bucket, *place).work();
                ((0..BUCKET).min_by_key(work).unwrap_or(0), new.work())
            }
        };
        let data = new.with_work(work).0;
        bucket[WORDS * place].store(key ^ data, Ordering::Relaxed);
        bucket[WORDS * place + 1].store(data, Ordering::Relaxed);
    }

    /// All entries: keys and data.
    pub(super) fn entries(&self) -> impl Iterator<Item = [u64; WORDS]> {
        self.words.chunks_exact(WORDS).filter_map(|words| {
            let [key, data] = [0, 1].map(|word: usize| words[word].load(Ordering::Relaxed));
            (data != 0).then_some([key ^ data, data])
        })
    }

    /// Adds an entry of another table.
    pub(super) fn insert(&self, [key, data]: [u64; WORDS]) {
        self.put(key, Data(data));
    }

    /// The share of the entries that are in use, from a sample.
    pub(super) fn fill(&self) -> f64 {
        let sample = self.words.len().min(FILL_SAMPLE * WORDS);
        let used =
            self.words[..sample].chunks_exact(WORDS).filter(|words| words[1].load(Ordering::Relaxed) != 0);
        (used.count() * WORDS) as f64 / sample.max(1) as f64
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[AtomicU64] {
        let index = self.index(key);
        &self.words[index..index + WORDS * BUCKET]
    }

    /// The first word of a key's bucket.
    #[inline]
    fn index(&self, key: u64) -> usize {
        let buckets = self.words.len() / (WORDS * BUCKET);
        ((u128::from(key) * buckets as u128) >> 64) as usize * (WORDS * BUCKET)
    }
}

/// The data at a place of a bucket.
#[inline]
fn data(bucket: &[AtomicU64], place: usize) -> Data {
    Data(bucket[WORDS * place + 1].load(Ordering::Relaxed))
}

/// The data at a place of a bucket, if it belongs to a key.
#[inline]
fn holds(bucket: &[AtomicU64], place: usize, key: u64) -> Option<Data> {
    let data = data(bucket, place);
    let is_it = bucket[WORDS * place].load(Ordering::Relaxed) ^ data.0 == key && data.0 != 0;
    is_it.then_some(data)
}

/// A number in [`NUMBER_BITS`] bits.
fn packed(number: u64) -> u64 {
    if number == INFINITE {
        return PACKED_INFINITE;
    }
    let exponent = (u64::BITS - number.leading_zeros()).saturating_sub(MANTISSA_BITS);
    u64::from(exponent) << MANTISSA_BITS | number >> exponent
}

/// The number that has been packed.
fn unpacked(packed: u64) -> u64 {
    match packed {
        PACKED_INFINITE => INFINITE,
        _ => (packed & ((1 << MANTISSA_BITS) - 1)) << (packed >> MANTISSA_BITS),
    }
}

/// Eight times the logarithm of a number to base 2, roughly, and a constant: the upper bits of a float.
fn logarithm(number: u64) -> u64 {
    u64::from((number as f32).to_bits() >> LOGARITHM_SHIFT)
}

/// The smallest number with this logarithm.
fn exponential(logarithm: u64) -> u64 {
    f32::from_bits((logarithm as u32) << LOGARITHM_SHIFT) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_entries_are_found() {
        let memory = Memory::new(1).unwrap();
        let table = memory.table();
        let exact = (1 << MANTISSA_BITS) - 1;
        let all = [
            Numbers { proof: 1, disproof: exact },
            Numbers { proof: exact << 38, disproof: 1 },
            Numbers::decided(true),
            Numbers::decided(false),
        ];
        for (key, numbers) in (1u64..).zip(all) {
            assert_eq!(table.probe(key << 40), None);
            table.store(key << 40, numbers, u64::MAX, None);
            assert_eq!(table.probe(key << 40), Some(numbers));
            assert_eq!(table.proving_move(key << 40), None);
        }
        assert_eq!(table.probe(0), None, "what was never stored is not there, key 0 included");
    }

    #[test]
    fn proven_positions_keep_their_move() {
        let memory = Memory::new(1).unwrap();
        let table = memory.table();
        let open = Numbers { proof: 5, disproof: 7 };
        let largest = PACKED_INFINITE as u32 - 1;
        for (key, numbers, mv, kept) in [
            (1, Numbers::decided(true), 0, Some(0)),
            (2, Numbers::decided(true), largest, Some(largest)),
            (3, Numbers::decided(true), largest + 1, None),
            (4, Numbers::decided(false), 9, None),
            (5, open, 9, None),
        ] {
            // The second time with the work of the first.
            for nodes in [1_000, 3] {
                table.store(key << 40, numbers, nodes, Some(mv));
                assert_eq!(table.probe(key << 40), Some(numbers));
                let found = table.proving_move(key << 40);
                assert_eq!(found.map(|(mv, _)| mv), kept, "{key}");
                assert!(found.is_none_or(|(_, nodes)| (800..=1_000).contains(&nodes)), "{found:?}");
            }
        }
    }

    #[test]
    fn numbers_are_rounded_down_by_less_than_a_millionth() {
        for number in (0..58).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + (1 << bit) / 3]) {
            let rounded = unpacked(packed(number));
            assert!(rounded <= number && number - rounded <= number / 500_000, "{number}: {rounded}");
        }
        let largest = INFINITE - 1;
        assert!(unpacked(packed(largest)) < INFINITE && packed(largest) < PACKED_INFINITE);
        assert_eq!(unpacked(packed(INFINITE)), INFINITE);
    }

    #[test]
    fn the_entry_with_the_least_work_is_replaced() {
        let memory = Memory::new(1).unwrap();
        let table = memory.table();
        // Keys that differ in their lowest bits only share a bucket.
        for (key, nodes) in (1..=5).zip([900, 3, 800, 700, 20]) {
            table.store(key, Numbers::decided(true), nodes, None);
        }
        let found: Vec<_> = (1..=5).map(|key| table.probe(key).is_some()).collect();
        assert_eq!(found, [true, false, true, true, true]);
    }

    /// Two threads write an entry at the same time: what is there afterwards is one of the first words and
    /// one of the second ones.
    #[test]
    fn a_torn_entry_belongs_to_no_key() {
        let open = |proof| Numbers { proof, disproof: 9 };
        for (keys, numbers) in [([1, 2], [open(3), open(4)]), ([1, 1], [open(3), open(4)])] {
            let written = [0, 1].map(|writer: usize| {
                let memory = Memory::new(1).unwrap();
                let table = memory.table();
                table.store(keys[writer], numbers[writer], 1, None);
                [0, 1].map(|word: usize| table.bucket(keys[writer])[word].load(Ordering::Relaxed))
            });
            for [first, second] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
                let memory = Memory::new(1).unwrap();
                let table = memory.table();
                let bucket = table.bucket(keys[0]);
                bucket[0].store(written[first][0], Ordering::Relaxed);
                bucket[1].store(written[second][1], Ordering::Relaxed);
                for writer in [0, 1] {
                    let found = table.probe(keys[writer]);
                    let is_whole = first == second && keys[first] == keys[writer];
                    assert_eq!(found, is_whole.then(|| numbers[first]), "{keys:?} {first} {second}");
                }
            }
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        assert!(Memory::new(usize::MAX).is_none());
        assert!(Memory::new(usize::MAX >> 21).is_none());
    }
}
