//! A pool of worker threads. Without the feature `threads`, all work is done on the thread of the caller.

use std::ops::Range;
#[cfg(has_threads)]
use std::sync::{Mutex, PoisonError, mpsc};
#[cfg(has_threads)]
use std::thread;

/// Runs `job` on each task, with one thread for each worker. Tasks are handed out one by one, in order.
/// `take` is called on this thread with each result as it arrives, in no particular order. A job that returns
/// `None` stops its worker.
pub fn run<W: Send, T: Send, R: Send>(
    workers: impl IntoIterator<Item = W>,
    tasks: impl IntoIterator<Item = T, IntoIter: Send>,
    job: impl Fn(&mut W, T) -> Option<R> + Sync,
    take: impl FnMut(R),
) {
    #[cfg(has_threads)]
    run_on_threads(workers, tasks, job, take);
    #[cfg(not(has_threads))]
    run_here(workers, tasks, job, take);
}

#[cfg(has_threads)]
fn run_on_threads<W: Send, T: Send, R: Send>(
    workers: impl IntoIterator<Item = W>,
    tasks: impl IntoIterator<Item = T, IntoIter: Send>,
    job: impl Fn(&mut W, T) -> Option<R> + Sync,
    mut take: impl FnMut(R),
) {
    let tasks = Mutex::new(tasks.into_iter());
    let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for mut worker in workers {
            let (sender, next, job) = (sender.clone(), &next, &job);
            // Boxed, so that the code that starts a thread is compiled once.
            let work: Box<dyn FnOnce() + Send> = Box::new(move || {
                while let Some(result) = next().and_then(|task| job(&mut worker, task)) {
                    if sender.send(result).is_err() {
                        break;
                    }
                }
            });
            scope.spawn(work);
        }
        drop(sender);
        results.into_iter().for_each(&mut take);
    });
}

/// The same on this thread: when a worker stops, the next one continues.
#[cfg(any(test, not(has_threads)))]
fn run_here<W, T, R>(
    workers: impl IntoIterator<Item = W>,
    tasks: impl IntoIterator<Item = T>,
    job: impl Fn(&mut W, T) -> Option<R>,
    mut take: impl FnMut(R),
) {
    let mut tasks = tasks.into_iter().fuse();
    for mut worker in workers {
        while let Some(result) = tasks.next().and_then(|task| job(&mut worker, task)) {
            take(result);
        }
    }
}

/// Runs `job` on each number, with one thread for each worker, and returns the results in the order of the
/// numbers; `None` if any job returns `None`.
pub fn in_order<W: Send, R: Send>(
    workers: &mut [W],
    numbers: Range<u64>,
    job: impl Fn(&mut W, u64) -> Option<R> + Sync,
) -> Option<Vec<R>> {
    in_order_with(workers, numbers, job, |_| ())
}

/// The same; `each` is called on this thread with each result as it arrives.
pub fn in_order_with<W: Send, R: Send>(
    workers: &mut [W],
    numbers: Range<u64>,
    job: impl Fn(&mut W, u64) -> Option<R> + Sync,
    mut each: impl FnMut(&R),
) -> Option<Vec<R>> {
    let mut results: Vec<Option<R>> = numbers.clone().map(|_| None).collect();
    let first = numbers.start;
    let job = |worker: &mut &mut W, number| Some((number, job(worker, number)?));
    run(workers.iter_mut(), numbers, job, |(number, result)| {
        each(&result);
        results[(number - first) as usize] = Some(result);
    });
    results.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_runs_once() {
        let mut workers = [0; 3];
        let mut results = Vec::new();
        let job = |worker: &mut &mut u64, task: u64| {
            **worker += 1;
            Some(task * task)
        };
        run(workers.iter_mut(), 0..100, job, |result| results.push(result));
        results.sort_unstable();
        assert_eq!(results, (0..100).map(|task| task * task).collect::<Vec<_>>());
        assert_eq!(workers.iter().sum::<u64>(), 100);
    }

    #[test]
    fn a_worker_without_a_result_stops() {
        let mut results = Vec::new();
        run([()], 0.., |(), task| (task < 5).then_some(task), |result| results.push(result));
        assert_eq!(results, [0, 1, 2, 3, 4], "though there is always a next task");
        run([(); 0], 0..5, |(), task| Some(task), |_| panic!("there are no workers"));
    }
    #[test]
    fn without_threads_the_next_worker_goes_on() {
        let mut results = Vec::new();
        let job = |worker: &mut char, task| (task != 2 && task < 5).then_some((*worker, task));
        run_here(['a', 'b'], 0.., job, |result| results.push(result));
        assert_eq!(results, [('a', 0), ('a', 1), ('b', 3), ('b', 4)]);
    }
}
