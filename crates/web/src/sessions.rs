//! The sessions of the server.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::storage::Storage;
use super::tasks::{self, Slots};
use labrys_session::{Catalogue, Session, Tasks, random_id};

/// The maximum number of sessions. A further one replaces the least recently used one without a connection.
const MAX_SESSIONS: usize = 64;

/// The time between two checks for unsaved changes.
const SAVE_INTERVAL: Duration = Duration::from_millis(300);

/// The sessions of the server.
pub(super) struct Sessions {
    catalogue: Arc<Catalogue>,
    /// The most recently used last.
    all: Mutex<Vec<Arc<Session>>>,
    /// The slots for searches.
    slots: Slots,
    /// The folder for sessions, if they are saved.
    storage: Option<Storage>,
}

impl Sessions {
    /// Loads the saved sessions; `searches` is the maximum of concurrent ones. Must be called on a task of
    /// the server.
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
        let known = sessions
            .storage
            .as_ref()
            .map(|storage| storage.load(MAX_SESSIONS, &sessions.catalogue))
            .transpose()?;
        for (name, state) in known.into_iter().flatten() {
            let session = sessions.start(Session::new(name, sessions.catalogue.clone(), state));
            sessions.all().push(session);
        }
        Ok(sessions)
    }

    /// The session with an id, or a new one if there is none; `None` if there are too many. Must be called on
    /// a task of the server.
    pub(super) fn join(&self, id: &str) -> Option<Arc<Session>> {
        let mut all = self.all();
        if let Some(session) = use_first(&mut all, |session| session.id == id) {
            return Some(session);
        }
        if all.len() >= MAX_SESSIONS {
            let idle = all.iter().position(|session| !session.has_listeners())?;
            let idle = all.remove(idle);
            if let Some(storage) = &self.storage {
                storage.remove(&idle.id);
            }
        }
        let created = Session::with_default_game(random_id(), self.catalogue.clone());
        let created = created.inspect_err(|error| log::error!("no new session: {error}")).ok()?;
        let session = self.start(created);
        all.push(session.clone());
        Some(session)
    }

    /// The games, levels and engines on offer.
    pub(super) fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.catalogue)
    }

    /// The session that has a seat with this token.
    pub(super) fn with_seat(&self, token: &str) -> Option<Arc<Session>> {
        use_first(&mut self.all(), |session| session.role(Some(token)).is_some())
    }

    /// Marks a session as used until now, as when a connection ends.
    pub(super) fn mark_used(&self, session: &Arc<Session>) {
        use_first(&mut self.all(), |other| other.id == session.id);
    }

    fn all(&self) -> MutexGuard<'_, Vec<Arc<Session>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Saves changed sessions periodically until the sessions are dropped.
    pub(super) async fn keep_saving(sessions: Weak<Self>) {
        let mut failing = Vec::new();
        loop {
            sleep(SAVE_INTERVAL).await;
            let Some(sessions) = sessions.upgrade() else { return };
            if sessions.storage.is_none() {
                return;
            }
            // After a panic, sessions are saved again when they next change.
            failing = spawn_blocking(move || sessions.save(&failing)).await.unwrap_or_default();
        }
    }

    /// Saves changed sessions. Returns the ids of those that cannot be written, which is tried again at the
    /// next call; the errors of those that are `failing` already are not logged again.
    fn save(&self, failing: &[String]) -> Vec<String> {
        let Some(storage) = &self.storage else { return Vec::new() };
        let (all, mut failed) = (self.all().clone(), Vec::new());
        for session in all {
            if let Some(changed) = session.take_unsaved()
                && let Err(error) = storage.write(&session.id, &changed)
            {
                session.mark_unsaved();
                if !failing.contains(&session.id) {
                    log::error!("{}: {error}", storage.path(&session.id).display());
                }
                failed.push(session.id.clone());
            }
        }
        failed
    }

    /// Starts the tasks of a session.
    fn start(&self, (session, tasks): (Session, Tasks)) -> Arc<Session> {
        let session = Arc::new(session);
        let slots = self.slots.clone();
        tokio::spawn(tasks::search(Arc::downgrade(&session), tasks.jobs, slots, tasks::IDLE));
        tokio::spawn(tasks::watch_clock(Arc::downgrade(&session), tasks.deadlines, tasks::CLOCK_INTERVAL));
        session
    }
}

/// Moves the first session that `is_meant` to the end of the list, to the most recently used ones.
fn use_first(all: &mut Vec<Arc<Session>>, is_meant: impl Fn(&Session) -> bool) -> Option<Arc<Session>> {
    let index = all.iter().position(|session| is_meant(session))?;
    let session = all.remove(index);
    all.push(session.clone());
    Some(session)
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_session::{AnyRequest, Role, read};
    use std::fs;

    #[tokio::test]
    async fn a_session_that_cannot_be_written_is_written_later() {
        let folder = tempfile::tempdir().unwrap();
        let storage = Storage::open(folder.path()).unwrap();
        let sessions = Sessions::new(1, Arc::new(Catalogue::new(&[])), Some(storage.clone())).unwrap();
        let session = sessions.join("").unwrap();
        let request = r#"{"do":"record","tags":{"White":"Ann"}}"#;
        let Ok(AnyRequest::Quick(request)) = read(request) else { panic!("{request}") };
        assert_eq!(session.request(Role::Owner, request), None);
        let path = storage.path(&session.id);
        fs::create_dir(&path).unwrap();
        let failing = sessions.save(&[]);
        assert_eq!(failing, [&*session.id]);
        assert_eq!(sessions.save(&failing), failing, "it is tried again");
        fs::remove_dir(&path).unwrap();
        assert_eq!(sessions.save(&failing), [""; 0]);
        assert!(fs::read_to_string(&path).unwrap().contains("Ann"));
    }
}
