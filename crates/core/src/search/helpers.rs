//! The threads that help the first one of a search. They start while that one is searching already, and not
//! all at once: more threads than processors would keep each other from ever being ready.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};

use super::limits::Deadline;

/// What helping threads are to do, as far as they have not begun. A job calls its argument when it is ready to
/// search: then the next thread starts.
pub(super) struct Helpers<J>(Mutex<Vec<J>>);

impl<J: FnOnce(&dyn Fn()) + Send> Helpers<J> {
    /// Threads with these jobs.
    pub(super) fn new(jobs: impl IntoIterator<Item = J>) -> Helpers<J> {
        Helpers(Mutex::new(jobs.into_iter().collect()))
    }

    /// Starts them, as many at a time as there are processors. None starts after the end of the search.
    pub(super) fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        deadline: &'scope Deadline<'scope>,
    ) {
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
        // The search goes on with the threads that the system allows.
        if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
            log::warn!("no thread to help with the search: {error}");
            self.lock().clear();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<J>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    use super::*;
    use crate::search::limits::{Control, TimeManager};

    /// How many of 50 threads run, and how many of them get ready at the same time at most.
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
        let helpers = Helpers::new(vec![&job; 50]);
        thread::scope(|scope| helpers.start(scope, &deadline));
        (all.into_inner(), most.into_inner())
    }

    #[test]
    fn threads_start_a_few_at_a_time_and_not_after_the_end() {
        let (all, most) = run(false);
        assert_eq!(all, 50);
        assert!(most <= thread::available_parallelism().map_or(1, usize::from), "{most}");
        assert_eq!(run(true), (0, 0));
    }
}
