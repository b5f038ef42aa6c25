//! The tasks of a session: its searches, on threads for blocking work, and its clock.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, sleep_until};

use labrys_core::clock::Instant;
use labrys_session::{Jobs, Session, Thinker};

/// The searches that a server makes at a time; others wait for their turn. Analyses, which have no end, keep
/// no move waiting.
#[derive(Clone)]
pub(super) struct Slots {
    moves: Arc<Semaphore>,
    analyses: Arc<Semaphore>,
}

impl Slots {
    /// This many of each kind.
    pub(super) fn new(searches: usize) -> Slots {
        let slots = || Arc::new(Semaphore::new(searches));
        Slots { moves: slots(), analyses: slots() }
    }
}

/// The time after which a session that nobody is connected to and that searches nothing frees its engines.
const IDLE: Duration = Duration::from_secs(20);

/// Runs the jobs of a session until it is dropped. An analysis that nobody looks at any more ends. Engines
/// are kept for the next search, but not for a browser that has gone.
pub(super) async fn search(session: Weak<Session>, mut jobs: Jobs, slots: Slots) {
    let mut thinker = Thinker::default();
    loop {
        let changed = tokio::select! {
            changed = jobs.changed() => changed,
            () = sleep(IDLE) => {
                let Some(session) = session.upgrade() else { return };
                free_idle(&mut thinker, &session);
                continue;
            }
        };
        if changed.is_err() {
            return;
        }
        let Some(job) = jobs.borrow_and_update().clone() else { continue };
        let slots = if job.is_endless() { &slots.analyses } else { &slots.moves };
        // The semaphore is never closed.
        let Ok(slot) = slots.clone().acquire_owned().await else { return };
        if job.is_stopped() {
            continue;
        }
        let (task, listener) = (job.clone(), session.clone());
        let searched = spawn_blocking(move || {
            let _slot = slot;
            let best = thinker.run(&task, &mut |found| {
                let Some(session) = listener.upgrade() else { return };
                session.searched(&task, found);
                if task.is_endless() && !session.is_in_use() {
                    task.stop();
                }
            });
            (thinker, best)
        });
        let best;
        (thinker, best) = searched.await.unwrap_or_else(|error| {
            // Its engines are lost.
            (Thinker::default(), Err(format!("the search has failed: {error}")))
        });
        let Some(session) = session.upgrade() else { return };
        session.finished(&job, best);
    }
}

/// Frees the engines of a session that nobody is connected to. The next search makes new ones.
fn free_idle(thinker: &mut Thinker, session: &Session) {
    if !session.is_in_use() {
        *thinker = Thinker::default();
        session.free_engines();
    }
}

/// Tells a session when the time of a player is over, until it is dropped. `deadlines` are those of the
/// player whose clock runs.
pub(super) async fn watch_clock(session: Weak<Session>, mut deadlines: watch::Receiver<Option<Instant>>) {
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
    use labrys_session::{AnyRequest, Catalogue, read};

    #[test]
    fn engines_are_kept_while_somebody_is_there() {
        let catalogue = Arc::new(Catalogue::new(&[]));
        let (session, mut tasks) = Session::fresh("x".to_owned(), catalogue).unwrap();
        let request = r#"{"do":"play","node":0,"move":"e2e4"}"#;
        let Ok(AnyRequest::Quick(request)) = read(request) else { panic!("{request}") };
        assert_eq!(session.request(request), None);
        let job = tasks.jobs.borrow_and_update().clone().unwrap();
        let mut thinker = Thinker::default();
        assert!(thinker.run(&job, &mut |_| ()).unwrap().is_some());
        session.static_eval();
        let listener = session.listen();
        free_idle(&mut thinker, &session);
        assert!(thinker.holds_engines() && session.holds_engine());
        drop(listener);
        free_idle(&mut thinker, &session);
        assert!(!thinker.holds_engines() && !session.holds_engine());
    }
}
