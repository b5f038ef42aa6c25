//! The transposition table.

use prefetch_index::prefetch_index;

use super::window::{Bound, Window};
use crate::eval::Score;
use crate::game::GameMove;
use crate::memory::SharedWords;
use crate::sync::{AtomicU8, AtomicU64, Ordering};

/// An entry of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtEntry<M> {
    /// The best move, if any.
    pub best: Option<M>,
    /// The score, mate distances counted from the position itself ([`Score::to_tt`]).
    pub score: Score,
    /// The bound type of the score.
    pub bound: Bound,
    /// The depth of its search, in plies.
    pub depth: u8,
    /// The static evaluation of the position, if it was requested.
    pub static_eval: Option<Score>,
    /// Whether the position has been on the principal variation of a search.
    pub is_pv: bool,
}

impl<M> TtEntry<M> {
    /// Whether its score, relative to the root, causes a cutoff in a window, if the depth is sufficient.
    pub(super) fn causes_cutoff(&self, window: Window) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= window.beta,
            Bound::Upper => self.score <= window.alpha,
        }
    }

    /// The entry with nothing known of the score.
    pub(super) fn without_score(self) -> TtEntry<M> {
        TtEntry { score: -Score::INFINITE, bound: Bound::Lower, depth: 0, ..self }
    }

    /// The static evaluation, refined by the score if its bound allows: +28 ± 27 Elo in chess. A forced end
    /// is no evaluation.
    pub(super) fn refine(&self, static_eval: Score) -> Score {
        match self.bound {
            _ if self.score.is_decisive() => static_eval,
            Bound::Exact => self.score,
            Bound::Lower => static_eval.max(self.score),
            Bound::Upper => static_eval.min(self.score),
        }
    }
}

/// Entries in a bucket: together they fill a cache line.
const BUCKET: usize = 4;

/// Ages run modulo this number.
const AGES: u8 = 32;

/// The replacement penalty of an entry for each search of age, in plies.
const AGE_PENALTY: i32 = 4;

/// An entry of the same position and search is kept when it is more than this many plies deeper.
const KEEP_DEEPER: i32 = 3;

/// The transposition table: results of searches by the keys of positions.
///
/// Several threads may share it without locks: an entry is two words, the data and the key xor the data,
/// so that one torn by two writers does not verify (Hyatt and Mann, "A lock-less transposition-table
/// implementation for parallel search chess engines", 2002). The lowest 40 bits of the key are verified; the
/// highest choose the bucket.
#[derive(Debug)]
pub struct TranspositionTable {
    words: SharedWords,
    age: AtomicU8,
}

/// Words of an entry: check and data.
const WORDS: usize = 2;

/// The words of an entry.
type Slot = [AtomicU64; WORDS];

/// The words of a bucket.
type Bucket = [AtomicU64; WORDS * BUCKET];

/// The data word: 24 bits of move, 24 of score, 8 of depth, 5 of age, 1 for the principal variation,
/// 2 of bound (0: no entry).
#[derive(Clone, Copy)]
struct Packed(u64);

/// The other word before the data word is added: 40 bits of key, 24 of static evaluation.
#[derive(Clone, Copy)]
struct Check(u64);

impl Check {
    /// The static evaluation that stands for none.
    const NO_EVAL: i32 = -1 << 23;

    fn new(key: u64, static_eval: Option<Score>) -> Check {
        let static_eval = static_eval.map_or(Check::NO_EVAL, Score::to_thousandths);
        Check(key << 24 | u64::from(static_eval as u32 & 0xFF_FFFF))
    }

    fn is_of(self, key: u64) -> bool {
        (self.0 ^ (key << 24)) < 1 << 24
    }

    fn static_eval(self) -> Option<Score> {
        let static_eval = (self.0 as i32) << 8 >> 8;
        (static_eval != Check::NO_EVAL).then_some(Score::from_thousandths(static_eval))
    }
}

impl Packed {
    fn new<M: GameMove>(entry: TtEntry<M>, age: u8) -> Packed {
        let best = entry.best.map_or(0, GameMove::to_bits);
        debug_assert!(best < 1 << 24);
        let score = entry.score.to_thousandths() as u32 & 0xFF_FFFF;
        let bound = match entry.bound {
            Bound::Lower => 1,
            Bound::Upper => 2,
            Bound::Exact => 3,
        };
        Packed(
            u64::from(best)
                | u64::from(score) << 24
                | u64::from(entry.depth) << 48
                | u64::from(age) << 56
                | u64::from(entry.is_pv) << 61
                | bound << 62,
        )
    }

    fn unpack<M: GameMove>(self, check: Check) -> Option<TtEntry<M>> {
        let bound = match self.0 >> 62 {
            0 => return None,
            1 => Bound::Lower,
            2 => Bound::Upper,
            _ => Bound::Exact,
        };
        let best = (self.0 & 0xFF_FFFF) as u32;
        // The upper of the 32 bits that start with the score are depth: shifting back keeps the sign.
        let score = ((self.0 >> 24) as i32) << 8 >> 8;
        Some(TtEntry {
            best: (best != 0).then(|| M::from_bits(best)),
            score: Score::from_thousandths(score),
            bound,
            depth: self.depth(),
            static_eval: check.static_eval(),
            is_pv: self.0 >> 61 & 1 == 1,
        })
    }

    fn depth(self) -> u8 {
        (self.0 >> 48) as u8
    }

    fn age(self) -> u8 {
        (self.0 >> 56) as u8 % AGES
    }

    fn is_empty(self) -> bool {
        self.0 >> 62 == 0
    }

    /// The replacement value of an entry in a search of age `now`; the entry with the least is replaced.
    fn replacement_value(self, now: u8) -> i32 {
        if self.is_empty() {
            return i32::MIN;
        }
        let searches = i32::from((AGES + now - self.age()) % AGES);
        i32::from(self.depth()) - AGE_PENALTY * searches
    }
}

impl TranspositionTable {
    /// An empty table of `megabytes` MiB, of one bucket for 0; `None` if there is not enough memory.
    pub fn new(megabytes: usize) -> Option<TranspositionTable> {
        let words = SharedWords::with_mebibytes(megabytes, WORDS * BUCKET)?;
        Some(TranspositionTable { words, age: AtomicU8::new(0) })
    }

    /// Clears the table.
    pub fn clear(&mut self) {
        self.words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        self.age = AtomicU8::new(0);
    }

    /// Begins a new search: entries of older ones are replaced first.
    pub fn new_search(&self) {
        let next = (self.age.load(Ordering::Relaxed) + 1) % AGES;
        self.age.store(next, Ordering::Relaxed);
    }

    /// Prefetches the bucket of a key, for a [`TranspositionTable::probe`] that is to come soon.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch_index(self.buckets(), self.index(key));
    }

    /// The entry stored under a key.
    #[inline]
    pub fn probe<M: GameMove>(&self, key: u64) -> Option<TtEntry<M>> {
        let (check, data) = slots(self.bucket(key)).iter().map(read).find(|(check, _)| check.is_of(key))?;
        data.unpack(check)
    }

    /// Stores an entry. Its move is kept where the new entry has none.
    #[inline]
    pub fn store<M: GameMove>(&self, key: u64, mut entry: TtEntry<M>) {
        let age = self.age.load(Ordering::Relaxed);
        let slots = slots(self.bucket(key));
        let mut place = &slots[0];
        let mut least = i32::MAX;
        for slot in slots {
            let (check, old) = read(slot);
            if check.is_of(key) && !old.is_empty() {
                let deeper = i32::from(old.depth()) > i32::from(entry.depth) + KEEP_DEEPER;
                if deeper && old.age() == age && entry.bound != Bound::Exact {
                    return;
                }
                entry.best = entry.best.or_else(|| old.unpack(check).and_then(|old: TtEntry<M>| old.best));
                place = slot;
                break;
            }
            let value = old.replacement_value(age);
            if value < least {
                least = value;
                place = slot;
            }
        }
        write(place, Check::new(key, entry.static_eval), Packed::new(entry, age));
    }

    /// How full the table is with entries of the current search, in permille.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Ordering::Relaxed);
        let sample = &self.buckets()[..self.buckets().len().min(1000 / BUCKET)];
        let entries = sample.iter().flat_map(slots).map(|slot| read(slot).1);
        let used = entries.filter(|entry| !entry.is_empty() && entry.age() == age).count();
        (used * 1000 / (sample.len() * BUCKET)) as u32
    }

    #[inline]
    fn buckets(&self) -> &[Bucket] {
        self.words.as_chunks().0
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets()[self.index(key)]
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets().len() as u128) >> 64) as usize
    }
}

#[inline]
fn slots(bucket: &Bucket) -> &[Slot] {
    bucket.as_chunks().0
}

#[inline]
fn read([check, data]: &Slot) -> (Check, Packed) {
    let data = data.load(Ordering::Relaxed);
    (Check(check.load(Ordering::Relaxed) ^ data), Packed(data))
}

#[inline]
fn write([to_check, to_data]: &Slot, check: Check, data: Packed) {
    to_check.store(check.0 ^ data.0, Ordering::Relaxed);
    to_data.store(data.0, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(super) struct Move(pub(super) u32);

    impl GameMove for Move {
        fn to_bits(self) -> u32 {
            self.0
        }

        fn from_bits(bits: u32) -> Self {
            Move(bits)
        }
    }

    pub(super) fn entry(depth: u8) -> TtEntry<Move> {
        let static_eval = Some(Score::from_value(-0.7));
        TtEntry {
            best: Some(Move(77)),
            score: Score::from_value(-1.5),
            bound: Bound::Lower,
            depth,
            static_eval,
            is_pv: true,
        }
    }

    #[test]
    fn stored_entries_are_found() {
        let table = TranspositionTable::new(1).unwrap();
        let scores = [Score::WIN, -Score::WIN, Score::DRAW, Score::MAX_EVALUATION, Score::from_value(-0.001)];
        for (key, score) in (1u64..).zip(scores) {
            for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
                for static_eval in [None, Some(score)] {
                    let best = Some(Move((1 << 24) - 1));
                    let is_pv = bound == Bound::Exact;
                    let stored = TtEntry { best, score, bound, depth: 255, static_eval, is_pv };
                    table.store(key << 35, stored);
                    assert_eq!(table.probe(key << 35), Some(stored));
                }
            }
        }
    }

    #[test]
    fn another_key_is_not_found() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(1 << 60, entry(3));
        assert_eq!(table.probe::<Move>((1 << 60) + 1), None);
        assert_eq!(table.probe::<Move>(0), None);
    }

    #[test]
    fn shallow_and_old_entries_are_replaced() {
        let table = TranspositionTable::new(1).unwrap();
        // Keys that differ in their lowest bits only share a bucket.
        for (key, depth) in (1..=4).zip([9, 2, 8, 7]) {
            table.store(key, entry(depth));
        }
        table.store(5, entry(3));
        assert_eq!(table.probe::<Move>(2), None, "the shallowest one goes");
        assert!(table.probe::<Move>(5).is_some());
        table.new_search();
        table.new_search();
        for key in 6..=8 {
            table.store(key, entry(1));
        }
        assert_eq!(
            table.probe::<Move>(3),
            None,
            "depth 8 of two searches ago is worth less than depth 1 now"
        );
        assert!(table.probe::<Move>(1).is_some(), "depth 9 is worth as much");
    }

    #[test]
    fn storing_without_a_move_keeps_the_old_one() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(1, entry(3));
        table.store(1, TtEntry { best: None, ..entry(4) });
        assert_eq!(table.probe(1), Some(entry(4)));
    }

    #[test]
    fn a_table_of_no_size_still_works() {
        let table = TranspositionTable::new(0).unwrap();
        assert_eq!(table.probe::<Move>(7), None);
        table.store(7, entry(3));
        assert_eq!(table.probe(7), Some(entry(3)));
        assert_eq!(table.hashfull(), 250, "one of four entries");
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has to have the memory")]
    fn impossible_sizes_are_refused() {
        assert!(TranspositionTable::new(usize::MAX).is_none());
        assert!(TranspositionTable::new(usize::MAX >> 21).is_none());
    }
}

/// The protocol of the table in all orders of the threads' steps, see `make loom`.
#[cfg(all(test, loom))]
mod orders {
    use loom::sync::Arc;
    use loom::thread;

    use super::tests::{Move, entry};
    use super::*;
    use crate::sync::in_all_orders;

    /// Two entries that share neither of their words.
    fn entries() -> [TtEntry<Move>; 2] {
        [entry(3), TtEntry { best: Some(Move(5)), static_eval: None, is_pv: false, ..entry(9) }]
    }

    #[test]
    fn an_entry_is_read_whole_or_not_at_all() {
        in_all_orders(3, || {
            let table = Arc::new(TranspositionTable::new(0).unwrap());
            let writers = entries().map(|entry| {
                let table = Arc::clone(&table);
                thread::spawn(move || {
                    let slot = &slots(table.bucket(1))[0];
                    write(slot, Check::new(1, entry.static_eval), Packed::new(entry, 0));
                })
            });
            let read = table.probe::<Move>(1);
            writers.into_iter().for_each(|writer| writer.join().unwrap());
            for read in [read, table.probe(1)].into_iter().flatten() {
                assert!(entries().contains(&read), "{read:?}");
            }
        });
    }

    #[test]
    fn no_key_gets_the_entry_of_another_one() {
        in_all_orders(2, || {
            let table = Arc::new(TranspositionTable::new(0).unwrap());
            let [one, other] = entries();
            let writer = {
                let table = Arc::clone(&table);
                thread::spawn(move || table.store(1, one))
            };
            table.store(2, other);
            let expected = [(1, one), (2, other)];
            let check = || {
                for (key, entry) in expected {
                    assert!(table.probe(key).is_none_or(|read: TtEntry<Move>| read == entry));
                }
            };
            check();
            writer.join().unwrap();
            check();
        });
    }
}
