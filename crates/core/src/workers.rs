//! The threads of a browser, where the standard library cannot start any: workers that share the memory of
//! the program, and serve as a pool from before the first search on. A worker that computes starts no others.
//!
//! One worker [prepares](prepare) the pool, and searches. Each of the others [serves](serve) it.

use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// The pool, whose threads help with searches.
static POOL: OnceLock<ThreadPool> = OnceLock::new();

/// The threads of the pool that no worker serves yet.
static UNSERVED: Mutex<Vec<ThreadBuilder>> = Mutex::new(Vec::new());

/// Prepares for this many workers, each of which then has to call [`serve`]: a search waits for its helpers.
///
/// # Errors
/// If the pool cannot be built.
pub fn prepare(workers: usize) -> Result<(), ThreadPoolBuildError> {
    if workers == 0 || POOL.get().is_some() {
        return Ok(());
    }
    let keep = |thread| {
        unserved().push(thread);
        Ok(())
    };
    let pool = ThreadPoolBuilder::new().num_threads(workers).spawn_handler(keep).build()?;
    // There is a single caller.
    let _ = POOL.set(pool);
    Ok(())
}

/// Serves as a thread of the pool, for ever. Returns if all threads are served.
pub fn serve() {
    let thread = unserved().pop();
    if let Some(thread) = thread {
        thread.run();
    }
}

fn unserved() -> std::sync::MutexGuard<'static, Vec<ThreadBuilder>> {
    UNSERVED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` on this thread and `jobs` on the pool, until all have ended. Without a pool no job runs.
pub(crate) fn with_helpers<J: FnOnce() + Send, R>(
    jobs: impl IntoIterator<Item = J>,
    work: impl FnOnce() -> R,
) -> R {
    let Some(pool) = POOL.get() else { return work() };
    pool.in_place_scope(|scope| {
        for job in jobs {
            scope.spawn(|_| job());
        }
        work()
    })
}
