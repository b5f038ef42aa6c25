//! The sessions of the server.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use super::catalogue::Offer;
use super::session::Session;
use super::thinker;

/// Sessions at a time. Where there are as many, a new one takes the place of the one that was used least
/// recently and that nobody is connected to.
const MOST: usize = 64;

/// The sessions of the server.
pub(super) struct Sessions {
    offers: Arc<Vec<Offer>>,
    /// The most recently used last.
    all: Mutex<Vec<Arc<Session>>>,
    /// What a search needs one of.
    slots: Arc<Semaphore>,
}

impl Sessions {
    /// No sessions yet; `searches` may run at a time.
    pub(super) fn new(searches: usize) -> Sessions {
        Sessions {
            offers: Arc::new(Offer::all()),
            all: Mutex::new(Vec::new()),
            slots: Arc::new(Semaphore::new(searches)),
        }
    }

    /// The session with an id, or a new one if there is none; `None` if there are too many. Has to be called
    /// on a task of the server.
    pub(super) fn enter(&self, id: &str) -> Option<Arc<Session>> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = all.iter().position(|session| session.id == id) {
            let session = all.remove(index);
            all.push(session.clone());
            return Some(session);
        }
        if all.len() >= MOST {
            let idle = all.iter().position(|session| !session.is_in_use())?;
            all.remove(idle);
        }
        let created = Session::new(random_name(), self.offers.clone());
        let (session, jobs) = created.inspect_err(|error| log::error!("no new session: {error}")).ok()?;
        let session = Arc::new(session);
        tokio::spawn(thinker::run(Arc::downgrade(&session), jobs, self.slots.clone()));
        all.push(session.clone());
        Some(session)
    }
}

/// A name that nobody can guess.
pub(super) fn random_name() -> String {
    format!("{:032x}", rand::random::<u128>())
}
