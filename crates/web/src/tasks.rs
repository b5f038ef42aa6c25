//! The background tasks of a session: its searches, on threads for blocking work, and its clock.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, sleep, sleep_until};

use labrys_core::clock::Instant;
use labrys_session::{Jobs, SearchRunner, Session};

/// Limits the concurrent searches of the server; others wait. Analyses, which run until they are stopped,
/// have slots of their own, so that they do not block moves.
#[derive(Clone)]
pub(super) struct Slots {
    moves: Arc<Semaphore>,
    analyses: Arc<Semaphore>,
}

impl Slots {
    /// The same number of slots of each kind.
    pub(super) fn new(searches: usize) -> Slots {
        let slots = || Arc::new(Semaphore::new(searches));
        Slots { moves: slots(), analyses: slots() }
    }
}

/// The time after which an idle session without a connection frees its engines.
pub(super) const IDLE: Duration = Duration::from_secs(20);

/// Runs the jobs of a session until it is dropped. Stops an analysis when the last browser disconnects. Keeps
/// engines for the next search until the session has been idle for a time, [`IDLE`].
pub(super) async fn search(session: Weak<Session>, mut jobs: Jobs, slots: Slots, idle: Duration) {
    let mut runner = SearchRunner::default();
    loop {
        let changed = tokio::select! {
            changed = jobs.changed() => changed,
            () = sleep(idle) => {
                let Some(session) = session.upgrade() else { return };
                free_idle(&mut runner, &session);
                continue;
            }
        };
        if changed.is_err() {
            return;
        }
        let Some(job) = jobs.borrow_and_update().clone() else { continue };
        let slots = if job.is_endless() { &slots.analyses } else { &slots.moves };
        let slot = tokio::select! {
            slot = slots.clone().acquire_owned() => slot.expect("the semaphore is never closed"),
            // Another job may have to wait less.
            changed = jobs.changed() => {
                if changed.is_err() {
                    return;
                }
                jobs.mark_changed();
                continue;
            }
        };
        if job.is_stopped() {
            continue;
        }
        let (task, listener) = (job.clone(), session.clone());
        let searched = spawn_blocking(move || {
            let _slot = slot;
            let best = runner.run(&task, &mut |found| {
                let Some(session) = listener.upgrade() else { return };
                session.on_progress(&task, found);
                if task.is_endless() && !session.has_listeners() {
                    task.stop();
                }
            });
            (runner, best)
        });
        let best;
        (runner, best) = searched.await.unwrap_or_else(|error| {
            // The search has panicked, and its engines are lost.
            (SearchRunner::default(), Err(format!("the search has failed: {error}")))
        });
        let Some(session) = session.upgrade() else { return };
        session.on_finish(&job, best);
    }
}

/// Frees the engines of a session without a connection.
fn free_idle(runner: &mut SearchRunner, session: &Session) {
    if !session.has_listeners() {
        *runner = SearchRunner::default();
        session.free_engines();
    }
}

/// The time after which a running clock is saved.
pub(super) const CLOCK_INTERVAL: Duration = Duration::from_secs(5);

/// Tells a session when a player runs out of time, until it is dropped, and has it saved at an interval,
/// [`CLOCK_INTERVAL`], while a clock runs. `deadlines` are those of the running clock.
pub(super) async fn watch_clock(
    session: Weak<Session>,
    mut deadlines: watch::Receiver<Option<Instant>>,
    interval: Duration,
) {
    // Changes of the deadline do not put it off.
    let mut ticks = tokio::time::interval(interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let deadline = *deadlines.borrow_and_update();
        let changed = match deadline {
            None => deadlines.changed().await,
            Some(deadline) => tokio::select! {
                changed = deadlines.changed() => changed,
                () = sleep_until(deadline.into()) => {
                    let Some(session) = session.upgrade() else { return };
                    session.time_is_over();
                    drop(session);
                    deadlines.changed().await
                }
                _ = ticks.tick() => {
                    let Some(session) = session.upgrade() else { return };
                    session.mark_unsaved();
                    Ok(())
                }
            },
        };
        if changed.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_session::{AnyRequest, Catalogue, Role, read};
    use tokio::time::timeout;

    #[test]
    fn engines_are_kept_while_a_browser_is_connected() {
        let catalogue = Arc::new(Catalogue::new(&[]));
        let (session, mut tasks) = Session::with_default_game("x".to_owned(), catalogue).unwrap();
        let request = r#"{"do":"play","node":0,"move":"e2e4"}"#;
        let Ok(AnyRequest::Quick(request)) = read(request) else { panic!("{request}") };
        assert_eq!(session.request(Role::Owner, request), None);
        let job = tasks.jobs.borrow_and_update().clone().unwrap();
        let mut runner = SearchRunner::default();
        assert!(runner.run(&job, &mut |_| ()).unwrap().is_some());
        session.static_eval();
        let listener = session.listen();
        free_idle(&mut runner, &session);
        assert!(runner.holds_engines() && session.holds_engine());
        drop(listener);
        free_idle(&mut runner, &session);
        assert!(!runner.holds_engines() && !session.holds_engine());
    }

    #[tokio::test]
    async fn a_session_is_saved_while_its_clock_runs() {
        let catalogue = Arc::new(Catalogue::new(&[]));
        let (session, tasks) = Session::with_default_game("x".to_owned(), catalogue).unwrap();
        for request in [
            r#"{"do":"new","game":"chess","players":["person","person"],
                "clock":{"minutes":100,"increment":0}}"#,
            r#"{"do":"play","node":0,"move":"e2e4"}"#,
        ] {
            let Ok(AnyRequest::Quick(request)) = read(request) else { panic!("{request}") };
            assert_eq!(session.request(Role::Owner, request), None);
        }
        let (session, interval) = (Arc::new(session), Duration::from_millis(20));
        let first = session.take_unsaved();
        tokio::spawn(watch_clock(Arc::downgrade(&session), tasks.deadlines, interval));
        let saved = async {
            loop {
                sleep(interval).await;
                if let Some(saved) = session.take_unsaved() {
                    return saved;
                }
            }
        };
        let later = timeout(Duration::from_secs(60), saved).await.expect("it is saved");
        assert_ne!(first, Some(later), "time has passed");
    }

    #[tokio::test]
    async fn an_analysis_that_waits_does_not_keep_an_engine_from_moving() {
        let catalogue = Arc::new(Catalogue::new(&[]));
        let (session, tasks) = Session::with_default_game("x".to_owned(), catalogue).unwrap();
        let (session, slots) = (Arc::new(session), Slots::new(1));
        let _taken = slots.analyses.clone().acquire_owned().await.unwrap();
        let mut listener = session.listen();
        tokio::spawn(search(Arc::downgrade(&session), tasks.jobs, slots, IDLE));
        let ask = |request: &str| {
            let Ok(AnyRequest::Quick(request)) = read(request) else { panic!("{request}") };
            assert_eq!(session.request(Role::Owner, request), None);
        };
        ask(r#"{"do":"analyse","on":true}"#);
        tokio::task::yield_now().await;
        ask(r#"{"do":"play","node":0,"move":"e2e4"}"#);
        let answered = async {
            while !listener.game.borrow_and_update().contains("\"ply\":2") {
                listener.game.changed().await.unwrap();
            }
        };
        timeout(Duration::from_secs(60), answered).await.expect("the engine moves");
    }

    #[tokio::test]
    async fn a_session_that_idles_frees_its_engines_by_itself() {
        let catalogue = Arc::new(Catalogue::new(&[]));
        let (session, tasks) = Session::with_default_game("x".to_owned(), catalogue).unwrap();
        let session = Arc::new(session);
        session.static_eval();
        let listener = session.listen();
        let idle = Duration::from_millis(20);
        tokio::spawn(search(Arc::downgrade(&session), tasks.jobs, Slots::new(1), idle));
        sleep(5 * idle).await;
        assert!(session.holds_engine());
        drop(listener);
        let freed = async {
            while session.holds_engine() {
                sleep(idle).await;
            }
        };
        timeout(Duration::from_secs(60), freed).await.expect("the engine is freed");
    }
}
