//! The threads of a search: helper threads, and the state that they share besides the transposition table.

use std::collections::VecDeque;
#[cfg(has_threads)]
use std::thread::{self, Scope};

use super::limits::Deadline;
use super::root::RootMove;
use crate::eval::Score;
use crate::game::{Game, GameMove, mixed};
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering, PoisonError};

/// Runs `work` on this thread, and each of `jobs` on a helper thread. A job calls its argument when it is
/// ready to search: then the next thread starts. Returns when all have ended.
#[cfg(has_threads)]
pub(super) fn with_helpers<J: FnOnce(&dyn Fn()) + Send, R>(
    jobs: impl IntoIterator<Item = J>,
    deadline: &Deadline,
    work: impl FnOnce() -> R,
) -> R {
    let jobs = jobs.into_iter().map(|job| Box::new(job) as Job);
    let helpers = Helpers(Mutex::new(jobs.collect()));
    thread::scope(|scope| {
        helpers.start(scope, deadline);
        work()
    })
}

/// Runs `work` on this thread, and each of `jobs` on a worker of the browser.
#[cfg(has_workers)]
pub(super) fn with_helpers<J: FnOnce(&dyn Fn()) + Send, R>(
    jobs: impl IntoIterator<Item = J>,
    deadline: &Deadline,
    work: impl FnOnce() -> R,
) -> R {
    let start = |job: J| {
        move || {
            if !deadline.is_over() {
                job(&|| ());
            }
        }
    };
    crate::workers::with_helpers(jobs.into_iter().map(start), work)
}

/// Runs `work` without helper threads.
#[cfg(not(any(has_threads, has_workers)))]
pub(super) fn with_helpers<J: FnOnce(&dyn Fn()) + Send, R>(
    _jobs: impl IntoIterator<Item = J>,
    _deadline: &Deadline,
    work: impl FnOnce() -> R,
) -> R {
    work()
}

/// The jobs of helper threads that have not started. They start while the first thread searches, and a few at
/// a time: more threads than processors would slow each other down.
#[cfg(has_threads)]
struct Helpers<'a>(Mutex<Vec<Job<'a>>>);

/// The job of a helper thread. Boxed, so that the code that starts it is compiled once.
#[cfg(has_threads)]
type Job<'a> = Box<dyn FnOnce(&dyn Fn()) + Send + 'a>;

#[cfg(has_threads)]
impl<'a> Helpers<'a> {
    /// Starts them, as many at a time as there are processors. None starts after the end of the search.
    fn start<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, deadline: &'scope Deadline<'scope>) {
        if self.lock().is_empty() {
            return;
        }
        let at_a_time = thread::available_parallelism().map_or(1, usize::from);
        (0..at_a_time).for_each(|_| self.start_next(scope, deadline));
    }

    fn start_next<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        deadline: &'scope Deadline<'scope>,
    ) {
        if deadline.is_over() {
            return;
        }
        let Some(job) = self.lock().pop() else { return };
        let work = move || {
            if !deadline.is_over() {
                job(&|| self.start_next(scope, deadline));
            }
        };
        // The search continues with the threads that the system allows.
        if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
            log::warn!("no thread to help with the search: {error}");
            self.lock().clear();
        }
    }

    fn lock(&self) -> crate::sync::MutexGuard<'_, Vec<Job<'a>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state that the threads of a search share besides the transposition table.
pub(super) struct SharedState<'a, M> {
    /// When the search ends, and whether it has.
    pub(super) deadline: Deadline<'a>,
    /// Positions that the threads have found in endgame tables.
    pub(super) tbhits: AtomicU64,
    /// The most plies that threads have reached in the iteration.
    pub(super) seldepth: AtomicUsize,
    /// The moves that threads are searching; `None` with a single thread.
    busy: Option<BusyTable>,
    /// Threads of the search.
    threads: usize,
    /// Searches of the root that a thread has finished, with several threads. All threads search it to the
    /// same depths within the same windows, one after the other.
    finished: AtomicUsize,
    /// The results of the last of them that not all threads have taken.
    results: Mutex<VecDeque<RootResult<M>>>,
}

/// The result of a search of the root.
struct RootResult<M> {
    score: Score,
    /// The root moves as it left them.
    moves: Vec<RootMove<M>>,
    /// Threads that have not yet taken it.
    waiting: usize,
}

impl<'a, M: GameMove> SharedState<'a, M> {
    /// The state of a search on `threads` threads that ends with `deadline`.
    pub(super) fn new(deadline: Deadline<'a>, threads: usize) -> SharedState<'a, M> {
        SharedState {
            deadline,
            tbhits: AtomicU64::new(0),
            seldepth: AtomicUsize::new(0),
            busy: (threads > 1).then(BusyTable::new),
            threads,
            finished: AtomicUsize::new(0),
            results: Mutex::new(VecDeque::new()),
        }
    }

    /// Whether there are several threads.
    pub(super) fn is_shared(&self) -> bool {
        self.busy.is_some()
    }

    /// The entry of the busy table for a move of a position, if there are several threads.
    #[inline]
    pub(super) fn busy_entry<G: Game<Move = M>>(&self, position: &G, mv: M) -> Option<BusyEntry<'_>> {
        self.busy.as_ref().map(|busy| busy.entry(position, mv))
    }

    /// Whether a thread has finished the search of the root of this number, from 0 on.
    pub(super) fn has_finished(&self, number: usize) -> bool {
        self.finished.load(Ordering::Relaxed) > number
    }

    /// Ends the search of the root of this number, from 0 on: the first thread to do so stores its score and
    /// its root moves; the others take them. Returns that score.
    pub(super) fn finish_root(&self, number: usize, score: Score, moves: &mut Vec<RootMove<M>>) -> Score {
        if !self.is_shared() {
            return score;
        }
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let finished = self.finished.load(Ordering::Relaxed);
        if finished == number {
            results.push_back(RootResult { score, moves: moves.clone(), waiting: self.threads - 1 });
            self.finished.store(number + 1, Ordering::Relaxed);
            return score;
        }
        let index = results.len() - (finished - number);
        let result = &mut results[index];
        moves.clone_from(&result.moves);
        let score = result.score;
        result.waiting -= 1;
        if result.waiting == 0 {
            // All threads have taken those before, too.
            results.drain(..=index);
        }
        score
    }
}

/// Entries of a [`BusyTable`]; a power of two.
const BUSY_ENTRIES: usize = 1 << 15;

/// Which moves are being searched by some thread, so that others can defer them: simplified ABDADA (T.
/// Kerrigan, "Simplified ABDADA", 2013). An entry holds the key of a position and a move; a collision
/// overwrites it.
struct BusyTable(Vec<AtomicU64>);

impl BusyTable {
    fn new() -> BusyTable {
        BusyTable(std::iter::repeat_with(|| AtomicU64::new(0)).take(BUSY_ENTRIES).collect())
    }

    fn entry<G: Game>(&self, position: &G, mv: G::Move) -> BusyEntry<'_> {
        let key = mixed(position.table_key() ^ u64::from(mv.to_bits()));
        BusyEntry { entry: &self.0[key as usize % BUSY_ENTRIES], key }
    }
}

/// An entry of the busy table, for one move of one position.
#[derive(Clone, Copy)]
pub(super) struct BusyEntry<'a> {
    entry: &'a AtomicU64,
    key: u64,
}

impl BusyEntry<'_> {
    /// Whether a thread is searching the move.
    pub(super) fn is_busy(self) -> bool {
        self.entry.load(Ordering::Relaxed) == self.key
    }

    /// Marks the move: its search begins.
    pub(super) fn mark(self) {
        self.entry.store(self.key, Ordering::Relaxed);
    }

    /// Unmarks the move: its search has ended.
    pub(super) fn unmark(self) {
        if self.is_busy() {
            self.entry.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::Instant;

    use super::*;
    use crate::game::Game;
    use crate::game::chess::Chess;
    use crate::search::limits::{Control, TimeManager};
    use crate::search::root::Root;

    #[test]
    fn all_threads_take_the_results_of_the_first_one_to_finish() {
        let moves = Chess::start().moves();
        let (control, thread) = (Control::default(), Root::new(moves));
        let deadline = Deadline::new(&control, Instant::now(), TimeManager::default());
        let shared = SharedState::new(deadline, 3);
        // The results of two of the threads in two searches of the root.
        let finish = |number: usize, thousandths: i32| {
            let mut root = thread.clone();
            root.moves[number].score = Score::from_thousandths(thousandths);
            root.sort();
            let score = shared.finish_root(number, root.moves[0].score, &mut root.moves);
            (score.to_thousandths(), root.moves[0].score.to_thousandths(), root.moves[0].mv)
        };
        let [first, second] = [0, 1].map(|number| thread.moves[number].mv);
        assert!(!shared.has_finished(0));
        assert_eq!(finish(0, 10), (10, 10, first));
        assert!(shared.has_finished(0) && !shared.has_finished(1));
        assert_eq!(finish(0, 20), (10, 10, first));
        assert_eq!(finish(1, 30), (30, 30, second));
        // The third thread is late. It gets both results.
        assert_eq!(finish(0, 40), (10, 10, first));
        assert_eq!(finish(1, 50), (30, 30, second));
        assert_eq!(finish(1, 60), (30, 30, second));
        assert!(shared.results.lock().unwrap().is_empty());
    }

    /// How many of 50 threads run, and how many start at the same time at most.
    #[cfg(has_threads)]
    fn run(is_over: bool) -> (usize, usize) {
        let control = Control::default();
        let deadline = Deadline::new(&control, Instant::now(), TimeManager::default());
        if is_over {
            deadline.end();
        }
        let [all, unready, most] = [(); 3].map(|()| AtomicUsize::new(0));
        let job = |is_ready: &dyn Fn()| {
            all.fetch_add(1, Ordering::SeqCst);
            most.fetch_max(unready.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::yield_now();
            unready.fetch_sub(1, Ordering::SeqCst);
            is_ready();
        };
        with_helpers(vec![&job; 50], &deadline, || ());
        (all.into_inner(), most.into_inner())
    }

    #[cfg(has_threads)]
    #[test]
    fn threads_start_a_few_at_a_time_and_not_after_the_end() {
        let (all, most) = run(false);
        assert_eq!(all, 50);
        assert!(most <= thread::available_parallelism().map_or(1, usize::from), "{most}");
        assert_eq!(run(true), (0, 0));
    }
}

/// What threads share in all orders of their steps, see `make loom`.
#[cfg(all(test, loom))]
mod orders {
    use loom::thread;

    use super::*;
    use crate::clock::Instant;
    use crate::game::neighbours::Neighbours;
    use crate::search::limits::{Control, TimeManager};
    use crate::search::root::Root;
    use crate::sync::in_all_orders;

    type Move = <Neighbours as Game>::Move;

    /// What threads share, for the rest of the program: threads of loom borrow nothing.
    fn shared(threads: usize) -> &'static SharedState<'static, Move> {
        let control = Box::leak(Box::default());
        let deadline = Deadline::new(control as &Control, Instant::now(), TimeManager::default());
        Box::leak(Box::new(SharedState::new(deadline, threads)))
    }

    #[test]
    fn all_threads_have_the_same_results_of_the_root() {
        in_all_orders(3, || {
            let shared = shared(2);
            let search = |own: i32| {
                let mut root = Root::<Move>::new([]);
                [0, 1].map(|number| {
                    let is_finished = shared.has_finished(number);
                    let own = Score::from_thousandths(own);
                    let score = shared.finish_root(number, own, &mut root.moves);
                    assert!(shared.has_finished(number) && (!is_finished || score != own));
                    score
                })
            };
            let other = thread::spawn(move || search(10));
            assert_eq!(search(20), other.join().unwrap());
            assert!(shared.results.lock().unwrap().is_empty(), "nobody waits for them");
        });
    }
}
