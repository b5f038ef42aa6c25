//! The sessions of the server.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::storage::Storage;
use super::tasks::{self, Slots};
use labrys_session::{Catalogue, Session, Tasks};

/// Sessions at a time. Where there are as many, a new one takes the place of the one that was used least
/// recently and that nobody is connected to.
const MOST: usize = 64;

/// Time between two savings.
const SAVE_INTERVAL: Duration = Duration::from_millis(300);

/// The sessions of the server.
pub(super) struct Sessions {
    catalogue: Arc<Catalogue>,
    /// The most recently used last.
    all: Mutex<Vec<Arc<Session>>>,
    /// What a search needs one of.
    slots: Slots,
    /// Where sessions are saved, if they are.
    storage: Option<Storage>,
}

impl Sessions {
    /// The sessions that were saved; `searches` may run at a time. Has to be called on a task of the server.
    ///
    /// # Errors
    /// If the saved sessions cannot be listed.
    pub(super) fn new(
        searches: usize,
        catalogue: Arc<Catalogue>,
        storage: Option<Storage>,
    ) -> io::Result<Sessions> {
        let sessions =
            Sessions { catalogue, all: Mutex::new(Vec::new()), slots: Slots::new(searches), storage };
        let known =
            sessions.storage.as_ref().map(|storage| storage.load(MOST, &sessions.catalogue)).transpose()?;
        for (name, state) in known.into_iter().flatten() {
            let session = sessions.start(Session::new(name, sessions.catalogue.clone(), state));
            sessions.all().push(session);
        }
        Ok(sessions)
    }

    /// The session with an id, or a new one if there is none; `None` if there are too many. Has to be called
    /// on a task of the server.
    pub(super) fn enter(&self, id: &str) -> Option<Arc<Session>> {
        let mut all = self.all();
        if let Some(index) = all.iter().position(|session| session.id == id) {
            let session = all.remove(index);
            all.push(session.clone());
            return Some(session);
        }
        if all.len() >= MOST {
            let idle = all.iter().position(|session| !session.is_in_use())?;
            let idle = all.remove(idle);
            if let Some(storage) = &self.storage {
                storage.remove(&idle.id);
            }
        }
        let created = Session::fresh(random_name(), self.catalogue.clone());
        let created = created.inspect_err(|error| log::error!("no new session: {error}")).ok()?;
        let session = self.start(created);
        all.push(session.clone());
        Some(session)
    }

    fn all(&self) -> MutexGuard<'_, Vec<Arc<Session>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Saves the sessions that have changed, again and again, until the sessions are dropped.
    pub(super) async fn keep_saving(sessions: Weak<Self>) {
        loop {
            sleep(SAVE_INTERVAL).await;
            let Some(sessions) = sessions.upgrade() else { return };
            if sessions.storage.is_none() {
                return;
            }
            // A failed task is tried again with the next change.
            let _ = spawn_blocking(move || sessions.save()).await;
        }
    }

    fn save(&self) {
        let Some(storage) = &self.storage else { return };
        let all = self.all().clone();
        for session in all {
            if let Some(changed) = session.take_changes() {
                storage.write(&session.id, &changed);
            }
        }
    }

    /// Starts the tasks of a session.
    fn start(&self, (session, tasks): (Session, Tasks)) -> Arc<Session> {
        let session = Arc::new(session);
        tokio::spawn(tasks::search(Arc::downgrade(&session), tasks.jobs, self.slots.clone()));
        tokio::spawn(tasks::watch_clock(Arc::downgrade(&session), tasks.deadlines));
        session
    }
}

/// A name that nobody can guess.
pub(super) fn random_name() -> String {
    format!("{:032x}", rand::random::<u128>())
}
