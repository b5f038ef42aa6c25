//! A WebSocket connection of a browser to its session and the folder of the server.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use tokio::task::spawn_blocking;

use super::channel::{Channel, Event, close, ticks};
use super::folder::{Folder, FolderError, FolderMessage, Listing, Shown};
use labrys_session::{AnyRequest, Features, Request, Role, Session, SlowRequest, error, read};

/// The minimum time between two reports of a search.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// The time between two checks whether the open file has changed.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A connection's membership of a session: as its owner, or with the token of a seat.
pub(super) struct Member {
    session: Arc<Session>,
    /// The token; none for the owner.
    token: Option<String>,
}

impl Member {
    /// Joins a session, and takes the seat.
    pub(super) fn new(session: Arc<Session>, token: Option<String>) -> Member {
        let member = Member { session, token };
        member.count(true);
        member
    }

    fn count(&self, is_new: bool) {
        if let Some(token) = &self.token {
            self.session.count_connection(token, is_new);
        }
    }

    /// Its role; `None` once the seats have been closed.
    fn role(&self) -> Option<Role> {
        self.session.role(self.token.as_deref())
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.count(false);
    }
}

/// Refuses a connection with an unknown token.
pub(super) async fn refuse(socket: WebSocket) {
    Channel::new(socket).send(close(NO_SEAT)).await;
}

/// Serves a connection until it ends.
pub(super) async fn serve(socket: WebSocket, member: Member, folder: Option<Folder>, has_lobby: bool) {
    let Some(mut role) = member.role() else { return refuse(socket).await };
    let mut channel = Channel::new(socket);
    let session = &member.session;
    let mut handler = RequestHandler { folder: folder.filter(|_| role == Role::Owner), open_file: None };
    let mut listener = session.listen();
    let (mut reports, mut polls) = (ticks(REPORT_INTERVAL), ticks(POLL_INTERVAL));
    let features =
        Features { folder: handler.folder.is_some(), seats: true, lobby: has_lobby, inspections: true };
    let mut next = Some(Message::text(session.welcome(role, features)));
    loop {
        if let Some(message) = next.take()
            && !channel.send(message).await
        {
            return;
        }
        next = tokio::select! {
            event = channel.next() => match event {
                Some(Event::Request(text)) => match member.role() {
                    Some(role) => handler.request(&text, session, role).await.map(Message::text),
                    None => Some(close(NO_SEAT)),
                },
                Some(Event::Due(message)) => Some(message),
                None => return,
            },
            changed = listener.game.changed() => match (changed, member.role()) {
                (Ok(()), Some(now)) if now == role => {
                    Some(Message::text(&*listener.game.borrow_and_update().clone()))
                }
                // Sends the role first, then the game.
                (Ok(()), Some(now)) => {
                    role = now;
                    listener.game.mark_changed();
                    Some(Message::text(role.to_json()))
                }
                (Ok(()), None) => Some(close(NO_SEAT)),
                (Err(_), _) => return,
            },
            // An agent has connected.
            added = listener.engines.changed() => match added {
                Ok(()) => Some(Message::text(session.welcome(role, features))),
                Err(_) => return,
            },
            // Players do not see the search of their opponent.
            _ = reports.tick(), if !matches!(role, Role::Player(_)) => match listener.search.has_changed() {
                Ok(true) => listener.search.borrow_and_update().clone().map(|text| Message::text(&*text)),
                Ok(false) => None,
                Err(_) => return,
            },
            _ = polls.tick(), if handler.open_file.is_some() => handler.poll_file().await.map(Message::text),
        };
    }
}

/// The reason for closing a connection without a valid seat.
const NO_SEAT: &str = "this link is invalid or has been closed";

/// Handles the requests of a connection.
struct RequestHandler {
    folder: Option<Folder>,
    /// The open file, with its modification time when it was last sent, if it was.
    open_file: Option<(String, Option<u64>)>,
}

impl RequestHandler {
    /// Executes a request. Returns the answer, if there is one to this browser alone.
    async fn request(&mut self, text: &str, session: &Arc<Session>, role: Role) -> Option<String> {
        match read(text) {
            Ok(AnyRequest::Slow(request)) => match session.check_slow(role, &request) {
                Ok(()) => self.slow_request(request, session).await,
                Err(refusal) => Some(error(&refusal)),
            },
            Ok(AnyRequest::Quick(request)) => session.request(role, request),
            Err(problem) => Some(error(&format!("invalid request: {problem}"))),
        }
    }

    /// Executes a request that may block.
    async fn slow_request(&mut self, request: SlowRequest, session: &Arc<Session>) -> Option<String> {
        let done = match request {
            SlowRequest::StaticEval {} => {
                let session = session.clone();
                let eval = spawn_blocking(move || session.static_eval()).await;
                return Some(eval.unwrap_or_else(|problem| error(&problem)));
            }
            SlowRequest::Explore { pgn, first } => {
                let session = session.clone();
                let explored = spawn_blocking(move || session.explore(&pgn, first)).await;
                return Some(explored.unwrap_or_else(|problem| error(&problem)));
            }
            SlowRequest::Files {} => {
                let files = self.blocking(Folder::list).await;
                let message = |Listing { files, left_out }| FolderMessage::Files { files, left_out };
                files.map(|files| Some(message(files).to_json()))
            }
            SlowRequest::Open { file } => {
                self.open_file = file.map(|file| (file, None));
                return self.poll_file().await;
            }
            SlowRequest::Replay { file, game } => {
                let game = self.blocking(move |folder| folder.game(&file, game)).await;
                game.map(|game| {
                    session.request(Role::Owner, Request::Load { pgn: game.to_string(), game: None })
                })
            }
        };
        done.unwrap_or_else(|problem| Some(error(&problem)))
    }

    /// The content of the open file, if it has changed since it was last sent.
    async fn poll_file(&mut self) -> Option<String> {
        let (name, before) = self.open_file.clone()?;
        let found = self.blocking(move |folder| {
            let file = folder.find(&name)?;
            let content = (Some(file.modified) != before).then(|| folder.open(&file)).transpose()?;
            Ok((file, content))
        });
        match found.await {
            Ok((file, content)) => {
                self.open_file = Some((file.name.clone(), Some(file.modified)));
                let Shown { content, note } = content?;
                let (name, modified) = (&file.name, file.modified);
                Some(FolderMessage::File { name, modified, content, note }.to_json())
            }
            Err(problem) => {
                self.open_file = None;
                Some(error(&problem))
            }
        }
    }

    /// Runs a job on the folder, on a thread for blocking work.
    async fn blocking<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Folder) -> Result<T, FolderError> + Send + 'static,
    ) -> Result<T, FolderError> {
        let folder = self.folder.clone().ok_or(FolderError::None)?;
        spawn_blocking(move || job(&folder)).await.unwrap_or(Err(FolderError::None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::SystemTime;

    #[tokio::test]
    async fn an_open_file_is_sent_at_first_and_when_it_changes() {
        let path = tempfile::tempdir().unwrap();
        std::fs::write(path.path().join("a.csv"), "x\n1\n").unwrap();
        // Archives have such files.
        let file = File::options().write(true).open(path.path().join("a.csv")).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let folder = Some(Folder::new(path.path().to_owned()));
        let mut handler = RequestHandler { folder, open_file: Some(("a.csv".to_owned(), None)) };
        assert!(handler.poll_file().await.is_some_and(|text| text.contains("table")));
        assert_eq!(handler.poll_file().await, None);
        file.set_modified(SystemTime::now()).unwrap();
        assert!(handler.poll_file().await.is_some());
    }
}
